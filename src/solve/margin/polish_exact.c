/* The end of the finish. In the inner problem a multiplier is sigma times a margin, with the margin's rounding errors sigma
 * times larger. Here the multipliers are the unknowns, as in iterative refinement: margins of the combination as it is,
 * then the correction that takes the rows of F to the margin, whose errors are relative to itself. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/polish.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 12 };
/* A multiplier so near to a bound is there. */
static const double NEAR = 16 * DBL_EPSILON;

int hsp_polish_exact_init(hsp_polish_exact *x, const hsp_margin *m, hsp_error **err) {
    int64_t n = m->design->n, d = m->design->d;
    double **vectors[] = {&x->v, &x->size, &x->g, &x->dw};
    x->m = m;
    x->alpha = hsp_alloc_zero(n, sizeof *x->alpha);
    x->scores = hsp_alloc_zero(n, sizeof *x->scores);
    x->scratch = hsp_alloc(2 * n, sizeof *x->scratch);
    if (!x->alpha || !x->scores || !x->scratch) return hsp_fail_memory(err);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (!(*vectors[k] = hsp_alloc_zero(d, sizeof **vectors[k]))) return hsp_fail_memory(err);
    return HSP_OK;
}

void hsp_polish_exact_free(hsp_polish_exact *x) {
    HSP_FREE(x->alpha, x->v, x->scores, x->size, x->scratch, x->g, x->dw);
}

static bool inside(const hsp_margin *m, int64_t i, double a) {
    return a > 0 && a < m->upper[i];
}

/* sum alpha_i y_i with the rounding errors added up, too; how many are inside. */
static double balance_of(const hsp_polish_exact *x, int64_t *count) {
    double t = 0, lost = 0;
    *count = 0;
    for (int64_t i = 0; i < x->m->design->n; i++) {
        double a = x->m->y[i] * x->alpha[i], sum = t + a;
        lost += fabs(t) >= fabs(a) ? (t - sum) + a : (a - sum) + t;
        t = sum;
        *count += inside(x->m, i, x->alpha[i]);
    }
    return t + lost;
}

/* Takes what is left of sum alpha_i y_i from the rows inside their boxes, so that those at 0 and u_i stay there. */
static void repair(hsp_polish_exact *x) {
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

/* Multipliers that are at a bound up to rounding are there; with a ridge they may be as small as they like. */
static void snap(hsp_polish_exact *x) {
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
    snap(x);
    repair(x);
    combine(x);
}

/* ---- the conditions ---- */

/* size_j <- sum_i alpha_i |x_ij|: rounding makes an error of that order in v_j. */
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

/* The sizes of all that slack(i) is the sum of. */
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

/* The slope of the inner problem whose centre is alpha, at their combination: -X'(D y r), and of the intercept. */
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
    snap(x);
    repair(x);
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
