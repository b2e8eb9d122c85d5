/* The key of curves that all end in one place: beside the panel a list of their names, each in its colour, with a figure.
 */
#ifndef HSP_PLOT_PART_KEY_H
#define HSP_PLOT_PART_KEY_H

#include "plot/draw/canvas.h"

typedef struct hsp_key_line {
    const char *name;
    const char *figure; /* or NULL */
    hsp_pen pen;        /* of the curve; a colour of text is made of it */
} hsp_key_line;

typedef struct hsp_key {
    const char *head, *figure_head; /* over names and figures */
    const hsp_key_line *line;
    int64_t lines;
    const char *note;  /* quiet, under the list, or NULL */
    const char *note2; /* under that, or NULL */
} hsp_key;

/* The width that it takes, at most max. */
double hsp_key_width(const hsp_key *k, hsp_canvas *c, double max);
/* Draws it from the top of the frame; where it is too low the notes go first, then lines, which are counted in a last
 * one. Returns the y under it. */
double hsp_key_draw(const hsp_key *k, hsp_canvas *c, hsp_area f);

/* Whether the names of such a row need not give way to each other. */
bool hsp_key_row_fits(hsp_canvas *c, const char *const *name, int64_t n, double room);
/* Two or three classes in one line of boxes and names from x on, at the baseline y; long names give way to each other. */
void hsp_key_row(hsp_canvas *c, const hsp_key_line *line, int64_t n, double x, double y, double room);

#endif
