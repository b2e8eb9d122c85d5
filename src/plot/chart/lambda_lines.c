/* One panel of the chart `lambda`: regression on one feature, with the lines of some values of lambda. */
#include "plot/boundary/slice.h"
#include "plot/chart/lambda_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"

#include <math.h>

/* A few lambdas at even steps of the slope, with the first and the last. */
static void choose_slopes(hsp_lambda_view *v) {
    double from = v->weights[0], to = v->weights[v->L - 1];
    for (int64_t i = 0; i < v->L; i++) {
        double gone = from == to ? 1 : fabs(v->weights[i] - from) / fabs(to - from);
        bool due = gone >= (double)v->chosen_count / (HSP_LAMBDA_CHOSEN - 1) * (1 - 1e-9);
        if (i + 1 == v->L || (due && v->chosen_count < HSP_LAMBDA_CHOSEN - 1)) v->chosen[v->chosen_count++] = i;
    }
}

/* The values of the feature into x[n]. */
static int take_feature(const hsp_chart_input *in, double *x, int64_t n, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; status == HSP_OK && i < n; i++) status = hsp_data_row(in->data, i, x + i, err);
    return status;
}

static int draw_points(hsp_canvas *c, const hsp_panel *p, const double *x, const double *y, int64_t n) {
    hsp_scatter_point *point = hsp_alloc_zero(n, sizeof *point);
    if (!point) return HSP_EMEMORY;
    for (int64_t i = 0; i < n; i++) point[i].at = hsp_panel_place(p, x[i], y[i]);
    int status = hsp_scatter_draw(c, point, n, p->frame, n);
    hsp_free(point);
    return status;
}

/* Each on a casing of paper. */
static int draw_lines(const hsp_lambda_view *v, hsp_canvas *c, const hsp_panel *p) {
    const hsp_style *s = hsp_canvas_style(c);
    const double x[] = {(double)p->x.lo, (double)p->x.hi};
    int status = HSP_OK;
    for (int64_t t = 0; status == HSP_OK && t < 2 * v->chosen_count; t++) {
        int64_t k = t % v->chosen_count, i = v->chosen[k];
        bool cased = t >= v->chosen_count;
        const double y[] = {v->weights[i] * x[0] + v->intercepts[i], v->weights[i] * x[1] + v->intercepts[i]};
        const hsp_pen pen = {cased ? hsp_lambda_colour(v, s, k) : s->paper, cased ? 2.2 : 4.4, 0, 1};
        const hsp_curve line = {.n = 2, .x = x, .y = y, .pen = pen};
        status = hsp_curve_draw(p, c, &line);
    }
    return status;
}

int hsp_lambda_lines(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_lambda_view *v, hsp_error **err) {
    hsp_array targets = {.size = sizeof targets};
    int64_t n = hsp_data_rows(in->data);
    char letter[HSP_NUMERAL];
    const char *name = hsp_report_text_at(v->s, "features", 0);
    double *x = hsp_alloc_zero(n, sizeof *x);
    int status = x ? hsp_data_array(in->data, "targets", &targets, err) : HSP_EMEMORY;
    if (status == HSP_OK) status = take_feature(in, x, n, err);
    if (status == HSP_OK) {
        hsp_panel p = {.x_name = name ? hsp_slice_axis(name, letter) : NULL,
                       .y_name = "target",
                       .x_range = hsp_range_of(x, n, HSP_SPREAD_PADDED),
                       .y_range = hsp_range_of(targets.data, n, HSP_SPREAD_PADDED)};
        choose_slopes(v);
        hsp_panel_lay_out(&p, c, (hsp_area){f.x, f.y + v->above, f.w, f.h - v->above});
        hsp_lambda_title(c, f, p.frame.x, "Fitted lines");
        hsp_panel_axes(&p, c);
        hsp_canvas_clip(c, p.frame);
        status = draw_points(c, &p, x, targets.data, n);
        if (status == HSP_OK) status = draw_lines(v, c, &p);
        hsp_canvas_unclip(c);
        hsp_lambda_key(v, c, p.frame, "line for \xCE\xBB =");
    }
    hsp_free(x);
    return status;
}
