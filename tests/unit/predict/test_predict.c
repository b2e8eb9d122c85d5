/* Predicting from files: formats, with and without labels, quoting, unseen features and labels, and failures that leave
 * no file. */
#include "model/handmade.h"
#include "own_paths.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_input(const char *text) {
    hsp_error *err = NULL;
    int status = hsp_write_file(in_path, text, strlen(text), &err);
    handmade_ok(status, err);
}

static char *read_output(void) {
    static char text[65536];
    FILE *f = fopen(out_path, "rb");
    if (!f) return NULL;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    unlink(out_path);
    return text;
}

static hsp_options *options(const char *const *pairs) {
    hsp_options *o = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_options_new(&o, &err), err);
    for (; pairs && pairs[0]; pairs += 2) {
        int status = hsp_options_set(o, pairs[0], pairs[1], &err);
        handmade_ok(status, err);
    }
    return o;
}

/* Predicts and returns the report. */
static hsp_report *predict(const hsp_model *m, const char *const *pairs, const char *expected) {
    hsp_options *o = options(pairs);
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    int status = hsp_predict(m, in_path, out_path, o, NULL, &report, &err);
    handmade_ok(status, err);
    hsp_options_free(o);
    assert_string_equal(read_output(), expected);
    assert_non_null(report);
    return report;
}

static void refuse(const hsp_model *m, const char *const *pairs, int code, const char *words) {
    hsp_options *o = options(pairs);
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    int status = hsp_predict(m, in_path, out_path, o, NULL, &report, &err);
    handmade_fails(status, code, &err, words);
    assert_null(report);
    assert_null(read_output());
    hsp_options_free(o);
}

static double number(const hsp_report *j, const char *key) {
    return hsp_report_number(j, key);
}

/* A model of svmlight features 1 and 2: score x1 - x2. */
static hsp_model *sparse_model(void) {
    static const char *const classes[] = {"-1", "1"};
    hsp_model *m = handmade_model(2, classes, 2, NULL, "none");
    m->w[0] = 1, m->w[1] = -1, m->b[0] = 0;
    hsp_free(m->prepare.schema.format);
    m->prepare.schema.format = hsp_strdup("svmlight");
    m->prepare.schema.base = 1;
    return m;
}

/* A model as trained from a CSV file with the columns width, kind, height; kind is the target. */
static hsp_model *csv_model(const char *const *classes, int64_t count) {
    static const char *const names[] = {"width", "height"};
    hsp_model *m = handmade_model(2, classes, count, names, "none");
    for (int64_t k = 0; k < m->outputs; k++) m->w[2 * k] = (double)(k + 1), m->w[2 * k + 1] = -1, m->b[k] = 0;
    hsp_schema *s = &m->prepare.schema;
    hsp_free(s->format);
    s->format = hsp_strdup("csv");
    s->header = true, s->delimiter = ',', s->file_columns = 3, s->target_column = 2, s->target = hsp_strdup("kind");
    s->column = hsp_alloc(2, sizeof *s->column);
    s->column[0] = 1, s->column[1] = 3;
    return m;
}

static void test_svmlight(void **state) {
    (void)state;
    hsp_model *m = sparse_model();
    write_input("+1 1:2 2:1\n-1 2:0.5\n-1 1:1 7:3 9:4\n1\n");
    hsp_report *j = predict(m, (const char *const[]){"scores", "yes", NULL}, "prediction,score\n1,1\n-1,-0.5\n1,1\n-1,0\n");
    assert_true(number(j, "rows") == 4 && number(j, "unseen_values") == 2 && number(j, "accuracy") == 0.5);
    assert_int_equal(hsp_report_flag(j, "labelled"), 1);
    assert_string_equal(hsp_report_text(j, "output"), out_path);
    assert_true(hsp_report_kind(hsp_report_member(j, "seconds"), "read") == HSP_REPORT_NUMBER);
    assert_true(hsp_report_kind(j, "assumed") == HSP_REPORT_TEXT);
    hsp_report_free(j);
    write_input("3 1:2\n+1 2:1\n"); /* a class that the model does not know: predicted, but not evaluated */
    j = predict(m, NULL, "prediction\n1\n-1\n");
    assert_true(hsp_report_kind(j, "accuracy") == HSP_REPORT_NULL);
    hsp_report_free(j);
    j = predict(m, (const char *const[]){"map-label", "3=1,1=-1", NULL}, "prediction\n1\n-1\n");
    assert_true(number(j, "accuracy") == 1);
    hsp_report_free(j);
    write_input("1 0:2 1:5\n");
    j = predict(m, (const char *const[]){"base", "0", "format", "svmlight", NULL}, "prediction\n-1\n");
    hsp_report_free(j);
    hsp_model_free(m);
}

static void test_unlabelled(void **state) {
    (void)state;
    hsp_model *m = sparse_model();
    write_input("1:2 2:1\n2:0.5\n");
    hsp_report *j = predict(m, (const char *const[]){"format", "svmlight", NULL}, "prediction\n1\n-1\n");
    assert_int_equal(hsp_report_flag(j, "labelled"), 0);
    assert_true(hsp_report_kind(j, "accuracy") == HSP_REPORT_NULL);
    hsp_report_free(j);
    hsp_model_free(m);
    static const char *const classes[] = {"big", "small"};
    m = csv_model(classes, 2);
    write_input("height,width\n1,3\n3,1\n"); /* no target, and another order */
    j = predict(m, (const char *const[]){"format", "csv", NULL}, "prediction\nsmall\nbig\n");
    assert_int_equal(hsp_report_flag(j, "labelled"), 0);
    hsp_report_free(j);
    hsp_model_free(m);
}

static void test_classes_quoted(void **state) {
    (void)state;
    static const char *const classes[] = {"a,b", "c", "say \"x\""};
    hsp_model *m = csv_model(classes, 3);
    write_input("width,kind,height\n1,c,2\n-1,\"a,b\",0\n");
    hsp_report *j = predict(m, (const char *const[]){"scores", "yes", NULL},
                            "prediction,\"score:a,b\",score:c,\"score:say \"\"x\"\"\"\n"
                            "\"say \"\"x\"\"\",-1,0,1\n\"a,b\",-1,-2,-3\n");
    assert_true(number(j, "accuracy") == 0.5);
    hsp_report_free(j);
    hsp_model_free(m);
}

/* More rows than one block holds, in order, and the same as scoring them one by one. */
static void test_many_rows(void **state) {
    (void)state;
    hsp_model *m = sparse_model();
    hsp_text t = {0}, expected = {0};
    hsp_text_add(&expected, "prediction\n");
    int64_t right = 0;
    for (int i = 0; i < 10000; i++) {
        hsp_text_format(&t, "%d 1:%d 2:%d\n", i % 3 ? 1 : -1, i % 7 + 1, i % 5 + 1);
        bool positive = i % 7 > i % 5;
        hsp_text_add(&expected, positive ? "1\n" : "-1\n");
        right += positive == (i % 3 != 0);
    }
    write_input(t.s);
    hsp_report *j = predict(m, NULL, expected.s);
    assert_true(number(j, "rows") == 10000 && number(j, "accuracy") == (double)right / 10000);
    hsp_report_free(j);
    hsp_text_free(&t);
    hsp_text_free(&expected);
    hsp_model_free(m);
}

static void test_probabilities(void **state) {
    (void)state;
    static const char *const classes[] = {"a,b", "c", "d"}, *const two[] = {"big", "small"};
    hsp_model *m = csv_model(classes, 3);
    m->link = HSP_LINK_SOFTMAX;
    for (int i = 0; i < 6; i++) m->w[i] = 0;
    write_input("width,kind,height\n1,c,2\n");
    hsp_report *j =
        predict(m, (const char *const[]){"proba", "yes", NULL},
                "prediction,\"p:a,b\",p:c,p:d\n\"a,b\",0.3333333333333333,0.3333333333333333,0.3333333333333333\n");
    hsp_report_free(j);
    hsp_model_free(m);
    m = csv_model(two, 2);
    m->link = HSP_LINK_LOGISTIC;
    m->prepare.positive = 0;
    write_input("width,kind,height\n2,big,2\n1000,small,0\n0,small,1000\n");
    j = predict(m, (const char *const[]){"proba", "yes", "scores", "yes", NULL},
                "prediction,score,p:big,p:small\nsmall,0,0.5,0.5\nbig,1000,1,0\nsmall,-1000,0,1\n");
    assert_true(fabs(number(j, "accuracy") - 1.0 / 3) < 1e-15 && hsp_report_kind(j, "rmse") == HSP_REPORT_NULL);
    hsp_report_free(j);
    m->link = HSP_LINK_NONE;
    refuse(m, (const char *const[]){"proba", "yes", NULL}, HSP_EUSAGE,
           "(by-hand) has no probabilities: train with --calibrate");
    refuse(m, (const char *const[]){"project", "yes", NULL}, HSP_EUSAGE, "no discriminant directions: train with fisher");
    hsp_model_free(m);
}

static void test_projections(void **state) {
    (void)state;
    static const char *const classes[] = {"big", "small"};
    hsp_model *m = csv_model(classes, 2);
    hsp_error *err = NULL;
    double *directions = handmade_numbers(2, 2), *offsets = handmade_numbers(2, 1);
    directions[0] = 1, directions[1] = 10, directions[2] = 100, directions[3] = 0, offsets[0] = 0.5, offsets[1] = 0;
    handmade_ok(hsp_model_add_extra(m, "directions", 2, 2, directions, &err), err);
    handmade_ok(hsp_model_add_extra(m, "direction-offsets", 2, 1, offsets, &err), err);
    write_input("width,kind,height\n1,big,2\n-1,small,0\n");
    hsp_report *j =
        predict(m, (const char *const[]){"project", "yes", NULL}, "prediction,z1,z2\nbig,21.5,100\nbig,-0.5,-100\n");
    hsp_report_free(j);
    m->link = HSP_LINK_LOGISTIC;
    j = predict(m, (const char *const[]){"project", "yes", "proba", "yes", "scores", "yes", NULL},
                "prediction,score,p:big,p:small,z1,z2\n"
                "big,-1,0.7310585786300049,0.2689414213699951,21.5,100\n"
                "big,-1,0.7310585786300049,0.2689414213699951,-0.5,-100\n");
    hsp_report_free(j);
    hsp_model_free(m);
}

static void test_numbers(void **state) {
    (void)state;
    static const char *const names[] = {"width", "height"};
    hsp_model *m = handmade_regression(2, names, "none");
    m->w[0] = 2, m->w[1] = 0.5, m->b[0] = -1;
    hsp_schema *s = &m->prepare.schema;
    hsp_free(s->format);
    s->format = hsp_strdup("csv");
    s->header = true, s->delimiter = ',', s->file_columns = 3, s->target_column = 2, s->target = hsp_strdup("price");
    s->column = hsp_alloc(2, sizeof *s->column);
    s->column[0] = 1, s->column[1] = 3;
    write_input("width,price,height\n1,3,2\n0,0,0\n1e300,1e300,0\n");
    hsp_report *j = predict(m, (const char *const[]){"scores", "yes", NULL}, "prediction,score\n2,2\n-1,-1\n2e300,2e300\n");
    assert_true(fabs(number(j, "rmse") / (1e300 / sqrt(3)) - 1) < 1e-12);
    assert_true(hsp_report_kind(j, "accuracy") == HSP_REPORT_NULL);
    hsp_report_free(j);
    write_input("width,price,height\n1,3,2\n0,0,0\n");
    j = predict(m, NULL, "prediction\n2\n-1\n");
    assert_true(number(j, "rmse") == 1);
    hsp_report_free(j);
    write_input("height,width\n2,1\n"); /* no labels: nothing to evaluate */
    j = predict(m, NULL, "prediction\n2\n");
    assert_true(hsp_report_kind(j, "rmse") == HSP_REPORT_NULL && hsp_report_flag(j, "labelled") == 0);
    hsp_report_free(j);
    refuse(m, (const char *const[]){"proba", "yes", NULL}, HSP_EUSAGE, "no probabilities");
    hsp_model_free(m);
}

static void test_unusable(void **state) {
    (void)state;
    hsp_model *m = sparse_model();
    write_input("");
    refuse(m, NULL, HSP_EINPUT, "empty");
    write_input("# nothing but this\n");
    refuse(m, (const char *const[]){"format", "svmlight", NULL}, HSP_EINPUT, "no rows");
    write_input("1 1:2\n1 1:x\n");
    refuse(m, NULL, HSP_EINPUT, ":2:");
    write_input("1 1:2\n1 1:nan\n");
    refuse(m, NULL, HSP_EINPUT, ":2:");
    write_input("1 0:2 1:3\n");
    refuse(m, NULL, HSP_EINPUT, "base");
    write_input("1 1:2\n");
    refuse(m, (const char *const[]){"map-label", "nonsense", NULL}, HSP_EUSAGE, "--map-label");
    unlink(in_path);
    refuse(m, NULL, HSP_EINPUT, in_path);
    hsp_model_free(m);
    static const char *const classes[] = {"big", "small"};
    m = csv_model(classes, 2);
    write_input("length,kind\n1,big\n");
    refuse(m, (const char *const[]){"format", "csv", NULL}, HSP_EINPUT, "");
    hsp_model_free(m);
}

static void test_cancelled(void **state) {
    (void)state;
    hsp_model *m = sparse_model();
    write_input("1 1:2\n");
    hsp_cancel();
    refuse(m, NULL, HSP_ECANCELLED, "interrupted");
    hsp_model_free(m);
}

static void test_read_for(void **state) {
    (void)state;
    hsp_model *m = sparse_model();
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    write_input("1 1:2\n-1 1:1\n"); /* fewer features than the model, and more */
    int status = hsp_data_read_for(m, in_path, NULL, NULL, &data, &err);
    handmade_ok(status, err);
    assert_int_equal(hsp_data_classes(data), 2);
    hsp_report *report = NULL;
    status = hsp_evaluate(m, data, NULL, NULL, &report, &err);
    handmade_ok(status, err);
    hsp_report_free(report);
    hsp_data_free(data);
    write_input("1 1:2 9:1\n-1 1:1 2:5\n");
    status = hsp_data_read_for(m, in_path, NULL, NULL, &data, &err);
    handmade_ok(status, err);
    status = hsp_evaluate(m, data, NULL, NULL, &report, &err);
    handmade_ok(status, err);
    assert_true(number(report, "accuracy") == 1 && number(report, "unseen_values") == 1);
    hsp_report_free(report);
    hsp_data_free(data);
    write_input("3 1:2\n");
    status = hsp_data_read_for(m, in_path, NULL, NULL, &data, &err);
    handmade_fails(status, HSP_EINPUT, &err, "3");
    assert_null(data);
    hsp_model_free(m);
}

/* With and without the same columns and labels. */
static void test_reads_alike(void **state) {
    (void)state;
    static const char *const classes[] = {"a", "b", "c"}, *const names[] = {"u", "v"}, *const turned[] = {"v", "u"};
    hsp_model *m = handmade_model(2, classes, 2, names, "none");
    hsp_model *other[] = {handmade_model(2, classes, 2, names, "standard"), handmade_model(2, classes, 2, turned, "none"),
                          handmade_model(2, classes, 2, NULL, "none"), handmade_model(2, classes, 3, names, "none"),
                          handmade_model(2, classes + 1, 2, names, "none")};
    assert_true(hsp_model_reads_alike(m, m));
    for (int i = 0; i < 5; i++) {
        assert_true(hsp_model_reads_alike(m, other[i]) == (i == 0) && hsp_model_reads_alike(other[i], m) == (i == 0));
        hsp_model_free(other[i]);
    }
    hsp_model_free(m);
}

static void test_memory(void **state) {
    (void)state;
    static const char *const classes[] = {"a", "b", "c"};
    hsp_model *m = csv_model(classes, 3);
    write_input("width,kind,height\n1,c,2\n-1,a,0\n");
    hsp_options *o = options((const char *const[]){"scores", "yes", NULL});
    for (int64_t k = 0;; k++) {
        hsp_report *report = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_predict(m, in_path, out_path, o, NULL, &report, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        bool written = read_output() != NULL;
        assert_true(written == (status == 0) && written == (report != NULL));
        hsp_report_free(report);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 1000);
    }
    hsp_options_free(o);
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_svmlight),      cmocka_unit_test(test_unlabelled),  cmocka_unit_test(test_classes_quoted),
        cmocka_unit_test(test_probabilities), cmocka_unit_test(test_projections), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_many_rows),     cmocka_unit_test(test_unusable),    cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_read_for),      cmocka_unit_test(test_reads_alike), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(t, make_folder, drop_folder);
}
