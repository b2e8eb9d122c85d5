/* Rows for the tests of proximal Newton, in a layout and as plain numbers, with the conditions of optimality computed from
 * the plain numbers. */
#ifndef TESTS_PROX_SAMPLE_H
#define TESTS_PROX_SAMPLE_H

#include "base/memory.h"
#include "solve/loop/run.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All arrays are owned. */
typedef struct prox_sample {
    int64_t n, d, K;        /* K outputs */
    double *x;              /* n x d, after the transform of a scaling */
    double *y, *c;          /* n each; c NULL: all 1 */
    double *shift, *factor; /* d each; NULL: no scaling */
    hsp_matrix *matrix;
    hsp_design *design;
} prox_sample;

/* Stores n x d plain numbers and makes the design. */
static void store_rows(prox_sample *s, const double *raw, bool dense) {
    int64_t n = s->n, d = s->d, stored = 0;
    hsp_matrix *m = s->matrix = malloc(sizeof *m);
    *m = (hsp_matrix){.n = n, .d = d, .dense = dense, .dtype = HSP_FLOAT64};
    double *value = m->value = hsp_alloc(n * d, sizeof *value);
    if (!dense) {
        m->row = hsp_alloc_zero(n + 1, sizeof *m->row);
        m->id = hsp_alloc(n * d, sizeof *m->id);
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            if (!dense && raw[i * d + j] == 0) continue;
            if (!dense) m->id[stored] = (uint32_t)j;
            value[stored++] = raw[i * d + j];
        }
        if (!dense) m->row[i + 1] = stored;
    }
    m->stored = m->nonzeros = stored;
    assert_int_equal(hsp_design_new(m, s->shift, s->factor, 1, &s->design, NULL), 0);
}

/* Stores the numbers in x, then scales x as the design does. Sparse rows are centred by a rank-one term. */
static void store_scaled(prox_sample *s, bool dense, bool scaled) {
    if (scaled) {
        s->shift = calloc((size_t)s->d, sizeof *s->shift);
        s->factor = calloc((size_t)s->d, sizeof *s->factor);
        for (int64_t j = 0; j < s->d; j++) {
            s->shift[j] = 0.1 * (double)(j % 7);
            s->factor[j] = 1 + 0.2 * (double)(j % 4);
        }
    }
    store_rows(s, s->x, dense);
    for (int64_t t = 0; scaled && t < s->n * s->d; t++) s->x[t] = (s->x[t] - s->shift[t % s->d]) * s->factor[t % s->d];
}

static void free_stored(prox_sample *s) {
    hsp_design_free(s->design);
    hsp_matrix_clear(s->matrix);
    free(s->matrix);
}

static void free_rows(prox_sample *s) {
    free_stored(s);
    free(s->x);
    free(s->y);
    free(s->c);
    free(s->shift);
    free(s->factor);
}

static hsp_problem_spec spec_of(const prox_sample *s, const hsp_loss *loss, const char *penalty, double C, double ratio) {
    return (hsp_problem_spec){.loss = loss,
                              .penalty = hsp_penalty_find(penalty),
                              .C = C,
                              .lambda = NAN,
                              .l1_ratio = ratio,
                              .c = s->c,
                              .outputs = s->K};
}

static hsp_problem *pose_rows(const prox_sample *s, const hsp_problem_spec *spec) {
    hsp_problem *p = NULL;
    assert_int_equal(hsp_problem_new(s->design, spec, &p, NULL), 0);
    memcpy(p->y, s->y, (size_t)s->n * sizeof *p->y);
    return p;
}

/* What a run left; all owned. */
typedef struct answer {
    hsp_problem *problem;
    hsp_point *point;
    hsp_outcome outcome;
} answer;

__attribute__((unused)) static void free_answer(answer *a) {
    hsp_point_free(a->point);
    hsp_problem_free(a->problem);
}

__attribute__((unused)) static hsp_outcome run_prox(hsp_problem *p, const hsp_rules *rules, hsp_point *point) {
    hsp_outcome outcome;
    hsp_run_place place = {0, 1, "1"};
    assert_int_equal(hsp_run(&hsp_solver_prox_newton, p, rules, place, NULL, point, &outcome, NULL), 0);
    return outcome;
}

/* The largest violation of the conditions of optimality at the point, in units of lambda, from the plain numbers. */
static double violation(const prox_sample *s, const hsp_problem *p, const hsp_point *point) {
    int64_t n = s->n, d = s->d, K = s->K;
    double top = 0, sum_c = 0, *g = calloc((size_t)(K * d + K), sizeof *g), score[8], slope[8], value;
    for (int64_t i = 0; i < n; i++) sum_c += s->c ? s->c[i] : 1;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < K; k++) {
            score[k] = point->b[k];
            for (int64_t j = 0; j < d; j++) score[k] += point->w[k * d + j] * s->x[i * d + j];
        }
        p->loss->batch(p->loss, s->y + i, score, 1, K, HSP_KINK_OPEN, &value, slope);
        for (int64_t k = 0; k < K; k++) {
            double r = slope[k] * (s->c ? s->c[i] : 1) / sum_c;
            for (int64_t j = 0; j < d; j++) g[k * d + j] += r * s->x[i * d + j];
            g[K * d + k] += r;
        }
    }
    for (int64_t t = 0; t < K * d; t++) {
        double w = point->w[t], l1 = p->lambda * p->rho, slant = g[t] + p->lambda * (1 - p->rho) * w;
        top = fmax(top, w > 0 ? fabs(slant + l1) : w < 0 ? fabs(slant - l1) : fabs(slant) - l1);
    }
    for (int64_t k = 0; k < K && p->intercept != HSP_INTERCEPT_NONE; k++)
        top = fmax(top, fabs(g[K * d + k] + (p->intercept == HSP_INTERCEPT_PENALISED ? p->lambda * point->b[k] : 0)));
    free(g);
    return top / p->lambda;
}

/* Runs with the first allocation failing, then the second, and so on until none fails. multipliers: of the point; 0: none. */
__attribute__((unused)) static void run_short_of_memory(hsp_problem *p, const hsp_rules *rules, int64_t multipliers) {
    bool whole = false;
    for (int64_t k = 0; !whole; k++) {
        hsp_point *point = NULL;
        hsp_outcome outcome;
        assert_int_equal(hsp_point_new(p->outputs, p->design->d, &point, NULL), 0);
        if (multipliers) assert_int_equal(hsp_point_add_alpha(point, multipliers, NULL), 0);
        hsp_memory_fail_after(k);
        int status = hsp_run(&hsp_solver_prox_newton, p, rules, (hsp_run_place){0, 1, "1"}, NULL, point, &outcome, NULL);
        whole = hsp_memory_calls() <= k;
        hsp_memory_fail_after(-1);
        assert_true(status == HSP_OK || status == HSP_EMEMORY);
        assert_true(k < 1000);
        hsp_point_free(point);
    }
}

#endif
