/* The chart `losses`: the losses against the margin, with the subgradients at their kinks, and their slopes. */
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

enum { MOST_LOSSES = 16 };
enum { KINK_MARGIN, KINK_VALUE, KINK_LEFT, KINK_RIGHT, KINK_LOSS, KINK_ARRAYS };

typedef struct losses {
    int64_t n, count, kinks;
    const double *margin, *value, *slope;
    const double *kink[KINK_ARRAYS];
    const char *name[MOST_LOSSES];
} losses;

static int take_losses(const hsp_report *s, losses *l, hsp_error **err) {
    int status = HSP_CHART_ARRAYS(s, err, {"margin", &l->margin, &l->n}, {"value", &l->value, &l->count},
                                  {"slope", &l->slope, NULL}, {"kink_margin", &l->kink[KINK_MARGIN], &l->kinks},
                                  {"kink_value", &l->kink[KINK_VALUE], NULL}, {"kink_left", &l->kink[KINK_LEFT], NULL},
                                  {"kink_right", &l->kink[KINK_RIGHT], NULL}, {"kink_loss", &l->kink[KINK_LOSS], NULL});
    if (status != HSP_OK) return status;
    if (l->count > MOST_LOSSES) l->count = MOST_LOSSES;
    for (int64_t k = 0; k < l->count; k++) l->name[k] = hsp_report_text_at(s, "losses", k);
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

/* ---- names, each where it is farthest from all other curves ---- */

enum { STRIDE = 5 }; /* only every fifth point of a curve is tried, and kept clear of */

static const double near = 7, enough = 46; /* from its own curve; from others, where farther is no better */

static double distance_to(hsp_area box, hsp_place2 p) {
    double dx = fmax(fmax(box.x - p.x, p.x - box.x - box.w), 0), dy = fmax(fmax(box.y - p.y, p.y - box.y - box.h), 0);
    return hypot(dx, dy);
}

static double distance_between(hsp_area a, hsp_area b) {
    double dx = fmax(fmax(a.x - b.x - b.w, b.x - a.x - a.w), 0), dy = fmax(fmax(a.y - b.y - b.h, b.y - a.y - a.h), 0);
    return hypot(dx, dy);
}

static bool fits_within(hsp_area box, hsp_area f) {
    return box.x >= f.x + 4 && box.y >= f.y + 2 && box.x + box.w <= f.x + f.w - 4 && box.y + box.h <= f.y + f.h - 4;
}

/* How good a place for a name is: the distance to the nearest of the other curves and names; negative: it touches its own. */
static double rate_box(const hsp_panel *p, const hsp_curve *curve, int64_t n, int64_t own, hsp_area box,
                       const hsp_area *taken) {
    double least = enough;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < curve[k].n; i += STRIDE) {
            if (!isfinite(curve[k].y[i])) continue;
            double far = distance_to(box, hsp_panel_place(p, curve[k].x[i], curve[k].y[i]));
            if (k == own && far < near - 2) return -1;
            if (k != own) least = fmin(least, far);
        }
    for (int64_t k = 0; k < own; k++) least = fmin(least, distance_between(box, taken[k]) - 4);
    return least;
}

static void name_curves(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int64_t n) {
    hsp_area taken[MOST_LOSSES];
    for (int64_t k = 0; k < n; k++) {
        const hsp_font font = {hsp_canvas_style(c)->small, 600, curve[k].pen.colour};
        double width = hsp_canvas_measure(c, curve[k].name, &font, 160), height = 1.1 * font.size, best = 0;
        taken[k] = (hsp_area){-1e6, -1e6, 0, 0};
        for (int64_t i = 0; i < curve[k].n; i += STRIDE) {
            hsp_place2 at = hsp_panel_place(p, curve[k].x[i], curve[k].y[i]);
            for (int side = 0; side < 4; side++) {
                /* The box of the name on side `side` of a point: above left, above right, below left, below right. */
                double x = side % 2 == 0 ? at.x - width - near : at.x + near,
                       y = side < 2 ? at.y - height - near : at.y + near;
                hsp_area box = {x, y, width, height};
                double good = fits_within(box, p->frame) ? rate_box(p, curve, n, k, box, taken) : -1;
                if (good <= best) continue;
                best = good;
                taken[k] = box;
            }
        }
        if (best > 0)
            hsp_canvas_text(c, curve[k].name, &font, (hsp_place2){taken[k].x, taken[k].y + 0.82 * height}, HSP_ALIGN_LEFT,
                            160);
    }
}

static int draw_losses(hsp_canvas *c, const losses *l, hsp_area outer) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_curve curve[MOST_LOSSES];
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
    name_curves(&p, c, curve, l->count);
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
    hsp_panel p = {.title = "Slope (bar: subgradients)",
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
    hsp_area left =
        hsp_sheet_head(c, hsp_chart_title(in, "Loss functions"),
                       "loss of a row with margin m = y g; the row is classified correctly if m > 0",
                       "a fan of lines marks a kink: each line lies below the loss, and its slope is a subgradient");
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
    .help = "loss functions against the margin, with slopes and subgradients",
    .takes = "",
    .study = "losses",
    .draw = draw,
};
