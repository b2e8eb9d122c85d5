/* Measurements without weights: squares, scores, objectives and bounds are those of the definition at the points that they are
 * of, and the ascent is left as it was. */
#include "base/memory.h"
#include "base/rng.h"
#include "design/frequent.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "posed.h"
#include "problem/margin_values.h"
#include "solve/dual/ascent.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 3, MOST = 3 };
static const double values_of_C[LANES] = {0.03, 1, 40};

typedef struct lean {
    hsp_data *data;
    hsp_design *design;
    hsp_problem *p[LANES];
    hsp_margin m[LANES];
    double *upper[LANES], *ridge[LANES];
    hsp_ascent s;
    int count;
} lean;

static void open_lean(lean *t, hsp_data *data, const hsp_loss *loss, hsp_intercept intercept, int count) {
    int64_t n = data->x.n;
    *t = (lean){.data = data, .count = count};
    assert_int_equal(hsp_design_new(&data->x, NULL, NULL, 1, &t->design, NULL), 0);
    for (int k = 0; k < count; k++) {
        hsp_problem_spec spec = {.loss = loss,
                                 .penalty = hsp_penalty_find("l2"),
                                 .intercept = intercept,
                                 .C = values_of_C[count == 1 ? 1 : k],
                                 .lambda = NAN};
        assert_int_equal(hsp_problem_new(t->design, &spec, &t->p[k], NULL), 0);
        for (int64_t i = 0; i < n; i++) t->p[k]->y[i] = data->y[i] ? 1 : -1;
        assert_true(HSP_ALLOC(t->upper[k], n) && HSP_ALLOC(t->ridge[k], n));
        t->m[k] = hsp_margin_of(t->p[k], t->upper[k], loss->dual_ridge > 0 ? t->ridge[k] : NULL);
        t->m[k].problem = t->p[k];
        t->m[k].aim = 1e-9;
    }
    hsp_ascent_task task = {
        .count = count, .m = t->m, .entropy = loss->dual_shape == HSP_DUAL_ENTROPY, .lean = true, .seed = 1};
    assert_int_equal(hsp_ascent_init(&t->s, &task, NULL), 0);
}

static void close_lean(lean *t) {
    hsp_ascent_free(&t->s);
    for (int k = 0; k < t->count; k++) {
        hsp_problem_free(t->p[k]);
        HSP_FREE(t->upper[k], t->ridge[k]);
    }
    hsp_design_free(t->design);
}

/* The weights that multipliers combine. */
static void combine(const lean *t, int k, const double *alpha, double *w) {
    int64_t n = t->design->n;
    double *r = hsp_alloc(n, sizeof *r);
    for (int64_t i = 0; i < n; i++) r[i] = alpha[i] * t->p[k]->y[i];
    hsp_design_adjoint(t->design, r, w);
    hsp_free(r);
}

static bool close_to(double a, double b) {
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

/* The best primal point of a lane: its weights, found from its multipliers where they are kept, give its figures. */
static void check_best(const lean *t, int k) {
    const hsp_ascent_figures *f = &t->s.lane[k].figures;
    int64_t n = t->design->n, d = t->design->d;
    double *w = hsp_alloc(d, sizeof *w), *scores = hsp_alloc(n, sizeof *scores);
    hsp_problem *p = t->p[k];
    if (!hsp_ascent_smooth(&t->s)) {
        combine(t, k, f->best.alpha, w);
        assert_true(close_to(f->best.square, hsp_dot_f64(w, w, d)));
        hsp_design_scores(t->design, w, 0, scores);
        for (int64_t i = 0; i < n; i++) assert_true(close_to(f->best.scores[i], scores[i]));
    }
    double size = sqrt(f->best.square), b = f->best.b;
    for (int64_t i = 0; i < n; i++) p->scores[i] = f->best.scores[i] + b;
    assert_true(close_to(f->best.primal, hsp_problem_evaluate_scores(p, &size, 1, &b).objective));
    HSP_FREE(w, scores);
}

static void check_present(const lean *t, int k) {
    const hsp_ascent_figures *f = &t->s.lane[k].figures;
    int64_t n = t->design->n, d = t->design->d;
    double *alpha = hsp_alloc(n, sizeof *alpha), *w = hsp_alloc(d, sizeof *w), *own = hsp_alloc(d, sizeof *own);
    hsp_ascent_alpha(&t->s, k, alpha);
    combine(t, k, alpha, w);
    hsp_ascent_weights(&t->s, k, own);
    for (int64_t j = 0; j < d; j++) assert_true(close_to(own[j], w[j]));
    assert_true(close_to(f->square, hsp_dot_f64(w, w, d)));
    double *r = hsp_alloc(n, sizeof *r);
    for (int64_t i = 0; i < n; i++) r[i] = t->p[k]->y[i] * alpha[i] / t->p[k]->C;
    double D = hsp_problem_dual_of(t->p[k], r);
    assert_true(fabs(fmax(f->dual, 0) - D) <= 1e-7 * (1 + D)); /* losses are never negative */
    assert_true(f->best.dual >= f->dual && f->best.dual <= f->best.primal * (1 + 1e-12));
    HSP_FREE(alpha, w, own, r);
}

static void figures_are_those_of_the_definition(void **unused) {
    (void)unused;
    const char *const losses[] = {"hinge", "squared-hinge", "smoothed-hinge", "logistic"};
    const hsp_intercept intercepts[] = {HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED};
    hsp_data *data = posed_data(90, 60, 0.2, 3);
    assert_false(data->x.dense);
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++)
        for (int b = 0; b < 3; b++)
            for (int count = 1; count <= MOST; count += 2) {
                lean t;
                open_lean(&t, data, hsp_loss_find(losses[l]), intercepts[b], count);
                hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = INFINITY};
                hsp_step result[HSP_LANES];
                for (int epoch = 0; epoch < 60; epoch++) {
                    hsp_ascent_epoch(&t.s, &budget, result);
                    if (epoch % 7 == 0) hsp_ascent_measure(&t.s);
                    for (int k = 0; t.s.measured && k < count; k++) {
                        check_present(&t, k);
                        check_best(&t, k);
                    }
                }
                for (int k = 0; k < count; k++) assert_true(t.s.lane[k].figures.gap < 0.05);
                close_lean(&t);
            }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
