/* Which kinds are found, what is reported of them, and what cannot be learnt, with exact messages. */
#include "frames.h"

#include <stdio.h>

/* n rows made by a function of the row; the last column is the label. */
static hsp_frame *rows_of(const char *names, int n, int64_t step, void (*row)(hsp_text *t, int i)) {
    hsp_text t = {0};
    hsp_text_add(&t, names);
    for (int i = 0; i < n; i++) row(&t, i);
    assert_false(t.failed);
    hsp_frame *f = frames_of(t.s, step);
    hsp_text_free(&t);
    return f;
}

static void fails(const char *options, const char *csv, const char *message) {
    for (int threads = 1; threads <= 2; threads++) {
        hsp_frame *f = frames_of(csv, 2);
        hsp_encoding *e = NULL;
        hsp_error *err = NULL;
        int status = frames_learn(f, options, threads, &e, &err);
        frames_fails(status, HSP_EINPUT, &err, message);
        assert_null(e);
        assert_int_equal(frames_learn(f, options, threads, &e, NULL), HSP_EINPUT);
        hsp_frame_free(f);
    }
}

static void describes(const char *options, const char *csv, const char *words) {
    hsp_frame *f = frames_of(csv, 2);
    hsp_encoding *e = frames_learnt(f, options);
    hsp_text t = {0};
    hsp_encoding_describe(e, &t);
    assert_string_equal(t.s, words);
    hsp_text_free(&t);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* ---- kinds ---- */

static void found(void **state) {
    (void)state;
    describes("", "a,y\n1,0\n2,1\n", "1 numeric -> 1 feature");
    describes("", "a,b,c,d,e,f,y\n1,x,yes,2024-01-01,,k,0\n2,x,no,2024-01-02,,l,1\n3,z,no,1.1.2024,,l,1\n",
              "1 numeric, 2 categorical (b 2, f 2), 1 boolean, 1 date, 1 ignored (e) -> 10 features");
    describes("missing=indicator", "a,b,y\n1,x,0\n,x,1\n3,,1\n", "1 numeric, 1 categorical (b 2) -> 4 features");
    /* One word of a pair, or words of two pairs, are levels; so are letters in most cases. */
    describes("", "a,b,c,y\nyes,t,y,0\nyes,n,f,1\n", "3 categorical (a 1, b 2, c 2) -> 5 features");
    describes("", "a,y\ntrue,0\nfalse,1\n2,1\n", "1 categorical (a 3) -> 3 features");
    describes("categorical=1,d,flag", "a,d,flag,y\n1,2024-01-01,yes,0\n2,2024-01-02,no,1\n",
              "3 categorical (a 2, d 2, flag 2) -> 6 features");
    describes("", "a,y\n2024-01-01,0\nsoon,1\n", "1 categorical (a 2) -> 2 features"); /* not all are dates */
    describes("", "a,b,c,d,e,f,g,y\nx,x,x,x,x,x,x,0\ny,x,x,x,x,x,x,0\n",
              "7 categorical (a 2, b 1, c 1, d 1, e 1, f 1, ...) -> 8 features");
}

static void mixed_row(hsp_text *t, int i) {
    if (i == 137)
        hsp_text_add(t, "n.a.,0\n");
    else
        hsp_text_format(t, "%d,1\n", i % 100);
}

static void few_row(hsp_text *t, int i) {
    if (i == 137)
        hsp_text_add(t, "none,0\n");
    else
        hsp_text_format(t, "%d,1\n", i % 10);
}

static void ticket_row(hsp_text *t, int i) {
    hsp_text_format(t, i % 9 ? "%d,0\n" : "A %d,1\n", i % 100);
}

static void numbers_but_for_a_word(void **state) {
    (void)state;
    hsp_encoding *e = NULL;
    hsp_error *err = NULL;
    hsp_frame *f = rows_of("age,y\n", 200, 30, mixed_row);
    int status = frames_learn(f, "", 2, &e, &err);
    frames_fails(
        status, HSP_EINPUT, &err,
        "t.csv:139: column 'age' holds 'n.a.', but 199 other cells hold numbers: correct it, use --missing-values 'n.a.' "
        "to count it as missing, --categorical age to encode all values as levels, or --ignore age to ignore the column");
    e = frames_learnt(f, "categorical=age");
    assert_int_equal(e->d, 101);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    f = rows_of("age,y\n", 200, 30, few_row); /* few numbers: they are levels */
    e = frames_learnt(f, "");
    assert_int_equal(e->d, 11);
    assert_null(e->note);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    f = rows_of("ticket,y\n", 200, 30, ticket_row); /* one in nine is a word: too many for typing errors */
    e = frames_learnt(f, "");
    assert_ptr_equal(e->column[0].kind, &hsp_kind_categorical);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    /* Numbers out of range. */
    f = frames_of("x,y\n1,0\n2,1\n-Inf,1\n", 2);
    status = frames_learn(f, "", 2, &e, &err);
    frames_fails(
        status, HSP_EINPUT, &err,
        "t.csv:4: column 'x' holds '-Inf', which is not finite: give a number, leave the cell empty, or remove the row");
    hsp_frame_free(f);
}

/* ---- notes ---- */

static void id_row(hsp_text *t, int i) {
    hsp_text_format(t, "Mr %d,%d,,text %d,%d,2024-01-%02d,%d\n", i, i + 1, i * 2 / 3, i * i, 1 + i % 31, i % 2);
}

static void notes(void **state) {
    (void)state;
    hsp_frame *f = rows_of("Name,Id,none,t,square,d,y\n", 20, 8, id_row);
    hsp_encoding *e = frames_learnt(f, "");
    assert_string_equal(
        e->note, "column 'Name' is ignored, as its 20 values are all distinct, like an id: confirm with --ignore Name, or "
                 "encode it with --categorical Name or --text Name\ncolumn 'Id' numbers the rows, like an id: ignore it "
                 "with --ignore Id\ncolumn 'none' is ignored: all its values are missing\ncolumn 't' has 13 levels in 20 "
                 "rows: encode its words with --text t, pool rare levels with --min-count N, or --ignore t");
    assert_ptr_equal(e->column[0].kind, &hsp_kind_ignored);
    assert_ptr_equal(e->column[1].kind, &hsp_kind_numeric);
    hsp_encoding_release(e);
    e = frames_learnt(f, "categorical=Name;numeric=Id,square"); /* kinds that were asked for are not reported */
    assert_ptr_equal(e->column[0].kind, &hsp_kind_categorical);
    assert_null(strstr(e->note, "'Name'"));
    assert_null(strstr(e->note, "'Id'"));
    hsp_encoding_release(e);
    hsp_frame_free(f);
    f = rows_of("Name,Id,none,t,square,d,y\n", 19, 8, id_row); /* too few rows to decide */
    e = frames_learnt(f, "");
    assert_string_equal(e->note, "column 'none' is ignored: all its values are missing");
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void sparse_row(hsp_text *t, int i) {
    if (i % 2)
        hsp_text_format(t, "w%d,%d,1\n", i, i % 3);
    else
        hsp_text_format(t, ",%d,0\n", i % 3);
}

/* Half of the cells are missing: levels that differ, but not an id. */
static void too_sparse_for_an_id(void **state) {
    (void)state;
    hsp_frame *f = rows_of("w,x,y\n", 60, 7, sparse_row);
    hsp_encoding *e = frames_learnt(f, "missing=mean");
    assert_ptr_equal(e->column[0].kind, &hsp_kind_categorical);
    assert_int_equal(e->column[0].features, 31);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* ---- faults ---- */

static void missing_cells(void **state) {
    (void)state;
    fails("", "a,b,y\n1,x,0\n2,,1\n,x,1\n,x,0\n",
          "t.csv:3: column 'b' has a missing value (3 in all, in 2 columns): fill them with --missing mean, median or "
          "indicator, or drop the rows with --missing drop");
    fails("", "a,y\n1,0\n2,1\n,1\n",
          "t.csv:4: column 'a' has a missing value (1 in all, in 1 column): fill them with --missing mean, median or "
          "indicator, or drop the rows with --missing drop");
    describes("", "a,none,y\n1,,0\n2,,1\n", "1 numeric, 1 ignored (none) -> 1 feature"); /* ignored columns do not count */
}

static void wrong_kinds(void **state) {
    (void)state;
    fails("numeric=a", "a,y\n1,0\nx,1\nz,1\n",
          "t.csv:3: column 'a' holds 'x', which is not a number (like 2 of its 3 values): correct it, or use "
          "--missing-values 'x' to count it as missing");
    fails("date=a", "a,y\n2024-01-01,0\nsoon,1\n",
          "t.csv:3: column 'a' holds 'soon', which is not a date: write it as 2024-03-05, or use --missing-values 'soon' "
          "to count it as missing");
    fails("date=a", "a,y\n20240101,0\n20241301,1\n",
          "t.csv:3: column 'a' holds '20241301', which is not a date: write it as 2024-03-05, or use --missing-values "
          "'20241301' to count it as missing");
    fails("", "a,y\n2024-01-05,0\n03/05/2024,1\n04/05/2024,1\n",
          "t.csv:3: column 'a' holds '03/05/2024', and no cell shows whether the day or the month comes first: use "
          "--date-order dmy or mdy, or --categorical 'a' to encode them as levels");
    fails("", "a,y\n03/05/2024,0\n13/05/2024,1\n03/13/2024,1\n",
          "t.csv:4: column 'a' holds '03/13/2024', with the month first, and '13/05/2024', with the day first: write dates "
          "as "
          "2024-03-05");
    fails("", "a,b,y\n1,M\xfcnchen,0\n2,Rom,1\n",
          "t.csv:2: column 'b' holds 'M?nchen', which is not UTF-8: convert the file, as by iconv -f LATIN1 -t UTF-8");
    fails("", "a,y\n,0\n,1\n",
          "t.csv: no column is left as a feature, as all are empty or like an id: name one with --categorical or --text");
}

/* Of several faults that of the first column is reported, whichever thread finds its own first. */
static void the_first_of_several(void **state) {
    (void)state;
    fails("numeric=b,c,d", "a,b,c,d,y\n1,1,x,x,0\n2,2,2,2,1\n",
          "t.csv:2: column 'c' holds 'x', which is not a number (like 1 of its 2 values): correct it, or use "
          "--missing-values 'x' to count it as missing");
}

static void long_names_and_cells(void **state) {
    (void)state;
    fails("numeric=1",
          "a_name_that_goes_on_and_on_and_on_and_on_and_on,y\n1,0\na_cell_that_goes_on_and_on_and_on_and_on_and_on,1\n",
          "t.csv:3: column 'a_name_that_goes_on_and_on_and_on_and_on...' holds "
          "'a_cell_that_goes_on_and_on_and_on_and_on...', which is not a number (like 1 of its 2 values): correct it, or "
          "use --missing-values 'a_cell_that_goes_on_and_on_and_on_and_on...' to count it as missing");
}

static void no_rows(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,y\n", 2);
    hsp_encoding *e = NULL;
    hsp_error *err = NULL;
    int status = frames_learn(f, "", 1, &e, &err);
    frames_fails(status, HSP_EINPUT, &err, "t.csv: no rows: give a file with data");
    hsp_frame_free(f);
}

/* ---- the rest ---- */

static void plain_ones(void **state) {
    (void)state;
    const struct {
        const char *options, *csv;
        bool plain;
    } all[] = {{"", "a,b,y\n1,2,0\n2,3,1\n", true},
               {"numeric=a", "a,b,y\n1,2,0\n2,3,1\n", true},
               {"missing=mean", "a,b,y\n1,2,0\n2,3,1\n", false},
               {"missing=indicator", "a,b,y\n1,,0\n2,3,1\n", false},
               {"", "a,b,y\n1,,0\n2,,1\n", false},
               {"", "a,b,y\n1,x,0\n2,x,1\n", false},
               {"categorical=a", "a,b,y\n1,2,0\n2,3,1\n", false}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hsp_frame *f = frames_of(all[i].csv, 2);
        hsp_encoding *e = frames_learnt(f, all[i].options);
        if (hsp_encoding_plain(e) != all[i].plain) fail_msg("case %zu", i);
        hsp_encoding_release(e);
        hsp_frame_free(f);
    }
}

static void the_schema(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,b,y\n1,x,0\n2,z,1\n", 2);
    hsp_encoding *e = frames_learnt(f, "");
    hsp_schema s;
    assert_int_equal(hsp_encoding_schema(e, &s, NULL), 0);
    assert_true(s.d == 3 && !s.table && !s.column && s.target_column == 3 && s.header && s.delimiter == ',');
    assert_string_equal(s.format, "csv");
    assert_string_equal(s.target, "y");
    assert_string_equal(s.name[2], "b=z");
    assert_true(e->raw.table && e->raw.d == 2 && e->base == 3);
    hsp_schema_clear(&s);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

/* Learns again from a part of the rows, with the kinds of columns that all rows have shown. */
static hsp_encoding *learn_again(const hsp_encoding *e, const hsp_frame *part) {
    hsp_encoding *again = NULL;
    hsp_error *err = NULL;
    hsp_table_rules r = {0};
    frames_ok(hsp_table_rules_copy(&e->rules, &r, &err), &err);
    for (int64_t j = 0; j < r.d; j++) r.kind[j] = e->column[j].kind;
    frames_ok(hsp_encoding_learn(part, &r, 2, &again, &err), &err);
    hsp_table_rules_clear(&r);
    return again;
}

/* Levels and fills are those of the part; kinds and the order of dates are those of all rows. */
static void from_some_of_the_rows(void **state) {
    (void)state;
    hsp_frame *f =
        frames_of("x,c,d,b,y\n1,a,03/05/2024,yes,0\n2,b,13/05/2024,no,1\n3,a,04/05/2024,yes,0\n,z,05/05/2024,yes,1\n", 3);
    hsp_frame *part = NULL;
    hsp_error *err = NULL;
    hsp_encoding *e = frames_learnt(f, "missing=mean");
    const int64_t rows[] = {3, 0, 2};
    frames_ok(hsp_frame_take(f, rows, 3, &part, &err), &err);
    hsp_encoding *again = learn_again(e, part);
    frames_assert_names(e, "x|c=a|c=b|c=z|d:year|d:month|d:weekday|d:days|b|");
    frames_assert_names(again, "x|c=a|c=z|d:year|d:month|d:weekday|d:days|b|");
    assert_true(e->column[0].fill == 2 && again->column[0].fill == 2 && again->column[3].fill == 1);
    assert_null(again->note);
    frames_assert_rows(
        again, part,
        "0:2 2:1 3:2024 4:5 5:7 6:19848 7:1|0:1 1:1 3:2024 4:5 5:5 6:19846 7:1|0:3 1:1 3:2024 4:5 5:6 6:19847 7:1|");
    hsp_unseen unseen = {0};
    char *text = NULL;
    frames_ok(frames_rows(again, f, &unseen, &text, &err), &err);
    assert_int_equal(unseen.levels, 1);
    hsp_free(text);
    hsp_encoding_release(again);
    hsp_encoding_release(e);
    hsp_frame_free(part);
    hsp_frame_free(f);
}

/* A column that is missing in all rows of a part keeps its kind, and has a fill. */
static void a_part_without_values(void **state) {
    (void)state;
    hsp_frame *f = frames_of("x,c,d,b,z,y\n1,a,2024-01-01,yes,1,0\n2,b,2024-01-02,no,2,1\n,,,,3,1\n,,,,4,0\n", 3);
    hsp_frame *part = NULL;
    hsp_error *err = NULL;
    static const char *const rule[] = {"missing=mean", "missing=median", "missing=indicator"};
    const int64_t rows[] = {2, 3};
    frames_ok(hsp_frame_take(f, rows, 2, &part, &err), &err);
    for (int k = 0; k < 3; k++) {
        hsp_encoding *e = frames_learnt(f, rule[k]), *again = learn_again(e, part);
        if (k < 2) {
            frames_assert_names(again, "x|c=(missing)|d:year|d:month|d:weekday|d:days|b|z|");
            frames_assert_rows(again, part, "1:1 2:1970 3:1 4:4 7:3|1:1 2:1970 3:1 4:4 7:4|");
        }
        char *text = NULL;
        hsp_unseen unseen = {0};
        frames_ok(frames_rows(again, f, &unseen, &text, &err), &err);
        assert_true(unseen.levels == 2 && unseen.filled == 8);
        hsp_free(text);
        hsp_encoding_release(again);
        hsp_encoding_release(e);
    }
    hsp_frame_free(part);
    hsp_frame_free(f);
}

static void rich_row(hsp_text *t, int i) {
    static const char *const colours[] = {"red", "green", "", "blue", "red"};
    if (i % 7)
        hsp_text_format(t, "%d.%d,", i * 37 % 101, i % 10);
    else
        hsp_text_add(t, ",");
    hsp_text_format(t, "%s,%s,2024-01-%02d,%d,u%d,%d\n", colours[i % 5], i % 3 ? "yes" : "no", 1 + i % 31, i % 11, i / 3,
                    i % 2);
}

static const char rich[] = "x,colour,b,d,k,u,y\n";

/* The encoding does not depend on the number of threads. */
static void any_number_of_threads(void **state) {
    (void)state;
    static const char *const options[] = {"missing=mean", "missing=median;min-count=3", "missing=indicator;categorical=k"};
    hsp_frame *f = rows_of(rich, 500, 23, rich_row);
    for (int k = 0; k < 3; k++) {
        char *text[3];
        for (int threads = 1; threads <= 3; threads++) {
            hsp_encoding *e = NULL;
            hsp_error *err = NULL;
            frames_ok(frames_learn(f, options[k], threads, &e, &err), &err);
            text[threads - 1] = frames_saved(e);
            hsp_encoding_release(e);
        }
        assert_string_equal(text[0], text[1]);
        assert_string_equal(text[0], text[2]);
        for (int i = 0; i < 3; i++) hsp_free(text[i]);
    }
    hsp_frame_free(f);
}

/* Of very many buckets only those that a word falls into have a name in memory. */
static void empty_buckets(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,label\nred green,x\nred blue,y\n", 5);
    for (int bits = 16; bits <= 17; bits++) {
        char options[64], buf[32];
        snprintf(options, sizeof options, "text=a;ngrams=1;hash-bits=%d", bits);
        hsp_encoding *e = frames_learnt(f, options);
        hsp_schema s = {0};
        int64_t named = 0, empty = -1;
        assert_int_equal(hsp_encoding_schema(e, &s, NULL), 0);
        assert_int_equal(s.d, 1 << bits);
        for (int64_t j = 0; j < s.d; j++) {
            named += s.name[j] != NULL;
            if (!s.name[j]) empty = j;
            if (s.name[j] && bits == 17) assert_memory_equal(s.name[j], "a#", 2);
        }
        assert_int_equal(named, bits == 16 ? s.d : 3);
        if (empty >= 0) {
            assert_string_equal(hsp_schema_feature(&s, 9, buf), "#10");
            hsp_schema other = {0};
            assert_int_equal(hsp_schema_copy(&s, &other, NULL), 0);
            assert_null(other.name[empty]);
            hsp_schema_clear(&other);
        }
        hsp_schema_clear(&s);
        hsp_encoding_release(e);
    }
    hsp_frame_free(f);
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_frame *f = rows_of(rich, 40, 15, rich_row);
    frames_learn_short_of_memory(f, "missing=median;min-count=2;categorical=k", false);
    hsp_frame_free(f);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(found),
        cmocka_unit_test(numbers_but_for_a_word),
        cmocka_unit_test(notes),
        cmocka_unit_test(too_sparse_for_an_id),
        cmocka_unit_test(missing_cells),
        cmocka_unit_test(wrong_kinds),
        cmocka_unit_test(the_first_of_several),
        cmocka_unit_test(long_names_and_cells),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(plain_ones),
        cmocka_unit_test(the_schema),
        cmocka_unit_test(from_some_of_the_rows),
        cmocka_unit_test(a_part_without_values),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(empty_buckets),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
