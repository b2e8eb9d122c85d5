/* lasso and elastic-net: soft thresholds, lambda_max, optimality of each column. */
#include "base/error.h"
#include "design/design.h"
#include "explain/convex.h"
#include "explain/derivation.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "penalty/penalty.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

typedef struct thresholds {
    hsp_convex c;
    double lambda, rho;
    double *centre;      /* d: mean row with a free intercept, else 0 */
    double *pull;        /* d: covariance of each column with the target: q_j at w = 0 */
    double *curve;       /* d: mean of (x_j - centre_j)^2 */
    double *rest, *next; /* d: argument of the soft threshold, and its result, at the trained weights */
    double b;            /* intercept that belongs to next */
    double top;          /* lambda_max */
    int64_t first;       /* the column of lambda_max */
} thresholds;

/* ---- numbers ---- */

static int sum_columns(hsp_derivation *v, thresholds *t, hsp_error **err) {
    int64_t n = v->rows.n, d = v->rows.d;
    double *r = hsp_derivation_zeros(v, n), *x = hsp_derivation_zeros(v, d), mean = 0;
    bool free_intercept = v->intercept == HSP_INTERCEPT_FREE;
    if (!r || !x) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) r[i] = v->rows.c[i] / v->rows.mass;
    if (free_intercept) hsp_design_adjoint(v->design, r, t->centre);
    for (int64_t i = 0; free_intercept && i < n; i++) mean += r[i] * v->rows.y[i];
    for (int64_t i = 0; i < n; i++) {
        hsp_derivation_row(v, i, x);
        for (int64_t j = 0; j < d; j++) {
            double at = x[j] - t->centre[j];
            t->pull[j] += r[i] * at * (v->rows.y[i] - mean);
            t->curve[j] += r[i] * at * at;
        }
    }
    for (int64_t j = 0; j < d; j++)
        if (t->curve[j] <= 1e-24 * t->centre[j] * t->centre[j]) t->curve[j] = t->pull[j] = 0; /* constant */
    for (int64_t j = 0; j < d; j++)
        if (fabs(t->pull[j]) > fabs(t->pull[t->first])) t->first = j;
    t->top = fabs(t->pull[t->first]) / t->rho;
    return HSP_OK;
}

/* The soft threshold of every column at the trained weights: each solves its own problem while the others rest. */
static int threshold_columns(hsp_derivation *v, thresholds *t, hsp_error **err) {
    int64_t n = v->rows.n, d = v->rows.d;
    double *x = hsp_derivation_zeros(v, d), mean = 0;
    if (!x) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        hsp_derivation_row(v, i, x);
        double r = v->rows.y[i] - hsp_dot_f64(v->w, x, d) - v->b[0], share = v->rows.c[i] / v->rows.mass;
        mean += share * r;
        for (int64_t j = 0; j < d; j++) t->rest[j] += share * r * (x[j] - t->centre[j]);
    }
    double smooth = t->lambda * (1 - t->rho);
    for (int64_t j = 0; j < d; j++) {
        t->rest[j] = t->curve[j] > 0 || v->intercept != HSP_INTERCEPT_FREE ? t->rest[j] + t->curve[j] * v->w[j] : 0;
        double below = t->curve[j] + smooth;
        t->next[j] = below > 0 ? hsp_soft(t->rest[j], t->lambda * t->rho) / below : 0;
    }
    t->b = v->b[0] + (v->intercept == HSP_INTERCEPT_FREE ? mean : 0);
    return HSP_OK;
}

/* ---- text ---- */

static void write_objective(hsp_derivation *v, const thresholds *t) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, "The objective");
    HSP_FORMULA(e, "F(w, b) = lambda (rho |w|_1 + (1 - rho) |w|^2/2) + 1/(2 sum c) sum_i c_i (y_i - w.x_i - b)^2~"
                   "F(w,b) = \\lambda\\left(\\rho\\lVert w\\rVert_1 + (1-\\rho)\\tfrac12\\lVert w\\rVert^2\\right) + "
                   "\\frac{1}{2\\sum c}\\sum_i c_i (y_i - w\\cdot x_i - b)^2");
    HSP_SAY(e, "Here `lambda = %1~\\lambda = %1` (`C = %2`) and `rho = %3~\\rho = %3`%4.", number(t->lambda),
            number(v->model->objective.C), number(t->rho), phrase(t->rho == 1 ? ": the penalty is that of the lasso" : ""));
    hsp_exposition_number(e, "lambda", t->lambda);
    hsp_exposition_number(e, "C", v->model->objective.C);
    hsp_exposition_number(e, "rho", t->rho);
}

static void write_top(hsp_derivation *v, const thresholds *t) {
    hsp_exposition *e = &v->text;
    char buf[HSP_LABEL_SIZE];
    hsp_exposition_section(e, "From which lambda on all weights are 0");
    HSP_SAY(e, "At `w = 0`%1 the derivative of the squared losses is `-q_j`:",
            phrase(v->intercept == HSP_INTERCEPT_FREE ? ", with b at the mean of y," : ""));
    HSP_FORMULA(e, "q_j = 1/sum c  sum_i c_i (y_i - b) (x_ij - mean_j)~"
                   "q_j = \\frac{1}{\\sum c}\\sum_i c_i (y_i - b)(x_{ij} - \\bar x_j)");
    hsp_derivation_features(v, (const char *const[]){"`q_j`"}, (const double *const[]){t->pull}, 1);
    HSP_SAY(e, "A weight stays at 0 while `|q_j| <= lambda rho~|q_j| \\le \\lambda\\rho`. The largest is that of '%1', so "
               "that",
            word(hsp_derivation_feature(v, t->first, buf)));
    HSP_FORMULA(e, "lambda_max = max |q_j| / rho = %1~\\lambda_{\\max} = \\max_j |q_j| / \\rho = %1", number(t->top));
    HSP_SAY(e, t->lambda < t->top ? "The lambda of this fit is `%1` of it: some weights are not 0."
                                  : "The lambda of this fit is `%1` of it: all weights are 0.",
            number(t->lambda / t->top));
    hsp_derivation_put(v, "q_at_zero", t->pull);
    hsp_exposition_number(e, "lambda_max", t->top);
}

static void write_thresholds(hsp_derivation *v, const thresholds *t) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, "The soft threshold");
    HSP_SAY(e, "With all other weights fixed, F is a parabola in `w_j` plus `lambda rho |w_j|~\\lambda\\rho|w_j|`. Its "
               "minimum "
               "is a soft threshold: S moves its argument by `lambda rho~\\lambda\\rho` towards 0, not past it.");
    HSP_FORMULA(e, "w_j = S(z_j, lambda rho) / (a_j + lambda (1 - rho)),  a_j = mean of (x_j - mean_j)^2,  z_j = q_j + "
                   "a_j w_j~"
                   "w_j = \\frac{S(z_j, \\lambda\\rho)}{a_j + \\lambda(1-\\rho)}, \\quad a_j = \\overline{(x_j-\\bar "
                   "x_j)^2}, "
                   "\\quad z_j = q_j + a_j w_j");
    HSP_SAY(e, "At the minimum this gives every weight back:");
    hsp_derivation_features(v, (const char *const[]){"`z_j`", "`a_j`", "`S(...)/(...)~S/(\\dots)`", "trained `w_j`"},
                            (const double *const[]){t->rest, t->curve, t->next, v->w}, 4);
    hsp_derivation_put(v, "z", t->rest);
    hsp_derivation_put(v, "a", t->curve);
}

static void write_gap(hsp_derivation *v) {
    hsp_exposition *e = &v->text;
    const hsp_certificate *c = &v->model->certificate;
    hsp_exposition_section(e, "How far from the minimum");
    HSP_SAY(e, "A dual point, the residuals scaled until every `|q_j|` is allowed, gives a lower bound D of "
               "`P = R(w) + C sum c loss~P = R(w) + C\\sum c\\,\\ell`. With `P = %1` and `D = %2` the relative gap is %3: "
               "no "
               "weights can be better than these by more.",
            number(c->objective), number(c->dual_bound), number(c->relative_gap));
    hsp_exposition_number(e, "P", c->objective);
    hsp_exposition_number(e, "D", c->dual_bound);
    hsp_exposition_number(e, "relative_gap", c->relative_gap);
}

static int write_sections(hsp_derivation *v, thresholds *t, hsp_error **err) {
    int64_t d = v->rows.d;
    t->lambda = t->c.p->lambda;
    t->rho = t->c.p->rho;
    t->centre = hsp_derivation_zeros(v, d);
    t->pull = hsp_derivation_zeros(v, d);
    t->curve = hsp_derivation_zeros(v, d);
    t->rest = hsp_derivation_zeros(v, d);
    t->next = hsp_derivation_zeros(v, d);
    if (!t->centre || !t->pull || !t->curve || !t->rest || !t->next) return hsp_fail_memory(err);
    int status = sum_columns(v, t, err);
    if (!status) status = threshold_columns(v, t, err);
    if (status) return status;
    write_objective(v, t);
    write_top(v, t);
    write_thresholds(v, t);
    hsp_convex_write_kkt(v, &t->c);
    write_gap(v);
    hsp_derivation_check(v, t->next, &t->b, "The soft threshold of each column, while the others rest");
    return HSP_OK;
}

static int explain_lasso(hsp_derivation *v, hsp_error **err) {
    thresholds t = {0};
    int status = hsp_convex_new(v, &t.c, err);
    if (!status) status = write_sections(v, &t, err);
    hsp_convex_free(&t.c);
    return status;
}

const hsp_explanation hsp_explanation_lasso = {
    .algorithm = "lasso",
    .idea = "lasso is least squares with the penalty lambda |w|_1, which sets weights of little use exactly to 0.",
    .write = explain_lasso};
const hsp_explanation hsp_explanation_elastic_net = {
    .algorithm = "elastic-net",
    .idea = "elastic-net is least squares with a mixture of the penalties |w|_1 and |w|^2/2.",
    .write = explain_lasso};
