/* Labels as codes into names, and weights and targets of any dtype. */
#include "array_views.h"
#include "data_fixture.h"

static const double x[] = {1, 2, 3, 4, 5};
#define PAIR(a, b) ((const char *const[]){a, b})

static hsp_data *five_rows(void) {
    static const char *const labels[] = {"old", "older", "old", "old", "old"};
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(x, 5, 1, 1, labels, NULL, &data, NULL), 0);
    return data;
}

static void assert_classes(const hsp_data *data, int64_t count, const char *const *names, const int32_t *y) {
    assert_int_equal(hsp_data_classes(data), count);
    for (int64_t k = 0; k < count; k++) assert_string_equal(hsp_data_class_name(data, k), names[k]);
    assert_memory_equal(data->y, y, 5 * sizeof *y);
}

static void codes_of_every_dtype(void **state) {
    (void)state;
    static const int32_t dtypes[] = {HSP_INT8, HSP_UINT8, HSP_INT16, HSP_INT32, HSP_UINT32, HSP_INT64, HSP_BOOL};
    static const double codes[] = {1, 0, 0, 1, 1};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (array_layout l = 0; l < LAYOUTS; l++) {
            char *block;
            hsp_data *data = five_rows();
            hsp_array a = lay_out(codes, 5, 1, dtypes[k], l, &block);
            a.ndim = 1;
            assert_int_equal(hsp_data_set_labels(data, &a, PAIR("no", "yes"), 2, NULL), 0);
            free(block);
            assert_classes(data, 2, PAIR("no", "yes"), (const int32_t[]){1, 0, 0, 1, 1});
            hsp_data_free(data);
        }
}

/* Classes are sorted as those of files: numbers as numbers, in shortest form, else as bytes; codes as they are spelt. */
static void classes_are_sorted(void **state) {
    (void)state;
    const uint8_t code[] = {0, 1, 2, 1, 0};
    const struct {
        const char *given[3], *sorted[3];
        int32_t y[5];
    } cases[] = {
        {{"10", "9", "-1.0"}, {"-1", "9", "10"}, {2, 1, 0, 1, 2}},
        {{" b", "a ", "10"}, {"10", "a", "b"}, {2, 1, 0, 1, 2}},
        {{"007", "7", "08"}, {"007", "08", "7"}, {0, 2, 1, 2, 0}},
        {{"+1", "1e3", "x"}, {"1", "1000", "x"}, {0, 1, 2, 1, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_data *data = five_rows();
        hsp_array codes = vector_of(code, HSP_UINT8, 5);
        assert_int_equal(hsp_data_set_labels(data, &codes, cases[k].given, 3, NULL), 0);
        assert_classes(data, 3, cases[k].sorted, cases[k].y);
        hsp_data_free(data);
    }
}

/* The content is that of the same labels given as text, but for classes without rows, which stay. */
static void classes_without_rows_stay(void **state) {
    (void)state;
    static const char *const labels[] = {"b", "d", "b", "b", "d"};
    const int64_t code[] = {3, 1, 3, 3, 1};
    hsp_data *data = five_rows(), *text;
    hsp_array codes = vector_of(code, HSP_INT64, 5);
    assert_int_equal(hsp_data_set_labels(data, &codes, (const char *const[]){"c", "d", "a", "b"}, 4, NULL), 0);
    assert_classes(data, 4, (const char *const[]){"a", "b", "c", "d"}, (const int32_t[]){1, 3, 1, 1, 3});
    assert_int_equal(hsp_data_from_dense(x, 5, 1, 1, labels, NULL, &text, NULL), 0);
    assert_true(hsp_data_hash(data) == hsp_data_hash(text));
    hsp_data_free(text);
    hsp_data_free(data);
}

static void broken_labels(void **state) {
    (void)state;
    hsp_data *data = five_rows();
    hsp_error *err = NULL;
    const uint8_t code[] = {0, 1, 0, 1, 0};
    const int32_t above[] = {0, 1, 0, 2, 7}, below[] = {0, 1, 0, 1, -1};
    const int64_t far[] = {0, INT64_MAX, 0, 0, 0};
    const float number[] = {0, 1, 0, 1, 0};
    hsp_array good = vector_of(code, HSP_UINT8, 5), a = vector_of(above, HSP_INT32, 5);
    const char *const *const two = PAIR("a", "b");
    assert_fails(hsp_data_set_labels(data, &a, two, 2, &err), &err, HSP_EINPUT, "row 3 (from 0) has the code 2");
    a = vector_of(below, HSP_INT32, 5);
    assert_fails(hsp_data_set_labels(data, &a, two, 2, &err), &err, HSP_EINPUT, "row 4 (from 0) has the code -1");
    a = vector_of(far, HSP_INT64, 5);
    assert_fails(hsp_data_set_labels(data, &a, two, 2, &err), &err, HSP_EINPUT,
                 "row 1 (from 0) has the code 9223372036854775807");
    a = vector_of(number, HSP_FLOAT32, 5);
    assert_fails(hsp_data_set_labels(data, &a, two, 2, &err), &err, HSP_EUSAGE, "float32 cannot be used");
    a = vector_of(code, HSP_UINT8, 4);
    assert_fails(hsp_data_set_labels(data, &a, two, 2, &err), &err, HSP_EINPUT, "4 elements for 5 rows");
    a = good, a.ndim = 2;
    assert_fails(hsp_data_set_labels(data, &a, two, 2, &err), &err, HSP_EUSAGE, "ndim 2");
    assert_fails(hsp_data_set_labels(data, NULL, two, 2, &err), &err, HSP_EUSAGE, "codes is NULL");
    assert_fails(hsp_data_set_labels(data, &good, NULL, 2, &err), &err, HSP_EUSAGE, "no names");
    assert_fails(hsp_data_set_labels(data, &good, two, 0, &err), &err, HSP_EUSAGE, "no names");
    assert_fails(hsp_data_set_labels(data, &good, two, -1, &err), &err, HSP_EUSAGE, "no names");
    assert_fails(hsp_data_set_labels(data, &good, PAIR("a", NULL), 2, &err), &err, HSP_EINPUT, "class 1 (from 0) is empty");
    assert_fails(hsp_data_set_labels(data, &good, PAIR(" ", "b"), 2, &err), &err, HSP_EINPUT, "class 0 (from 0) is empty");
    assert_fails(hsp_data_set_labels(data, &good, PAIR("1", "1.0"), 2, &err), &err, HSP_EINPUT,
                 "the names '1' and '1.0' (0 and 1, from 0) are the same label");
    assert_fails(hsp_data_set_labels(data, &good, PAIR("b", "b"), 2, &err), &err, HSP_EINPUT, "are the same label");
    assert_fails(hsp_data_set_labels(data, &good, PAIR("b ", "b"), 2, &err), &err, HSP_EINPUT, "are the same label");
    assert_classes(data, 2, PAIR("old", "older"), (const int32_t[]){0, 1, 0, 0, 0}); /* the old ones stay */
    hsp_data_free(data);
}

static void numbers_of_every_dtype(void **state) {
    (void)state;
    static const double some[] = {0, 1, 1, 0, 1};
    static const int32_t dtypes[] = {HSP_FLOAT32, HSP_FLOAT64, HSP_INT8,  HSP_UINT8, HSP_BOOL,
                                     HSP_INT16,   HSP_INT32,   HSP_INT64, HSP_UINT32};
    for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
        for (array_layout l = 0; l < LAYOUTS; l++) {
            char *block;
            hsp_data *data = five_rows();
            hsp_array a = lay_out(some, 5, 1, dtypes[k], l, &block);
            a.ndim = 1;
            assert_int_equal(hsp_data_set_weights_array(data, &a, NULL), 0);
            assert_memory_equal(data->weight, some, sizeof some);
            assert_non_null(data->y);
            assert_int_equal(hsp_data_set_targets_array(data, &a, NULL), 0);
            assert_memory_equal(data->target, some, sizeof some);
            assert_null(data->y);
            assert_int_equal(hsp_data_set_weights_array(data, NULL, NULL), 0);
            assert_null(data->weight);
            free(block);
            hsp_data_free(data);
        }
}

static void broken_numbers(void **state) {
    (void)state;
    hsp_data *data = five_rows();
    hsp_error *err = NULL;
    const float negative[] = {1, 1, -1, 1, 1}, missing[] = {1, 1, 1, 1, NAN};
    const int8_t none[] = {0, 0, 0, 0, 0}, minus[] = {1, 1, 1, -128, 1};
    hsp_array a = vector_of(negative, HSP_FLOAT32, 5);
    assert_fails(hsp_data_set_weights_array(data, &a, &err), &err, HSP_EINPUT, "row 2 (from 0) is negative");
    assert_int_equal(hsp_data_set_targets_array(data, &a, NULL), 0);
    a = vector_of(missing, HSP_FLOAT32, 5);
    assert_fails(hsp_data_set_weights_array(data, &a, &err), &err, HSP_EINPUT, "row 4 (from 0) is not finite");
    assert_fails(hsp_data_set_targets_array(data, &a, &err), &err, HSP_EINPUT, "row 4 (from 0) is not finite");
    a = vector_of(none, HSP_INT8, 5);
    assert_fails(hsp_data_set_weights_array(data, &a, &err), &err, HSP_EINPUT, "all weights are 0");
    a = vector_of(minus, HSP_INT8, 5);
    assert_fails(hsp_data_set_weights_array(data, &a, &err), &err, HSP_EINPUT, "row 3 (from 0) is negative");
    a = vector_of(minus, HSP_INT8, 6);
    assert_fails(hsp_data_set_weights_array(data, &a, &err), &err, HSP_EINPUT, "6 elements for 5 rows");
    assert_fails(hsp_data_set_targets_array(data, &a, &err), &err, HSP_EINPUT, "6 elements for 5 rows");
    assert_fails(hsp_data_set_targets_array(data, NULL, &err), &err, HSP_EUSAGE, "targets is NULL");
    a = vector_of(minus, 12, 5);
    assert_fails(hsp_data_set_weights_array(data, &a, &err), &err, HSP_EUSAGE, "12 is not an hsp_dtype");
    a = vector_of(NULL, HSP_INT8, 5);
    assert_fails(hsp_data_set_targets_array(data, &a, &err), &err, HSP_EUSAGE, "data is NULL");
    assert_memory_equal(data->target, ((const double[]){1, 1, -1, 1, 1}), 5 * sizeof(double)); /* the last good ones */
    hsp_data_free(data);
}

static int attach_once(void *user, hsp_error **err) {
    const uint8_t code[] = {0, 1, 0, 1, 1};
    hsp_array a = vector_of(code, HSP_UINT8, 5);
    int status = hsp_data_set_labels(user, &a, PAIR("2", "1"), 2, err);
    if (!status) status = hsp_data_set_weights_array(user, &a, err);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_data *data = five_rows();
    sweep_memory(attach_once, data);
    assert_classes(data, 2, PAIR("1", "2"), (const int32_t[]){1, 0, 1, 0, 0});
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_every_dtype),      cmocka_unit_test(classes_are_sorted),
        cmocka_unit_test(classes_without_rows_stay), cmocka_unit_test(broken_labels),
        cmocka_unit_test(numbers_of_every_dtype),    cmocka_unit_test(broken_numbers),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
