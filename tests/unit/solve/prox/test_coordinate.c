/* The quadratic with an L1 term: conditions of optimality, singular matrices, and an enumeration of all sign patterns. */
#include "base/memory.h"
#include "base/rng.h"
#include "factor/factor.h"
#include "solve/prox/coordinate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40 };

/* A = sum of `rank` outer products; columns scaled by powers of ten when asked. c, u = 0, r = c. */
static void pose(hsp_quadratic *Q, int64_t m, int64_t rank, double t, bool unlike, double *c, uint64_t seed) {
    hsp_rng g = hsp_rng_new(seed, 0);
    double x[MOST];
    Q->m = m;
    memset(Q->A, 0, (size_t)(m * m) * sizeof *Q->A);
    for (int64_t j = 0; j < m; j++) c[j] = Q->u[j] = 0;
    for (int64_t k = 0; k < rank; k++) {
        double y = hsp_rng_normal(&g);
        for (int64_t j = 0; j < m; j++) x[j] = (hsp_rng_normal(&g) + 1) * (unlike ? pow(10, (double)(j % 7) - 3) : 1);
        for (int64_t a = 0; a < m; a++) {
            c[a] -= x[a] * y;
            for (int64_t b = 0; b < m; b++) Q->A[a * m + b] += x[a] * x[b];
        }
    }
    for (int64_t j = 0; j < m; j++) {
        Q->r[j] = c[j];
        Q->t[j] = t;
    }
}

/* The violation at u, with r recomputed. */
static double violation(const hsp_quadratic *Q, const double *c, double *size) {
    double top = 0;
    *size = 0;
    for (int64_t a = 0; a < Q->m; a++) {
        double r = c[a];
        for (int64_t b = 0; b < Q->m; b++) {
            r += Q->A[a * Q->m + b] * Q->u[b];
            *size = fmax(*size, fabs(Q->A[a * Q->m + b] * Q->u[b]));
        }
        top = fmax(top, hsp_l1_violation(Q->u[a], r, Q->t[a]));
    }
    return top;
}

static double value(const double *A, const double *c, const double *t, const double *u, int64_t m) {
    double sum = 0;
    for (int64_t a = 0; a < m; a++) {
        sum += c[a] * u[a] + t[a] * fabs(u[a]);
        for (int64_t b = 0; b < m; b++) sum += u[a] * A[a * m + b] * u[b] / 2;
    }
    return sum;
}

static void meets_the_conditions(void **state) {
    (void)state;
    hsp_quadratic Q;
    double c[MOST], size;
    assert_int_equal(hsp_quadratic_init(&Q, MOST, NULL), 0);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int64_t m = 1 + (int64_t)seed % MOST, rank = seed % 3 == 0 ? 1 + m / 2 : m + 5; /* a third are singular */
        pose(&Q, m, rank, seed % 4 == 0 ? 30 : 0.5, seed % 2, c, seed);
        hsp_quadratic_descend(&Q, 1e-11, 100000, NULL);
        assert_true(violation(&Q, c, &size) <= 1e-11 + 1e-13 * size);
    }
    hsp_quadratic_free(&Q);
}

/* Five variables: the stationary point of each of the 3^5 sign patterns by elimination, and the least value that keeps
 * its signs. */
static double by_patterns(const hsp_quadratic *Q, const double *c) {
    int64_t m = Q->m;
    double best = 0;
    for (int pattern = 0; pattern < 243; pattern++) {
        int64_t in[5], count = 0;
        double L[25], s[5], u[5] = {0};
        int rest = pattern, sign[5];
        for (int64_t j = 0; j < m; j++, rest /= 3) {
            sign[j] = rest % 3 - 1;
            if (sign[j]) in[count++] = j;
        }
        for (int64_t a = 0; a < count; a++) {
            for (int64_t b = 0; b < count; b++) L[a * count + b] = Q->A[in[a] * m + in[b]];
            s[a] = -(c[in[a]] + Q->t[in[a]] * sign[in[a]]);
        }
        if (count && hsp_cholesky(L, count)) continue;
        hsp_cholesky_solve(L, count, s, 1);
        bool keeps = true;
        for (int64_t a = 0; a < count; a++) {
            u[in[a]] = s[a];
            keeps = keeps && s[a] * sign[in[a]] > 0;
        }
        if (keeps) best = fmin(best, value(Q->A, c, Q->t, u, m));
    }
    return best;
}

static void no_pattern_is_better(void **state) {
    (void)state;
    hsp_quadratic Q;
    double c[MOST];
    assert_int_equal(hsp_quadratic_init(&Q, 5, NULL), 0);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        pose(&Q, 5, 7, 3, false, c, seed);
        for (int j = 0; j < 5; j++) Q.t[j] = (double)(j + (int)(seed % 3)); /* thresholds may differ, and be 0 */
        double best = by_patterns(&Q, c);
        hsp_quadratic_descend(&Q, 1e-12, 10000, NULL);
        assert_true(fabs(value(Q.A, c, Q.t, Q.u, 5) - best) <= 1e-11 * (1 + fabs(best)));
    }
    hsp_quadratic_free(&Q);
}

static void without_threshold_solves_the_system(void **state) {
    (void)state;
    hsp_quadratic Q;
    double c[MOST], size;
    assert_int_equal(hsp_quadratic_init(&Q, 12, NULL), 0);
    pose(&Q, 12, 13, 0, true, c, 5);
    hsp_quadratic_descend(&Q, 1e-10, 100000, NULL);
    assert_true(violation(&Q, c, &size) <= 1e-10 + 1e-13 * size);
    hsp_quadratic_free(&Q);
}

/* Nearly equal columns: coordinate descent alone would take millions of sweeps. */
static void nearly_dependent(void **state) {
    (void)state;
    hsp_quadratic Q;
    double c[MOST], size, e = 1e-7;
    assert_int_equal(hsp_quadratic_init(&Q, 4, NULL), 0);
    pose(&Q, 4, 9, 0.01, false, c, 3);
    for (int a = 0; a < 4; a++) Q.A[a * 4 + 1] = Q.A[a * 4]; /* variable 1 is almost variable 0 */
    for (int a = 0; a < 4; a++) Q.A[4 + a] = Q.A[a];
    Q.A[5] = Q.A[0] * (1 + e);
    Q.r[1] = c[1] = c[0] * (1 + e);
    hsp_quadratic_descend(&Q, 1e-10, 2000, NULL);
    assert_true(violation(&Q, c, &size) <= 1e-10 + 1e-13 * size);
    hsp_quadratic_free(&Q);
}

/* A variable without curvature becomes zero where its slope allows; one that is unbounded stays. */
static void without_curvature(void **state) {
    (void)state;
    hsp_quadratic Q;
    double A[] = {2, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_int_equal(hsp_quadratic_init(&Q, 3, NULL), 0);
    Q.m = 3;
    memcpy(Q.A, A, sizeof A);
    for (int j = 0; j < 3; j++) Q.t[j] = 1;
    Q.u[0] = 0, Q.u[1] = 7, Q.u[2] = 7;
    Q.r[0] = -5, Q.r[1] = 0.5, Q.r[2] = -3;
    double left = hsp_quadratic_descend(&Q, 1e-12, 1000, NULL);
    assert_true(Q.u[0] == 2 && Q.u[1] == 0 && Q.u[2] == 7 && left == 2);
    hsp_quadratic_free(&Q);
}

/* NaN and a budget of no time end the descent. */
static void ends_anyway(void **state) {
    (void)state;
    hsp_quadratic Q;
    double c[MOST];
    assert_int_equal(hsp_quadratic_init(&Q, 6, NULL), 0);
    pose(&Q, 6, 8, 0.1, false, c, 2);
    Q.r[2] = NAN;
    assert_true(isnan(hsp_quadratic_descend(&Q, 1e-9, 1000000, NULL)));
    pose(&Q, 6, 8, 0.1, false, c, 2);
    Q.A[0] = INFINITY;
    hsp_quadratic_descend(&Q, 0, 100000, NULL);
    pose(&Q, 6, 8, 0.1, false, c, 2);
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = 0};
    hsp_quadratic_descend(&Q, -1, INT64_MAX, &budget); /* a tolerance below zero is never met */
    assert_true(budget.out);
    Q.m = 0;
    assert_true(hsp_quadratic_descend(&Q, 0, 10, NULL) == 0);
    hsp_quadratic_free(&Q);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    int status = HSP_EMEMORY;
    for (int64_t k = 0; status; k++) {
        hsp_quadratic Q;
        hsp_memory_fail_after(k);
        status = hsp_quadratic_init(&Q, 3, NULL);
        hsp_memory_fail_after(-1);
        hsp_quadratic_free(&Q);
        assert_true(k < 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meets_the_conditions),
                                       cmocka_unit_test(no_pattern_is_better),
                                       cmocka_unit_test(without_threshold_solves_the_system),
                                       cmocka_unit_test(nearly_dependent),
                                       cmocka_unit_test(without_curvature),
                                       cmocka_unit_test(ends_anyway),
                                       cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
