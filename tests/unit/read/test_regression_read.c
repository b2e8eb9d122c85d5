/* Rows with a number to predict, read by option or for a model, and written. */
#include "../csv_schema.h"
#include "read_from.h"

#include <unistd.h>

#define F "t.csv"
#define S "t.svm"
#define R "task=regression"

static void check(const char *name, const char *text, const char *spec, const hsp_schema *known, const char *targets) {
    hsp_data *data = read_good_known(name, text, strlen(text), spec, known);
    hsp_text t = {0};
    assert_null(data->y);
    assert_int_equal(data->classes.count, 0);
    for (int64_t i = 0; data->target && i < data->x.n; i++) {
        if (i > 0) hsp_text_char(&t, ' ');
        hsp_text_number(&t, data->target[i]);
    }
    assert_string_equal(t.s ? t.s : "-", targets);
    hsp_text_free(&t);
    hsp_data_free(data);
}

static int64_t columns[] = {1, 2};
static const hsp_schema known = CSV_SCHEMA(3, "y", .column = columns);

static void good(void **state) {
    (void)state;
    check(F, "a,b,y\n1,2,0.5\n3,4,-1e300\n", R, NULL, "0.5 -1e300");
    check(F, "a,y,b\n1,\" 7 \",2\n1,+8,2\n", R, NULL, "7 8");
    check(F, "1;2;3\n4;5;6\n", R " target=1", NULL, "1 4");
    check(F, "a,w,y\n1,2,0.5\n3,1,9\n", R " weight=w", NULL, "0.5 9");
    check(S, "0.5 1:1\n-2 2:1\n", R, NULL, "0.5 -2");
    check(S, "1:1\n2:1\n", R, NULL, "-");
    check(F, "a,b,y\n1,2,0.5\n", R, &known, "0.5");
    check(F, "b,a\n1,2\n", R, &known, "-");
    check(S, "0.25 1:1 2:2\n", R, &known, "0.25");
    hsp_data *data = read_good(F, "a,b,y\n1,2,0.5\n", R);
    assert_string_equal(data->assumed, "csv, comma, header, target 'y' (by name), 2 features, 1 row");
    hsp_data_free(data);
}

static void bad(void **state) {
    (void)state;
#define TEXT "is not a number, which regression needs: name another column with --target, or use --task classification"
    const broken csv[] = {
        {"a,y\n1,2\n1,high\n", R, "t.csv:3:3: the target 'high' " TEXT, 0, 0},
        {"a,y\n1,2\n1,\n", R,
         "t.csv:3:3: the label is missing in column 'y': fill it in, remove the row, or use --missing drop", 0, 0},
        {"a,y\n1,NA\n", R,
         "t.csv:2:3: the label is missing in column 'y', which holds 'NA': fill it in, remove the row, or use --missing "
         "drop",
         0, 0},
        {"a,y\n1,nan\n", R,
         "t.csv:2:3: the label is missing in column 'y', which holds 'nan': fill it in, remove the row, or use --missing "
         "drop",
         0, 0},
        {"a,y\n1,-inf\n", R, "t.csv:2:3: the target '-inf' is not finite: give a number or remove the row", 0, 0},
        {"a,y\n11, 1e999\n", R, "t.csv:2:5: the target 1e999 is too large for a double: scale the targets down", 0, 0},
        {"a;y\n1;2,5\n", R, "t.csv:2:3: the target '2,5' is not a plain number: use --decimal ,", 0, 0},
        {"y,a\n\"x\"\"y\",1\n", R, "t.csv:2:1: the target 'x\"y' " TEXT, 0, 0},
        {"a,y\n1,2\n", R " map-label=2=3", "--map-label is for classification, not for --task regression: leave it out", 0,
         HSP_EUSAGE},
    };
    read_all_bad(F, csv, sizeof csv / sizeof *csv);
    const broken svm[] = {
        {"1 1:1\n  yes 1:1\n", R,
         "t.svm:2:3: the target 'yes' is not a number, which regression needs: use --task classification", 0, 0},
        {"nan 1:1\n", R, "t.svm:1:1: the target is missing: fill it in or remove the row", 0, 0},
        {"inf 1:1\n", R, "t.svm:1:1: the target 'inf' is not finite: give a number or remove the row", 0, 0},
        {"1 1:1\n1:2\n", R, "t.svm:2:1: the row has no label, but the first row (line 1) has one: label all rows or none",
         0, 0},
    };
    read_all_bad(S, svm, sizeof svm / sizeof *svm);
    read_bad_known(F, "a,b,y\n1,2,x\n", 12, R, &known, HSP_EINPUT, "t.csv:2:5: the target 'x' " TEXT);
}

/* A label that spans lines: the message is still one line. */
static void one_line(void **state) {
    (void)state;
    const char *text = "y,a\n\"x\ny\",1\n";
    hsp_options *o = options_of(R " header=yes");
    hsp_data *data;
    hsp_error *err = NULL;
    assert_int_equal(read_chunked(F, text, strlen(text), 64, o, NULL, &data, &err), HSP_EINPUT);
    assert_null(strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
    hsp_options_free(o);
}

static int read_for(const char *spec, bool regression, const hsp_classes *classes, hsp_data **out, hsp_error **err) {
    const char *text = "a,b,y\n1,2,3\n4,5,6\n";
    hsp_stream *s;
    assert_int_equal(hsp_stream_open_memory(text, (int64_t)strlen(text), F, &s, NULL), 0);
    hsp_options *o = options_of(spec);
    int status = hsp_read_stream(s, o, NULL, &(hsp_read_for){.known = &known, .classes = classes, .regression = regression},
                                 out, err);
    hsp_options_free(o);
    hsp_stream_close(s);
    return status;
}

/* The model determines the task; --task may only agree. */
static void the_models_task(void **state) {
    (void)state;
    char *names[] = {"3", "6"};
    const hsp_classes classes = {2, names};
    hsp_data *data;
    hsp_error *err = NULL;
    assert_int_equal(read_for(NULL, true, NULL, &data, NULL), 0);
    assert_true(data->target && data->target[1] == 6);
    hsp_data_free(data);
    assert_int_equal(read_for(R, true, &classes, &data, NULL), 0); /* a regression has no classes */
    assert_true(data->target && data->classes.count == 0);
    hsp_data_free(data);
    assert_int_equal(read_for("task=classification", false, &classes, &data, NULL), 0);
    assert_true(!data->target && data->y[1] == 1);
    hsp_data_free(data);
    assert_int_equal(read_for(R, false, &classes, &data, &err), HSP_EUSAGE);
    assert_string_equal(hsp_error_message(err),
                        "--task regression, but the model was trained for classification: leave it out");
    hsp_error_free(err);
    err = NULL;
    assert_int_equal(read_for("task=classification", true, NULL, &data, &err), HSP_EUSAGE);
    assert_string_equal(hsp_error_message(err),
                        "--task classification, but the model was trained for regression: leave it out");
    hsp_error_free(err);
    assert_int_equal(read_for("map-label=3=4", true, NULL, &data, NULL), HSP_EUSAGE);
}

/* Written and read back, to the bit. */
static void round_trips(void **state) {
    (void)state;
    static const char *const endings[] = {"csv", "tsv", "svm", "csv.gz"};
    hsp_options *o = options_of(R);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        for (int k = 0; k < 2; k++) {
            hsp_data *data = k ? read_good(S, "0.1 1:1 3:2\n-1e-300 2:5\n7\n", R)
                               : read_good(F, "y,a,b\n0.1,1,2\n5e-324,0,0\n-1e300,3,4\n", R),
                     *back = NULL;
            char path[128];
            hsp_error *err = NULL;
            snprintf(path, sizeof path, "test_regression_read_%d.%s", (int)getpid(), endings[i]);
            if (hsp_data_write(data, path, NULL, &err) != 0) fail_msg("%s", hsp_error_message(err));
            if (hsp_data_read(path, o, NULL, &back, &err) != 0) fail_msg("%s", hsp_error_message(err));
            assert_true(hsp_data_hash(data) == hsp_data_hash(back));
            assert_memory_equal(data->target, back->target, 3 * sizeof *data->target);
            unlink(path);
            hsp_data_free(back);
            hsp_data_free(data);
        }
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(good),        cmocka_unit_test(bad), cmocka_unit_test(one_line), cmocka_unit_test(the_models_task),
        cmocka_unit_test(round_trips),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
