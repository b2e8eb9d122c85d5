/* Models that were written by the first version load for ever, with the same scores to the last bit.
 *
 * `test_golden_model --write FOLDER` writes them anew; do so only for a new version of the format, into new files. */
#include "handmade.h"

#include "model/golden_path.h"

#include <stdio.h>

/* Two classes of a CSV file with a header, scaled. */
static hsp_model *make_csv(void) {
    static const char *const classes[] = {"no", "yes"}, *const names[] = {"height", "width \"cm\"", "caf\xc3\xa9"};
    hsp_model *m = handmade_model(3, classes, 2, names, "standard");
    hsp_schema *s = &m->prepare.schema;
    hsp_free(s->format);
    s->format = hsp_strdup("csv");
    s->header = true, s->delimiter = ';', s->file_columns = 5, s->target_column = 2, s->target = hsp_strdup("ill");
    s->column = hsp_alloc(3, sizeof *s->column);
    s->column[0] = 1, s->column[1] = 3, s->column[2] = 5;
    m->prepare.positive = 0;
    return m;
}

/* Three classes of an svmlight file, not scaled, without a certificate. */
static hsp_model *make_svmlight(void) {
    static const char *const classes[] = {"-1", "0.5", "10"};
    hsp_model *m = handmade_model(2, classes, 3, NULL, "none");
    hsp_free(m->prepare.schema.format);
    m->prepare.schema.format = hsp_strdup("svmlight");
    m->prepare.schema.base = 1;
    m->certificate = (hsp_certificate){NAN, NAN, NAN, NAN};
    return m;
}

static int write_models(const char *into) {
    char path[4096];
    setenv("SOURCE_DATE_EPOCH", "1767225600", 1);
    hsp_model *(*const make[])(void) = {make_csv, make_svmlight};
    const char *const name[] = {"model-1-csv.hsm", "model-1-svmlight.hsm"};
    for (int i = 0; i < 2; i++) {
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
    assert_string_equal(m->when, "2026-01-01T00:00:00Z");
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

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_models(argv[2]);
    const struct CMUnitTest t[] = {cmocka_unit_test(test_csv), cmocka_unit_test(test_svmlight)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
