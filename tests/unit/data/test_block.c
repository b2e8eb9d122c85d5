#include "data_fixture.h"

static void empty_block_is_usable(void **state) {
    (void)state;
    hsp_block b = {0};
    hsp_block_reset(&b, false, 0);
    assert_int_equal(hsp_block_tail(&b), 0);
    hsp_block_free(&b);
    hsp_block_free(&b);
    assert_null(b.value);
}

static void sparse_rows_follow_each_other(void **state) {
    (void)state;
    hsp_block b = {0};
    hsp_block_reset(&b, false, 0);
    for (int64_t i = 0; i < 100; i++) {
        int64_t count = i % 3;
        assert_int_equal(hsp_block_reserve(&b, 5, 2), 0);
        int64_t at = hsp_block_tail(&b);
        for (int64_t t = 0; t < count; t++) {
            b.id[at + t] = (uint32_t)(t + 1);
            b.value[at + t] = (double)i;
        }
        hsp_block_close_row(&b, count, i % 2 ? "ab" : "c", i % 2 ? 2 : 1, i + 7);
    }
    assert_int_equal(b.rows, 100);
    assert_true(b.labelled);
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(b.row[i + 1] - b.row[i], i % 3);
        for (int64_t t = b.row[i]; t < b.row[i + 1]; t++) assert_true(b.value[t] == (double)i);
        assert_int_equal(b.label[i + 1] - b.label[i], i % 2 ? 2 : 1);
        assert_memory_equal(b.text + b.label[i], i % 2 ? "ab" : "c", i % 2 ? 2 : 1);
        assert_int_equal(b.line[i], i + 7);
    }
    double *old = b.value;
    hsp_block_reset(&b, false, 0);
    assert_int_equal(b.rows, 0);
    assert_int_equal(hsp_block_tail(&b), 0);
    assert_false(b.labelled);
    assert_int_equal(hsp_block_reserve(&b, 5, 2), 0);
    assert_ptr_equal(b.value, old);
    hsp_block_free(&b);
}

static void dense_rows_follow_each_other(void **state) {
    (void)state;
    hsp_block b = {0};
    hsp_block_reset(&b, true, 3);
    for (int64_t i = 0; i < 10; i++) {
        assert_int_equal(hsp_block_reserve(&b, 3, 0), 0);
        assert_int_equal(hsp_block_tail(&b), 3 * i);
        for (int64_t j = 0; j < 3; j++) b.value[3 * i + j] = (double)(10 * i + j);
        hsp_block_close_row(&b, 3, NULL, 0, i + 1);
    }
    assert_false(b.labelled);
    assert_true(b.value[3 * 4 + 2] == 42);
    hsp_block_reset(&b, false, 0); /* the same memory for the other kind */
    assert_int_equal(hsp_block_reserve(&b, 1, 1), 0);
    b.id[0] = 9;
    b.value[0] = 1;
    hsp_block_close_row(&b, 1, "x", 1, 1);
    assert_int_equal(hsp_block_tail(&b), 1);
    hsp_block_free(&b);
}

static void no_memory_is_reported(void **state) {
    (void)state;
    for (int64_t allowed = 0;; allowed++) {
        hsp_block b = {0};
        hsp_block_reset(&b, false, 0);
        hsp_memory_fail_after(allowed);
        int status = hsp_block_reserve(&b, 4, 4);
        hsp_memory_fail_after(-1);
        hsp_block_free(&b);
        if (status == 0) break;
        assert_int_equal(status, HSP_EMEMORY);
    }
    hsp_block b = {0};
    hsp_block_reset(&b, false, 0);
    assert_int_equal(hsp_block_reserve(&b, INT64_MAX / 4, 0), HSP_EMEMORY);
    hsp_block_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_block_is_usable),
        cmocka_unit_test(sparse_rows_follow_each_other),
        cmocka_unit_test(dense_rows_follow_each_other),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
