/* hsp_inspect on a table with every fault that it knows, each of which is found, and on the same table without them. */
#include "inspect/inspected.h"

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
        bool again = planted && i % 200 == 199; /* equal to the row before; row 399 is of another class */
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

static hsp_data *read_table(const char *text, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_stream *s = NULL;
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    assert_non_null(o);
    handmade_ok(hsp_stream_open_memory(text, (int64_t)strlen(text), "table.csv", &s, &err), err);
    handmade_ok(hsp_read_stream(s, o, NULL, NULL, &data, &err), err);
    hsp_stream_close(s);
    hsp_options_free(o);
    return data;
}

static hsp_report *inspect_text(const char *text, const char *const *pairs) {
    hsp_data *data = read_table(text, pairs);
    hsp_report *report = inspect(data, pairs);
    hsp_data_free(data);
    return report;
}

/* ---- what is found ---- */

static void test_all_faults(void **state) {
    (void)state;
    static const struct {
        const char *what, *column, *severity, *words, *fix;
    } faults[] = {
        {"missing", "age", "error", "12 missing values in 1 column ('age' 12)", "--missing mean"},
        {"outliers", "age", "warning", "999 in row 78", "--missing-values age=999 --missing mean"},
        {"collinear", "total", "warning", "total = height + 2 weight", "--ignore total"},
        {"duplicate-columns", "height", "warning", "columns 'height', 'copy' are equal", "--ignore copy"},
        {"duplicate-columns", "colour", "warning", "columns 'colour', 'shade' are the same category", "--ignore shade"},
        {"constant", "same", "note", "column 'same' is always 7", "--ignore same"},
        {"scale", "big", "warning", "the standard deviation of 'big'", "--scale standard"},
        {"id-like", "name", "note", "values, all distinct", "--ignore name"},
        {"one-level", "nation", "warning", "is 'DE' in all 1200 rows", "--ignore nation"},
        {"rare-levels", "town", "note", "of which occur only once", ""},
        {"leak", "outcome", "warning", "column 'outcome' alone predicts the class", "--ignore outcome"},
        {"rare-class", NULL, "warning", "'c' (5)", ""},
        {"imbalance", NULL, "warning", "'b' (11)", ""},
        {"duplicate-rows", NULL, "note", "6 rows (0.5 %)", ""},
        {"conflicting-rows", NULL, "note", "2 rows (0.17 %)", ""},
        {"order", NULL, "note", "are grouped", ""},
    };
    char *text = make_table(true);
    hsp_report *report = inspect_text(text, PAIRS("max-seconds", "60"));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        expect_finding(report, faults[i].what, faults[i].column, faults[i].severity, faults[i].words, faults[i].fix);
    expect_findings(report, sizeof faults / sizeof *faults);
    assert_int_equal(number_of(report, "missing"), 12);
    hsp_report_free(report);
    hsp_free(text);
}

static void test_none(void **state) {
    (void)state;
    char *text = make_table(false);
    hsp_report *report = inspect_text(text, PAIRS("max-seconds", "60"));
    expect_findings(report, 0);
    hsp_report_free(report);
    hsp_free(text);
}

/* ---- columns of a table ---- */

static void test_columns(void **state) {
    (void)state;
    static const char text[] = "n,word,flag,label\n1,x,yes,a\n,y,no,a\n3,x,no,b\n8,,yes,b\n";
    hsp_report *report = inspect_text(text, PAIRS("missing", "mean"));
    const hsp_report *columns = hsp_report_member(report, "columns");
    assert_int_equal(hsp_report_count(columns, NULL), 3);
    const hsp_report *n = hsp_report_item(columns, NULL, 0), *word = hsp_report_item(columns, NULL, 1),
                     *flag = hsp_report_item(columns, NULL, 2);
    assert_string_equal(text_of(n, "kind"), "numeric");
    assert_int_equal(number_of(n, "missing"), 1);
    assert_int_equal(number_of(n, "distinct"), 3);
    assert_true(fabs(number_of(n, "mean") - 4) < 1e-12);
    assert_true(fabs(number_of(n, "sd") - sqrt(26.0 / 3)) < 1e-12); /* of the values that are not missing */
    assert_string_equal(text_of(word, "kind"), "categorical");
    assert_int_equal(number_of(word, "distinct"), 2);
    assert_int_equal(number_of(word, "missing"), 1);
    const hsp_report *level = hsp_report_item(word, "levels", 0);
    assert_string_equal(text_of(level, "level"), "x");
    assert_int_equal(number_of(level, "rows"), 2);
    assert_int_equal(hsp_report_count(word, "levels"), 2); /* a missing value is not a level here */
    assert_string_equal(text_of(flag, "kind"), "boolean");
    assert_int_equal(hsp_report_count(flag, "levels"), 2);
    assert_string_equal(text_of(find_finding(report, "missing", "n"), "severity"), "note"); /* --missing is given */
    hsp_report_free(report);
}

/* A number for each level follows from the category; that the indicators of levels add up to 1 is not a finding. */
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
    hsp_report *report = inspect_text(t.s, PAIRS("max-seconds", "60"));
    const hsp_report *f = find_finding(report, "collinear", NULL);
    assert_non_null(f);
    assert_string_equal(text_of(f, "fix"), "--ignore years");
    assert_non_null(strstr(text_of(f, "text"), "column 'years' is a linear function of 'school'"));
    expect_findings(report, 1);
    hsp_report_free(report);
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
    hsp_report *report = inspect_text(t.s, PAIRS("max-seconds", "60"));
    const hsp_report *f = find_finding(report, "duplicate-columns", "sex");
    assert_non_null(f);
    assert_string_equal(text_of(f, "text"), "column 'male' is 1 exactly where sex=m in all 100 rows");
    assert_string_equal(text_of(f, "fix"), "--ignore male");
    expect_findings(report, 1);
    hsp_report_free(report);
    hsp_text_free(&t);
}

/* A boolean and a text that never change are reported once. */
static void test_one_level(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_rng rng = hsp_rng_new(6, 0);
    hsp_text_add(&t, "flag,words,x,label\n");
    for (int i = 0; i < 60; i++)
        hsp_text_format(&t, "yes,so it goes,%d.%03d,%s\n", (int)hsp_rng_below(&rng, 100), i,
                        hsp_rng_below(&rng, 2) ? "a" : "b");
    hsp_report *report = inspect_text(t.s, PAIRS("text", "words", "max-seconds", "60"));
    const hsp_report *flag = find_finding(report, "one-level", "flag"), *words = find_finding(report, "one-level", "words");
    assert_non_null(flag);
    assert_non_null(words);
    assert_non_null(strstr(text_of(flag, "text"), "is 'yes' in all 60 rows"));
    assert_non_null(strstr(text_of(words, "text"), "has the same words in all 60 rows"));
    expect_findings(report, 2);
    hsp_report_free(report);
    hsp_text_free(&t);
}

static void test_no_memory(void **state) {
    (void)state;
    static const char table[] = "n,word,flag,label\n1,x,yes,a\n,y,no,a\n3,x,no,b\n8,,yes,b\n9,z,yes,b\n";
    const char *const *pairs = PAIRS("missing", "mean", "max-seconds", "60", "threads", "1");
    hsp_data *data = read_table(table, pairs);
    assert_true(inspect_short_of_memory(data, pairs) > 8);
    hsp_data_free(data);
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
