/* Leave-one-out from the factorisation against a loop that fits again without each row; lambda chosen by it. */
#include "squares_sample.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The residual of row i, output k, in the fit of all other rows: without the row in the data. */
static double residual_without(const sample *s, int64_t i, int64_t k, hsp_squares_path path) {
    const hsp_squares *p = &s->p;
    int64_t n = p->design->n, d = p->design->d, K = p->K;
    double *x = malloc((size_t)((n - 1) * d) * sizeof *x);
    for (int64_t r = 0, at = 0; r < n; r++)
        if (r != i) memcpy(x + at++ * d, s->x + r * d, (size_t)d * sizeof *x);
    sample z = sample_of(x, n - 1, d, K, 1);
    for (int64_t r = 0, at = 0; r < n; r++) {
        if (r == i) continue;
        memcpy(z.Y + at * K, s->Y + r * K, (size_t)K * sizeof *z.Y);
        z.c[at++] = s->c[r];
    }
    z.p.c = p->c ? z.c : NULL;
    z.p.C = p->C;
    z.p.intercept = p->intercept;
    hsp_squares_answer a;
    assert_int_equal(hsp_squares_solve(&z.p, path, 1e-4, &a, NULL), HSP_OK);
    double g = a.b[k];
    for (int64_t j = 0; j < d; j++) g += a.w[k * d + j] * s->x[i * d + j];
    hsp_squares_answer_clear(&a);
    sample_free(&z);
    return s->Y[i * K + k] - g;
}

static void compare(sample *s, hsp_squares_path path, double near) {
    int64_t n = s->design->n, K = s->p.K;
    double *spare = malloc((size_t)n * sizeof *spare);
    hsp_squares_answer a;
    assert_int_equal(hsp_squares_solve(&s->p, path, 1e-4, &a, NULL), HSP_OK);
    assert_int_equal(hsp_squares_spare(&s->p, &a, spare, NULL), HSP_OK);
    for (int64_t i = 0; i < n; i++) {
        assert_true(spare[i] > 0 && spare[i] <= 1 + 1e-12);
        for (int64_t k = 0; k < K; k++) {
            double r = (s->Y[i * K + k] - a.scores[i * K + k]) / spare[i];
            assert_true(fabs(r - residual_without(s, i, k, HSP_SQUARES_QR)) < near);
        }
    }
    hsp_squares_answer_clear(&a);
    free(spare);
}

static void ridge_equals_the_loop(void **state) {
    (void)state;
    const int64_t shape[][2] = {{14, 4}, {7, 10}};
    const hsp_squares_path ways[] = {HSP_SQUARES_GRAM, HSP_SQUARES_QR, HSP_SQUARES_DUAL, HSP_SQUARES_SVD};
    for (int t = 0; t < 2; t++)
        for (int way = 0; way < 4; way++)
            for (int intercept = 0; intercept < 3; intercept++)
                for (int weighted = 0; weighted < 2; weighted++)
                    for (int sparse = 0; sparse < 2; sparse++) {
                        sample s = sample_new(shape[t][0], shape[t][1], 2, sparse ? 0.35 : 1, 2, (uint64_t)t + 21);
                        s.p.intercept = (hsp_intercept)intercept;
                        s.p.c = weighted ? s.c : NULL;
                        s.p.C = 0.8;
                        compare(&s, ways[way], 1e-10);
                        sample_free(&s);
                    }
}

static void least_squares_equal_the_loop(void **state) {
    (void)state;
    const hsp_squares_path ways[] = {HSP_SQUARES_GRAM, HSP_SQUARES_QR, HSP_SQUARES_SVD};
    for (int way = 0; way < 3; way++)
        for (int intercept = 0; intercept < 2; intercept++)
            for (int weighted = 0; weighted < 2; weighted++) {
                sample s = sample_new(25, 4, 2, 1, 2, 23);
                s.p.intercept = (hsp_intercept)intercept;
                s.p.c = weighted ? s.c : NULL;
                compare(&s, ways[way], 1e-10);
                sample_free(&s);
            }
}

/* A duplicate and a constant column change nothing. */
static void rank_deficient_equal_the_loop(void **state) {
    (void)state;
    enum { N = 20, D = 5 };
    sample s0 = sample_new(N, D, 1, 1, 2, 24);
    double *x = malloc(N * D * sizeof *x);
    for (int t = 0; t < N * D; t++) x[t] = t % D == 3 ? s0.x[t - 2] : t % D == 4 ? 0.3 : s0.x[t];
    sample s = sample_of(x, N, D, 1, 24);
    compare(&s, HSP_SQUARES_AUTO, 1e-10);
    sample_free(&s0);
    sample_free(&s);
}

/* A column that only row 2 has: without it the column has no values, and the residual does not exist. More columns than
 * rows: for no row. */
static void alone_in_its_direction_is_undefined(void **state) {
    (void)state;
    enum { N = 12, D = 3 };
    sample s0 = sample_new(N, D, 1, 1, 0, 25);
    double *x = malloc(N * D * sizeof *x), spare[N];
    for (int t = 0; t < N * D; t++) x[t] = t % D == 1 ? t / D == 2 : s0.x[t];
    sample s = sample_of(x, N, D, 1, 25);
    const hsp_squares_path ways[] = {HSP_SQUARES_GRAM, HSP_SQUARES_QR};
    for (int way = 0; way < 2; way++) {
        hsp_squares_answer a;
        assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
        assert_int_equal(hsp_squares_spare(&s.p, &a, spare, NULL), HSP_OK);
        for (int i = 0; i < N; i++) assert_true(isnan(spare[i]) == (i == 2));
        hsp_squares_answer_clear(&a);
    }
    sample_free(&s0);
    sample_free(&s);
    sample wide = sample_new(5, 9, 1, 1, 0, 26);
    hsp_squares_answer a;
    assert_int_equal(hsp_squares_solve(&wide.p, HSP_SQUARES_AUTO, 1e-4, &a, NULL), HSP_OK);
    assert_int_equal(hsp_squares_spare(&wide.p, &a, spare, NULL), HSP_OK);
    for (int i = 0; i < 5; i++) assert_true(isnan(spare[i]));
    hsp_squares_answer_clear(&a);
    assert_int_equal(hsp_squares_solve(&wide.p, HSP_SQUARES_LSMR, 1e-4, &a, NULL), HSP_OK);
    assert_int_equal(hsp_squares_spare(&wide.p, &a, spare, NULL), HSP_EINTERNAL);
    hsp_squares_answer_clear(&a);
    sample_free(&wide);
}

/* As many columns as rows, or one less: 1 - leverage is of the order of 1 / C, and every digit is correct. Against long
 * double, row by row. */
static void large_C_loses_no_digits(void **state) {
    (void)state;
    const double size[] = {1e6, 1e9, 1e12};
    for (int t = 0; t < 3; t++)
        for (int64_t d = 5; d <= 6; d++)
            for (int weighted = 0; weighted < 2; weighted++) {
                enum { N = 6 };
                sample s = sample_new(N, d, 1, 1, 1, 61);
                for (int i = 0; i < N; i++) s.c[i] = 1 + i % 3;
                s.p.intercept = HSP_INTERCEPT_FREE;
                s.p.c = weighted ? s.c : NULL;
                s.p.C = size[t];
                double spare[N], w[N], b;
                hsp_squares_answer a;
                assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, NULL), HSP_OK);
                assert_int_equal(a.path, HSP_SQUARES_DUAL);
                assert_int_equal(hsp_squares_spare(&s.p, &a, spare, NULL), HSP_OK);
                for (int i = 0; i < N; i++) {
                    double c = s.c[i], r = a.residuals[i] / spare[i];
                    sample left = s;
                    left.p.c = left.c; /* naive leaves out what has no weight */
                    if (!weighted)
                        for (int e = 0; e < N; e++) s.c[e] = 1;
                    s.c[i] = 0;
                    naive(&left, 0, w, &b);
                    s.c[i] = c;
                    double wanted = s.Y[i] - b;
                    for (int64_t j = 0; j < d; j++) wanted -= w[j] * s.x[i * d + j];
                    /* naive squares the condition number in eighteen digits: six of them are right at the largest C */
                    assert_true(fabs(r - wanted) < fmax(1e-11, 1e-17 * size[t]) * (1 + fabs(wanted)));
                }
                hsp_squares_answer_clear(&a);
                sample_free(&s);
            }
}

/* Three rows whose sum of squares is known from rational arithmetic. */
static void large_C_against_fractions(void **state) {
    (void)state;
    const double x0[] = {1, 2, 2, 1, 0.5, 1}, size[] = {1e6, 1e9, 1e12};
    const double press[] = {3.6336119865792567, 3.63361111198658, 3.6336111111119864};
    for (int t = 0; t < 3; t++) {
        double *x = malloc(sizeof x0), spare[3], sum = 0;
        memcpy(x, x0, sizeof x0);
        sample s = sample_of(x, 3, 2, 1, 1);
        s.Y[0] = 1, s.Y[1] = 2, s.Y[2] = 0;
        s.p.C = size[t];
        s.p.intercept = HSP_INTERCEPT_FREE;
        hsp_squares_answer a;
        assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, NULL), HSP_OK);
        assert_int_equal(hsp_squares_spare(&s.p, &a, spare, NULL), HSP_OK);
        for (int i = 0; i < 3; i++) sum += a.residuals[i] / spare[i] * (a.residuals[i] / spare[i]);
        assert_true(fabs(sum - press[t]) < 1e-14 * press[t]);
        hsp_squares_answer_clear(&a);
        sample_free(&s);
    }
}

/* ---- lambda ---- */

static double loop_error(sample *s, double lambda) {
    int64_t n = s->design->n, K = s->p.K;
    double sum = 0, mass = hsp_squares_mass(&s->p);
    s->p.C = 1 / (lambda * mass);
    for (int64_t i = 0; i < n; i++) {
        double c = s->p.c ? s->p.c[i] : 1;
        for (int64_t k = 0; c > 0 && k < K; k++) {
            double r = residual_without(s, i, k, HSP_SQUARES_QR);
            sum += c * r * r;
        }
    }
    return sum / mass;
}

static void search_equals_the_loop(void **state) {
    (void)state;
    const int64_t shape[][2] = {{12, 3}, {6, 9}, {6, 5}};
    for (int t = 0; t < 3; t++)
        for (int intercept = 0; intercept < 3; intercept++)
            for (int weighted = 0; weighted < 2; weighted++) {
                sample s = sample_new(shape[t][0], shape[t][1], 2, 1, 2, 31);
                s.p.intercept = (hsp_intercept)intercept;
                s.p.c = weighted ? s.c : NULL;
                s.p.C = 1;
                hsp_squares_search found;
                assert_int_equal(hsp_squares_search_lambda(&s.p, &found, NULL), HSP_OK);
                assert_true(found.count > 50);
                int64_t best = 0;
                for (int64_t e = 0; e < found.count; e++) {
                    if (e > 0) assert_true(found.lambda[e] > found.lambda[e - 1]);
                    if (found.error[e] < found.error[best]) best = e;
                    if (e % 23 != 0) continue;
                    double looped = loop_error(&s, found.lambda[e]);
                    assert_true(fabs(found.error[e] - looped) < 1e-6 * looped);
                }
                assert_true(found.best == found.lambda[best]);
                hsp_squares_search_clear(&found);
                sample_free(&s);
            }
}

/* One row, or one with weight: without it there are no data. */
static void search_needs_two_rows(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        sample s = sample_new(weighted ? 5 : 1, 2, 1, 1, 0, 33);
        for (int i = 0; weighted && i < 5; i++) s.c[i] = i == 2;
        s.p.c = weighted ? s.c : NULL;
        s.p.C = 1;
        hsp_squares_search found;
        hsp_error *err = NULL;
        assert_int_equal(hsp_squares_search_lambda(&s.p, &found, &err), HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(err), weighted ? "needs more than one row with weight: give a number"
                                                                : "needs more than one row: give a number"));
        assert_null(found.lambda);
        hsp_error_free(err);
        sample_free(&s);
    }
}

static void search_refuses_what_it_cannot_hold(void **state) {
    (void)state;
    sample s = sample_new(2500, 2100, 1, 0.001, 0, 33);
    s.p.C = 1;
    hsp_squares_search found;
    hsp_error *err = NULL;
    assert_int_equal(hsp_squares_search_lambda(&s.p, &found, &err), HSP_EUSAGE);
    assert_non_null(strstr(hsp_error_message(err), "2500 rows x 2100 columns: give a number"));
    assert_null(found.lambda);
    hsp_error_free(err);
    sample_free(&s);
}

static void memory_may_fail(void **state) {
    (void)state;
    const int64_t shape[][2] = {{8, 3}, {4, 6}};
    for (int t = 0; t < 2; t++) {
        sample s = sample_new(shape[t][0], shape[t][1], 2, 1, 1, 35);
        double spare[8];
        s.p.C = 1;
        hsp_squares_answer a;
        assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, NULL), HSP_OK);
        for (int64_t calls = 0, status = HSP_EMEMORY; status; calls++) {
            hsp_memory_fail_after(calls);
            status = hsp_squares_spare(&s.p, &a, spare, NULL);
            hsp_memory_fail_after(-1);
            assert_true(status == HSP_EMEMORY || status == HSP_OK);
        }
        hsp_squares_answer_clear(&a);
        for (int64_t calls = 0, status = HSP_EMEMORY; status; calls++) {
            hsp_squares_search found;
            hsp_memory_fail_after(calls);
            status = hsp_squares_search_lambda(&s.p, &found, NULL);
            hsp_memory_fail_after(-1);
            assert_true(status == HSP_EMEMORY || status == HSP_OK);
            if (status) assert_null(found.lambda);
            hsp_squares_search_clear(&found);
        }
        sample_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_equals_the_loop),
        cmocka_unit_test(least_squares_equal_the_loop),
        cmocka_unit_test(rank_deficient_equal_the_loop),
        cmocka_unit_test(alone_in_its_direction_is_undefined),
        cmocka_unit_test(large_C_loses_no_digits),
        cmocka_unit_test(large_C_against_fractions),
        cmocka_unit_test(search_equals_the_loop),
        cmocka_unit_test(search_needs_two_rows),
        cmocka_unit_test(search_refuses_what_it_cannot_hold),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
