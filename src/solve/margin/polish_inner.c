/* The inner problem of polish.h: multipliers, slope, and the search along a Newton step. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "kernel/total.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/polish.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* On one piece a whole step ends at its solution; when several did not, only rounding is left. */
enum { MOST_SAME = 3, MOST_PATCHED = 4, LANES = 8 };
/* An inner problem is solved when its slope contributes at most this share of the excess of its multipliers. */
static const double LOOSE = 0.1;

int hsp_polish_inner_init(hsp_polish_inner *p, const hsp_margin *m, hsp_error **err) {
    int64_t n = m->design->n, d = m->design->d;
    p->m = m;
    if (!HSP_ALLOC_DOUBLES(n, &p->centre, &p->a, &p->scores, &p->dscores, &p->held, &p->e, &p->raw, &p->rate) ||
        !HSP_ALLOC_DOUBLES(d, &p->w, &p->g, &p->dw, &p->v))
        return hsp_fail_memory(err);
    p->patched = MOST_PATCHED;
    p->fresh = true;
    return hsp_polish_system_init(&p->system, m, err);
}

void hsp_polish_inner_free(hsp_polish_inner *p) {
    hsp_polish_system_free(&p->system);
    HSP_FREE(p->centre, p->held, p->e, p->raw, p->rate, p->v, p->a, p->scores, p->dscores, p->w, p->g, p->dw);
}

typedef struct multiplier {
    double a, curve;
} multiplier;

static inline multiplier multiplier_at(const hsp_polish_inner *p, int64_t i, double s) {
    double u = p->m->upper[i];
    if (u == 0) return (multiplier){0, 0};
    double bend = p->m->ridge ? 1 + p->sigma * p->m->ridge[i] : 1, raw = (p->centre[i] + p->sigma * s) / bend;
    if (raw <= 0) return (multiplier){0, 0};
    if (raw >= u) return (multiplier){u, 0};
    return (multiplier){raw, p->sigma / bend};
}

/* psi_i(s) - (a s - q_i a^2 / 2). */
static inline double excess_of(const hsp_margin *m, int64_t i, double a, double s) {
    double u = m->upper[i], q = m->ridge ? m->ridge[i] : 0, best = q > 0 ? fmin(s / q, u) : u;
    if (s <= 0) best = 0;
    return (best > 0 ? best * (s - q * best / 2) : 0) - (a > 0 ? a * (s - q * a / 2) : 0);
}

/* a, D and F at the present point. Returns whether the system changes. */
static bool take_multipliers(hsp_polish_inner *p) {
    hsp_polish_system *y = &p->system;
    bool changed = p->fresh;
    int64_t f = 0;
    p->excess = 0;
    for (int64_t i = 0; i < p->m->design->n; i++) {
        double s = 1 - p->m->y[i] * (p->scores[i] + p->b);
        multiplier k = multiplier_at(p, i, s);
        p->excess += excess_of(p->m, i, k.a, s);
        changed = changed || k.curve != y->curve[i];
        p->a[i] = k.a;
        y->curve[i] = k.curve;
        if (k.curve > 0) y->rows[f++] = i;
    }
    y->f = f;
    return changed;
}

/* v <- the combination of the multipliers. Few of them change from step to step, and only those are added, unless accuracy
 * matters (`whole`). */
static void combine(hsp_polish_inner *p, bool whole) {
    int64_t n = p->m->design->n, d = p->m->design->d;
    p->patched = whole ? 0 : p->patched + 1;
    if (whole)
        for (int64_t i = 0; i < n; i++) p->dscores[i] = p->m->y[i] * p->a[i];
    else
        for (int64_t i = 0; i < n; i++) p->dscores[i] = p->m->y[i] * (p->a[i] - p->held[i]);
    hsp_design_adjoint(p->m->design, p->dscores, p->g);
    if (!whole) hsp_axpy_f64(1, p->v, p->g, d);
    memcpy(p->v, p->g, (size_t)d * sizeof *p->v);
    memcpy(p->held, p->a, (size_t)n * sizeof *p->held);
}

static bool take_slope(hsp_polish_inner *p, bool whole) {
    double sum = 0;
    combine(p, whole || p->patched >= MOST_PATCHED);
    for (int64_t j = 0; j < p->m->design->d; j++) {
        p->g[j] = p->w[j] - p->g[j];
        sum += fabs(p->g[j]);
    }
    hsp_total t = {0}; /* compensated: balanced multipliers must give exactly 0 */
    for (int64_t i = 0; i < p->m->design->n; i++) hsp_total_add(&t, p->m->y[i] * p->a[i]);
    double b = p->m->intercept == HSP_INTERCEPT_PENALISED ? p->b : 0;
    p->gb = p->m->intercept == HSP_INTERCEPT_NONE ? 0 : b - hsp_total_of(t);
    return isfinite(sum) && isfinite(p->gb);
}

/* ---- the search along (dw, db) ---- */

typedef struct line {
    double at, curve; /* of the part |w|^2/2 (+ b^2/2) along the step */
} line;

/* Rows along the step: before it is clipped to its box a multiplier is raw - t rate, and its term has the slope e. */
static void prepare_search(hsp_polish_inner *p) {
    const hsp_margin *m = p->m;
    for (int64_t i = 0; i < m->design->n; i++) {
        double e = m->y[i] * (p->dscores[i] + p->db), s = 1 - m->y[i] * (p->scores[i] + p->b);
        double bend = m->ridge ? 1 + p->sigma * m->ridge[i] : 1;
        p->e[i] = e;
        p->raw[i] = (p->centre[i] + p->sigma * s) / bend;
        p->rate[i] = p->sigma * e / bend;
    }
}

/* Adds up to LANES rows to the derivative (0), the second derivative (1) and the sum of absolute values (2). */
static inline void add_slopes(const hsp_polish_inner *p, double t, int64_t from, int64_t count, double sums[3][LANES]) {
    const double *raw = p->raw + from, *rate = p->rate + from, *e = p->e + from, *u = p->m->upper + from;
    for (int64_t k = 0; k < count; k++) {
        double at = raw[k] - t * rate[k], a = at > 0 ? at : 0, bend = at > 0 ? rate[k] * e[k] : 0;
        bend = at < u[k] ? bend : 0;
        a = a < u[k] ? a : u[k];
        sums[0][k] += a * e[k];
        sums[1][k] += bend;
        sums[2][k] += a * fabs(e[k]);
    }
}

/* The derivative along the step at t, the second derivative, and the sum of the absolute values of its terms. */
static double slope_at(const hsp_polish_inner *p, line l, double t, double *curve, double *size) {
    int64_t n = p->m->design->n, i = 0;
    double sums[3][LANES] = {{0}}, total[3] = {0};
    for (; i + LANES <= n; i += LANES) add_slopes(p, t, i, LANES, sums);
    add_slopes(p, t, i, n - i, sums);
    for (int k = 0; k < 3; k++)
        for (int lane = 0; lane < LANES; lane++) total[k] += sums[k][lane];
    *curve = l.curve + total[1];
    *size = fabs(l.at) + total[2];
    return l.at + t * l.curve - total[0];
}

/* The zero of the derivative, which is increasing: to 1/1000 of its value at 0, or to rounding. Newton's method between
 * brackets ends after finitely many pieces. 0: no descent. */
static double search(hsp_polish_inner *p, double predicted) {
    int64_t d = p->m->design->d;
    prepare_search(p);
    line l = {.at = hsp_dot_f64(p->w, p->dw, d), .curve = hsp_dot_f64(p->dw, p->dw, d)};
    if (p->m->intercept == HSP_INTERCEPT_PENALISED) {
        l.at += p->b * p->db;
        l.curve += p->db * p->db;
    }
    double t = 1, low = 0, high = INFINITY, curve, size;
    for (int trial = 0; trial < 200; trial++) {
        double slope = slope_at(p, l, t, &curve, &size);
        if (!(fabs(slope) > fmax(1e-3 * predicted, 4 * DBL_EPSILON * size))) return isfinite(slope) ? t : 0;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = curve > 0 ? t - slope / curve : INFINITY;
        if (high == INFINITY)
            next = fmin(fmax(next, 2 * t), 64 * t);
        else if (!(next > low && next < high) || trial % 4 == 3)
            next = low / 2 + high / 2;
        if (next == t || !isfinite(next)) break;
        t = next;
    }
    return low;
}

/* The best change of the intercept for the change of the weights. */
static double intercept_step(const hsp_polish_inner *p) {
    const hsp_polish_system *y = &p->system;
    if (y->stiff == 0) return 0;
    double sum = p->gb;
    for (int64_t k = 0; k < y->f; k++) sum += y->curve[y->rows[k]] * p->dscores[y->rows[k]];
    return -sum / y->stiff;
}

/* The infeasibility of the multipliers is small. The excess of a violated hard margin is infinite. */
static bool loosely_solved(const hsp_polish_inner *p) {
    double slope = hsp_dot_f64(p->g, p->g, p->m->design->d) / 2 + fabs(p->gb);
    return p->excess < INFINITY && slope <= LOOSE * p->excess;
}

hsp_polish_move hsp_polish_newton(hsp_polish_inner *p, hsp_budget *budget) {
    hsp_polish_system *y = &p->system;
    int64_t n = p->m->design->n, d = p->m->design->d;
    bool changed = take_multipliers(p);
    if (!take_slope(p, !changed || p->fresh)) return HSP_POLISH_FAILED;
    bool loose = loosely_solved(p);
    if (changed && hsp_polish_system_set(y, p->sigma)) return HSP_POLISH_MEMORY;
    p->fresh = false;
    p->same = changed ? 0 : p->same + 1;
    bool stable = p->whole && !changed;
    y->tolerance = y->factor.exact ? 1e-12 : stable ? 1e-8 : y->factor.way == HSP_POLISH_DIAGONAL ? 0.1 : 1e-3;
    double square;
    if (hsp_polish_system_solve(y, p->g, p->gb, p->dw, &square, budget)) return HSP_POLISH_MEMORY;
    double length = sqrt(fmax(square, 0));
    budget->steps += n;
    if (!isfinite(length)) return HSP_POLISH_FAILED;
    /* The scale of the rounding errors of the margins, which are of the order of 1 and b. */
    double size = sqrt(hsp_dot_f64(p->w, p->w, d)) + sqrt(y->S) * (1 + fabs(p->b));
    bool balanced = y->stiff == 0 || p->gb == 0 || (stable && y->f > 0);
    bool noise = (stable && length > p->length / 4) || p->same > MOST_SAME;
    if (loose || noise || (balanced && length <= DBL_EPSILON * size)) return HSP_POLISH_SOLVED;
    hsp_design_scores(p->m->design, p->dw, 0, p->dscores);
    budget->steps += n;
    p->db = intercept_step(p);
    double predicted = square + (y->stiff > 0 ? p->gb * p->gb / y->stiff : 0);
    double t = search(p, predicted);
    p->whole = t == 1;
    p->length = length;
    if (t == 0) return HSP_POLISH_SOLVED;
    hsp_axpy_f64(t, p->dw, p->w, d);
    hsp_axpy_f64(t, p->dscores, p->scores, n);
    p->b += t * p->db;
    return HSP_POLISH_MOVED;
}
