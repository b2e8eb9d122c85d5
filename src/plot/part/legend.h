/* The key beside a picture of classes: each class's mark and name, then what else is drawn. */
#ifndef HSP_PLOT_PART_LEGEND_H
#define HSP_PLOT_PART_LEGEND_H

#include "plot/draw/canvas.h"

typedef enum hsp_legend_sample { HSP_SAMPLE_LINE, HSP_SAMPLE_RING, HSP_SAMPLE_NONE } hsp_legend_sample;

/* Something drawn that is no class: a sample of it, what it is, and a quiet line under that. */
typedef struct hsp_legend_item {
    hsp_legend_sample sample;
    hsp_pen pen;
    bool name;        /* the text is a name, not a remark */
    const char *text; /* borrowed */
    const char *note; /* borrowed, or NULL */
} hsp_legend_item;

typedef struct hsp_legend {
    int64_t rows; /* points in the picture: the marks are drawn as large as there, but never too small to see */
    int64_t classes;
    const char *const *class_name; /* borrowed */
    int64_t positive;              /* of two classes the one with g > 0, else -1 */
    int64_t wrong;                 /* misclassified points; 0: no line for them; -1: a line without their number */
    bool boundary;
    int64_t items;
    const hsp_legend_item *item; /* borrowed */
} hsp_legend;

/* The width to leave for it at the right, some air included, `most` or a third of the sheet at the utmost; 0: the sheet is
 * too narrow for a key. */
double hsp_legend_room(const hsp_legend *l, hsp_canvas *c, double most);
/* Draws it at the right of the frame f in the room that was left, from `top` down to the end of f; classes that find no
 * place are counted in a last line. */
void hsp_legend_draw(const hsp_legend *l, hsp_canvas *c, hsp_area f, double top, double room);

#endif
