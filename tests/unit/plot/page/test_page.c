/* Whole pages: which sections there are for which data and models, what is refused, and that a failure leaves no file. */
#include "halfspace_internal.h"
#include "halfspace_plot.h"

#include "plot/drawn.h"

#include <math.h>

static hsp_data *generated(const char *kind, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate(kind, o, &data, NULL), 0);
    hsp_options_free(o);
    return data;
}

/* The page, to be freed; the report of the call in *report, unless that is NULL. */
static char *page_of(const hsp_data *data, const char *const *pairs, hsp_report **report) {
    hsp_options *o = options_of(pairs);
    hsp_error *err = NULL;
    int code = hsp_plot_page(data, o, NULL, in_folder("p.html"), report, &err);
    if (code) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    char *text = contents(in_folder("p.html"), NULL);
    unlink(in_folder("p.html"));
    return text;
}

static bool has_section(const char *page, const char *id) {
    char heading[80];
    snprintf(heading, sizeof heading, "<h2 id=\"%s\">", id);
    return strstr(page, heading) != NULL;
}

/* Sections and figures of every kind of task, and what the page promises of itself. */
static void test_sections(void **state) {
    (void)state;
    static const struct {
        const char *kind, *pairs[7], *options[7];
        const char *with, *without;
        int figures;
    } cases[] = {
        {"squares",
         {"rows", "80"},
         {"algorithm", "logistic"},
         "summary data findings model quality weights path next",
         "comparison",
         5},
        {"squares", {"rows", "80"}, {"algorithm", "perceptron"}, "summary model quality weights next", "comparison", 4},
        {"squares", {"rows", "60"}, {"only", "majority,lda,ridge"}, "comparison model quality weights", "none", 5},
        {"blobs",
         {"rows", "90", "classes", "3", "noise", "2"},
         {"algorithm", "lda"},
         "model quality weights",
         "path comparison",
         3},
        {"blobs",
         {"rows", "600", "classes", "30", "noise", "2"},
         {"algorithm", "nearest-mean"},
         "model quality weights",
         "path",
         3},
        {"xor",
         {"rows", "60"},
         {"algorithm", "mlp", "hidden", "4", "max-epochs", "20"},
         "model quality",
         "weights path",
         4},
        {"linear", {"rows", "60"}, {"algorithm", "ridge"}, "summary data model quality weights next", "comparison", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_data *data = generated(cases[k].kind, cases[k].pairs);
        hsp_report *report = NULL;
        char *page = page_of(data, cases[k].options, &report), words[160], *rest = words;
        snprintf(words, sizeof words, "%s", cases[k].with);
        for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) assert_true(has_section(page, word));
        rest = words;
        snprintf(words, sizeof words, "%s", cases[k].without);
        for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) assert_false(has_section(page, word));
        assert_int_equal(count_of(page, "<svg "), (int64_t)hsp_report_number(report, "figures"));
        assert_true(count_of(page, "<svg ") >= cases[k].figures);
        assert_int_equal(strlen(page), (int64_t)hsp_report_number(report, "bytes"));
        assert_true(strlen(page) < 600000);
        assert_null(strstr(page, "<script"));
        assert_null(strstr(page, "http://"));
        assert_null(strstr(page, "https://"));
        assert_null(strstr(page, "nan"));
        free(page);
        hsp_report_free(report);
        hsp_data_free(data);
    }
}

/* All metrics are of the rows held out, and the model is that of the others. */
static void test_the_rows_of_each_part(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "100")), *fit = NULL, *held = NULL;
    hsp_options *o = options_of(PAIRS("test", "0.25", "stratify", "yes", "seed", "5")),
                *train = options_of(PAIRS("C", "3"));
    hsp_report *report = NULL, *metrics = NULL;
    hsp_model *model = NULL;
    free(page_of(data, PAIRS("algorithm", "logistic", "C", "3", "test", "0.25", "seed", "5"), &report));
    assert_int_equal(hsp_data_split(data, o, &fit, &held, NULL), 0);
    assert_int_equal(hsp_train(fit, train, NULL, &model, NULL, NULL), 0);
    assert_int_equal(hsp_evaluate(model, held, train, NULL, &metrics, NULL), 0);
    const hsp_report *found = hsp_report_member(report, "holdout");
    assert_true(hsp_report_number(report, "training_rows") == 75 && hsp_report_number(found, "rows") == 25);
    assert_true(hsp_report_number(found, "log_loss") == hsp_report_number(metrics, "log_loss"));
    assert_true(hsp_report_number(found, "auc") == hsp_report_number(metrics, "auc"));
    assert_null(hsp_report_member(found, "seconds"));
    hsp_model_free(model);
    hsp_report_free(metrics);
    hsp_report_free(report);
    hsp_options_free(o);
    hsp_options_free(train);
    hsp_data_free(fit);
    hsp_data_free(held);
    hsp_data_free(data);
}

/* The same bytes again, for any number of threads; and in a page of its own after others. */
static void test_the_same_bytes(void **state) {
    (void)state;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "classes", "3", "noise", "3"));
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    char *first = page_of(data, PAIRS("only", "lda,ridge,majority", "threads", "1"), NULL);
    char *second = page_of(data, PAIRS("only", "lda,ridge,majority", "threads", "3"), NULL);
    unsetenv("SOURCE_DATE_EPOCH");
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "2001-09-09"));
    free(first);
    free(second);
    hsp_data_free(data);
}

/* The model of all rows, with the settings that the comparison chose. */
static void test_the_model_to_keep(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "60"));
    hsp_report *report = NULL;
    hsp_model *m = NULL;
    free(page_of(data, PAIRS("only", "lda,majority", "model", in_folder("m.hsm")), &report));
    assert_int_equal(hsp_model_load(in_folder("m.hsm"), &m, NULL), 0);
    assert_string_equal(hsp_model_field(m, "algorithm"), "lda");
    assert_string_equal(hsp_model_field(m, "shrinkage"), "auto");
    hsp_report *of_model = NULL;
    assert_int_equal(hsp_model_report(m, &of_model, NULL), 0);
    assert_true(hsp_report_number(hsp_report_member(of_model, "training"), "rows") == 60);
    unlink(in_folder("m.hsm"));
    hsp_report_free(of_model);
    hsp_report_free(report);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* One line each, and no file. */
static void test_what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *path, *says, *pairs[7];
    } cases[] = {
        {NULL, "no output file: add -o FILE.html", {NULL}},
        {"", "no output file: add -o FILE.html", {NULL}},
        {"p.pdf", "give -o FILE.html", {NULL}},
        {"p", "give -o FILE.html", {NULL}},
        {"p.html", "use a smaller --holdout", {"test", "40"}},
        {"p.html", "use a larger --holdout", {"test", "0.001"}},
        {"p.html", "--folds has no effect with -a lda", {"algorithm", "lda", "folds", "3"}},
        {"p.html", "--only has no effect with -a lda", {"algorithm", "lda", "only", "lda"}},
        {"p.html", "-C has no effect on a comparison", {"C", "2"}},
        {"p.html", "--max-epochs has no effect on a comparison", {"max-epochs", "2"}},
        {"p.html", "unknown algorithm", {"algorithm", "ldda"}},
        {"p.html", "unknown algorithm", {"only", "ldda"}},
        {"p.html", "there is no model to report on", {"algorithm", "hard-svm"}},
        {"p.html", "lda does not use", {"algorithm", "lda", "C", "2"}},
        {"no/p.html", "", {"algorithm", "lda"}},
        {"p.html", "", {"algorithm", "lda", "model", "no/such/folder/m.hsm"}},
    };
    hsp_data *data = generated("blobs", PAIRS("rows", "40", "noise", "6"));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_options *o = options_of(cases[k].pairs);
        hsp_report *report = NULL;
        hsp_error *err = NULL;
        const char *path = cases[k].path && *cases[k].path ? in_folder(cases[k].path) : cases[k].path;
        if (hsp_plot_page(data, o, NULL, path, &report, &err) >= 0) fail_msg("case %d is not refused", (int)k);
        if (!strstr(hsp_error_message(err), cases[k].says)) fail_msg("%s", hsp_error_message(err));
        assert_true(report == NULL && strchr(hsp_error_message(err), '\n') == NULL && sweep(folder) == 0);
        hsp_error_free(err);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static void test_data_that_cannot_be_reported_on(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4};
    const char *const one[] = {"a", "a", "a", "a"}, *const each[] = {"a", "b", "c", "d"};
    hsp_data *sets[3] = {NULL};
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, NULL, NULL, &sets[0], NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, one, NULL, &sets[1], NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, each, NULL, &sets[2], NULL), 0);
    for (int k = 0; k < 4; k++) {
        hsp_error *err = NULL;
        assert_true(hsp_plot_page(k < 3 ? sets[k] : NULL, NULL, NULL, in_folder("p.html"), NULL, &err) < 0);
        assert_true(err && strstr(hsp_error_message(err), ": ") && sweep(folder) == 0);
        hsp_error_free(err);
    }
    for (int k = 0; k < 3; k++) hsp_data_free(sets[k]);
}

static int64_t until_cancel;

static void cancel_in_time(void) {
    if (until_cancel-- == 0) hsp_cancel();
}

/* Whenever the request to stop comes, the page that it stops consumes it. */
static void test_a_cancelled_page(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "30"));
    hsp_options *o = options_of(PAIRS("algorithm", "lda"));
    int code = HSP_ECANCELLED;
    for (int64_t n = 0; code != HSP_OK; n += 11) {
        hsp_error *err = NULL;
        until_cancel = n;
        at_allocation = cancel_in_time;
        code = hsp_plot_page(data, o, NULL, in_folder("p.html"), NULL, &err);
        at_allocation = NULL;
        assert_true(code == HSP_OK || code == HSP_ECANCELLED);
        if (code == HSP_ECANCELLED) assert_false(hsp_cancel_waiting());
        assert_int_equal(sweep(folder), code == HSP_OK);
        hsp_error_free(err);
    }
    hsp_cancel_consume();
    hsp_options_free(o);
    hsp_data_free(data);
}

/* Without memory there is an error and no file, or the whole page. Every 29th allocation fails: there are hundreds. */
static void test_without_memory(void **state) {
    (void)state;
    hsp_data *data = generated("squares", PAIRS("rows", "30"));
    hsp_options *o = options_of(PAIRS("algorithm", "nearest-mean"));
    bool reached = false;
    for (int64_t calls = 0; !reached; calls += 29) {
        hsp_error *err = NULL;
        hsp_report *report = NULL;
        allowed = calls;
        refused_once = calls % 2;
        int code = hsp_plot_page(data, o, NULL, in_folder("p.html"), &report, &err);
        reached = code == HSP_OK;
        allowed = -1;
        assert_true(code == HSP_OK || code == HSP_EMEMORY);
        assert_true((code == HSP_OK) == (err == NULL) && (code == HSP_OK) == (report != NULL));
        assert_int_equal(sweep(folder), code == HSP_OK);
        hsp_error_free(err);
        hsp_report_free(report);
        assert_true(calls < 20000);
    }
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections),         cmocka_unit_test(test_the_rows_of_each_part),
        cmocka_unit_test(test_the_same_bytes),   cmocka_unit_test(test_the_model_to_keep),
        cmocka_unit_test(test_what_is_refused),  cmocka_unit_test(test_data_that_cannot_be_reported_on),
        cmocka_unit_test(test_a_cancelled_page), cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, sweep_folder);
}
