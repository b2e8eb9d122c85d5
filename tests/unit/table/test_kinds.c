/* Each kind of column: what it learns, and how its cells are encoded. */
#include "frames.h"

/* Learns from one table, encodes another (NULL: the same). */
static void check(const char *options, const char *train, const char *names, const char *new_rows, const char *rows) {
    hsp_frame *f = frames_of(train, 2), *g = new_rows ? frames_of(new_rows, 3) : NULL;
    hsp_encoding *e = frames_learnt(f, options);
    frames_assert_names(e, names);
    frames_assert_rows(e, g ? g : f, rows);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    hsp_frame_free(g);
}

/* Encoding new rows fails. */
static void refuse(const char *options, const char *train, const char *new_rows, const char *message) {
    hsp_frame *f = frames_of(train, 2), *g = frames_of(new_rows, 3);
    hsp_encoding *e = frames_learnt(f, options);
    hsp_error *err = NULL;
    char *rows = NULL;
    hsp_unseen unseen = {0};
    int status = frames_rows(e, g, &unseen, &rows, &err);
    frames_fails(status, HSP_EINPUT, &err, message);
    assert_int_equal(frames_rows(e, g, &unseen, &rows, NULL), HSP_EINPUT);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    hsp_frame_free(g);
}

static void the_table(void **state) {
    (void)state;
    static const char *const names[] = {"numeric", "categorical", "boolean", "date", "text", "ignored"};
    for (int k = 0; k < 6; k++) {
        assert_string_equal(hsp_kind_table[k]->name, names[k]);
        assert_ptr_equal(hsp_kind_find(names[k]), hsp_kind_table[k]);
        assert_non_null(hsp_kind_table[k]->help);
    }
    assert_null(hsp_kind_table[6]);
    assert_null(hsp_kind_find("number"));
    assert_null(hsp_kind_find(""));
}

/* What the traits of a kind declare, which other modules use instead of its name. */
static void traits(void **state) {
    (void)state;
    for (const hsp_kind *const *at = hsp_kind_table; *at; at++) {
        const hsp_kind *k = *at;
        assert_non_null(k->cells);
        assert_true(k->left_out == !k->encode && k->left_out == !k->feature);
        assert_true(!k->left_out || (k->numbers == 0 && !k->levels && !k->reads_text && !k->askable));
        assert_true(!k->as_is || (k->numbers == 1 && !k->levels)); /* copied, without a call of encode */
        assert_true(!k->reads_text || (k->most && k->numbers == 0 && !k->levels));
        assert_true((k->save == NULL) == (k->load == NULL));
        assert_true(k->numbers == 0 || k->encode_missing); /* numbers are filled */
        assert_int_equal(hsp_kind_one_hot(k), k->levels && k->numbers == 0);
    }
    assert_true(hsp_kind_one_hot(&hsp_kind_categorical) && !hsp_kind_one_hot(&hsp_kind_boolean));
}

/* A column has the number of features that its kind declares, and one more where missing values are indicated. */
static void numbers_of_kinds(void **state) {
    (void)state;
    hsp_frame *f = frames_of("a,b,c,d,y\n1,yes,2024-03-05,u,0\n,no,2024-03-06,v,1\n2,,,u,1\n", 2);
    hsp_encoding *e = frames_learnt(f, "missing=indicator");
    for (int64_t j = 0; j < 3; j++) {
        const hsp_table_column *c = &e->column[j];
        assert_true(c->indicator && c->kind->numbers > 0);
        assert_int_equal(c->features, c->kind->numbers + 1);
    }
    assert_int_equal(e->column[3].kind->numbers, 0);
    assert_int_equal(e->column[3].features, 2);
    hsp_encoding_release(e);
    hsp_frame_free(f);
}

static void numbers(void **state) {
    (void)state;
    check("", "a,b,y\n1,2,0\n0,-0.5,1\n", "a|b|", NULL, "0:1 1:2|1:-0.5|");
    const char *holes = "a,b,y\n1,7,0\n,8,0\n2,9,1\n6,9,1\n";
    check("missing=mean", holes, "a|b|", NULL, "0:1 1:7|0:3 1:8|0:2 1:9|0:6 1:9|");
    check("missing=median", holes, "a|b|", NULL, "0:1 1:7|0:2 1:8|0:2 1:9|0:6 1:9|");
    check("missing=indicator", holes, "a|a?missing|b|", NULL, "0:1 2:7|0:3 1:1 2:8|0:2 2:9|0:6 2:9|");
    /* New rows: a column that was never missing has a fill, but no indicator. */
    check("missing=indicator", holes, "a|a?missing|b|", "a,b,y\n1,,0\n,,0\n", "0:1 2:8.25|0:3 1:1 2:8.25|");
    check("missing=median", holes, "a|b|", "a,b,y\n,,0\n", "0:2 1:8.5|");
    check("missing=mean;numeric=a", "a,y\n-1,0\n1,1\n", "a|", "a,y\n,0\n", "|"); /* a fill of 0 */
    refuse("", "a,b,y\n1,2,0\n2,1,1\n", "a,b,y\n1,2,0\n1,2,0\n2,x,1\n",
           "new.csv:4: column 'b' holds 'x', where the model expects numbers: correct it");
    refuse("", "a,b,y\n1,2,0\n2,1,1\n", "a,b,y\n1,2,0\n,1,1\n",
           "new.csv:3: column 'a' has a missing value or is not in the file, and the model was trained with --missing "
           "error: fill it in, or train with --missing mean, median or indicator");
    refuse("missing=drop", "a,b,y\n1,2,0\n2,1,1\n", "a,b,y\n1,2,0\n1,2,0\n1,2,0\n2,,1\n",
           "new.csv:5: column 'b' has a missing value or is not in the file, and the model was trained with --missing "
           "drop: fill it in, or train with --missing mean, median or indicator");
}

static void categories(void **state) {
    (void)state;
    const char *train = "c,y\nred,0\n blue,0\nred,1\n10,1\ngreen,1\n";
    check("", train, "c=10|c=blue|c=green|c=red|", NULL, "3:1|1:1|3:1|0:1|2:1|");
    check("", train, "c=10|c=blue|c=green|c=red|", "c,y\n1e1,0\nred ,0\nRed,0\n3,0\n", "|3:1|||");
    check("min-count=2", train, "c=red|c=(other)|", "c,y\nred,0\nblue,0\nnone,0\n", "0:1|1:1|1:1|");
    check("min-count=9", train, "c=(other)|", NULL, "0:1|0:1|0:1|0:1|0:1|");
    /* Numbers in the order of numbers, as they are spelt. */
    check("categorical=c", "c,y\n10,0\n9,0\n1e0,0\n-0,1\n", "c=-0|c=1e0|c=9|c=10|", "c,y\n+9.0,0\n9,0\n1e0,0\n1,0\n",
          "|2:1|1:1||");
    const char *holes = "c,y\nb,0\n,0\na,1\n,1\nb,1\n";
    check("missing=mean", holes, "c=a|c=b|c=(missing)|", NULL, "1:1|2:1|0:1|2:1|1:1|");
    check("missing=indicator;min-count=2", holes, "c=b|c=(other)|c=(missing)|", NULL, "0:1|2:1|1:1|2:1|0:1|");
    check("missing=mean", train, "c=10|c=blue|c=green|c=red|", "c,y\n,0\nred,1\n", "|3:1|"); /* never missing: nothing */
    refuse("", train, "c,y\nred,0\n,1\n",
           "new.csv:3: column 'c' has a missing value or is not in the file, and the model was trained with --missing "
           "error: fill it in, or train with --missing mean, median or indicator");
}

static void more_numbers_than_the_profile_tells_apart(void **state) {
    (void)state;
    hsp_text t = {0}, names = {0};
    hsp_text_add(&t, "c,y\n");
    for (int i = 299; i >= 0; i--) hsp_text_format(&t, "%d,0\n%d.0,1\n", i / 2, i / 2);
    for (int i = 0; i < 150; i++) hsp_text_format(&names, "c=%d|c=%d.0|", i, i);
    hsp_frame *f = frames_of(t.s, 64);
    hsp_encoding *e = frames_learnt(f, "categorical=c;min-count=2");
    frames_assert_names(e, names.s);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    hsp_text_free(&t);
    hsp_text_free(&names);
}

static void truth_values(void **state) {
    (void)state;
    check("", "b,y\nyes,0\nNO,0\nYes,1\n", "b|", NULL, "0:1||0:1|");
    check("", "b,y\nTRUE,0\nfalse,0\n1,1\n", "b|", "b,y\nt,0\nN,0\n0,0\n1,0\n Y,1\n", "0:1|||0:1|0:1|");
    check("missing=mean", "b,y\ny,0\nn,0\ny,1\ny,1\n,1\n", "b|", NULL, "0:1||0:1|0:1|0:0.75|");
    check("missing=median", "b,y\ny,0\nn,0\ny,1\ny,1\n,1\n", "b|", NULL, "0:1||0:1|0:1|0:1|");
    check("missing=median", "b,y\ny,0\nn,0\n,1\n", "b|", NULL, "0:1||0:0.5|");
    check("missing=indicator", "b,y\nt,0\nf,0\n,1\n", "b|b?missing|", NULL, "0:1||0:0.5 1:1|");
    refuse("", "b,y\nyes,0\nno,1\n", "b,y\nyes,0\nmaybe,1\n",
           "new.csv:3: column 'b' holds 'maybe', where the model expects true or false: correct it");
    refuse("", "b,y\nyes,0\nno,1\n", "b,y\n2,0\n",
           "new.csv:2: column 'b' holds '2', where the model expects true or false: correct it");
}

static void dates(void **state) {
    (void)state;
    const char *parts = "d:year|d:month|d:weekday|d:days|";
    check("", "d,y\n2024-03-05,0\n1970-01-01 12:00,1\n", parts, NULL, "0:2024 1:3 2:2 3:19787|0:1970 1:1 2:4 3:0.5|");
    check("", "d,y\n2024-03-05,0\n1970-01-01,1\n", parts, "d,y\n5.3.2024,0\n13/12/1969,0\n",
          "0:2024 1:3 2:2 3:19787|0:1969 1:12 2:6 3:-19|");
    /* One cell decides the order for all. */
    check("", "d,y\n03/05/2024,0\n13/05/2024,1\n", parts, NULL, "0:2024 1:5 2:5 3:19846|0:2024 1:5 2:1 3:19856|");
    check("", "d,y\n03/05/2024,0\n05/13/2024,1\n", parts, NULL, "0:2024 1:3 2:2 3:19787|0:2024 1:5 2:1 3:19856|");
    check("", "d,y\n05/05/2024,0\n04/04/2024,1\n", parts, NULL, "0:2024 1:5 2:7 3:19848|0:2024 1:4 2:4 3:19817|");
    check("date=d", "d,y\n20240305,0\n2024-03-06,1\n", parts, NULL, "0:2024 1:3 2:2 3:19787|0:2024 1:3 2:3 3:19788|");
    /* A missing date is the median. */
    check("missing=mean", "d,y\n2024-03-05,0\n2024-03-08,1\n,0\n", parts, NULL,
          "0:2024 1:3 2:2 3:19787|0:2024 1:3 2:5 3:19790|0:2024 1:3 2:3 3:19788.5|");
    check("missing=indicator", "d,y\n2024-03-05,0\n,1\n", "d:year|d:month|d:weekday|d:days|d?missing|", NULL,
          "0:2024 1:3 2:2 3:19787|0:2024 1:3 2:2 3:19787 4:1|");
    check("missing=median", "d,y\n2024-03-05,0\n2024-03-06,1\n2025-03-06,1\n,0\n", parts, "d,y\n,0\n",
          "0:2024 1:3 2:3 3:19788|");
    refuse("", "d,y\n2024-03-05,0\n1970-01-01,1\n", "d,y\nsoon,0\n",
           "new.csv:2: column 'd' holds 'soon', where the model expects dates: correct it");
    refuse("", "d,y\n2024-03-05,0\n1970-01-01,1\n", "d,y\n03/05/2024,0\n",
           "new.csv:2: column 'd' holds '03/05/2024', where the model expects dates: correct it");
    refuse("", "d,y\n03/05/2024,0\n13/05/2024,1\n", "d,y\n05/13/2024,0\n",
           "new.csv:2: column 'd' holds '05/13/2024', where the model expects dates: correct it");
    refuse("", "d,y\n2024-03-05,0\n1970-01-01,1\n", "d,y\n20240305,0\n",
           "new.csv:2: column 'd' holds '20240305', where the model expects dates: correct it");
}

static void left_out(void **state) {
    (void)state;
    check("", "a,none,b,y\n1,,2,0\n3,,4,1\n", "a|b|", NULL, "0:1 1:2|0:3 1:4|");
    check("", "a,none,b,y\n1,,2,0\n3,,4,1\n", "a|b|", "a,none,b,y\n1,word,2,0\n3,7,4,1\n", "0:1 1:2|0:3 1:4|");
}

static void unseen_cells_are_counted(void **state) {
    (void)state;
    hsp_frame *f = frames_of("c,p,x,y\na,s,1,0\nb,s,2,1\na,t,,0\n", 2);
    hsp_frame *g = frames_of("c,p,x,y\nz,s,1,0\nb,u,,1\n,t,,0\n1,v,1,0\n", 2);
    hsp_encoding *e = frames_learnt(f, "missing=mean;min-count=2");
    frames_assert_names(e, "c=a|c=(other)|p=s|p=(other)|x|");
    hsp_unseen unseen = {0};
    char *rows = NULL;
    hsp_error *err = NULL;
    frames_ok(frames_rows(e, f, &unseen, &rows, &err), &err);
    assert_true(unseen.levels == 0 && unseen.filled == 1); /* pooled ones were seen */
    hsp_free(rows);
    unseen = (hsp_unseen){0};
    frames_ok(frames_rows(e, g, &unseen, &rows, &err), &err);
    assert_string_equal(rows, "1:1 2:1 4:1|1:1 3:1 4:1.5|3:1 4:1.5|1:1 3:1 4:1|");
    assert_true(unseen.levels == 4 && unseen.filled == 3 && unseen.words == 0);
    hsp_free(rows);
    hsp_encoding_release(e);
    hsp_frame_free(f);
    hsp_frame_free(g);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(the_table),        cmocka_unit_test(traits),
        cmocka_unit_test(numbers_of_kinds), cmocka_unit_test(numbers),
        cmocka_unit_test(categories),       cmocka_unit_test(more_numbers_than_the_profile_tells_apart),
        cmocka_unit_test(truth_values),     cmocka_unit_test(dates),
        cmocka_unit_test(left_out),         cmocka_unit_test(unseen_cells_are_counted),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
