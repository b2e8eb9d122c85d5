/* The key of curves that end in the same place: a list of their names beside the panel, each with its colour and a figure. */
#ifndef HSP_PLOT_PART_KEY_H
#define HSP_PLOT_PART_KEY_H

#include "plot/draw/canvas.h"

/* Texts and lines are borrowed. */
typedef struct hsp_key_line {
    const char *name;
    const char *figure; /* or NULL */
    hsp_pen pen;        /* of the curve */
} hsp_key_line;

typedef struct hsp_key {
    const char *head, *figure_head; /* over names and figures */
    const hsp_key_line *line;
    int64_t lines;
    const char *note;  /* quiet, under the list, or NULL */
    const char *note2; /* under that, or NULL */
} hsp_key;

/* The width that it takes, at most max. With the aside of a style it takes none, and hsp_key_draw leaves the lines there. */
double hsp_key_width(const hsp_key *k, hsp_canvas *c, double max);
/* Draws it from the top of the frame. If the frame is too low, the notes are left out first, then lines, which a last line
 * counts. Returns the y below it. */
double hsp_key_draw(const hsp_key *k, hsp_canvas *c, hsp_area f);

/* Whether the n names of such a row fit without being shortened. */
bool hsp_key_row_fits(hsp_canvas *c, const char *const *name, int64_t n, double room);
/* Two or three classes in one row of boxes and names from x on, at the baseline y; long names are shortened. */
void hsp_key_row(hsp_canvas *c, const hsp_key_line *line, int64_t n, double x, double y, double room);

#endif
