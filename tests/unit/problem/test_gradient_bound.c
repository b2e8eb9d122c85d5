/* The bound from the slopes at a point whose gradient is known, against the bound of the same multipliers by a pass. */
#include "posed.h"
#include "problem/gradient_bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 90, D = 4, K = 3 };

/* At a point with weights of that size: D where there is one. Multipliers of rows without weight are 0. */
static double check_point(hsp_problem *p, double size) {
    double w[K * D], b[K], gw[K * D], gb[K], share[N], alpha[N * K], scratch[N], slopes[N * K];
    hsp_rng r = hsp_rng_new(9, 0);
    int64_t many = p->outputs;
    for (int64_t j = 0; j < many * D; j++) w[j] = size * hsp_rng_normal(&r);
    for (int64_t k = 0; k < many; k++) b[k] = p->intercept == HSP_INTERCEPT_NONE ? 0 : size * hsp_rng_normal(&r);
    for (int64_t i = 0; i < N; i++) share[i] = (p->c ? p->c[i] : 1) / p->sum_c;
    double P = hsp_problem_gradient(p, w, b, gw, gb).objective;
    for (int64_t e = 0; e < N * many; e++) slopes[e] = p->slopes[e];
    double bound = hsp_problem_bound_of_gradient(p, w, gw, many * D, share, alpha, scratch);
    for (int64_t e = 0; e < N * many; e++) assert_true(p->slopes[e] == slopes[e]);
    if (isnan(bound)) return bound;
    assert_true(bound > 0 && bound <= P * (1 + 1e-12));
    assert_true(fabs(hsp_problem_dual_of(p, alpha) - bound) <= 1e-11 * P);
    for (int64_t i = 0; i < N; i++) assert_true(share[i] > 0 || alpha[i * many] == 0);
    return bound;
}

static const hsp_loss *const LOSSES[] = {&hsp_loss_logistic, &hsp_loss_squared_hinge, &hsp_loss_squared, &hsp_loss_softmax};

static void is_that_of_the_multipliers(void **state) {
    (void)state;
    hsp_data *data = posed_data(N, D, 0.4, 31);
    int found = 0;
    for (int c = 0; c < 4 * 4 * 3 * 2; c++) {
        const hsp_loss *loss = LOSSES[c % 4];
        double weights[N];
        for (int64_t i = 0; i < N; i++) weights[i] = i % 7 == 0 ? 0 : 1 + (double)(i % 3);
        hsp_problem_spec spec = {.loss = loss,
                                 .penalty = hsp_penalty_table[c / 4 % 4],
                                 .C = 0.02,
                                 .lambda = NAN,
                                 .intercept = (hsp_intercept)(c / 16 % 3),
                                 .l1_ratio = 0.4,
                                 .c = c / 48 ? weights : NULL,
                                 .outputs = loss->traits & HSP_LOSS_MANY ? K : 1};
        posed p;
        assert_int_equal(posed_make(&p, data, "standard", &spec), 0);
        for (int64_t i = 0; i < N && spec.outputs > 1; i++) p.problem->y[i] = (double)(i % K);
        double bound = check_point(p.problem, 0.1);
        if (!spec.penalty->penalises || spec.intercept == HSP_INTERCEPT_FREE)
            assert_true(isnan(bound)); /* no dual; and slopes at such a point do not sum to 0 */
        else
            found += !isnan(bound);
        posed_free(&p);
    }
    assert_true(found >= 30);
    hsp_data_free(data);
}

/* Classes of the same size, all weights 0: the slopes sum to 0. */
static void a_free_intercept_needs_a_sum_of_0(void **state) {
    (void)state;
    hsp_data *data = posed_data(N, D, 1, 5);
    for (int c = 0; c < 8; c++) {
        const hsp_loss *loss = LOSSES[c % 4];
        hsp_problem_spec spec = {.loss = loss,
                                 .penalty = hsp_penalty_find(c / 4 ? "l1" : "elastic"),
                                 .C = 0.01,
                                 .lambda = NAN,
                                 .l1_ratio = 0.4,
                                 .outputs = loss->traits & HSP_LOSS_MANY ? K : 1};
        posed p;
        assert_int_equal(posed_make(&p, data, "standard", &spec), 0);
        for (int64_t i = 0; i < N; i++) p.problem->y[i] = spec.outputs > 1 ? (double)(i % K) : i % 2 ? 1 : -1;
        bool softmax = spec.outputs > 1; /* thirds do not sum to 0 exactly, but almost */
        assert_true(check_point(p.problem, 0) > 0 || softmax);
        p.problem->y[0] = 1; /* one more of a class */
        assert_true(isnan(check_point(p.problem, 0)));
        posed_free(&p);
    }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_that_of_the_multipliers),
                                       cmocka_unit_test(a_free_intercept_needs_a_sum_of_0)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
