/* The points of a view, its axes, and the rings around support vectors. */
#include "plot/boundary/boundary.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"

#include <math.h>

enum { MOST_RINGS = 120 }; /* of one kind: more would hide each other */

/* ---- axes ---- */

static hsp_range wider(hsp_range r, double by) {
    return (hsp_range){r.lo - by, r.hi + by, r.spread};
}

/* The range extended to 0, unless that would double its width. */
static hsp_range with_zero(hsp_range r) {
    double width = r.hi - r.lo, lo = fmin(r.lo, 0), hi = fmax(r.hi, 0);
    return hi - lo < 2 * width ? (hsp_range){lo, hi, r.spread} : r;
}

void hsp_view_axes(const hsp_slice *s, hsp_panel *p) {
    p->x_name = hsp_caption_axis(s, 0);
    p->x_range = wider(hsp_range_of(s->x, s->n, HSP_SPREAD_PADDED), s->spread[0]);
    if (s->dimensions > 1) {
        p->y_name = hsp_caption_axis(s, 1);
        p->y_range = wider(hsp_range_of(s->y, s->n, HSP_SPREAD_PADDED), s->spread[1]);
    } else {
        p->no_y_ticks = true;
        p->y_range = (hsp_range){0, 1, HSP_SPREAD_EXACT};
    }
    if (s->regions) { /* as far as the prediction is known */
        hsp_curved_range(s, "u_range", &p->x_range);
        if (s->dimensions > 1) hsp_curved_range(s, "v_range", &p->y_range);
    }
    if (!s->origin) return;
    p->x_range = with_zero(p->x_range);
    if (s->dimensions > 1) p->y_range = with_zero(p->y_range);
}

void hsp_view_lay_out(const hsp_slice *s, hsp_panel *p, hsp_canvas *c, hsp_area outer, bool alike) {
    if (alike && s->dimensions > 1)
        hsp_panel_lay_out_alike(p, c, outer);
    else
        hsp_panel_lay_out(p, c, outer);
}

/* With one feature each class has its own lane, across which its points are spread. */
static double lane_of(const hsp_slice *s, int64_t k, double spread) {
    double lane = 1 / (double)s->classes;
    return 1 - lane * ((double)k + 0.5 + 0.56 * (spread - 0.5));
}

double hsp_view_lane_width(const hsp_slice *s, hsp_canvas *c) {
    const hsp_style *style = hsp_canvas_style(c);
    const hsp_font small = {style->small, 400, style->quiet};
    double widest = 0;
    for (int64_t k = 0; s->dimensions == 1 && k < s->classes && k < 40; k++)
        widest = fmax(widest, 12 + hsp_canvas_measure(c, s->class_name[k], &small, 140));
    return widest;
}

void hsp_view_draw_axes(const hsp_view *v) {
    const hsp_style *style = hsp_canvas_style(v->c);
    const hsp_font small = {style->small, 400, style->quiet};
    hsp_area f = v->panel->frame;
    hsp_panel_axes(v->panel, v->c);
    if (v->s->dimensions > 1) return;
    if (f.h / (double)v->s->classes < 1.3 * small.size) return; /* lanes too narrow for names, which are in the key */
    for (int64_t k = 0; k < v->s->classes; k++) {
        double y = f.y + f.h * (1 - lane_of(v->s, k, 0.5)) + 0.36 * small.size;
        hsp_canvas_text(v->c, v->s->class_name[k], &small, (hsp_place2){f.x - 10, y}, HSP_ALIGN_RIGHT, 140);
    }
}

/* ---- points ---- */

static int32_t group_of(const hsp_slice *s, int64_t i) {
    return s->truth ? s->truth[i] : s->answer[i];
}

static hsp_place2 place_of(const hsp_view *v, int64_t i) {
    const hsp_slice *s = v->s;
    if (s->dimensions == 1) return hsp_panel_place(v->panel, s->x[i], lane_of(s, group_of(s, i), hsp_scatter_jitter(i)));
    return hsp_panel_place(v->panel, s->x[i] + s->spread[0] * (2 * hsp_scatter_jitter(2 * i) - 1),
                           s->y[i] + s->spread[1] * (2 * hsp_scatter_jitter(2 * i + 1) - 1));
}

/* The number of points by which marks are sized: more in a small panel, where they are as dense as more in a large one. */
static int64_t crowd_of(const hsp_view *v) {
    const double whole = 600 * 420;
    double share = whole / fmax(1, v->panel->frame.w * v->panel->frame.h);
    return v->s->n < 4000 && share > 1 ? (int64_t)((double)v->s->n * share) : v->s->n;
}

int hsp_view_points(const hsp_view *v, bool mark) {
    const hsp_slice *s = v->s;
    hsp_scatter_point *point = hsp_alloc_zero(s->n, sizeof *point);
    if (!point) return HSP_EMEMORY;
    for (int64_t i = 0; i < s->n; i++) {
        point[i].at = place_of(v, i);
        point[i].group = group_of(s, i);
        point[i].marked = mark && point[i].group != s->answer[i];
    }
    int64_t total = crowd_of(v);
    if (!hsp_scatter_dense(s->n) && total > 10000) total = 10000;
    if (s->n >= HSP_VIEW_IMAGE) hsp_canvas_raster(v->c, v->panel->frame);
    int status = hsp_scatter_draw(v->c, point, s->n, v->panel->frame, total);
    if (s->n >= HSP_VIEW_IMAGE) hsp_canvas_unraster(v->c);
    hsp_free(point);
    return status;
}

/* ---- support vectors ---- */

hsp_supports hsp_view_count_supports(const hsp_slice *s) {
    hsp_supports count = {0, 0};
    for (int64_t i = 0; s->truth && s->positive >= 0 && i < s->n; i++) {
        hsp_support_mark kind = hsp_slice_support(s, i);
        count.on += kind == HSP_SUPPORT_ON;
        count.bound += kind == HSP_SUPPORT_BOUND;
    }
    return count;
}

hsp_pen hsp_view_ring(const hsp_style *s, hsp_support_mark kind) {
    return kind == HSP_SUPPORT_ON ? (hsp_pen){s->ink, 1.8, 0, 0.9} : (hsp_pen){s->ink, 1.2, 2.2, 0.75};
}

bool hsp_view_can_ring(const hsp_slice *s, hsp_support_mark kind) {
    hsp_supports count = hsp_view_count_supports(s);
    return (kind == HSP_SUPPORT_ON ? count.on : count.bound) <= MOST_RINGS && !hsp_scatter_dense(s->n);
}

void hsp_view_ring_supports(const hsp_view *v) {
    const hsp_slice *s = v->s;
    const hsp_style *style = hsp_canvas_style(v->c);
    const bool wanted[] = {false, hsp_view_can_ring(s, HSP_SUPPORT_ON), hsp_view_can_ring(s, HSP_SUPPORT_BOUND)};
    if (!s->truth) return;
    double radius = hsp_scatter_mark(style, crowd_of(v), 0, false).radius + 3.6;
    for (int64_t i = 0; i < s->n; i++) {
        hsp_support_mark kind = hsp_slice_support(s, i);
        if (!wanted[kind]) continue;
        hsp_pen pen = hsp_view_ring(style, kind);
        hsp_canvas_ring(v->c, place_of(v, i), radius, &pen);
    }
}
