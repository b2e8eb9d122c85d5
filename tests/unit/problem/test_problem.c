/* Objective, gradient and dual bound over the tables. */
#include "posed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 120, D = 5 };

typedef void (*check)(posed *p);

/* Every loss that can be descended x penalty x intercept x layout x scaling. */
static void over_the_tables(check look) {
    static const char *const scales[] = {"none", "standard"};
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_data *data = posed_data(N, D, sparse ? 0.3 : 1, 21);
        assert_non_null(data);
        for (int s = 0; s < 2; s++)
            for (int64_t l = 0; hsp_loss_table[l]; l++)
                for (int64_t q = 0; hsp_penalty_table[q]; q++)
                    for (int b = 0; b < 3; b++) {
                        if (!(hsp_loss_table[l]->traits & HSP_LOSS_SLOPE) || !hsp_loss_table[l]->at) continue;
                        posed p;
                        hsp_problem_spec spec = {.loss = hsp_loss_table[l],
                                                 .penalty = hsp_penalty_table[q],
                                                 .C = 0.3,
                                                 .intercept = (hsp_intercept)b,
                                                 .lambda = NAN,
                                                 .l1_ratio = 0.4};
                        assert_int_equal(posed_make(&p, data, scales[s], &spec), 0);
                        look(&p);
                        posed_free(&p);
                    }
        hsp_data_free(data);
    }
}

static void random_point(hsp_rng *r, double *w, double *b, bool intercept) {
    for (int j = 0; j < D; j++) w[j] = hsp_rng_normal(r);
    *b = intercept ? hsp_rng_normal(r) : 0;
}

static void the_objective_is_the_formula(posed *p) {
    hsp_rng r = hsp_rng_new(4, 0);
    const hsp_problem *q = p->problem;
    double w[D], b, x[D], losses = 0, one = 0, two = 0;
    random_point(&r, w, &b, q->intercept != HSP_INTERCEPT_NONE);
    for (int64_t i = 0; i < N; i++) {
        posed_row(p, i, x);
        double g = b;
        for (int j = 0; j < D; j++) g += x[j] * w[j];
        losses += q->loss->at(q->loss, q->y[i], g, HSP_KINK_OPEN).value;
    }
    for (int j = 0; j < D; j++) {
        one += fabs(w[j]);
        two += w[j] * w[j] / 2;
    }
    double R = strcmp(q->penalty->name, "l2") == 0   ? two
               : strcmp(q->penalty->name, "l1") == 0 ? one
                                                     : 0.4 * one + 0.6 * two;
    if (q->intercept == HSP_INTERCEPT_PENALISED) R += b * b / 2;
    double P = q->penalty->penalises ? R + 0.3 * losses : losses;
    hsp_evaluation e = hsp_problem_evaluate(p->problem, w, &b);
    assert_true(fabs(e.objective - P) < 1e-9 * (1 + P));
    assert_true(fabs(e.mean_loss - losses / N) < 1e-11 * (1 + losses));
    assert_true(!q->penalty->penalises || fabs(q->lambda - 1 / (0.3 * N)) < 1e-15);
}

static void objectives(void **unused) {
    (void)unused;
    over_the_tables(the_objective_is_the_formula);
}

/* F without its L1 part, at a point. */
static double smooth_part(hsp_problem *p, const double *w, double b) {
    double F = hsp_problem_mean(p, hsp_problem_evaluate(p, w, &b).objective);
    return p->penalty->penalises ? F - p->lambda * p->rho * hsp_penalty_value(w, D, 1) : F;
}

static void the_gradient_is_that_of_finite_differences(posed *p) {
    if (!(p->problem->loss->traits & HSP_LOSS_SMOOTH)) return; /* a random step may cross a kink */
    hsp_rng r = hsp_rng_new(5, 0);
    double w[D], b, gw[D], gb;
    bool intercept = p->problem->intercept != HSP_INTERCEPT_NONE;
    random_point(&r, w, &b, intercept);
    hsp_problem_gradient(p->problem, w, &b, gw, &gb);
    const double h = 1e-5;
    for (int j = 0; j <= D; j++) {
        if (j == D && !intercept) continue;
        double *at = j < D ? &w[j] : &b, old = *at;
        *at = old + h;
        double up = smooth_part(p->problem, w, b);
        *at = old - h;
        double down = smooth_part(p->problem, w, b);
        *at = old;
        double expected = (up - down) / (2 * h), got = j < D ? gw[j] : gb;
        assert_true(fabs(got - expected) < 1e-6 * (1 + fabs(expected)));
    }
}

static void gradients(void **unused) {
    (void)unused;
    over_the_tables(the_gradient_is_that_of_finite_differences);
}

/* Weak duality: a bound made anywhere lies below the objective everywhere. */
static void the_bound_is_below_every_objective(posed *p) {
    hsp_rng r = hsp_rng_new(6, 0);
    double best = 0, least = INFINITY;
    bool intercept = p->problem->intercept != HSP_INTERCEPT_NONE;
    for (int turn = 0; turn < 60; turn++) {
        double w[D], b;
        random_point(&r, w, &b, intercept);
        double size = pow(10, -3 * hsp_rng_uniform(&r));
        for (int j = 0; j < D; j++) w[j] *= size;
        b *= size;
        double bound = hsp_problem_dual_bound(p->problem, w, &b);
        double P = hsp_problem_evaluate(p->problem, w, &b).objective;
        bool known = p->problem->penalty->penalises && (p->problem->loss->traits & HSP_LOSS_DUAL);
        assert_true(known ? isfinite(bound) && bound >= 0 : isnan(bound));
        if (bound > best) best = bound;
        if (P < least) least = P;
    }
    assert_true(best <= least);
}

static void bounds(void **unused) {
    (void)unused;
    over_the_tables(the_bound_is_below_every_objective);
}

static void the_gap_is_relative_to_the_objective(void **unused) {
    (void)unused;
    assert_true(hsp_relative_gap(2, 1) == 0.5);
    assert_true(hsp_relative_gap(0, 0) == 0);
    assert_true(isnan(hsp_relative_gap(1, NAN)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objectives),
        cmocka_unit_test(gradients),
        cmocka_unit_test(bounds),
        cmocka_unit_test(the_gap_is_relative_to_the_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
