/* Tables: words and missing values, and what they are encoded as, for any chunks. */
#include "read_from.h"

#include "table/encoding.h"

#define F "t.csv"

static void check(const char *text, const char *spec, const char *rows, const char *assumed) {
    hsp_data *data = read_good(F, text, spec);
    assert_rows(data, rows);
    if (assumed) assert_string_equal(data->assumed, assumed);
    assert_non_null(data->frame);
    assert_true(data->learnt_here);
    hsp_data_free(data);
}

static void words_become_levels(void **state) {
    (void)state;
    check("size,colour,label\n1,red,x\n2,blue,y\n3,red,x\n", NULL, "x: 1 0 1 | y: 2 1 0 | x: 3 0 1",
          "csv, comma, header, target 'label' (by name), 2 columns, 3 rows: 1 numeric, 1 categorical (colour 2) -> 3 "
          "features");
    check("\"say \"\"hi\"\"\",1,x\nno,2,y\n", "header=no", "x: 0 1 1 | y: 1 0 2", NULL);
    check(" red ,1,x\n\"red\",2,y\nblue,3,x\n", "header=no", "x: 0 1 1 | y: 0 1 2 | x: 1 0 3", NULL);
    check("\"two\nlines\",1,x\nb,2,y\n", "header=no", "x: 0 1 1 | y: 1 0 2", NULL);
}

static void words_may_come_late(void **state) {
    (void)state;
    hsp_text t = {0};
    for (int i = 0; i < 20000; i++) hsp_text_add(&t, i % 2 ? "1,x\n" : "2,y\n"); /* beyond the sample */
    hsp_text_add(&t, "red,x\n");
    hsp_stream *s = NULL;
    hsp_data *data = NULL;
    hsp_options *o = options_of("categorical=1");
    assert_int_equal(hsp_stream_open_memory(t.s, t.length, F, &s, NULL), 0);
    assert_int_equal(hsp_read_stream(s, o, NULL, NULL, &data, NULL), 0);
    assert_int_equal(data->x.d, 3);
    assert_int_equal(data->x.n, 20001);
    hsp_stream_close(s);
    hsp_data_free(data);
    hsp_options_free(o);
    hsp_text_free(&t);
}

static void missing_values_are_filled(void **state) {
    (void)state;
    const char *text = "a,label\n1,x\nNA,y\n3,x\n8,y\n";
    check(text, "missing=mean", "x: 1 | y: 4 | x: 3 | y: 8",
          "csv, comma, header, target 'label' (by name), 1 column, 4 rows, 1 missing value filled: 1 numeric -> 1 feature");
    check(text, "missing=median", "x: 1 | y: 3 | x: 3 | y: 8", NULL);
    check(text, "missing=indicator", "x: 1 0 | y: 4 1 | x: 3 0 | y: 8 0", NULL);
    check("a,label\n1,x\n-99,y\n3,x\n", "missing=mean missing-values=-99,none", "x: 1 | y: 2 | x: 3", NULL);
    check("a,label\nred,x\n?,y\nblue,x\n", "missing=mean", "x: 0 1 0 | y: 0 0 1 | x: 1 0 0", NULL);
}

/* New rows with a missing value are dropped too, so the data stay a table. */
static void rows_are_dropped(void **state) {
    (void)state;
    hsp_data *data = read_good(F, "a,label\n1,x\n,y\n3,x\n", "missing=drop");
    assert_rows(data, "x: 1 | x: 3");
    assert_non_null(data->frame);
    assert_string_equal(data->assumed, "csv, comma, header, target 'label' (by name), 1 column, 3 rows, 1 row with missing "
                                       "values dropped: 1 numeric -> 1 feature");
    hsp_data_free(data);
}

/* Missing values are an error for training alone, which is kept with the data. */
static void missing_values_are_refused_later(void **state) {
    (void)state;
    hsp_data *data = read_good(F, "a,label\n1,x\n,y\n3,y\n", NULL), *part = NULL;
    const char *message = F ":3: column 'a' has a missing value (1 in all, in 1 column): fill them with --missing mean, "
                            "median or indicator, or drop the rows with --missing drop";
    assert_string_equal(data->refusal, message);
    assert_rows(data, "x: 1 | y: 2 | y: 3");
    assert_int_equal(hsp_data_take(data, (int64_t[]){0, 2}, 2, &part, NULL), 0);
    assert_string_equal(part->refusal, message);
    assert_false(part->learnt_here);
    hsp_data_free(part);
    hsp_data_free(data);
}

/* So is a column that is not recognised: it is left out, its cells stay. */
static void unrecognised_columns(void **state) {
    (void)state;
    static const char *const tables[][2] = {
        {"1,2,x\n1,inf,x\n",
         F ":2: column 'x2' holds 'inf', which is not finite: give a number, leave the cell empty, or remove the row"},
        {"1;2;x\n1,5;2;x\n", F ":2: column 'x1' holds '1,5': use --decimal , to read it as a number"}};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        hsp_data *data = read_good(F, tables[i][0], NULL), *part = NULL;
        assert_string_equal(data->refusal, tables[i][1]);
        assert_true(data->incomplete);
        assert_int_equal(hsp_data_features(data), 1);
        assert_int_equal(data->frame->schema.d, 2);
        assert_int_equal(hsp_data_take(data, (int64_t[]){1}, 1, &part, NULL), 0);
        assert_string_equal(part->refusal, tables[i][1]);
        assert_true(part->incomplete);
        hsp_data_free(part);
        hsp_data_free(data);
    }
}

static void broken_tables(void **state) {
    (void)state;
    const broken b[] = {
        {"a,label\n,x\n,y\n", "missing=drop",
         F ": every row has a missing value, so no row is left: use --missing mean, or --ignore a column", 0, 0},
        {"red,2,x\n1,2\n", 0, F ":2:4: row has 2 cells, expected 3 as in line 1: check the delimiters and quotes", 0, 0},
        {"red,2,x\n\"1,2,x\n", 0, F ":2:1: unclosed quote: close it, or write \"\" for a quote in a cell", 0, 0},
    };
    read_all_bad(F, b, sizeof b / sizeof *b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_become_levels),
        cmocka_unit_test(words_may_come_late),
        cmocka_unit_test(missing_values_are_filled),
        cmocka_unit_test(rows_are_dropped),
        cmocka_unit_test(missing_values_are_refused_later),
        cmocka_unit_test(broken_tables),
        cmocka_unit_test(unrecognised_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
