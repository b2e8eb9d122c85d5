/* Convex polygons cut by half-planes: the regions of a linear classifier, exactly. */
#ifndef HSP_PLOT_BOUNDARY_HALFPLANE_H
#define HSP_PLOT_BOUNDARY_HALFPLANE_H

#include "plot/draw/canvas.h"

/* All (x, y) with a x + b y + c >= 0. */
typedef struct hsp_halfplane {
    double a, b, c;
} hsp_halfplane;

/* A convex polygon; side i runs from corner i to the next and remembers what cut it: -1 for the first outline, else the
 * name given to hsp_polygon_cut. Every cut adds one corner at most. */
typedef struct hsp_polygon {
    int64_t count, capacity;
    hsp_place2 *corner;
    int64_t *side;
    hsp_place2 *spare_corner; /* where the next cut is made */
    int64_t *spare_side;
} hsp_polygon;

/* Room for `capacity` corners, 4 + cuts. 0 or HSP_EMEMORY; clear it in either case. */
int hsp_polygon_new(hsp_polygon *p, int64_t capacity);
void hsp_polygon_clear(hsp_polygon *p);
/* The square from (0, 0) to (1, 1). */
void hsp_polygon_square(hsp_polygon *p);
/* Keeps what lies in h; the new side is called `name`. Nothing left: count is 0. */
void hsp_polygon_cut(hsp_polygon *p, hsp_halfplane h, int64_t name);

#endif
