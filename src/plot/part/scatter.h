/* Clouds of points: marks that shrink and thin out as they get many, so that a picture of millions stays small and quick
 * to open. */
#ifndef HSP_PLOT_PART_SCATTER_H
#define HSP_PLOT_PART_SCATTER_H

#include "plot/draw/canvas.h"
#include "plot/draw/style.h"

typedef struct hsp_scatter_point {
    hsp_place2 at;  /* on the sheet */
    int32_t group;  /* class: colour and marker */
    int32_t marked; /* 1: wants to be noticed (misclassified) */
    int32_t count;  /* set by thinning: points that this one stands for, itself included */
} hsp_scatter_point;

/* The mark of a group in a cloud of n points, for clouds and legends alike. Marked ones have a dark edge, or in a dense
 * cloud, where edges would be all there is to see, a colour nearer to the ink: darker, on dark paper lighter. */
hsp_mark hsp_scatter_mark(const hsp_style *s, int64_t n, int32_t group, bool marked);
/* Whether a cloud of n points is dense: marks are dots, and opaque only where many points lie. */
bool hsp_scatter_dense(int64_t n);
/* Keeps the first point of each group in every cell of a grid that is as fine as the marks; moves the survivors, in order,
 * to the front and returns their number, or HSP_EMEMORY. */
int64_t hsp_scatter_thin(hsp_scatter_point *p, int64_t n, hsp_area f);
/* Draws n points, thinned from `total`, in an order that favours no group; marked ones last unless dense. 0 or HSP_EMEMORY.
 */
int hsp_scatter_draw(hsp_canvas *c, const hsp_scatter_point *p, int64_t n, int64_t total);
/* A number in [0, 1) that looks random and depends on i alone. */
double hsp_scatter_jitter(int64_t i);

#endif
