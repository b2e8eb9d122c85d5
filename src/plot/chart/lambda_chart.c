/* The chart `lambda`: how the boundary, or the largest weights, depend on lambda; beside that the errors. */
#include "plot/chart/lambda_view.h"
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/error_curves.h"
#include "plot/part/lambda_axis.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CURVES = 12 };

hsp_colour hsp_lambda_colour(const hsp_lambda_view *v, const hsp_style *s, int64_t k) {
    return hsp_style_ordered(s, v->chosen_count > 1 ? (double)k / (double)(v->chosen_count - 1) : 0.5);
}

static int take_sweep(const hsp_chart_input *in, hsp_lambda_view *v, hsp_error **err) {
    const hsp_report *s = in->study[0];
    *v = (hsp_lambda_view){.s = s,
                           .outputs = (int64_t)hsp_report_number(s, "outputs"),
                           .best = (int64_t)hsp_report_number(s, "best"),
                           .squared = hsp_report_number(s, "squared") > 0};
    const char *scaling = hsp_report_text_at(s, "scaling", 0);
    v->scaled = scaling && strcmp(scaling, "none") != 0;
    return HSP_CHART_ARRAYS(s, err, {"lambda", &v->lambda, &v->L}, {"train_error", &v->train, NULL},
                            {"test_error", &v->test, NULL}, {"weights", &v->weights, NULL},
                            {"intercepts", &v->intercepts, NULL}, {"scale", &v->scale, &v->F});
}

void hsp_lambda_title(hsp_canvas *c, hsp_area f, double x, const char *title) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_canvas_text(c, title, &(hsp_font){s->text, 600, s->ink}, (hsp_place2){x, f.y + 0.8 * s->text}, HSP_ALIGN_LEFT,
                    f.x + f.w - x);
}

/* ---- errors ---- */

static void draw_chosen(const hsp_lambda_view *v, const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    for (int64_t k = 0; k < v->chosen_count; k++) {
        int64_t i = v->chosen[k];
        double y = hsp_errors_factor(v->squared) * v->test[i];
        hsp_place2 at = hsp_panel_place(p, hsp_lambda_axis_at(p, v->lambda[i]), y);
        hsp_mark mark = {HSP_MARKER_CIRCLE, 5, hsp_lambda_colour(v, s, k), 1, s->paper, 1.2};
        hsp_canvas_marks(c, &at, 1, &mark);
    }
}

/* values: scratch of 3 L numbers. */
static int draw_errors(const hsp_lambda_view *v, hsp_canvas *c, hsp_area f, double *values) {
    static const char *const names[] = {"training", "test"};
    const hsp_style *s = hsp_canvas_style(c);
    double *x = values, *y[] = {values + v->L, values + 2 * v->L};
    hsp_curve curve[2];
    char best[HSP_NUMERAL], words[2 * HSP_NUMERAL];
    for (int64_t i = 0; i < v->L; i++) {
        x[i] = v->lambda[v->L - 1 - i];
        y[0][i] = hsp_errors_factor(v->squared) * v->train[v->L - 1 - i];
        y[1][i] = hsp_errors_factor(v->squared) * v->test[v->L - 1 - i];
    }
    for (int a = 0; a < 2; a++) {
        hsp_pen pen = {hsp_style_class_colour(s, a), 2.4, 0, 1};
        curve[a] = (hsp_curve){v->L, x, y[a], names[a], pen, false, false};
    }
    hsp_panel p = {.y_name = hsp_errors_name(v->squared), .grid = true, .right = hsp_curve_names_width(c, curve, 2, 120)};
    p.y_range = hsp_errors_range(values + v->L, 2 * v->L, v->squared);
    hsp_lambda_axis_set(&p, v->lambda, v->L);
    hsp_panel_lay_out(&p, c, (hsp_area){f.x, f.y + v->above, f.w, f.h - v->above});
    hsp_lambda_axis_draw(&p, c);
    hsp_lambda_axis_places(&p, x, v->L, x);
    int status = hsp_errors_curves(&p, c, curve, 2, v->L <= 60);
    draw_chosen(v, &p, c);
    snprintf(words, sizeof words, "lowest at \xCE\xBB = %s", hsp_numeral_round(v->lambda[v->best], 2, best));
    hsp_lambda_axis_mark(&p, c, v->lambda[v->best], hsp_errors_factor(v->squared) * v->test[v->best], words);
    hsp_lambda_title(c, f, p.frame.x, "Errors");
    return status;
}

/* ---- weights ---- */

typedef struct strand {
    int64_t output, feature;
    double size; /* the largest over all lambdas */
} strand;

static double weight_at(const hsp_lambda_view *v, int64_t i, int64_t output, int64_t feature) {
    return v->scale[feature] * v->weights[(i * v->outputs + output) * v->F + feature];
}

static int by_size(const void *a, const void *b) {
    const strand *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return p->output != q->output ? (p->output > q->output) - (p->output < q->output)
                                  : (p->feature > q->feature) - (p->feature < q->feature);
}

/* Sorts the weights of all outputs by their largest size; returns how many of them are to be drawn. */
static int64_t rank_strands(const hsp_lambda_view *v, strand *all) {
    int64_t n = v->outputs * v->F, count = 0;
    for (int64_t e = 0; e < n; e++) {
        all[e] = (strand){e / v->F, e % v->F, 0};
        for (int64_t i = 0; i < v->L; i++) all[e].size = fmax(all[e].size, fabs(weight_at(v, i, e / v->F, e % v->F)));
    }
    qsort(all, (size_t)n, sizeof *all, by_size);
    while (count < n && count < MOST_CURVES && all[count].size > 0) count++;
    return count;
}

static void name_strand(const hsp_lambda_view *v, const strand *t, char *out) {
    const char *feature = hsp_report_text_at(v->s, "features", t->feature),
               *class = hsp_report_text_at(v->s, "classes", t->output);
    char short_feature[HSP_SHORT], short_class[HSP_SHORT];
    bool many = v->outputs > 1;
    int taken = hsp_sentence_cut(feature ? feature : "", many ? 10 : 30, short_feature);
    hsp_sentence_cut(class ? class : "", taken < 10 ? 22 - taken : 12, short_class);
    if (many) /* the mark U+200E makes the whole read from left to right, like the arrow */
        snprintf(out, (size_t)2 * HSP_SHORT, "\xE2\x80\x8E%.150s \xE2\x86\x92 %.150s", short_feature, short_class);
    else
        snprintf(out, (size_t)2 * HSP_SHORT, "%s", short_feature);
}

static int draw_strands(const hsp_lambda_view *v, hsp_canvas *c, hsp_panel *p, const strand *t, hsp_tag *tag, int64_t n) {
    const hsp_style *s = hsp_canvas_style(c);
    double *x = hsp_alloc_zero(2 * v->L, sizeof *x), *y = x ? x + v->L : NULL;
    int status = x ? HSP_OK : HSP_EMEMORY;
    hsp_area f = p->frame;
    double zero = hsp_panel_y(p, 0), end = hsp_panel_x(p, hsp_lambda_axis_at(p, v->lambda[0]));
    hsp_place2 line[2] = {{f.x, zero}, {f.x + f.w, zero}};
    hsp_canvas_line(c, line, 2, &(hsp_pen){s->rule, 1, 0, 1});
    for (int64_t k = n - 1; !status && k >= 0; k--) {
        for (int64_t i = 0; i < v->L; i++) {
            x[i] = hsp_lambda_axis_at(p, v->lambda[v->L - 1 - i]);
            y[i] = weight_at(v, v->L - 1 - i, t[k].output, t[k].feature);
        }
        hsp_pen pen = {hsp_style_class_colour(s, k), 1.8, 0, 1};
        hsp_curve curve = {.n = v->L, .x = x, .y = y, .pen = pen, .dots = v->L <= HSP_LAMBDA_FEW};
        status = hsp_curve_draw(p, c, &curve);
        tag[k].y = fmin(fmax(hsp_panel_y(p, y[v->L - 1]), f.y), f.y + f.h);
        tag[k].colour = hsp_style_mix(curve.pen.colour, s->ink, 0.25);
        tag[k].weight = fabs(y[v->L - 1]);
    }
    if (!status && hsp_tags_draw(c, tag, n, end + 3, f.x + f.w + 14, f.y - 4, f.y + f.h + 4, p->right - 14) < 0)
        status = HSP_EMEMORY;
    hsp_free(x);
    return status;
}

static int draw_weights(const hsp_lambda_view *v, hsp_canvas *c, hsp_area f, strand *all) {
    char name[MOST_CURVES][2 * HSP_SHORT];
    hsp_tag tag[MOST_CURVES] = {0};
    int64_t n = rank_strands(v, all);
    hsp_panel p = {.y_name = v->scaled ? "weight of the scaled feature" : "weight", .grid = true};
    p.y_range = (hsp_range){0, 0, HSP_SPREAD_PADDED};
    for (int64_t k = 0; k < n; k++) {
        name_strand(v, &all[k], name[k]);
        tag[k].text = name[k];
        for (int64_t i = 0; i < v->L; i++) {
            double w = weight_at(v, i, all[k].output, all[k].feature);
            p.y_range = hsp_range_join(p.y_range, (hsp_range){w, w, HSP_SPREAD_PADDED});
        }
    }
    p.right = fmax(30, hsp_tags_width(c, tag, n, 0.36 * f.w));
    hsp_lambda_axis_set(&p, v->lambda, v->L);
    hsp_panel_lay_out(&p, c, (hsp_area){f.x, f.y + v->above, f.w, f.h - v->above});
    hsp_lambda_axis_draw(&p, c);
    hsp_lambda_title(c, f, p.frame.x, n < v->outputs * v->F ? "Largest weights" : "Weights");
    return draw_strands(v, c, &p, all, tag, n);
}

/* ---- the sheet ---- */

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_lambda_view v;
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    int rows, columns, status = take_sweep(in, &v, err);
    if (status) return status;
    char train[HSP_NUMERAL], test[HSP_NUMERAL], best[HSP_NUMERAL];
    double tested = hsp_report_number(v.s, "test_rows");
    hsp_sentence_subject(in, v.s, first);
    hsp_sentence_format(first, ", trained on %s rows, tested on %s other%s",
                        hsp_sentence_count(hsp_report_number(v.s, "train_rows"), train), hsp_sentence_count(tested, test),
                        tested == 1 ? "" : "s");
    snprintf(second, HSP_SENTENCE, "lowest test error %s at \xCE\xBB = %s, where the training error is %s",
             hsp_errors_write(v.test[v.best], v.squared, test), hsp_numeral_round(v.lambda[v.best], 2, best),
             hsp_errors_write(v.train[v.best], v.squared, train));
    /* With two features the points and boundaries are drawn. */
    bool line = v.squared && v.F == 1 && v.outputs == 1 && hsp_report_number(v.s, "all_features") == 1 &&
                hsp_data_features(in->data) == 1;
    bool plane = !v.squared && v.F == 2 && hsp_report_number(v.s, "all_features") == 2 && hsp_data_features(in->data) == 2;
    hsp_area f = hsp_sheet_head(
        c, hsp_chart_title(in, plane  ? "Decision boundary against \xCE\xBB"
                              : line ? "Regression line against \xCE\xBB"
                                     : "Weights and errors against \xCE\xBB"),
        first, second);
    v.above = 1.5 * s->text + (plane ? 3 : 1.5) * s->small;
    hsp_sheet_grid(f, 2, 1, &rows, &columns);
    hsp_area left = hsp_sheet_cell(f, rows, columns, 32, 0), right = hsp_sheet_cell(f, rows, columns, 32, 1);
    bool small = left.w < 220 || left.h < 160; /* a sheet with space for one panel */
    if (small) right = f;
    strand *all = hsp_alloc_zero(v.outputs * v.F, sizeof *all);
    double *values = hsp_alloc_zero(3 * v.L, sizeof *values);
    if (!all || !values) status = HSP_EMEMORY;
    if (!status && !small)
        status = plane  ? hsp_lambda_boundaries(in, c, left, &v, err)
                 : line ? hsp_lambda_lines(in, c, left, &v, err)
                        : draw_weights(&v, c, left, all);
    if (!status) status = draw_errors(&v, c, right, values);
    HSP_FREE(all, values);
    return status;
}

const hsp_chart hsp_chart_lambda = {
    .name = "lambda",
    .help = "boundary or weights, and training and test error, against lambda",
    .takes = "DATA",
    .study = "lambda",
    .uses = "table train run split --lambdas",
    .draw = draw,
};
