/* The numbers of a data set in the caller's arrays. */
#include "data_fixture.h"

static const double DENSE[] = {1, -2, 0, 4, 5, 0}; /* 2 x 3 */
enum { WIDE = 1000 }; /* so that CSR is smaller than dense */
static const int64_t ROW[] = {0, 2, 2, 3}, COLUMN[] = {WIDE - 1, 0, 1};
static const double VALUE[] = {1.5, -2, 7};

static hsp_array array_of(void *data, int32_t dtype, int64_t rows, int64_t columns, int64_t row_step, int64_t column_step) {
    return (hsp_array){sizeof(hsp_array), data, dtype, columns ? 2 : 1, {rows, columns ? columns : 1}, {row_step, column_step}};
}

static hsp_data *dense(void) {
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(DENSE, 2, 3, 3, NULL, NULL, &data, NULL), 0);
    return data;
}

static hsp_data *sparse(void) {
    hsp_data *data;
    assert_int_equal(hsp_data_from_csr(ROW, COLUMN, VALUE, 3, WIDE, NULL, &data, NULL), 0);
    return data;
}

static void dense_rows(void **state) {
    (void)state;
    hsp_data *data = dense();
    assert_int_equal(hsp_data_is_table(data), 0);
    double wide[6];
    hsp_array a = array_of(wide, HSP_FLOAT64, 2, 3, 24, 8);
    assert_int_equal(hsp_data_copy(data, "features", &a, NULL), 0);
    assert_memory_equal(wide, DENSE, sizeof wide);
    float turned[6]; /* columns one after the other, the last row first */
    a = array_of(turned + 1, HSP_FLOAT32, 2, 3, -4, 8);
    assert_int_equal(hsp_data_copy(data, "features", &a, NULL), 0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) assert_true((double)turned[1 - i + 2 * j] == DENSE[3 * i + j]);
    hsp_data_free(data);
}

static void sparse_rows(void **state) {
    (void)state;
    hsp_data *data = sparse();
    int64_t row[4], wide[3];
    int32_t column[3];
    float value[3];
    static double all[3 * WIDE];
    hsp_array a = array_of(row, HSP_INT64, 4, 0, 8, 8);
    assert_int_equal(hsp_data_copy(data, "row-begin", &a, NULL), 0);
    assert_memory_equal(row, ROW, sizeof row);
    a = array_of(column, HSP_INT32, 3, 0, 4, 4);
    assert_int_equal(hsp_data_copy(data, "columns", &a, NULL), 0);
    a = array_of(value, HSP_FLOAT32, 3, 0, 4, 4);
    assert_int_equal(hsp_data_copy(data, "values", &a, NULL), 0);
    a = array_of(wide, HSP_INT64, 3, 0, 8, 8);
    assert_int_equal(hsp_data_copy(data, "columns", &a, NULL), 0);
    assert_true(column[0] == 0 && column[1] == WIDE - 1 && column[2] == 1);
    assert_true(wide[0] == 0 && wide[1] == WIDE - 1 && wide[2] == 1);
    assert_true(value[0] == -2 && value[1] == 1.5f && value[2] == 7);
    a = array_of(all, HSP_FLOAT64, 3, WIDE, 8 * WIDE, 8);
    assert_int_equal(hsp_data_copy(data, "features", &a, NULL), 0);
    for (int64_t i = 0; i < 3 * WIDE; i++)
        assert_true(all[i] == (i == 0 ? -2 : i == WIDE - 1 ? 1.5 : i == 2 * WIDE + 1 ? 7 : 0));
    hsp_data_free(data);
}

static void wrong_arrays(void **state) {
    (void)state;
    hsp_data *data = dense(), *compressed = sparse();
    hsp_error *err = NULL;
    double x[9];
    hsp_array a = array_of(x, HSP_FLOAT64, 2, 3, 24, 8), unset = a, wrong = a;
    unset.size = 0;
    assert_fails(hsp_data_copy(data, "features", &unset, &err), &err, HSP_EUSAGE, "size is not set");
    assert_fails(hsp_data_copy(data, "rows", &a, &err), &err, HSP_EUSAGE, "no array 'rows'");
    assert_fails(hsp_data_copy(data, "values", &a, &err), &err, HSP_EUSAGE, "dense");
    wrong.dtype = HSP_INT64;
    assert_fails(hsp_data_copy(data, "features", &wrong, &err), &err, HSP_EUSAGE, "float32 or float64");
    wrong = array_of(x, HSP_FLOAT64, 3, 2, 16, 8);
    assert_fails(hsp_data_copy(data, "features", &wrong, &err), &err, HSP_EUSAGE, "2 x 3");
    wrong = array_of(x, HSP_FLOAT64, 2, 0, 8, 8);
    assert_fails(hsp_data_copy(data, "features", &wrong, &err), &err, HSP_EUSAGE, "2 x 3");
    wrong = array_of(x, HSP_FLOAT64, 4, 0, 8, 8);
    assert_fails(hsp_data_copy(compressed, "row-begin", &wrong, &err), &err, HSP_EUSAGE, "int32 or int64");
    wrong = array_of(x, HSP_INT64, 3, 0, 8, 8);
    assert_fails(hsp_data_copy(compressed, "row-begin", &wrong, &err), &err, HSP_EUSAGE, "4 x 1");
    hsp_data_free(data);
    hsp_data_free(compressed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_rows),
        cmocka_unit_test(sparse_rows),
        cmocka_unit_test(wrong_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
