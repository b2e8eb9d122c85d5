/* The chart `path`: one curve for each feature, named at its end; lambda falls to the right. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/lambda_axis.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct path_picture {
    const hsp_report *s;
    int64_t L, F;
    const double *lambda, *weights, *scale, *nonzeros, *gap; /* of the study */
    double *x;                                               /* L; owned */
    double *y; /* F x L, owned: the weights that were penalised, those of the scaled features */
    bool scaled;
} path_picture;

static int take_paths(const hsp_chart_input *in, path_picture *p, hsp_error **err) {
    p->s = in->study[0];
    int status =
        HSP_CHART_ARRAYS(p->s, err, {"lambda", &p->lambda, &p->L}, {"weights", &p->weights, &p->F},
                         {"scale", &p->scale, NULL}, {"nonzeros", &p->nonzeros, NULL}, {"relative_gap", &p->gap, NULL});
    if (status != HSP_OK) return status;
    const char *scaling = hsp_report_text_at(p->s, "scaling", 0);
    p->scaled = scaling && strcmp(scaling, "none") != 0;
    p->x = hsp_alloc_zero(p->L, sizeof *p->x);
    p->y = hsp_alloc_zero(p->F * p->L, sizeof *p->y);
    if (!p->x || !p->y) return HSP_EMEMORY;
    for (int64_t f = 0; f < p->F; f++) {
        /* No curve where a weight stays 0: it begins and ends on the line of zeros. */
        const double *w = p->weights + f * p->L;
        for (int64_t i = 0; i < p->L; i++) {
            bool idle = w[i] == 0 && (i == 0 || w[i - 1] == 0) && (i + 1 == p->L || w[i + 1] == 0);
            p->y[f * p->L + i] = idle ? (double)NAN : p->scale[f] * w[i];
        }
    }
    return HSP_OK;
}

/* ---- words ---- */

static void describe_data(const hsp_chart_input *in, const path_picture *p, char *line) {
    char rows[HSP_SHORT], features[HSP_NUMERAL], label[HSP_SHORT];
    const char *loss = hsp_report_text_at(p->s, "loss", 0), *penalty = hsp_report_text_at(p->s, "penalty", 0);
    const char *positive = hsp_report_text_at(p->s, "positive", 0);
    double d = hsp_report_number(p->s, "all_features");
    snprintf(line, HSP_SENTENCE, "%s, %s feature%s  \xC2\xB7  %s loss, penalty %s", hsp_sentence_rows(in, p->s, rows),
             hsp_sentence_count(d, features), d == 1 ? "" : "s", loss ? loss : "", penalty ? penalty : "");
    if (positive) hsp_sentence_format(line, "  \xC2\xB7  positive weights favour %s", hsp_sentence_name(positive, label));
}

static void describe_end(const path_picture *p, char *line) {
    char some[HSP_NUMERAL], all[HSP_NUMERAL], shown[HSP_NUMERAL], worst[HSP_NUMERAL];
    double most = p->nonzeros[p->L - 1], gap = 0;
    for (int64_t i = 0; i < p->L; i++) gap = p->gap[i] <= gap ? gap : gap + (p->gap[i] - gap); /* stays NaN once it is */
    if (p->F == 0) {
        snprintf(line, HSP_SENTENCE, "no feature predicts the target: all weights are 0");
        return;
    }
    snprintf(line, HSP_SENTENCE, "at the right end %s of %s weights %s non-zero", hsp_sentence_count(most, some),
             hsp_sentence_count(hsp_report_number(p->s, "all_features"), all), most == 1 ? "is" : "are");
    if ((double)p->F < most)
        hsp_sentence_format(line, p->F == 1 ? "; the largest is drawn" : "; the %s largest are drawn",
                            hsp_sentence_count((double)p->F, shown));
    if (isfinite(gap))
        hsp_sentence_format(line, "  \xC2\xB7  every objective at most %s\xE2\x80\xAF%% above its optimum",
                            hsp_numeral_round(100 * fmax(gap, 1e-8), 1, worst));
}

/* ---- curves ---- */

/* The number of non-zero weights, above some of the lambdas. */
static void draw_counts(const path_picture *p, const hsp_panel *panel, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font small = {s->small, 400, s->quiet};
    hsp_area f = panel->frame;
    char number[HSP_NUMERAL];
    int64_t count = (int64_t)(f.w / 76);
    if (count > p->L) count = p->L;
    const char *words = "number of non-zero weights";
    if (hsp_canvas_measure(c, words, &small, 0) > f.w) words = "non-zero weights";
    hsp_canvas_text(c, words, &small, (hsp_place2){f.x, f.y - 12 - 1.4 * s->small}, HSP_ALIGN_LEFT, f.w);
    for (int64_t k = 0; k < count; k++) {
        int64_t i = count > 1 ? k * (p->L - 1) / (count - 1) : 0;
        double x = hsp_panel_x(panel, p->x[i]);
        hsp_place2 tick[2] = {{x, f.y}, {x, f.y + 5}};
        hsp_canvas_line(c, tick, 2, &(hsp_pen){s->rule, 1, 0, 1});
        hsp_canvas_text(c, hsp_sentence_count(p->nonzeros[i], number), &small, (hsp_place2){x, f.y - 6}, HSP_ALIGN_CENTRE,
                        0);
    }
}

/* Names in the colours of their curves, mixed with some ink to keep pale ones legible. */
static int draw_names(const path_picture *p, const hsp_panel *panel, hsp_canvas *c, hsp_tag *tag) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_area f = panel->frame;
    for (int64_t k = 0; k < p->F; k++) {
        double end = p->scale[k] * p->weights[k * p->L + p->L - 1];
        tag[k].y = fmin(fmax(hsp_panel_y(panel, end), f.y), f.y + f.h);
        tag[k].colour = hsp_style_mix(hsp_style_class_colour(s, k), s->ink, 0.25);
        tag[k].weight = fabs(end);
    }
    double from = hsp_panel_x(panel, p->x[p->L - 1]) + 3;
    bool drawn = hsp_tags_draw(c, tag, p->F, from, f.x + f.w + 14, f.y - 4, f.y + f.h + 4, panel->right - 14) >= 0;
    return drawn ? HSP_OK : HSP_EMEMORY;
}

static int draw_curves(const path_picture *p, hsp_canvas *c, hsp_area f, hsp_tag *tag) {
    const hsp_style *s = hsp_canvas_style(c);
    bool counted = p->nonzeros[0] != p->nonzeros[p->L - 1];
    double above = counted ? 12 + 1.9 * s->small : 0;
    hsp_range range = hsp_range_of(p->y, p->F * p->L, HSP_SPREAD_PADDED);
    hsp_panel panel = {.y_name = p->scaled ? "weight of the scaled feature" : "weight",
                       .y_range = hsp_range_join(range, (hsp_range){0, 0, HSP_SPREAD_PADDED}),
                       .grid = true,
                       .right = fmax(40, hsp_tags_width(c, tag, p->F, 200))};
    hsp_lambda_axis_set(&panel, p->lambda, p->L);
    hsp_panel_lay_out(&panel, c, (hsp_area){f.x, f.y + above, f.w, f.h - above});
    hsp_lambda_axis_draw(&panel, c);
    hsp_lambda_axis_places(&panel, p->lambda, p->L, p->x);
    double zero = hsp_panel_y(&panel, 0);
    hsp_place2 line[2] = {{panel.frame.x, zero}, {panel.frame.x + panel.frame.w, zero}};
    hsp_canvas_line(c, line, 2, &(hsp_pen){s->rule, 1, 0, 1});
    for (int64_t k = p->F - 1; k >= 0; k--) {
        hsp_curve curve = {.n = p->L,
                           .x = p->x,
                           .y = p->y + k * p->L,
                           .pen = {hsp_style_class_colour(s, k), 1.8, 0, 1},
                           .dots = p->L <= HSP_LAMBDA_FEW};
        if (hsp_curve_draw(&panel, c, &curve)) return HSP_EMEMORY;
    }
    if (counted) draw_counts(p, &panel, c);
    return draw_names(p, &panel, c, tag);
}

/* ---- cross-validation ---- */

/* The metric against lambda with its standard deviation over the folds, and the two values that it names. */
static int draw_scores(const path_picture *p, hsp_canvas *c, hsp_area f, hsp_error **err) {
    const hsp_style *s = hsp_canvas_style(c);
    const double *mean, *sd;
    int64_t L;
    int status = HSP_CHART_ARRAYS(p->s, err, {"mean", &mean, &L}, {"sd", &sd, NULL});
    double *edge = status ? NULL : hsp_alloc_zero(3 * L, sizeof *edge), *low = edge, *high = low ? low + L : NULL;
    if (!edge) return status ? status : HSP_EMEMORY;
    double above = 3.2 * s->small, *x = high + L;
    for (int64_t i = 0; i < L; i++) {
        low[i] = mean[i] - sd[i];
        high[i] = mean[i] + sd[i];
    }
    hsp_panel panel = {.y_name = hsp_report_text_at(p->s, "metric", 0),
                       .y_range = hsp_range_of(edge, 2 * L, HSP_SPREAD_PADDED),
                       .grid = true,
                       .right = 24};
    hsp_lambda_axis_set(&panel, p->lambda, L);
    hsp_panel_lay_out(&panel, c, (hsp_area){f.x, f.y + above, f.w, f.h - above});
    hsp_lambda_axis_draw(&panel, c);
    hsp_lambda_axis_places(&panel, p->lambda, L, x);
    hsp_colour colour = hsp_style_class_colour(s, 0);
    hsp_curve curve = {.n = L, .x = x, .y = mean, .pen = {colour, 1.8, 0, 1}, .dots = L <= HSP_LAMBDA_FEW};
    status =
        hsp_curve_band(&panel, c, x, low, high, L, colour, 0.18) || hsp_curve_draw(&panel, c, &curve) ? HSP_EMEMORY : 0;
    int64_t best = (int64_t)hsp_report_number(p->s, "best"), one_se = (int64_t)hsp_report_number(p->s, "one_se");
    hsp_lambda_axis_mark(&panel, c, p->lambda[one_se], mean[one_se], one_se == best ? "best, 1-SE" : "1-SE");
    if (one_se != best) hsp_lambda_axis_mark(&panel, c, p->lambda[best], mean[best], "best");
    hsp_free(edge);
    return status;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    path_picture p = {0};
    hsp_tag *tag = NULL;
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    int status = take_paths(in, &p, err);
    if (status == HSP_OK) {
        tag = hsp_alloc_zero(p.F, sizeof *tag);
        status = tag ? HSP_OK : HSP_EMEMORY;
    }
    for (int64_t k = 0; status == HSP_OK && k < p.F; k++) {
        const char *name = hsp_report_text_at(p.s, "features", k);
        tag[k].text = name ? name : "";
    }
    if (status == HSP_OK) {
        describe_data(in, &p, first);
        describe_end(&p, second);
        hsp_area f = hsp_sheet_head(c, hsp_chart_title(in, "Regularisation path"), first, second), upper = f, lower = f;
        bool folds = hsp_report_text_at(p.s, "metric", 0) != NULL;
        if (folds) {
            upper.h = 0.58 * f.h;
            lower.y += 0.63 * f.h;
            lower.h = 0.37 * f.h;
        }
        status = draw_curves(&p, c, upper, tag);
        if (status == HSP_OK && folds) status = draw_scores(&p, c, lower, err);
    }
    HSP_FREE(p.x, p.y, tag);
    return status;
}

const hsp_chart hsp_chart_path = {
    .name = "path",
    .help = "regularisation path: the weights against lambda, with the names of the largest; with --folds also the metric",
    .takes = "DATA",
    .study = "path",
    .uses = "table path --folds --metric --lambdas --algorithm --loss --delta --penalty --l1-ratio --intercept --scale "
            "--scale-all --positive --class-weight --tol --max-seconds --top",
    .draw = draw,
};
