/* least-squares and ridge: the normal equations A theta = b, with the row of ones for the intercept. */
#include "base/error.h"
#include "design/design.h"
#include "explain/derivation.h"
#include "explain/explain_logistic.h"
#include "explain/normal_equations.h"
#include "explain/symmetric.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void write_objective(hsp_derivation *v, const hsp_normal_equations *q) {
    hsp_exposition *e = &v->text;
    hsp_exposition_section(e, "The objective");
    HSP_SAY(e, "The score of a row is `g = w.x + b~g = w\\cdot x + b`. The loss of a row is half the square of its "
               "residual. "
               "The mean loss over all rows is to be small:");
    if (q->ridge)
        HSP_FORMULA(e, "J(w, b) = lambda/2 |w|^2 + 1/(2 sum c) sum_i c_i (y_i - w.x_i - b)^2,  lambda = %1~"
                       "J(w,b) = \\frac{\\lambda}{2}\\lVert w\\rVert^2 + \\frac{1}{2\\sum c}\\sum_i c_i (y_i - w\\cdot x_i "
                       "- b)^2, \\quad \\lambda = %1",
                    number(q->lambda));
    else
        HSP_FORMULA(e, "J(w, b) = 1/(2 sum c) sum_i c_i (y_i - w.x_i - b)^2~"
                       "J(w,b) = \\frac{1}{2\\sum c}\\sum_i c_i (y_i - w\\cdot x_i - b)^2");
    if (v->intercept == HSP_INTERCEPT_NONE) HSP_SAY(e, "There is no intercept: `b = 0` (--intercept none).");
    if (v->outputs > 1)
        HSP_SAY(e, "Each class has a target of its own: +1 for its rows, -1 for the others. All %1 problems share one "
                   "matrix A.",
                whole(v->outputs));
    hsp_exposition_number(e, "lambda", q->lambda);
    hsp_exposition_number(e, "C", q->C);
}

static void table_of_columns(hsp_derivation *v, const hsp_normal_equations *q, const char *corner) {
    hsp_exposition_table(&v->text, corner, NULL, 0);
    if (q->ones) hsp_exposition_heading(&v->text, "1");
    for (int64_t j = 0; j < v->count; j++) hsp_exposition_symbol(&v->text, "x", v->shown[j] + 1);
}

/* Column t of the shown part of A. */
static int64_t column_at(const hsp_derivation *v, const hsp_normal_equations *q, int64_t t) {
    return q->ones && t == 0 ? 0 : v->shown[t - q->ones] + q->ones;
}

static void write_matrix(hsp_derivation *v, const hsp_normal_equations *q) {
    hsp_exposition *e = &v->text;
    char buf[HSP_LABEL_SIZE];
    int64_t m = v->count + q->ones;
    double *part = hsp_derivation_zeros(v, m * m), *right = hsp_derivation_zeros(v, v->outputs * m);
    if (!part || !right) return;
    for (int64_t i = 0; q->all && i < m * m; i++)
        part[i] = q->A[column_at(v, q, i / m) * q->p + column_at(v, q, i % m)];
    for (int64_t i = 0; i < v->outputs * m; i++) right[i] = q->r[i / m * q->p + column_at(v, q, i % m)];
    hsp_exposition_section(e, "The normal equations");
    HSP_SAY(e, q->ones ? "Write a 1 before every row, `(1, x)`, and the intercept before the weights, `theta = (b, w)~"
                         "\\theta = (b, w)`. Then `g = theta.(1, x)~g = \\theta\\cdot(1, x)`, and the gradient is linear "
                         "in "
                         "theta:"
                       : "Write `theta = w~\\theta = w`. The gradient is linear in theta:");
    HSP_FORMULA(e, "dJ/dtheta = -b + A theta,  A = 1/sum c  sum_i c_i x_i x_i',  b = 1/sum c  sum_i c_i y_i x_i~"
                   "\\nabla_\\theta J = -b + A\\theta, \\quad A = \\frac{1}{\\sum c}\\sum_i c_i x_i x_i^T, \\quad b = "
                   "\\frac{1}{\\sum c}\\sum_i c_i y_i x_i");
    if (q->all) {
        HSP_SAY(e, "A of these rows%1:", phrase(q->ridge ? ", before lambda is added" : ""));
        table_of_columns(v, q, "");
        for (int64_t i = 0; i < m; i++)
            hsp_exposition_row(e, hsp_derivation_feature(v, q->ones ? (i ? v->shown[i - 1] : -1) : v->shown[i], buf),
                               part + i * m, NULL);
        hsp_exposition_table_end(e, NULL);
        hsp_exposition_matrix(e, "A", part, m, m);
    } else {
        HSP_SAY(e, "A has %1 x %1 numbers and is left out.", whole(q->p));
    }
    int64_t shown = v->outputs < HSP_SHOWN_CLASSES ? v->outputs : HSP_SHOWN_CLASSES;
    HSP_SAY(e, "The right-hand side b%1:", phrase(v->outputs > 1 ? ", one row for each class" : ""));
    table_of_columns(v, q, v->outputs > 1 ? "class" : "");
    for (int64_t k = 0; k < shown; k++)
        hsp_exposition_row(e, v->outputs > 1 ? hsp_derivation_class(v, k) : "b", right + k * m, NULL);
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_matrix(e, "b", right, v->outputs, m);
}

static int write_inverse(hsp_derivation *v, hsp_normal_equations *q, hsp_error **err) {
    hsp_exposition *e = &v->text;
    hsp_symmetric S;
    int status = hsp_symmetric_new(v, q->A, q->p, &S, err);
    if (status) return status;
    q->singular = S.rank < q->p;
    hsp_exposition_section(e, "Is A invertible?");
    HSP_SAY(e, "A is symmetric and its eigenvalues are not negative. It is invertible if none of them is 0.");
    hsp_symmetric_describe(v, &S, "A", "eigenvalues");
    hsp_symmetric_describe_null(v, &S, q->ones);
    if (S.rank < q->p && !q->ridge)
        HSP_SAY(e, "The data do not say how to set theta along these directions: many theta give the same scores and the "
                   "same J. Of all of them, train takes the one with the smallest `|w|~\\lVert w\\rVert`.");
    if (S.rank < q->p && q->ridge)
        HSP_SAY(e, "Without lambda many theta would give the same J. Adding lambda to the diagonal removes the zeros, so "
                   "that A + lambda I is invertible and the solution is unique.");
    return HSP_OK;
}

static void write_solution(hsp_derivation *v, const hsp_normal_equations *q) {
    hsp_exposition *e = &v->text;
    int64_t m = v->count + q->ones, k = v->k;
    double *part = hsp_derivation_zeros(v, v->outputs * m), residual = hsp_normal_equations_residual(v, q);
    if (!part) return;
    for (int64_t i = 0; i < v->outputs * m; i++) part[i] = q->theta[i / m * q->p + column_at(v, q, i % m)];
    hsp_exposition_section(e, "The solution");
    HSP_SAY(e, "The gradient is 0 at the minimum:");
    if (q->ridge)
        HSP_FORMULA(e, "(A + lambda I) theta = b~(A + \\lambda I)\\,\\theta = b");
    else if (q->singular)
        HSP_FORMULA(e, "A theta = b, of minimum |w|~A\\theta = b, \\quad \\lVert w\\rVert \\text{ minimal}");
    else
        HSP_FORMULA(e, "A theta = b,  theta = A^-1 b~A\\theta = b, \\quad \\theta = A^{-1} b");
    if (q->ridge && v->intercept == HSP_INTERCEPT_FREE)
        HSP_SAY(e, "The intercept is not penalised: I has a 0 in the place of the ones.");
    hsp_figure theta = vector(part + k * m, m);
    theta.cut = v->count < v->rows.d;
    if (v->outputs > 1) HSP_SAY(e, "For class '%1':", word(hsp_derivation_class(v, k)));
    HSP_FORMULA(e, "theta = %1~\\theta = %1", theta);
    bool rounding = residual <= 1e-11 * hsp_normal_equations_size(q, v->outputs);
    if (rounding)
        HSP_SAY(e, "Put back into the equations, both sides are equal up to rounding errors.");
    else
        HSP_SAY(e, q->ridge ? "Put back in, `(A + lambda I) theta - b~(A+\\lambda I)\\,\\theta - b` is at most %1 in any "
                              "component."
                            : "Put back in, `A theta - b~A\\theta - b` is at most %1 in any component.",
                number(residual));
    hsp_exposition_matrix(e, "theta", part, v->outputs, m);
    hsp_exposition_number(e, "residual", residual);
}

/* ---- what lambda does ---- */

/* The mean square of the targets, about their mean if the intercept is free. */
static double target_spread(hsp_derivation *v, const hsp_normal_equations *q) {
    double sum = 0, centre = q->ones ? q->target_mean[v->k] : 0;
    hsp_derivation_choose(v, v->k);
    for (int64_t i = 0; i < v->rows.n; i++) sum += v->rows.c[i] * pow(v->rows.y[i] - centre, 2) / v->rows.mass;
    return sum;
}

static int write_lambda(hsp_derivation *v, const hsp_normal_equations *q, hsp_error **err) {
    hsp_exposition *e = &v->text;
    static const double factor[] = {0.01, 0.1, 1, 10, 100};
    enum { TRIES = 5 };
    int64_t d = v->rows.d, shown = d < 8 ? d : 8;
    double *V = hsp_derivation_zeros(v, d * d), *value = hsp_derivation_zeros(v, d), figures[TRIES][3];
    double *shrink = hsp_derivation_zeros(v, 2 * d);
    if (!V || !value || !shrink) return hsp_fail_memory(err);
    memcpy(V, q->S, (size_t)(d * d) * sizeof *V);
    int status = hsp_symmetric_eigen(V, d, value, err);
    if (status) return status;
    double spread = target_spread(v, q);
    hsp_exposition_section(e, "What lambda does");
    HSP_SAY(e, "Along an eigenvector of the covariance matrix of the features with the eigenvalue e, lambda multiplies the "
               "least-squares solution by `e / (e + lambda)~\\frac{e}{e+\\lambda}`. Directions in which the data vary "
               "little "
               "shrink most.");
    hsp_exposition_table(e, "direction", (const char *const[]){"`e`", "`e/(e + lambda)~e/(e+\\lambda)`"}, 2);
    for (int64_t a = 0; a < shown; a++) {
        char label[32];
        int64_t at = d <= 8 || a < 4 ? d - 1 - a : 7 - a;
        shrink[2 * a] = value[at] > 1e-14 * value[d - 1] ? value[at] : 0;
        shrink[2 * a + 1] = shrink[2 * a] / (shrink[2 * a] + q->lambda);
        snprintf(label, sizeof label, "%lld", (long long)(d - at));
        hsp_exposition_row(e, label, shrink + 2 * a, NULL);
    }
    hsp_exposition_table_end(e, NULL);
    if (d > shown) HSP_SAY(e, "The %1 directions between are left out.", whole(d - shown));
    HSP_SAY(e, "A larger lambda gives smaller weights and a larger mean loss on these rows%1:",
            phrase(v->outputs > 1 ? " (of the class above)" : ""));
    hsp_exposition_table(e, "lambda",
                         (const char *const[]){"`lambda~\\lambda`", "`|w|~\\lVert w\\rVert`", "mean loss"}, 3);
    for (int t = 0; t < TRIES; t++) {
        char label[32];
        figures[t][0] = factor[t] * q->lambda;
        hsp_normal_equations_at(v, q, value, V, figures[t][0], spread, figures[t] + 1);
        snprintf(label, sizeof label, t == 2 ? "as given" : t < 2 ? "%s less" : "%s more",
                 t == 0 || t == 4 ? "100 times" : "10 times");
        hsp_exposition_row(e, label, figures[t], NULL);
    }
    hsp_exposition_table_end(e, NULL);
    hsp_exposition_matrix(e, "directions", shrink, shown, 2);
    hsp_exposition_matrix(e, "lambdas", &figures[0][0], TRIES, 3);
    return HSP_OK;
}

/* ---- both algorithms ---- */

/* Too many columns for A: theta is the trained one, and the gradient there shows that it is a solution. */
static int check_gradient(hsp_derivation *v, const hsp_normal_equations *q, hsp_error **err) {
    int64_t n = v->rows.n, d = v->rows.d;
    double *g = hsp_derivation_zeros(v, n), *out = hsp_derivation_zeros(v, d), most = 0;
    if (!g || !out) return hsp_fail_memory(err);
    hsp_derivation_choose(v, v->k);
    hsp_design_scores(v->design, v->w + v->k * d, v->b[v->k], g);
    for (int64_t i = 0; i < n; i++) g[i] = v->rows.c[i] / v->rows.mass * (g[i] - v->rows.y[i]);
    hsp_design_adjoint(v->design, g, out);
    for (int64_t j = 0; j < d; j++) most = fmax(most, fabs(out[j] + q->lambda * v->w[v->k * d + j]));
    hsp_exposition_section(&v->text, "Check");
    HSP_SAY(&v->text, "At the trained weights the largest component of the gradient `A theta - b~A\\theta - b` is %1, "
                      "computed "
                      "from the rows: they solve the normal equations.", number(most));
    hsp_exposition_number(&v->text, "residual", most);
    return HSP_OK;
}

static int explain_squares(hsp_derivation *v, bool ridge, hsp_error **err) {
    hsp_normal_equations q = {.ridge = ridge, .lambda = 0, .C = NAN};
    if (ridge) q.lambda = 1 / (v->model->objective.C * v->rows.mass);
    if (ridge) q.C = v->model->objective.C;
    hsp_derivation_choose(v, v->outputs > 1 ? hsp_derivation_hardest(v) : 0);
    int status = hsp_normal_equations_sum(v, &q, err);
    if (status) return status;
    write_objective(v, &q);
    write_matrix(v, &q);
    if (!q.all) return check_gradient(v, &q, err);
    status = write_inverse(v, &q, err);
    if (!status) status = hsp_normal_equations_solve(v, &q, err);
    if (status) return status;
    write_solution(v, &q);
    if (ridge && v->intercept != HSP_INTERCEPT_PENALISED) status = write_lambda(v, &q, err);
    if (!status) hsp_derivation_check(v, q.w, q.b, "The solution of the equations");
    return status;
}

static int explain_least_squares(hsp_derivation *v, hsp_error **err) {
    return explain_squares(v, false, err);
}

static int explain_ridge(hsp_derivation *v, hsp_error **err) {
    if (strcmp(v->model->objective.loss, "squared") != 0) return hsp_explain_newton(v, err);
    return explain_squares(v, true, err);
}

const hsp_explanation hsp_explanation_least_squares = {
    .algorithm = "least-squares",
    .idea = "least-squares chooses the weights with the least mean squared residual; they solve linear equations.",
    .write = explain_least_squares};
const hsp_explanation hsp_explanation_ridge = {
    .algorithm = "ridge",
    .idea = "ridge is least squares with a penalty lambda/2 |w|^2, which keeps the weights small and the solution unique.",
    .write = explain_ridge};
