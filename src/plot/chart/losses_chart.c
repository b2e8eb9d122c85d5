/* The chart `losses`: the losses against the margin, with the subgradients at their kinks, and their slopes. */
#include "plot/chart/losses_names.h"
#include "plot/draw/canvas.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <string.h>

static const double highest = 4, steepest = -3, flattest = 1;

enum { KINK_MARGIN, KINK_VALUE, KINK_LEFT, KINK_RIGHT, KINK_LOSS, KINK_ARRAYS };

typedef struct losses {
    int64_t n, count, kinks;
    const double *margin, *value, *slope;
    const double *kink[KINK_ARRAYS];
    const char *name[HSP_CURVE_NAMES];
} losses;

static int take_losses(const hsp_study *s, losses *l, hsp_error **err) {
    int status = HSP_CHART_ARRAYS(s, err, {"margin", &l->margin, &l->n}, {"value", &l->value, &l->count},
                                  {"slope", &l->slope, NULL}, {"kink_margin", &l->kink[KINK_MARGIN], &l->kinks},
                                  {"kink_value", &l->kink[KINK_VALUE], NULL}, {"kink_left", &l->kink[KINK_LEFT], NULL},
                                  {"kink_right", &l->kink[KINK_RIGHT], NULL}, {"kink_loss", &l->kink[KINK_LOSS], NULL});
    if (status != HSP_OK) return status;
    if (l->count > HSP_CURVE_NAMES) l->count = HSP_CURVE_NAMES;
    for (int64_t k = 0; k < l->count; k++) l->name[k] = hsp_study_text(s, "losses", k);
    return HSP_OK;
}

/* The error rate, for which the others are surrogates, is grey and dashed. */
static bool is_error(const losses *l, int64_t k) {
    return l->name[k] && strcmp(l->name[k], "zero-one") == 0;
}

static hsp_pen pen_of(const losses *l, const hsp_style *s, int64_t k) {
    static const int64_t order[] = {0, 1, 2, 3, 5, 7, 4, 6};
    if (is_error(l, k)) return (hsp_pen){s->quiet, 2, 5, 1};
    int64_t place = k;
    for (int64_t i = 0; i < k; i++) place -= is_error(l, i);
    return (hsp_pen){hsp_style_class_colour(s, order[place % 8] + place / 8 * 8), 2.2, 0, 1};
}

/* ---- the losses ---- */

/* Lines that touch the loss from below at a kink, with slopes between those of its two sides. */
static void draw_fan(const hsp_panel *p, hsp_canvas *c, const losses *l, int64_t i) {
    enum { LINES = 5 };
    const double reach = 62;
    double m = l->kink[KINK_MARGIN][i], v = l->kink[KINK_VALUE][i], left = l->kink[KINK_LEFT][i],
           right = l->kink[KINK_RIGHT][i];
    hsp_pen pen = pen_of(l, hsp_canvas_style(c), (int64_t)l->kink[KINK_LOSS][i]);
    hsp_place2 at = hsp_panel_place(p, m, v), unit = hsp_panel_place(p, m + 1, v + 1);
    const hsp_pen thin = {pen.colour, 1, 0, 0.75};
    for (int k = 1; k < LINES; k++) {
        double slope = left + (right - left) * k / LINES, dx = unit.x - at.x, dy = (unit.y - at.y) * slope;
        double scale = reach / hypot(dx, dy);
        const hsp_place2 line[] = {{at.x - dx * scale, at.y - dy * scale}, {at.x + dx * scale, at.y + dy * scale}};
        hsp_canvas_line(c, line, 2, &thin);
    }
    const hsp_mark dot = {.marker = HSP_MARKER_CIRCLE,
                          .radius = 4.5,
                          .fill = pen.colour,
                          .alpha = 1,
                          .edge_colour = hsp_canvas_style(c)->paper,
                          .edge = 1.4};
    hsp_canvas_marks(c, &at, 1, &dot);
}

static hsp_curve curve_of(const losses *l, const hsp_style *s, int64_t k, const double *y) {
    return (hsp_curve){
        .n = l->n, .x = l->margin, .y = y + k * l->n, .name = l->name[k], .pen = pen_of(l, s, k), .steps = is_error(l, k)};
}

static int draw_losses(hsp_canvas *c, const losses *l, hsp_area outer) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_curve curve[HSP_CURVE_NAMES];
    /* From a little below 0, where the fans are. */
    hsp_panel p = {.title = "Loss",
                   .x_name = "margin m = y g",
                   .x_range = {l->margin[0], l->margin[l->n - 1], HSP_SPREAD_EXACT},
                   .y_range = {-0.45, highest, HSP_SPREAD_EXACT},
                   .grid = true};
    hsp_panel_lay_out(&p, c, outer);
    hsp_panel_axes(&p, c);
    for (int64_t k = 0; k < l->count; k++) curve[k] = curve_of(l, s, k, l->value);
    for (int64_t k = 0; k < l->count; k++)
        if (hsp_curve_draw(&p, c, &curve[k])) return HSP_EMEMORY;
    hsp_canvas_clip(c, p.frame);
    for (int64_t i = 0; i < l->kinks; i++) draw_fan(&p, c, l, i);
    hsp_canvas_unclip(c);
    hsp_curve_names_within(&p, c, curve, l->count);
    return HSP_OK;
}

/* ---- the slopes ---- */

/* The slopes of loss k, broken where it has a kink. */
static void break_at_kinks(const losses *l, int64_t k, double *y) {
    memcpy(y, l->slope + k * l->n, (size_t)l->n * sizeof *y);
    for (int64_t i = 0; i < l->kinks; i++) {
        if ((int64_t)l->kink[KINK_LOSS][i] != k) continue;
        for (int64_t j = 0; j < l->n; j++)
            if (fabs(l->margin[j] - l->kink[KINK_MARGIN][i]) < 1e-9) y[j] = NAN;
    }
}

static int draw_slopes(hsp_canvas *c, const losses *l, hsp_area outer) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_panel p = {.title = "Slope: at a kink, all of the bar",
                   .x_name = "margin m = y g",
                   .x_range = {l->margin[0], l->margin[l->n - 1], HSP_SPREAD_EXACT},
                   .y_range = {steepest, flattest, HSP_SPREAD_EXACT},
                   .grid = true};
    double *y = hsp_alloc_zero(l->n, sizeof *y);
    int64_t drawn = 0;
    int status = y ? HSP_OK : HSP_EMEMORY;
    hsp_panel_lay_out(&p, c, outer);
    hsp_panel_axes(&p, c);
    hsp_canvas_clip(c, p.frame);
    for (int64_t i = 0; i < l->kinks; i++) {
        hsp_pen pen = pen_of(l, hsp_canvas_style(c), (int64_t)l->kink[KINK_LOSS][i]);
        const hsp_place2 bar[] = {hsp_panel_place(&p, l->kink[KINK_MARGIN][i], l->kink[KINK_LEFT][i]),
                                  hsp_panel_place(&p, l->kink[KINK_MARGIN][i], l->kink[KINK_RIGHT][i])};
        pen.width = 7;
        hsp_canvas_line(c, bar, 2, &pen);
    }
    hsp_canvas_unclip(c);
    for (int64_t k = 0; status == HSP_OK && k < l->count; k++) {
        if (is_error(l, k)) continue;
        break_at_kinks(l, k, y);
        hsp_curve v = curve_of(l, s, k, l->slope);
        v.y = y;
        v.pen.width = fmax(2, 3.8 - 0.9 * (double)drawn++); /* of two that coincide both can be seen */
        status = hsp_curve_draw(&p, c, &v);
    }
    hsp_free(y);
    return status;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    losses l = {0};
    int status = take_losses(in->study[0], &l, err);
    if (status != HSP_OK) return status;
    hsp_area left = hsp_sheet_head(
        c, hsp_chart_title(in, "Loss functions"),
        "what a row costs: m > 0 is the right side of the boundary, and the farther from 0 the surer",
        "a fan marks a kink: every line of it touches the loss from below, so every slope between is a subgradient");
    const double gap = 34, narrow = 400;
    double wide = 0.6 * (left.w - gap), high = 0.6 * (left.h - gap);
    hsp_area losses_at = {left.x, left.y, wide, left.h};
    hsp_area slopes_at = {left.x + wide + gap, left.y, left.w - wide - gap, left.h};
    if (left.w < narrow) { /* one above the other, or the losses alone */
        bool tall = left.h > narrow;
        losses_at = (hsp_area){left.x, left.y, left.w, tall ? high : left.h};
        slopes_at = (hsp_area){left.x, left.y + high + gap, left.w, tall ? left.h - high - gap : 0};
    }
    status = draw_losses(c, &l, losses_at);
    if (status == HSP_OK && slopes_at.h > 0) status = draw_slopes(c, &l, slopes_at);
    return status;
}

const hsp_chart hsp_chart_losses = {
    .name = "losses",
    .help = "the losses against the margin, their kinks with the subgradients, and their slopes",
    .takes = "",
    .study = "losses",
    .draw = draw,
};
