#include "data_fixture.h"

static void rows_are_taken_in_order(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(4, 0);
    for (int k = 0; k < 4; k++) {
        table t = table_random(&r, 40, 10, k % 2 ? 0.9 : 0.1, k / 2);
        hsp_data *data;
        assert_int_equal(table_build(&t, 16, true, 0, 2, &data, NULL), 0);
        assert_true(data->x.dense == (k % 2 == 1));
        const int64_t rows[] = {39, 0, 7, 7, 12};
        hsp_matrix m;
        assert_int_equal(hsp_matrix_take(&data->x, rows, 5, &m), 0);
        assert_int_equal(m.n, 5);
        assert_int_equal(m.d, 10);
        assert_int_equal(m.dtype, data->x.dtype);
        assert_true(m.dense == data->x.dense);
        int64_t nonzeros = 0, stored = 0;
        for (int64_t i = 0; i < 5; i++) {
            hsp_row a = hsp_matrix_row(&m, i), b = hsp_matrix_row(&data->x, rows[i]);
            assert_int_equal(a.count, b.count);
            stored += a.count;
            for (int64_t c = 0; c < a.count; c++) {
                assert_true(hsp_row_value(a, c) == hsp_row_value(b, c));
                nonzeros += hsp_row_value(a, c) != 0;
                if (a.id) assert_int_equal(hsp_row_id(a, c), hsp_row_id(b, c));
            }
        }
        assert_int_equal(m.nonzeros, nonzeros);
        assert_int_equal(m.stored, stored);
        hsp_matrix_clear(&m);
        assert_int_equal(m.n, 0);
        assert_null(m.value);
        assert_int_equal(hsp_matrix_take(&data->x, rows, 0, &m), 0);
        assert_int_equal(m.stored, 0);
        hsp_matrix_clear(&m);
        hsp_data_free(data);
        free(t.x);
    }
}

static void bytes_are_counted(void **state) {
    (void)state;
    hsp_matrix m = {.n = 3, .d = 4, .dense = true, .dtype = HSP_FLOAT32, .stored = 12};
    assert_int_equal(hsp_matrix_bytes(&m), 48);
    m.dtype = HSP_FLOAT64;
    assert_int_equal(hsp_matrix_bytes(&m), 96);
    m.dense = false;
    m.stored = 5;
    assert_int_equal(hsp_matrix_bytes(&m), 5 * 12 + 4 * 8);
}

static int take_block(void *user, hsp_error **err) {
    const int64_t rows[] = {1, 0};
    hsp_matrix m;
    if (hsp_matrix_take(&((hsp_data *)user)->x, rows, 2, &m)) {
        assert_null(m.value);
        return hsp_fail_memory(err);
    }
    hsp_matrix_clear(&m);
    return 0;
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        hsp_rng r = hsp_rng_new(4, 1);
        table t = table_random(&r, 10, 10, k ? 1 : 0.1, true);
        hsp_data *data;
        assert_int_equal(table_build(&t, 16, true, 0, 2, &data, NULL), 0);
        sweep_memory(take_block, data);
        hsp_data_free(data);
        free(t.x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_taken_in_order),
        cmocka_unit_test(bytes_are_counted),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
