/* The end of the finish. In the inner problem a multiplier is sigma times a margin, so the margin's rounding errors are
 * multiplied by sigma. Here the multipliers are the unknowns, as in iterative refinement: the margins of their combination,
 * then a correction that moves the rows of F to the margin, whose rounding errors are relative to the correction. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "kernel/total.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/polish.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 12 };
/* A multiplier this near to a bound, relative to it, is at the bound. */
static const double NEAR = 64 * DBL_EPSILON;

int hsp_polish_exact_init(hsp_polish_exact *x, const hsp_margin *m, hsp_error **err) {
    int64_t n = m->design->n, d = m->design->d;
    x->m = m;
    bool allocated = HSP_ALLOC_DOUBLES(n, &x->alpha, &x->scores) && HSP_ALLOC_DOUBLES(2 * n, &x->scratch) &&
                     HSP_ALLOC_DOUBLES(d, &x->v, &x->size, &x->g, &x->dw);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

void hsp_polish_exact_free(hsp_polish_exact *x) {
    HSP_FREE(x->alpha, x->v, x->scores, x->size, x->scratch, x->g, x->dw);
}

static bool inside(const hsp_margin *m, int64_t i, double a) {
    return a > 0 && a < m->upper[i];
}

/* sum alpha_i y_i; *count becomes the number of multipliers inside their boxes. */
static double balance_of(const hsp_polish_exact *x, int64_t *count) {
    hsp_total t = {0};
    *count = 0;
    for (int64_t i = 0; i < x->m->design->n; i++) {
        hsp_total_add(&t, x->m->y[i] * x->alpha[i]);
        *count += inside(x->m, i, x->alpha[i]);
    }
    return hsp_total_of(t);
}

/* Makes sum alpha_i y_i = 0 by changing the multipliers inside their boxes: those at 0 and u_i stay there. */
static void restore_balance(hsp_polish_exact *x) {
    const hsp_margin *m = x->m;
    for (int round = 0; m->intercept == HSP_INTERCEPT_FREE && round < 3; round++) {
        int64_t count;
        double t = balance_of(x, &count);
        if (t == 0 || count == 0) return;
        for (int64_t i = 0; i < m->design->n; i++) {
            double to = x->alpha[i] - m->y[i] * t / (double)count;
            if (inside(m, i, x->alpha[i]) && inside(m, i, to)) x->alpha[i] = to;
        }
    }
}

/* Moves multipliers that are at a bound up to rounding to the bound; with a ridge they may be arbitrarily small. */
static void snap_to_bounds(hsp_polish_exact *x) {
    if (x->m->ridge) return;
    double largest = 0;
    for (int64_t i = 0; i < x->m->design->n; i++) largest = fmax(largest, x->alpha[i]);
    for (int64_t i = 0; i < x->m->design->n; i++) {
        double a = x->alpha[i], u = x->m->upper[i];
        if (a < NEAR * fmin(u, largest)) x->alpha[i] = 0;
        if (u < INFINITY && a > u - NEAR * u) x->alpha[i] = u;
    }
}

static void combine(hsp_polish_exact *x) {
    double t = hsp_margin_combine(x->m, x->alpha, x->scratch, x->v);
    if (x->m->intercept == HSP_INTERCEPT_PENALISED) x->b = t;
    hsp_design_scores(x->m->design, x->v, 0, x->scores);
}

void hsp_polish_exact_take(hsp_polish_exact *x, const double *a, double b) {
    memcpy(x->alpha, a, (size_t)x->m->design->n * sizeof *a);
    x->b = b;
    snap_to_bounds(x);
    restore_balance(x);
    combine(x);
}

/* ---- the conditions ---- */

/* size_j <- sum_i alpha_i |x_ij|: the scale of the rounding error of v_j. */
static void take_sizes(hsp_polish_exact *x) {
    const hsp_design *D = x->m->design;
    double sum = 0, count = 0;
    memset(x->size, 0, (size_t)D->d * sizeof *x->size);
    for (int64_t i = 0; i < D->n; i++) {
        double a = x->alpha[i];
        if (a == 0) continue;
        hsp_row r = hsp_design_row(D, i, NULL);
        for (int64_t t = 0; t < r.count; t++) x->size[hsp_row_id(r, t)] += a * fabs(hsp_row_value(r, t));
        sum += a;
        count++;
    }
    for (int64_t j = 0; D->p && j < D->d; j++) x->size[j] += sum * fabs(D->p[j]);
    x->sum = sum;
    x->unit = DBL_EPSILON * (16 + 4 * sqrt(count));
}

/* The sum of the absolute values of the terms of slack(i). */
static double row_size(const hsp_polish_exact *x, int64_t i) {
    const hsp_design *D = x->m->design;
    hsp_row r = hsp_design_row(D, i, NULL);
    double sum = 1 + fabs(x->b) + (x->m->intercept == HSP_INTERCEPT_PENALISED ? x->sum : 0);
    if (x->m->ridge) sum += x->m->ridge[i] * x->alpha[i];
    for (int64_t t = 0; t < r.count; t++) sum += fabs(hsp_row_value(r, t)) * x->size[hsp_row_id(r, t)];
    for (int64_t j = 0; D->p && j < D->d; j++) sum += fabs(D->p[j]) * x->size[j];
    return sum;
}

/* 1 - y_i g_i - q_i alpha_i: 0 on the margin. */
static double slack(const hsp_polish_exact *x, int64_t i) {
    return 1 - x->m->y[i] * (x->scores[i] + x->b) - (x->m->ridge ? x->m->ridge[i] * x->alpha[i] : 0);
}

double hsp_polish_exact_excess(hsp_polish_exact *x) {
    const hsp_margin *m = x->m;
    double worst = 0;
    take_sizes(x);
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->upper[i] == 0) continue;
        double a = x->alpha[i], s = slack(x, i), e = a == 0 ? s : a == m->upper[i] ? -s : fabs(s);
        if (e > worst * x->unit) worst = fmax(worst, e / (x->unit * row_size(x, i)));
    }
    return worst;
}

/* ---- refinement ---- */

/* The slope of the inner problem with the centre alpha at the combination of alpha: -X'(D y r). Returns that of the
 * intercept. */
static double slope(hsp_polish_exact *x, hsp_polish_system *y, double *r) {
    double gb = 0;
    memset(x->g, 0, (size_t)x->m->design->d * sizeof *x->g);
    for (int64_t k = 0; k < y->f; k++) {
        int64_t i = y->rows[k];
        r[k] = slack(x, i);
        y->t[k] = -y->curve[i] * x->m->y[i] * r[k];
        gb += y->t[k];
    }
    hsp_polish_adjoint(y, y->rows, y->f, y->t, x->g);
    return x->m->intercept == HSP_INTERCEPT_NONE ? 0 : gb;
}

/* One correction of the multipliers in F; false when there is none. */
static bool correct(hsp_polish_exact *x, hsp_polish_system *y, hsp_budget *budget) {
    const hsp_margin *m = x->m;
    double *r = x->scratch, gb = slope(x, y, r), sum = gb, square;
    int status = hsp_polish_system_solve(y, x->g, gb, x->dw, &square, budget);
    if (status || !isfinite(square)) return false;
    hsp_polish_scores(y, y->rows, y->f, x->dw, y->t);
    for (int64_t k = 0; k < y->f; k++) sum += y->curve[y->rows[k]] * y->t[k];
    double db = y->stiff > 0 ? -sum / y->stiff : 0;
    for (int64_t k = 0; k < y->f; k++) {
        int64_t i = y->rows[k];
        double to = x->alpha[i] + y->curve[i] * (r[k] - m->y[i] * (y->t[k] + db));
        x->alpha[i] = fmin(fmax(to, 0), m->upper[i]);
    }
    if (m->intercept == HSP_INTERCEPT_FREE) x->b += db;
    snap_to_bounds(x);
    restore_balance(x);
    combine(x);
    budget->steps += 2 * m->design->n;
    return true;
}

double hsp_polish_exact_refine(hsp_polish_exact *x, hsp_polish_system *y, double excess, hsp_budget *budget) {
    y->tolerance = 1e-10;
    for (int round = 0; round < MOST_ROUNDS && excess > 0.01 && y->f > 0; round++) {
        if (!correct(x, y, budget)) break;
        double next = hsp_polish_exact_excess(x);
        if (next > excess / 2 && (next <= 1 || round > 1)) return next;
        excess = next;
    }
    return excess;
}

bool hsp_polish_one_class(const hsp_margin *m) {
    bool plus = false, minus = false;
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->upper[i] == 0) continue;
        plus = plus || m->y[i] > 0;
        minus = minus || m->y[i] < 0;
    }
    return m->intercept == HSP_INTERCEPT_FREE && !(plus && minus);
}
