/* Regression on one feature: the points and the fitted line. */
#include "plot/boundary/boundary.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/panel.h"
#include "plot/part/scatter.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>

static int draw_points(hsp_canvas *c, const hsp_panel *p, const hsp_slice *s, const double *target) {
    hsp_scatter_point *point = hsp_alloc_zero(s->n, sizeof *point);
    if (!point) return HSP_EMEMORY;
    for (int64_t i = 0; i < s->n; i++) point[i].at = hsp_panel_place(p, s->x[i], target[i]);
    if (s->n >= HSP_VIEW_IMAGE) hsp_canvas_raster(c, p->frame);
    int status = hsp_scatter_draw(c, point, s->n, p->frame, s->n);
    if (s->n >= HSP_VIEW_IMAGE) hsp_canvas_unraster(c);
    hsp_free(point);
    return status;
}

/* "60 points, R2 = 0.93" */
static void describe_line(const hsp_slice *s, const double *target, char *line) {
    long double mean = 0, off = 0, spread = 0;
    hsp_sentence_add_number(line, (double)s->n, 15);
    hsp_sentence_add(line, s->n == 1 ? " point" : " points");
    for (int64_t i = 0; i < s->n; i++) mean += (target[i] - mean) / (i + 1);
    for (int64_t i = 0; i < s->n; i++) {
        off += (long double)(target[i] - s->g[i]) * (target[i] - s->g[i]);
        spread += (target[i] - mean) * (target[i] - mean);
    }
    double share = (double)(1 - off / spread);
    if (!(spread > 0) || !isfinite(share)) return;
    hsp_sentence_add(line, ", R\xC2\xB2 = ");
    hsp_sentence_add_number(line, share, 3);
}

/* The line, or the curve of the study. */
static int draw_prediction(const hsp_slice *s, const hsp_panel *p, hsp_canvas *c, hsp_error **err) {
    const hsp_slice_score *g = &s->score[0];
    const double x[] = {(double)p->x.lo, (double)p->x.hi}, y[] = {g->w[0] * x[0] + g->b, g->w[0] * x[1] + g->b};
    hsp_curve line = {.n = 2, .x = x, .y = y, .pen = {hsp_canvas_style(c)->ink, 2, 0, 1}};
    int status = HSP_OK;
    if (s->regions) status = HSP_CHART_ARRAYS(s->regions, err, {"curve_x", &line.x, &line.n}, {"curve_y", &line.y, NULL});
    return status == HSP_OK ? hsp_curve_draw(p, c, &line) : status;
}

static void describe_prediction(const hsp_slice *s, char *line) {
    const hsp_slice_score *g = &s->score[0];
    if (s->regions) {
        hsp_sentence_format(line, "the model's prediction, which is not linear in %s", hsp_caption_axis(s, 0));
        return;
    }
    hsp_sentence_add(line, "prediction = ");
    hsp_sentence_add_number(line, g->w[0], 3);
    hsp_sentence_format(line, " \xC2\xB7 %s%s", hsp_caption_axis(s, 0), g->b < 0 ? " \xE2\x88\x92 " : " + ");
    hsp_sentence_add_number(line, fabs(g->b), 3);
}

int hsp_boundary_regression(const hsp_chart_input *in, hsp_canvas *c, const hsp_slice *s, hsp_error **err) {
    hsp_array a = {.size = sizeof a};
    if (hsp_data_array(hsp_chart_data(in, 0), "targets", &a, NULL) || !a.data)
        return hsp_fail(err, HSP_EINPUT, "the data have no numeric target: give data with the target of the model");
    const double *target = a.data;
    char first[HSP_VIEW_LINE] = "", second[HSP_VIEW_LINE] = "";
    describe_line(s, target, first);
    describe_prediction(s, second);
    hsp_area left = hsp_sheet_head(c, hsp_chart_title(in, s->regions ? "Regression curve" : "Regression line"), first, second);
    hsp_panel p = {.x_name = hsp_caption_axis(s, 0), .y_name = "target"};
    p.x_range = hsp_range_of(s->x, s->n, HSP_SPREAD_PADDED);
    if (s->regions) hsp_curved_range(s, "u_range", &p.x_range);
    p.y_range = hsp_range_join(hsp_range_of(target, s->n, HSP_SPREAD_PADDED), hsp_range_of(s->g, s->n, HSP_SPREAD_PADDED));
    hsp_panel_lay_out(&p, c, left);
    hsp_canvas_clip(c, p.frame);
    int status = draw_points(c, &p, s, target);
    hsp_canvas_unclip(c);
    if (status == HSP_OK) status = draw_prediction(s, &p, c, err);
    hsp_panel_axes(&p, c);
    return status;
}
