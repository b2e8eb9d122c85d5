/* The chart `trace`: runs of training, epoch by epoch: the objective with its dual bound, the gap between them, loss, error,
 * the norm of the weights, and the mistakes of a perceptron with Novikoff's bound. */
#include "plot/draw/canvas.h"
#include "plot/draw/numeral.h"
#include "plot/draw/picture_bytes.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"
#include "plot/part/curve.h"
#include "plot/part/panel.h"
#include "plot/part/sentence.h"
#include "plot/part/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RUNS = 9, LOG_FROM = 100 };

typedef struct quantity {
    const char *title, *brief; /* brief: the title of a narrow panel */
    const char *array;
    const char *beside; /* a second array, dashed, or NULL */
    const char *dashed; /* its name */
    bool percent, zero, log;
} quantity;

/* In the order of the panels. */
enum { UPDATES, OBJECTIVE, GAP, MEAN_LOSS, ERROR, NORM, QUANTITIES };

static const quantity all[QUANTITIES] = {
    [UPDATES] = {"Mistakes", "Mistakes", "run_updates", "run_mistake_bound", "Novikoff\xE2\x80\x99s bound", false, true,
                 false},
    [OBJECTIVE] = {"Objective", "Objective", "run_objective", "run_dual_bound", "dual bound", false, false, false},
    [GAP] = {"Relative gap", "Gap", "run_relative_gap", NULL, NULL, false, false, true},
    [MEAN_LOSS] = {"Mean loss", "Loss", "run_mean_loss", NULL, NULL, false, true, false},
    [ERROR] = {"Training error in %", "Error in %", "run_error", NULL, NULL, true, true, false},
    [NORM] = {"Norm of the weights |w|", "|w|", "run_norm", NULL, NULL, false, true, false},
};

typedef struct traced_run {
    const char *name;
    const hsp_report *study;
    int64_t n;
    const double *epoch;
    double *x;                                        /* n: the epochs as they are drawn; owned */
    const double *v[QUANTITIES], *beside[QUANTITIES]; /* NULL: none */
    hsp_colour colour;
} traced_run;

typedef struct trace_picture {
    int64_t runs;
    traced_run run[MOST_RUNS];
    bool shown[QUANTITIES], dashed[QUANTITIES];
    bool log_epochs;
    double last; /* the last epoch of all runs */
} trace_picture;

/* ---- taking ---- */

static bool any_finite(const double *v, int64_t n) {
    for (int64_t i = 0; v && i < n; i++)
        if (isfinite(v[i])) return true;
    return false;
}

static int take_run(const hsp_report *s, const char *name, const hsp_style *style, int64_t i, traced_run *r,
                    hsp_error **err) {
    static const int64_t order[] = {0, 1, 2, 3, 5, 7, 4, 6, 8};
    *r = (traced_run){.name = name, .study = s, .colour = hsp_style_class_colour(style, order[i % 9])};
    int status = HSP_CHART_ARRAYS(s, err, {"run_epoch", &r->epoch, &r->n});
    for (int q = 0; status == HSP_OK && q < QUANTITIES; q++) {
        status = HSP_CHART_ARRAYS(s, err, {all[q].array, &r->v[q], NULL});
        if (status == HSP_OK && all[q].beside) status = HSP_CHART_ARRAYS(s, err, {all[q].beside, &r->beside[q], NULL});
    }
    if (status != HSP_OK) return status;
    const char *method = hsp_report_text_at(s, "methods", 0);
    if (!(method && strcmp(method, "perceptron") == 0) &&
        !any_finite(r->beside[UPDATES], r->n)) /* its updates are not mistakes */
        r->v[UPDATES] = r->beside[UPDATES] = NULL;
    r->x = hsp_alloc_zero(r->n, sizeof *r->x);
    return r->x ? HSP_OK : HSP_EMEMORY;
}

/* Without a penalty the objective is the sum of losses, a multiple of the mean loss. */
static bool proportional(const double *a, const double *b, int64_t n) {
    double factor = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(a[i]) && fabs(b[i]) > 0) factor = fmax(factor, a[i] / b[i]);
    for (int64_t i = 0; i < n; i++)
        if (isfinite(a[i]) != isfinite(b[i]) || (isfinite(a[i]) && fabs(a[i] - factor * b[i]) > 1e-9 * fabs(a[i])))
            return false;
    return true;
}

static void choose_quantities(trace_picture *p) {
    bool losses_differ = false;
    for (int64_t i = 0; i < p->runs; i++) {
        const traced_run *r = &p->run[i];
        for (int q = 0; q < QUANTITIES; q++) {
            p->shown[q] = p->shown[q] || any_finite(r->v[q], r->n);
            p->dashed[q] = p->dashed[q] || any_finite(r->beside[q], r->n);
        }
        losses_differ = losses_differ || !proportional(r->v[OBJECTIVE], r->v[MEAN_LOSS], r->n);
        p->last = fmax(p->last, r->epoch[r->n - 1]);
    }
    p->shown[OBJECTIVE] = p->shown[OBJECTIVE] && (losses_differ || p->dashed[OBJECTIVE] || !p->shown[MEAN_LOSS]);
    p->log_epochs = p->last > LOG_FROM;
    for (int64_t i = 0; i < p->runs; i++) /* a logarithmic axis cannot show epoch 0 */
        for (int64_t k = 0; k < p->run[i].n; k++) {
            double epoch = p->run[i].epoch[k];
            p->run[i].x[k] = p->log_epochs && epoch < 1 ? (double)NAN : epoch;
        }
}

/* ---- one panel ---- */

/* The lower end of the axis that shows objective and bound converge: the bound gets at most as much space below the final
 * objective as the objective takes above it. */
static double least_bound(const traced_run *r, double lo, bool log) {
    const double *v = r->v[OBJECTIVE], *bound = r->beside[OBJECTIVE];
    double end = v[r->n - 1], top = end, least = INFINITY;
    for (int64_t k = 0; k < r->n; k++) {
        if (!isfinite(r->x[k])) continue;
        if (isfinite(v[k])) top = fmax(top, v[k]);
        if (isfinite(bound[k]) && !(log && bound[k] <= 0)) least = fmin(least, bound[k]);
    }
    double floor = log ? end / top * end : end - (top - end);
    return isfinite(floor) && isfinite(least) ? fmin(lo, fmax(least, floor)) : lo;
}

/* The range of a quantity over all runs. Of a bound only the end must be in view: it may begin far below. */
static hsp_range range_of(const trace_picture *p, int q) {
    hsp_range r = {INFINITY, -INFINITY, all[q].log ? HSP_SPREAD_LOG : HSP_SPREAD_PADDED};
    bool positive = true;
    double fewest = INFINITY; /* at the end of a run */
    for (int64_t i = 0; i < p->runs; i++) {
        const traced_run *u = &p->run[i];
        if (!u->v[q]) continue;
        if (u->v[q][u->n - 1] >= 1) fewest = fmin(fewest, u->v[q][u->n - 1]);
        for (int64_t k = 0; k < u->n; k++) {
            double v = u->v[q][k];
            if (!isfinite(v) || !isfinite(u->x[k]) || (all[q].log && v <= 0)) continue;
            positive = positive && v > 0;
            r.lo = fmin(r.lo, v);
            r.hi = fmax(r.hi, v);
        }
        double end = u->beside[q] ? u->beside[q][u->n - 1] : (double)NAN;
        if (!isfinite(end)) continue;
        positive = positive && end > 0;
        r.lo = fmin(r.lo, end);
        r.hi = fmax(r.hi, end);
    }
    /* Numbers of very different size get a logarithmic axis, if all are positive. */
    if (q == UPDATES && r.hi > 50 * fewest) r = (hsp_range){1, r.hi, HSP_SPREAD_LOG};
    if (q != UPDATES && q != ERROR && positive && r.hi > 30 * r.lo) r.spread = HSP_SPREAD_LOG;
    for (int64_t i = 0; q == OBJECTIVE && i < p->runs; i++)
        r.lo = least_bound(&p->run[i], r.lo, r.spread == HSP_SPREAD_LOG);
    if (all[q].zero && r.spread == HSP_SPREAD_PADDED) r.spread = HSP_SPREAD_ZERO;
    if (all[q].percent) r.lo *= 100, r.hi *= 100;
    return r;
}

/* To the units of the panel: percent; without values that a logarithmic axis cannot show. */
static void convert_values(const double *v, int64_t n, int q, const hsp_panel *panel, double *out) {
    for (int64_t k = 0; k < n; k++) {
        out[k] = all[q].percent ? 100 * v[k] : v[k];
        if (panel->y.log && !(out[k] > 0)) out[k] = NAN;
    }
}

static int draw_curves(const trace_picture *p, int q, const hsp_panel *panel, hsp_canvas *c) {
    for (int64_t i = 0; i < p->runs; i++) {
        const traced_run *r = &p->run[i];
        if (!r->v[q]) continue;
        double *y = hsp_alloc_zero(r->n, sizeof *y);
        int status = y ? HSP_OK : HSP_EMEMORY;
        if (status == HSP_OK && p->dashed[q] && r->beside[q]) {
            const hsp_curve bound = {.n = r->n, .x = r->x, .y = y, .pen = {r->colour, 1.6, 4, 1}};
            convert_values(r->beside[q], r->n, q, panel, y);
            status = hsp_curve_draw(panel, c, &bound);
        }
        if (status == HSP_OK) {
            const hsp_curve v = {.n = r->n, .x = r->x, .y = y, .pen = {r->colour, 2, 0, 1}, .dots = r->n <= 12};
            convert_values(r->v[q], r->n, q, panel, y);
            status = hsp_curve_draw(panel, c, &v);
        }
        hsp_free(y);
        if (status != HSP_OK) return status;
    }
    return HSP_OK;
}

static int draw_panel(const trace_picture *p, int q, hsp_canvas *c, hsp_area outer, bool bottom) {
    char title[HSP_SHORT];
    const hsp_font head = {hsp_canvas_style(c)->text, 600, 0};
    snprintf(title, sizeof title, "%s%s%s", all[q].title, p->dashed[q] ? " \xC2\xB7 dashed: " : "",
             p->dashed[q] ? all[q].dashed : "");
    if (hsp_canvas_measure(c, title, &head, 0) > 0.7 * outer.w) snprintf(title, sizeof title, "%s", all[q].brief);
    hsp_panel panel = {.title = title,
                       .x_name = bottom ? "epoch" : NULL,
                       .y_range = range_of(p, q),
                       .x_whole = true,
                       .y_whole = q == UPDATES,
                       .grid = true};
    double last = fmax(p->last, 1), air = 0.015 * last;
    panel.x_range = p->log_epochs ? (hsp_range){1, last, HSP_SPREAD_LOG} : (hsp_range){-air, last + air, HSP_SPREAD_EXACT};
    hsp_panel_lay_out(&panel, c, outer);
    hsp_panel_axes(&panel, c);
    return draw_curves(p, q, &panel, c);
}

/* The grid of panels: rows, of which the upper ones may have fewer and wider panels. */
typedef struct arrangement {
    hsp_area f;
    int panels, rows;
} arrangement;

static const double between = 26, between_rows = 16;

/* The row of panel i, which is the k-th of `many` there. */
static int row_of(const arrangement *a, int i, int *k, int *many) {
    int row = 0, first = 0;
    for (;; row++) {
        *many = (a->panels - first) / (a->rows - row);
        if (i < first + *many) break;
        first += *many;
    }
    *k = i - first;
    return row;
}

static hsp_area cell_of(const arrangement *a, int i) {
    int k, many, row = row_of(a, i, &k, &many);
    return hsp_sheet_cell(hsp_sheet_cell(a->f, a->rows, 1, between_rows, row), 1, many, between, k);
}

/* Two rows if the panels are legible, else as many as it takes; panels that do not fit are left out. */
static arrangement arrange(hsp_area f, int panels, const hsp_style *s) {
    double least_w = 9 * s->text, least_h = 7 * s->text;
    int columns = (int)fmax(1, floor((f.w + between) / (least_w + between)));
    int most = (int)fmax(1, floor((f.h + between_rows) / (least_h + between_rows)));
    int rows = panels <= 2 ? 1 : 2;
    while (rows < most && (panels + rows - 1) / rows > columns) rows++;
    if (rows > most) rows = most;
    if (f.h > 2 * f.w && panels <= most) rows = panels; /* a tall sheet: one above the other; a flat one: side by side */
    if (f.w > 5 * f.h && panels <= columns) rows = 1;
    if (panels > rows * columns) panels = rows * columns;
    return (arrangement){f, panels, rows < panels ? rows : panels};
}

/* Drops the least important quantities until `keep` are left. */
static void drop_quantities(trace_picture *p, int keep) {
    static const int order[] = {NORM, MEAN_LOSS, GAP, ERROR, UPDATES, OBJECTIVE};
    int panels = 0;
    for (int q = 0; q < QUANTITIES; q++) panels += p->shown[q];
    for (int i = 0; i < QUANTITIES && panels > keep; i++) {
        panels -= p->shown[order[i]];
        p->shown[order[i]] = false;
    }
}

/* ---- words ---- */

static void describe_run(const traced_run *r, char *line) {
    char name[HSP_SHORT], count[HSP_NUMERAL];
    const double *seconds;
    hsp_sentence_format(line, "%s: ", hsp_sentence_name(r->name, name));
    for (int64_t i = 0; hsp_report_text_at(r->study, "methods", i); i++)
        hsp_sentence_format(line, "%s%s", i > 0 ? ", then " : "", hsp_report_text_at(r->study, "methods", i));
    hsp_sentence_format(line, "%s%s epoch%s", hsp_report_text_at(r->study, "methods", 0) ? ", " : "",
                        hsp_sentence_count(r->epoch[r->n - 1], count), r->epoch[r->n - 1] == 1 ? "" : "s");
    if (HSP_CHART_ARRAYS(r->study, NULL, {"run_seconds", &seconds, NULL}) || !isfinite(seconds[r->n - 1])) return;
    hsp_sentence_format(line, " in %s s", hsp_numeral_round(seconds[r->n - 1], 2, count));
}

static void describe_end(const traced_run *r, char *line) {
    double gap = r->v[GAP][r->n - 1], error = r->v[ERROR][r->n - 1];
    double bound = r->beside[UPDATES] ? r->beside[UPDATES][r->n - 1] : (double)NAN;
    char count[HSP_NUMERAL];
    if (isfinite(error))
        hsp_sentence_format(line, "final error %s %% of the rows", hsp_numeral_round(100 * error, 3, count));
    if (isfinite(gap)) {
        hsp_sentence_add(line, line[0] ? ", relative gap " : "final relative gap ");
        hsp_sentence_add_number(line, gap, 2);
    }
    if (!isfinite(bound)) return;
    hsp_sentence_add(line, line[0] ? "; " : "");
    hsp_sentence_add_number(line, r->v[UPDATES][r->n - 1], 15);
    hsp_sentence_format(line, " mistake%s, at most %s by Novikoff's bound", r->v[UPDATES][r->n - 1] == 1 ? "" : "s",
                        hsp_sentence_count(floor(bound), count));
}

static void describe_problems(const trace_picture *p, char *line) {
    double most = 0;
    char count[HSP_NUMERAL];
    for (int64_t i = 0; i < p->runs; i++) most = fmax(most, hsp_report_number(p->run[i].study, "problems"));
    if (most > 1)
        hsp_sentence_format(line, "%s%s%s problems: sum of objectives, mean of errors", line[0] ? "  \xC2\xB7  " : "",
                            p->runs == 1 ? "" : "up to ", hsp_sentence_count(most, count));
}

/* The names of several runs, each with a sample of its line, in as many rows as it takes; returns the height taken. */
static double draw_names(const trace_picture *p, hsp_canvas *c, hsp_area f) {
    const hsp_style *s = hsp_canvas_style(c);
    const hsp_font font = {s->text, 500, s->ink};
    const double sample = 26, gap = 26, most = 180;
    double x = f.x, y = f.y + 0.3 * s->text;
    if (p->runs < 2) return 0;
    for (int64_t i = 0; i < p->runs; i++) {
        double width = sample + hsp_canvas_measure(c, p->run[i].name, &font, most);
        if (x > f.x && x + width > f.x + f.w) {
            x = f.x;
            y += 1.6 * s->text;
        }
        const hsp_place2 line[] = {{x, y - 0.36 * font.size}, {x + 18, y - 0.36 * font.size}};
        hsp_canvas_line(c, line, 2, &(hsp_pen){p->run[i].colour, 3, 0, 1});
        hsp_canvas_text(c, p->run[i].name, &font, (hsp_place2){x + sample, y}, HSP_ALIGN_LEFT, most);
        x += width + gap;
    }
    return y - f.y + 1.2 * s->text;
}

/* ---- the chart ---- */

static int draw_all(const hsp_chart_input *in, trace_picture *p, hsp_canvas *c, hsp_error **err) {
    char first[HSP_SENTENCE] = "", second[HSP_SENTENCE] = "", count[HSP_NUMERAL];
    int panels = 0, at = 0;
    if (p->runs == 1) {
        describe_run(&p->run[0], first);
        describe_end(&p->run[0], second);
    } else {
        hsp_sentence_format(first, "%s runs", hsp_sentence_count((double)p->runs, count));
        if (p->log_epochs) hsp_sentence_add(first, ", epochs on a logarithmic axis");
        if (p->dashed[UPDATES] || p->dashed[OBJECTIVE]) hsp_sentence_add(first, ", bounds dashed");
    }
    describe_problems(p, first);
    hsp_area left = hsp_sheet_head(c, hsp_chart_title(in, p->runs == 1 ? "Training run" : "Training runs"), first, second);
    double names = draw_names(p, c, left);
    left.y += names;
    left.h -= names;
    for (int q = 0; q < QUANTITIES; q++) panels += p->shown[q];
    if (panels == 0)
        return hsp_fail(err, HSP_EINPUT, "the trace has no values to draw: create it again with `train --trace`");
    const arrangement a = arrange(left, panels, hsp_canvas_style(c));
    drop_quantities(p, a.panels);
    for (int q = 0; q < QUANTITIES; q++) {
        int k, many;
        if (!p->shown[q]) continue;
        bool bottom = row_of(&a, at, &k, &many) == a.rows - 1;
        if (draw_panel(p, q, c, cell_of(&a, at++), bottom)) return HSP_EMEMORY;
    }
    return HSP_OK;
}

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    if (in->studies > MOST_RUNS)
        return hsp_fail(err, HSP_EUSAGE, "too many runs, at most %d fit in one picture: leave some out", MOST_RUNS);
    trace_picture p = {.runs = in->studies};
    int status = HSP_OK;
    for (int64_t i = 0; status == HSP_OK && i < p.runs; i++)
        status = take_run(in->study[i], in->name[i], hsp_canvas_style(c), i, &p.run[i], err);
    if (status == HSP_OK) {
        choose_quantities(&p);
        status = draw_all(in, &p, c, err);
    }
    for (int64_t i = 0; i < p.runs; i++) hsp_free(p.run[i].x);
    return status;
}

const hsp_chart hsp_chart_trace = {
    .name = "trace",
    .help = "training runs: objective and dual bound, loss, error, |w|; for a perceptron mistakes and Novikoff's bound",
    .takes = "TRACE...",
    .draw = draw,
};
