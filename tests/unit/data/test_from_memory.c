#include "data_fixture.h"

static void dense_arrays(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 1);
    for (int k = 0; k < 12; k++) {
        int64_t n = k == 0 ? 30000 : 1 + hsp_rng_below(&r, 60), d = 1 + hsp_rng_below(&r, 9), stride = d + k % 3;
        table t = table_random(&r, n, d, k % 2 ? 0.9 : 0.2, k % 4 < 2);
        double *x = malloc((size_t)(n * stride) * sizeof *x);
        for (int64_t p = 0; p < n * stride; p++) x[p] = NAN; /* what lies between rows is not read */
        for (int64_t i = 0; i < n; i++) memcpy(x + i * stride, t.x + i * d, (size_t)d * sizeof *x);
        hsp_data *data;
        assert_int_equal(hsp_data_from_dense(x, n, d, stride, NULL, NULL, &data, NULL), 0);
        assert_is_table(&data->x, &t);
        assert_null(data->y);
        hsp_data_free(data);
        free(x);
        free(t.x);
    }
}

/* Entries in any order; some values are split into parts that add up. */
static void csr_arrays(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(2, 1);
    for (int k = 0; k < 12; k++) {
        table t = table_random(&r, k == 0 ? 20000 : 40, 12, k % 2 ? 0.8 : 0.1, true);
        int64_t *row = calloc((size_t)t.n + 1, sizeof *row), z = 0;
        int64_t *column = malloc((size_t)(2 * t.n * t.d) * sizeof *column);
        double *value = malloc((size_t)(2 * t.n * t.d) * sizeof *value);
        for (int64_t i = 0; i < t.n; i++) {
            int64_t order[12];
            for (int64_t j = 0; j < t.d; j++) order[j] = j;
            if (k % 3) hsp_rng_shuffle(&r, order, t.d);
            for (int64_t p = 0; p < t.d; p++) {
                double v = t.x[i * t.d + order[p]];
                bool part = k % 4 == 0 && hsp_rng_below(&r, 3) == 0; /* also of zeros: 1 - 1 */
                if (v == 0 && !part && hsp_rng_below(&r, 2)) continue;
                column[z] = order[p];
                value[z++] = part ? v - 1 : v;
                if (!part) continue;
                column[z] = order[p];
                value[z++] = 1;
            }
            row[i + 1] = z;
        }
        hsp_data *data;
        assert_int_equal(hsp_data_from_csr(row, column, value, t.n, t.d, NULL, &data, NULL), 0);
        assert_is_table(&data->x, &t);
        hsp_data_free(data);
        free(row);
        free(column);
        free(value);
        free(t.x);
    }
}

static void offsets_may_begin_anywhere(void **state) {
    (void)state;
    const int64_t row[] = {1, 1, 2}, column[] = {77, 1};
    const double value[] = {NAN, 5};
    const char *const labels[] = {"a", "b"};
    hsp_data *data;
    double x[2];
    assert_int_equal(hsp_data_from_csr(row, column, value, 2, 2, labels, &data, NULL), 0);
    assert_int_equal(hsp_data_row(data, 0, x, NULL), 0);
    assert_true(x[0] == 0 && x[1] == 0);
    assert_int_equal(hsp_data_row(data, 1, x, NULL), 0);
    assert_true(x[0] == 0 && x[1] == 5);
    assert_int_equal(data->y[1], 1);
    assert_string_equal(data->schema.format, "memory");
    assert_string_equal(data->source, "memory");
    hsp_data_free(data);
}

static void nothing_but_zeros(void **state) {
    (void)state;
    const int64_t row[] = {0, 0, 0};
    const double x[4] = {0};
    hsp_data *data;
    assert_int_equal(hsp_data_from_csr(row, NULL, NULL, 2, 1000, NULL, &data, NULL), 0);
    assert_int_equal(data->x.d, 1000);
    assert_int_equal(data->x.nonzeros, 0);
    assert_int_equal(hsp_matrix_row(&data->x, 1).count, data->x.dense ? 1000 : 0);
    hsp_data_free(data);
    assert_int_equal(hsp_data_from_dense(x, 2, 2, 2, NULL, NULL, &data, NULL), 0);
    assert_int_equal(data->x.nonzeros, 0);
    hsp_data_free(data);
}

static void broken_dense(void **state) {
    (void)state;
    hsp_error *err = NULL;
    hsp_data *data = (hsp_data *)&err;
    double x[] = {1, 2, 3, 4};
    const char *const missing[] = {"a", NULL}, *const blank[] = {" ", "a"}, *const names[] = {"u", NULL};
    assert_fails(hsp_data_from_dense(x, 0, 2, 2, NULL, NULL, &data, &err), &err, HSP_EINPUT, "no rows");
    assert_null(data);
    assert_fails(hsp_data_from_dense(x, -1, 2, 2, NULL, NULL, &data, &err), &err, HSP_EINPUT, "no rows");
    assert_fails(hsp_data_from_dense(x, 2, 0, 2, NULL, NULL, &data, &err), &err, HSP_EINPUT, "no columns");
    assert_fails(hsp_data_from_dense(x, 1, INT64_C(1) << 31, 2, NULL, NULL, &data, &err), &err, HSP_EINPUT, "2147483647");
    assert_fails(hsp_data_from_dense(x, 2, 2, 2, missing, NULL, &data, &err), &err, HSP_EINPUT, "label of row 1");
    assert_fails(hsp_data_from_dense(x, 2, 2, 2, blank, NULL, &data, &err), &err, HSP_EINPUT, "label of row 0");
    assert_fails(hsp_data_from_dense(x, 2, 2, 2, NULL, names, &data, &err), &err, HSP_EINPUT, "column 1");
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        x[2] = bad[k];
        assert_fails(hsp_data_from_dense(x, 2, 2, 2, NULL, NULL, &data, &err), &err, HSP_EINPUT, "row 1, column 0");
        assert_null(data);
    }
}

static void broken_csr(void **state) {
    (void)state;
    hsp_error *err = NULL;
    hsp_data *data = NULL;
    int64_t row[] = {0, 2, 3}, column[] = {0, 1, 1};
    double value[] = {1, 2, 3};
    assert_fails(hsp_data_from_csr(row, column, value, 0, 2, NULL, &data, &err), &err, HSP_EINPUT, "no rows");
    assert_fails(hsp_data_from_csr(row, column, value, 2, 1, NULL, &data, &err), &err, HSP_EINPUT, "row 0 has column 1");
    column[2] = -1;
    assert_fails(hsp_data_from_csr(row, column, value, 2, 2, NULL, &data, &err), &err, HSP_EINPUT, "row 1 has column -1");
    column[2] = INT64_C(1) << 40;
    assert_fails(hsp_data_from_csr(row, column, value, 2, 2, NULL, &data, &err), &err, HSP_EINPUT, "row 1 has column");
    column[2] = 1;
    row[1] = 4;
    assert_fails(hsp_data_from_csr(row, column, value, 2, 2, NULL, &data, &err), &err, HSP_EINPUT, "row 1 ends before");
    row[1] = 2;
    row[0] = -1;
    assert_fails(hsp_data_from_csr(row, column, value, 2, 2, NULL, &data, &err), &err, HSP_EINPUT, "row 0 ends before");
    row[0] = 0;
    value[1] = NAN;
    assert_fails(hsp_data_from_csr(row, column, value, 2, 2, NULL, &data, &err), &err, HSP_EINPUT, "row 0, column 1");
    column[0] = column[1] = 1; /* finite, but not their sum */
    value[0] = value[1] = 1e308;
    assert_fails(hsp_data_from_csr(row, column, value, 2, 2, NULL, &data, &err), &err, HSP_EINPUT, "row 0, column 1");
    assert_null(data);
}

static int from_dense(void *user, hsp_error **err) {
    const double x[] = {1, 2, 3, 4.1, 5, 6};
    const char *const labels[] = {"a", "b", "+1"}, *const names[] = {"u", "v"};
    hsp_data *data = user;
    int status = hsp_data_from_dense(x, 3, 2, 2, labels, names, &data, err);
    if (status) assert_null(data);
    hsp_data_free(data);
    return status;
}

static int from_csr(void *user, hsp_error **err) {
    const int64_t row[] = {0, 2, 2, 3}, column[] = {90, 0, 1};
    const double value[] = {1, 2, 3.3};
    const char *const labels[] = {"a", "b", "+1"};
    hsp_data *data = user;
    int status = hsp_data_from_csr(row, column, value, 3, 100, labels, &data, err);
    if (status) assert_null(data);
    hsp_data_free(data);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    sweep_memory(from_dense, NULL);
    sweep_memory(from_csr, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_arrays),      cmocka_unit_test(csr_arrays),   cmocka_unit_test(offsets_may_begin_anywhere),
        cmocka_unit_test(nothing_but_zeros), cmocka_unit_test(broken_dense), cmocka_unit_test(broken_csr),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
