/* CSV and svmlight rows for a model that knows its columns. */
#include "../csv_schema.h"
#include "read_from.h"

#define F "new.csv"

static char *numbers[] = {"1", "2"};

/* a,b,label with an ignored column in front: columns 2, 3 and 4 of 4. */
static int64_t columns_ab[] = {2, 3};
static const hsp_schema named = CSV_SCHEMA(4, "label", .column = columns_ab);
/* The label first, no names: columns 2 and 3 of 3. */
static const hsp_schema bare = {
    .format = "csv", .d = 2, .delimiter = ',', .file_columns = 3, .target_column = 1, .column = columns_ab};
static const hsp_schema sparse = {.format = "svmlight", .d = 2, .base = 1};

static void good(const hsp_schema *known, const char *text, const char *spec, const char *rows, const char *assumed) {
    hsp_data *data = read_good_known(F, text, strlen(text), spec, known);
    assert_rows(data, rows);
    if (assumed) assert_string_equal(data->assumed, assumed);
    assert_int_equal(data->x.d, known->d);
    hsp_data_free(data);
}

static void bad(const hsp_schema *known, const char *text, const char *spec, const char *message) {
    read_bad_known(F, text, strlen(text), spec, known, HSP_EINPUT, message);
}

static void by_name(void **state) {
    (void)state;
    good(
        &named, "id,a,b,label\n9,1,2,x\n", NULL, "x: 1 2",
        "csv, comma, header, columns matched by name, target 'label' (by name), 2 features, 1 other column ignored, 1 row");
    good(&named, "label,b,a\nx,2,1\n", NULL, "x: 1 2", NULL);
    good(&named, "b,a\n2,1\n", NULL, "-: 1 2", "csv, comma, header, columns matched by name, no target, 2 features, 1 row");
    good(&named, "z,b,y,a,w\n0,2,0,1,0\n", NULL, "-: 1 2",
         "csv, comma, header, columns matched by name, no target, 2 features, 3 other columns ignored, 1 row");
    /* Names are names, whatever the row below. */
    good(&named, "b;a;label;city\n2;1;x;Paris\n", NULL, "x: 1 2", NULL);
    good(&named, "a,b,label,truth\n1,2,x,y\n", "target=truth", "y: 1 2", NULL);
    good(&named, "a,b,label\n1,2,x\n", "ignore=label", "-: 1 2", NULL);
    good(&named, "a,b,label\n1,2,x\n", "header=yes", "x: 1 2", NULL);
    hsp_data *data = read_good_known(F, "b,a\n2,1\n", 8, NULL, &named);
    assert_string_equal(hsp_data_feature_name(data, 0), "a");
    assert_int_equal(data->schema.column[0], 2);
    assert_int_equal(data->schema.column[1], 1);
    hsp_data_free(data);
}

static void by_position(void **state) {
    (void)state;
    good(&named, "9,1,2,x\n8,3,4,y\n", NULL, "x: 1 2 | y: 3 4",
         "csv, comma, no header, target column 4 (as in the model), 2 features, 2 rows");
    good(&named, "9,1,2\n", NULL, "-: 1 2", "csv, comma, no header, no target, 2 features, 1 row");
    good(&named, "1,2\n", NULL, "-: 1 2", NULL);
    good(&named, "x,1,2,9\n", "target=1 ignore=4", "x: 1 2", NULL);
    good(&named, "a,1,2,x\n", "header=no ignore=1", "x: 1 2", NULL);
    good(&bare, "x,1,2\n", NULL, "x: 1 2", NULL);
    good(&bare, "1,2\n", NULL, "-: 1 2", NULL);
    good(&bare, "p,q,r\nx,1,2\n", NULL, "x: 1 2", NULL); /* a header, though the model has none */
    good(&sparse, "1,2\n", NULL, "-: 1 2", NULL);
    good(&sparse, "1,2,x\n3,4,y\n", NULL, "x: 1 2 | y: 3 4", NULL);
    good(&sparse, "label,p,q\nx,1,2\n", NULL, "x: 1 2", NULL);
}

static void refused(void **state) {
    (void)state;
    bad(&named, "a,label\n1,x\n", NULL, F ":1:1: column 'b', which the model needs, is missing: add it");
    bad(&named, "p,q,label\n1,2,x\n", NULL, F ":1:1: columns 'a', 'b', which the model needs, are missing: add them");
    bad(&named, "a,b,label\n1,2,x\n", "ignore=b",
        F ":1:1: --ignore names column 'b', which the model needs as a feature: take it out of --ignore");
    bad(&named, "1,2,3,4,5\n", NULL,
        F ":1:1: the file has 5 columns, but the training file had 4, of which 2 are features: give the same columns, or "
          "use --target and --ignore");
    bad(&named, "1\n", NULL,
        F ":1:1: the file has 1 columns, but the training file had 4, of which 2 are features: give the same columns, or "
          "use --target and --ignore");
    bad(&sparse, "1,2,3,4\n", NULL, F ":1:1: the file has 4 columns, but the model has 2 features: give the same columns");
    bad(&named, "b,a,a\n1,2,3\n", NULL, F ":1:5: columns 2 and 3 are both named 'a': rename one of them");
    bad(&named, "a,b\n1,x\n", NULL,
        F ":2:3: column 'b' holds 'x', which is not a number: ignore the column with --ignore b, or encode it as numbers");
    char *many[] = {"a", "b", "c", "d", "e"};
    const hsp_schema five = {.format = "csv", .d = 5, .name = many, .header = true, .file_columns = 5};
    bad(&five, "a\n1\n", NULL, F ":1:1: columns 'b', 'c', 'd' and 1 more, which the model needs, are missing: add them");
}

/* Names that are numbers could be a row: all of them must be there. */
static void names_like_numbers(void **state) {
    (void)state;
    const hsp_schema known = {.format = "csv",
                              .d = 2,
                              .name = numbers,
                              .header = true,
                              .delimiter = ',',
                              .file_columns = 3,
                              .target_column = 1,
                              .column = columns_ab};
    good(&known, "x,1,5\n", NULL, "x: 1 5", NULL);
    good(&known, "2,1\n7,8\n", NULL, "-: 8 7", NULL);
}

/* No field of a schema is trusted. */
static void unsound_schema(void **state) {
    (void)state;
    int64_t twice[] = {2, 2}, outside[] = {2, 99}, negative[] = {-5, 2};
    int64_t *const sets[] = {twice, outside, negative};
    for (int i = 0; i < 3; i++) {
        hsp_schema known = bare;
        known.column = sets[i];
        hsp_data *data = NULL;
        hsp_error *err = NULL;
        assert_int_equal(read_chunked(F, "x,1,2\n", 6, 100, NULL, &known, &data, &err), HSP_EINPUT);
        assert_non_null(strstr(hsp_error_message(err), "train the model again"));
        hsp_error_free(err);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(by_name),        cmocka_unit_test(by_position),
        cmocka_unit_test(refused),        cmocka_unit_test(names_like_numbers),
        cmocka_unit_test(unsound_schema),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
