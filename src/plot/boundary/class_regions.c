/* The regions of the classes over a plane: the unit square, cut by the half-planes where one class has a higher score than
 * another. */
#include "plot/boundary/boundary.h"
#include "plot/boundary/halfplane.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"

#include <math.h>
#include <string.h>

/* wx x + wy y + b >= 0 over the view as a half-plane of the unit square, scaled to about 1: the products may be beyond the
 * range of doubles. */
static hsp_halfplane over_view(const hsp_panel *p, int dimensions, long double wx, long double wy, long double b) {
    long double a = wx * (p->x.hi - p->x.lo), e = 0, c = b + wx * p->x.lo;
    if (dimensions > 1) {
        e = wy * (p->y.hi - p->y.lo);
        c += wy * p->y.lo;
    }
    long double size = fmaxl(fabsl(a), fmaxl(fabsl(e), fabsl(c)));
    if (size == 0) return (hsp_halfplane){0, 0, 0};
    return (hsp_halfplane){(double)(a / size), (double)(e / size), (double)(c / size)};
}

hsp_halfplane hsp_regions_advantage(const hsp_panel *p, const hsp_slice *s, int64_t i, int64_t j) {
    const hsp_slice_score *u = &s->score[s->order[i]], *v = &s->score[s->order[j]];
    hsp_halfplane h = over_view(p, s->dimensions, (long double)u->w[0] - v->w[0], (long double)u->w[1] - v->w[1],
                                (long double)u->b - v->b);
    if (h.a == 0 && h.b == 0 && h.c == 0) h.c = i < j ? 1 : -1;
    return h;
}

/* Adds the polygon of class order[i], and those of its sides that it shares with a later class. */
static int add_region(hsp_regions *r, const hsp_slice *s, int64_t i, const hsp_polygon *polygon) {
    int64_t n = polygon->count;
    if (hsp_reserve((void **)&r->corner, &r->corner_capacity, r->corners + n, sizeof *r->corner) ||
        hsp_reserve((void **)&r->border, &r->border_capacity, 2 * (r->borders + n), sizeof *r->border))
        return HSP_EMEMORY;
    r->owner[r->count] = s->order[i];
    for (int64_t k = 0; k < n; k++) {
        r->corner[r->corners++] = polygon->corner[k];
        if (polygon->side[k] <= i) continue;
        r->border[2 * r->borders] = polygon->corner[k];
        r->border[2 * r->borders + 1] = polygon->corner[(k + 1) % n];
        r->borders++;
    }
    r->begin[++r->count] = r->corners;
    return HSP_OK;
}

int hsp_regions_take(const hsp_panel *p, const hsp_slice *s, hsp_regions *r) {
    hsp_polygon polygon;
    memset(r, 0, sizeof *r);
    if (s->regions) return hsp_curved_take(p, s, r);
    r->begin = hsp_alloc_zero(s->classes + 1, sizeof *r->begin);
    r->owner = hsp_alloc_zero(s->classes, sizeof *r->owner);
    int status = hsp_polygon_new(&polygon, s->classes + 4);
    if (!r->begin || !r->owner) status = HSP_EMEMORY;
    for (int64_t i = 0; status == HSP_OK && i < s->classes; i++) {
        hsp_polygon_square(&polygon);
        for (int64_t j = 0; j < s->classes && polygon.count > 0; j++)
            if (j != i) hsp_polygon_cut(&polygon, hsp_regions_advantage(p, s, i, j), j);
        if (polygon.count > 0) status = add_region(r, s, i, &polygon);
    }
    hsp_polygon_clear(&polygon);
    return status;
}

void hsp_regions_clear(hsp_regions *r) {
    HSP_FREE(r->corner, r->begin, r->owner, r->border, r->line, r->line_begin);
    memset(r, 0, sizeof *r);
}

hsp_place2 hsp_regions_place(const hsp_panel *p, hsp_place2 unit) {
    return (hsp_place2){p->frame.x + unit.x * p->frame.w, p->frame.y + (1 - unit.y) * p->frame.h};
}

int hsp_regions_fill(const hsp_regions *r, const hsp_view *v) {
    const hsp_style *style = hsp_canvas_style(v->c);
    if (r->curved) return hsp_curved_fill(r, v);
    for (int64_t k = 0; k < r->count; k++) {
        hsp_place2 corner[64]; /* a region with more corners is drawn as a fan of parts */
        int64_t n = r->begin[k + 1] - r->begin[k], base = r->begin[k];
        for (int64_t from = 1; from + 1 < n; from += 62) {
            int64_t count = 0;
            corner[count++] = hsp_regions_place(v->panel, r->corner[base]);
            for (int64_t i = from; i < n && count < 64; i++) corner[count++] = hsp_regions_place(v->panel, r->corner[base + i]);
            hsp_canvas_area(v->c, corner, count, hsp_style_class_tint(style, r->owner[k]), 1);
        }
    }
    return HSP_OK;
}

void hsp_regions_stroke(const hsp_regions *r, hsp_canvas *c, const hsp_place2 *border, const hsp_pen *pen) {
    for (int64_t k = 0; !r->curved && k < r->borders; k++) hsp_canvas_line(c, border + 2 * k, 2, pen);
    for (int64_t k = 0; r->curved && k < r->lines; k++)
        hsp_canvas_line(c, r->line + r->line_begin[k], r->line_begin[k + 1] - r->line_begin[k], pen);
}

hsp_place2 *hsp_regions_border(const hsp_regions *r, const hsp_panel *p) {
    hsp_place2 *border = hsp_alloc_zero(2 * r->borders, sizeof *border);
    for (int64_t i = 0; border && i < 2 * r->borders; i++)
        border[i] = r->curved ? r->border[i] : hsp_regions_place(p, r->border[i]);
    return border;
}

bool hsp_view_level(const hsp_view *v, double level, hsp_place2 *ends) {
    const hsp_slice_score *g = &v->s->score[v->s->positive];
    hsp_place2 corner[8], spare[8];
    int64_t side[8], spare_side[8];
    hsp_polygon square = {.capacity = 8, .corner = corner, .side = side, .spare_corner = spare, .spare_side = spare_side};
    hsp_polygon_square(&square);
    hsp_polygon_cut(&square, over_view(v->panel, v->s->dimensions, g->w[0], g->w[1], (long double)g->b - level), 0);
    for (int64_t k = 0; k < square.count; k++) {
        if (square.side[k] != 0) continue;
        ends[0] = hsp_regions_place(v->panel, square.corner[k]);
        ends[1] = hsp_regions_place(v->panel, square.corner[(k + 1) % square.count]);
        return true;
    }
    return false;
}
