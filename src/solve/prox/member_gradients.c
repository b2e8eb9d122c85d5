/* Conjugate gradients in the weights that are not zero, and a line search that stops weights at zero. */
#include "design/columns.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/prox/column_model.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_GRADIENTS = 40, MOST_DESCENTS = 12 };

/* Members that can be moved, into the order. */
static int64_t order_curved(const hsp_prox *s) {
    const hsp_column_model *C = s->columns;
    const hsp_working_set *set = &C->set;
    int64_t count = 0;
    for (int64_t a = 0; a < set->count; a++) {
        bool held = s->move.u[set->weight[a]] == 0 && s->t > 0;
        if (!held && set->curvature[a] > 0 && C->unit[set->column[a]] > 0) set->order[count++] = a;
    }
    return count;
}

/* ---- products with the Hessian ---- */

/* rows becomes (as q in hsp_column_model) the change of the scores when the members move by `aim`, and `product` its sums
 * over the columns: by the packed columns, or by the rows of the design, where these are so many that vectors over columns
 * stay in the cache and vectors over rows do not. */
static void multiply_by_columns(hsp_prox *s, int64_t count, double *rows) {
    hsp_column_model *C = s->columns;
    const int64_t *order = C->set.order;
    memset(rows, 0, (size_t)(s->n * s->K) * sizeof *rows);
    for (int64_t b = 0; b < count; b++) {
        hsp_member_add(s, C->gradients.aim[b] * hsp_member_stretch(C, order[b]), order[b], rows);
        C->work += 2 * (double)C->set.length[order[b]];
    }
    for (int64_t b = 0; b < count; b++)
        C->gradients.product[b] = hsp_member_stretch(C, order[b]) * hsp_member_dot(s, order[b], rows);
}

static void multiply_by_rows(hsp_prox *s, int64_t count, double *rows) {
    const hsp_design *D = s->p->design;
    hsp_column_model *C = s->columns;
    const double *root = s->rows.h;
    double shift = 0, *wide = C->wide, *y = s->move.losses; /* free while a model is solved */
    memset(wide, 0, (size_t)D->d * sizeof *wide);
    for (int64_t b = 0; b < count; b++) {
        int64_t j = C->set.column[C->set.order[b]];
        wide[hsp_column_origin(C->columns, j)] = C->gradients.aim[b];
        shift += hsp_column_p(C->columns, j) * C->gradients.aim[b];
    }
    hsp_design_scores(D, wide, shift, rows);
    for (int64_t i = 0; i < s->n; i++) {
        rows[i] *= root[i];
        y[i] = root[i] * rows[i];
    }
    double sum = D->p ? hsp_sum_f64(y, s->n) : 0;
    hsp_design_adjoint(D, y, wide);
    for (int64_t b = 0; b < count; b++) {
        int64_t j = C->set.column[C->set.order[b]];
        C->gradients.product[b] = wide[hsp_column_origin(C->columns, j)] + hsp_column_p(C->columns, j) * sum;
    }
    C->work += 0.7 * (double)C->columns->stored;
}

/* Adds the changes of o and T when the members move by v to sums, 2 K numbers. */
static void follow_all(const hsp_prox *s, int64_t count, const double *v, double *sums) {
    const hsp_column_model *C = s->columns;
    if (s->p->intercept == HSP_INTERCEPT_NONE && !C->columns->p) return;
    for (int64_t b = 0; b < count; b++) {
        if (v[b] == 0) continue;
        hsp_member_follow(s, C->set.order[b]);
        for (int64_t l = 0; l < 2 * s->K; l++) sums[l] += v[b] * C->follow[l];
    }
}

/* V.o - p_j T_k of member a. */
static double pull_of_intercepts(const hsp_prox *s, int64_t a, const double *sums) {
    const hsp_column_model *C = s->columns;
    int64_t K = s->K;
    double g = 0;
    for (int64_t l = 0; l < K; l++) g += C->set.V[a * K + l] * sums[l];
    return g - hsp_column_p(C->columns, C->set.column[a]) * sums[K + hsp_member_output(s, a)];
}

/* product = (the model's Hessian with a slightly raised diagonal) aim, and rows as above. Returns aim'product. */
static double multiply(hsp_prox *s, int64_t count, bool by_rows, double *rows) {
    const hsp_column_model *C = s->columns;
    const hsp_member_gradients *g = &C->gradients;
    double sum = 0, *sums = C->follow + 2 * s->K;
    memset(sums, 0, (size_t)(2 * s->K) * sizeof *sums);
    follow_all(s, count, g->aim, sums);
    (by_rows ? multiply_by_rows : multiply_by_columns)(s, count, rows);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = C->set.order[b];
        g->product[b] +=
            (s->ridge + HSP_COLUMN_STIFFNESS * C->set.curvature[a]) * g->aim[b] + pull_of_intercepts(s, a, sums);
        sum += g->aim[b] * g->product[b];
    }
    return sum;
}

/* ---- the step ---- */

static double inner(const double *x, const double *y, int64_t count) {
    double sum = 0;
    for (int64_t b = 0; b < count; b++) sum += x[b] * y[b];
    return sum;
}

static void precondition(hsp_prox *s, int64_t count) {
    const hsp_column_model *C = s->columns;
    const hsp_member_gradients *g = &C->gradients;
    if (C->factor.count > 0) {
        hsp_member_precondition(s, count, g->rest, g->sloped);
        return;
    }
    for (int64_t b = 0; b < count; b++) g->sloped[b] = g->rest[b] / C->set.curvature[C->set.order[b]];
}

/* Initialises the step and its residual. Returns the tolerance for it. */
static double start_step(hsp_prox *s, int64_t count, double tol) {
    const hsp_column_model *C = s->columns;
    const hsp_member_gradients *g = &C->gradients;
    double worst = 0;
    for (int64_t b = 0; b < count; b++) {
        int64_t a = C->set.order[b];
        double u = s->move.u[C->set.weight[a]], t = C->set.threshold[a];
        g->step[b] = 0;
        g->tilt[b] = hsp_member_slope(s, a);
        g->rest[b] = -(g->tilt[b] + (u > 0 ? t : u < 0 ? -t : 0));
        if (fabs(g->rest[b]) > worst) worst = fabs(g->rest[b]);
    }
    precondition(s, count);
    memcpy(g->aim, g->sloped, (size_t)count * sizeof *g->aim);
    return fmax(tol, worst / 10);
}

/* Leaves the step, and the change of the scores in move.q. Returns the slope along the step. */
static double find_step(hsp_prox *s, int64_t count, double tol, double most) {
    const hsp_column_model *C = s->columns;
    const hsp_member_gradients *g = &C->gradients;
    double slant = 0, stored = 0, *rows = s->move.trial, *sum = s->move.q, end = C->work + most;
    for (int64_t b = 0; b < count; b++) stored += (double)C->set.length[C->set.order[b]];
    bool by_rows = C->wide && stored > 0.4 * (double)C->columns->stored;
    memset(sum, 0, (size_t)(s->n * s->K) * sizeof *sum);
    tol = start_step(s, count, tol);
    double before = inner(g->rest, g->sloped, count);
    for (int k = 0; k < MOST_GRADIENTS && before > 0 && C->work < end; k++) {
        double bend = multiply(s, count, by_rows, rows), top = 0;
        if (!(bend > 0) || !isfinite(bend)) break;
        double far = before / bend;
        slant -= far * before; /* the slope along the step: all aims are conjugate */
        for (int64_t b = 0; b < count; b++) {
            g->step[b] += far * g->aim[b];
            g->rest[b] -= far * g->product[b];
            if (fabs(g->rest[b]) > top) top = fabs(g->rest[b]);
        }
        hsp_axpy_f64(far, rows, sum, s->n * s->K);
        if (top <= tol) break;
        precondition(s, count);
        double now = inner(g->rest, g->sloped, count);
        for (int64_t b = 0; b < count; b++) g->aim[b] = g->sloped[b] + now / before * g->aim[b];
        before = now;
    }
    return slant;
}

/* ---- its length ---- */

/* The change of the model when the members in the order move by `product`, and the scores by `rows`. */
static double model_change(const hsp_prox *s, int64_t count, const double *rows) {
    const hsp_column_model *C = s->columns;
    const double *by = C->gradients.product;
    double linear = 0, square = 0, bent = 0, *sums = C->follow + 2 * s->K;
    memset(sums, 0, (size_t)(2 * s->K) * sizeof *sums);
    follow_all(s, count, by, sums);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = C->set.order[b];
        double u = s->move.u[C->set.weight[a]], D = by[b];
        if (D == 0) continue;
        linear += C->gradients.tilt[b] * D + C->set.threshold[a] * (fabs(u + D) - fabs(u));
        square += D * D;
        bent += D * pull_of_intercepts(s, a, sums);
        if (s->K > 1) bent += D * hsp_member_stretch(C, a) * hsp_member_dot(s, a, rows);
    }
    if (s->K == 1) bent += hsp_dot_f64(rows, rows, s->n);
    return linear + (bent + s->ridge * square) / 2;
}

/* A share of the step, with weights that would pass zero stopped there: two equal columns with weights of opposite signs
 * would cancel, and the next step would diverge. Fills product, and rows with the change of the scores. Returns the change
 * of the model. */
static double stop_at_zero(hsp_prox *s, int64_t count, double share, double *rows, int64_t *stopped) {
    hsp_column_model *C = s->columns;
    *stopped = 0;
    for (int64_t i = 0; i < s->n * s->K; i++) rows[i] = share * s->move.q[i];
    for (int64_t b = 0; b < count; b++) {
        int64_t a = C->set.order[b];
        double u = s->move.u[C->set.weight[a]], by = share * C->gradients.step[b], to = u + by;
        C->gradients.product[b] = by;
        if (u * to > 0 || s->t == 0) continue;
        C->gradients.product[b] = -u;
        hsp_member_add(s, -to * hsp_member_stretch(C, a), a, rows);
        C->work += (double)C->set.length[a];
        ++*stopped;
    }
    return model_change(s, count, rows);
}

/* The share of the step at the minimum of the model, past zeros as long as it decreases; the slope along it is `slant`, minus
 * the second derivative. *first is the share up to the first zero. */
static double share_to_minimum(const hsp_prox *s, int64_t count, double slant, double *first) {
    const hsp_working_set *set = &s->columns->set;
    const double *step = s->columns->gradients.step;
    double at = 0, bend = -slant;
    *first = 0;
    for (;;) {
        int64_t next = -1;
        double cross = INFINITY;
        for (int64_t b = 0; b < count; b++) {
            double u = s->move.u[set->weight[set->order[b]]], x = -u / step[b];
            if (u * step[b] < 0 && x > at && x < cross) {
                cross = x;
                next = b;
            }
        }
        double lowest = -slant / bend;
        if (lowest <= cross) return lowest > at ? lowest : at;
        at = cross;
        slant += 2 * set->threshold[set->order[next]] * fabs(step[next]);
        if (*first == 0) *first = at;
        if (slant + bend * at >= 0) return at;
    }
}

/* The whole step if that lowers the model well, else the step to the model's minimum. Returns how many weights became zero, or
 * -1: there was no step. The Hessian is factorised once the work without a factor has cost as much. */
static int64_t take_step(hsp_prox *s, int64_t count, double tol, double most) {
    hsp_column_model *C = s->columns;
    double *rows = s->move.trial, begun = C->work;
    if (C->gradients.owed > hsp_member_factor_cost(s, count)) {
        hsp_member_factorise(s, count);
        C->gradients.owed = 0;
        begun = C->work;
    }
    double slant = find_step(s, count, tol, most);
    C->gradients.owed += C->work - begun;
    if (!(slant < 0) || !isfinite(slant)) return -1;
    int64_t stopped;
    double fall = stop_at_zero(s, count, 1, rows, &stopped);
    if (!(fall <= slant / 8)) { /* it is slant / 2 when none is stopped */
        double first, far = share_to_minimum(s, count, slant, &first), other = stop_at_zero(s, count, far, rows, &stopped);
        if (!(other <= fall)) other = stop_at_zero(s, count, fall < 0 ? 1 : first * (1 + 4 * DBL_EPSILON), rows, &stopped);
        fall = other;
    }
    if (!(fall < 0)) return -1;
    for (int64_t b = 0; b < count; b++) s->move.u[C->set.weight[C->set.order[b]]] += C->gradients.product[b];
    follow_all(s, count, C->gradients.product, C->offset); /* and total, behind it */
    hsp_axpy_f64(1, rows, C->q, s->n * s->K);
    return stopped;
}

void hsp_member_gradients_descend(hsp_prox *s, double tol, double most) {
    for (int k = 0; k < MOST_DESCENTS; k++) {
        int64_t count = order_curved(s);
        if (count == 0 || take_step(s, count, tol / 3, most) <= 0) return;
    }
}
