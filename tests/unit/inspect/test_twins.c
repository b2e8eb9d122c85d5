/* Equal columns and rows, against comparing all pairs. */
#include "model/handmade.h"

#include "base/rng.h"
#include "data/data.h"
#include "inspect/twins.h"

static hsp_data *sparse(const double *x, int64_t n, int64_t d, const char *const *labels) {
    int64_t *row = calloc((size_t)n + 1, sizeof *row), *column = calloc((size_t)(n * d) + 1, sizeof *column), count = 0;
    double *value = calloc((size_t)(n * d) + 1, sizeof *value);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            if (x[i * d + j] == 0) continue;
            column[count] = j;
            value[count++] = x[i * d + j];
        }
        row[i + 1] = count;
    }
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_data_from_csr(row, column, value, n, d, labels, &data, &err), err);
    free(row);
    free(column);
    free(value);
    return data;
}

static void check_columns(const hsp_matrix *m, const double *x, const bool *skip) {
    int64_t n = m->n, d = m->d, *twin = calloc((size_t)d, sizeof *twin);
    hsp_error *err = NULL;
    handmade_ok(hsp_inspect_columns(m, skip, twin, &err), err);
    for (int64_t j = 0; j < d; j++) {
        int64_t first = j;
        for (int64_t k = 0; k < j && first == j; k++) {
            bool same = !(skip && (skip[j] || skip[k]));
            for (int64_t i = 0; i < n && same; i++) same = x[i * d + j] == x[i * d + k];
            if (same) first = k;
        }
        assert_int_equal(twin[j], first);
    }
    free(twin);
}

static void check_rows(const hsp_data *data, const double *x) {
    int64_t n = data->x.n, d = data->x.d;
    hsp_equal_rows expected = {0}, found, again;
    for (int64_t i = 0; i < n; i++) {
        bool before = false, conflict = false;
        int64_t of_class[8] = {0}, members = 0, largest = 0;
        for (int64_t k = 0; k < n; k++) {
            bool same = true;
            for (int64_t j = 0; j < d && same; j++) same = x[i * d + j] == x[k * d + j];
            before |= same && k < i;
            conflict |= same && data->y[i] != data->y[k];
            if (same && data->classes.count <= 8) {
                members++;
                if (++of_class[data->y[k]] > largest) largest = of_class[data->y[k]];
            }
        }
        if (!before) expected.errors += members - largest;
        expected.repeated += before;
        expected.conflicting += conflict;
    }
    hsp_error *err = NULL;
    handmade_ok(hsp_inspect_rows(&data->x, data->y, 1, &found, &err), err);
    handmade_ok(hsp_inspect_rows(&data->x, data->y, 2, &again, &err), err);
    assert_int_equal(found.repeated, expected.repeated);
    assert_int_equal(found.conflicting, expected.conflicting);
    assert_true(data->classes.count > 8 || found.errors == expected.errors);
    assert_memory_equal(&found, &again, sizeof found);
    handmade_ok(hsp_inspect_rows(&data->x, NULL, 1, &found, &err), err);
    assert_int_equal(found.repeated, expected.repeated);
    assert_int_equal(found.conflicting, 0);
}

/* Small numbers on few places collide often; signs of zero, tiny and huge values are among them. */
static void test_random(void **state) {
    (void)state;
    static const double values[] = {0, -0.0, 1, -1, 0.1, 1e300, 5e-324, 1e-300};
    static const char *const names[] = {"a", "b", "c"};
    hsp_rng rng = hsp_rng_new(7, 0);
    for (int round = 0; round < 300; round++) {
        int64_t n = 1 + hsp_rng_below(&rng, 12), d = 1 + hsp_rng_below(&rng, 7);
        int64_t kinds = 2 + hsp_rng_below(&rng, 7);
        double *x = calloc((size_t)(n * d), sizeof *x);
        const char **labels = calloc((size_t)n, sizeof *labels);
        for (int64_t i = 0; i < n * d; i++) x[i] = values[hsp_rng_below(&rng, kinds)];
        for (int64_t i = 0; i < n; i++) labels[i] = names[hsp_rng_below(&rng, 3)];
        bool skip[8];
        for (int64_t j = 0; j < d; j++) skip[j] = hsp_rng_below(&rng, 4) == 0;
        hsp_data *data[] = {handmade_data(x, n, d, labels, NULL), sparse(x, n, d, labels)};
        for (int k = 0; k < 2; k++) {
            check_columns(&data[k]->x, x, NULL);
            check_columns(&data[k]->x, x, skip);
            check_rows(data[k], x);
            hsp_data_free(data[k]);
        }
        free(x);
        free(labels);
    }
}

/* Wider than the piece that is hashed at once, more rows than a task has, and equal but for one value. */
static void test_large(void **state) {
    (void)state;
    int64_t n = 2500, d = 600;
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        labels[i] = i < 2 ? "x" : i % 2 ? "a" : "b";
        for (int64_t j = 0; j < d; j++) x[i * d + j] = (double)(i % 500 + 1) / 3;
        x[i * d + d - 1] = i == 2499 ? 1e-9 : 2; /* one value of the last column, and of one row, is unlike the rest */
    }
    hsp_data *data = handmade_data(x, n, d, labels, NULL);
    hsp_equal_rows found;
    hsp_error *err = NULL;
    handmade_ok(hsp_inspect_rows(&data->x, data->y, 2, &found, &err), err);
    assert_int_equal(found.repeated, 1999);
    /* i % 500 keeps the parity: equal rows have one label, but for those of rows 0 and 1 */
    assert_int_equal(found.conflicting, 10);
    int64_t *twin = calloc((size_t)d, sizeof *twin);
    handmade_ok(hsp_inspect_columns(&data->x, NULL, twin, &err), err);
    for (int64_t j = 0; j < d - 1; j++) assert_int_equal(twin[j], 0);
    assert_int_equal(twin[d - 1], d - 1);
    free(twin);
    free(x);
    free(labels);
    hsp_data_free(data);
}

static void test_no_memory(void **state) {
    (void)state;
    const double x[] = {1, 1, 2, 2, 1, 1};
    hsp_data *data = handmade_data(x, 3, 2, (const char *const[]){"a", "b", "a"}, NULL);
    int64_t twin[2];
    hsp_equal_rows rows;
    int failures = 0;
    for (int64_t calls = 0; calls < 5; calls++) {
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        int status = hsp_inspect_columns(&data->x, NULL, twin, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (err == NULL));
        failures += status == HSP_EMEMORY;
        hsp_error_free(err);
        err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_inspect_rows(&data->x, data->y, 1, &rows, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (err == NULL));
        failures += status == HSP_EMEMORY;
        hsp_error_free(err);
    }
    assert_int_equal(failures, 4); /* three arrays for the columns, one for the rows */
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
