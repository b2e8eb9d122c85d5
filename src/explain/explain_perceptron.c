/* perceptron: the first updates, and Novikoff's argument with numbers. */
#include "base/error.h"
#include "explain/derivation.h"
#include "explain/recorded.h"
#include "kernel/kernel.h"
#include "option/options.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UPDATES = 10 };

typedef struct mistakes {
    hsp_recorded run;
    bool ones;
    double *u, u0;      /* a separating direction of length 1, with its intercept; NULL: there is none */
    double radius;      /* largest |(1, x)| */
    double gamma;       /* least y u.(1, x) */
    double largest;     /* largest weight of a row: its updates are as many times larger */
    double *x;
} mistakes;

/* ---- numbers ---- */

/* theta.theta' of two points, with the intercepts. */
static double product(const hsp_derivation *v, const double *w, double b, const double *u, double c) {
    return hsp_dot_f64(w, u, v->rows.d) + b * c;
}

/* The separating plane with the largest margin about the origin of (1, x), by hard-svm. */
static int find_separator(hsp_derivation *v, mistakes *m, hsp_error **err) {
    static const char *const same[] = {"scale", "scale-all", "threads", "seed", "positive"};
    hsp_options *o = NULL;
    hsp_model *model = NULL;
    hsp_report *report = NULL;
    int status = hsp_options_new(&o, err);
    for (size_t i = 0; !status && i < sizeof same / sizeof *same; i++)
        if (hsp_options_is_set(v->options, same[i]))
            status = hsp_options_set(o, same[i], hsp_options_text(v->options, same[i]), err);
    if (!status) status = hsp_options_set(o, "algorithm", "hard-svm", err);
    if (!status) status = hsp_options_set(o, "intercept", m->ones ? "penalised" : "none", err);
    if (!status) status = hsp_options_set(o, "max-seconds", "20", err);
    if (!status && v->outputs > 1) status = hsp_options_set(o, "positive", hsp_derivation_class(v, v->k), err);
    if (!status) status = hsp_train(v->data, o, NULL, &model, &report, err);
    if (!status && model) {
        m->u = hsp_derivation_zeros(v, v->rows.d);
        m->u0 = m->ones ? model->b[0] : 0;
        for (int64_t j = 0; m->u && j < v->rows.d; j++) {
            m->u[j] = v->prepare.factor ? model->w[j] / v->prepare.factor[j] : model->w[j];
            if (v->prepare.shift && m->ones) m->u0 += model->w[j] * v->prepare.shift[j];
        }
        if (!m->u) status = hsp_fail_memory(err);
    }
    hsp_model_free(model);
    hsp_report_free(report);
    hsp_options_free(o);
    return status;
}

/* Radius and, for a direction of length 1, the least margin. */
static void measure_rows(hsp_derivation *v, mistakes *m) {
    double norm = m->u ? sqrt(product(v, m->u, m->u0, m->u, m->u0)) : 1;
    for (int64_t j = 0; m->u && j < v->rows.d; j++) m->u[j] /= norm;
    m->u0 /= norm;
    m->gamma = INFINITY;
    for (int64_t i = 0; i < v->rows.n; i++) {
        if (v->rows.c[i] == 0) continue;
        hsp_derivation_row(v, i, m->x);
        m->radius = fmax(m->radius, sqrt(hsp_dot_f64(m->x, m->x, v->rows.d) + m->ones));
        m->largest = fmax(m->largest, v->rows.c[i]);
        if (m->u) m->gamma = fmin(m->gamma, v->rows.y[i] * (hsp_dot_f64(m->x, m->u, v->rows.d) + m->u0));
    }
    if (!(m->gamma > 0)) m->u = NULL;
}

/* The largest difference between a recorded point and the rule applied to the one before it. */
static double replay(hsp_derivation *v, const mistakes *m) {
    double most = 0, size = 1;
    for (int64_t k = 1; k < m->run.count; k++) {
        const hsp_recorded_update *now = &m->run.update[k], *before = now - 1;
        hsp_derivation_row(v, now->row, m->x);
        double a = now->step * v->rows.y[now->row];
        most = fmax(most, m->ones ? fabs(before->b + a - now->b) : 0);
        for (int64_t j = 0; j < v->rows.d; j++) {
            most = fmax(most, fabs(before->w[j] + a * m->x[j] - now->w[j]));
            size = fmax(size, fabs(now->w[j]));
        }
    }
    return most / size;
}

/* ---- text ---- */

static void write_rule(hsp_derivation *v, const mistakes *m) {
    hsp_exposition *e = &v->text;
    const char *on = hsp_options_text(v->options, "update-on");
    hsp_exposition_section(e, "The rule");
    HSP_SAY(e, "Visit the rows one by one. A row on the wrong side moves the plane towards itself:");
    HSP_FORMULA(e, m->ones ? "if y (w.x + b) <= 0:  w <- w + eta y x,  b <- b + eta y~"
                             "\\text{if } y\\,(w\\cdot x+b) \\le 0: \\quad w \\leftarrow w + \\eta y x, \\quad b "
                             "\\leftarrow b + "
                             "\\eta y"
                           : "if y w.x <= 0:  w <- w + eta y x~\\text{if } y\\,w\\cdot x \\le 0: \\quad w \\leftarrow w + "
                             "\\eta "
                             "y x");
    HSP_SAY(e, m->ones ? "The update raises `y g` of that row by `eta |(1, x)|^2~\\eta\\lVert(1,x)\\rVert^2`. Here `eta = "
                         "%1~\\eta = "
                         "%1`%2."
                       : "The update raises `y g` of that row by `eta |x|^2~\\eta\\lVert x\\rVert^2`. Here `eta = "
                         "%1~\\eta = "
                         "%1`%2.",
            number(m->run.count > 1 ? m->run.update[1].step / v->rows.c[m->run.update[1].row]
                                    : hsp_options_real(v->options, "learning-rate", 1)),
            phrase(m->largest == 1 ? "" : ", times the weight of the row"));
    if (on && strcmp(on, "nonpositive") != 0)
        HSP_SAY(e, strcmp(on, "negative") == 0 ? "--update-on negative: a row with `y g = 0` makes no update."
                                               : "--update-on mismatch: `g = 0` counts as class -1.");
}

static void write_updates(hsp_derivation *v, const mistakes *m) {
    hsp_exposition *e = &v->text;
    int64_t most = m->run.count < UPDATES + 1 ? m->run.count : UPDATES + 1, width = v->count < 8 ? v->count : 8;
    double table[UPDATES + 1][HSP_TABLE_WIDTH];
    int64_t columns = 3 + width + m->ones;
    hsp_exposition_section(e, "The first updates");
    if (most > 1) {
        const hsp_recorded_update *one = &m->run.update[1];
        hsp_derivation_row(v, one->row, m->x);
        HSP_SAY(e, "Row %1 is the first on the wrong side: `y = %2, g = %3`. So", whole(one->row + 1),
                number(v->rows.y[one->row]), number(one->score));
        HSP_FORMULA(e, "w = %1 + %2 %3 = %4~w = %1 + %2\\cdot %3 = %4", hsp_derivation_vector(v, one[-1].w),
                    number(one->step * v->rows.y[one->row]), hsp_derivation_vector(v, m->x), hsp_derivation_vector(v,
                            one->w));
    } else {
        HSP_SAY(e, "The start makes no mistake: there is no update.");
    }
    hsp_exposition_table(e, "update", (const char *const[]){"row", "`y`", "`g`"}, 3);
    for (int64_t j = 0; j < width; j++) hsp_exposition_symbol(e, "w", v->shown[j] + 1);
    if (m->ones) hsp_exposition_heading(e, "b");
    for (int64_t k = 0; k < most; k++) {
        const hsp_recorded_update *u = &m->run.update[k];
        char label[24];
        table[k][0] = k ? (double)(u->row + 1) : (double)NAN;
        table[k][1] = k ? v->rows.y[u->row] : (double)NAN;
        table[k][2] = k ? u->score : (double)NAN;
        for (int64_t j = 0; j < width; j++) table[k][3 + j] = u->w[v->shown[j]];
        if (m->ones) table[k][3 + width] = u->b;
        snprintf(label, sizeof label, "%lld", (long long)k);
        hsp_exposition_row(e, label, table[k], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    HSP_SAY(e, "`g` is the score before the update, the weights are those after it. Line 0 is the start.");
    double *flat = hsp_derivation_zeros(v, most * columns);
    for (int64_t i = 0; flat && i < most * columns; i++) flat[i] = table[i / columns][i % columns];
    hsp_exposition_matrix(e, "updates", flat, most, columns);
}

static void write_table(hsp_derivation *v, const mistakes *m, double eta) {
    hsp_exposition *e = &v->text;
    double table[UPDATES + 1][4];
    const hsp_recorded_update *start = &m->run.update[0];
    double along = product(v, start->w, start->b, m->u, m->u0), square = product(v, start->w, start->b, start->w, start->b);
    int64_t most = m->run.count < UPDATES + 1 ? m->run.count : UPDATES + 1;
    hsp_exposition_table(e, "update",
                         (const char *const[]){"`theta.u~\\theta\\cdot "
                                               "u`", "at least", "`|theta|^2~\\lVert\\theta\\rVert^2`",
                                               "at most"},
                         4);
    for (int64_t k = 0; k < most; k++) {
        const hsp_recorded_update *u = &m->run.update[k];
        char label[24];
        double scale = k ? u->step * u->step : 0;
        if (k) along += u->step * m->gamma, square += scale * m->radius * m->radius;
        table[k][0] = product(v, u->w, u->b, m->u, m->u0);
        table[k][1] = along;
        table[k][2] = product(v, u->w, u->b, u->w, u->b);
        table[k][3] = square;
        snprintf(label, sizeof label, "%lld", (long long)k);
        hsp_exposition_row(e, label, table[k], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_matrix(e, "novikoff", &table[0][0], most, 4);
    (void)eta;
}

static void write_novikoff(hsp_derivation *v, const mistakes *m) {
    hsp_exposition *e = &v->text;
    double eta = m->run.count > 1 ? m->run.update[1].step : 1, bound = pow(m->radius / m->gamma, 2);
    hsp_exposition_section(e, "Why it ends (Novikoff)");
    HSP_SAY(e, "Write `theta = (b, w)~\\theta=(b,w)`%1. Let `R = %2` be the largest length of a row `(1, x)`, and let `u` "
               "have "
               "length 1.",
            phrase(m->ones ? "" : " without b, and x for (1, x)"), number(m->radius));
    if (!m->u) {
        HSP_SAY(e, "No u separates the classes of these rows%1: the argument does not apply. The rule then never stops "
                   "making "
                   "mistakes, and training keeps the best weights that it has seen.",
                phrase(m->ones ? "" : " with a plane through the origin"));
        hsp_exposition_number(e, "R", m->radius);
        return;
    }
    HSP_SAY(e, "The classes are separable: the best u has `y u.(1, x) >= gamma = %1~y\\,u\\cdot(1,x) \\ge \\gamma = %1` "
               "for all "
               "rows (by hard-svm --intercept %2).",
            number(m->gamma), phrase(m->ones ? "penalised" : "none"));
    HSP_ITEM(e, "Every update adds at least `eta gamma~\\eta\\gamma` to `theta.u~\\theta\\cdot u`, because `y u.(1, x) >= "
                "gamma~y\\,u\\cdot(1,x)\\ge\\gamma`.");
    HSP_ITEM(e, "Every update adds at most `eta^2 R^2~\\eta^2R^2` to `|theta|^2~\\lVert\\theta\\rVert^2`, because `2 eta y "
                "theta.(1, x) <= 0~2\\eta y\\,\\theta\\cdot(1,x) \\le 0` at a mistake.");
    write_table(v, m, eta);
    HSP_SAY(e, "After k updates from 0: `k eta gamma <= theta.u <= |theta| <= sqrt(k) eta R~k\\eta\\gamma \\le "
               "\\theta\\cdot u \\le "
               "\\lVert\\theta\\rVert \\le \\sqrt{k}\\,\\eta R`, so that");
    HSP_FORMULA(e, "k <= (R/gamma)^2 = (%1/%2)^2 = %3~k \\le (R/\\gamma)^2 = (%1/%2)^2 = %3", number(m->radius),
                number(m->gamma), number(bound));
    hsp_exposition_number(e, "R", m->radius);
    hsp_exposition_number(e, "gamma", m->gamma);
    hsp_exposition_number(e, "bound", bound);
    if (m->largest != 1) HSP_SAY(e, "With row weights the steps differ, and the bound holds for equal weights alone.");
}

static void write_check(hsp_derivation *v, const mistakes *m) {
    hsp_exposition *e = &v->text;
    const hsp_report *problem = hsp_report_item(v->report, "problems", v->k);
    if (v->outputs == 1) problem = v->report;
    double updates = hsp_report_number(problem, "updates"), least = INFINITY;
    for (int64_t i = 0; i < v->rows.n; i++)
        if (v->rows.c[i] > 0) least = fmin(least, v->rows.y[i] * hsp_derivation_score(v, v->k, i));
    double difference = replay(v, m);
    hsp_exposition_section(e, "Check");
    HSP_SAY(e, difference < 1e-12 ? "The rule, applied to each line of the first table, gives the next one."
                                  : "The rule, applied to each line of the first table, gives the next one up to %1.",
            number(difference));
    HSP_SAY(e, "Training made %1 updates%2. The least `y g` of a row with the trained weights is `%3`%4.", number(updates),
            phrase(hsp_report_flag(problem, "converged") == 1 ? " and converged" : " and did not converge"), number(least),
            phrase(least > 0 ? ": no row is on the wrong side" : ""));
    hsp_exposition_number(e, "replay_difference", difference);
    hsp_exposition_number(e, "all_updates", updates);
    hsp_exposition_number(e, "least_margin", least);
}

static int explain_perceptron(hsp_derivation *v, hsp_error **err) {
    mistakes m = {.ones = v->intercept != HSP_INTERCEPT_NONE, .x = hsp_derivation_zeros(v, v->rows.d)};
    if (!m.x) return hsp_fail_memory(err);
    hsp_derivation_one_class(v);
    int status = hsp_record_updates(v, UPDATES + 1, &m.run, err);
    if (!status) status = find_separator(v, &m, err);
    if (status) return status;
    measure_rows(v, &m);
    write_rule(v, &m);
    write_updates(v, &m);
    write_novikoff(v, &m);
    write_check(v, &m);
    return HSP_OK;
}

const hsp_explanation hsp_explanation_perceptron = {
    .algorithm = "perceptron",
    .idea = "The perceptron corrects its plane at every mistake, until there are none.",
    .write = explain_perceptron};
