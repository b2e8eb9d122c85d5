/* Small programs of maximum margin for the tests, and the conditions of their solutions, by loops over plain arrays. */
#ifndef HSP_TESTS_MARGIN_SAMPLE_H
#define HSP_TESTS_MARGIN_SAMPLE_H

#include "base/memory.h"
#include "base/rng.h"
#include "factor/elimination.h"
#include "factor/factor.h"
#include "solve/margin/margin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum sample_loss { SAMPLE_HINGE, SAMPLE_SQUARED, SAMPLE_HARD } sample_loss;

typedef struct sample {
    int64_t n, d;
    double *x; /* n x d, as the method sees them */
    double *y, *upper, *ridge;
    hsp_matrix matrix;
    double *shift, *factor;
    hsp_design *design;
    hsp_margin m;
    hsp_margin_point point;
} sample;

/* Rows from x (n x d) and labels from y, both taken over. c NULL: weights of 1. */
static sample sample_of(double *x, double *y, int64_t n, int64_t d, sample_loss loss, double C, const double *c,
                        hsp_intercept intercept) {
    sample s = {.n = n, .d = d, .x = x, .y = y};
    s.upper = calloc((size_t)n, sizeof *s.upper);
    s.ridge = loss == SAMPLE_SQUARED ? calloc((size_t)n, sizeof *s.ridge) : NULL;
    for (int64_t i = 0; i < n; i++) {
        double weight = c ? c[i] : 1;
        s.upper[i] = loss == SAMPLE_HINGE ? C * weight : weight > 0 ? INFINITY : 0;
        if (s.ridge) s.ridge[i] = 1 / (2 * C * weight);
    }
    s.point.w = calloc((size_t)d, sizeof *s.point.w);
    s.point.alpha = calloc((size_t)n, sizeof *s.point.alpha);
    s.m = (hsp_margin){.y = y, .upper = s.upper, .ridge = s.ridge, .intercept = intercept};
    return s;
}

/* The design: dense or sparse; `moved`: stored so that a shift and factors of the columns bring x back. */
static void sample_design(sample *s, bool sparse, bool moved, int threads) {
    int64_t n = s->n, d = s->d, stored = 0;
    double *value = calloc((size_t)(n * d + 1), sizeof *value);
    hsp_matrix *m = &s->matrix;
    *m = (hsp_matrix){.n = n, .d = d, .dense = !sparse, .dtype = HSP_FLOAT64};
    if (moved) {
        s->shift = calloc((size_t)d, sizeof *s->shift);
        s->factor = calloc((size_t)d, sizeof *s->factor);
        for (int64_t j = 0; j < d; j++) {
            s->factor[j] = j % 2 ? 0.5 : 4;
            s->shift[j] = (double)(j % 3) - 1;
        }
    }
    if (sparse) {
        m->row = calloc((size_t)(n + 1), sizeof *m->row);
        m->id = calloc((size_t)(n * d + 1), sizeof *m->id);
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            double v = s->x[i * d + j];
            if (moved) v = v / s->factor[j] + s->shift[j];
            if (sparse && v == 0) continue;
            if (sparse) m->id[stored] = (uint32_t)j;
            value[stored++] = v;
        }
        if (sparse) m->row[i + 1] = stored;
    }
    m->value = value;
    m->stored = m->nonzeros = stored;
    assert_int_equal(hsp_design_new(m, s->shift, s->factor, threads, &s->design, NULL), 0);
    s->m.design = s->design;
}

static void sample_free(sample *s) {
    hsp_design_free(s->design);
    free(s->matrix.row);
    free(s->matrix.id);
    free(s->matrix.value);
    free(s->shift);
    free(s->factor);
    free(s->x);
    free(s->y);
    free(s->upper);
    free(s->ridge);
    free(s->point.w);
    free(s->point.alpha);
}

/* Two overlapping classes, `apart` from each other along the first columns; some entries 0. */
static sample sample_random(int64_t n, int64_t d, double apart, sample_loss loss, double C, bool weighted,
                            hsp_intercept intercept, uint64_t seed) {
    hsp_rng r = hsp_rng_new(seed, 9);
    double *x = calloc((size_t)(n * d + 1), sizeof *x), *y = calloc((size_t)n, sizeof *y);
    double *c = calloc((size_t)n, sizeof *c);
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % 3 ? 1 : -1;
        c[i] = weighted ? (double)(i % 4) / 2 : 1; /* some have weight 0 */
        for (int64_t j = 0; j < d; j++)
            if (hsp_rng_below(&r, 4)) x[i * d + j] = hsp_rng_normal(&r) + (j < 2 ? y[i] * apart : 0) + (double)(j % 2);
    }
    sample s = sample_of(x, y, n, d, loss, C, c, intercept);
    free(c);
    return s;
}

/* ---- running ---- */

static hsp_budget sample_budget(void) {
    return (hsp_budget){.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
}

/* Runs a method until it ends, or for at most that many steps; its last status. The point is the sample's. */
static hsp_step sample_run(sample *s, const hsp_margin_method *method, bool from_point, int64_t most, double *gap) {
    void *state = calloc(1, method->state_size);
    hsp_budget budget = sample_budget();
    hsp_step step = HSP_STEP_MORE;
    assert_int_equal(method->init(state, &s->m, from_point ? &s->point : NULL, 1, NULL), 0);
    for (int64_t k = 0; k < most && step == HSP_STEP_MORE; k++) step = method->step(state, &budget);
    method->export(state, &s->point);
    if (gap) *gap = method->gap(state);
    method->free(state);
    free(state);
    return step;
}

/* ---- conditions of a point ---- */

static double sample_score(const sample *s, int64_t i, const double *w) {
    double g = 0;
    for (int64_t j = 0; j < s->d; j++) g += s->x[i * s->d + j] * w[j];
    return g;
}

static double sample_primal(const sample *s) {
    double P = s->m.intercept == HSP_INTERCEPT_PENALISED ? s->point.b * s->point.b / 2 : 0;
    for (int64_t j = 0; j < s->d; j++) P += s->point.w[j] * s->point.w[j] / 2;
    for (int64_t i = 0; i < s->n; i++) {
        double slack = 1 - s->y[i] * (sample_score(s, i, s->point.w) + s->point.b);
        if (slack <= 0 || s->upper[i] == 0) continue;
        if (s->ridge)
            P += slack * slack / (2 * s->ridge[i]);
        else if (s->upper[i] < INFINITY)
            P += s->upper[i] * slack;
        else if (slack > 1e-7)
            return INFINITY;
    }
    return P;
}

/* The value of the dual, and |sum alpha_i y_i| in *missing. */
static double sample_dual(const sample *s, const double *alpha, double *missing) {
    double D = 0, t = 0, *w = calloc((size_t)s->d + 1, sizeof *w);
    for (int64_t i = 0; i < s->n; i++) {
        if (alpha[i] == 0) continue;
        t += alpha[i] * s->y[i];
        D += alpha[i] - (s->ridge ? s->ridge[i] * alpha[i] * alpha[i] / 2 : 0);
        for (int64_t j = 0; j < s->d; j++) w[j] += alpha[i] * s->y[i] * s->x[i * s->d + j];
    }
    for (int64_t j = 0; j < s->d; j++) D -= w[j] * w[j] / 2;
    if (s->m.intercept == HSP_INTERCEPT_PENALISED) D -= t * t / 2;
    *missing = s->m.intercept == HSP_INTERCEPT_FREE ? fabs(t) : 0;
    free(w);
    return D;
}

/* Feasible, and the gap is at most this, relative. */
static void sample_check(const sample *s, double most) {
    double missing, sum = 0;
    for (int64_t i = 0; i < s->n; i++) {
        assert_true(s->point.alpha[i] >= 0 && s->point.alpha[i] <= s->upper[i]);
        sum += s->point.alpha[i];
    }
    for (int64_t j = 0; j < s->d; j++) assert_true(isfinite(s->point.w[j]));
    assert_true(isfinite(s->point.b));
    double P = sample_primal(s), D = sample_dual(s, s->point.alpha, &missing);
    assert_true(isfinite(P) && isfinite(D));
    assert_true(missing <= 1e-9 * sum);
    assert_true(P >= D - 1e-9 * fabs(P));
    assert_true(P - D <= most * fabs(P) + 1e-300);
}

/* Off the margin the multipliers are exactly 0 or u_i. */
static void sample_check_exact(const sample *s) {
    for (int64_t i = 0; i < s->n; i++) {
        double a = s->point.alpha[i], slack = 1 - s->y[i] * (sample_score(s, i, s->point.w) + s->point.b);
        if (s->upper[i] == 0 || s->ridge) continue;
        if (slack < -1e-6) assert_true(a == 0);
        if (slack > 1e-6) assert_true(a == s->upper[i]);
    }
}

/* The largest value of the dual for n <= 8 rows: on each face of the box its stationary point, when it is in the box. */
static double sample_brute(const sample *s) {
    int64_t n = s->n, patterns = 1;
    double best = 0, missing;
    bool free_b = s->m.intercept == HSP_INTERCEPT_FREE;
    for (int64_t i = 0; i < n; i++) patterns *= 3;
    for (int64_t pattern = 0; pattern < patterns; pattern++) {
        int64_t in[8], f = 0, rest = pattern;
        double alpha[8] = {0}, A[81], r[9];
        bool possible = true;
        for (int64_t i = 0; i < n; i++, rest /= 3) {
            if (rest % 3 == 1) in[f++] = i;
            if (rest % 3 == 2) alpha[i] = s->upper[i];
            possible = possible && !(rest % 3 && s->upper[i] == 0) && !(rest % 3 == 2 && s->upper[i] == INFINITY);
        }
        if (!possible) continue;
        /* the saddle system of the face */
        int64_t N = f + (free_b ? 1 : 0);
        memset(A, 0, sizeof A);
        memset(r, 0, sizeof r);
        for (int64_t a = 0; a < f; a++) {
            r[a] = 1;
            for (int64_t k = 0; k < n; k++) {
                double q = s->m.intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
                for (int64_t j = 0; j < s->d; j++) q += s->x[in[a] * s->d + j] * s->x[k * s->d + j];
                q *= s->y[in[a]] * s->y[k];
                if (k == in[a] && s->ridge) q += s->ridge[k];
                r[a] -= q * alpha[k];
                for (int64_t b = 0; b < f; b++)
                    if (in[b] == k) A[a * N + b] = q;
            }
            if (free_b) A[a * N + f] = A[f * N + a] = s->y[in[a]];
        }
        for (int64_t k = 0; free_b && k < n; k++) r[f] -= s->y[k] * alpha[k];
        possible = eliminate(A, r, N, 1e-10);
        for (int64_t a = 0; a < f && possible; a++) {
            alpha[in[a]] = r[a];
            possible = r[a] >= 0 && r[a] <= s->upper[in[a]];
        }
        double D = sample_dual(s, alpha, &missing);
        if (possible && missing <= 1e-9 && D > best) best = D;
    }
    return best;
}

#endif
