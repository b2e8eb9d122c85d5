/* The column of weights: found, read, written, and left out of the features for a model. */
#include "../csv_schema.h"
#include "own_folder.h"
#include "read_from.h"

#include "base/file.h"
#include "write/writer.h"

#include <stdlib.h>
#include <unistd.h>

#define F "t.csv"
#define S "t.svm"

/* Reads, compares rows, weights ("-": none) and what was assumed, frees. */
static void check(const char *name, const char *text, const char *spec, const hsp_schema *known, const char *rows,
                  const char *weights, const char *assumed) {
    hsp_data *data = read_good_known(name, text, strlen(text), spec, known);
    assert_rows(data, rows);
    hsp_text t = {0};
    for (int64_t i = 0; data->weight && i < data->x.n; i++) {
        if (i > 0) hsp_text_char(&t, ' ');
        hsp_text_number(&t, data->weight[i]);
    }
    assert_string_equal(t.s ? t.s : "-", weights);
    if (assumed) assert_string_equal(data->assumed, assumed);
    hsp_text_free(&t);
    hsp_data_free(data);
}

static void csv_good(void **state) {
    (void)state;
    const char *text = "a,w,b,label\n1,0.5,2,x\n3,0,4,y\n5,2,6,x\n";
    check(F, text, "weight=w", NULL, "x: 1 2 | y: 3 4 | x: 5 6", "0.5 0 2",
          "csv, comma, header, target 'label' (by name), weights 'w', 2 features, 3 rows");
    check(F, text, "weight=2", NULL, "x: 1 2 | y: 3 4 | x: 5 6", "0.5 0 2", NULL);
    check(F, text, NULL, NULL, "x: 1 0.5 2 | y: 3 0 4 | x: 5 2 6", "-", NULL);
    check(F, text, "weight=w ignore=a", NULL, "x: 2 | y: 4 | x: 6", "0.5 0 2", NULL);
    check(F, "1,0.5,x\n3,\"1e300\",y\n", "weight=2 header=no", NULL, "x: 1 | y: 3", "0.5 1e300",
          "csv, comma, no header, target column 3 (the last), weights in column 2, 1 feature, 2 rows");
    /* The last column holds weights: the target is the one before. */
    check(F, "a,b,w\n1,x,2\n2,y,3\n", "weight=w", NULL, "x: 1 | y: 2", "2 3", NULL);
    /* A weight may have a common name of a target. */
    check(F, "a,y,kind\n1,2,p\n2,+3,q\n", "weight=y", NULL, "p: 1 | q: 2", "2 3", NULL);
    check(F, "a,w,label\n1, -0 ,x\n2,1,y\n", "weight=w", NULL, "x: 1 | y: 2", "-0 1", NULL);
    hsp_data *data = read_good(F, text, "weight=w");
    assert_int_equal(data->schema.weight_column, 2);
    assert_string_equal(data->schema.weight, "w");
    assert_int_equal(data->schema.column[1], 3);
    hsp_data_free(data);
}

static void csv_bad(void **state) {
    (void)state;
    const broken bad[] = {
        {"a,w,y\n1,-1,x\n", "weight=w", "t.csv:2:3: column 'w' holds the negative weight -1: give weights of at least 0", 0,
         0},
        {"a,w,y\n1,,x\n", "weight=w", "t.csv:2:3: the weight is missing in column 'w': fill it in or remove the row", 0, 0},
        {"a,w,y\n1,NaN,x\n", "weight=w", "t.csv:2:3: the weight is missing in column 'w': fill it in or remove the row", 0,
         0},
        {"a,w,y\n1,1,x\n1,inf,x\n", "weight=w",
         "t.csv:3:3: column 'w' holds 'inf', which is not a weight: give finite weights of at least 0", 0, 0},
        {"a,w,y\n1,1e999,x\n", "weight=w",
         "t.csv:2:3: column 'w' holds '1e999', which is not a weight: give finite weights of at least 0", 0, 0},
        {"a,w,y\n1,\"much\",x\n", "weight=w",
         "t.csv:2:3: column 'w' holds 'much', which is not a weight: give finite weights of at least 0", 0, 0},
        {"1,1,x\n2,q,x\n", "weight=2 header=no",
         "t.csv:2:3: column 2 holds 'q', which is not a weight: give finite weights of at least 0", 0, 0},
        {"a,w,y\n1,0,x\n2,0,y\n", "weight=w", "t.csv: all rows have weight 0: give at least one row a positive weight", 0,
         0},
        {"a,w,y\n1,1\n", "weight=w", "t.csv:2:4: row has 2 cells, expected 3 as in line 1: check the delimiters and quotes",
         0, 0},
        {"a,w,y\n1,bad,x,y\n", "weight=w",
         "t.csv:2:9: row has 4 cells, expected 3 as in line 1: check the delimiters and quotes", 0, 0},
        {"a,w,y\n1,1,x\n", "weight=z", "--weight: t.csv has no column 'z': choose from a, w, y", 0, HSP_EUSAGE},
        {"a,w,y\n1,1,x\n", "weight=4", "--weight: t.csv has no column '4': choose from a, w, y", 0, HSP_EUSAGE},
        {"a,w,y\n1,1,x\n", "weight=0", "--weight: t.csv has no column '0': choose from a, w, y", 0, HSP_EUSAGE},
        {"1,1,x\n", "weight=w header=no", "--weight: t.csv has no column 'w' and no header: give a number from 1 to 3", 0,
         HSP_EUSAGE},
        {"a,w,y\n1,1,x\n", "weight=y target=y", "column 'y' is both --weight and --target: name it in one of them", 0,
         HSP_EUSAGE},
        {"a,w,y\n1,1,x\n", "weight=w ignore=2", "column 'w' is both --weight and --ignore: name it in one of them", 0,
         HSP_EUSAGE},
        {"w,y\n1,x\n", "weight=w", "t.csv:1:1: no column is left as a feature: ignore fewer columns", 0, 0},
    };
    read_all_bad(F, bad, sizeof bad / sizeof *bad);
}

static void svmlight_good(void **state) {
    (void)state;
    const char *text = "x 1:1 2:0.5 3:9\ny 2:0 1:3\nx 2:4\n";
    check(S, text, "weight=2", NULL, "x: 1 0 9 | y: 3 0 0 | x: 0 0 0", "0.5 0 4",
          "svmlight, base 1 (smallest id 1), weights in feature 2, 3 features, 3 rows");
    /* The greatest id, the smallest one, and one below the base. */
    check(S, "x 1:1 9:2\ny 9:3\n", "weight=9", NULL, "x: 1 | y: 0", "2 3", NULL);
    check(S, "x 1:7 2:2\ny 1:8 3:3\n", "weight=1", NULL, "x: 0 2 0 | y: 0 0 3", "7 8", NULL);
    check(S, "x 0:7 1:2\ny 0:8 2:3\n", "weight=0", NULL, "x: 2 0 | y: 0 3", "7 8",
          "svmlight, base 1 (smallest id 1), weights in feature 0, 2 features, 2 rows");
    check(S, "1:1 2:5\n1:2 2:6\n", "weight=2", NULL, "-: 1 | -: 2", "5 6", NULL);
    hsp_data *data = read_good(S, text, "weight=2");
    assert_int_equal(data->schema.weight_column, 3);
    assert_null(data->schema.weight);
    hsp_data_free(data);
}

static void svmlight_bad(void **state) {
    (void)state;
    const broken bad[] = {
        {"x 1:1 2:1\ny 1:2\n", "weight=2",
         "t.svm:2:1: the row has no weight (feature 2): give it in every row, even if it is 0", 0, 0},
        {"x 1:1 2:-0.5\n", "weight=2", "t.svm:1:9: the weight -0.5, feature 2, is negative: give weights of at least 0", 0,
         0},
        {"x 2:1 1:1 2:1\n", "weight=2", "t.svm:1:11: the weight, feature 2, is given more than once: give it once", 0, 0},
        {"x 1:1 2:nan\n", "weight=2", "t.svm:1:9: value 'nan' is not a finite number: give a number or leave the entry out",
         0, 0},
        {"x 1:1 2:0\ny 2:0\n", "weight=2", "t.svm: all rows have weight 0: give at least one row a positive weight", 0, 0},
        {"x 2:1\ny 2:2\n", "weight=2",
         "t.svm:1:1: no row has a feature: write rows as `label id:value id:value ...`, or use --format csv", 0, 0},
        {"x 1:1 2:1\n", "weight=w", "--weight: t.svm has no feature 'w': give the number of a feature, from 0 or 1", 0,
         HSP_EUSAGE},
        {"x 1:1 2:1\n", "weight=-1", "--weight: t.svm has no feature '-1': give the number of a feature, from 0 or 1", 0,
         HSP_EUSAGE},
        {"x 1:1 2:1\n", "weight=99999999999",
         "--weight: t.svm has no feature '99999999999': give the number of a feature, from 0 or 1", 0, HSP_EUSAGE},
    };
    read_all_bad(S, bad, sizeof bad / sizeof *bad);
}

/* ---- for a model ---- */

/* a,w,b,label with names; the same without; the target first and the weights last. */
static int64_t columns[] = {1, 3}, middle[] = {2, 3};
static const hsp_schema named = CSV_SCHEMA(4, "label", .column = columns, .weight_column = 2, .weight = "w");
static const hsp_schema bare = {.format = "csv",
                                .d = 2,
                                .delimiter = ',',
                                .file_columns = 4,
                                .target_column = 4,
                                .weight_column = 2,
                                .column = columns};
static const hsp_schema ends = {
    .format = "csv", .d = 2, .delimiter = ',', .file_columns = 4, .target_column = 1, .weight_column = 4, .column = middle};
static const hsp_schema sparse = {.format = "svmlight", .d = 3, .base = 1, .weight_column = 3};

static void by_name(void **state) {
    (void)state;
    const char *rows = "x: 1 2 | y: 3 4";
    check(F, "a,w,b,label\n1,7,2,x\n3,8,4,y\n", NULL, &named, rows, "-",
          "csv, comma, header, columns matched by name, target 'label' (by name), 2 features, 2 rows");
    check(F, "a,w,b,label\n1,,2,x\n3,rubbish,4,y\n", NULL, &named, rows, "-", NULL);
    check(F, "b,a,label\n2,1,x\n4,3,y\n", NULL, &named, rows, "-", NULL);
    check(F, "w,b,a\n7,2,1\n7,4,3\n", NULL, &named, "-: 1 2 | -: 3 4", "-", NULL);
    check(F, "a,w,b,label\n1,7,2,x\n3,8,4,y\n", "weight=w", &named, rows, "7 8",
          "csv, comma, header, columns matched by name, target 'label' (by name), weights 'w', 2 features, 2 rows");
    /* By another column; the old one is not a feature either. */
    check(F, "a,w,b,label,v\n1,7,2,x,5\n3,8,4,y,6\n", "weight=v", &named, rows, "5 6",
          "csv, comma, header, columns matched by name, target 'label' (by name), weights 'v', 2 features, 2 rows");
    read_bad_known(F, "a,b,label\n1,2,x\n", 16, "weight=w", &named, HSP_EUSAGE,
                   "--weight: t.csv has no column 'w': choose from a, b, label");
    read_bad_known(F, "a,b,label\n1,2,x\n", 16, "weight=a", &named, HSP_EUSAGE,
                   "--weight: column 'a' is a feature of the model: choose another column");
    read_bad_known(F, "a,w,label\n1,2,x\n", 16, NULL, &named, HSP_EINPUT,
                   "t.csv:1:1: column 'b', which the model needs, is missing: add it");
    read_bad_known(F, "a,w,b,label\n1,-2,3,x\n", 21, "weight=w", &named, HSP_EINPUT,
                   "t.csv:2:3: column 'w' holds the negative weight -2: give weights of at least 0");
}

static void by_position(void **state) {
    (void)state;
    const char *rows = "x: 1 2 | y: 3 4", *unlabelled = "-: 1 2 | -: 3 4";
    /* Both columns, or neither; with one of them the option must say which. */
    check(F, "1,7,2,x\n3,8,4,y\n", NULL, &bare, rows, "-", NULL);
    check(F, "1,2\n3,4\n", NULL, &bare, unlabelled, "-", NULL);
    check(F, "1,2,x\n3,4,y\n", "target=3", &bare, rows, "-", NULL);
    check(F, "1,7,2\n3,8,4\n", "weight=2", &bare, unlabelled, "7 8", NULL);
    check(F, "1,7,2\n3,8,4\n", "ignore=2", &bare, unlabelled, "-", NULL);
    check(F, "1,7,2,x\n3,8,4,y\n", "weight=2", &bare, rows, "7 8", NULL);
    check(F, "1,7,2,x\n3,8,4,y\n", "target=4", &bare, rows, "-", NULL);
    check(F, "1,7,2,x\n3,8,4,y\n", "target=4 weight=2", &bare, rows, "7 8", NULL);
    check(F, "9,1,7,2,x\n9,3,8,4,y\n", "ignore=1", &bare, rows, "-", NULL);
    check(F, "x,1,2,7\ny,3,4,8\n", NULL, &ends, rows, "-", NULL);
    check(F, "x,1,2,7\ny,3,4,8\n", "weight=4", &ends, rows, "7 8", NULL);
    check(F, "1,2\n3,4\n", NULL, &ends, unlabelled, "-", NULL);
    check(F, "1,2,7\n3,4,8\n", "weight=3", &ends, unlabelled, "7 8", NULL);
    check(F, "x,1,2\ny,3,4\n", "target=1", &ends, rows, "-", NULL);
    const char *either = "t.csv:1:1: one column is missing, the target or the weights: name the one that is present with "
                         "--target or --weight";
    read_bad_known(F, "1,2,x\n", 6, NULL, &bare, HSP_EINPUT, either);
    read_bad_known(F, "1,2,7\n", 6, NULL, &ends, HSP_EINPUT, either);
    read_bad_known(F, "9,1,2,x\n", 8, "ignore=1", &bare, HSP_EINPUT, either);
    read_bad_known(F, "1\n", 2, NULL, &bare, HSP_EINPUT,
                   "t.csv:1:1: the file has 1 columns, but the training file had 4, of which 2 are features: give the same "
                   "columns, or use --target and --ignore");
    read_bad_known(F, "1,2,3,4,5\n", 10, NULL, &bare, HSP_EINPUT,
                   "t.csv:1:1: the file has 5 columns, but the training file had 4, of which 2 are features: give the same "
                   "columns, or use --target and --ignore");
}

static void other_formats(void **state) {
    (void)state;
    const char *rows = "x: 1 0 3 | y: 4 0 6";
    check(S, "x 1:1 2:7 3:3\ny 1:4 3:6\n", NULL, &sparse, rows, "-",
          "svmlight, base 1 (as in the model), 3 features, 2 rows");
    check(S, "x 1:1 2:7 3:3\ny 1:4 2:0 3:6\n", "weight=2", &sparse, rows, "7 0", NULL);
    /* Columns for ids: the one that held weights is not used. */
    check(F, "1,7,3,x\n4,8,6,y\n", "header=no", &sparse, rows, "-", NULL);
    check(S, "x 1:1 2:2 3:7\ny 1:3 2:4 3:8\n", "weight=3", &named, "x: 1 2 | y: 3 4", "7 8", NULL);
    read_bad_known(S, "x 1:1 3:3\n", 10, "weight=2", &sparse, HSP_EINPUT,
                   "t.svm:1:1: the row has no weight (feature 2): give it in every row, even if it is 0");
}

/* ---- writing ---- */

static void check_written(const char *text, const char *spec, const char *expected) {
    hsp_data *data = read_good(F, text, spec), *back = NULL;
    hsp_error *err = NULL;
    const char *path = in_folder("out.csv");
    if (hsp_data_write(data, path, NULL, &err) != 0) fail_msg("%s", hsp_error_message(err));
    char got[512] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    got[n] = '\0';
    fclose(f);
    assert_string_equal(got, expected);
    hsp_options *o = options_of(spec);
    if (hsp_data_read(path, o, NULL, &back, &err) != 0) fail_msg("%s", hsp_error_message(err));
    assert_true(hsp_data_hash(back) == hsp_data_hash(data));
    hsp_options_free(o);
    unlink(path);
    hsp_data_free(back);
    hsp_data_free(data);
}

static void written(void **state) {
    (void)state;
    const char *const same[] = {
        "a,w,b,label\n1,0.5,2,x\n3,0,4,y\n", "w,a,b,label\n0.5,1,2,x\n0,3,4,y\n", "a,b,w,label\n1,2,0.5,x\n3,4,0,y\n",
        "a,b,label,w\n1,2,x,0.5\n3,4,y,0\n", "label,w,a\nx,0.5,1\ny,0,2\n",       "w,label,a\n0.5,x,1\n0,y,2\n",
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) check_written(same[i], "weight=w", same[i]);
    check_written("1,0.5,x\n3,1,y\n", "weight=2 header=no", "1,0.5,x\n3,1,y\n");
    check_written("x,1,0.5\ny,3,1\n", "weight=3 target=1 header=no", "x,1,0.5\ny,3,1\n");
}

/* Weights without a column of their own get one before the label. */
static void written_from_memory(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4}, w[] = {0.25, 3};
    const char *const labels[] = {"p", "q"}, *const names[] = {"a", "weight"},
                      *const taken[] = {"weight", "row_weight", "sample_weight"};
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    for (int named_ones = 0; named_ones < 2; named_ones++) {
        assert_int_equal(hsp_data_from_dense(x, 2, 2, 2, labels, named_ones ? names : NULL, &data, NULL), 0);
        assert_int_equal(hsp_data_set_weights(data, w, NULL), 0);
        assert_int_equal(hsp_data_write(data, in_folder("m.csv"), NULL, NULL), 0);
        char got[128] = "";
        FILE *f = fopen(in_folder("m.csv"), "r");
        got[fread(got, 1, sizeof got - 1, f)] = '\0';
        fclose(f);
        assert_string_equal(got, named_ones ? "a,weight,row_weight,label\n1,2,0.25,p\n3,4,3,q\n"
                                            : "x1,x2,weight,label\n1,2,0.25,p\n3,4,3,q\n");
        unlink(in_folder("m.csv"));
        assert_int_equal(hsp_data_write(data, in_folder("m.svm"), NULL, &err), HSP_EUSAGE);
        assert_non_null(strstr(hsp_error_message(err), "svmlight cannot hold row weights: write CSV"));
        assert_int_not_equal(access(in_folder("m.svm"), F_OK), 0);
        hsp_error_free(err);
        err = NULL;
        hsp_data_free(data);
    }
    assert_int_equal(hsp_data_from_dense((const double[]){1, 2, 3}, 1, 3, 3, labels, taken, &data, NULL), 0);
    assert_int_equal(hsp_data_set_weights(data, w, NULL), 0);
    assert_int_equal(hsp_data_write(data, in_folder("m.csv"), NULL, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "no name is left for the weights"));
    hsp_error_free(err);
    hsp_data_free(data);
}

/* ---- memory ---- */

static void memory_runs_out(void **state) {
    (void)state;
    const struct {
        const char *name, *text, *spec;
    } good[] = {{F, "a,w,b,label\n1,7,2,x\n3,8,4,y\n", "weight=w"}, {S, "x 1:1 2:7 3:3\ny 1:4 2:1\n", "weight=2"}};
    for (int i = 0; i < 2; i++) {
        hsp_options *o = options_of(good[i].spec);
        for (int64_t allowed = 0;; allowed++) {
            hsp_data *data;
            hsp_error *err = NULL;
            hsp_memory_fail_after(allowed);
            int status = read_chunked(good[i].name, good[i].text, strlen(good[i].text), 64, o, NULL, &data, &err);
            hsp_memory_fail_after(-1);
            hsp_data_free(data);
            hsp_error_free(err);
            if (status == 0) break;
            assert_int_equal(status, HSP_EMEMORY);
            assert_true(allowed < 1000);
        }
        hsp_options_free(o);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(csv_good),        cmocka_unit_test(csv_bad), cmocka_unit_test(svmlight_good),
        cmocka_unit_test(svmlight_bad),    cmocka_unit_test(by_name), cmocka_unit_test(by_position),
        cmocka_unit_test(other_formats),   cmocka_unit_test(written), cmocka_unit_test(written_from_memory),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, make_folder, remove_folder);
}
