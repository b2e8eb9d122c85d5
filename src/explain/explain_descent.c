/* gradient-descent, sgd and minibatch: the gradient at the start, the rate, the first steps, and rates that are too large. */
#include "base/error.h"
#include "classifier/classifier.h"
#include "design/design.h"
#include "design/gram.h"
#include "explain/convex.h"
#include "explain/derivation.h"
#include "explain/recorded.h"
#include "explain/symmetric.h"
#include "fit/fit.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 6, RATES = 4, MARKS = 4 };

typedef struct slope {
    hsp_convex c;
    hsp_recorded run;
    bool smooth, single; /* single: one row or a batch for each step */
    double *start, *gradient;
    double F0;
    double mean_square; /* mean |(1, x)|^2 */
    double L;           /* Lipschitz constant of the gradient; NaN if the loss has none */
} slope;

/* ---- numbers ---- */

/* L = curvature of the loss x largest eigenvalue of A, with the row of ones, + lambda (1 - rho). */
static int measure_curvature(hsp_derivation *v, slope *t, hsp_error **err) {
    int64_t d = v->rows.d, q = t->c.q, o = t->c.ones;
    double most, *G = NULL, *A = NULL, *e = hsp_derivation_zeros(v, q), *edge = hsp_derivation_zeros(v, d);
    const hsp_problem *p = t->c.p;
    hsp_design_norms(v->design, v->rows.c, &t->mean_square, &most);
    t->mean_square += (double)o;
    t->L = (double)NAN;
    if (!t->smooth || d > HSP_EXPLAIN_COLUMNS) return HSP_OK;
    G = hsp_derivation_zeros(v, d * d);
    A = hsp_derivation_zeros(v, q * q);
    if (!e || !edge || !G || !A) return hsp_fail_memory(err);
    int status = hsp_design_gram(v->design, v->rows.c, NULL, NULL, 1, G, err);
    if (status) return status;
    hsp_design_adjoint(v->design, v->rows.c, edge);
    for (int64_t i = 0; i < q * q; i++) {
        bool top = o && i / q == 0, left = o && i % q == 0;
        A[i] = top && left ? v->rows.mass : top ? edge[i % q - 1] : left ? edge[i / q - 1] : G[(i / q - o) * d + i % q - o];
        A[i] /= v->rows.mass;
    }
    status = hsp_symmetric_eigen(A, q, e, err);
    t->L = p->loss->lipschitz * e[q - 1] + p->lambda * (1 - p->rho);
    return status;
}

/* theta <- soft((theta - eta gradient), eta lambda rho) in place; the intercept has no threshold. */
static void take_step(const slope *t, double *theta, const double *gradient, double eta) {
    const hsp_problem *p = t->c.p;
    double threshold = eta * p->lambda * p->rho;
    for (int64_t i = 0; i < t->c.q; i++) {
        double v = theta[i] - eta * gradient[i];
        theta[i] = p->penalty->penalises && threshold > 0 && !(t->c.ones && i == 0) ? hsp_soft(v, threshold) : v;
    }
}

/* The gradient of the loss of some rows at theta, as an estimate of that of all rows. */
static void gradient_of_rows(hsp_derivation *v, slope *t, const int64_t *row, int64_t rows, const double *theta, double *x,
                             double *out) {
    const hsp_problem *p = t->c.p;
    double used = 0, smooth = p->lambda * (1 - p->rho);
    int64_t o = t->c.ones;
    for (int64_t i = 0; i < v->rows.n; i++) used += v->rows.c[i] > 0;
    for (int64_t i = 0; i < t->c.q; i++)
        out[i] = i >= o || v->intercept == HSP_INTERCEPT_PENALISED ? smooth * theta[i] : 0;
    if (o && v->intercept == HSP_INTERCEPT_PENALISED) out[0] = p->lambda * theta[0];
    for (int64_t r = 0; r < rows; r++) {
        hsp_derivation_row(v, row[r], x);
        double g = hsp_dot_f64(theta + o, x, v->rows.d) + (o ? theta[0] : 0);
        double s = p->loss->at(p->loss, v->rows.y[row[r]], g, p->kink).slope * v->rows.c[row[r]] * used / v->rows.mass;
        s /= (double)rows;
        hsp_axpy_f64(s, x, out + o, v->rows.d);
        if (o) out[0] += s;
    }
}

static void pack(const hsp_derivation *v, const slope *t, const hsp_recorded_update *u, double *theta) {
    if (t->c.ones) theta[0] = u->b;
    memcpy(theta + t->c.ones, u->w, (size_t)v->rows.d * sizeof *theta);
}

/* The largest difference between recorded steps and the rule applied to the points before them. */
static int replay(hsp_derivation *v, slope *t, double *difference, hsp_error **err) {
    double *theta = hsp_derivation_zeros(v, t->c.q), *next = hsp_derivation_zeros(v, t->c.q), size = 1e-300;
    double *g = hsp_derivation_zeros(v, t->c.q), *x = hsp_derivation_zeros(v, v->rows.d);
    if (!theta || !next || !g || !x) return hsp_fail_memory(err);
    *difference = 0;
    for (int64_t k = 1; k < t->run.count; k++) {
        const hsp_recorded_update *u = &t->run.update[k];
        pack(v, t, u - 1, theta);
        if (u->row >= 0)
            gradient_of_rows(v, t, &u->row, 1, theta, x, g);
        else if (u->rows)
            gradient_of_rows(v, t, u->batch, u->rows, theta, x, g);
        else if (t->single)
            continue; /* a batch that was too long to record */
        else
            hsp_convex_at(v, &t->c, theta, g);
        take_step(t, theta, g, u->step);
        pack(v, t, u, next);
        for (int64_t i = 0; i < t->c.q; i++) {
            *difference = fmax(*difference, fabs(theta[i] - next[i]));
            size = fmax(size, fabs(next[i]));
        }
    }
    *difference /= size;
    return HSP_OK;
}

/* ---- text ---- */

static void write_objective(hsp_derivation *v, const slope *t) {
    hsp_exposition *e = &v->text;
    const hsp_problem *p = t->c.p;
    hsp_exposition_section(e, "The objective");
    HSP_SAY(e, hsp_derivation_is_class(v) ? "The loss of a row is `%1`, where `m = y g`." : "The loss of a row is `%1`.",
            phrase(p->loss->formula));
    HSP_FORMULA(e, p->penalty->penalises ? "F(w, b) = lambda R(w) + 1/sum c  sum_i c_i loss_i~F(w,b) = \\lambda R(w) + "
                                           "\\frac{1}{\\sum c}\\sum_i c_i\\,\\ell_i"
                                         : "F(w, b) = 1/sum c  sum_i c_i loss_i~F(w,b) = \\frac{1}{\\sum c}\\sum_i "
                                           "c_i\\,\\ell_i");
    if (p->penalty->penalises)
        HSP_SAY(e, "`R(w) = %1` and `lambda = %2~\\lambda = %2`.", phrase(p->penalty->formula),
                number(p->lambda));
    HSP_SAY(e, "The start is `%1` (intercept first, if there is one), where `F = "
               "%2`.", hsp_convex_vector(v, &t->c, t->start),
            number(t->F0));
    hsp_exposition_number(e, "lambda", p->lambda);
    hsp_exposition_vector(e, "start", hsp_convex_part(v, &t->c, t->start), hsp_convex_count(v, &t->c));
    hsp_exposition_number(e, "start_objective", t->F0);
}

/* The mean squared distance of the gradients of single rows from their mean, at the start. */
static double spread_of_gradients(hsp_derivation *v, slope *t, double *x, double *g) {
    double sum = 0;
    for (int64_t i = 0; i < v->rows.n; i++) {
        if (v->rows.c[i] == 0) continue;
        gradient_of_rows(v, t, &i, 1, t->start, x, g);
        double used = 0;
        for (int64_t j = 0; j < t->c.q; j++) used += pow(g[j] - t->gradient[j], 2);
        sum += used;
    }
    int64_t rows = 0;
    for (int64_t i = 0; i < v->rows.n; i++) rows += v->rows.c[i] > 0;
    return sum / (double)rows;
}

static int write_gradient(hsp_derivation *v, slope *t, hsp_error **err) {
    hsp_exposition *e = &v->text;
    double norm = hsp_convex_norm(t->gradient, t->c.q), *x = hsp_derivation_zeros(v, v->rows.d);
    double *g = hsp_derivation_zeros(v, t->c.q);
    if (!x || !g) return hsp_fail_memory(err);
    hsp_exposition_section(e, "The gradient at the start");
    HSP_FORMULA(e, "dF/dtheta = 1/sum c  sum_i c_i loss'(g_i) (1, x_i) + lambda dR/dtheta~"
                   "\\nabla_\\theta F = \\frac{1}{\\sum c}\\sum_i c_i\\,\\ell'(g_i)(1, x_i) + \\lambda\\nabla_\\theta R");
    HSP_SAY(e, "It is `%1`, of length `%2`. F falls fastest in the opposite "
               "direction.", hsp_convex_vector(v, &t->c, t->gradient),
            number(norm));
    hsp_exposition_vector(e, "gradient", hsp_convex_part(v, &t->c, t->gradient), hsp_convex_count(v, &t->c));
    hsp_exposition_number(e, "gradient_norm", norm);
    if (!t->single) return HSP_OK;
    double spread = spread_of_gradients(v, t, x, g);
    HSP_SAY(e, "A single row gives an estimate of it. The estimates have the right mean, and their mean squared distance "
               "from it "
               "is `%1`. The mean over B rows divides that by B.",
            number(spread));
    hsp_exposition_number(e, "gradient_variance", spread);
    return HSP_OK;
}

static void write_rate(hsp_derivation *v, const slope *t) {
    hsp_exposition *e = &v->text;
    const hsp_classifier *c = hsp_classifier_find(v->model->algorithm);
    double rate = hsp_report_number(v->report, "learning_rate");
    const char *schedule = hsp_report_text(v->report, "schedule");
    hsp_exposition_section(e, "The rate");
    HSP_FORMULA(e, "theta <- theta - eta dF/dtheta~\\theta \\leftarrow \\theta - \\eta\\,\\nabla_\\theta F");
    HSP_SAY(e, "The schedule is %1%2. With auto: %3. The mean of `|(1, x)|^2~\\lVert(1,x)\\rVert^2` over the rows is `%4`.",
            phrase(schedule ? schedule : "constant"), phrase(isfinite(rate) ? ", and the first rate is as below" : ""),
            phrase(c && c->automatic ? c->automatic : "none"), number(t->mean_square));
    if (isfinite(rate)) HSP_FORMULA(e, "eta = %1~\\eta = %1", number(rate));
    if (isfinite(t->L)) {
        HSP_SAY(e, "The gradient changes by at most L times the change of theta, where L is the curvature of the loss (at "
                   "most "
                   "%1) times the largest eigenvalue of the mean of `(1, x)(1, x)'~(1,x)(1,x)^T`, plus that of the "
                   "penalty:",
                number(t->c.p->loss->lipschitz));
        HSP_FORMULA(e, "L = %1,   2/L = %2~L = %1, \\quad 2/L = %2", number(t->L), number(2 / t->L));
        HSP_SAY(e, "A step of all rows with a rate below 2/L never raises F. A larger one may overshoot.");
        hsp_exposition_number(e, "L", t->L);
    } else if (!t->smooth) {
        HSP_SAY(e, "The loss has a kink: its gradient jumps, and no rate is safe near the kink. A constant rate ends in "
                   "steps to "
                   "and fro; a decreasing one lets them shrink.");
    }
    hsp_exposition_number(e, "rate", rate);
    hsp_exposition_number(e, "mean_squared_length", t->mean_square);
}

static void write_steps(hsp_derivation *v, const slope *t) {
    hsp_exposition *e = &v->text;
    double table[STEPS][4];
    hsp_exposition_section(e, "The first steps");
    HSP_SAY(e, t->single ? "The first changes of the weights in this run. The loss is that of the row, or the mean of the "
                           "batch, "
                           "before the change."
                         : "The first changes of the weights in this run. The loss is the mean before the change.");
    hsp_exposition_table(e, "step", (const char *const[]){"row", "`eta~\\eta`", "loss",
            "`|theta|~\\lVert\\theta\\rVert`"}, 4);
    for (int64_t k = 0; k < t->run.count && k < STEPS; k++) {
        const hsp_recorded_update *u = &t->run.update[k];
        char label[24];
        table[k][0] = u->row >= 0 ? (double)(u->row + 1) : (double)NAN;
        table[k][1] = k ? u->step : (double)NAN;
        table[k][2] = k ? u->loss : (double)NAN;
        table[k][3] = sqrt(hsp_dot_f64(u->w, u->w, v->rows.d) + u->b * u->b);
        snprintf(label, sizeof label, "%lld", (long long)k);
        hsp_exposition_row(e, label, table[k], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    if (t->run.count > 1) {
        double *theta = hsp_derivation_zeros(v, t->c.q);
        if (!theta) return;
        pack(v, t, &t->run.update[1], theta);
        HSP_SAY(e, "After the first one theta is `%1`.", hsp_convex_vector(v, &t->c, theta));
        hsp_exposition_vector(e, "first_point", hsp_convex_part(v, &t->c, theta), hsp_convex_count(v, &t->c));
    }
    hsp_exposition_matrix(e, "steps", &table[0][0], t->run.count < STEPS ? t->run.count : STEPS, 4);
}

/* F after some steps of all rows from the start, with one rate. */
static void descend(hsp_derivation *v, slope *t, double rate, double *theta, double *g, double out[MARKS]) {
    static const int marks[MARKS] = {1, 5, 20, 50};
    memcpy(theta, t->start, (size_t)t->c.q * sizeof *theta);
    for (int step = 0, m = 0; m < MARKS; step++) {
        double F = hsp_convex_at(v, &t->c, theta, g);
        if (step == marks[m]) out[m++] = isfinite(F) ? F : (double)INFINITY;
        take_step(t, theta, g, rate);
    }
}

static int write_rates(hsp_derivation *v, slope *t, hsp_error **err) {
    hsp_exposition *e = &v->text;
    static const double smooth[RATES] = {0.5, 1, 2, 4}, rough[RATES] = {0.1, 1, 10, 100};
    double *theta = hsp_derivation_zeros(v, t->c.q), *g = hsp_derivation_zeros(v, t->c.q), table[RATES][1 + MARKS];
    double unit = isfinite(t->L) ? 2 / t->L : hsp_report_number(v->report, "learning_rate");
    if (!theta || !g) return hsp_fail_memory(err);
    if (!isfinite(unit)) unit = 1 / t->mean_square;
    hsp_exposition_section(e, "A rate that is too large");
    HSP_SAY(e, isfinite(t->L) ? "F after steps of all rows from the start, with a constant rate of 0.5, 1, 2 and 4 times "
                                "2/L. It "
                                "started at `%1`. Where a rate is above 2/L along some direction, the error grows there "
                                "from "
                                "step to step."
                              : "F after steps of all rows from the start, with a constant rate of 0.1, 1, 10 and 100 "
                                "times the "
                                "rate above. It started at `%1`.",
            number(t->F0));
    hsp_exposition_table(e, "", (const char *const[]){"`eta~\\eta`", "1 step", "5 steps", "20 steps", "50 steps"},
            1 + MARKS);
    for (int r = 0; r < RATES; r++) {
        char label[48], factor[HSP_NUMBER_SIZE];
        double times = isfinite(t->L) ? smooth[r] : rough[r];
        table[r][0] = times * unit;
        descend(v, t, table[r][0], theta, g, table[r] + 1);
        hsp_format_number(times, factor);
        snprintf(label, sizeof label, "%s x", factor);
        hsp_exposition_row(e, label, table[r], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_matrix(e, "rates", &table[0][0], RATES, 1 + MARKS);
    return HSP_OK;
}

static int write_check(hsp_derivation *v, slope *t, hsp_error **err) {
    hsp_exposition *e = &v->text;
    double difference = 0, *theta = hsp_derivation_zeros(v, t->c.q);
    int status = theta ? replay(v, t, &difference, err) : hsp_fail_memory(err);
    if (status) return status;
    hsp_convex_trained(v, &t->c, theta);
    double F = hsp_convex_at(v, &t->c, theta, NULL);
    hsp_exposition_section(e, "Check");
    HSP_SAY(e, difference < 1e-11 ? "The rule, applied to the weights before each step above, gives those after it."
                                  : "The rule, applied to the weights before each step above, gives those after it up to "
                                    "%1.",
            number(difference));
    HSP_SAY(e, "At the weights of halfspace train `F = %1`; the start had `%2`.", number(F), number(t->F0));
    hsp_exposition_number(e, "replay_difference", difference);
    hsp_exposition_number(e, "trained_objective", F);
    return HSP_OK;
}

static int write_sections(hsp_derivation *v, slope *t, hsp_error **err) {
    t->smooth = (t->c.p->loss->traits & HSP_LOSS_SMOOTH) != 0;
    t->single = strcmp(v->model->algorithm, "gradient-descent") != 0;
    t->start = hsp_derivation_zeros(v, t->c.q);
    t->gradient = hsp_derivation_zeros(v, t->c.q);
    if (!t->start || !t->gradient) return hsp_fail_memory(err);
    if (t->run.count > 0) pack(v, t, &t->run.update[0], t->start);
    t->F0 = hsp_convex_at(v, &t->c, t->start, t->gradient);
    int status = measure_curvature(v, t, err);
    if (status) return status;
    write_objective(v, t);
    status = write_gradient(v, t, err);
    if (status) return status;
    write_rate(v, t);
    write_steps(v, t);
    status = write_rates(v, t, err);
    return status ? status : write_check(v, t, err);
}

static int explain_descent(hsp_derivation *v, hsp_error **err) {
    slope t = {0};
    hsp_derivation_one_class(v);
    int status = hsp_record_updates(v, STEPS, &t.run, err);
    if (!status) status = hsp_convex_new(v, &t.c, err);
    if (!status) status = write_sections(v, &t, err);
    hsp_convex_free(&t.c);
    return status;
}

const hsp_explanation hsp_explanation_gradient_descent = {
    .algorithm = "gradient-descent",
    .idea = "gradient-descent goes against the gradient of the mean loss over all rows, step by step.",
    .write = explain_descent};
const hsp_explanation hsp_explanation_sgd = {
    .algorithm = "sgd",
    .idea = "sgd goes against the gradient of one row at a time: a cheap estimate of that of all rows.",
    .write = explain_descent};
const hsp_explanation hsp_explanation_minibatch = {
    .algorithm = "minibatch",
    .idea = "minibatch goes against the mean gradient of a few rows at a time.",
    .write = explain_descent};
