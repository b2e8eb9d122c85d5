/* Convex polygons cut by half-planes: the regions of a linear classifier, exactly. */
#ifndef HSP_PLOT_BOUNDARY_HALFPLANE_H
#define HSP_PLOT_BOUNDARY_HALFPLANE_H

#include "plot/draw/canvas.h"

/* All (x, y) with a x + b y + c >= 0. */
typedef struct hsp_halfplane {
    double a, b, c;
} hsp_halfplane;

/* A convex polygon. Side i runs from corner i to the next and has the name of the cut that made it, -1 for the outline at the
 * start. Every cut adds at most one corner. */
typedef struct hsp_polygon {
    int64_t count, capacity; /* corners */
    hsp_place2 *corner;      /* owned, as all arrays here */
    int64_t *side;
    hsp_place2 *spare_corner; /* scratch of the next cut */
    int64_t *spare_side;
} hsp_polygon;

/* Space for `capacity` corners: 4 and one for each cut. 0 or HSP_EMEMORY; clear it in either case. */
int hsp_polygon_new(hsp_polygon *p, int64_t capacity);
void hsp_polygon_clear(hsp_polygon *p);
/* The square from (0, 0) to (1, 1). */
void hsp_polygon_square(hsp_polygon *p);
/* Keeps what lies in h; the new side gets this name. count is 0 if nothing is left. */
void hsp_polygon_cut(hsp_polygon *p, hsp_halfplane h, int64_t name);

#endif
