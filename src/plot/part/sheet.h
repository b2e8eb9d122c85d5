/* The sheet: the title and the lines under it, and how what is left is shared out among panels. */
#ifndef HSP_PLOT_PART_SHEET_H
#define HSP_PLOT_PART_SHEET_H

#include "plot/draw/canvas.h"
#include "plot/draw/style.h"

/* Draws the title and up to two lines under it ("" or NULL: none) at the top; returns what is left within the margins. */
hsp_area hsp_sheet_head(hsp_canvas *c, const char *title, const char *first, const char *second);
/* What hsp_sheet_head leaves under a title and two lines, before they are written. */
hsp_area hsp_sheet_room(const hsp_style *s);
/* Cell i, counted along the rows, of a grid over f with `gap` between the cells. */
hsp_area hsp_sheet_cell(hsp_area f, int rows, int columns, double gap, int i);
/* The grid for n cells over a frame that comes nearest to cells of width : height = aspect. */
void hsp_sheet_grid(hsp_area f, int n, double aspect, int *rows, int *columns);

#endif
