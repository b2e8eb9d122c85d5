/* The plane of two features beside the chart `projection`: the rows, the means and covariances of the classes, the boundary,
 * and the line along w with the rows projected on it. */
#include "plot/boundary/slice.h"
#include "plot/chart/projection_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"

#include <math.h>

enum { CORNERS = 96, MOST_DROPS = 400 };

typedef struct projected_plane {
    const hsp_chart_input *in;
    hsp_canvas *c;
    hsp_panel panel;
    int64_t n;
    double *x, *y;        /* n each: one block, owned by x */
    int32_t *truth;       /* n, owned */
    const double *mean;   /* 2 x 2 */
    const double *S;      /* 2 x 4, or NULL */
    const double *w;      /* w and b */
    double direction[2];  /* w / |w| */
    double offset;        /* of the line, along the normal of w */
    char letter[2][HSP_NUMERAL], label[2][HSP_LABEL_SIZE]; /* names of the axes */
} projected_plane;

/* ---- rows ---- */

static int take_rows(projected_plane *p, hsp_error **err) {
    const hsp_data *data = hsp_chart_data(p->in, 0);
    p->n = hsp_data_rows(data);
    p->x = hsp_alloc_zero(2 * p->n, sizeof *p->x);
    p->truth = hsp_alloc_zero(p->n, sizeof *p->truth);
    if (!p->x || !p->truth) return HSP_EMEMORY;
    p->y = p->x + p->n;
    int status = hsp_slice_labels(p->in->model[0], data, p->truth, err);
    for (int64_t i = 0; status == HSP_OK && i < p->n; i++) {
        double row[2];
        status = hsp_data_row(data, i, row, err);
        p->x[i] = row[0];
        p->y[i] = row[1];
    }
    return status;
}

static double along(const projected_plane *p, double x, double y) {
    return p->direction[0] * x + p->direction[1] * y;
}

static double across(const projected_plane *p, double x, double y) {
    return p->direction[0] * y - p->direction[1] * x;
}

/* The place of the projection t on the line. */
static void point_on_line(const projected_plane *p, double t, double out[2]) {
    out[0] = p->direction[0] * t - p->direction[1] * p->offset;
    out[1] = p->direction[1] * t + p->direction[0] * p->offset;
}

/* The line runs beside the rows, below them where it can, so that both can be seen. */
static void place_line(projected_plane *p) {
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        double t = across(p, p->x[i], p->y[i]);
        lo = fmin(lo, t);
        hi = fmax(hi, t);
    }
    double gap = 0.12 * (hi - lo);
    p->offset = p->direction[0] >= 0 ? lo - gap : hi + gap;
}

/* ---- the frame ---- */

static void join_point(hsp_range *x, hsp_range *y, const double at[2]) {
    *x = hsp_range_join(*x, (hsp_range){at[0], at[0], HSP_SPREAD_PADDED});
    *y = hsp_range_join(*y, (hsp_range){at[1], at[1], HSP_SPREAD_PADDED});
}

static void lay_out(projected_plane *p, hsp_area f) {
    hsp_range x = hsp_range_of(p->x, p->n, HSP_SPREAD_PADDED), y = hsp_range_of(p->y, p->n, HSP_SPREAD_PADDED);
    for (int64_t i = 0; i < p->n; i++) {
        double at[2];
        point_on_line(p, along(p, p->x[i], p->y[i]), at);
        join_point(&x, &y, at);
    }
    const char *name[2];
    for (int a = 0; a < 2; a++)
        name[a] = hsp_slice_axis(hsp_model_feature_label(p->in->model[0], a, p->label[a]), p->letter[a]);
    p->panel = (hsp_panel){.x_name = name[0], .y_name = name[1], .x_range = x, .y_range = y};
    hsp_panel_lay_out_alike(&p->panel, p->c, f);
}

static hsp_place2 place_at(const projected_plane *p, double x, double y) {
    return hsp_panel_place(&p->panel, x, y);
}

/* ---- drawing ---- */

static void draw_line(const projected_plane *p) {
    const hsp_style *s = hsp_canvas_style(p->c);
    double lo = INFINITY, hi = -INFINITY, a[2], b[2];
    for (int64_t i = 0; i < p->n; i++) {
        double t = along(p, p->x[i], p->y[i]);
        lo = fmin(lo, t);
        hi = fmax(hi, t);
    }
    double more = 0.06 * (hi - lo);
    point_on_line(p, lo - more, a);
    point_on_line(p, hi + more, b);
    const hsp_place2 end[] = {place_at(p, a[0], a[1]), place_at(p, b[0], b[1])};
    hsp_canvas_line(p->c, end, 2, &(hsp_pen){.colour = s->quiet, .width = 1.4});
}

/* The rows on the line, and thin lines to them if they are few. */
static void draw_projections(const projected_plane *p) {
    const hsp_style *s = hsp_canvas_style(p->c);
    for (int64_t i = 0; i < p->n; i++) {
        double at[2];
        hsp_colour colour = hsp_style_class_colour(s, p->truth[i]);
        point_on_line(p, along(p, p->x[i], p->y[i]), at);
        const hsp_place2 end[] = {place_at(p, p->x[i], p->y[i]), place_at(p, at[0], at[1])};
        if (p->n <= MOST_DROPS) hsp_canvas_line(p->c, end, 2, &(hsp_pen){.colour = colour, .width = 0.6, .alpha = 0.28});
        hsp_mark mark = {hsp_style_class_marker(p->truth[i]), p->n <= MOST_DROPS ? 2.6 : 1.8, colour, 0.8, 0, 0};
        hsp_canvas_marks(p->c, &end[1], 1, &mark);
    }
}

/* The boundary w.x + b = 0, through the whole frame. */
static void draw_boundary(const projected_plane *p) {
    double norm2 = p->w[0] * p->w[0] + p->w[1] * p->w[1], x = -p->w[2] * p->w[0] / norm2, y = -p->w[2] * p->w[1] / norm2;
    double far = 4 * (double)(fmaxl(p->panel.x.hi - p->panel.x.lo, p->panel.y.hi - p->panel.y.lo) + fabsl(p->panel.x.lo) +
                              fabsl(p->panel.y.lo));
    const hsp_place2 end[] = {place_at(p, x - far * p->direction[1], y + far * p->direction[0]),
                              place_at(p, x + far * p->direction[1], y - far * p->direction[0])};
    hsp_canvas_line(p->c, end, 2, &(hsp_pen){.colour = hsp_canvas_style(p->c)->ink, .width = 2});
}

static int draw_rows(const projected_plane *p) {
    hsp_scatter_point *point = hsp_alloc_zero(p->n, sizeof *point);
    if (!point) return HSP_EMEMORY;
    for (int64_t i = 0; i < p->n; i++)
        point[i] = (hsp_scatter_point){.at = place_at(p, p->x[i], p->y[i]), .group = p->truth[i]};
    int status = hsp_scatter_draw(p->c, point, p->n, p->panel.frame, p->n < 4000 ? 2 * p->n : p->n);
    hsp_free(point);
    return status;
}

/* All x with (x - mean)' S^-1 (x - mean) = 4: mean + 2 L (cos, sin) with S = L L'. */
static void draw_ellipse(const projected_plane *p, int k) {
    const double *m = p->mean + 2 * k, *S = p->S + 4 * k;
    hsp_place2 line[CORNERS + 1];
    double a = sqrt(fmax(0, S[0])), b = a > 0 ? S[1] / a : 0, c = sqrt(fmax(0, S[3] - b * b));
    for (int i = 0; i <= CORNERS; i++) {
        double angle = 2 * acos(-1) * i / CORNERS, u = 2 * cos(angle), v = 2 * sin(angle);
        line[i] = place_at(p, m[0] + a * u, m[1] + b * u + c * v);
    }
    const hsp_style *s = hsp_canvas_style(p->c);
    hsp_canvas_line(p->c, line, CORNERS + 1, &(hsp_pen){.colour = s->paper, .width = 4});
    hsp_canvas_line(p->c, line, CORNERS + 1,
                    &(hsp_pen){.colour = hsp_style_mix(hsp_style_class_colour(s, k), s->ink, 0.35), .width = 2});
}

/* The means, with their projections, joined by dashed lines. */
static void draw_means(const projected_plane *p) {
    const hsp_style *s = hsp_canvas_style(p->c);
    for (int k = 0; k < 2; k++) {
        double at[2];
        const double *m = p->mean + 2 * k;
        hsp_colour colour = hsp_style_mix(hsp_style_class_colour(s, k), s->ink, 0.35);
        point_on_line(p, along(p, m[0], m[1]), at);
        const hsp_place2 end[] = {place_at(p, m[0], m[1]), place_at(p, at[0], at[1])};
        hsp_canvas_line(p->c, end, 2, &(hsp_pen){.colour = colour, .width = 1.6, .dash = 4});
        const hsp_mark mark = {hsp_style_class_marker(k), 7, colour, 1, s->paper, 2};
        const hsp_mark small = {hsp_style_class_marker(k), 5.5, colour, 1, s->paper, 1.6};
        hsp_canvas_marks(p->c, &end[0], 1, &mark);
        hsp_canvas_marks(p->c, &end[1], 1, &small);
    }
}

static int draw_all(projected_plane *p) {
    hsp_canvas_clip(p->c, p->panel.frame);
    draw_boundary(p);
    draw_line(p);
    draw_projections(p);
    int status = draw_rows(p);
    for (int k = 0; p->S && k < 2; k++) draw_ellipse(p, k);
    draw_means(p);
    hsp_canvas_unclip(p->c);
    hsp_panel_axes(&p->panel, p->c);
    return status;
}

bool hsp_projection_has_plane(const hsp_chart_input *in) {
    return hsp_report_count(in->study[0], "plane_means") > 0;
}

int hsp_projection_plane(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_error **err) {
    projected_plane p = {.in = in, .c = c};
    int status = HSP_CHART_ARRAYS(in->study[0], err, {"plane_means", &p.mean, NULL}, {"plane_weights", &p.w, NULL});
    if (status == HSP_OK && hsp_report_count(in->study[0], "plane_covariances") > 0)
        status = HSP_CHART_ARRAYS(in->study[0], err, {"plane_covariances", &p.S, NULL});
    if (status == HSP_OK) status = take_rows(&p, err);
    if (status == HSP_OK) {
        double norm = hypot(p.w[0], p.w[1]);
        p.direction[0] = p.w[0] / norm;
        p.direction[1] = p.w[1] / norm;
        place_line(&p);
        lay_out(&p, f);
        status = draw_all(&p);
    }
    HSP_FREE(p.x, p.truth);
    return status;
}
