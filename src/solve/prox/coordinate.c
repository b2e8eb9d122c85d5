/* See coordinate.h. The Newton steps with sign changes are in the spirit of the feature-sign search (Lee, Battle, Raina and
 * Ng 2007, "Efficient sparse coding algorithms"). */
#include "solve/prox/coordinate.h"

#include "base/error.h"
#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum { FIRST_SWEEPS = 8, MOST_RIDGES = 6, MANY = 2000 };

int hsp_quadratic_init(hsp_quadratic *Q, int64_t capacity, hsp_error **err) {
    *Q = (hsp_quadratic){.capacity = capacity};
    Q->in = hsp_alloc(capacity, sizeof *Q->in);
    bool allocated = Q->in && HSP_ALLOC_DOUBLES(capacity, &Q->t, &Q->u, &Q->r, &Q->step, &Q->along) &&
                     HSP_ALLOC(Q->A, capacity * capacity) && HSP_ALLOC(Q->L, capacity * capacity);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

void hsp_quadratic_free(hsp_quadratic *Q) {
    HSP_FREE(Q->t, Q->A, Q->L, Q->u, Q->r, Q->step, Q->along, Q->in);
    *Q = (hsp_quadratic){0};
}

static double largest_violation(const hsp_quadratic *Q) {
    double top = 0;
    for (int64_t j = 0; j < Q->m; j++) {
        double v = hsp_l1_violation(Q->u[j], Q->r[j], Q->t[j]);
        if (isnan(v)) return v;
        if (v > top) top = v;
    }
    return top;
}

/* One sweep over all variables. Returns the largest violation met. A variable without curvature has only its L1 term. */
static double sweep_once(hsp_quadratic *Q) {
    int64_t m = Q->m;
    double top = 0, *u = Q->u, *r = Q->r;
    for (int64_t j = 0; j < m; j++) {
        double a = Q->A[j * m + j], violation = hsp_l1_violation(u[j], r[j], Q->t[j]);
        if (violation > top) top = violation;
        if (violation == 0) continue;
        double to = a > 0 ? hsp_l1_minimum(u[j], r[j], a, Q->t[j]) : fabs(r[j]) <= Q->t[j] ? 0 : u[j];
        double move = to - u[j];
        if (move == 0 || !isfinite(move)) continue;
        u[j] = to;
        hsp_axpy_f64(move, Q->A + j * m, r, m);
    }
    return top;
}

static int64_t list_support(hsp_quadratic *Q) {
    int64_t count = 0;
    for (int64_t j = 0; j < Q->m; j++)
        if ((Q->u[j] != 0 || Q->t[j] == 0) && Q->A[j * Q->m + j] > 0) Q->in[count++] = j;
    return count;
}

/* Factorises A_SS with its diagonal raised by a growing share: dependent columns make it singular. */
static bool factorise(hsp_quadratic *Q, int64_t count) {
    double share = 0;
    for (int tries = 0; tries < MOST_RIDGES; tries++) {
        for (int64_t a = 0; a < count; a++) {
            const double *row = Q->A + Q->in[a] * Q->m;
            for (int64_t b = 0; b <= a; b++) Q->L[a * count + b] = row[Q->in[b]];
            Q->L[a * count + a] *= 1 + share;
        }
        if (hsp_cholesky(Q->L, count) == 0) return true;
        share = share == 0 ? 1e-13 : share * 100;
    }
    return false;
}

/* The minimum of q along u + x s, x >= 0; *zero is the variable that is exactly zero there, or -1. slope and bend are the
 * first and second derivative at u, with the signs of u; each u_j that passes zero adds 2 t |s_j| to the slope. */
static double share_to_minimum(const hsp_quadratic *Q, int64_t count, double slope, double bend, int64_t *zero) {
    double at = 0;
    *zero = -1;
    for (;;) {
        int64_t next = -1;
        double cross = INFINITY;
        for (int64_t a = 0; a < count; a++) { /* the next to pass zero */
            double u = Q->u[Q->in[a]], s = Q->step[a];
            if (u * s >= 0) continue;
            double x = -u / s;
            if (x > at && x < cross) {
                cross = x;
                next = a;
            }
        }
        double lowest = bend > 0 ? -slope / bend : INFINITY;
        if (lowest <= cross) return isfinite(lowest) ? (lowest > at ? lowest : at) : at;
        at = cross;
        slope += 2 * Q->t[Q->in[next]] * fabs(Q->step[next]);
        if (slope + bend * at >= 0) {
            *zero = Q->in[next];
            return at;
        }
    }
}

/* One Newton step in the variables that are not zero. True: it ended with one of them at zero. */
static bool take_newton_step(hsp_quadratic *Q, int64_t count) {
    int64_t m = Q->m, zero;
    if (count == 0 || !factorise(Q, count)) return false;
    for (int64_t a = 0; a < count; a++) {
        int64_t j = Q->in[a];
        Q->step[a] = -(Q->r[j] + (Q->u[j] > 0 ? Q->t[j] : Q->u[j] < 0 ? -Q->t[j] : 0));
    }
    hsp_cholesky_solve(Q->L, count, Q->step, 1);
    memset(Q->along, 0, (size_t)m * sizeof *Q->along);
    double slope = 0, bend = 0;
    for (int64_t a = 0; a < count; a++) {
        int64_t j = Q->in[a];
        if (!isfinite(Q->step[a])) return false;
        hsp_axpy_f64(Q->step[a], Q->A + j * m, Q->along, m);
        slope += Q->step[a] * (Q->r[j] + (Q->u[j] > 0 ? Q->t[j] : Q->u[j] < 0 ? -Q->t[j] : 0));
    }
    for (int64_t a = 0; a < count; a++) bend += Q->step[a] * Q->along[Q->in[a]];
    if (!(slope < 0)) return false;
    double far = share_to_minimum(Q, count, slope, bend, &zero);
    if (!(far > 0)) return false;
    for (int64_t a = 0; a < count; a++) Q->u[Q->in[a]] += far * Q->step[a];
    hsp_axpy_f64(far, Q->along, Q->r, m);
    if (zero >= 0 && Q->u[zero] != 0) {
        hsp_axpy_f64(-Q->u[zero], Q->A + zero * m, Q->r, m);
        Q->u[zero] = 0;
    }
    return zero >= 0;
}

double hsp_quadratic_descend(hsp_quadratic *Q, double tol, int64_t most, hsp_budget *budget) {
    double violation = largest_violation(Q), best = INFINITY;
    /* Sweeps that cost about as much as a Newton step; a start near the minimum has the right variables sooner. */
    int64_t turn = FIRST_SWEEPS + Q->m / (Q->near ? 64 : 16), idle = 0;
    for (int64_t k = 1; k <= most && violation > tol && isfinite(violation); k++) {
        sweep_once(Q);
        if (k % turn == 0) { /* no sweeps in between: with nearly dependent columns they would undo the zeros */
            int64_t count = list_support(Q), steps = 4 + MANY / (1 + count);
            for (int64_t t = 0; t < steps && take_newton_step(Q, count); t++) count = list_support(Q);
        }
        violation = largest_violation(Q);
        idle = violation < 0.5 * best ? 0 : idle + 1;
        if (idle == 0) best = violation;
        if (idle > 40 * turn) break; /* rounding */
        if (budget && k % 16 == 0 && hsp_budget_poll(budget)) break;
    }
    return violation;
}
