/* Models that were written by any version load, with the same scores to the last bit.  `test_golden_model --write
 * FOLDER` writes those of the present version of the format; do so only for a new version, into new files. Those of
 * version 1, and the ones that were trained, were written by the program of their time. */
#include "handmade.h"

#include "base/report.h"
#include "golden_path.h"
#include "read/reader.h"
#include "report_json.h"

#include <stdio.h>

static void add(hsp_model *m, const char *name, int64_t rows, int64_t columns) {
    hsp_error *err = NULL;
    double *v = handmade_numbers(rows, columns);
    for (int64_t i = 0; i < rows * columns; i++) v[i] /= 3;
    int status = hsp_model_add_extra(m, name, rows, columns, v, &err);
    handmade_ok(status, err);
}

/* Three classes with probabilities, class weights, and all that lda stores. */
static hsp_model *make_softmax(void) {
    static const char *const classes[] = {"-1", "0.5", "10"};
    hsp_model *m = handmade_model(2, classes, 3, NULL, "minmax");
    m->link = HSP_LINK_SOFTMAX;
    m->class_weight = hsp_alloc(3, sizeof(double));
    m->class_weight[0] = 0.1, m->class_weight[1] = 1, m->class_weight[2] = 3;
    add(m, "class-mass", 3, 1);
    add(m, "class-means", 3, 2);
    add(m, "class-covariances", 6, 2);
    add(m, "directions", 2, 2);
    add(m, "direction-offsets", 2, 1);
    return m;
}

/* Two classes that three labels were merged into, with probabilities; the rows had weights. */
static hsp_model *make_merged(void) {
    static const char *const classes[] = {"ant,cat", "rest"}, *const labels[] = {"ant", "bee", "cat"};
    static const char *const names[] = {"height", "width"};
    hsp_model *m = handmade_model(2, classes, 2, names, "none");
    hsp_prepare *p = &m->prepare;
    m->link = HSP_LINK_LOGISTIC;
    p->positive = 0;
    p->source.count = 3;
    p->source.name = hsp_alloc(3, sizeof *p->source.name);
    p->merged = hsp_alloc(3, sizeof *p->merged);
    for (int k = 0; k < 3; k++) p->source.name[k] = hsp_strdup(labels[k]), p->merged[k] = k == 1;
    hsp_schema *s = &p->schema;
    hsp_free(s->format);
    s->format = hsp_strdup("csv");
    s->header = true, s->delimiter = ',', s->file_columns = 4, s->target_column = 4, s->target = hsp_strdup("kind");
    s->weight_column = 2, s->weight = hsp_strdup("times");
    s->column = hsp_alloc(2, sizeof *s->column);
    s->column[0] = 1, s->column[1] = 3;
    return m;
}

static hsp_model *make_regression(void) {
    hsp_model *m = handmade_regression(2, NULL, "standard");
    add(m, "second-moment", 2, 2);
    add(m, "cross-moment", 1, 2);
    return m;
}

static int write_models(const char *into) {
    char path[4096];
    setenv("SOURCE_DATE_EPOCH", "1767225600", 1);
    hsp_model *(*const make[])(void) = {make_softmax, make_merged, make_regression};
    const char *const name[] = {"model-2-softmax.hsm", "model-2-merged.hsm", "model-2-regression.hsm"};
    for (int i = 0; i < 3; i++) {
        hsp_model *m = make[i]();
        snprintf(path, sizeof path, "%s/%s", into, name[i]);
        int status = hsp_model_save(m, path, NULL);
        hsp_model_free(m);
        if (status) return 1;
    }
    return 0;
}

static hsp_model *load(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, name);
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    int status = hsp_model_load(path, &m, &err);
    handmade_ok(status, err);
    return m;
}

static void test_csv(void **state) {
    (void)state;
    hsp_model *m = load("model-1-csv.hsm");
    assert_int_equal(hsp_model_outputs(m), 1);
    assert_int_equal(hsp_model_positive(m), 0);
    assert_string_equal(hsp_model_class_name(m, 1), "yes");
    assert_string_equal(hsp_model_feature_name(m, 1), "width \"cm\"");
    assert_string_equal(hsp_model_feature_name(m, 2), "caf\xc3\xa9");
    assert_string_equal(m->origin.when, "2026-01-01T00:00:00Z");
    assert_string_equal(m->algorithm, "by-hand");
    assert_true(m->certificate.objective == 1.0 / 3 && m->certificate.tolerance == 1e-4);
    assert_true(m->data_hash == 0x0123456789abcdefu && m->rows == 4);
    const hsp_schema *s = &m->prepare.schema;
    assert_true(s->header && s->delimiter == ';' && s->file_columns == 5 && s->column[2] == 5);
    assert_string_equal(s->target, "ill");
    assert_string_equal(m->prepare.scale, "standard");
    assert_true(m->prepare.shift[0] == -0.5 && isfinite(m->prepare.factor[2]));
    double score;
    assert_int_equal(hsp_model_classify(m, (const double[]){1, 2, 3}, &score), 0);
    assert_true(score == 1.0 / 7 * 1 + -2.0 / 7 * 2 + 3.0 / 7 * 3 + -0.3);
    assert_int_equal(hsp_model_classify(m, (const double[]){0, 5, 0}, &score), 1);
    hsp_model_free(m);
}

static void test_svmlight(void **state) {
    (void)state;
    hsp_model *m = load("model-1-svmlight.hsm");
    assert_int_equal(hsp_model_outputs(m), 3);
    assert_int_equal(hsp_model_positive(m), -1);
    assert_string_equal(hsp_model_class_name(m, 2), "10");
    assert_null(hsp_model_feature_name(m, 0));
    assert_int_equal(m->prepare.schema.base, 1);
    assert_true(isnan(m->certificate.objective) && !m->prepare.factor);
    double score[3];
    assert_int_equal(hsp_model_classify(m, (const double[]){2, 1}, score), 2);
    for (int k = 0; k < 3; k++) {
        double w0 = (double)(2 * k + 1) / 7, w1 = -(double)(2 * k + 2) / 7;
        assert_true(score[k] == w0 * 2 + w1 * 1 + (0.1 * (double)k - 0.3));
    }
    hsp_model_free(m);
}

/* The same numbers as the maker gives, and the same bytes when saved again. */
static void check_extras(const hsp_model *m, const hsp_model *made) {
    assert_int_equal(m->extra_count, made->extra_count);
    for (int64_t i = 0; i < m->extra_count; i++) {
        const hsp_extra *x = &m->extras[i], *y = hsp_model_extra(made, x->name);
        assert_true(y && x->rows == y->rows && x->columns == y->columns);
        assert_memory_equal(x->data, y->data, (size_t)(x->rows * x->columns) * sizeof(double));
    }
}

static void test_softmax(void **state) {
    (void)state;
    hsp_model *m = load("model-2-softmax.hsm"), *made = make_softmax();
    assert_true(m->link == HSP_LINK_SOFTMAX && m->class_weight[0] == 0.1 && m->class_weight[2] == 3);
    check_extras(m, made);
    double g[3], p[3], sum = 0, z[2];
    const double x[] = {2, 1};
    hsp_error *err = NULL;
    assert_int_equal(hsp_model_classify(m, x, g), 2);
    handmade_ok(hsp_model_probability(m, x, p, &err), err);
    for (int k = 0; k < 3; k++) sum += exp(g[k]) / m->class_weight[k];
    for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - exp(g[k]) / m->class_weight[k] / sum) < 1e-15);
    hsp_model_project(m, hsp_row_dense(2, x), z);
    assert_true(fabs(z[0] - (-2.5 * 2 - 1.5 - 2.5) / 3) < 1e-15 && fabs(z[1] - (-0.5 * 2 + 0.5 - 1.5) / 3) < 1e-15);
    hsp_model_free(m);
    hsp_model_free(made);
}

static void test_merged(void **state) {
    (void)state;
    hsp_model *m = load("model-2-merged.hsm");
    assert_true(m->link == HSP_LINK_LOGISTIC && !m->class_weight && m->extra_count == 0);
    assert_int_equal(hsp_model_classes(m), 2);
    assert_string_equal(hsp_model_class_name(m, 0), "ant,cat");
    assert_int_equal(hsp_prepare_class(&m->prepare, "cat", 3), 0);
    assert_int_equal(hsp_prepare_class(&m->prepare, "bee", 3), 1);
    assert_int_equal(hsp_prepare_class(&m->prepare, "dog", 3), -1);
    hsp_report *report = NULL;
    handmade_ok(hsp_model_report(m, &report, NULL), NULL);
    char *json = take_json(report);
    assert_non_null(strstr(json, "\"merged\":{\"ant\":\"ant,cat\",\"bee\":\"rest\",\"cat\":\"ant,cat\"}"));
    hsp_free(json);
    assert_int_equal(m->prepare.schema.weight_column, 2);
    assert_string_equal(m->prepare.schema.weight, "times");
    double p[2], g = 1.0 / 7 * 3 - 2.0 / 7 * 4 - 0.3;
    hsp_error *err = NULL;
    handmade_ok(hsp_model_probability(m, (const double[]){3, 4}, p, &err), err);
    assert_true(fabs(p[0] - 1 / (1 + exp(-g))) < 1e-15);
    hsp_model_free(m);
}

static void test_regression(void **state) {
    (void)state;
    hsp_model *m = load("model-2-regression.hsm"), *made = make_regression();
    assert_string_equal(m->task, "regression");
    assert_true(m->prepare.regression && hsp_model_classes(m) == 0 && hsp_model_outputs(m) == 1);
    check_extras(m, made);
    double score;
    assert_int_equal(hsp_model_classify(m, (const double[]){3, 4}, &score), -1);
    assert_true(score == 1.0 / 7 * 3 + -2.0 / 7 * 4 + -0.3);
    hsp_model_free(m);
    hsp_model_free(made);
}

/* Of the present version: saved again, the file is the same to the last byte. */
static void check_same_file(const hsp_model *m, const char *name) {
    static char bytes[65536];
    char path[4096];
    void *again = NULL;
    size_t size = 0;
    hsp_error *err = NULL;
    snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    int status = hsp_model_save_memory(m, &again, &size, &err);
    handmade_ok(status, err);
    assert_int_equal(size, n);
    assert_memory_equal(again, bytes, n);
    hsp_free(again);
}

/* The rows that they were trained on, of the classes ant, bee and cat in turn. */
static const double rows[][2] = {{0, 0}, {5, 1}, {0, 7}, {1, 0.5}, {6, 0}, {1, 8}, {0.5, 1}, {5.5, 1.5}, {2, 7.5}};

static void test_trained(void **state) {
    (void)state;
    static const char *const name[] = {"model-2-lda.hsm", "model-2-logistic.hsm", "model-2-ridge.hsm"};
    hsp_model *lda = load(name[0]), *logistic = load(name[1]), *ridge = load(name[2]);
    assert_true(!lda->dual && !lda->claims && logistic->certificate.relative_gap <= 1e-4);
    double p[3], z[2], price;
    hsp_error *err = NULL;
    for (int i = 0; i < 9; i++) {
        assert_int_equal(hsp_model_classify(lda, rows[i], NULL), i % 3);
        assert_int_equal(hsp_model_classify(logistic, rows[i], NULL), i % 3);
    }
    handmade_ok(hsp_model_probability(lda, rows[4], p, &err), err);
    assert_true(fabs(p[0] / 7.557943042972136e-14 - 1) < 1e-9);
    handmade_ok(hsp_model_probability(logistic, rows[4], p, &err), err);
    assert_true(fabs(p[1] - 0.9630256589220135) < 1e-12 && logistic->class_weight[1] == 2);
    assert_non_null(hsp_model_extra(lda, "class-covariances"));
    hsp_model_project(lda, hsp_row_dense(2, rows[4]), z);
    assert_true(isfinite(z[0]) && isfinite(z[1]));
    assert_int_equal(hsp_model_classify(ridge, rows[4], &price), -1);
    assert_true(fabs(price - 13.446236559139784) < 1e-12);
    hsp_model_free(lda);
    hsp_model_free(logistic);
    hsp_model_free(ridge);
}

/* The file calls it "street", as it was called until 0.2. */
static void check_margin_width(const hsp_report *report, const char *member) {
    const hsp_report *r = hsp_report_member(report, member);
    assert_int_equal(hsp_report_kind(r, "street"), HSP_REPORT_ABSENT);
    assert_true(fabs(hsp_report_number(r, "margin_width") - 2 * hsp_report_number(r, "margin")) < 1e-12);
}

/* Saved under the present names, it is the same model. */
static void check_saved_again(const hsp_model *m) {
    void *bytes = NULL;
    size_t size = 0;
    hsp_model *again = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_model_save_memory(m, &bytes, &size, &err), err);
    assert_null(memmem(bytes, size, "street", strlen("street")));
    handmade_ok(hsp_model_load_memory(bytes, size, &again, &err), err);
    assert_true(hsp_report_equal(m->claims, again->claims) && hsp_report_equal(m->report, again->report));
    hsp_model_free(again);
    hsp_free(bytes);
}

/* Of version 3: claims, and the dual vector of a margin. */
static void test_claims(void **state) {
    (void)state;
    static const char *const name[] = {"model-3-svm.hsm", "model-3-logistic.hsm"};
    static const double points[][2] = {{0, 0}, {5, 1}, {1, 0.5}, {6, 0}, {0.5, 1}, {5.5, 1.5}};
    hsp_model *svm = load(name[0]), *logistic = load(name[1]);
    check_same_file(logistic, name[1]);
    assert_true(svm->claims && logistic->claims && svm->dual && !logistic->dual);
    assert_true(svm->dual->outputs == 1 && svm->dual->begin[1] >= 3);
    double sum = 0;
    for (int64_t t = 0; t < svm->dual->begin[1]; t++) sum += svm->dual->value[t];
    assert_true(fabs(sum) < 1e-12 && svm->certificate.relative_gap < 1e-9);
    check_margin_width(svm->report, "svm");
    check_margin_width(hsp_report_item(svm->claims, "problems", 0), NULL);
    check_saved_again(svm);
    for (int i = 0; i < 6; i++) assert_int_equal(hsp_model_classify(svm, points[i], NULL), i % 2);
    hsp_model_free(svm);
    hsp_model_free(logistic);
}

/* Reads the text for a model of a table and compares the scores of its rows. */
static hsp_data *check_scores(const hsp_model *m, const char *text, const double *expected, int64_t n) {
    const hsp_read_for model = {hsp_prepare_columns(&m->prepare), hsp_prepare_labels(&m->prepare), false,
                                m->prepare.encoding};
    hsp_stream *s = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    assert_non_null(m->prepare.encoding);
    handmade_ok(hsp_stream_open_memory(text, (int64_t)strlen(text), "people.csv", &s, &err), err);
    handmade_ok(hsp_read_stream(s, NULL, NULL, &model, &data, &err), err);
    hsp_stream_close(s);
    assert_int_equal(data->x.n, n);
    for (int64_t i = 0; i < n; i++) {
        double score;
        hsp_model_score_row(m, hsp_matrix_row(&data->x, i), &score);
        assert_true(fabs(score - expected[i]) < 1e-9);
    }
    return data;
}

/* Of version 4: a table, with every kind of column and feature. Levels are compared by value. */
static void test_table(void **state) {
    (void)state;
    static const char *const text = "age,sex,member,joined,note,zip,score,label\n"
                                    "20,female,no,2024-01-01,call me,?,0.00,b\n"
                                    "21,male,no,2024-02-02,free prize call,?,0.37,a\n"
                                    "22,male,yes,2024-03-03,free prize call,10115,0.74,a\n"
                                    "22,male,yes,2024-03-03,free prize call,10115.0,0.74,a\n"
                                    "22,male,yes,2024-03-03,free prize call,1.0115e4,0.74,a\n";
    static const double expected[] = {2.7972233543378953, -0.3265521323068672, -1.6936281115658463, -1.6936281115658463,
                                      -1.6936281115658463};
    hsp_model *m = load("model-4-table.hsm");
    check_same_file(m, "model-4-table.hsm");
    hsp_data *data = check_scores(m, text, expected, 5);
    assert_int_equal(data->unseen.levels, 0);
    hsp_data_free(data);
    hsp_model_free(m);
}

/* Of version 5: levels are compared as they are spelt; None and 56 are missing ages. */
static void test_spellings(void **state) {
    (void)state;
    static const char *const text = "zip,floor,age,city,label\n"
                                    "01067,1,22,Ulm,a\n"
                                    "1067,1.0,None,Bonn,b\n"
                                    "1067.0,2,-,None,b\n"
                                    "001067,1.00,56.0,Ulm,a\n";
    static const double expected[] = {-0.04760395691969266, 0.31388429310478827, 0.14207958937577314, 0.01554824037992164};
    hsp_model *m = load("model-5-table.hsm");
    check_same_file(m, "model-5-table.hsm");
    assert_int_equal(m->origin.format, 5);
    hsp_data *data = check_scores(m, text, expected, 4);
    assert_true(data->unseen.levels == 3 && data->unseen.filled == 3);
    hsp_unseen_level most[HSP_UNSEEN_SHOWN];
    assert_int_equal(hsp_unseen_levels_most(data->unseen.named, most), 3);
    assert_string_equal(most[0].level, "001067");
    assert_string_equal(most[0].like, "1067");
    assert_true(most[2].column == 1 && most[2].count == 1);
    assert_string_equal(most[2].level, "1.00");
    hsp_data_free(data);
    hsp_model_free(m);
}

/* Of version 6: the layers of a network. */
static void test_network(void **state) {
    (void)state;
    static const double points[][2] = {{0, 3}, {2, 0}, {4, 3}, {1e3, -1e3}};
    static const double expected[][3] = {{4.147678606091552, -1.87546520124298, -1.3629331890424983},
                                         {-1.7452590310693183, 3.9723875129410082, -1.3164220568291864},
                                         {-1.7009534802889053, -1.3680267501457568, 3.980097736165457},
                                         {-1.8626001803713272, 2.059427499563158, 0.714069124318707}};
    static const int classes[] = {0, 1, 2, 1};
    hsp_model *m = load("model-6-network.hsm");
    check_same_file(m, "model-6-network.hsm");
    assert_true(m->origin.format == 6 && m->network && !m->w && !m->b && m->network->layers == 3);
    for (int i = 0; i < 4; i++) {
        double scores[3];
        assert_int_equal(hsp_model_classify(m, points[i], scores), classes[i]);
        assert_int_equal(hsp_model_classify(m, points[i], NULL), classes[i]);
        assert_memory_equal(scores, expected[i], sizeof scores);
    }
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_model_array(m, "layer-2-weights", &a, NULL), 0);
    assert_true(a.shape[0] == 2 && a.shape[1] == 3);
    static const char *const absent[] = {"weights", "intercepts", "layer-4-weights", "layer-0-weights", "directions"};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_int_equal(hsp_model_array(m, absent[i], &a, NULL), HSP_EUSAGE);
    hsp_model_free(m);
}

/* Of version 7: calibrations of each method, and decision rules on a probability and on a score. */
static void test_calibrated(void **state) {
    (void)state;
    static const char *const name[] = {"model-7-platt.hsm", "model-7-isotonic.hsm", "model-7-temperature.hsm",
                                       "model-7-score.hsm"};
    static const double x[] = {-1, 0.5};
    static const double expected[3][3] = {{0.6222270892371141, 0.3777729107628858},
                                          {0.11392405063291138, 0.35443037974683544, 0.5316455696202532},
                                          {0.19183214706777008, 0.5303916159231667, 0.2777762370090631}};
    static const int64_t label[] = {1, 2, 1, 1};
    for (int i = 0; i < 4; i++) {
        hsp_model *m = load(name[i]);
        hsp_error *err = NULL;
        double p[3];
        assert_int_equal(m->origin.format, 7);
        check_same_file(m, name[i]);
        assert_int_equal(hsp_model_classify(m, x, NULL), label[i]);
        if (i < 3) {
            handmade_ok(hsp_model_probability(m, x, p, &err), err);
            for (int k = 0; k < (i ? 3 : 2); k++) assert_true(fabs(p[k] - expected[i][k]) < 1e-15);
        } else {
            handmade_fails(hsp_model_probability(m, x, p, &err), HSP_EUSAGE, &err, "--calibrate");
        }
        hsp_model_free(m);
    }
    hsp_model *m = load(name[0]);
    assert_string_equal(m->decision.rule, "recall:0.97");
    assert_true(m->decision.of_probability && m->calibration.method == &hsp_calibration_platt);
    hsp_model_free(m);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_models(argv[2]);
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_csv),    cmocka_unit_test(test_svmlight),   cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_merged), cmocka_unit_test(test_regression), cmocka_unit_test(test_trained),
        cmocka_unit_test(test_claims), cmocka_unit_test(test_table),      cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_network), cmocka_unit_test(test_calibrated)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
