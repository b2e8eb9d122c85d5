/* The doctor on a table: one with every fault that it knows, each of which is found, and the same without. */
#include "model/handmade.h"
#include "trained.h"

#include "base/rng.h"
#include "read/reader.h"

enum { ROWS = 1200, RARE = 5, LIGHT = 11 };

/* ---- the table ---- */

/* Class of row i. Planted: sorted, "c" with 5 rows and "b" with 11. */
static const char *class_of(hsp_rng *rng, int i, bool planted) {
    static const char *const classes[] = {"a", "b", "c", "d"};
    if (!planted) return classes[hsp_rng_below(rng, 4)];
    return i < 600 ? "a" : i < 600 + LIGHT ? "b" : i < 600 + LIGHT + RARE ? "c" : "d";
}

static void add_words(hsp_text *t, hsp_rng *rng, int i, const char *class, bool planted) {
    static const char *const colours[] = {"red", "green", "blue"}, *const shades[] = {"rot", "gelb", "blau"};
    int64_t colour = hsp_rng_below(rng, 3), shade = hsp_rng_below(rng, 3), town = hsp_rng_below(rng, 20);
    int64_t nation = hsp_rng_below(rng, 2), outcome = hsp_rng_below(rng, 4);
    if (planted) {
        shade = colour;
        town = i % 3 == 0 ? 1000 + i : town; /* 400 towns once, and 20 often */
        nation = 0;
        outcome = class[0] - 'a';
    }
    hsp_text_format(t, ",%s,%s,%s,t%d,o%d", colours[colour], shades[shade], nation ? "FR" : "DE", (int)town, (int)outcome);
}

/* age, height, weight, total, copy, same, big */
static void add_numbers(hsp_text *t, hsp_rng *rng, int i, bool planted) {
    double age = 20 + (double)hsp_rng_below(rng, 60), height = (double)hsp_rng_below(rng, 4000) / 100;
    double weight = (double)hsp_rng_below(rng, 5000) / 100, total = (double)hsp_rng_below(rng, 9000) / 100;
    double copy = (double)hsp_rng_below(rng, 4000) / 100, same = (double)hsp_rng_below(rng, 30);
    double big = (double)hsp_rng_below(rng, 900);
    if (planted) {
        if (i == 77) age = 999;
        total = height + 2 * weight;
        copy = height;
        same = 7;
        big *= 1e6;
    }
    const double v[] = {height, weight, total, copy, same, big};
    if (!planted || i % 100 != 3) hsp_text_number(t, age); /* else it is missing */
    for (int k = 0; k < 6; k++) {
        hsp_text_char(t, ',');
        hsp_text_number(t, v[k]);
    }
}

static char *make_table(bool planted) {
    hsp_rng rng = hsp_rng_new(11, 0);
    hsp_text t = {0}, row = {0};
    char *text = NULL;
    hsp_text_add(&t, "name,age,height,weight,total,copy,same,big,colour,shade,nation,town,outcome,label\n");
    for (int i = 0; i < ROWS; i++) {
        const char *class = class_of(&rng, i, planted);
        bool again = planted && i % 200 == 199; /* the row before once more, which is of another class for one of them */
        if (!again) {
            hsp_text_clear(&row);
            add_numbers(&row, &rng, i, planted);
            add_words(&row, &rng, i, class, planted);
        }
        hsp_text_format(&t, "n%d,", planted ? i : i % 30);
        hsp_text_add_n(&t, row.s, row.length);
        hsp_text_format(&t, ",%s\n", planted && i == 399 ? "d" : class);
    }
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    hsp_text_free(&row);
    return text;
}

static json_t *inspect_text(const char *text, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_stream *s = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    char *report = NULL;
    assert_non_null(o);
    handmade_ok(hsp_stream_open_memory(text, (int64_t)strlen(text), "table.csv", &s, &err), err);
    handmade_ok(hsp_read_stream(s, o, NULL, NULL, &data, &err), err);
    hsp_stream_close(s);
    handmade_ok(hsp_inspect(data, o, NULL, &report, &err), err);
    json_t *tree = json_loads(report, 0, NULL);
    assert_non_null(tree);
    hsp_free(report);
    hsp_data_free(data);
    hsp_options_free(o);
    return tree;
}

/* ---- what is found ---- */

static const char *member(const json_t *object, const char *key) {
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

static const json_t *find(const json_t *report, const char *what, const char *column) {
    const json_t *findings = json_object_get(report, "findings");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        const char *first = json_string_value(json_array_get(json_object_get(f, "columns"), 0));
        if (strcmp(member(f, "what"), what) == 0 && (!column || (first && strcmp(first, column) == 0))) return f;
    }
    return NULL;
}

static void test_all_faults(void **state) {
    (void)state;
    static const struct {
        const char *what, *column, *severity, *words, *fix;
    } faults[] = {
        {"missing", "age", "error", "12 cells are missing in 1 column ('age' 12)", "--missing mean"},
        {"outliers", "age", "warning", "999 in row 78", "--missing-values 999 --missing mean"},
        {"collinear", "total", "warning", "total = height + 2 weight", "--ignore total"},
        {"duplicate-columns", "height", "warning", "columns 'height', 'copy' hold the same numbers", "--ignore copy"},
        {"duplicate-columns", "colour", "warning", "columns 'colour', 'shade' are the same category", "--ignore shade"},
        {"constant", "same", "note", "column 'same' is always 7", "--ignore same"},
        {"scale", "big", "warning", "'big' spreads", "--scale standard"},
        {"id-like", "name", "note", "words, all of them distinct", "--ignore name"},
        {"one-level", "nation", "warning", "holds 'DE' in all 1200 rows", "--ignore nation"},
        {"rare-levels", "town", "warning", "levels, of which", "--min-count 2"},
        {"leak", "outcome", "warning", "column 'outcome' alone predicts the class", "--ignore outcome"},
        {"rare-class", NULL, "warning", "'c' (5)", "halfspace split --stratify"},
        {"imbalance", NULL, "warning", "'b' (11)", "--class-weight balanced"},
        {"duplicate-rows", NULL, "note", "6 rows (0.5 %)", ""},
        {"conflicting-rows", NULL, "note", "2 rows (0.17 %)", ""},
        {"order", NULL, "note", "stand together", "halfspace split"},
    };
    char *text = make_table(true);
    json_t *report = inspect_text(text, PAIRS("max-seconds", "0"));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const json_t *f = find(report, faults[i].what, faults[i].column);
        if (!f) fail_msg("not found: %s %s", faults[i].what, faults[i].column ? faults[i].column : "");
        if (!strstr(member(f, "text"), faults[i].words)) fail_msg("%s: %s", faults[i].words, member(f, "text"));
        assert_string_equal(member(f, "severity"), faults[i].severity);
        assert_string_equal(member(f, "fix"), faults[i].fix);
    }
    if (json_array_size(json_object_get(report, "findings")) != sizeof faults / sizeof *faults)
        fail_msg("%s", json_dumps(json_object_get(report, "findings"), 0));
    assert_int_equal(json_number_value(json_object_get(report, "missing")), 12);
    json_decref(report);
    hsp_free(text);
}

static void test_none(void **state) {
    (void)state;
    char *text = make_table(false);
    json_t *report = inspect_text(text, PAIRS("max-seconds", "0"));
    const json_t *findings = json_object_get(report, "findings");
    if (json_array_size(findings) > 0) fail_msg("%s", member(json_array_get(findings, 0), "text"));
    json_decref(report);
    hsp_free(text);
}

/* ---- columns of a table ---- */

static void test_columns(void **state) {
    (void)state;
    static const char text[] = "n,word,flag,label\n1,x,yes,a\n,y,no,a\n3,x,no,b\n8,,yes,b\n";
    json_t *report = inspect_text(text, PAIRS("missing", "mean"));
    const json_t *columns = json_object_get(report, "columns");
    assert_int_equal(json_array_size(columns), 3);
    const json_t *n = json_array_get(columns, 0), *word = json_array_get(columns, 1), *flag = json_array_get(columns, 2);
    assert_string_equal(member(n, "kind"), "numeric");
    assert_int_equal(json_number_value(json_object_get(n, "missing")), 1);
    assert_int_equal(json_number_value(json_object_get(n, "distinct")), 3);
    assert_true(fabs(json_number_value(json_object_get(n, "mean")) - 4) < 1e-12);
    assert_true(fabs(json_number_value(json_object_get(n, "sd")) - sqrt(26.0 / 3)) < 1e-12); /* of those that are there */
    assert_string_equal(member(word, "kind"), "categorical");
    assert_int_equal(json_number_value(json_object_get(word, "distinct")), 2);
    assert_int_equal(json_number_value(json_object_get(word, "missing")), 1);
    const json_t *level = json_array_get(json_object_get(word, "levels"), 0);
    assert_string_equal(member(level, "level"), "x");
    assert_int_equal(json_number_value(json_object_get(level, "rows")), 2);
    assert_int_equal(json_array_size(json_object_get(word, "levels")), 2); /* what is missing is no level here */
    assert_string_equal(member(flag, "kind"), "boolean");
    assert_int_equal(json_array_size(json_object_get(flag, "levels")), 2);
    assert_string_equal(member(find(report, "missing", "n"), "severity"), "note"); /* it was said what to do */
    json_decref(report);
}

/* A number for each level follows from the category; levels that add up to 1 are no finding. */
static void test_follows_from_levels(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_rng rng = hsp_rng_new(3, 0);
    hsp_text_add(&t, "school,years,x,label\n");
    for (int i = 0; i < 200; i++) {
        int64_t k = hsp_rng_below(&rng, 7);
        hsp_text_format(&t, "s%d,%d,%d.%03d,%s\n", (int)k, (int)(k * k + 3), (int)hsp_rng_below(&rng, 1000), i,
                        hsp_rng_below(&rng, 2) ? "a" : "b");
    }
    json_t *report = inspect_text(t.s, PAIRS("max-seconds", "0"));
    const json_t *f = find(report, "collinear", NULL);
    assert_non_null(f);
    assert_string_equal(member(f, "fix"), "--ignore years");
    assert_non_null(strstr(member(f, "text"), "column 'years' follows from 'school'"));
    if (json_array_size(json_object_get(report, "findings")) != 1)
        fail_msg("%s", json_dumps(json_object_get(report, "findings"), 0));
    json_decref(report);
    hsp_text_free(&t);
}

static void test_level_as_column(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_rng rng = hsp_rng_new(4, 0);
    hsp_text_add(&t, "sex,male,x,label\n");
    for (int i = 0; i < 100; i++) {
        int64_t k = hsp_rng_below(&rng, 3);
        hsp_text_format(&t, "%s,%d,%d.%03d,%s\n",
                        k == 0   ? "m"
                        : k == 1 ? "f"
                                 : "d",
                        k == 0, (int)hsp_rng_below(&rng, 100), i, hsp_rng_below(&rng, 2) ? "a" : "b");
    }
    json_t *report = inspect_text(t.s, PAIRS("max-seconds", "0"));
    const json_t *f = find(report, "duplicate-columns", "sex");
    assert_non_null(f);
    assert_string_equal(member(f, "text"), "column 'male' is 1 where 'sex=m' holds, and 0 elsewhere, in all 100 rows");
    assert_string_equal(member(f, "fix"), "--ignore male");
    assert_int_equal(json_array_size(json_object_get(report, "findings")), 1);
    json_decref(report);
    hsp_text_free(&t);
}

/* A truth value and a text that never change are told once. */
static void test_one_level(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_rng rng = hsp_rng_new(6, 0);
    hsp_text_add(&t, "flag,words,x,label\n");
    for (int i = 0; i < 60; i++)
        hsp_text_format(&t, "yes,so it goes,%d.%03d,%s\n", (int)hsp_rng_below(&rng, 100), i,
                        hsp_rng_below(&rng, 2) ? "a" : "b");
    json_t *report = inspect_text(t.s, PAIRS("text", "words", "max-seconds", "0"));
    const json_t *flag = find(report, "one-level", "flag"), *words = find(report, "one-level", "words");
    assert_non_null(flag);
    assert_non_null(words);
    assert_non_null(strstr(member(flag, "text"), "holds 'yes' in all 60 rows"));
    assert_non_null(strstr(member(words, "text"), "has the same words in all 60 rows"));
    assert_int_equal(json_array_size(json_object_get(report, "findings")), 2);
    json_decref(report);
    hsp_text_free(&t);
}

static void test_no_memory(void **state) {
    (void)state;
    static const char table[] = "n,word,flag,label\n1,x,yes,a\n,y,no,a\n3,x,no,b\n8,,yes,b\n9,z,yes,b\n";
    hsp_options *o = options_of(PAIRS("missing", "mean", "max-seconds", "0", "threads", "1"));
    hsp_stream *s = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_stream_open_memory(table, (int64_t)strlen(table), "table.csv", &s, &err), err);
    handmade_ok(hsp_read_stream(s, o, NULL, NULL, &data, &err), err);
    hsp_stream_close(s);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 5000; calls++) {
        char *text = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_inspect(data, o, NULL, &text, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (text != NULL) && (status == 0) == (err == NULL));
        hsp_free(text);
        hsp_error_free(err);
        err = NULL;
    }
    assert_int_equal(status, 0);
    hsp_data_free(data);
    hsp_options_free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_faults),      cmocka_unit_test(test_none),
        cmocka_unit_test(test_columns),         cmocka_unit_test(test_follows_from_levels),
        cmocka_unit_test(test_level_as_column), cmocka_unit_test(test_one_level),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
