/* hsp_model_apply: every output equals that of the calls for single rows, in any layout of the array; what does not fit is
 * refused and nothing is written. */
#include "model/handmade.h"
#include "trained.h"

#include <float.h>
#include <stdio.h>
#include <unistd.h>

enum { ROWS = 5000, WIDEST = 64 };

static const char *const outputs[] = {"scores", "classes", "probabilities", "features", "projections"};
enum { SCORES, CLASSES, PROBABILITIES, FEATURES, PROJECTIONS };

/* Of one model and data set. */
typedef struct scene {
    hsp_data *data;
    trained t;
} scene;

static scene scene_of(const char *kind, const char *const *made, const char *const *pairs) {
    scene s = {0};
    hsp_options *o = options_of(made);
    assert_non_null(o);
    assert_int_equal(hsp_data_generate(kind, o, &s.data, NULL), 0);
    hsp_options_free(o);
    s.t = train(s.data, pairs);
    if (s.t.status) fail_msg("%s", hsp_error_message(s.t.error));
    return s;
}

static void scene_free(scene *s) {
    trained_free(&s->t);
    hsp_data_free(s->data);
}

/* A row of an output by the calls for one row. */
static int64_t expected(const scene *s, int what, int64_t i, double *v) {
    const hsp_model *m = s->t.model;
    double x[WIDEST], g[WIDEST];
    int64_t d = hsp_model_features(m), class;
    assert_int_equal(hsp_data_row(s->data, i, x, NULL), 0);
    class = hsp_model_classify(m, x, g);
    if (what == FEATURES) memcpy(v, x, (size_t)d * sizeof *v);
    if (what == SCORES) memcpy(v, g, (size_t)m->outputs * sizeof *v);
    if (what == CLASSES) *v = (double)class;
    if (what == PROBABILITIES) assert_int_equal(hsp_model_probability(m, x, v, NULL), 0);
    if (what == PROJECTIONS) hsp_model_project(m, hsp_row_dense(d, x), v);
    const int64_t columns[] = {m->outputs, 1, hsp_model_classes(m), d,
                               what == PROJECTIONS ? hsp_model_extra(m, "directions")->rows : 0};
    return columns[what];
}

/* Layouts: row-major; column-major; gaps, not aligned; rows backwards. */
enum { LAYOUTS = 4 };
static hsp_array array_of(int layout, int32_t dtype, int64_t rows, int64_t columns, char *memory) {
    int64_t item = dtype == HSP_FLOAT32 || dtype == HSP_INT32 ? 4 : 8;
    hsp_array a = {.size = sizeof a, .data = memory, .dtype = dtype, .ndim = 2, .shape = {rows, columns}};
    a.strides[0] = columns * item, a.strides[1] = item;
    if (layout == 1) a.strides[0] = item, a.strides[1] = rows * item;
    if (layout == 2) a.strides[1] = item + 3, a.strides[0] = columns * (item + 3) + 5;
    if (layout == 3) a.strides[0] = -columns * item, a.data = memory + (rows - 1) * columns * item;
    return a;
}

static double element(const hsp_array *a, int64_t i, int64_t j) {
    const char *at = (const char *)a->data + i * a->strides[0] + j * a->strides[1];
    double v64 = 0;
    float v32 = 0;
    int64_t i64 = 0;
    int32_t i32 = 0;
    memcpy(&v64, at, a->dtype == HSP_FLOAT64 ? sizeof v64 : 0);
    memcpy(&v32, at, a->dtype == HSP_FLOAT32 ? sizeof v32 : 0);
    memcpy(&i64, at, a->dtype == HSP_INT64 ? sizeof i64 : 0);
    memcpy(&i32, at, a->dtype == HSP_INT32 ? sizeof i32 : 0);
    return a->dtype == HSP_FLOAT64   ? v64
           : a->dtype == HSP_FLOAT32 ? (double)v32
           : a->dtype == HSP_INT64   ? (double)i64
                                     : (double)i32;
}

static void check_output(const scene *s, int what, int layout, bool narrow, const char *threads) {
    int64_t n = hsp_data_rows(s->data), wrong = 0;
    double v[WIDEST];
    int64_t columns = expected(s, what, 0, v);
    int32_t dtype = what == CLASSES ? (narrow ? HSP_INT32 : HSP_INT64) : narrow ? HSP_FLOAT32 : HSP_FLOAT64;
    char *memory = calloc((size_t)(n * (columns * 11 + 5)), 1);
    hsp_array a = array_of(layout, dtype, n, columns, memory);
    if (columns == 1 && layout == 2) a.ndim = 1;
    hsp_options *o = options_of((const char *const[]){"threads", threads, NULL});
    hsp_error *err = NULL;
    handmade_ok(hsp_model_apply(s->t.model, s->data, outputs[what], o, NULL, &a, &err), err);
    for (int64_t i = 0; i < n; i++) {
        expected(s, what, i, v);
        for (int64_t j = 0; j < columns; j++)
            wrong += element(&a, i, j) != (narrow && what != CLASSES ? (double)(float)v[j] : v[j]);
    }
    if (wrong) fail_msg("%s, layout %d, dtype %d: %lld wrong", outputs[what], layout, (int)dtype, (long long)wrong);
    hsp_options_free(o);
    free(memory);
}

static void check_outputs(const scene *s, const char *threads) {
    for (int what = 0; what < 5; what++) {
        if (what == PROBABILITIES && s->t.model->link == HSP_LINK_NONE) continue;
        if (what == CLASSES && s->t.model->prepare.regression) continue;
        if (what == PROJECTIONS && !hsp_model_extra(s->t.model, "directions")) continue;
        for (int layout = 0; layout < LAYOUTS; layout++) {
            check_output(s, what, layout, false, threads);
            check_output(s, what, layout, true, threads);
        }
    }
}

static const char *const dense[] = {"rows", "5000", "features", "5", "noise", "3", NULL};
static const char *const three[] = {"rows", "5000", "features", "5", "classes", "3", "noise", "3", NULL};
static const char *const sparse[] = {"rows", "300", "features", "60", NULL};

static void test_outputs(void **state) {
    (void)state;
    static const char *const logistic[] = {"algorithm", "logistic", NULL}, *const lda[] = {"algorithm", "lda", NULL},
                             *const svm[] = {"algorithm", "svm", NULL}, *const ridge[] = {"algorithm", "ridge", NULL},
                             *const mlp[] = {"algorithm", "mlp", "max-epochs", "2", NULL},
                             *const weighted[] = {"algorithm", "logistic", "class-weight", "balanced", NULL};
    scene all[] = {scene_of("blobs", dense, logistic), scene_of("blobs", three, lda),  scene_of("blobs", three, logistic),
                   scene_of("sparse", sparse, svm),    scene_of("linear", dense, ridge), scene_of("blobs", three, mlp),
                   scene_of("blobs", three, weighted)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        check_outputs(&all[i], i % 2 ? "1" : "3");
        scene_free(&all[i]);
    }
}

/* Scores beyond the range of float32. */
static void test_range(void **state) {
    (void)state;
    const double x[] = {1e300, 0, -1e300, 0, 1e-300, 0};
    hsp_model *m = handmade_model(2, (const char *const[]){"a", "b"}, 2, NULL, "none");
    hsp_data *data = handmade_data(x, 3, 2, NULL, NULL);
    float g[3];
    hsp_array a = array_of(0, HSP_FLOAT32, 3, 1, (char *)g);
    hsp_error *err = NULL;
    m->w[0] = 1, m->b[0] = 0;
    handmade_ok(hsp_model_apply(m, data, "scores", NULL, NULL, &a, &err), err);
    assert_true(g[0] == FLT_MAX && g[1] == -FLT_MAX && g[2] == 0);
    hsp_data_free(data);
    hsp_model_free(m);
}

/* Only the columns that the model has, and zeros where the rows have none. */
static void test_other_columns(void **state) {
    (void)state;
    const int64_t row[] = {0, 2, 3}, column[] = {0, 4, 1};
    const double value[] = {7, 9, 5}, wanted[] = {7, 0, 0, 0, 5, 0};
    double x[6];
    hsp_model *m = handmade_model(3, (const char *const[]){"a", "b"}, 2, NULL, "none");
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    hsp_array a = array_of(0, HSP_FLOAT64, 2, 3, (char *)x);
    handmade_ok(hsp_data_from_csr(row, column, value, 2, 5, NULL, &data, &err), err);
    handmade_fails(hsp_model_apply(m, data, "features", NULL, NULL, &a, &err), HSP_EINPUT, &err, "5 features");
    hsp_free(data->schema.format);
    data->schema.format = hsp_strdup("svmlight");
    handmade_ok(hsp_model_apply(m, data, "features", NULL, NULL, &a, &err), err);
    assert_memory_equal(x, wanted, sizeof wanted);
    hsp_data_free(data);
    hsp_model_free(m);
}

static void refuse(const hsp_model *m, const hsp_data *data, const char *what, hsp_array a, int status, const char *words) {
    hsp_error *err = NULL;
    handmade_fails(hsp_model_apply(m, data, what, NULL, NULL, &a, &err), status, &err, words);
}

static void test_refused(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6};
    double memory[6] = {77, 77, 77, 77, 77, 77};
    char *to = (char *)memory;
    hsp_model *m = handmade_model(2, (const char *const[]){"a", "b"}, 2, NULL, "none");
    hsp_model *r = handmade_regression(2, NULL, "none");
    hsp_data *good = handmade_data(x, 3, 2, NULL, NULL), *wide = handmade_data(x, 2, 3, NULL, NULL);
    const hsp_array fits = array_of(0, HSP_FLOAT64, 3, 1, to);
    hsp_array a = fits;
    refuse(m, good, "score", fits, HSP_EUSAGE, "no such output 'score': use scores, classes");
    refuse(m, good, "", fits, HSP_EUSAGE, "no such output ''");
    refuse(m, good, "probabilities", fits, HSP_EUSAGE, "has no probabilities: train with --calibrate");
    refuse(m, good, "projections", fits, HSP_EUSAGE, "no discriminant directions: train with fisher or lda");
    refuse(r, good, "classes", fits, HSP_EUSAGE, "a regression has no classes");
    refuse(m, wide, "scores", fits, HSP_EINPUT, "3 features, but the model has 2");
    refuse(m, good, "classes", fits, HSP_EUSAGE, "cannot hold classes: use int32 or int64");
    refuse(m, good, "scores", array_of(0, HSP_INT64, 3, 1, to), HSP_EUSAGE, "use float64 or float32");
    refuse(m, good, "scores", array_of(0, 99, 3, 1, to), HSP_EUSAGE, "the dtype 99");
    refuse(m, good, "scores", array_of(0, HSP_FLOAT64, 2, 1, to), HSP_EUSAGE, "is 2 x 1, but the scores are 3 x 1");
    refuse(m, good, "scores", array_of(0, HSP_FLOAT64, 3, 2, to), HSP_EUSAGE, "is 3 x 2, but the scores are 3 x 1");
    refuse(m, good, "features", array_of(0, HSP_FLOAT64, 2, 3, to), HSP_EUSAGE, "is 2 x 3, but the features are 3 x 2");
    a = array_of(0, HSP_FLOAT64, 3, 2, to);
    a.ndim = 1;
    refuse(m, good, "features", a, HSP_EUSAGE, "the array is 3, but the features are 3 x 2");
    a.ndim = 3;
    refuse(m, good, "features", a, HSP_EUSAGE, "3 dimensions");
    a = fits, a.size = 0;
    refuse(m, good, "scores", a, HSP_EUSAGE, "hsp_array.size is not set");
    a = fits, a.data = NULL;
    refuse(m, good, "scores", a, HSP_EUSAGE, "no memory");
    a = fits, a.strides[0] = 0;
    refuse(m, good, "scores", a, HSP_EUSAGE, "stride of the array is 0");
    for (int i = 0; i < 6; i++) assert_true(memory[i] == 77);
    hsp_data_free(good);
    hsp_data_free(wide);
    hsp_model_free(m);
    hsp_model_free(r);
}

/* A part of a table is encoded as the model encodes it. */
static void test_table(void **state) {
    (void)state;
    char path[] = "/tmp/halfspace-apply-XXXXXX";
    static const char text[] = "city,size,label\nRome,1.5,a\nOslo,2,b\nRome,2.5,a\nBonn,0.5,b\nOslo,3,a\nBonn,-1,b\n";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1 && close(fd) == 0);
    hsp_options *o = options_of((const char *const[]){"format", "csv", "test", "2", NULL});
    hsp_data *data = NULL, *train_part = NULL, *test_part = NULL, *same = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_data_read(path, o, NULL, &data, &err), err);
    unlink(path);
    trained t = train(data, (const char *const[]){"algorithm", "ridge", NULL});
    assert_int_equal(t.status, 0);
    handmade_ok(hsp_data_split(data, o, &train_part, &test_part, &err), err);
    handmade_ok(hsp_data_encode_for(t.model, test_part, &same, &err), err);
    int64_t n = hsp_data_rows(test_part), d = hsp_model_features(t.model);
    double x[64], row[64];
    assert_true(n * d <= 64);
    hsp_array a = array_of(0, HSP_FLOAT64, n, d, (char *)x);
    handmade_ok(hsp_model_apply(t.model, test_part, "features", NULL, NULL, &a, &err), err);
    for (int64_t i = 0; i < n; i++) {
        handmade_ok(hsp_data_row(same ? same : test_part, i, row, &err), err);
        assert_memory_equal(row, x + i * d, (size_t)d * sizeof *row);
    }
    hsp_data_free(data);
    hsp_data_free(train_part);
    hsp_data_free(test_part);
    hsp_data_free(same);
    hsp_options_free(o);
    trained_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_outputs), cmocka_unit_test(test_range),
                                       cmocka_unit_test(test_other_columns), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
