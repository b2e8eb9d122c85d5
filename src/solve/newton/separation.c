/* See separation.h. With K outputs the "rows" are pairs of a row and a class other than its own, and their gain is the score
 * of the own class less that of the other. The projection is found by conjugate gradients on the normal equations of the rows
 * that must not move (Paige and Saunders's CGLS form), with columns scaled to length 1. */
#include "solve/newton/separation.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "solve/loop/solver.h"

#include <math.h>

enum { MOST_PRODUCTS = 300 };
/* A row whose log-odds gain more than this diverges; if one loses more than this, there is no separation. */
static const double RUNS = 0.3;
static const double STAYS = 1e-8;   /* gains below this share of the largest count as none */
static const double STRICT = 1e-12; /* margins up to this share of the largest score may be rounding */

static int64_t point_size(const hsp_problem *p) {
    return p->outputs * (p->design->d + 1);
}

static void measure_columns(hsp_separation *s) {
    const hsp_design *D = s->p->design;
    for (int64_t i = 0; i < D->n; i++) {
        hsp_row row = hsp_design_row(D, i, NULL);
        for (int64_t e = 0; e < row.count; e++) {
            double x = hsp_row_value(row, e);
            s->length[hsp_row_id(row, e)] += x * x;
        }
    }
    for (int64_t j = 0; j < D->d; j++) {
        double square = s->length[j] + (D->p ? (double)D->n * D->p[j] * D->p[j] : 0); /* rough where columns are centred */
        s->length[j] = square > 0 ? sqrt(square) : 1;
    }
}

int hsp_separation_init(hsp_separation *s, hsp_problem *p, hsp_error **err) {
    *s = (hsp_separation){.p = p};
    s->possible = !p->penalty->penalises && (p->loss->traits & HSP_LOSS_POSITIVE);
    if (!s->possible) return HSP_OK;
    if (!HSP_ALLOC_DOUBLES(point_size(p), &s->v, &s->e, &s->q, &s->u) || !HSP_ALLOC_DOUBLES(p->design->d, &s->length) ||
        !HSP_ALLOC_DOUBLES(p->design->n * p->outputs, &s->gains, &s->rho, &s->t))
        return hsp_fail_memory(err);
    measure_columns(s);
    return HSP_OK;
}

void hsp_separation_free(hsp_separation *s) {
    HSP_FREE(s->v, s->e, s->q, s->u, s->length, s->gains, s->rho, s->t);
}

static bool row_weighs(const hsp_problem *p, int64_t i) {
    return !p->c || p->c[i] > 0;
}

bool hsp_separation_one_class(const hsp_problem *p) {
    if (p->intercept != HSP_INTERCEPT_FREE || p->regression || !(p->loss->traits & HSP_LOSS_POSITIVE)) return false;
    int64_t first = -1;
    for (int64_t i = 0; i < p->design->n; i++) {
        if (!row_weighs(p, i)) continue;
        if (first < 0) first = i;
        if (p->y[i] != p->y[first]) return false;
    }
    return true;
}

/* g (n x K) <- the gain of each row against each other class; 0 for its own. For one output y g. Or the transpose of that
 * operator. */
static void turn_to_gains(const hsp_problem *p, double *g, bool transposed) {
    int64_t n = p->design->n, K = p->outputs;
    for (int64_t i = 0; i < n; i++, g += K) {
        if (K == 1) {
            g[0] *= p->y[i];
            continue;
        }
        int64_t own = (int64_t)p->y[i];
        double mine = g[own], others = 0;
        for (int64_t k = 0; k < K; k++) {
            if (k != own) others += g[k];
            g[k] = transposed ? -g[k] : mine - g[k];
        }
        if (transposed) g[own] = others;
    }
}

static bool pair_counts(const hsp_problem *p, int64_t i, int64_t k) {
    return row_weighs(p, i) && (p->outputs == 1 || k != (int64_t)p->y[i]);
}

/* The least and the largest gain. */
static void extreme_gains(const hsp_problem *p, const double *g, double *least, double *most) {
    *least = INFINITY;
    *most = -INFINITY;
    for (int64_t i = 0; i < p->design->n; i++)
        for (int64_t k = 0; k < p->outputs; k++) {
            if (!pair_counts(p, i, k)) continue;
            double v = g[i * p->outputs + k];
            if (v < *least || isnan(v)) *least = v;
            if (v > *most) *most = v;
        }
}

bool hsp_separation_complete(hsp_separation *s, const double *point, const double *scores) {
    if (!s->possible) return false;
    const hsp_problem *p = s->p;
    int64_t all = p->design->n * p->outputs, size = point_size(p);
    double least, most;
    for (int64_t e = 0; e < all; e++) s->gains[e] = scores[e];
    turn_to_gains(p, s->gains, false);
    extreme_gains(p, s->gains, &least, &most);
    double offset = 0;
    for (int64_t k = 0; k < p->outputs; k++) offset = fmax(offset, fabs(point[p->outputs * p->design->d + k]));
    if (!(least > STRICT * fmax(most, offset))) return false;
    for (int64_t j = 0; j < size; j++) s->v[j] = point[j];
    return true;
}

/* ---- the projection ---- */

/* t <- the gains along u (unit columns), of the rows that must stay; 0 for the others. */
static void gains_along(hsp_separation *s, const double *u, double *t) {
    hsp_problem *p = s->p;
    int64_t d = p->design->d, K = p->outputs;
    for (int64_t k = 0; k < K; k++)
        for (int64_t j = 0; j < d; j++) s->q[k * d + j] = u[k * d + j] / s->length[j];
    for (int64_t k = 0; k < K; k++)
        s->q[K * d + k] = p->intercept == HSP_INTERCEPT_NONE ? 0 : u[K * d + k] / sqrt((double)p->design->n);
    hsp_problem_scores(p, s->q, s->q + K * d, t);
    turn_to_gains(p, t, false);
    for (int64_t e = 0; e < p->design->n * K; e++)
        if (!pair_counts(p, e / K, e % K) || s->gains[e] >= RUNS) t[e] = 0;
}

/* u <- the transpose of gains_along applied to rho; overwrites t. */
static void gains_transposed(hsp_separation *s, double *u) {
    hsp_problem *p = s->p;
    int64_t d = p->design->d, K = p->outputs;
    double *t = s->t;
    for (int64_t e = 0; e < p->design->n * K; e++) t[e] = s->rho[e];
    turn_to_gains(p, t, true);
    hsp_problem_adjoint(p, t, u);
    for (int64_t k = 0; k < K; k++) {
        for (int64_t j = 0; j < d; j++) u[k * d + j] /= s->length[j];
        double sum = 0;
        for (int64_t i = 0; i < p->design->n; i++) sum += t[i * K + k];
        u[K * d + k] = p->intercept == HSP_INTERCEPT_NONE ? 0 : sum / sqrt((double)p->design->n);
    }
}

/* v (unit columns) <- its projection onto the subspace where the rows that must stay do not move. */
static void project_direction(hsp_separation *s) {
    int64_t all = s->p->design->n * s->p->outputs, size = point_size(s->p);
    gains_along(s, s->v, s->rho);
    hsp_scale_f64(-1, s->rho, all);
    double first = hsp_dot_f64(s->rho, s->rho, all);
    gains_transposed(s, s->u);
    for (int64_t j = 0; j < size; j++) s->e[j] = s->u[j];
    double gamma = hsp_dot_f64(s->u, s->u, size);
    for (int turn = 0; turn < MOST_PRODUCTS && gamma > 0; turn++) {
        gains_along(s, s->e, s->t);
        double alpha = gamma / hsp_dot_f64(s->t, s->t, all);
        if (!isfinite(alpha)) break;
        hsp_axpy_f64(alpha, s->e, s->v, size);
        hsp_axpy_f64(-alpha, s->t, s->rho, all);
        if (hsp_dot_f64(s->rho, s->rho, all) <= 1e-28 * first) break;
        gains_transposed(s, s->u);
        double next = hsp_dot_f64(s->u, s->u, size), beta = next / gamma;
        gamma = next;
        for (int64_t j = 0; j < size; j++) s->e[j] = s->u[j] + beta * s->e[j];
    }
}

/* v from original to unit columns (sign 1), or back (-1). */
static void rescale_direction(hsp_separation *s, int sign) {
    const hsp_problem *p = s->p;
    int64_t d = p->design->d, K = p->outputs;
    double root = sqrt((double)p->design->n);
    for (int64_t k = 0; k < K; k++) {
        for (int64_t j = 0; j < d; j++) s->v[k * d + j] *= sign > 0 ? s->length[j] : 1 / s->length[j];
        s->v[K * d + k] *= sign > 0 ? root : 1 / root;
    }
}

bool hsp_separation_quasi(hsp_separation *s, const double *step, const double *change) {
    if (!s->possible) return false;
    hsp_problem *p = s->p;
    int64_t all = p->design->n * p->outputs, size = point_size(p);
    double least, most;
    for (int64_t e = 0; e < all; e++) s->gains[e] = change[e];
    turn_to_gains(p, s->gains, false);
    extreme_gains(p, s->gains, &least, &most);
    if (!(least > -RUNS) || !(most >= RUNS) || !isfinite(most)) return false;
    for (int64_t j = 0; j < size; j++) s->v[j] = step[j];
    rescale_direction(s, 1);
    project_direction(s);
    rescale_direction(s, -1);
    hsp_problem_scores(p, s->v, s->v + p->outputs * p->design->d, s->t);
    turn_to_gains(p, s->t, false);
    extreme_gains(p, s->t, &least, &most);
    return most >= RUNS / 10 && least >= -STAYS * most;
}

int hsp_separation_columns(const hsp_separation *s, int64_t *columns) {
    if (!s->possible) return 0;
    int64_t d = s->p->design->d;
    int count = 0;
    for (int64_t j = 0; j < d; j++) { /* the influence of each column on the scores */
        s->q[j] = 0;
        for (int64_t k = 0; k < s->p->outputs; k++) s->q[j] = fmax(s->q[j], fabs(s->v[k * d + j]) * s->length[j]);
    }
    double top = 0;
    while (count < HSP_MOST_DIVERGING) {
        int64_t best = -1;
        for (int64_t j = 0; j < d; j++)
            if (s->q[j] > 0 && (best < 0 || s->q[j] > s->q[best])) best = j;
        if (best < 0 || s->q[best] < 1e-3 * top) break;
        if (count == 0) top = s->q[best];
        columns[count++] = best;
        s->q[best] = 0;
    }
    return count;
}
