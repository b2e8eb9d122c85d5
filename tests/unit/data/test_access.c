/* The public view of a data set, its report and its content hash. */
#include "data_fixture.h"

#include <pthread.h>
#include <xxhash.h>

static const double SAMPLE[] = {1, -2, 0, 4, 5, 0, 7, 8, 0}; /* 3 x 3 */
static const char *const LABELS[] = {"b", "+1", "b"};
static const char *const NAMES[] = {"u", "v", "w"};

static hsp_data *sample(const char *const *labels, const char *const *names) {
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(SAMPLE, 3, 3, 3, labels, names, &data, NULL), 0);
    return data;
}

static void counts_and_names(void **state) {
    (void)state;
    hsp_data *data = sample(LABELS, NAMES);
    assert_int_equal(hsp_data_rows(data), 3);
    assert_int_equal(hsp_data_features(data), 3);
    assert_int_equal(hsp_data_classes(data), 2);
    assert_string_equal(hsp_data_class_name(data, 0), "1");
    assert_string_equal(hsp_data_class_name(data, 1), "b");
    assert_null(hsp_data_class_name(data, 2));
    assert_null(hsp_data_class_name(data, -1));
    assert_string_equal(hsp_data_feature_name(data, 2), "w");
    assert_null(hsp_data_feature_name(data, 3));
    assert_null(hsp_data_feature_name(data, -1));
    int64_t count[2] = {9, 9};
    hsp_data_class_counts(data, count);
    assert_int_equal(count[0], 1);
    assert_int_equal(count[1], 2);
    hsp_data_free(data);
    data = sample(NULL, NULL);
    assert_int_equal(hsp_data_classes(data), 0);
    assert_null(hsp_data_feature_name(data, 0));
    hsp_data_free(data);
    hsp_data_free(NULL);
}

static void rows_in_range_only(void **state) {
    (void)state;
    hsp_data *data = sample(LABELS, NULL);
    hsp_error *err = NULL;
    double x[3];
    for (int64_t i = 0; i < 3; i++) {
        assert_int_equal(hsp_data_row(data, i, x, &err), 0);
        assert_memory_equal(x, SAMPLE + 3 * i, sizeof x);
    }
    assert_fails(hsp_data_row(data, 3, x, &err), &err, HSP_EUSAGE, "no row 3");
    assert_fails(hsp_data_row(data, -1, x, &err), &err, HSP_EUSAGE, "no row -1");
    hsp_data_free(data);
}

static void arrays(void **state) {
    (void)state;
    hsp_data *data = sample(LABELS, NULL);
    hsp_error *err = NULL;
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_data_array(data, "labels", &a, &err), 0);
    assert_int_equal(a.dtype, HSP_INT32);
    assert_int_equal(a.shape[0], 3);
    assert_int_equal(a.strides[0], 4);
    const int32_t y[] = {1, 0, 1};
    assert_memory_equal(a.data, y, sizeof y);
    assert_int_equal(hsp_data_array(data, "column-min", &a, &err), 0);
    assert_int_equal(a.dtype, HSP_FLOAT64);
    assert_int_equal(a.shape[0], 3);
    const double least[] = {1, -2, 0}, greatest[] = {7, 8, 0};
    assert_memory_equal(a.data, least, sizeof least);
    assert_int_equal(hsp_data_array(data, "column-max", &a, &err), 0);
    assert_memory_equal(a.data, greatest, sizeof greatest);
    assert_fails(hsp_data_array(data, "colour", &a, &err), &err, HSP_EUSAGE, "no array 'colour'");
    a.size = 8;
    assert_fails(hsp_data_array(data, "labels", &a, &err), &err, HSP_EUSAGE, "sizeof(hsp_array)");
    hsp_data_free(data);
    data = sample(NULL, NULL);
    a.size = sizeof a;
    assert_fails(hsp_data_array(data, "labels", &a, &err), &err, HSP_EUSAGE, "no labels");
    hsp_memory_fail_after(0); /* dense rows were counted when they were added */
    assert_int_equal(hsp_data_array(data, "column-min", &a, &err), 0);
    hsp_memory_fail_after(-1);
    hsp_data_free(data);
    const int64_t row[] = {0, 1, 1}, column[] = {2};
    const double value[] = {-3};
    assert_int_equal(hsp_data_from_csr(row, column, value, 2, 3, NULL, &data, &err), 0);
    for (int64_t k = 0; k < 3; k++) {
        hsp_memory_fail_after(k);
        int status = hsp_data_array(data, "column-min", &a, &err);
        hsp_memory_fail_after(-1);
        assert_fails(status, &err, HSP_EMEMORY, "memory");
    }
    assert_int_equal(hsp_data_array(data, "column-min", &a, &err), 0);
    assert_true(((const double *)a.data)[2] == -3 && ((const double *)a.data)[0] == 0);
    hsp_data_free(data);
}

/* Zeros that CSR does not store count: a column of two positive values and one absent has the minimum 0. */
static void range_of_sparse_columns(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(6, 0);
    for (int k = 0; k < 20; k++) {
        table t = table_random(&r, 1 + hsp_rng_below(&r, 20), 15, k < 10 ? 0.15 : 0.9, true);
        hsp_data *data;
        hsp_array least = {.size = sizeof least}, greatest = least;
        assert_int_equal(table_build(&t, 7, false, 0, 0, &data, NULL), 0);
        assert_int_equal(hsp_data_array(data, "column-max", &greatest, NULL), 0);
        assert_int_equal(hsp_data_array(data, "column-min", &least, NULL), 0);
        for (int64_t j = 0; j < t.d; j++) {
            double a = INFINITY, b = -INFINITY;
            for (int64_t i = 0; i < t.n; i++) {
                a = fmin(a, t.x[i * t.d + j]);
                b = fmax(b, t.x[i * t.d + j]);
            }
            assert_true(((const double *)least.data)[j] == a);
            assert_true(((const double *)greatest.data)[j] == b);
        }
        hsp_data_free(data);
        free(t.x);
    }
}

static void *read_ranges(void *data) {
    hsp_array a = {.size = sizeof a};
    return hsp_data_array(data, "column-max", &a, NULL) ? NULL : (void *)(uintptr_t)a.data;
}

static void a_handle_is_shared(void **state) {
    (void)state;
    hsp_data *data = sample(NULL, NULL);
    pthread_t thread[4];
    void *seen[4];
    for (int k = 0; k < 4; k++) assert_int_equal(pthread_create(&thread[k], NULL, read_ranges, data), 0);
    for (int k = 0; k < 4; k++) assert_int_equal(pthread_join(thread[k], &seen[k]), 0);
    for (int k = 0; k < 4; k++) {
        assert_non_null(seen[k]);
        assert_ptr_equal(seen[k], seen[0]);
    }
    hsp_data_free(data);
}

static void the_report(void **state) {
    (void)state;
    hsp_data *data = sample(LABELS, NAMES);
    hsp_report *r = NULL;
    data->assumed = hsp_strdup("nothing \"much\"");
    data->read_seconds = 0.5;
    assert_int_equal(hsp_data_report(data, &r, NULL), 0);
    assert_true(hsp_report_number(r, "rows") == 3 && hsp_report_number(r, "features") == 3);
    assert_true(hsp_report_number(r, "nonzeros") == 6 && hsp_report_number(r, "bytes") == 36);
    const hsp_report *classes = hsp_report_member(r, "classes");
    assert_true(hsp_report_number(classes, "1") == 1 && hsp_report_number(classes, "b") == 2);
    assert_string_equal(hsp_report_text(r, "format"), "memory");
    assert_string_equal(hsp_report_text(r, "layout"), "dense");
    assert_string_equal(hsp_report_text(r, "dtype"), "float32");
    assert_string_equal(hsp_report_text(r, "assumed"), "nothing \"much\"");
    assert_string_equal(hsp_report_text(r, "source"), "memory");
    assert_int_equal(hsp_report_kind(r, "target"), HSP_REPORT_NULL);
    assert_true(hsp_report_number(hsp_report_member(r, "seconds"), "read") == 0.5);
    hsp_report_free(r);
    hsp_data_free(data);
    data = sample(NULL, NULL);
    assert_int_equal(hsp_data_report(data, &r, NULL), 0);
    assert_int_equal(hsp_report_kind(r, "classes"), HSP_REPORT_NULL);
    hsp_report_free(r);
    hsp_data_free(data);
}

static int report(void *user, hsp_error **err) {
    hsp_report *r = NULL;
    int status = hsp_data_report(user, &r, err);
    if (status) assert_null(r);
    hsp_report_free(r);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_data *data = sample(LABELS, NAMES);
    sweep_memory(report, data);
    hsp_data_free(data);
}

static uint64_t hash_of(const double *x, const char *const *labels) {
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(x, 2, 2, 2, labels, NULL, &data, NULL), 0);
    uint64_t h = hsp_data_hash(data);
    hsp_data_free(data);
    return h;
}

static void the_hash_sees_content_alone(void **state) {
    (void)state;
    const double a[] = {1, 0, 0, 2}, swapped[] = {0, 1, 2, 0}, wide[] = {1.1, 0, 0, 2}, minus[] = {1, -0.0, 0, 2};
    const char *const y[] = {"1", "-1"}, *const spelt[] = {"+1", "-1.0"}, *const other[] = {"1", "1"};
    const char *const cut[] = {"1-", "1"}; /* the same bytes, cut elsewhere */
    uint64_t h = hash_of(a, y);
    assert_true(h == hash_of(a, y));
    assert_true(h == hash_of(a, spelt));
    assert_true(h == hash_of(minus, y));
    assert_true(h != hash_of(a, other));
    assert_true(h != hash_of(a, cut));
    assert_true(h != hash_of(a, NULL));
    assert_true(h != hash_of(swapped, y));
    assert_true(h != hash_of(wide, y));
    /* Models carry this number: it must never change. */
    const double fixed[] = {1, 0, 0, 2.5};
    assert_true(hash_of(fixed, y) == UINT64_C(0x2bf3d0a1a268a48e));
}

/* Long rows are hashed in pieces, with the same result. */
static void the_hash_of_long_rows(void **state) {
    (void)state;
    for (int64_t d = 338; d < 690; d += d == 342 ? 336 : 1) {
        double *x = malloc((size_t)d * sizeof *x);
        unsigned char *bytes = malloc((size_t)d * 12 + 5), *p = bytes;
        *p++ = 0; /* no label */
        for (uint32_t j = 0; j < d; j++, p += 12) {
            x[j] = j + 0.1;
            memcpy(p, &j, 4); /* tests run on little-endian machines */
            memcpy(p + 4, &x[j], 8);
        }
        memset(p, 0xff, 4);
        hsp_data *data;
        assert_int_equal(hsp_data_from_dense(x, 1, d, d, NULL, NULL, &data, NULL), 0);
        assert_true(hsp_data_hash(data) == XXH3_64bits(bytes, (size_t)d * 12 + 5));
        hsp_data_free(data);
        free(bytes);
        free(x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_and_names),
        cmocka_unit_test(rows_in_range_only),
        cmocka_unit_test(arrays),
        cmocka_unit_test(range_of_sparse_columns),
        cmocka_unit_test(a_handle_is_shared),
        cmocka_unit_test(the_report),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(the_hash_sees_content_alone),
        cmocka_unit_test(the_hash_of_long_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
