/* Models of Arrow tables: the bytes of those from the equal CSV file; and Arrow tables for models, in other orders, types and
 * with levels that the model does not know. */
#include "read/arrow_made.h"
#include "read/own_folder.h"

#include "base/file.h"

#define NUL ((double)NAN)

/* Options without effect on reading or training are left to the other call. */
#define READ "missing=indicator"
#define TRAIN "algorithm=logistic lambda=0.1"

static hsp_data *read_file(const char *csv, const char *spec, const hsp_model *m) {
    hsp_options *o = options_of(spec);
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    const char *path = in_folder("t.csv");
    assert_int_equal(hsp_write_file(path, csv, strlen(csv), NULL), 0);
    int status = m ? hsp_data_read_for(m, path, o, NULL, &data, &err) : hsp_data_read(path, o, NULL, &data, &err);
    if (status) fail_msg("%s", hsp_error_message(err));
    assert_int_equal(remove(path), 0);
    hsp_options_free(o);
    return data;
}

static int read_arrow(made_stream *s, const char *spec, const hsp_model *m, hsp_data **out, hsp_error **err) {
    hsp_options *o = options_of(spec);
    int status = m ? hsp_data_read_arrow_for(m, made_start(s), o, NULL, out, err)
                   : hsp_data_read_arrow(made_start(s), o, NULL, out, err);
    assert_int_equal(made_live, 0);
    hsp_options_free(o);
    return status;
}

static hsp_model *train_on(const hsp_data *data) {
    hsp_options *o = options_of(TRAIN);
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    if (hsp_train(data, o, NULL, &m, NULL, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return m;
}

/* Data for the model of both forms: the same hash, scores and report of what is unseen. */
static void check_same_for(const hsp_model *m, made_stream *s, const char *csv) {
    hsp_data *file = read_file(csv, "", m), *table = NULL;
    hsp_error *err = NULL;
    double one[64], two[64];
    for (s->batch = 1; s->batch < 5; s->batch++) {
        if (read_arrow(s, "", m, &table, &err)) fail_msg("%s", hsp_error_message(err));
        assert_int_equal(hsp_data_rows(table), hsp_data_rows(file));
        assert_int_equal(hsp_data_features(table), hsp_data_features(file));
        assert_true(hsp_data_hash(table) == hsp_data_hash(file));
        assert_int_equal(hsp_model_score(m, table, one, NULL, NULL), 0);
        assert_int_equal(hsp_model_score(m, file, two, NULL, NULL), 0);
        assert_memory_equal(one, two, (size_t)hsp_data_rows(file) * sizeof *one);
        assert_int_equal(table->absent.count, file->absent.count);
        if (file->notes) assert_string_equal(table->notes, file->notes);
        assert_true((file->notes != NULL) == (table->notes != NULL));
        hsp_data_free(table);
    }
    hsp_data_free(file);
}

static void refuse_for(const hsp_model *m, made_stream *s, const char *spec, int code, const char *message) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    assert_int_equal(read_arrow(s, spec, m, &data, &err), code);
    assert_string_equal(hsp_error_message(err), message);
    assert_null(data);
    hsp_error_free(err);
}

/* ---- a table ---- */

static const char table_csv[] = "age,city,flag,joined,y\n22,Ulm,true,2024-03-05,no\n,Bonn,false,2024-03-06,yes\n26,,true,"
                                "2024-03-07,no\n35,Bonn,false,,yes\n51.5,Ulm,,2024-03-09,yes\n18,Bonn,true,2024-03-10,no\n";

static hsp_model *table_model(void) {
    hsp_data *data = read_file(table_csv, READ, NULL);
    hsp_model *m = train_on(data);
    hsp_data_free(data);
    return m;
}

static int64_t make_table(made_column c[5]) {
    static const double age[] = {22, NUL, 26, 35, 51.5, 18}, city[] = {1, 0, NUL, 0, 1, 0};
    static const char *const names[] = {"Bonn", "Ulm"}, *const y[] = {"no", "yes", "no", "yes", "yes", "no"};
    static const int64_t joined[] = {1709596800, 1709683200, 1709769600, 0, 1709942400, 1710028800};
    static made_column words;
    words = made_texts("U", "", names, 2);
    c[0] = made_numbers("f", "age", age, 6);
    c[1] = made_codes("c", "city", city, 6, &words);
    c[2] = made_bools("flag", "1010?1");
    c[3] = made_raw("tss:", "joined", joined, 8, 6);
    made_null(&c[3], 3);
    c[4] = made_texts("vu", "y", y, 6);
    return 5;
}

static void models_have_the_same_bytes(void **state) {
    (void)state;
    made_column c[5];
    made_stream s = {.column = c, .columns = make_table(c), .rows = 6, .batch = 4};
    hsp_data *data = NULL;
    assert_int_equal(read_arrow(&s, READ, NULL, &data, NULL), 0);
    made_clear();
    hsp_model *m = train_on(data), *expected = table_model();
    void *one = NULL, *two = NULL;
    size_t size = 0, other = 0;
    assert_int_equal(hsp_model_save_memory(m, &one, &size, NULL), 0);
    assert_int_equal(hsp_model_save_memory(expected, &two, &other, NULL), 0);
    assert_int_equal(size, other);
    assert_memory_equal(one, two, size);
    hsp_free(one);
    hsp_free(two);
    hsp_model_free(m);
    hsp_model_free(expected);
    hsp_data_free(data);
}

/* In another order and other types, with more columns, one of a type that cannot be read, and with unseen levels. */
static void tables_are_matched_by_name(void **state) {
    (void)state;
    static const char *const y[] = {"yes", "no", "no"}, *const city[] = {"Rome", "Bonn", NULL};
    static const char *const flag[] = {"false", NULL, "TRUE"};
    static const double age[] = {30, 31, NUL};
    static const int32_t joined[] = {19790, 19000, 0};
    hsp_model *m = table_model();
    made_column c[] = {made_raw("tdD", "joined", joined, 4, 3), made_numbers("l", "extra", age, 3),
                       made_texts("u", "y", y, 3),              made_texts("vu", "city", city, 3),
                       made_texts("U", "flag", flag, 3),        made_numbers("s", "age", age, 3)};
    c[1].format = "+l";
    made_null(&c[0], 2);
    made_stream s = {.column = c, .columns = 6, .rows = 3};
    check_same_for(m, &s,
                   "joined,extra,y,city,flag,age\n2024-03-08,1,yes,Rome,false,30\n2022-01-08,2,no,Bonn,,31\n,3,no,,TRUE,\n");
    s.columns = 5; /* without the age, and then without more */
    check_same_for(m, &s, "joined,extra,y,city,flag\n2024-03-08,1,yes,Rome,false\n2022-01-08,2,no,Bonn,\n,3,no,,TRUE\n");
    s.column = c + 3;
    s.columns = 1;
    check_same_for(m, &s, "city\nRome\nBonn\n\"\"\n");
    s.batch = 2;
    s.column = c;
    s.columns = 6;
    c[5] = made_texts("u", "age", city, 3);
    refuse_for(m, &s, "", HSP_EINPUT,
               "<arrow>:1: column 'age' holds 'Rome', where the model expects numbers: correct it, or use --missing-values "
               "'Rome' to count it as missing");
    c[5].format = "+s";
    refuse_for(m, &s, "", HSP_EINPUT,
               "<arrow>: column 'age' is of type struct, which is not supported: convert it to numbers, text or dates, or "
               "leave it out with --ignore age");
    s.rows = 0;
    refuse_for(m, &s, "", HSP_EINPUT, "<arrow>: no rows: give a table with rows");
    hsp_model_free(m);
    made_clear();
}

/* ---- numbers ---- */

static const char numbers_csv[] = "a,b,y\n1,0,p\n2,1,q\n3,0,p\n4,1,q\n";

/* For a model of numbers truth values are 0 and 1, and texts may be numbers. */
static void numbers_have_any_type(void **state) {
    (void)state;
    static const char *const a[] = {"5", "6.5", "-1e1"}, *const word[] = {"1", "two", NULL};
    static const double gap[] = {1, NUL, 3};
    hsp_data *data = read_file(numbers_csv, "", NULL);
    hsp_model *m = train_on(data);
    made_column c[] = {made_bools("b", "101"), made_texts("vu", "a", a, 3)};
    made_stream s = {.column = c, .columns = 2, .rows = 3};
    check_same_for(m, &s, "b,a\n1,5\n0,6.5\n1,-1e1\n");
    s.batch = 2;
    c[1] = made_texts("u", "a", word, 3);
    refuse_for(m, &s, "", HSP_EINPUT,
               "<arrow>:2: column 'a' holds 'two', which is not a number: ignore the column with --ignore a, or encode it as "
               "numbers");
    c[1] = made_numbers("g", "a", gap, 3);
    refuse_for(m, &s, "", HSP_EINPUT, "<arrow>:2: column 'a' has a missing value: fill it in or remove the row");
    c[0] = made_bools("b", "1?1");
    c[1] = made_texts("vu", "a", a, 3);
    refuse_for(m, &s, "", HSP_EINPUT, "<arrow>:2: column 'b' has a missing value: fill it in or remove the row");
    refuse_for(m, &s, "missing-values=9", HSP_EUSAGE,
               "--missing-values has no effect, as the model was trained without --missing: train it with --missing mean, "
               "or leave this option out");
    s.columns = 1;
    refuse_for(m, &s, "", HSP_EINPUT, "<arrow>: column 'a', which the model needs, is missing: add it");
    hsp_data_free(data);
    hsp_model_free(m);
    made_clear();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_the_same_bytes),
        cmocka_unit_test(tables_are_matched_by_name),
        cmocka_unit_test(numbers_have_any_type),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
