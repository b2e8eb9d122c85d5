/* The chart `bias-variance`: bias, variance and errors against lambda. */
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

#include <stdio.h>
#include <string.h>

enum { ERROR, BIAS, VARIANCE, TRAIN, CURVES };

typedef struct bias_picture {
    const hsp_report *s;
    int64_t n, best;
    bool squared;
    const double *lambda, *v[CURVES]; /* of the study */
    double *x, *y[CURVES];            /* as they are drawn, lambda descending: one block, owned by x */
} bias_picture;

static int take_errors(const hsp_chart_input *in, bias_picture *p, hsp_error **err) {
    p->s = in->study[0];
    p->squared = hsp_report_number(p->s, "squared") > 0;
    int status = HSP_CHART_ARRAYS(p->s, err, {"lambda", &p->lambda, &p->n}, {"error", &p->v[ERROR], NULL},
                                  {"bias", &p->v[BIAS], NULL}, {"variance", &p->v[VARIANCE], NULL},
                                  {"train_error", &p->v[TRAIN], NULL});
    if (status != HSP_OK) return status;
    p->x = hsp_alloc_zero((CURVES + 1) * p->n, sizeof *p->x);
    if (!p->x) return HSP_EMEMORY;
    for (int a = 0; a < CURVES; a++) {
        p->y[a] = p->x + (a + 1) * p->n;
        for (int64_t i = 0; i < p->n; i++) p->y[a][i] = hsp_errors_factor(p->squared) * p->v[a][p->n - 1 - i];
    }
    for (int64_t i = 1; i < p->n; i++)
        if (p->v[ERROR][i] <= p->v[ERROR][p->best]) p->best = i;
    return HSP_OK;
}

static void describe_least_error(const hsp_chart_input *in, const bias_picture *p, char *first, char *second) {
    char B[HSP_NUMERAL], train[HSP_NUMERAL], test[HSP_NUMERAL], lambda[HSP_NUMERAL];
    char error[HSP_NUMERAL], bias[HSP_NUMERAL], variance[HSP_NUMERAL];
    double tested = hsp_report_number(p->s, "test_rows");
    hsp_sentence_subject(in, p->s, first);
    hsp_sentence_format(first, " on %s bootstrap samples of %s rows, tested on %s other%s",
                        hsp_sentence_count(hsp_report_number(p->s, "bootstraps"), B),
                        hsp_sentence_count(hsp_report_number(p->s, "train_rows"), train), hsp_sentence_count(tested, test),
                        tested == 1 ? "" : "s");
    hsp_numeral_round(p->lambda[p->best], 2, lambda);
    hsp_errors_write(p->v[ERROR][p->best], p->squared, error);
    hsp_errors_write(p->v[BIAS][p->best], p->squared, bias);
    hsp_errors_write(p->v[VARIANCE][p->best], p->squared, variance);
    if (p->squared)
        snprintf(
            second, HSP_SENTENCE,
            "lowest test error %s at \xCE\xBB = %s: bias\xC2\xB2 %s + variance %s; bias includes the noise of the target",
            error, lambda, bias, variance);
    else
        snprintf(second, HSP_SENTENCE,
                 "lowest test error %s at \xCE\xBB = %s: bias %s (error of the majority vote), variance %s (disagreement "
                 "with that vote)",
                 error, lambda, bias, variance);
}

static int draw_curves(const bias_picture *p, hsp_canvas *c, hsp_area f) {
    const hsp_style *style = hsp_canvas_style(c);
    static const int colours[] = {-1, 0, 1, -1};
    const char *const names[] = {"test error", p->squared ? "bias\xC2\xB2" : "bias", "variance", "training error"};
    hsp_curve curve[CURVES];
    char words[HSP_SENTENCE], best[HSP_NUMERAL];
    int status = HSP_OK;
    for (int a = 0; a < CURVES; a++) {
        hsp_colour colour = colours[a] >= 0 ? hsp_style_class_colour(style, colours[a])
                            : a == TRAIN    ? style->quiet
                                            : style->ink;
        hsp_pen pen = {colour, a == TRAIN ? 1.6 : 2.4, a == TRAIN ? 4 : 0, 1};
        curve[a] = (hsp_curve){p->n, p->x, p->y[a], names[a], pen, false, false};
    }
    double above = 1.4 * style->small;
    hsp_panel panel = {.y_name = p->squared ? "mean squared error" : hsp_errors_name(false),
                       .y_range = hsp_errors_range(p->y[0], CURVES * p->n, p->squared),
                       .grid = true};
    panel.right = hsp_curve_names_width(c, curve, CURVES, 200);
    hsp_lambda_axis_set(&panel, p->lambda, p->n);
    hsp_panel_lay_out(&panel, c, (hsp_area){f.x, f.y + above, f.w, f.h - above});
    hsp_lambda_axis_draw(&panel, c);
    for (int64_t i = 0; i < p->n; i++) p->x[i] = hsp_lambda_axis_at(&panel, p->lambda[p->n - 1 - i]);
    for (int a = CURVES - 1; !status && a >= 0; a--) status = hsp_curve_draw(&panel, c, &curve[a]);
    for (int a = TRAIN - 1; !status && a >= 0; a--) status = hsp_curve_dots(&panel, c, &curve[a]);
    if (!status) status = hsp_curve_name_ends(&panel, c, curve, CURVES);
    snprintf(words, sizeof words, "\xCE\xBB = %s", hsp_numeral_round(p->lambda[p->best], 2, best));
    hsp_lambda_axis_mark(&panel, c, p->lambda[p->best], p->y[ERROR][p->n - 1 - p->best], words);
    return status;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    bias_picture p = {0};
    char first[HSP_SENTENCE], second[HSP_SENTENCE];
    int status = take_errors(in, &p, err);
    if (status == HSP_OK) {
        describe_least_error(in, &p, first, second);
        status = draw_curves(&p, c, hsp_sheet_head(c, hsp_chart_title(in, "Bias and variance"), first, second));
    }
    hsp_free(p.x);
    return status;
}

const hsp_chart hsp_chart_bias_variance = {
    .name = "bias-variance",
    .help = "bias, variance and error against lambda, by bootstrap",
    .takes = "DATA",
    .study = "bias-variance",
    .uses = "table train run split --lambdas --bootstraps",
    .draw = draw,
};
