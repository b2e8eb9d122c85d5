/* The chart `calibration`: predicted probabilities against observed frequencies, in bins of equal mass with their intervals;
 * below that a histogram of the predictions. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/key.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMED = 8, WHISKERS = 3, BARS = 3 };

typedef struct calibrated {
    const char *name;
    const double *predicted, *observed, *low, *high; /* n each, of the study */
    const double *bars;                              /* of the histogram, of the study */
    int64_t n, number;                               /* number: of the class or model, for its colour */
    double ece;
    char figure[HSP_NUMERAL];
} calibrated;

typedef struct calibration_drawing {
    const hsp_chart_input *in;
    calibrated *curve; /* owned */
    int64_t curves, named;
    const double *edges; /* of the study */
    int64_t bars;
    double *all; /* owned: the bars of all curves together */
} calibration_drawing;

/* Adds curve c of a study. */
static int take_curve(calibration_drawing *d, const hsp_report *s, int64_t c, const char *name, hsp_error **err) {
    const double *begin, *ece;
    calibrated *k = &d->curve[d->curves];
    int status = HSP_CHART_ARRAYS(s, err, {"begin", &begin, NULL}, {"predicted", &k->predicted, NULL},
                                  {"observed", &k->observed, NULL}, {"low", &k->low, NULL}, {"high", &k->high, NULL},
                                  {"ece", &ece, NULL}, {"histogram", &k->bars, NULL}, {"edges", &d->edges, &d->bars});
    if (status != HSP_OK) return status;
    d->bars--; /* one less than edges */
    int64_t from = (int64_t)begin[c];
    k->name = name;
    k->predicted += from;
    k->observed += from;
    k->low += from;
    k->high += from;
    k->bars += c * d->bars;
    k->n = (int64_t)begin[c + 1] - from;
    k->number = d->curves++;
    k->ece = ece[c];
    return HSP_OK;
}

static int worst_first(const void *a, const void *b) {
    const calibrated *p = a, *q = b;
    if (p->ece != q->ece) return p->ece > q->ece ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

/* Several models have one curve each, of the same class. */
static int check_models(const hsp_chart_input *in, hsp_error **err) {
    for (int64_t i = 0; i < in->models; i++)
        if (hsp_model_outputs(in->model[i]) > 1)
            return hsp_fail(
                err, HSP_EUSAGE,
                "several models can be drawn only for two classes, and '%.60s' has %lld: draw one model at a time",
                in->name[i], (long long)hsp_model_classes(in->model[i]));
    return hsp_chart_check_positive(in, err);
}

static int collect_calibrations(calibration_drawing *d, hsp_error **err) {
    const hsp_chart_input *in = d->in;
    int64_t curves = in->models;
    const double *ece;
    int status = in->models > 1 ? check_models(in, err) : HSP_CHART_ARRAYS(in->study[0], err, {"ece", &ece, &curves});
    if (status != HSP_OK) return status;
    d->curve = hsp_alloc_zero(curves, sizeof *d->curve);
    if (!d->curve) return HSP_EMEMORY;
    for (int64_t i = 0; i < curves && status == HSP_OK; i++) {
        if (in->models > 1)
            status = take_curve(d, in->study[i], 0, in->name[i], err);
        else
            status = take_curve(d, in->study[0], i, hsp_report_text_at(in->study[0], "classes", i), err);
    }
    if (status != HSP_OK) return status;
    d->all = hsp_alloc_zero(d->bars, sizeof *d->all);
    if (!d->all) return HSP_EMEMORY;
    for (int64_t i = 0; i < d->curves; i++)
        for (int64_t b = 0; b < d->bars; b++) d->all[b] += d->curve[i].bars[b];
    d->named = d->curves < NAMED ? d->curves : NAMED;
    if (d->curves > NAMED) {
        qsort(d->curve, (size_t)d->curves, sizeof *d->curve, worst_first);
        for (int64_t i = 0; i < d->curves; i++) d->curve[i].number = i;
    }
    for (int64_t i = 0; i < d->named; i++) hsp_sentence_area(d->curve[i].ece, d->curve[i].figure);
    return HSP_OK;
}

/* ---- words ---- */

static void describe_calibration(const calibration_drawing *d, char *first, char *second) {
    const hsp_model *m = d->in->model[0];
    char brier[HSP_NUMERAL], positive[HSP_SHORT];
    hsp_sentence_area(hsp_report_number(d->in->study[0], "brier"), brier);
    hsp_sentence_rows(d->in, d->in->study[0], second);
    if (hsp_model_outputs(m) > 1) {
        snprintf(first, HSP_SENTENCE, "observed frequency of each class against its predicted probability; Brier score %s",
                 brier);
        return;
    }
    hsp_sentence_name(hsp_model_class_name(m, hsp_model_positive(m)), positive);
    if (d->in->models > 1)
        snprintf(first, HSP_SENTENCE, "observed frequency of %s against its predicted probability, %lld models", positive,
                 (long long)d->in->models);
    else
        snprintf(first, HSP_SENTENCE, "observed frequency of %s against its predicted probability; Brier score %s",
                 positive, brier);
}

/* ---- drawing ---- */

static void draw_whiskers(const calibrated *k, const hsp_panel *p, hsp_canvas *c, hsp_colour colour) {
    for (int64_t i = 0; i < k->n; i++) {
        hsp_place2 line[] = {hsp_panel_place(p, k->predicted[i], k->low[i]),
                             hsp_panel_place(p, k->predicted[i], k->high[i])};
        hsp_canvas_line(c, line, 2, &(hsp_pen){colour, 1.4, 0, 0.55});
    }
}

static int draw_curves(const calibration_drawing *d, const hsp_panel *p, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    hsp_place2 diagonal[] = {hsp_panel_place(p, 0, 0), hsp_panel_place(p, 1, 1)};
    hsp_canvas_line(c, diagonal, 2, &(hsp_pen){s->rule, 1.2, 5, 1});
    int status = HSP_OK;
    for (int64_t i = d->named - 1; i >= 0 && status == HSP_OK; i--) {
        const calibrated *k = &d->curve[i];
        hsp_colour colour = hsp_style_class_colour(s, k->number);
        if (d->curves <= WHISKERS) draw_whiskers(k, p, c, colour);
        hsp_curve line = {.n = k->n, .x = k->predicted, .y = k->observed, .pen = {colour, 2.2, 0, 1}, .dots = true};
        status = hsp_curve_draw(p, c, &line);
    }
    return status;
}

static int draw_bars(const calibration_drawing *d, hsp_canvas *c, hsp_area f) {
    const hsp_style *s = hsp_canvas_style(c);
    bool apart = d->curves <= BARS;
    hsp_range range = hsp_range_of(d->all, apart ? 0 : d->bars, HSP_SPREAD_ZERO);
    for (int64_t i = 0; i < d->curves && apart; i++)
        range = hsp_range_join(range, hsp_range_of(d->curve[i].bars, d->bars, HSP_SPREAD_ZERO));
    const double right = 20; /* half a label */
    hsp_panel p = {.x_name = "predicted probability",
                   .x_range = {0, 1, HSP_SPREAD_EXACT},
                   .y_range = range,
                   .no_y_ticks = true,
                   .right = right};
    hsp_panel_lay_out(&p, c, (hsp_area){f.x, f.y, f.w + right, f.h});
    int status = HSP_OK;
    for (int64_t i = 0; i < d->curves && apart && status == HSP_OK; i++)
        status = hsp_curve_bars(&p, c, d->edges, d->curve[i].bars, d->bars, hsp_style_class_colour(s, d->curve[i].number),
                                d->curves == 1 ? 0.35 : 0.2);
    if (!apart) status = hsp_curve_bars(&p, c, d->edges, d->all, d->bars, s->quiet, 0.3);
    hsp_panel_axes(&p, c);
    return status;
}

static int draw_sheet(const calibration_drawing *d, hsp_canvas *c) {
    const hsp_style *s = hsp_canvas_style(c);
    char first[HSP_SENTENCE], second[HSP_SHORT], more[64];
    hsp_key_line line[NAMED + 1];
    describe_calibration(d, first, second);
    for (int64_t i = 0; i < d->named; i++)
        line[i] = (hsp_key_line){
            d->curve[i].name, d->curve[i].figure, {hsp_style_class_colour(s, d->curve[i].number), 2.6, 0, 1}};
    line[d->named] = (hsp_key_line){"perfect calibration", NULL, {s->rule, 1.2, 5, 1}};
    snprintf(more, sizeof more, "the %lld others, none worse, are not shown", (long long)(d->curves - d->named));
    hsp_area f = hsp_sheet_head(c, hsp_chart_title(d->in, "Calibration"), first, second);
    hsp_key key = {.head = d->in->models > 1 ? "model" : "class",
                   .figure_head = "mean error",
                   .line = line,
                   .lines = d->named + 1,
                   .note = d->curves <= WHISKERS ? "dots: bins of equally many rows, 95 % intervals"
                                                 : "dots: bins of equally many rows",
                   .note2 = d->curves > d->named ? more : "below: number of rows with each probability"};
    bool aside = s->aside != NULL;                     /* the page writes the key */
    bool narrow = aside || f.w < 320, low = f.h < 200; /* without the key; without the bars */
    double beside = narrow ? 0 : fmin(0.42 * f.w, fmax(hsp_key_width(&key, c, 0.42 * f.w), 200));
    double gap = aside ? 0 : 0.04 * f.w;
    double strip = low ? 0 : fmax(70, 0.27 * f.h);
    hsp_panel p = {.x_name = low ? "predicted probability" : NULL,
                   .y_name = "observed frequency",
                   .x_range = {0, 1, HSP_SPREAD_EXACT},
                   .y_range = {0, 1, HSP_SPREAD_EXACT},
                   .grid = true,
                   .right = 20};
    hsp_panel_lay_out(&p, c, (hsp_area){f.x, f.y, f.w - beside - gap, f.h - strip});
    hsp_panel_axes(&p, c);
    int status = draw_curves(d, &p, c);
    if (status == HSP_OK && !low)
        status = draw_bars(d, c, (hsp_area){p.frame.x, f.y + f.h - strip + 4, p.frame.w, strip - 4});
    if (low && d->curves <= d->named) key.note2 = NULL;
    if (!narrow || aside)
        hsp_key_draw(&key, c, (hsp_area){p.frame.x + p.frame.w + gap, p.frame.y, beside, f.y + f.h - p.frame.y});
    return status;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    calibration_drawing d = {.in = in};
    int status = collect_calibrations(&d, err);
    if (status == HSP_OK) status = draw_sheet(&d, c);
    HSP_FREE(d.curve, d.all);
    return status;
}

const hsp_chart hsp_chart_calibration = {
    .name = "calibration",
    .help = "calibration: predicted probabilities against observed frequencies",
    .takes = "MODEL... DATA",
    .study = "calibration",
    .uses = "--bins",
    .draw = draw,
};
