/* The design by columns against the design by rows: both layouts, floats and doubles, every kind of scaling. */
#include "base/memory.h"
#include "design/columns.h"
#include "posed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 90, D = 8 };
static const char *const KINDS[] = {"none", "standard", "maxabs", "minmax"};

/* A column of zeros, a constant one, and one that is 1e9 plus noise; `exact`: all values are exact in float. */
static hsp_data *make(double density, bool exact) {
    static double x[N * D];
    static const char *labels[N];
    hsp_rng r = hsp_rng_new(7, 0);
    for (int64_t i = 0; i < N; i++) {
        labels[i] = i % 3 ? "a" : "b";
        for (int64_t j = 0; j < D; j++) {
            double v = exact ? (double)(1 + hsp_rng_below(&r, 50)) / 8 : hsp_rng_normal(&r) + (double)j;
            if (!exact && j == 2) v += 1e9;
            x[i * D + j] = j == 5 || hsp_rng_uniform(&r) >= density ? 0 : j == 6 && density == 1 ? 4 : v;
        }
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, D, D, labels, NULL, &data, NULL), 0);
    assert_int_equal(data->x.dense, density == 1);
    assert_int_equal(data->x.dtype, exact ? HSP_FLOAT32 : HSP_FLOAT64);
    return data;
}

/* x_ij of the columns against that of the rows, then the sums over a column. */
static void check(const posed *p, bool centred) {
    hsp_columns *C = NULL;
    double x[D], column[N], r[N], h[N], got[N];
    hsp_rng g = hsp_rng_new(3, 1);
    for (int i = 0; i < N; i++) {
        r[i] = hsp_rng_normal(&g);
        h[i] = hsp_rng_uniform(&g);
    }
    assert_int_equal(hsp_columns_new(p->design, centred, &C, NULL), 0);
    for (int64_t j = 0; j < D; j++) {
        double dot = 0, first = 0, second = 0, size = 0, one, two, q = hsp_column_p(C, j);
        for (int64_t i = 0; i < N; i++) {
            posed_row(p, i, x);
            column[i] = x[j] + q;
            size += fabs(x[j]) + fabs(q);
            dot += column[i] * r[i];
            first += h[i] * column[i];
            second += h[i] * column[i] * column[i];
        }
        double tol = 1e-14 * size;
        assert_true(fabs(hsp_column_dot(C, j, r) - dot) <= 10 * tol);
        hsp_column_moments(C, j, h, &one, &two);
        assert_true(fabs(one - first) <= tol);
        assert_true(fabs(two - second) <= tol * (1 + size));
        memcpy(got, r, sizeof got);
        hsp_column_axpy(C, -2, j, got);
        for (int i = 0; i < N; i++) assert_true(fabs(got[i] - (r[i] - 2 * column[i])) <= tol + 1e-15);
        if (centred && p->data->x.dense) assert_true(fabs(hsp_column_dot(C, j, (double[N]){0})) == 0);
    }
    hsp_columns_free(C);
}

static void agree_with_rows(void **state) {
    (void)state;
    hsp_problem_spec spec = {.loss = &hsp_loss_logistic, .penalty = hsp_penalty_find("l1"), .C = 1, .lambda = NAN};
    for (int layout = 0; layout < 4; layout++) {
        hsp_data *data = make(layout % 2 ? 0.3 : 1, layout / 2);
        for (int k = 0; k < 4; k++) {
            posed p;
            assert_int_equal(posed_make(&p, data, KINDS[k], &spec), 0);
            check(&p, false);
            check(&p, true);
            posed_free(&p);
        }
        hsp_data_free(data);
    }
}

/* The mean of a dense column is removed to the last digit, however large it is. */
static void means_are_gone(void **state) {
    (void)state;
    hsp_problem_spec spec = {.loss = &hsp_loss_logistic, .penalty = hsp_penalty_find("l1"), .C = 1, .lambda = NAN};
    hsp_data *data = make(1, false);
    hsp_columns *C = NULL;
    posed p;
    double one[N];
    for (int i = 0; i < N; i++) one[i] = 1;
    assert_int_equal(posed_make(&p, data, "none", &spec), 0);
    assert_int_equal(hsp_columns_new(p.design, true, &C, NULL), 0);
    for (int64_t j = 0; j < D; j++) assert_true(fabs(hsp_column_dot(C, j, one)) <= (j == 2 ? 2e-5 : 1e-12));
    assert_true(hsp_column_dot(C, 6, C->value) == 0); /* constant: exactly 0 */
    hsp_columns_free(C);
    posed_free(&p);
    hsp_data_free(data);
}

static void rows_ascend(void **state) {
    (void)state;
    hsp_problem_spec spec = {.loss = &hsp_loss_logistic, .penalty = hsp_penalty_find("l1"), .C = 1, .lambda = NAN};
    hsp_data *data = make(0.3, true);
    hsp_columns *C = NULL;
    posed p;
    int64_t stored = 0;
    assert_int_equal(posed_make(&p, data, "standard", &spec), 0);
    assert_int_equal(hsp_columns_new(p.design, true, &C, NULL), 0);
    for (int64_t j = 0; j < D; j++) {
        hsp_row c = hsp_column(C, j);
        assert_int_equal(c.count, hsp_column_count(C, j));
        for (int64_t t = 1; t < c.count; t++) assert_true(hsp_row_id(c, t - 1) < hsp_row_id(c, t));
        stored += c.count;
    }
    assert_int_equal(stored, data->x.stored);
    assert_int_equal(hsp_column_count(C, 5), 0);
    hsp_columns_free(C);
    posed_free(&p);
    hsp_data_free(data);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    hsp_problem_spec spec = {.loss = &hsp_loss_logistic, .penalty = hsp_penalty_find("l1"), .C = 1, .lambda = NAN};
    for (int layout = 0; layout < 2; layout++) {
        hsp_data *data = make(layout ? 0.3 : 1, true);
        posed p;
        assert_int_equal(posed_make(&p, data, "none", &spec), 0);
        int status = HSP_EMEMORY;
        for (int64_t k = 0; status; k++) {
            hsp_columns *C = (hsp_columns *)&p;
            hsp_error *err = NULL;
            hsp_memory_fail_after(k);
            status = hsp_columns_new(p.design, true, &C, &err);
            hsp_memory_fail_after(-1);
            assert_true(k < 20);
            assert_true(status == HSP_OK || status == HSP_EMEMORY);
            assert_true((status == HSP_OK) == (C != NULL));
            hsp_columns_free(C);
            hsp_error_free(err);
        }
        posed_free(&p);
        hsp_data_free(data);
    }
    hsp_columns_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(agree_with_rows), cmocka_unit_test(means_are_gone),
                                       cmocka_unit_test(rows_ascend), cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
