/* Clouds of points. Marks shrink and are thinned out as points get many, so that a picture of millions stays small and
 * opens quickly. */
#ifndef HSP_PLOT_PART_SCATTER_H
#define HSP_PLOT_PART_SCATTER_H

#include "plot/draw/canvas.h"
#include "plot/draw/style.h"

typedef struct hsp_scatter_point {
    hsp_place2 at;  /* on the sheet */
    int32_t group;  /* class: colour and marker */
    int32_t marked; /* 1: highlighted (misclassified) */
    int32_t count;  /* set by thinning: the points that this one represents, itself included */
} hsp_scatter_point;

/* The mark of a group in a cloud of n points, for clouds and legends. Marked points have a dark edge; in a dense cloud, where
 * edges would hide everything else, their colour is nearer to the ink. */
hsp_mark hsp_scatter_mark(const hsp_style *s, int64_t n, int32_t group, bool marked);
/* Whether a cloud of n points is dense: marks are dots, opaque only where points are many. */
bool hsp_scatter_dense(int64_t n);
/* Keeps the first point of each group (marked and not) in every cell of a grid as fine as the marks, moves these to the front
 * in their order and returns their number, or HSP_EMEMORY. */
int64_t hsp_scatter_thin(hsp_scatter_point *p, int64_t n, hsp_area f);
/* Thins n points over the frame f, which changes p, and draws them in an order that favours no group, marked ones last unless
 * dense. Marks have the size of those in a cloud of `total` points. 0 or HSP_EMEMORY. */
int hsp_scatter_draw(hsp_canvas *c, hsp_scatter_point *p, int64_t n, hsp_area f, int64_t total);
/* A pseudo-random number in [0, 1) that depends on i alone. */
double hsp_scatter_jitter(int64_t i);

#endif
