/* The key beside a picture of classes: each class's mark and name, then what else is drawn. */
#ifndef HSP_PLOT_LEGEND_H
#define HSP_PLOT_LEGEND_H

#include "plot/canvas.h"

typedef struct hsp_legend {
    int64_t rows; /* points in the picture: the marks are drawn as large as there, but never too small to see */
    int64_t classes;
    const char *const *class_name; /* borrowed */
    int64_t positive;              /* of two classes the one with g > 0, else -1 */
    int64_t wrong;                 /* misclassified points; 0: no line for them */
    bool boundary;
} hsp_legend;

/* The width it takes, at most max. */
double hsp_legend_width(const hsp_legend *l, hsp_canvas *c, double max);
/* Draws it into the frame, from the top; classes that find no room are counted in a last line. */
void hsp_legend_draw(const hsp_legend *l, hsp_canvas *c, hsp_frame f);

#endif
