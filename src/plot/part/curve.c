#include "plot/part/curve.h"

#include "plot/draw/picture_bytes.h"

#include <math.h>

/* A line under construction: points of the sheet, of which those within half a pixel column are merged into the first, the
 * lowest, the highest and the last. */
typedef struct trail {
    hsp_place2 *p;
    int64_t n;
    double column; /* of the points being merged */
    hsp_place2 last, low, high;
    int64_t merged;
} trail;

static void end_column(trail *t) {
    if (t->merged > 3) {
        bool low_first = t->low.x <= t->high.x;
        t->p[t->n++] = low_first ? t->low : t->high;
        t->p[t->n++] = low_first ? t->high : t->low;
    }
    if (t->merged > 1) t->p[t->n++] = t->last;
    t->merged = 0;
}

static void add_point(trail *t, hsp_place2 at) {
    double column = floor(2 * at.x);
    if (t->merged == 0 || column != t->column) {
        end_column(t);
        t->column = column;
        t->low = t->high = at;
        t->p[t->n++] = at;
        t->merged = 1;
        t->last = at;
        return;
    }
    if (t->merged == 2) t->p[t->n++] = t->last; /* three stay as they are: first, middle, last */
    t->merged++;
    t->last = at;
    if (at.y < t->low.y) t->low = at;
    if (at.y > t->high.y) t->high = at;
}

static void end_line(trail *t, hsp_canvas *c, const hsp_pen *pen) {
    end_column(t);
    if (t->n == 1) { /* a single point: a dot */
        t->p[1] = t->p[0];
        t->n = 2;
    }
    hsp_canvas_line(c, t->p, t->n, pen);
    t->n = 0;
}

/* A little more than the frame: a line along its edge is not cut in half. */
static hsp_area around(hsp_area f) {
    return (hsp_area){f.x - 2, f.y - 2, f.w + 4, f.h + 4};
}

int hsp_curve_draw(const hsp_panel *p, hsp_canvas *c, const hsp_curve *v) {
    trail t = {.p = hsp_alloc_zero(6 * v->n + 8, sizeof *t.p)};
    if (!t.p) return HSP_EMEMORY;
    hsp_canvas_clip(c, around(p->frame));
    hsp_place2 before = {0};
    for (int64_t i = 0; i < v->n; i++) {
        if (!isfinite(v->y[i]) || !isfinite(v->x[i])) {
            end_line(&t, c, &v->pen);
            continue;
        }
        hsp_place2 at = hsp_panel_place(p, v->x[i], v->y[i]);
        if (v->steps && t.n > 0) add_point(&t, (hsp_place2){at.x, before.y});
        add_point(&t, at);
        before = at;
    }
    end_line(&t, c, &v->pen);
    hsp_canvas_unclip(c);
    hsp_free(t.p);
    return v->dots ? hsp_curve_dots(p, c, v) : HSP_OK;
}

int hsp_curve_dots(const hsp_panel *p, hsp_canvas *c, const hsp_curve *v) {
    hsp_place2 *dot = hsp_alloc_zero(v->n + 1, sizeof *dot);
    int64_t n = 0;
    if (!dot) return HSP_EMEMORY;
    for (int64_t i = 0; i < v->n; i++) {
        if (!isfinite(v->y[i]) || !isfinite(v->x[i])) continue;
        dot[n] = hsp_panel_place(p, v->x[i], v->y[i]);
        n += hsp_panel_holds(p, dot[n]);
    }
    hsp_mark m = {.marker = HSP_MARKER_CIRCLE, .radius = 1.4 * v->pen.width, .fill = v->pen.colour, .alpha = 1};
    hsp_canvas_marks(c, dot, n, &m);
    hsp_free(dot);
    return HSP_OK;
}

int hsp_curve_band(const hsp_panel *p, hsp_canvas *c, const double *x, const double *lo, const double *hi, int64_t n,
                   hsp_colour colour, double alpha) {
    hsp_place2 *corner = hsp_alloc_zero(2 * n, sizeof *corner);
    if (!corner) return HSP_EMEMORY;
    hsp_canvas_clip(c, around(p->frame));
    for (int64_t i = 0; i < n; i++) { /* runs of finite numbers */
        int64_t begin = i;
        while (i < n && isfinite(x[i]) && isfinite(lo[i]) && isfinite(hi[i])) i++;
        for (int64_t k = begin; k < i; k++) {
            corner[k - begin] = hsp_panel_place(p, x[k], lo[k]);
            corner[2 * (i - begin) - 1 - (k - begin)] = hsp_panel_place(p, x[k], hi[k]);
        }
        if (i - begin > 1) hsp_canvas_area(c, corner, 2 * (i - begin), colour, alpha);
    }
    hsp_canvas_unclip(c);
    hsp_free(corner);
    return HSP_OK;
}

int hsp_curve_bars(const hsp_panel *p, hsp_canvas *c, const double *edge, const double *height, int64_t n,
                   hsp_colour colour, double alpha) {
    hsp_place2 *top = hsp_alloc_zero(2 * n + 2, sizeof *top);
    if (!top) return HSP_EMEMORY;
    double floor_y = p->frame.y + p->frame.h;
    top[0] = (hsp_place2){hsp_panel_x(p, edge[0]), floor_y};
    for (int64_t i = 0; i < n; i++) {
        double y = fmin(hsp_panel_y(p, height[i]), floor_y);
        top[2 * i + 1] = (hsp_place2){hsp_panel_x(p, edge[i]), y};
        top[2 * i + 2] = (hsp_place2){hsp_panel_x(p, edge[i + 1]), y};
    }
    top[2 * n + 1] = (hsp_place2){hsp_panel_x(p, edge[n]), floor_y};
    hsp_canvas_clip(c, around(p->frame));
    hsp_canvas_area(c, top, 2 * n + 2, colour, alpha);
    hsp_canvas_line(c, top, 2 * n + 2, &(hsp_pen){colour, 1.5, 0, 1});
    hsp_canvas_unclip(c);
    hsp_free(top);
    return HSP_OK;
}

/* The last finite point of a curve, on the sheet; false: there is none. */
static bool end_of(const hsp_panel *p, const hsp_curve *v, hsp_place2 *out) {
    for (int64_t i = v->n - 1; i >= 0; i--) {
        if (!isfinite(v->x[i]) || !isfinite(v->y[i])) continue;
        *out = hsp_panel_place(p, v->x[i], v->y[i]);
        return true;
    }
    return false;
}

double hsp_curve_names_width(hsp_canvas *c, const hsp_curve *curve, int64_t n, double max) {
    double widest = 0;
    for (int64_t i = 0; i < n; i++) widest = fmax(widest, hsp_tags_width(c, &(hsp_tag){.text = curve[i].name}, 1, max));
    return widest;
}

int hsp_curve_name_ends(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int64_t n) {
    hsp_tag *tag = hsp_alloc_zero(n, sizeof *tag);
    if (!tag) return HSP_EMEMORY;
    int64_t count = 0;
    hsp_area f = p->frame;
    for (int64_t i = 0; i < n; i++) {
        hsp_place2 end;
        if (!curve[i].name || !end_of(p, &curve[i], &end)) continue;
        double y = fmin(fmax(end.y, f.y), f.y + f.h);
        tag[count++] = (hsp_tag){.y = y, .text = curve[i].name, .colour = curve[i].pen.colour, .weight = (double)(n - i)};
    }
    int64_t dropped = hsp_tags_draw(c, tag, count, f.x + f.w + 2, f.x + f.w + 12, f.y - 4, f.y + f.h + 4, p->right - 12);
    hsp_free(tag);
    return dropped < 0 ? HSP_EMEMORY : HSP_OK;
}
