#include "plot/boundary/halfplane.h"

#include "plot/draw/picture_bytes.h"

#include <string.h>

int hsp_polygon_new(hsp_polygon *p, int64_t capacity) {
    memset(p, 0, sizeof *p);
    p->capacity = capacity;
    p->corner = hsp_alloc_zero(capacity, sizeof *p->corner);
    p->side = hsp_alloc_zero(capacity, sizeof *p->side);
    p->spare_corner = hsp_alloc_zero(capacity, sizeof *p->spare_corner);
    p->spare_side = hsp_alloc_zero(capacity, sizeof *p->spare_side);
    return p->corner && p->side && p->spare_corner && p->spare_side ? HSP_OK : HSP_EMEMORY;
}

void hsp_polygon_clear(hsp_polygon *p) {
    HSP_FREE(p->corner, p->side, p->spare_corner, p->spare_side);
    memset(p, 0, sizeof *p);
}

void hsp_polygon_square(hsp_polygon *p) {
    static const hsp_place2 square[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    p->count = 4;
    for (int i = 0; i < 4; i++) {
        p->corner[i] = square[i];
        p->side[i] = -1;
    }
}

static void add_corner(hsp_polygon *p, int64_t *n, hsp_place2 corner, int64_t side) {
    if (*n == p->capacity) return; /* rounding may make a cut add a second corner, of a sliver: drop it */
    p->spare_corner[*n] = corner;
    p->spare_side[(*n)++] = side;
}

static hsp_place2 crossing(hsp_place2 p, double at_p, hsp_place2 q, double at_q) {
    double t = at_p / (at_p - at_q);
    return (hsp_place2){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
}

/* Sutherland and Hodgman (1974), Reentrant polygon clipping. A side that leaves h ends at the crossing, where the new side
 * begins; the side that returns begins at its crossing and keeps its name. */
void hsp_polygon_cut(hsp_polygon *p, hsp_halfplane h, int64_t name) {
    int64_t n = 0;
    for (int64_t i = 0; i < p->count; i++) {
        hsp_place2 from = p->corner[i], to = p->corner[(i + 1) % p->count];
        double at_from = h.a * from.x + h.b * from.y + h.c, at_to = h.a * to.x + h.b * to.y + h.c;
        if (at_from >= 0) {
            bool leaves_here = at_from == 0 && at_to < 0; /* the corner itself is where the new side begins */
            add_corner(p, &n, from, leaves_here ? name : p->side[i]);
            if (at_to < 0 && !leaves_here) add_corner(p, &n, crossing(from, at_from, to, at_to), name);
        } else if (at_to > 0) {
            add_corner(p, &n, crossing(from, at_from, to, at_to), p->side[i]);
        }
    }
    hsp_place2 *corner = p->corner;
    int64_t *side = p->side;
    p->corner = p->spare_corner;
    p->side = p->spare_side;
    p->spare_corner = corner;
    p->spare_side = side;
    p->count = n < 3 ? 0 : n;
}
