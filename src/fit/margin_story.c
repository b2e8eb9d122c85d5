/* Explains the hard margin with the numbers of one data set: the primal problem, the KKT conditions, and why the dual
 * proves the solution optimal. The text is for people, so numbers have six digits. */
#include "fit/margin_story.h"

#include "base/text.h"
#include "data/matrix.h"
#include "fit/fit_report.h"
#include "option/options.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_ROWS = 30, MOST_COLUMNS = 6, MOST_TERMS = 8 };

/* Rounds to six significant digits. */
static double rounded(double v) {
    if (v == 0 || !isfinite(v)) return v;
    int power = 5 - (int)floor(log10(fabs(v)));
    if (power > 300 || power < -300) return v;
    double unit = pow(10, power >= 0 ? power : -power);
    return power >= 0 ? round(v * unit) / unit : round(v / unit) * unit;
}

static void add_number(hsp_text *t, double v) {
    hsp_text_number(t, rounded(v));
}

/* Prints values below 1e-12 as 0. */
static void add_small(hsp_text *t, double v) {
    if (v < 1e-12)
        hsp_text_add(t, "0 up to rounding");
    else
        add_number(t, v);
}

static void add_vector(hsp_text *t, const double *v, int64_t d) {
    hsp_text_add(t, "(");
    for (int64_t j = 0; j < d; j++) {
        if (j) hsp_text_add(t, ", ");
        add_number(t, v[j]);
    }
    hsp_text_add(t, ")");
}

static void get_row(const hsp_fit *f, int64_t i, double *x) {
    hsp_row row = hsp_matrix_row(&f->job.data->x, i);
    for (int64_t j = 0; j < f->job.data->x.d; j++) x[j] = 0;
    for (int64_t e = 0; e < row.count; e++) x[hsp_row_id(row, e)] = hsp_row_value(row, e);
}

static double side_of_row(const hsp_fit *f, int64_t i) {
    return f->rows.y[i] == f->job.prepare->positive ? 1 : -1;
}

static double score_of_row(const hsp_fit *f, int64_t i) {
    double x[MOST_COLUMNS], g = f->out.b[0];
    get_row(f, i, x);
    for (int64_t j = 0; j < f->job.data->x.d; j++) g += f->out.w[j] * x[j];
    return g;
}

static void log_line(const hsp_fit *f, hsp_text *t) {
    if (!t->failed && t->s) hsp_fit_log(f, "%s", t->s);
    hsp_text_free(t);
    *t = (hsp_text){0};
}

/* ---- primal, stationarity, dual ---- */

static void report_primal(const hsp_fit *f) {
    hsp_text t = {0};
    double norm2 = 0;
    for (int64_t j = 0; j < f->job.data->x.d; j++) norm2 += f->out.w[j] * f->out.w[j];
    hsp_fit_log(f, "primal: minimise |w|^2/2 subject to y_i (w.x_i + b) >= 1 for all %" PRId64 " rows", f->job.data->x.n);
    hsp_text_add(&t, "  w = ");
    add_vector(&t, f->out.w, f->job.data->x.d);
    hsp_text_add(&t, ", b = ");
    add_number(&t, f->out.b[0]);
    hsp_text_add(&t, ": |w|^2/2 = ");
    add_number(&t, norm2 / 2);
    hsp_text_add(&t, ", margin 1/|w| = ");
    add_number(&t, 1 / sqrt(norm2));
    log_line(f, &t);
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        double x[MOST_COLUMNS], alpha = fabs(f->out.dual[i]);
        get_row(f, i, x);
        hsp_text_format(&t, "  row %" PRId64 " ", i + 1);
        add_vector(&t, x, f->job.data->x.d);
        hsp_text_format(&t, ", y = %s1: y (w.x + b) = ", side_of_row(f, i) > 0 ? "+" : "-");
        add_number(&t, side_of_row(f, i) * score_of_row(f, i));
        hsp_text_add(&t, ", alpha = ");
        add_number(&t, alpha);
        hsp_text_add(&t, alpha > 0 ? ": support vector" : "");
        log_line(f, &t);
    }
}

/* The sum of alpha_i y_i x_i, with its terms if there are few. */
static void report_stationarity(const hsp_fit *f) {
    hsp_text t = {0};
    double w[MOST_COLUMNS] = {0}, x[MOST_COLUMNS], sum = 0, slack = 0;
    int64_t terms = 0;
    hsp_text_add(&t, "  dL/dw = 0: w = sum alpha_i y_i x_i =");
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        if (f->out.dual[i] == 0) continue;
        get_row(f, i, x);
        for (int64_t j = 0; j < f->job.data->x.d; j++) w[j] += f->out.dual[i] * x[j];
        sum += f->out.dual[i];
        slack = fmax(slack, fabs(f->out.dual[i]) * fabs(side_of_row(f, i) * score_of_row(f, i) - 1));
        if (terms == MOST_TERMS) hsp_text_add(&t, " + ...");
        if (terms++ >= MOST_TERMS) continue;
        hsp_text_add(&t, terms == 1 ? " " : f->out.dual[i] < 0 ? " - " : " + ");
        add_number(&t, terms == 1 ? f->out.dual[i] : fabs(f->out.dual[i]));
        hsp_text_add(&t, " ");
        add_vector(&t, x, f->job.data->x.d);
    }
    hsp_text_add(&t, " = ");
    add_vector(&t, w, f->job.data->x.d);
    hsp_fit_log(f, "Lagrangian: L = |w|^2/2 - sum alpha_i (y_i (w.x_i + b) - 1), alpha_i >= 0");
    log_line(f, &t);
    if (!hsp_options_is(f->job.options, "intercept", "none")) {
        hsp_text_add(&t, "  dL/db = 0: |sum alpha_i y_i| is ");
        add_small(&t, fabs(sum));
        log_line(f, &t);
    }
    hsp_text_add(&t, "  slackness: alpha_i (y_i (w.x_i + b) - 1) = 0; the largest is ");
    add_small(&t, slack);
    log_line(f, &t);
}

static void report_dual(const hsp_fit *f) {
    hsp_text t = {0};
    double w[MOST_COLUMNS] = {0}, x[MOST_COLUMNS], sum = 0, square = 0;
    for (int64_t i = 0; i < f->job.data->x.n; i++) {
        get_row(f, i, x);
        for (int64_t j = 0; j < f->job.data->x.d; j++) w[j] += f->out.dual[i] * x[j];
        sum += fabs(f->out.dual[i]);
    }
    for (int64_t j = 0; j < f->job.data->x.d; j++) square += w[j] * w[j];
    hsp_fit_log(
        f, "dual: maximise sum alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j x_i.x_j, alpha_i >= 0, sum alpha_i y_i = 0");
    hsp_text_add(&t, "  = ");
    add_number(&t, sum);
    hsp_text_add(&t, " - ");
    add_number(&t, square / 2);
    hsp_text_add(&t, " = ");
    add_number(&t, sum - square / 2);
    hsp_text_add(&t, ", a lower bound of every primal value; the relative gap is ");
    add_small(&t, f->out.results[0].outcome.gap);
    log_line(f, &t);
}

void hsp_margin_story(const hsp_fit *f) {
    if (f->out.outputs != 1 || !f->out.dual || f->job.prepare->factor) return;
    if (!hsp_options_is(f->job.options, "intercept", "free")) return;
    if (f->job.data->x.n > MOST_ROWS || f->job.data->x.d > MOST_COLUMNS) {
        hsp_fit_log(f, "primal and dual are shown row by row for up to %d rows and %d columns", MOST_ROWS, MOST_COLUMNS);
        return;
    }
    report_primal(f);
    report_stationarity(f);
    report_dual(f);
}
