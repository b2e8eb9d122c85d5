/* The findings of hsp_inspect: each check on both sides of its threshold, and none on clean data. */
#include "inspect/inspected.h"

#include "base/report.h"
#include "base/rng.h"
#include "data/data.h"

#include <stdio.h>

/* ---- making data ---- */

enum { COLUMNS = 6 };

/* Rows of normal numbers with random classes "a" and "b"; each test then changes what it tests. */
typedef struct sample {
    int64_t n, d;
    double *x;
    const char **label;
} sample;

static const char *const names[] = {"p", "q", "r", "s", "t", "u"};

static sample new_sample(int64_t n, int64_t d) {
    sample s = {n, d, calloc((size_t)(n * d), sizeof *s.x), calloc((size_t)n, sizeof *s.label)};
    hsp_rng rng = hsp_rng_new(5, 0);
    for (int64_t i = 0; i < n * d; i++) s.x[i] = hsp_rng_normal(&rng);
    for (int64_t i = 0; i < n; i++) s.label[i] = hsp_rng_below(&rng, 2) ? "b" : "a";
    return s;
}

static void free_sample(sample *s) {
    free(s->x);
    free(s->label);
}

static double *at(sample *s, int64_t i, int64_t j) {
    return &s->x[i * s->d + j];
}

/* ---- inspecting it ---- */

static hsp_report *inspect_sample(const sample *s) {
    hsp_data *data = handmade_data(s->x, s->n, s->d, s->label, names);
    hsp_report *report = inspect(data, PAIRS("max-seconds", "60"));
    hsp_data_free(data);
    return report;
}

static void expect_none(const hsp_report *report, const char *what) {
    const hsp_report *f = find_finding(report, what, NULL);
    if (f) fail_msg("%s: %s", what, text_of(f, "text"));
}

/* Whether inspecting the sample gives such a finding. */
static bool finds(const sample *s, const char *what) {
    hsp_report *report = inspect_sample(s);
    bool found = find_finding(report, what, NULL) != NULL;
    hsp_report_free(report);
    return found;
}

/* ---- clean data ---- */

static void test_clean(void **state) {
    (void)state;
    for (int64_t n = 4; n <= 4096; n *= 4) {
        sample s = new_sample(n, COLUMNS);
        s.label[0] = "a";
        s.label[1] = "b";
        hsp_report *report = inspect_sample(&s);
        expect_findings(report, 0);
        assert_int_equal(hsp_report_count(report, "columns"), COLUMNS);
        hsp_report_free(report);
        free_sample(&s);
    }
}

static void test_columns_member(void **state) {
    (void)state;
    const double x[] = {1, 7, 2, 7, 3, 7, 6, 7};
    hsp_data *data = handmade_data(x, 4, 2, (const char *const[]){"a", "a", "a", "b"}, names);
    hsp_report *report = inspect(data, NULL);
    const hsp_report *p = hsp_report_item(report, "columns", 0);
    assert_string_equal(text_of(p, "name"), "p");
    assert_string_equal(text_of(p, "kind"), "numeric");
    assert_true(number_of(p, "min") == 1 && number_of(p, "max") == 6);
    assert_true(number_of(p, "mean") == 3);
    assert_true(fabs(number_of(p, "sd") - sqrt(3.5)) < 1e-12);
    assert_int_equal(number_of(p, "distinct"), 4);
    assert_int_equal(number_of(p, "missing"), 0);
    const hsp_report *balance = hsp_report_member(report, "class_balance");
    assert_true(number_of(balance, "a") == 0.75);
    assert_true(number_of(hsp_report_member(report, "memory"), "total") > 0);
    expect_finding(report, "constant", "q", "note", "always 7", "");
    hsp_report_free(report);
    hsp_data_free(data);
}

/* ---- columns ---- */

static void test_duplicates(void **state) {
    (void)state;
    sample s = new_sample(60, COLUMNS);
    for (int64_t i = 0; i < s.n; i++) *at(&s, i, 4) = *at(&s, i, 1);
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "duplicate-columns", "q", "warning", "columns 'q', 't' are equal in all 60 rows", "");
    expect_none(report, "collinear"); /* reported once */
    hsp_report_free(report);
    *at(&s, 59, 4) += 1e-13;
    assert_false(finds(&s, "duplicate-columns"));
    free_sample(&s);
}

static void test_collinear(void **state) {
    (void)state;
    sample s = new_sample(300, COLUMNS);
    for (int64_t i = 0; i < s.n; i++) *at(&s, i, 5) = *at(&s, i, 0) + 2 * *at(&s, i, 3) - 7;
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "collinear", "u", "warning",
                   "column 'u' is a linear function of 'p', 's' in all 300 rows: u = p + 2 s - 7", "");
    hsp_report_free(report);
    /* the sum is the first column: it is still the one that is reported */
    for (int64_t i = 0; i < s.n; i++) {
        double swap = *at(&s, i, 0);
        *at(&s, i, 0) = *at(&s, i, 5);
        *at(&s, i, 5) = swap;
    }
    report = inspect_sample(&s);
    expect_finding(report, "collinear", "p", "warning", "p = 2 s + u - 7", "");
    hsp_report_free(report);
    *at(&s, 123, 0) += 1e-6;
    assert_false(finds(&s, "collinear"));
    *at(&s, 123, 0) -= 1e-6;
    assert_true(finds(&s, "collinear"));
    free_sample(&s);
}

/* One row of many contradicts it, which no small sample of the rows would contain. */
static void test_collinear_contradicted(void **state) {
    (void)state;
    sample s = new_sample(30000, 4);
    for (int64_t i = 0; i < s.n; i++) *at(&s, i, 3) = 3 * *at(&s, i, 0) - *at(&s, i, 1);
    assert_true(finds(&s, "collinear"));
    *at(&s, 17777, 3) += 1e-3;
    assert_false(finds(&s, "collinear"));
    free_sample(&s);
}

static void test_scale(void **state) {
    (void)state;
    sample s = new_sample(40, 2);
    for (int64_t i = 0; i < s.n; i++) {
        *at(&s, i, 0) = i % 2 ? 1 : -1;
        *at(&s, i, 1) = (i / 2) % 2 ? 10000 : -10000;
    }
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "scale", "q", "warning", "the standard deviation of 'q' is 10000 times that of 'p'",
                   "--scale standard");
    hsp_report_free(report);
    for (int64_t i = 0; i < s.n; i++) *at(&s, i, 1) *= 0.9999;
    assert_false(finds(&s, "scale"));
    free_sample(&s);
}

static void test_outliers(void **state) {
    (void)state;
    sample s = new_sample(41, 2);
    for (int64_t i = 0; i < s.n; i++) *at(&s, i, 0) = (double)((i * 17) % 41); /* quartiles 10 and 30 */
    int64_t top = 0;
    while (*at(&s, top, 0) != 40) top++;
    *at(&s, top, 0) = 230; /* exactly ten interquartile ranges above: no outlier */
    assert_false(finds(&s, "outliers"));
    *at(&s, top, 0) = 230.5;
    hsp_report *report = inspect_sample(&s);
    char row[128];
    snprintf(row, sizeof row, "has 1 outlier: 230.5 in row %d is 10 interquartile", (int)top + 1);
    expect_finding(report, "outliers", "p", "note", row, "");
    hsp_report_free(report);
    *at(&s, top, 0) = -999;
    report = inspect_sample(&s);
    expect_finding(report, "outliers", "p", "warning", "a code for a missing value?", "");
    hsp_report_free(report);
    free_sample(&s);
}

/* More rows than are sorted: the quartiles are those of two rows in three, but an outlier among the others is found too. */
static void test_sampled(void **state) {
    (void)state;
    sample s = new_sample(150000, 2);
    *at(&s, 3 * 41111 + 2, 1) = 99;
    *at(&s, 3 * 22222 + 2, 1) = 98;
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "outliers", "q", "note", "has 2 outliers: 99 in row 123336 is",
                   ""); /* 98 is near: not a code for a missing value */
    expect_finding(report, "outliers", "q", "note", "(from a sample of 100000 rows)", "");
    assert_true(hsp_report_kind(hsp_report_item(report, "columns", 0), "distinct") == HSP_REPORT_NULL);
    hsp_report_free(report);
    free_sample(&s);
}

static void test_ids(void **state) {
    (void)state;
    for (int64_t n = 19; n <= 20; n++) {
        sample s = new_sample(n, 3);
        for (int64_t i = 0; i < n; i++) *at(&s, i, 1) = (double)(i + 100);
        assert_true(finds(&s, "id-like") == (n == 20));
        free_sample(&s);
    }
    sample s = new_sample(30, 3);
    for (int64_t i = 0; i < s.n; i++) *at(&s, i, 1) = (double)(i + 1);
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "id-like", "q", "warning", "column 'q' numbers the rows from 1 to 30, like an id", "");
    hsp_report_free(report);
    *at(&s, 29, 1) = 77;
    report = inspect_sample(&s);
    expect_finding(report, "id-like", "q", "warning", "increases from row to row, from 1 to 77", "");
    hsp_report_free(report);
    *at(&s, 29, 1) = 3.5;
    assert_false(finds(&s, "id-like"));
    *at(&s, 29, 1) = 29; /* the same as the row before */
    assert_false(finds(&s, "id-like"));
    free_sample(&s);
}

/* Column 0 is the class, but in `wrong` rows of "a". */
static sample leaking(int64_t n, int64_t d, int64_t wrong) {
    sample s = new_sample(n, d);
    for (int64_t i = 0; i < n; i++) {
        s.label[i] = (i * 7) % n < n / 2 ? "a" : "b";
        *at(&s, i, 0) = s.label[i][0] == 'a' ? 0 : 1;
    }
    for (int64_t i = 0; wrong > 0; i++)
        if (s.label[i][0] == 'a') *at(&s, i, 0) = 1, wrong--;
    return s;
}

static void test_leaks(void **state) {
    (void)state;
    static const struct {
        int64_t n, d, wrong;
        bool found;
    } cases[] = {{400, 3, 2, true}, {400, 3, 3, false}, {50, 3, 0, true}, {48, 3, 0, false}, {400, 1, 0, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sample s = leaking(cases[k].n, cases[k].d, cases[k].wrong);
        assert_true(finds(&s, "leak") == cases[k].found);
        free_sample(&s);
    }
    sample s = leaking(400, 3, 2);
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "leak", "p", "warning", "balanced accuracy of 0.995, with threshold 0.5", "");
    hsp_report_free(report);
    free_sample(&s);
}

/* Three classes in three intervals of one column; and two clusters that every column separates, which is not a leak. */
static void test_leaks_of_three(void **state) {
    (void)state;
    sample s = new_sample(300, 3);
    static const char *const classes[] = {"a", "b", "c"};
    for (int64_t i = 0; i < s.n; i++) {
        int64_t k = (i * 7) % 3;
        s.label[i] = classes[k];
        *at(&s, i, 2) = (double)(k == 1 ? 5 : k == 0 ? 20 : 9);
    }
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "leak", "r", "warning", "balanced accuracy of 1:", "");
    hsp_report_free(report);
    for (int64_t i = 0; i < s.n; i++) {
        s.label[i] = i % 7 < 3 ? "a" : "b";
        for (int64_t j = 0; j < s.d; j++) *at(&s, i, j) = sin((double)(i * s.d + j)) + (i % 7 < 3 ? -3 : 3);
    }
    assert_false(finds(&s, "leak"));
    free_sample(&s);
}

/* ---- rows and classes ---- */

static void test_rows(void **state) {
    (void)state;
    sample s = new_sample(100, 5);
    for (int64_t i = 0; i < 10; i++) {
        memcpy(at(&s, 90 + i, 0), at(&s, i, 0), 5 * sizeof *s.x);
        s.label[90 + i] = s.label[i];
    }
    s.label[99] = s.label[9][0] == 'a' ? "b" : "a";
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "duplicate-rows", NULL, "warning", "10 rows (10 %) have the same features as an earlier row",
                   "");
    expect_finding(report, "conflicting-rows", NULL, "warning", "2 rows (2 %)", "");
    hsp_report_free(report);
    *at(&s, 90, 0) += 1;
    report = inspect_sample(&s);
    expect_finding(report, "duplicate-rows", NULL, "note", "9 rows (9 %)", "");
    hsp_report_free(report);
    free_sample(&s);
}

static void test_classes(void **state) {
    (void)state;
    static const struct {
        int64_t n, rare;
        bool imbalance, rare_class;
    } cases[] = {{1000, 10, false, false},
                 {1001, 10, true, false},
                 {1000, 9, false, true},
                 {20, 9, false, true},
                 {19, 4, false, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sample s = new_sample(cases[k].n, 2);
        int64_t step = cases[k].n / cases[k].rare;
        for (int64_t i = 0, left = cases[k].rare; i < s.n; i++) {
            bool rare = i % step == 1 && left > 0;
            s.label[i] = rare ? "b" : "a";
            left -= rare;
        }
        hsp_report *report = inspect_sample(&s);
        assert_true((find_finding(report, "imbalance", NULL) != NULL) == cases[k].imbalance);
        assert_true((find_finding(report, "rare-class", NULL) != NULL) == cases[k].rare_class);
        if (cases[k].imbalance) expect_finding(report, "imbalance", NULL, "warning", "'b' (10)", "");
        hsp_report_free(report);
        free_sample(&s);
    }
}

static void test_one_class(void **state) {
    (void)state;
    sample s = new_sample(30, 2);
    for (int64_t i = 0; i < s.n; i++) s.label[i] = "a";
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "one-class", NULL, "error", "all rows have the same class, 'a' (30)", "");
    expect_findings(report, 1);
    hsp_report_free(report);
    free_sample(&s);
}

static void test_order(void **state) {
    (void)state;
    sample s = new_sample(200, 2);
    for (int64_t i = 0; i < s.n; i++) s.label[i] = i < 100 ? "b" : "a";
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "order", NULL, "note",
                   "sorted by class: 2 runs of one class, where a random order has about 101", "");
    hsp_report_free(report);
    /* blocks of eight: far fewer runs than by chance, though not sorted */
    for (int64_t i = 0; i < s.n; i++) s.label[i] = (i / 8) % 2 ? "b" : "a";
    report = inspect_sample(&s);
    expect_finding(report, "order", NULL, "note", "rows of the same class are grouped: 25 runs", "");
    hsp_report_free(report);
    for (int64_t i = 0; i < s.n; i++) s.label[i] = i % 2 ? "b" : "a"; /* more runs than by chance: not a finding */
    assert_false(finds(&s, "order"));
    free_sample(&s);
}

/* A class that becomes rarer: almost as many runs as by chance, but the two halves differ. */
static void test_trend(void **state) {
    (void)state;
    sample s = new_sample(2000, 2);
    hsp_rng rng = hsp_rng_new(9, 1);
    for (int64_t i = 0; i < s.n; i++) s.label[i] = hsp_rng_uniform(&rng) < (i < 1000 ? 0.6 : 0.4) ? "a" : "b";
    hsp_report *report = inspect_sample(&s);
    expect_finding(report, "order", NULL, "note", "of the first half of the rows and", "");
    hsp_report_free(report);
    for (int64_t i = 0; i < s.n; i++) s.label[i] = hsp_rng_uniform(&rng) < 0.5 ? "a" : "b";
    assert_false(finds(&s, "order"));
    free_sample(&s);
}

/* ---- all findings ---- */

/* The same for any number of threads. */
static void test_threads(void **state) {
    (void)state;
    sample s = new_sample(20000, COLUMNS);
    for (int64_t i = 0; i < s.n; i++) {
        *at(&s, i, 5) = *at(&s, i, 0) + 0.3 * *at(&s, i, 3);
        *at(&s, i, 2) = i % 5 ? 0 : 1e7;
    }
    hsp_data *data = handmade_data(s.x, s.n, s.d, s.label, names);
    hsp_report *one = inspect(data, PAIRS("threads", "1", "max-seconds", "60"));
    hsp_report *three = inspect(data, PAIRS("threads", "3", "max-seconds", "60"));
    assert_true(hsp_report_equal(hsp_report_member(one, "findings"), hsp_report_member(three, "findings")));
    assert_true(hsp_report_equal(hsp_report_member(one, "columns"), hsp_report_member(three, "columns")));
    expect_finding(one, "collinear", "u", "warning", "u = p + 0.3 s", "");
    hsp_report_free(one);
    hsp_report_free(three);
    hsp_data_free(data);
    free_sample(&s);
}

static void test_worst_first(void **state) {
    (void)state;
    sample s = new_sample(60, COLUMNS);
    for (int64_t i = 0; i < s.n; i++) {
        s.label[i] = i < 30 ? "a" : "b"; /* a note */
        *at(&s, i, 1) = 4;               /* a note */
        *at(&s, i, 2) *= 1e6;            /* a warning */
    }
    hsp_report *report = inspect_sample(&s);
    const hsp_report *findings = hsp_report_member(report, "findings");
    bool note = false;
    for (int64_t i = 0; i < hsp_report_count(findings, NULL); i++) {
        bool is = strcmp(text_of(hsp_report_item(findings, NULL, i), "severity"), "note") == 0;
        assert_false(note && !is);
        note |= is;
    }
    assert_true(hsp_report_count(findings, NULL) >= 3);
    hsp_report_free(report);
    free_sample(&s);
}

/* More than a thousand columns are not examined one by one, which the report states. */
static void test_many_columns(void **state) {
    (void)state;
    int64_t n = 30, d = 1001;
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        labels[i] = i % 2 ? "a" : "b";
        for (int64_t j = 0; j < d; j++) x[i * d + j] = sin((double)(i * d + j));
    }
    hsp_data *data = handmade_data(x, n, d, labels, NULL);
    hsp_report *report = inspect(data, PAIRS("max-seconds", "60"));
    assert_true(hsp_report_kind(report, "columns") == HSP_REPORT_NULL);
    assert_int_equal(hsp_report_count(report, "not_looked_for"), 2);
    hsp_report_free(report);
    hsp_data_free(data);
    free(x);
    free(labels);
}

/* Numbers near the largest and the smallest. */
static void test_extremes(void **state) {
    (void)state;
    static const double sizes[] = {1e308, 1e-308, 5e-324, 1e160, 1};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        sample s = new_sample(60, COLUMNS);
        for (int64_t i = 0; i < s.n * s.d; i++) s.x[i] = round(s.x[i] * 4) / 16 * sizes[k];
        for (int64_t i = 0; i < s.n; i++) *at(&s, i, 2) = i % 2 ? 1.7e308 : -1.7e308;
        hsp_report_free(inspect_sample(&s));
        free_sample(&s);
    }
}

static void test_sparse(void **state) {
    (void)state;
    enum { WIDE = 30 };
    sample s = new_sample(600, WIDE);
    hsp_rng rng = hsp_rng_new(2, 2);
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t j = 0; j < s.d; j++)
            if (hsp_rng_below(&rng, 10)) *at(&s, i, j) = 0;
        *at(&s, i, 29) = 3 * *at(&s, i, 4) - *at(&s, i, 7);
        *at(&s, i, 12) = *at(&s, i, 3);
    }
    hsp_data *data = handmade_data(s.x, s.n, s.d, s.label, NULL);
    assert_false(data->x.dense);
    hsp_report *report = inspect(data, PAIRS("max-seconds", "60"));
    expect_finding(report, "collinear", "x30", "warning", "x30 = 3 x5 - x8", "");
    expect_finding(report, "duplicate-columns", "x4", "warning", "columns 'x4', 'x13'", "");
    hsp_report_free(report);
    hsp_data_free(data);
    free_sample(&s);
}

static void test_no_memory(void **state) {
    (void)state;
    sample s = new_sample(60, COLUMNS);
    for (int64_t i = 0; i < s.n; i++) {
        *at(&s, i, 5) = *at(&s, i, 0) + *at(&s, i, 3);
        *at(&s, i, 1) = (double)i;
        *at(&s, i, 2) = *at(&s, i, 4);
        s.label[i] = i < 55 ? "a" : "b";
    }
    *at(&s, 7, 4) = *at(&s, 7, 2) = 1e9;
    hsp_data *data = handmade_data(s.x, s.n, s.d, s.label, names);
    assert_true(inspect_short_of_memory(data, PAIRS("max-seconds", "60", "threads", "1")) > 40);
    hsp_data_free(data);
    free_sample(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_columns_member),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_collinear),
        cmocka_unit_test(test_collinear_contradicted),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_outliers),
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_leaks),
        cmocka_unit_test(test_leaks_of_three),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_trend),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_worst_first),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
