/* The key beside a picture of classes: the mark and name of each class, then what else is drawn. */
#ifndef HSP_PLOT_PART_LEGEND_H
#define HSP_PLOT_PART_LEGEND_H

#include "plot/draw/canvas.h"

typedef enum hsp_legend_sample { HSP_SAMPLE_LINE, HSP_SAMPLE_RING, HSP_SAMPLE_NONE } hsp_legend_sample;

/* Something drawn that is not a class: a sample of it, its name or description, and a smaller line below. */
typedef struct hsp_legend_item {
    hsp_legend_sample sample;
    hsp_pen pen;
    bool name;        /* the text is a name (set like those of classes), not a description */
    const char *text; /* borrowed */
    const char *note; /* borrowed, or NULL */
} hsp_legend_item;

typedef struct hsp_legend {
    int64_t rows; /* points in the picture: marks have the size that they have there, but are never too small to see */
    int64_t classes;
    const char *const *class_name; /* borrowed */
    int64_t positive;              /* the class with g > threshold, of two; else -1 */
    double threshold;
    int64_t wrong;                 /* misclassified points; 0: no line for them; -1: a line without the number */
    bool boundary;                 /* a line for the boundary */
    int64_t items;
    const hsp_legend_item *item; /* borrowed */
} hsp_legend;

/* The width to leave for it at the right, with the gap: at most `most` or a third of the sheet; 0: the sheet is too narrow
 * for a key. */
double hsp_legend_room(const hsp_legend *l, hsp_canvas *c, double most);
/* Draws it at the right end of `sheet`, in the width that was left (0: nothing), from `top` downwards. Classes that do not
 * fit are counted in a last line. */
void hsp_legend_draw(const hsp_legend *l, hsp_canvas *c, hsp_area sheet, double top, double width);

#endif
