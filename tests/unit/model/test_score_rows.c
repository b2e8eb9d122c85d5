/* Scores of whole data sets, and the fields of a model as text. */
#include "handmade.h"

enum { ROWS = 3000 };

/* Numbers of which every third is 0; sparse ones go through CSR. */
static hsp_data *rows_of(int64_t d, bool sparse) {
    double *x = malloc((size_t)(ROWS * d) * sizeof *x);
    int64_t *row = malloc((ROWS + 1) * sizeof *row), *column = malloc((size_t)(ROWS * d) * sizeof *column), n = 0;
    uint32_t seed = 3;
    hsp_data *data = NULL;
    assert_true(x && row && column);
    row[0] = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < d; j++) {
            seed = seed * 1664525u + 1013904223u;
            double v = (i + j) % 3 == 0 ? 0 : (double)(seed >> 8) / 0x1p20 - 8;
            if (sparse && v == 0) continue;
            column[n] = j;
            x[n++] = v;
        }
        row[i + 1] = n;
    }
    if (sparse)
        handmade_ok(hsp_data_from_csr(row, column, x, ROWS, d, NULL, &data, NULL), NULL);
    else
        data = handmade_data(x, ROWS, d, NULL, NULL);
    free(x);
    free(row);
    free(column);
    return data;
}

static void test_scores(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    static double scores[ROWS * 5];
    static int32_t classes[ROWS], alone[ROWS];
    for (int64_t K = 2; K <= 5; K++)
        for (int sparse = 0; sparse < 2; sparse++) {
            hsp_model *m = handmade_model(7, names, K, NULL, "none");
            hsp_data *data = rows_of(7, sparse);
            hsp_error *err = NULL;
            handmade_ok(hsp_model_score(m, data, scores, classes, &err), err);
            handmade_ok(hsp_model_score(m, data, NULL, alone, &err), err);
            handmade_ok(hsp_model_score(m, data, NULL, NULL, &err), err);
            assert_memory_equal(classes, alone, sizeof classes);
            for (int64_t i = 0; i < ROWS; i++) {
                double x[7], g[5];
                handmade_ok(hsp_data_row(data, i, x, &err), err);
                assert_int_equal(hsp_model_classify(m, x, g), classes[i]);
                assert_memory_equal(g, scores + i * m->outputs, (size_t)m->outputs * sizeof *g);
            }
            hsp_data_free(data);
            hsp_model_free(m);
        }
}

static void test_threads(void **state) {
    (void)state;
    static double one[ROWS], many[ROWS];
    hsp_model *m = handmade_model(7, (const char *const[]){"a", "b"}, 2, NULL, "none");
    hsp_data *data = rows_of(7, true);
    hsp_error *err = NULL;
    handmade_ok(hsp_model_score_matrix(m, &data->x, 1, one, NULL, &err), err);
    handmade_ok(hsp_model_score_matrix(m, &data->x, 7, many, NULL, &err), err);
    assert_memory_equal(one, many, sizeof one);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void test_refused(void **state) {
    (void)state;
    double scores[3];
    int32_t classes[3];
    const double x[] = {1, 2, 3, 4, 5, 6};
    hsp_error *err = NULL;
    hsp_model *m = handmade_model(2, (const char *const[]){"a", "b"}, 2, NULL, "none");
    hsp_model *r = handmade_regression(2, NULL, "none");
    hsp_model *three = handmade_model(2, (const char *const[]){"a", "b", "c"}, 3, NULL, "none");
    hsp_data *good = handmade_data(x, 3, 2, NULL, NULL), *wide = handmade_data(x, 2, 3, NULL, NULL);
    handmade_ok(hsp_model_score(r, good, scores, NULL, &err), err);
    classes[0] = 77;
    int status = hsp_model_score(r, good, scores, classes, &err);
    handmade_fails(status, HSP_EUSAGE, &err, "a regression has no classes");
    assert_int_equal(classes[0], 77);
    status = hsp_model_score(m, wide, scores, NULL, &err);
    handmade_fails(status, HSP_EINPUT, &err, "3 features, but the model has 2");
    hsp_memory_fail_after(0);
    status = hsp_model_score(three, good, NULL, classes, &err);
    hsp_memory_fail_after(-1);
    handmade_fails(status, HSP_EMEMORY, &err, "memory");
    hsp_model_free(three);
    hsp_data_free(good);
    hsp_data_free(wide);
    hsp_model_free(m);
    hsp_model_free(r);
}

/* Where both have names, features are matched by name; else by number. */
static void test_names(void **state) {
    (void)state;
    static const char *const classes[] = {"a", "b"}, *const names[] = {"u", "v"}, *const turned[] = {"v", "u"};
    static const double x[] = {1, 2, 3, 4};
    hsp_model *m = handmade_model(2, classes, 2, names, "none"), *nameless = handmade_model(2, classes, 2, NULL, "none");
    hsp_data *same = handmade_data(x, 2, 2, NULL, names), *other = handmade_data(x, 2, 2, NULL, turned);
    hsp_data *plain = handmade_data(x, 2, 2, NULL, NULL);
    double score[2];
    hsp_error *err = NULL;
    handmade_ok(hsp_model_score(m, same, score, NULL, &err), err);
    handmade_ok(hsp_model_score(m, plain, score, NULL, &err), err);
    handmade_ok(hsp_model_score(nameless, other, score, NULL, &err), err);
    handmade_fails(hsp_model_score(m, other, score, NULL, &err), HSP_EINPUT, &err,
                   "feature 'v' where the model has 'u': read the data for the model");
    hsp_data_free(same);
    hsp_data_free(other);
    hsp_data_free(plain);
    hsp_model_free(m);
    hsp_model_free(nameless);
}

static void test_fields(void **state) {
    (void)state;
    hsp_model *m = handmade_model(2, (const char *const[]){"a", "b"}, 2, NULL, "standard");
    hsp_memory_fail_after(0);
    assert_null(hsp_model_field(m, "algorithm")); /* no memory to lay them out: the next call has it */
    hsp_memory_fail_after(-1);
    const char *algorithm = hsp_model_field(m, "algorithm");
    assert_string_equal(algorithm, "by-hand");
    assert_string_equal(hsp_model_field(m, "task"), "classification");
    assert_string_equal(hsp_model_field(m, "scale"), "standard");
    assert_string_equal(hsp_model_field(m, "link"), "none");
    assert_string_equal(hsp_model_field(m, "C"), "1");
    assert_string_equal(hsp_model_field(m, "epochs"), "12");
    assert_string_equal(hsp_model_field(m, "tiny"), "5e-324");
    assert_string_equal(hsp_model_field(m, "note"), "a \"quoted\\\" , } word");
    assert_null(hsp_model_field(m, "list"));
    assert_null(hsp_model_field(m, "nothing"));
    assert_null(hsp_model_field(m, ""));
    assert_ptr_equal(hsp_model_field(m, "algorithm"), algorithm);
    hsp_model_free(m);
}

static void test_fields_of_nothing(void **state) {
    (void)state;
    hsp_model *m = handmade_regression(1, NULL, "none");
    hsp_report_free(m->report);
    hsp_report_free(m->options);
    m->report = m->options = NULL;
    assert_string_equal(hsp_model_field(m, "task"), "regression");
    assert_null(hsp_model_field(m, "loss"));
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores), cmocka_unit_test(test_threads), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),  cmocka_unit_test(test_fields),  cmocka_unit_test(test_fields_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
