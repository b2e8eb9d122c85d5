/* The model in memory: scores of every layout, decisions, names, arrays, and the report. */
#include "handmade.h"

#include <float.h>

static const char *const two[] = {"no", "yes"};
static const char *const three[] = {"a", "b", "c"};

static void test_scores_of_all_layouts(void **state) {
    (void)state;
    hsp_model *m = handmade_model(4, three, 3, NULL, "none");
    const double x[] = {0.5, 0, -2, 0.25}, value[] = {0.5, -2, 0.25};
    const float xf[] = {0.5F, 0, -2, 0.25F}, valuef[] = {0.5F, -2, 0.25F};
    const double table[256] = {-2, 0.5, 0, 0.25};
    const uint8_t dense_code[] = {1, 2, 0, 3}, code[] = {1, 0, 3};
    const uint32_t id[] = {0, 2, 3};
    const uint16_t narrow[] = {0, 2, 3};
    const hsp_row rows[] = {
        hsp_row_dense(4, x),
        {.count = 4, .value = xf, .coding = HSP_CODING_F32},
        {.count = 4, .value = dense_code, .coding = HSP_CODING_CODE8, .table = table},
        hsp_row_sparse(3, id, value),
        {.count = 3, .id = id, .value = valuef, .coding = HSP_CODING_F32},
        {.count = 3, .id = id, .value = code, .coding = HSP_CODING_CODE8, .table = table},
        {.count = 3, .id = narrow, .value = value, .ids = HSP_IDS_16},
        {.count = 3, .id = narrow, .value = valuef, .coding = HSP_CODING_F32, .ids = HSP_IDS_16},
        {.count = 3, .id = narrow, .value = code, .coding = HSP_CODING_CODE8, .table = table, .ids = HSP_IDS_16},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double s[3];
        assert_int_equal(hsp_model_score_row(m, rows[r], s), 0);
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 4; j++) sum += m->w[4 * k + j] * x[j];
            assert_true(s[k] == sum + m->b[k]);
            assert_true(s[k] == hsp_model_score_output(m, k, rows[r]));
        }
    }
    hsp_model_free(m);
}

static void test_unseen_features(void **state) {
    (void)state;
    hsp_model *m = handmade_model(2, two, 2, NULL, "none");
    const uint32_t id[] = {1, 2, 4000000000u};
    const double v[] = {3, 5, 7}, dense[] = {1, 2, 3};
    double s;
    assert_int_equal(hsp_model_score_row(m, hsp_row_sparse(3, id, v), &s), 2);
    assert_true(s == m->w[1] * 3 + m->b[0]);
    assert_int_equal(hsp_model_score_row(m, hsp_row_sparse(2, id + 1, v), &s), 2);
    assert_true(s == m->b[0]);
    assert_int_equal(hsp_model_score_row(m, hsp_row_sparse(0, id, v), &s), 0);
    assert_int_equal(hsp_model_score_row(m, hsp_row_dense(3, dense), &s), 1);
    assert_int_equal(hsp_model_score_row(m, hsp_row_dense(1, dense), &s), 0);
    assert_true(s == m->w[0] + m->b[0]);
    hsp_model_free(m);
}

static void test_scores_stay_finite(void **state) {
    (void)state;
    hsp_model *m = handmade_model(2, two, 2, NULL, "none");
    m->w[0] = 1e300, m->w[1] = 1e300, m->b[0] = 5;
    double s;
    const double up[] = {1e300, 1}, cancel[] = {1e300, -1e300}, down[] = {-1e300, -1};
    assert_int_equal(hsp_model_classify(m, up, &s), 1);
    assert_true(s == DBL_MAX);
    assert_int_equal(hsp_model_classify(m, down, &s), 0);
    assert_true(s == -DBL_MAX);
    hsp_model_classify(m, cancel, &s);
    assert_true(isfinite(s));
    hsp_model_free(m);
}

static void test_decisions(void **state) {
    (void)state;
    hsp_model *m = handmade_model(1, two, 2, NULL, "none");
    assert_int_equal(hsp_model_positive(m), 1);
    assert_int_equal(hsp_model_decide(m, (double[]){0}), 0); /* the boundary itself is negative */
    assert_int_equal(hsp_model_decide(m, (double[]){1e-300}), 1);
    m->prepare.positive = 0;
    assert_int_equal(hsp_model_decide(m, (double[]){1}), 0);
    assert_int_equal(hsp_model_decide(m, (double[]){-1}), 1);
    hsp_model_free(m);
    m = handmade_model(1, three, 3, NULL, "none");
    assert_int_equal(hsp_model_positive(m), -1);
    assert_int_equal(hsp_model_decide(m, (double[]){1, 2, 2}), 1);
    assert_int_equal(hsp_model_decide(m, (double[]){0, 0, 0}), 0);
    for (double x = -5; x <= 5; x += 0.25) {
        double s[3];
        assert_int_equal(hsp_model_classify(m, &x, s), hsp_model_classify(m, &x, NULL));
        assert_int_equal(hsp_model_classify(m, &x, NULL), hsp_model_decide(m, s));
    }
    hsp_model_free(m);
}

static void test_names_and_arrays(void **state) {
    (void)state;
    const char *const names[] = {"height", "width"};
    hsp_model *m = handmade_model(2, three, 3, names, "none");
    assert_int_equal(hsp_model_outputs(m), 3);
    assert_int_equal(hsp_model_features(m), 2);
    assert_int_equal(hsp_model_classes(m), 3);
    assert_string_equal(hsp_model_class_name(m, 2), "c");
    assert_null(hsp_model_class_name(m, 3));
    assert_null(hsp_model_class_name(m, -1));
    assert_string_equal(hsp_model_feature_name(m, 1), "width");
    assert_null(hsp_model_feature_name(m, 2));
    assert_null(hsp_model_feature_name(m, -1));
    hsp_array a = {.size = sizeof a};
    hsp_error *err = NULL;
    handmade_ok(hsp_model_array(m, "weights", &a, &err), err);
    assert_true(a.ndim == 2 && a.shape[0] == 3 && a.shape[1] == 2 && a.strides[0] == 16 && a.strides[1] == 8);
    assert_ptr_equal(a.data, m->w);
    handmade_ok(hsp_model_array(m, "intercepts", &a, &err), err);
    assert_true(a.ndim == 1 && a.shape[0] == 3 && a.shape[1] == 1 && a.strides[0] == 8 && a.dtype == HSP_FLOAT64);
    int status = hsp_model_array(m, "alphas", &a, &err);
    handmade_fails(status, HSP_EUSAGE, &err, "no array 'alphas'");
    assert_null(a.data);
    a.size = 0;
    status = hsp_model_array(m, "weights", &a, &err);
    handmade_fails(status, HSP_EUSAGE, &err, "size");
    hsp_model_free(m);
    m = handmade_model(2, two, 2, NULL, "none");
    assert_null(hsp_model_feature_name(m, 0));
    hsp_model_free(m);
    hsp_model_free(NULL);
}

static void test_check(void **state) {
    (void)state;
    hsp_model *m = handmade_model(2, two, 2, NULL, "none");
    hsp_error *err = NULL;
    handmade_ok(hsp_model_check(m, &err), err);
    uint64_t before = hsp_model_checksum(m);
    m->w[1] = NAN;
    int status = hsp_model_check(m, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "x2");
    m->w[1] = 0;
    assert_true(hsp_model_checksum(m) != before);
    m->b[0] = INFINITY;
    status = hsp_model_check(m, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "intercept");
    void *bytes;
    size_t size;
    status = hsp_model_save_memory(m, &bytes, &size, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "intercept");
    assert_null(bytes);
    hsp_model_free(m);
}

static void test_new_fails(void **state) {
    (void)state;
    hsp_prepare p = {.schema = {.d = INT64_MAX / 2}};
    hsp_model *m;
    hsp_error *err = NULL;
    int status = hsp_model_new(&p, "x", 3, &m, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "cannot have");
    assert_null(m);
    status = hsp_model_new(&p, "x", 0, &m, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "cannot have");
    p = (hsp_prepare){.schema = {.d = 2}, .regression = true, .positive = -1};
    status = hsp_model_new(&p, "x", 2, &m, &err);
    handmade_fails(status, HSP_EINTERNAL, &err, "cannot have");
    status = hsp_model_new(&p, "x", 1, &m, &err);
    handmade_ok(status, err);
    assert_string_equal(m->task, "regression");
    double score;
    m->w[0] = 2, m->b[0] = 1;
    assert_int_equal(hsp_model_classify(m, (const double[]){3, 4}, &score), -1);
    assert_true(score == 7 && hsp_model_classify(m, (const double[]){3, 4}, NULL) == -1);
    assert_true(hsp_model_classes(m) == 0 && hsp_model_positive(m) == -1 && !hsp_model_class_name(m, 0));
    hsp_model_free(m);
}

/* Every key of the interface, and numbers that read back to the same bits. */
static void test_report(void **state) {
    (void)state;
    hsp_model *m = handmade_model(3, two, 2, NULL, "standard");
    hsp_report *j = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_model_report(m, &j, &err), err);
    assert_non_null(j);
    static const char *const keys[] = {"format",      "version",  "algorithm", "task",       "classes",
                                       "positive",    "features", "weights",   "intercepts", "scale",
                                       "certificate", "options",  "training",  "checksum"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) assert_non_null(hsp_report_member(j, keys[i]));
    assert_string_equal(hsp_report_text(j, "positive"), "yes");
    assert_string_equal(hsp_report_text_at(j, "features", 0), "x1");
    hsp_array w = {.size = sizeof w};
    assert_int_equal(hsp_report_array(j, "weights", &w, NULL), 0);
    assert_true(w.shape[0] == 1 && w.shape[1] == 3 && w.ndim == 2);
    assert_memory_equal(w.data, m->w, 3 * sizeof *m->w);
    assert_int_equal(hsp_report_count(j, "intercepts"), 1);
    const hsp_report *scale = hsp_report_member(j, "scale"), *training = hsp_report_member(j, "training");
    assert_string_equal(hsp_report_text(scale, "kind"), "standard");
    assert_int_equal(hsp_report_count(scale, "shift"), 3);
    assert_true(hsp_report_number(hsp_report_member(j, "certificate"), "objective") == 1.0 / 3);
    assert_true(hsp_report_number(training, "rows") == 4);
    assert_string_equal(hsp_report_text(training, "data_hash"), "0123456789abcdef");
    assert_string_equal(hsp_report_text(training, "halfspace"), hsp_version());
    assert_int_equal(strlen(hsp_report_text(j, "checksum")), 16);
    hsp_report_free(j);
    hsp_model_free(m);
}

static void test_report_nulls(void **state) {
    (void)state;
    hsp_model *m = handmade_model(1, three, 3, NULL, "none");
    m->certificate = (hsp_certificate){NAN, NAN, NAN, NAN};
    hsp_report *j = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_model_report(m, &j, &err), err);
    assert_true(hsp_report_kind(j, "scale") == HSP_REPORT_NULL);
    assert_true(hsp_report_kind(j, "positive") == HSP_REPORT_NULL);
    assert_true(hsp_report_kind(hsp_report_member(j, "certificate"), "dual_bound") == HSP_REPORT_NULL);
    assert_int_equal(hsp_report_count(j, "weights"), 3);
    hsp_report_free(j);
    for (int64_t k = 0;; k++) {
        hsp_memory_fail_after(k);
        int status = hsp_model_report(m, &j, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        err = NULL;
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_null(j);
        assert_true(k < 200);
    }
    hsp_report_free(j);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_scores_of_all_layouts),
        cmocka_unit_test(test_unseen_features),
        cmocka_unit_test(test_scores_stay_finite),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_names_and_arrays),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_new_fails),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_nulls),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
