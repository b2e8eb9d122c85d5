/* Least squares and ridge: every method against a naive solver and against the others, and degenerate data. */
#include "squares_sample.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const hsp_squares_path ways[] = {HSP_SQUARES_AUTO, HSP_SQUARES_GRAM, HSP_SQUARES_QR,
                                        HSP_SQUARES_DUAL, HSP_SQUARES_SVD,  HSP_SQUARES_LSMR};
enum { WAYS = sizeof ways / sizeof *ways };

static void check_answer(const sample *s, const hsp_squares_answer *a, double near) {
    int64_t d = s->design->d;
    double *w = malloc((size_t)d * sizeof *w), b;
    for (int64_t k = 0; k < s->p.K; k++) {
        naive(s, k, w, &b);
        assert_true(largest_difference(a->w + k * d, w, d) < near);
        assert_true(fabs(a->b[k] - b) < near * 10);
        double D = a->figures[k].at.objective - a->excess[k];
        if (a->path != HSP_SQUARES_LSMR || hsp_squares_penalised(&s->p)) {
            assert_true(D <= a->figures[k].at.objective);
            assert_true(a->excess[k] <= 1e-10 * a->figures[k].at.objective);
        }
    }
    free(w);
}

/* Ridge by all methods: tall and wide, dense and sparse, with and without weights, the three intercepts. */
static void ridge_is_what_it_should_be(void **state) {
    (void)state;
    const int64_t shape[][2] = {{30, 5}, {9, 14}, {12, 12}};
    for (int t = 0; t < 3; t++)
        for (int sparse = 0; sparse < 2; sparse++)
            for (int way = 0; way < WAYS; way++)
                for (int intercept = 0; intercept < 3; intercept++)
                    for (int weighted = 0; weighted < 2; weighted++) {
                        sample s = sample_new(shape[t][0], shape[t][1], 3, sparse ? 0.3 : 1, 2, (uint64_t)t + 1);
                        assert_true(s.data->x.dense == !sparse);
                        s.p.intercept = (hsp_intercept)intercept;
                        s.p.c = weighted ? s.c : NULL;
                        s.p.C = 0.7;
                        hsp_squares_answer a;
                        assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
                        check_answer(&s, &a, way == WAYS - 1 ? 1e-5 : 1e-11);
                        hsp_squares_answer_clear(&a);
                        sample_free(&s);
                    }
}

static void least_squares_are_what_they_should_be(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int way = 0; way < WAYS; way++)
            for (int intercept = 0; intercept < 2; intercept++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    sample s = sample_new(40, 6, 2, sparse ? 0.3 : 1, 3, 4);
                    s.p.intercept = (hsp_intercept)intercept;
                    s.p.c = weighted ? s.c : NULL;
                    hsp_squares_answer a;
                    assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
                    check_answer(&s, &a, way == WAYS - 1 ? 1e-7 : 1e-11);
                    if (way < WAYS - 1) assert_int_equal(a.rank, 6);
                    assert_int_equal(a.dependents, 0);
                    hsp_squares_answer_clear(&a);
                    sample_free(&s);
                }
}

/* Columns scaled by 1e6 and 1e-6: the weights scale with them, digit by digit. */
static void units_do_not_matter(void **state) {
    (void)state;
    enum { N = 50, D = 7 };
    const hsp_squares_path some[] = {HSP_SQUARES_GRAM, HSP_SQUARES_QR};
    for (int way = 0; way < 2; way++) {
        sample s = sample_new(N, D, 1, 1, 5, 6);
        double *x = malloc(N * D * sizeof *x), unit[D], w[D];
        for (int j = 0; j < D; j++) unit[j] = pow(10, 6 * (j % 3 - 1));
        for (int t = 0; t < N * D; t++) x[t] = s.x[t] * unit[t % D];
        sample z = sample_of(x, N, D, 1, 6);
        memcpy(z.Y, s.Y, N * sizeof *z.Y);
        hsp_squares_answer a, b;
        assert_int_equal(hsp_squares_solve(&s.p, some[way], 1e-4, &a, NULL), HSP_OK);
        assert_int_equal(hsp_squares_solve(&z.p, some[way], 1e-4, &b, NULL), HSP_OK);
        assert_int_equal(b.path, some[way]);
        for (int j = 0; j < D; j++) w[j] = b.w[j] * unit[j];
        assert_true(largest_difference(w, a.w, D) < 1e-12);
        hsp_squares_answer_clear(&a);
        hsp_squares_answer_clear(&b);
        sample_free(&s);
        sample_free(&z);
    }
}

/* A duplicate column, one that is the sum of two, one constant, one zero: the solution of minimum norm, and the columns
 * named. */
static void dependent_columns_are_shared_and_named(void **state) {
    (void)state;
    enum { N = 30, D = 8 };
    sample s0 = sample_new(N, D, 2, 1, 1, 8);
    double *x = malloc(N * D * sizeof *x);
    for (int i = 0; i < N; i++) {
        memcpy(x + i * D, s0.x + i * D, D * sizeof *x);
        x[i * D + 3] = x[i * D + 1];
        x[i * D + 4] = 0.1;
        x[i * D + 5] = x[i * D + 0] + x[i * D + 2];
        x[i * D + 6] = 0;
    }
    sample s = sample_of(x, N, D, 2, 8);
    const double null[2][D] = {{0, 1, 0, -1, 0, 0, 0, 0}, {1, 0, 1, 0, 0, -1, 0, 0}};
    for (int way = 0; way < WAYS; way++) {
        hsp_squares_answer a;
        assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
        double near = ways[way] == HSP_SQUARES_LSMR ? 1e-6 : 1e-12;
        for (int k = 0; k < 2; k++) {
            for (int e = 0; e < 2; e++) {
                double along = 0;
                for (int j = 0; j < D; j++) along += a.w[k * D + j] * null[e][j];
                assert_true(fabs(along) < near);
            }
            assert_true(a.w[k * D + 4] == 0 && a.w[k * D + 6] == 0);
        }
        assert_int_equal(a.constants, 2);
        assert_true(a.constant[0] == 4 && a.constant[1] == 6);
        if (a.path == HSP_SQUARES_QR) {
            assert_int_equal(a.dependents, 2);
            assert_true(a.dependent[0] == 1 || a.dependent[0] == 3 || a.dependent[1] == 3);
            assert_int_equal(a.rank, 4);
        }
        if (ways[way] == HSP_SQUARES_AUTO) assert_int_equal(a.path, HSP_SQUARES_QR);
        hsp_squares_answer_clear(&a);
    }
    sample_free(&s0);
    sample_free(&s);
}

/* More columns than rows: all residuals are 0, and w is a combination of the (centred) rows. */
static void wide_data_are_met_exactly(void **state) {
    (void)state;
    enum { N = 6, D = 15 };
    sample s = sample_new(N, D, 1, 1, 1, 9);
    hsp_squares_answer first;
    assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_QR, 1e-4, &first, NULL), HSP_OK);
    for (int way = 0; way < WAYS; way++) {
        hsp_squares_answer a;
        assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
        double near = ways[way] == HSP_SQUARES_LSMR ? 1e-7 : 1e-12;
        assert_true(largest_difference(a.scores, s.Y, N) < near);
        assert_true(largest_difference(a.w, first.w, D) < near);
        if (ways[way] == HSP_SQUARES_AUTO) assert_int_equal(a.path, HSP_SQUARES_DUAL);
        if (ways[way] != HSP_SQUARES_LSMR) assert_true(a.excess[0] == 0);
        hsp_squares_answer_clear(&a);
    }
    hsp_squares_answer_clear(&first);
    sample_free(&s);
}

static void whole_weights_are_repeated_rows(void **state) {
    (void)state;
    enum { N = 20, D = 4 };
    sample s = sample_new(N, D, 1, 1, 1, 11);
    double *x = malloc(4 * N * D * sizeof *x), Y[4 * N];
    int64_t n = 0;
    for (int i = 0; i < N; i++)
        for (int copy = 0; copy < (int)s.c[i]; copy++, n++) {
            memcpy(x + n * D, s.x + i * D, D * sizeof *x);
            Y[n] = s.Y[i];
        }
    sample z = sample_of(x, n, D, 1, 11);
    memcpy(z.Y, Y, (size_t)n * sizeof *Y);
    s.p.c = s.c;
    for (int way = 0; way < 4; way++)
        for (int ridge = 0; ridge < 2; ridge++) {
            s.p.C = z.p.C = ridge ? 0.3 : NAN;
            hsp_squares_answer a, b;
            assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
            assert_int_equal(hsp_squares_solve(&z.p, ways[way], 1e-4, &b, NULL), HSP_OK);
            assert_true(largest_difference(a.w, b.w, D) < 1e-12);
            assert_true(fabs(a.figures[0].at.objective - b.figures[0].at.objective) < 1e-12);
            hsp_squares_answer_clear(&a);
            hsp_squares_answer_clear(&b);
        }
    sample_free(&s);
    sample_free(&z);
}

static void threads_do_not_matter(void **state) {
    (void)state;
    enum { N = 3000, D = 5 };
    for (int sparse = 0; sparse < 2; sparse++)
        for (int way = 0; way < WAYS; way++) {
            if (ways[way] == HSP_SQUARES_DUAL || ways[way] == HSP_SQUARES_SVD) continue;
            sample s = sample_new(N, D, 2, sparse ? 0.3 : 1, 1, 12);
            hsp_squares_answer a, b;
            assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
            s.design->threads = 3;
            assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &b, NULL), HSP_OK);
            assert_memory_equal(a.w, b.w, 2 * D * sizeof *a.w);
            assert_memory_equal(a.b, b.b, 2 * sizeof *a.b);
            hsp_squares_answer_clear(&a);
            hsp_squares_answer_clear(&b);
            sample_free(&s);
        }
}

/* One row, two rows, one column. */
static void smallest_data(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 2; n++)
        for (int64_t d = 1; d <= 3; d++)
            for (int way = 0; way < WAYS; way++)
                for (int ridge = 0; ridge < 2; ridge++) {
                    sample s = sample_new(n, d, 1, 1, 1, 14);
                    s.p.C = ridge ? 2 : NAN;
                    hsp_squares_answer a;
                    assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL), HSP_OK);
                    if (ridge) check_answer(&s, &a, 1e-7);
                    if (!ridge) assert_true(largest_difference(a.scores, s.Y, n) < 1e-9);
                    if (n == 1) assert_int_equal(a.constants, d);
                    hsp_squares_answer_clear(&a);
                    sample_free(&s);
                }
}

static void extreme_numbers_are_refused(void **state) {
    (void)state;
    const double bad[] = {1e200, 1e308, 1e-170, 1e-300};
    for (int t = 0; t < 4; t++)
        for (int way = 0; way < WAYS; way++) {
            double *x = malloc(12 * sizeof *x);
            for (int e = 0; e < 12; e++) x[e] = e % 2 ? bad[t] * ((1 + e) / 13.0) : e;
            sample s = sample_of(x, 6, 2, 1, 15);
            hsp_squares_answer a;
            hsp_error *err = NULL;
            assert_int_equal(hsp_squares_solve(&s.p, ways[way], 1e-4, &a, &err), HSP_EINPUT);
            assert_string_equal(
                hsp_error_message(err),
                t < 2 ? "column 2 has values too large to compute with: use other units, or --scale standard"
                      : "column 2 has values too small to compute with: use other units, or --scale standard");
            assert_null(a.w);
            hsp_error_free(err);
            sample_free(&s);
        }
    sample s = sample_new(10, 2, 1, 1, 0, 16);
    s.Y[3] = 1e200;
    hsp_squares_answer a;
    hsp_error *err = NULL;
    assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err),
                        "the target's values are too large to compute with: use other units for it");
    hsp_error_free(err);
    s.Y[3] = 1;
    s.p.c = s.c;
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 10; i++) s.c[i] = t ? 1e-300 : 1e308;
        err = NULL;
        assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, &err), HSP_EINPUT);
        assert_non_null(
            strstr(hsp_error_message(err), t ? "weights of the rows are too small" : "weights of the rows are too large"));
        hsp_error_free(err);
    }
    sample_free(&s);
}

/* A design that is scaled already gets no advice to scale. */
static void scaling_is_advised_once(void **state) {
    (void)state;
    sample s = sample_new(10, 2, 1, 1, 0, 16);
    const double factor[2] = {1, 1e200};
    hsp_design *scaled;
    assert_int_equal(hsp_design_new(&s.data->x, NULL, factor, 1, &scaled, NULL), HSP_OK);
    s.p.design = scaled;
    hsp_squares_answer a;
    hsp_error *err = NULL;
    assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err), "column 2 has values too large to compute with: use other units");
    hsp_error_free(err);
    hsp_design_free(scaled);
    sample_free(&s);
}

/* Knowing which rows have equal targets saves a pass, and changes nothing. A column without values keeps weight 0. */
static void groups_are_a_short_cut(void **state) {
    (void)state;
    for (int intercept = 0; intercept < 3; intercept++)
        for (int weighted = 0; weighted < 2; weighted++) {
            enum { N = 60, D = 7, G = 3 };
            sample s0 = sample_new(N, D, G, 0.25, 3, 43);
            double *x = malloc(N * D * sizeof *x);
            int32_t group[N];
            for (int t = 0; t < N * D; t++) x[t] = t % D == 6 ? 0 : s0.x[t];
            sample s = sample_of(x, N, D, G, 43);
            for (int i = 0; i < N; i++) {
                group[i] = (int32_t)(i * i % 7 % G);
                for (int k = 0; k < G; k++) s.Y[i * G + k] = group[i] == k ? 1 : -1;
            }
            s.p.C = 3;
            s.p.intercept = (hsp_intercept)intercept;
            s.p.c = weighted ? s.c : NULL;
            hsp_squares_answer a, b;
            assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_GRAM, 1e-4, &a, NULL), HSP_OK);
            s.p.group = group;
            s.p.groups = G;
            assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_GRAM, 1e-4, &b, NULL), HSP_OK);
            assert_true(largest_difference(a.w, b.w, G * D) < 1e-13);
            assert_true(largest_difference(a.b, b.b, G) < 1e-13);
            for (int k = 0; k < G; k++) assert_true(b.w[k * D + 6] == 0);
            hsp_squares_answer_clear(&a);
            hsp_squares_answer_clear(&b);
            sample_free(&s0);
            sample_free(&s);
        }
}

/* When no scores are asked for, a pass is saved, and what is reported of the solution stays the same. */
static void unscored_is_the_same_answer(void **state) {
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int ridge = 0; ridge < 2; ridge++)
            for (int intercept = 0; intercept < 2; intercept++)
                for (int weighted = 0; weighted < 2; weighted++) {
                    enum { N = 5000, D = 6 };
                    sample s0 = sample_new(N, D, 2, sparse ? 0.3 : 1, 1, 41);
                    double *x = malloc(N * D * sizeof *x); /* nearly dependent: it has to be refined */
                    for (int t = 0; t < N * D; t++) x[t] = s0.x[t] + (t % D == 3 ? 40 * s0.x[t - 1] : 0);
                    sample s = sample_of(x, N, D, 2, 41);
                    s.p.C = ridge ? 2 : NAN;
                    s.p.intercept = intercept ? HSP_INTERCEPT_FREE : HSP_INTERCEPT_NONE;
                    s.p.c = weighted ? s.c : NULL;
                    s.p.regression = false;
                    hsp_squares_answer a, b;
                    assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, NULL), HSP_OK);
                    s.p.unscored = true;
                    assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &b, NULL), HSP_OK);
                    assert_true(b.measured && !b.scores && !a.measured && a.scores);
                    assert_memory_equal(a.w, b.w, 2 * D * sizeof *a.w);
                    assert_memory_equal(a.b, b.b, 2 * sizeof *a.b);
                    for (int k = 0; k < 2; k++) {
                        double P = a.figures[k].at.objective;
                        assert_true(fabs(P - b.figures[k].at.objective) < 1e-13 * P);
                        assert_true(a.figures[k].at.error == b.figures[k].at.error);
                        assert_true(a.figures[k].at.norm == b.figures[k].at.norm);
                        assert_true(b.excess[k] >= 0 && b.excess[k] < 1e-15 * P);
                    }
                    hsp_squares_answer_clear(&a);
                    hsp_squares_answer_clear(&b);
                    sample_free(&s0);
                    sample_free(&s);
                }
}

/* Ridge of many rows is measured by the sums that gave it. Not where that would lose digits: nearly dependent columns, and
 * targets that are met exactly; these, too, have the answer of other ways. */
static void sums_measure_what_rows_do(void **state) {
    enum { N = 6000, D = 12 };
    enum { PLAIN, FAR, DEPENDENT, EXACT, KINDS };
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int intercept = 0; intercept < 3; intercept++)
            for (int weighted = 0; weighted < 2; weighted++) {
                sample s0 = sample_new(N, D, 1, 1, kind == FAR ? 100 : 1, 43);
                double *x = malloc(N * D * sizeof *x);
                for (int t = 0; t < N * D; t++) x[t] = s0.x[t] + (kind == DEPENDENT && t % D == 3 ? 400 * s0.x[t - 1] : 0);
                sample s = sample_of(x, N, D, 1, 43);
                for (int i = 0; kind == EXACT && i < N; i++) {
                    s.Y[i] = 0;
                    for (int j = 0; j < D; j++) s.Y[i] += (double)(j - 4) * x[i * D + j];
                }
                s.p.C = 2;
                s.p.intercept = (hsp_intercept)intercept;
                s.p.c = weighted ? s.c : NULL;
                s.p.regression = s.p.unscored = true;
                hsp_squares_answer a, b;
                assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &a, NULL), HSP_OK);
                s.p.unscored = false;
                assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-4, &b, NULL), HSP_OK);
                double w[D], intercept_found, P = b.figures[0].at.objective;
                naive(&s, 0, w, &intercept_found);
                assert_true(largest_difference(a.w, w, D) < 1e-10);
                assert_true(fabs(a.b[0] - intercept_found) < 1e-8);
                assert_true(fabs(a.figures[0].at.objective - P) <= 1e-10 * P && a.excess[0] >= 0);
                assert_true(a.excess[0] <= 1e-14 * P);
                hsp_squares_answer_clear(&a);
                hsp_squares_answer_clear(&b);
                sample_free(&s0);
                sample_free(&s);
            }
}

/* With enough columns the Gram matrix has products in single precision: the answer must be the one of products in double,
 * whatever the units of the columns, also where float cannot hold them or the columns are nearly dependent. */
static void single_precision_is_the_same_answer(void **state) {
    enum { N = 300, D = 110 };
    static const double exponents[] = {0, 3, 30, 60};
    (void)state;
    for (int t = 0; t < 16; t++) {
        hsp_rng r = hsp_rng_new((uint64_t)t, 5);
        double *x = malloc(N * D * sizeof *x), near = t / 4 == 1 ? 1e-4 : t / 4 == 2 ? 1e-9 : 1;
        for (int64_t e = 0; e < N * D; e++) {
            int64_t j = e % D;
            double unit = pow(10, exponents[t % 4] * (double)(j % 3 - 1)), v = hsp_rng_normal(&r);
            /* Odd columns are near the column before them. */
            double before = j % 2 ? x[e - 1] / pow(10, exponents[t % 4] * (double)((j - 1) % 3 - 1)) : 2;
            x[e] = j == 9 ? 3 : (v * (j % 2 ? near : 1) + before) * unit;
        }
        sample s = sample_of(x, N, D, 1, 7);
        hsp_squares_answer a, b;
        for (int weighted = 0; weighted < 2; weighted++)
            for (int intercept = 0; intercept < 3; intercept++) {
                s.p.c = weighted ? s.c : NULL;
                s.p.intercept = (hsp_intercept)intercept;
                s.p.C = 10;
                s.p.unscored = false;
                assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-10, &a, NULL), 0);
                s.p.unscored = true;
                assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_AUTO, 1e-10, &b, NULL), 0);
                double P = a.figures[0].at.objective;
                assert_true(fabs(b.figures[0].at.objective - P) <= 1e-12 * P);
                assert_true(b.excess[0] <= fmax(1e-10 * P, 100 * a.excess[0]));
                for (int64_t j = 0; j < D; j++) {
                    double size = pow(10, -exponents[t % 4] * (double)(j % 3 - 1));
                    assert_true(fabs(a.w[j] - b.w[j]) <= 1e-6 * size / near);
                }
                hsp_squares_answer_clear(&a);
                hsp_squares_answer_clear(&b);
            }
        sample_free(&s);
    }
}

/* Every allocation fails once; nothing leaks and the result is empty. */
static void memory_may_fail(void **state) {
    (void)state;
    sample s = sample_new(9, 5, 2, 1, 1, 17);
    for (int way = 0; way < WAYS; way++)
        for (int64_t calls = 0;; calls++) {
            hsp_squares_answer a;
            hsp_memory_fail_after(calls);
            int status = hsp_squares_solve(&s.p, ways[way], 1e-4, &a, NULL);
            hsp_memory_fail_after(-1);
            if (!status) {
                assert_true(calls > 5);
                hsp_squares_answer_clear(&a);
                break;
            }
            assert_int_equal(status, HSP_EMEMORY);
            assert_null(a.w);
        }
    sample_free(&s);
}

/* Which method for which shape. */
static void the_way_follows_the_shape(void **state) {
    (void)state;
    const struct {
        int64_t n, d;
        double density;
        hsp_squares_path path;
    } list[] = {{20, 5, 1, HSP_SQUARES_GRAM},
                {20, 5, 0.2, HSP_SQUARES_GRAM},
                {5, 20, 1, HSP_SQUARES_DUAL},
                {5, 20, 0.2, HSP_SQUARES_DUAL},
                {2500, 2100, 0.001, HSP_SQUARES_LSMR}};
    for (size_t t = 0; t < sizeof list / sizeof *list; t++) {
        sample s = sample_new(list[t].n, list[t].d, 1, list[t].density, 0, 18);
        assert_int_equal(hsp_squares_choose_path(&s.p), list[t].path);
        sample_free(&s);
    }
    for (int64_t d = 18; d <= 20; d++) { /* ridge with a weight or intercept for each row */
        sample s = sample_new(20, d, 1, 1, 0, 18);
        assert_int_equal(hsp_squares_choose_path(&s.p), HSP_SQUARES_GRAM);
        s.p.C = 1;
        assert_int_equal(hsp_squares_choose_path(&s.p), d < 19 ? HSP_SQUARES_GRAM : HSP_SQUARES_DUAL);
        sample_free(&s);
    }
}

/* The gap at which ridge by iterations stops, on data with columns of different scales. */
static void lsmr_reaches_its_gap(void **state) {
    (void)state;
    enum { N = 200, D = 60 };
    sample s0 = sample_new(N, D, 2, 0.2, 1, 19);
    double *x = malloc(N * D * sizeof *x);
    for (int t = 0; t < N * D; t++) x[t] = s0.x[t] * pow(10, t % D % 7 - 3);
    sample s = sample_of(x, N, D, 2, 19);
    for (int intercept = 0; intercept < 3; intercept++) {
        s.p.C = 10;
        s.p.intercept = (hsp_intercept)intercept;
        hsp_squares_answer a, b;
        assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_LSMR, 1e-4, &a, NULL), HSP_OK);
        assert_int_equal(hsp_squares_solve(&s.p, HSP_SQUARES_QR, 1e-4, &b, NULL), HSP_OK);
        assert_true(a.reached <= 1e-18);
        for (int k = 0; k < 2; k++) {
            double *w = a.w + k * D, *v = b.w + k * D, length = 0;
            for (int j = 0; j < D; j++) length = fmax(length, fabs(v[j]));
            assert_true(largest_difference(w, v, D) < 1e-10 * length);
        }
        for (int k = 0; k < 2; k++) {
            double P = a.figures[k].at.objective, best = b.figures[k].at.objective;
            assert_true(P - a.excess[k] <= best * (1 + 1e-14) && P <= best * (1 + 1e-9));
        }
        hsp_squares_answer_clear(&a);
        hsp_squares_answer_clear(&b);
    }
    sample_free(&s0);
    sample_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_is_what_it_should_be),
        cmocka_unit_test(least_squares_are_what_they_should_be),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(dependent_columns_are_shared_and_named),
        cmocka_unit_test(wide_data_are_met_exactly),
        cmocka_unit_test(whole_weights_are_repeated_rows),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(smallest_data),
        cmocka_unit_test(extreme_numbers_are_refused),
        cmocka_unit_test(groups_are_a_short_cut),
        cmocka_unit_test(scaling_is_advised_once),
        cmocka_unit_test(unscored_is_the_same_answer),
        cmocka_unit_test(sums_measure_what_rows_do),
        cmocka_unit_test(single_precision_is_the_same_answer),
        cmocka_unit_test(memory_may_fail),
        cmocka_unit_test(the_way_follows_the_shape),
        cmocka_unit_test(lsmr_reaches_its_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
