/* The sheet: the title and the lines below it, and how the rest is divided among panels. */
#ifndef HSP_PLOT_PART_SHEET_H
#define HSP_PLOT_PART_SHEET_H

#include "plot/draw/canvas.h"
#include "plot/draw/style.h"

/* Draws the title and up to two sentences below it ("" or NULL: none); returns what is left within the margins. */
hsp_area hsp_sheet_head(hsp_canvas *c, const char *title, const char *first, const char *second);
/* What hsp_sheet_head leaves below a title and two lines, without drawing them. */
hsp_area hsp_sheet_room(const hsp_style *s);
/* Cell i, counted along the rows, of a grid over f with `gap` between the cells. */
hsp_area hsp_sheet_cell(hsp_area f, int rows, int columns, double gap, int i);
/* The grid of n cells over f whose cells come nearest to width : height = aspect. */
void hsp_sheet_grid(hsp_area f, int n, double aspect, int *rows, int *columns);

#endif
