/* What proximal Newton steps by columns need of all rows or of all columns; threads share it. */
#include "base/pool.h"
#include "design/columns.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "penalty/penalty.h"
#include "problem/problem.h"
#include "solve/prox/active_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS_AT_ONCE = 4096, MOST_TUNINGS = 12, NUMBERS_AT_ONCE = 1 << 16, MOST_BLOCKS = 64 };

static int64_t row_blocks(const hsp_active *s) {
    return (s->n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
}

/* ---- rows ---- */

/* A row far on the wrong side has a slope but next to no curvature, and the model would send it to infinity: what is
 * missing to a share of slope / score is added, which changes nothing on the right side. */
static void derive_block(void *ctx, int64_t block) {
    hsp_active *s = ctx;
    const hsp_problem *p = s->p;
    int64_t i0 = block * ROWS_AT_ONCE, count = s->n - i0 < ROWS_AT_ONCE ? s->n - i0 : ROWS_AT_ONCE;
    p->loss->second(p->y + i0, s->scores + i0, count, s->values + i0, s->slopes + i0, s->root + i0);
    for (int64_t i = i0; i < i0 + count; i++) {
        double c = s->c[i], slope = fabs(s->slopes[i]), h = s->root[i];
        double least = s->damping * (slope < 1 ? slope : 1) / (1 + fabs(s->scores[i]));
        if (least < s->extra[i]) least = s->extra[i];
        if (h < least) h = least;
        s->slopes[i] *= c;
        s->root[i] = h * c;
    }
}

void hsp_active_derive(hsp_active *s) {
    const hsp_problem *p = s->p;
    hsp_pool_run(row_blocks(s), p->design->threads, derive_block, s);
    s->pull = s->gb = hsp_sum_f64(s->slopes, s->n);
    s->S = hsp_sum_f64(s->root, s->n);
    double least = 1e-8 * s->S / (double)s->n; /* what is far below the mean is not seen in any sum */
    for (int64_t i = 0; i < s->n; i++) s->root[i] = s->root[i] > least ? sqrt(s->root[i]) : 0;
    if (p->intercept == HSP_INTERCEPT_NONE) s->gb = 0;
    if (p->intercept == HSP_INTERCEPT_PENALISED) s->gb += p->lambda * s->b;
    double stiff = s->S + (p->intercept == HSP_INTERCEPT_PENALISED ? p->lambda : 0);
    s->M = p->intercept == HSP_INTERCEPT_NONE || !(stiff > 0) ? 0 : 1 / stiff;
}

typedef struct trial {
    hsp_active *s;
    double share;
} trial;

static void try_block(void *ctx, int64_t block) {
    const trial *t = ctx;
    hsp_active *s = t->s;
    const hsp_problem *p = s->p;
    int64_t i0 = block * ROWS_AT_ONCE, count = s->n - i0 < ROWS_AT_ONCE ? s->n - i0 : ROWS_AT_ONCE;
    for (int64_t i = i0; i < i0 + count; i++) s->trial[i] = s->scores[i] + t->share * s->way[i];
    p->loss->batch(p->y + i0, s->trial + i0, count, 1, p->kink, s->next + i0, NULL);
}

double hsp_active_try(hsp_active *s, double share) {
    double sum = 0;
    hsp_pool_run(row_blocks(s), s->p->design->threads, try_block, &(trial){s, share});
    for (int64_t i = 0; i < s->n; i++) sum += s->c[i] * (s->next[i] - s->values[i]);
    return sum;
}

/* The part of F that depends on b. */
static double loss_at(const hsp_active *s) {
    const hsp_problem *p = s->p;
    return hsp_dot_f64(s->c, s->values, s->n) + (p->intercept == HSP_INTERCEPT_PENALISED ? p->lambda * s->b * s->b / 2 : 0);
}

static void shift(hsp_active *s, double by) {
    s->b += by;
    for (int64_t i = 0; i < s->n; i++) s->scores[i] += by;
    hsp_active_derive(s);
}

static double total_slope(const hsp_active *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += fabs(s->slopes[i]);
    return sum;
}

/* Down to rounding; the first step that does not help is taken back. */
void hsp_active_tune(hsp_active *s) {
    hsp_active_derive(s);
    for (int t = 0; t < MOST_TUNINGS && s->M > 0; t++) {
        double before = fabs(s->gb), loss = loss_at(s), by = -s->M * s->gb, was = s->b;
        if (!(before > 4 * DBL_EPSILON * total_slope(s)) || was + by == was) return;
        shift(s, by);
        if (fabs(s->gb) < before && loss_at(s) <= loss + 1e-12 * fabs(loss)) continue;
        shift(s, was - s->b);
        return;
    }
}

/* ---- columns ---- */

/* Whether to go by the rows of the design, where vectors over columns stay in the cache and vectors over rows do not: then
 * one number costs less than half of what it does by columns. */
static bool by_rows(const hsp_active *s, double stored) {
    return s->wide && stored > 0.4 * (double)s->columns->stored;
}

void hsp_active_score(hsp_active *s, const double *v, double *out) {
    const hsp_design *D = s->p->design;
    double stored = 0, shift = 0;
    for (int64_t j = 0; j < s->m; j++) stored += v[j] != 0 ? (double)hsp_column_count(s->columns, j) : 0;
    if (by_rows(s, stored)) {
        memset(s->wide, 0, (size_t)D->d * sizeof *s->wide);
        for (int64_t j = 0; j < s->m; j++) {
            int64_t origin = hsp_column_origin(s->columns, j);
            s->wide[origin] = v[j];
            if (D->p) shift += D->p[origin] * v[j];
        }
        hsp_design_scores(D, s->wide, shift, out);
        s->visited += 0.4 * (double)s->columns->stored;
        return;
    }
    memset(out, 0, (size_t)s->n * sizeof *out);
    for (int64_t j = 0; j < s->m; j++)
        if (v[j] != 0) hsp_column_axpy(s->columns, v[j], j, out);
    s->visited += stored;
}

typedef struct pass {
    hsp_active *s;
    double moved; /* |slopes - reference|, each in units of sqrt(c_i); negative: look at every column */
} pass;

/* Whether the gradient in column j is known to be inside of the bounds: it cannot have moved far since it was recorded. */
static bool inside(const hsp_active *s, int64_t j, double moved) {
    return moved >= 0 && s->w[j] == 0 && fabs(s->recorded[j]) + moved * s->size[j] < s->t * (1 - 1e-9);
}

static int64_t column_blocks(const hsp_active *s) {
    int64_t blocks = s->columns->stored / NUMBERS_AT_ONCE;
    return blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
}

static void gradient_block(void *ctx, int64_t block) {
    const pass *t = ctx;
    hsp_active *s = t->s;
    int64_t blocks = column_blocks(s);
    for (int64_t j = s->m * block / blocks, end = s->m * (block + 1) / blocks; j < end; j++) {
        if (inside(s, j, t->moved)) {
            s->gw[j] = s->recorded[j];
            continue;
        }
        double g = hsp_column_dot(s->columns, j, s->slopes) - hsp_column_p(s->columns, j) * s->pull;
        if (t->moved < 0) s->recorded[j] = g;
        s->gw[j] = g + s->ridge * s->w[j];
    }
}

static void gradient_by_rows(hsp_active *s) {
    hsp_design_adjoint(s->p->design, s->slopes, s->wide);
    for (int64_t j = 0; j < s->m; j++) {
        s->recorded[j] = s->wide[hsp_column_origin(s->columns, j)];
        s->gw[j] = s->recorded[j] + s->ridge * s->w[j];
    }
}

/* Only columns that may be beyond the bounds are looked at, unless these are many: then all, to start anew from there. */
static void gradient(hsp_active *s) {
    double moved = -1;
    if (s->ready) {
        double sum = 0, seen = 0;
        for (int64_t i = 0; i < s->n; i++) {
            double by = s->slopes[i] - s->reference[i];
            if (s->c[i] > 0) sum += by * by / s->c[i];
        }
        moved = sqrt(sum) * (1 + 1e-9);
        for (int64_t j = 0; j < s->m; j++)
            if (!inside(s, j, moved)) seen += (double)hsp_column_count(s->columns, j) + 4;
        s->visited += seen;
        if (!(seen < (s->wide ? 0.4 : 0.6) * (double)s->columns->stored)) moved = -1;
    }
    if (moved < 0) memcpy(s->reference, s->slopes, (size_t)s->n * sizeof *s->reference);
    if (moved < 0 && s->wide)
        gradient_by_rows(s);
    else
        hsp_pool_run(column_blocks(s), s->p->design->threads, gradient_block, &(pass){s, moved});
    s->ready = true;
}

/* ---- what is known of the point ---- */

static double violation(const hsp_active *s) {
    double top = fabs(s->gb);
    if (isnan(top)) return top;
    for (int64_t j = 0; j < s->m; j++) {
        double v = hsp_l1_violation(s->w[j], s->gw[j], s->t);
        if (isnan(v)) return v;
        if (v > top) top = v;
    }
    return top;
}

/* The bound of the slopes: v = -scale X' slopes is the gradient, which is here already. Columns that are not in the copy
 * or were not looked at have |v_j| <= rho. NaN when the free intercept's condition does not hold to rounding. */
static double bound(hsp_active *s) {
    const hsp_problem *p = s->p;
    double top = 0, conjugate = 0, shrink = 1, sum = 0;
    if (p->intercept == HSP_INTERCEPT_FREE && !(fabs(s->gb) <= 1e-14 * total_slope(s))) return NAN;
    for (int64_t i = 0; i < s->n; i++) s->alpha[i] = s->c[i] > 0 ? -s->slopes[i] / s->c[i] : 0;
    for (int64_t j = 0; j < s->m; j++) {
        double v = p->scale * fabs(s->gw[j] - s->ridge * s->w[j]), e = v - p->rho;
        if (v > top) top = v;
        if (e > 0) conjugate += e * e;
    }
    if (p->rho == 1 && top > 1) shrink = (1 - 1e-12) / top;
    if (shrink != 1) hsp_scale_f64(shrink, s->alpha, s->n);
    p->loss->duals(p->y, s->alpha, s->n, s->trial);
    sum = p->scale * hsp_dot_f64(s->c, s->trial, s->n);
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum -= shrink * shrink * p->scale * p->scale * s->pull * s->pull / 2;
    if (p->rho < 1) sum -= conjugate / (2 * (1 - p->rho));
    if (sum > 0) return sum;
    memset(s->alpha, 0, (size_t)s->n * sizeof *s->alpha); /* 0 is a bound too */
    return isnan(sum) ? sum : 0;
}

static double wrong_share(const hsp_active *s) {
    const hsp_problem *p = s->p;
    double wrong = 0;
    if (p->regression) return NAN;
    for (int64_t i = 0; i < s->n; i++) wrong += (s->scores[i] > 0) != (p->y[i] > 0) ? s->c[i] : 0;
    return wrong;
}

void hsp_active_measure(hsp_active *s) {
    const hsp_problem *p = s->p;
    gradient(s);
    s->violated = violation(s);
    if (!hsp_active_arrived(s)) return;
    double loss = hsp_dot_f64(s->c, s->values, s->n), R = hsp_penalty_value(s->w, s->m, p->rho);
    if (p->intercept == HSP_INTERCEPT_PENALISED) R += s->b * s->b / 2;
    s->known.at = (hsp_evaluation){.objective = R + p->scale * loss,
                                   .mean_loss = loss,
                                   .error = wrong_share(s),
                                   .norm = sqrt(hsp_dot_f64(s->w, s->w, s->m))};
    s->known.bound = bound(s);
}
