/* What the methods for margins share: the best intercept against a search over all breakpoints, values, balance. */
#include "solve/margin/margin_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const hsp_intercept INTERCEPTS[] = {HSP_INTERCEPT_FREE, HSP_INTERCEPT_NONE, HSP_INTERCEPT_PENALISED};

static double best_of(const margin_case *s, const double *scores) {
    double *scratch = calloc((size_t)(2 * s->n), sizeof *scratch);
    double b = hsp_margin_best_intercept(&s->m, scores, scratch);
    free(scratch);
    return b;
}

static double primal_at(margin_case *s, double b) {
    s->point.b = b;
    return margin_case_primal(s, &s->point, 0);
}

static void random_weights(margin_case *s, uint64_t seed, double *scores) {
    hsp_rng r = hsp_rng_new(seed, 3);
    for (int64_t j = 0; j < s->d; j++) s->point.w[j] = 0.3 * hsp_rng_normal(&r);
    hsp_design_scores(s->design, s->point.w, 0, scores);
}

/* No other intercept is better: breakpoints for the hinge, small moves for the other losses. */
static void best_intercept_is_best(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 240; seed++) {
        kind k = seed % 4 == 2 ? KIND_SQUARED : (kind)(seed % 4);
        hsp_intercept intercept = seed % 3 ? HSP_INTERCEPT_FREE : HSP_INTERCEPT_PENALISED;
        int64_t n = 2 + (int64_t)(seed % 37);
        margin_case s =
            margin_case_random(n, 3, 1, seed % 5 > 0, 0.3, pow(10, (double)(seed % 7) - 3), k, intercept, 1, seed);
        double *scores = calloc((size_t)n, sizeof *scores);
        random_weights(&s, seed, scores);
        if (seed % 2) /* ties */
            for (int64_t i = 0; i < n; i++) scores[i] = round(scores[i]);
        if (seed % 2)
            for (int64_t i = 0; i < n; i++) s.x[i * 3] = (s.point.w[0] = 1, s.point.w[1] = s.point.w[2] = 0, scores[i]);
        double b = best_of(&s, scores), P = primal_at(&s, b), fuzz = 1e-12 * fmax(P, 1e-300);
        for (int64_t i = 0; i < n; i++) assert_true(primal_at(&s, s.y[i] - scores[i]) >= P - fuzz);
        for (double h = 1e-6; h < 10; h *= 10) {
            assert_true(primal_at(&s, b + h) >= P - fuzz);
            assert_true(primal_at(&s, b - h) >= P - fuzz);
        }
        free(scores);
        margin_case_free(&s);
    }
}

static void best_intercept_is_the_middle(void **state) {
    (void)state;
    double x[] = {3, 5, -2, -7}, y[] = {1, 1, -1, -1}, one[] = {0.1, 0.1, 0.1}, w = 1;
    for (int k = 0; k < 3; k++) { /* separated by more than the margin: from 1 - 3 to -1 + 2 */
        margin_case s = margin_case_of(4, 1, x, y, NULL, 0.1, (kind)k, HSP_INTERCEPT_FREE, 1);
        double scores[4];
        hsp_design_scores(s.design, &w, 0, scores);
        assert_true(fabs(best_of(&s, scores) - (-0.5)) < 1e-15);
        margin_case_free(&s);
    }
    /* Three weights of 0.1 against one of 0.3, which sums of doubles do not make equal: flat from -1 to 1. */
    double zeros[] = {0, 0, 0, 0}, c[] = {0.1, 0.1, 0.1, 0.1 + 0.2}, side[] = {1, 1, 1, -1};
    margin_case s = margin_case_of(4, 1, zeros, side, c, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1);
    assert_true(fabs(best_of(&s, zeros)) < 1e-15);
    margin_case_free(&s);
    /* One class: the finite end. */
    double minus[] = {-1, -1, -1};
    for (int k = 0; k < 3; k++) {
        margin_case p = margin_case_of(3, 1, x, side, one, 1, (kind)k, HSP_INTERCEPT_FREE, 1);
        margin_case q = margin_case_of(3, 1, x, minus, one, 1, (kind)k, HSP_INTERCEPT_FREE, 1);
        assert_true(best_of(&p, zeros) == 1);
        assert_true(best_of(&q, zeros) == -1);
        margin_case_free(&p);
        margin_case_free(&q);
    }
}

static void best_intercept_of_hard_rows(void **state) {
    (void)state;
    double x[] = {0, 1, 2, 3}, y[] = {-1, 1, -1, 1}, w = 1, scores[4];
    margin_case s = margin_case_of(4, 1, x, y, NULL, 1, KIND_HARD, HSP_INTERCEPT_FREE, 1);
    hsp_design_scores(s.design, &w, 0, scores);
    assert_true(best_of(&s, scores) == (1 - 1 + (-1 - 2)) / 2.0); /* classes overlap: the middle all the same */
    assert_true(hsp_margin_primal(&s.m, &w, scores, -1.5) == INFINITY);
    double apart[] = {0, 10, 0, 10};
    assert_true(hsp_margin_primal(&s.m, &w, apart, -5) == 0.5);
    double near[] = {0, 1, 0, 1}; /* w must be doubled */
    assert_true(hsp_margin_primal(&s.m, &w, near, -0.5) == 2);
    /* Some rows hard, some soft: the soft ones choose within what the hard ones allow. */
    s.upper[2] = 1;
    for (int i = 0; i < 4; i++) scores[i] = 4 * x[i];
    double b = best_of(&s, scores);
    assert_true(b >= 1 - 4 && b <= -1);
    margin_case_free(&s);
}

static void no_rows_and_no_intercept(void **state) {
    (void)state;
    double x[] = {1, 2}, y[] = {1, -1}, none[] = {0, 0};
    for (int k = 0; k < 4; k++)
        for (int t = 0; t < 3; t++) {
            margin_case s = margin_case_of(2, 1, x, y, none, 1, (kind)k, INTERCEPTS[t], 1);
            assert_true(best_of(&s, x) == 0);
            double alpha[] = {0, 0}, w = 0;
            assert_true(hsp_margin_dual_value(&s.m, alpha, &w, 0) == 0);
            assert_true(hsp_margin_primal(&s.m, &w, x, 0) == 0);
            margin_case_free(&s);
        }
    margin_case s = margin_case_of(2, 1, x, y, NULL, 1, KIND_HINGE, HSP_INTERCEPT_NONE, 1);
    assert_true(best_of(&s, x) == 0);
    double nan[] = {NAN, NAN};
    s.m.intercept = HSP_INTERCEPT_FREE;
    assert_true(isfinite(best_of(&s, nan)));
    margin_case_free(&s);
}

static void values_are_those_of_naive_sums(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        int64_t n = 3 + (int64_t)(seed % 40);
        margin_case s = margin_case_random(n, 4, seed % 2 ? 1 : 0.3, true, 0.5, 0.7,
                                           seed % 3 == 2 ? KIND_BOTH : (kind)(seed % 3), INTERCEPTS[seed % 3], 1, seed);
        double *scores = calloc((size_t)n, sizeof *scores), v[4];
        hsp_rng r = hsp_rng_new(seed, 8);
        random_weights(&s, seed, scores);
        for (int64_t i = 0; i < n; i++) s.point.alpha[i] = hsp_rng_uniform(&r) * fmin(s.upper[i], 2);
        hsp_margin_balance(&s.m, s.point.alpha);
        double t = hsp_margin_combine(&s.m, s.point.alpha, scores, v), D = margin_case_dual(&s, &s.point);
        assert_true(s.m.intercept != HSP_INTERCEPT_FREE || fabs(t) <= 1e-13);
        assert_true(fabs(hsp_margin_dual_value(&s.m, s.point.alpha, v, t) - D) <= 1e-12 * (1 + fabs(D)));
        hsp_design_scores(s.design, s.point.w, 0, scores);
        s.point.b = 0.3;
        double P = margin_case_primal(&s, &s.point, 0);
        assert_true(fabs(hsp_margin_primal(&s.m, s.point.w, scores, 0.3) - P) <= 1e-12 * (1 + P));
        free(scores);
        margin_case_free(&s);
    }
}

/* Rows of one class only: balanced multipliers are all 0. */
static void balance_without_partner(void **state) {
    (void)state;
    double x[] = {1, 2, 3}, y[] = {1, 1, 1}, alpha[] = {0.5, 0.25, 1};
    margin_case s = margin_case_of(3, 1, x, y, NULL, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1);
    hsp_margin_balance(&s.m, alpha);
    for (int i = 0; i < 3; i++) assert_true(alpha[i] == 0);
    s.m.intercept = HSP_INTERCEPT_NONE;
    alpha[1] = 0.25;
    hsp_margin_balance(&s.m, alpha);
    assert_true(alpha[1] == 0.25);
    margin_case_free(&s);
}

/* Many rows, where the zero is found by sampling: equal or different weights, with ties, sorted, or all in one place. */
static void best_intercept_of_many_rows(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        int64_t n = 5000 + 3001 * (int64_t)(seed % 4);
        hsp_intercept intercept = seed % 3 ? HSP_INTERCEPT_FREE : HSP_INTERCEPT_PENALISED;
        margin_case s = margin_case_random(n, 1, 1, seed % 2 > 0, 0.3, seed % 5 ? 1 : 1e-3, KIND_HINGE, intercept, 1, seed);
        double *scores = calloc((size_t)n, sizeof *scores), *w = s.point.w;
        for (int64_t i = 0; i < n; i++) {
            double x = s.x[i];
            scores[i] = seed % 4 == 0 ? x : seed % 4 == 1 ? round(4 * x) / 4 : seed % 4 == 2 ? (double)i / (double)n : 0.5;
        }
        double b = best_of(&s, scores), P = hsp_margin_primal(&s.m, w, scores, b), fuzz = 1e-12 * P;
        for (int64_t i = 0; i < n; i += 41) assert_true(hsp_margin_primal(&s.m, w, scores, s.y[i] - scores[i]) >= P - fuzz);
        for (double h = 1e-9; h < 10; h *= 10) {
            assert_true(hsp_margin_primal(&s.m, w, scores, b + h) >= P - fuzz);
            assert_true(hsp_margin_primal(&s.m, w, scores, b - h) >= P - fuzz);
        }
        free(scores);
        margin_case_free(&s);
    }
}

static void numbers_that_are_none(void **state) {
    (void)state;
    margin_case s = margin_case_random(5000, 1, 1, false, 0.3, 1, KIND_HINGE, HSP_INTERCEPT_FREE, 1, 3);
    double *scores = calloc(5000, sizeof *scores);
    scores[2500] = NAN;
    assert_true(best_of(&s, scores) == 0);
    scores[2500] = INFINITY;
    assert_true(best_of(&s, scores) == 0);
    free(scores);
    margin_case_free(&s);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(best_intercept_is_best),         cmocka_unit_test(best_intercept_is_the_middle),
        cmocka_unit_test(best_intercept_of_hard_rows),    cmocka_unit_test(no_rows_and_no_intercept),
        cmocka_unit_test(values_are_those_of_naive_sums), cmocka_unit_test(balance_without_partner),
        cmocka_unit_test(best_intercept_of_many_rows),    cmocka_unit_test(numbers_that_are_none),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
