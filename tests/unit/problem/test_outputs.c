/* Problems of several outputs, curvature, lines, and bounds from multipliers. */
#include "posed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 90, D = 4, K = 3, SIZE = K * D };

static hsp_problem_spec spec_of(const hsp_loss *loss, const char *penalty, hsp_intercept intercept) {
    return (hsp_problem_spec){.loss = loss,
                              .penalty = hsp_penalty_find(penalty),
                              .C = 0.7,
                              .lambda = NAN,
                              .intercept = intercept,
                              .l1_ratio = 0.4,
                              .outputs = loss->traits & HSP_LOSS_MANY ? K : 1};
}

/* Three classes that depend on the columns, so that slopes differ. */
static void classes(posed *p, double *weights) {
    hsp_rng r = hsp_rng_new(8, 0);
    for (int64_t i = 0; i < N; i++) {
        p->problem->y[i] = (double)hsp_rng_below(&r, K);
        weights[i] = i % 7 == 0 ? 0 : 0.5 + hsp_rng_uniform(&r);
    }
}

typedef void (*check)(hsp_problem *p, hsp_rng *r);

/* Softmax x penalty x intercept x layout x row weights. */
static void over_softmax(check look) {
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_data *data = posed_data(N, D, sparse ? 0.3 : 1, 31);
        for (int64_t q = 0; hsp_penalty_table[q]; q++)
            for (int b = 0; b < 3; b++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    double weights[N], sum = 0;
                    posed p;
                    hsp_problem_spec spec = spec_of(&hsp_loss_softmax, hsp_penalty_table[q]->name, (hsp_intercept)b);
                    for (int64_t i = 0; i < N; i++) sum += weights[i] = i % 7 == 0 ? 0 : 1 + (double)(i % 3);
                    if (weighted) spec.c = weights;
                    assert_int_equal(posed_make(&p, data, sparse ? "standard" : "none", &spec), 0);
                    assert_true(!weighted || p.problem->sum_c == sum);
                    double unused[N];
                    classes(&p, unused);
                    hsp_rng r = hsp_rng_new(9, 0);
                    look(p.problem, &r);
                    posed_free(&p);
                }
        hsp_data_free(data);
    }
}

static void random_point(const hsp_problem *p, hsp_rng *r, double size, double *w, double *b) {
    for (int j = 0; j < SIZE; j++) w[j] = size * hsp_rng_normal(r);
    for (int k = 0; k < K; k++) b[k] = p->intercept == HSP_INTERCEPT_NONE ? 0 : size * hsp_rng_normal(r);
}

static double smooth_part(hsp_problem *p, const double *w, const double *b) {
    double F = hsp_problem_mean(p, hsp_problem_evaluate(p, w, b).objective);
    return p->penalty->penalises ? F - p->lambda * p->rho * hsp_penalty_value(w, SIZE, 1) : F;
}

static void the_gradient_is_that_of_finite_differences(hsp_problem *p, hsp_rng *r) {
    double w[SIZE], b[K], gw[SIZE], gb[K], h = 1e-5;
    random_point(p, r, 0.3, w, b);
    hsp_problem_gradient(p, w, b, gw, gb);
    for (int j = 0; j < SIZE + K; j++) {
        double *at = j < SIZE ? w + j : b + j - SIZE, got = j < SIZE ? gw[j] : gb[j - SIZE], old = *at;
        if (j >= SIZE && p->intercept == HSP_INTERCEPT_NONE) {
            assert_true(got == 0);
            continue;
        }
        *at = old + h;
        double up = smooth_part(p, w, b);
        *at = old - h;
        double down = smooth_part(p, w, b);
        *at = old;
        assert_true(fabs((up - down) / (2 * h) - got) < 1e-7 * (1 + fabs(got)));
    }
}

static void gradients(void **unused) {
    (void)unused;
    over_softmax(the_gradient_is_that_of_finite_differences);
}

/* Weak duality: bounds of any points, and of any multipliers, lie below all objectives. */
static void bounds_are_below_objectives(hsp_problem *p, hsp_rng *r) {
    double best = 0, least = INFINITY, multipliers[N * K];
    for (int turn = 0; turn < 40; turn++) {
        double w[SIZE], b[K];
        random_point(p, r, pow(10, -3 * hsp_rng_uniform(r)), w, b);
        double bound = hsp_problem_dual_bound(p, w, b), P = hsp_problem_evaluate(p, w, b).objective;
        assert_true(p->penalty->penalises ? isfinite(bound) && bound >= 0 : isnan(bound));
        for (int e = 0; e < N * K; e++) multipliers[e] = hsp_rng_normal(r);
        double other = hsp_problem_dual_of(p, multipliers);
        assert_true(p->penalty->penalises ? isfinite(other) : !(other > least));
        best = fmax(best, fmax(bound, other));
        least = fmin(least, P);
    }
    assert_true(best <= least);
}

static void bounds(void **unused) {
    (void)unused;
    over_softmax(bounds_are_below_objectives);
}

/* The slopes at a point, proposed as multipliers, give the bound of the point. */
static void slopes_are_multipliers(hsp_problem *p, hsp_rng *r) {
    double w[SIZE], b[K], multipliers[N * K];
    if (!p->penalty->penalises) return;
    random_point(p, r, 0.2, w, b);
    hsp_problem_evaluate(p, w, b);
    p->loss->batch(p->loss, p->y, p->scores, N, K, p->kink, NULL, multipliers);
    for (int e = 0; e < N * K; e++) multipliers[e] = -multipliers[e];
    double from = hsp_problem_dual_of(p, multipliers), at = hsp_problem_dual_bound(p, w, b);
    assert_true(fabs(from - at) <= 1e-12 * (1 + fabs(at)));
}

static void proposals(void **unused) {
    (void)unused;
    over_softmax(slopes_are_multipliers);
}

/* Without a penalty multipliers give a bound only when v = 0. */
static void an_unpenalised_bound_needs_a_vanishing_sum(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(N, D, 1, 31);
    posed p;
    hsp_problem_spec spec = spec_of(&hsp_loss_logistic, "none", HSP_INTERCEPT_FREE);
    assert_int_equal(posed_make(&p, data, "none", &spec), 0);
    double r[N] = {0};
    assert_true(hsp_problem_dual_of(p.problem, r) == 0);
    for (int i = 0; i < N; i++) r[i] = 0.5 * p.problem->y[i];
    assert_true(isnan(hsp_problem_dual_of(p.problem, r)));
    assert_true(isnan(hsp_problem_dual_bound(p.problem, (double[D]){0}, (double[1]){0})));
    posed_free(&p);
    spec = spec_of(&hsp_loss_perceptron, "l2", HSP_INTERCEPT_FREE);
    assert_int_equal(posed_make(&p, data, "none", &spec), 0);
    assert_true(isnan(hsp_problem_dual_of(p.problem, r))); /* no conjugate */
    posed_free(&p);
    hsp_data_free(data);
}

/* hsp_problem_line against evaluations, and the curvature against differences of gradients. */
static void lines_and_curvature(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(N, D, 1, 31);
    for (int64_t l = 0; hsp_loss_table[l]; l++) {
        if (!hsp_loss_table[l]->curvature) continue;
        double weights[N], w[D] = {0.2, -0.1, 0.3, 0.1}, v[D] = {1, 0.5, -0.3, 0.2}, b = 0.1, base[N], step[N], h[N];
        for (int i = 0; i < N; i++) weights[i] = i % 5;
        posed p;
        hsp_problem_spec spec = spec_of(hsp_loss_table[l], "l2", HSP_INTERCEPT_FREE);
        spec.c = weights;
        assert_int_equal(posed_make(&p, data, "none", &spec), 0);
        hsp_problem *q = p.problem;
        hsp_problem_scores(q, w, &b, base);
        hsp_problem_scores(q, v, &(double){0}, step);
        double slope, slope_up, slope_down, t = 0.4, e = 1e-5;
        double mean = hsp_problem_line(q, base, step, t, &slope), moved[D];
        hsp_problem_curvature(q, h); /* at the scores that the line left */
        double second = 0;
        for (int i = 0; i < N; i++) second += h[i] * step[i] * step[i];
        hsp_problem_line(q, base, step, t + e, &slope_up);
        hsp_problem_line(q, base, step, t - e, &slope_down);
        double kinks = hsp_loss_table[l] == &hsp_loss_squared_hinge ? 1e-2 : 1e-6;
        assert_true(fabs((slope_up - slope_down) / (2 * e) - second) <= kinks * (1 + second));
        for (int j = 0; j < D; j++) moved[j] = w[j] + t * v[j];
        assert_true(fabs(hsp_problem_evaluate(q, moved, &b).mean_loss - mean) < 1e-13 * (1 + mean));
        posed_free(&p);
    }
    hsp_data_free(data);
}

static void regression_has_no_errors(void **unused) {
    (void)unused;
    hsp_data *data = posed_data(N, D, 1, 31);
    posed p;
    hsp_problem_spec spec = spec_of(&hsp_loss_squared, "l2", HSP_INTERCEPT_FREE);
    spec.regression = true;
    assert_int_equal(posed_make(&p, data, "none", &spec), 0);
    for (int i = 0; i < N; i++) p.problem->y[i] = 100 + i;
    double w[D] = {0}, b = 144.5;
    hsp_evaluation e = hsp_problem_evaluate(p.problem, w, &b);
    assert_true(isnan(e.error));
    double bound = hsp_problem_dual_bound(p.problem, w, &b);
    assert_true(bound >= 0 && bound <= e.objective);
    posed_free(&p);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients),           cmocka_unit_test(bounds),
        cmocka_unit_test(proposals),           cmocka_unit_test(an_unpenalised_bound_needs_a_vanishing_sum),
        cmocka_unit_test(lines_and_curvature), cmocka_unit_test(regression_has_no_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
