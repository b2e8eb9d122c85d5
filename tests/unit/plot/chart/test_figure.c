/* Figures that are drawn more than once, and models that do not have the same columns, classes or rows. */
#include "plot/drawn.h"
#include "report_json.h"

#include <pthread.h>

enum { ROWS = 80 };

/* Rows of two features named as said, of K classes. */
static hsp_data *rows_of(int64_t n, int64_t K, const char *const *names, int first) {
    static const char *const labels[] = {"ant", "bee", "cow"};
    double x[2 * ROWS];
    const char *y[ROWS];
    hsp_data *data = NULL;
    uint32_t seed = 7;
    for (int64_t i = 0; i < n; i++) {
        double noise[2];
        for (int j = 0; j < 2; j++) noise[j] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 0x1p24;
        y[i] = labels[i % K];
        x[2 * i + first] = (double)(i % K) + 2 * noise[0];
        x[2 * i + 1 - first] = 3 * noise[1];
    }
    assert_int_equal(hsp_data_from_dense(x, n, 2, 2, y, names, &data, NULL), 0);
    return data;
}

static hsp_figure *figure_of(const char *kind) {
    hsp_figure *f = NULL;
    assert_int_equal(hsp_figure_new(kind, NULL, &f, NULL), 0);
    return f;
}

static void draw(hsp_figure *f) {
    hsp_error *err = NULL;
    if (hsp_figure_draw(f, in_folder("f.svg"), NULL, &err)) fail_msg("%s", hsp_error_message(err));
    unlink(in_folder("f.svg"));
}

static void draw_fails(hsp_figure *f, int code, const char *words) {
    hsp_error *err = NULL;
    assert_int_equal(hsp_figure_draw(f, in_folder("f.svg"), NULL, &err), code);
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' is not in: %s", words, hsp_error_message(err));
    hsp_error_free(err);
}

static void report(const hsp_figure *f, char **json) {
    hsp_report *r = NULL;
    assert_int_equal(hsp_figure_report(f, &r, NULL), 0);
    *json = take_json(r);
    assert_non_null(*json);
}

/* What failed is tried again; what was added since is drawn. */
static void test_again(void **state) {
    (void)state;
    static const char *const kinds[] = {"roc", "pr", "calibration"};
    hsp_data *data = rows_of(ROWS, 2, NULL, 0), *few = rows_of(40, 2, NULL, 0), *more = rows_of(ROWS, 3, NULL, 0);
    hsp_model *m = fitted(data, NULL), *other = fitted(few, NULL);
    for (int k = 0; k < 3; k++) {
        hsp_figure *f = figure_of(kinds[k]);
        char *one = NULL, *two = NULL, *changed = NULL;
        assert_int_equal(hsp_figure_add_model(f, m, "m", NULL), 0);
        assert_int_equal(hsp_figure_set_data(f, more, "more", NULL), 0);
        draw_fails(f, HSP_EINPUT, "cow");
        draw_fails(f, HSP_EINPUT, "cow");
        assert_int_equal(hsp_figure_set_data(f, data, "data", NULL), 0);
        draw(f);
        report(f, &one);
        assert_int_equal(count_of(one, "\"kind\""), 1);
        assert_int_equal(hsp_figure_add_model(f, other, "other", NULL), 0);
        draw(f);
        report(f, &two);
        assert_int_equal(count_of(two, "\"kind\""), 2);
        assert_memory_equal(one, two, strlen(one) - 1);
        assert_int_equal(hsp_figure_set_data(f, few, "few", NULL), 0);
        draw(f);
        report(f, &changed);
        assert_int_equal(count_of(changed, "\"rows\":40,"), 2);
        assert_int_equal(count_of(two, "\"rows\":80,"), 2);
        hsp_free(one);
        hsp_free(two);
        hsp_free(changed);
        hsp_figure_free(f);
    }
    hsp_model_free(m);
    hsp_model_free(other);
    hsp_data_free(data);
    hsp_data_free(few);
    hsp_data_free(more);
}

/* The study of the second or third model may run out of memory: the figure stays as it was. */
static void test_memory(void **state) {
    (void)state;
    hsp_data *data = rows_of(ROWS, 2, NULL, 0);
    hsp_model *m = fitted(data, NULL);
    hsp_figure *f = figure_of("roc");
    for (int i = 0; i < 9; i++) assert_int_equal(hsp_figure_add_model(f, m, "m", NULL), 0);
    assert_int_equal(hsp_figure_set_data(f, data, "data", NULL), 0);
    assert_true(expect_whole_or_none(draw_figure, &f, "pdf") > 8 && expect_whole_or_none(draw_figure, &f, "png") > 8);
    expect_memory_to_matter(f);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* Each model sees the rows as they were read for it: its curve is the one that it has alone. The means of columns do not depend
 * on their order, not even in the last bits. */
static void test_columns(void **state) {
    (void)state;
    static const char *const straight[] = {"u", "v"}, *const turned[] = {"v", "u"};
    const char *const *means = PAIRS("algorithm", "nearest-mean");
    hsp_data *a = rows_of(ROWS, 2, straight, 0), *b = rows_of(ROWS, 2, turned, 1);
    hsp_model *m = fitted(a, means), *t = fitted(b, means);
    hsp_figure *alone = figure_of("roc"), *f = figure_of("roc");
    char *one = NULL, *two = NULL;
    assert_int_equal(hsp_figure_add_model_data(alone, m, a, "m", NULL), 0);
    assert_int_equal(hsp_figure_add_model(f, m, "m", NULL), 0);
    assert_int_equal(hsp_figure_add_model_data(f, t, b, "turned", NULL), 0);
    assert_int_equal(hsp_figure_set_data(f, a, "rows", NULL), 0);
    draw(alone);
    draw(f);
    report(alone, &one);
    report(f, &two);
    size_t n = strlen(one) - 2;
    assert_memory_equal(two, one, n + 1);
    assert_memory_equal(two + n + 2, one + 1, n); /* and again */
    hsp_free(one);
    hsp_free(two);
    hsp_figure_free(alone);
    hsp_figure_free(f);
    f = figure_of("roc"); /* columns that are not the model's are not taken for them */
    assert_int_equal(hsp_figure_add_model(f, m, "m", NULL), 0);
    assert_int_equal(hsp_figure_add_model(f, t, "turned", NULL), 0);
    assert_int_equal(hsp_figure_set_data(f, a, "rows", NULL), 0);
    expect_refused(f, HSP_EINPUT, "feature 'u' where the model has 'v'");
    f = figure_of("boundary");
    assert_int_equal(hsp_figure_add_model_data(f, m, a, "m", NULL), 0);
    assert_int_equal(hsp_figure_add_model_data(f, t, b, "turned", NULL), 0);
    expect_refused(f, HSP_EINPUT, "'m' and 'turned' have different features: draw each separately");
    hsp_data_free(b);
    b = rows_of(ROWS / 2, 2, straight, 0);
    f = figure_of("roc");
    assert_int_equal(hsp_figure_add_model_data(f, m, a, "m", NULL), 0);
    assert_int_equal(hsp_figure_add_model_data(f, m, b, "half", NULL), 0);
    expect_refused(f, HSP_EINPUT, "'m' has 80 rows to evaluate, 'half' has 40: draw each separately");
    hsp_model_free(m);
    hsp_model_free(t);
    hsp_data_free(a);
    hsp_data_free(b);
}

/* A picture of several models names one class. */
static void test_classes(void **state) {
    (void)state;
    static const char *const kinds[] = {"roc", "pr", "calibration"};
    hsp_data *two = rows_of(ROWS, 2, NULL, 0), *three = rows_of(ROWS, 3, NULL, 0);
    hsp_model *ant = fitted(two, (const char *const[]){"positive", "ant", NULL});
    hsp_model *bee = fitted(two, (const char *const[]){"positive", "bee", NULL}), *all = fitted(three, NULL);
    for (int k = 0; k < 3; k++) {
        hsp_figure *f = figure_of(kinds[k]);
        assert_int_equal(hsp_figure_add_model(f, bee, "bees", NULL), 0);
        assert_int_equal(hsp_figure_add_model(f, bee, "more bees", NULL), 0);
        assert_int_equal(hsp_figure_set_data(f, two, "rows", NULL), 0);
        draw(f);
        assert_int_equal(hsp_figure_add_model(f, ant, "ants", NULL), 0);
        expect_refused(
            f, HSP_EUSAGE,
            "the positive class of 'bees' is 'bee', that of 'ants' is 'ant': train both with the same --positive");
    }
    hsp_figure *f = figure_of("calibration");
    assert_int_equal(hsp_figure_add_model(f, bee, "bees", NULL), 0);
    assert_int_equal(hsp_figure_add_model(f, all, "all", NULL), 0);
    assert_int_equal(hsp_figure_set_data(f, two, "rows", NULL), 0);
    expect_refused(f, HSP_EUSAGE,
                   "several models can be drawn only for two classes, and 'all' has 3: draw one model at a time");
    hsp_model_free(ant);
    hsp_model_free(bee);
    hsp_model_free(all);
    hsp_data_free(two);
    hsp_data_free(three);
}

/* A part of the rows has the names of all classes: a class without a row there does not matter. */
static void test_class_without_rows(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 1, 2, 0, 3, 1, 4, 4};
    static const char *const y[] = {"ant", "ant", "bee", "bee", "cow"};
    hsp_data *all = NULL, *train = NULL, *test = NULL;
    hsp_options *o = options_of((const char *const[]){"test", "1", "stratify", "no", NULL});
    hsp_array labels = {.size = sizeof labels};
    int32_t held = -1;
    assert_int_equal(hsp_data_from_dense(x, 5, 2, 2, y, NULL, &all, NULL), 0);
    for (int seed = 1; held != 2; seed++) { /* until the row held out is the cow */
        char text[16];
        snprintf(text, sizeof text, "%d", seed);
        hsp_data_free(train);
        hsp_data_free(test);
        assert_true(seed < 1000);
        assert_int_equal(hsp_options_set(o, "seed", text, NULL), 0);
        assert_int_equal(hsp_data_split(all, o, &train, &test, NULL), 0);
        assert_int_equal(hsp_data_array(test, "labels", &labels, NULL), 0);
        held = *(const int32_t *)labels.data;
    }
    hsp_data *two = rows_of(ROWS, 2, NULL, 0);
    hsp_model *m = fitted(two, NULL);
    hsp_figure *f = figure_of("boundary");
    assert_int_equal(hsp_figure_add_model_data(f, m, train, "m", NULL), 0);
    draw(f);
    hsp_figure_free(f);
    f = figure_of("boundary");
    assert_int_equal(hsp_figure_add_model_data(f, m, test, "m", NULL), 0);
    expect_refused(f, HSP_EINPUT, "class 'cow' of the data is not in the model");
    hsp_model_free(m);
    hsp_data_free(two);
    hsp_data_free(all);
    hsp_data_free(train);
    hsp_data_free(test);
    hsp_options_free(o);
}

/* One picture of a model, drawn again and again in a thread of its own. */
typedef struct artist {
    const hsp_model *m;
    const hsp_data *data;
    const char *path;
    int status;
} artist;

static void *draw_often(void *user) {
    artist *a = user;
    for (int turn = 0; turn < 5 && a->status == HSP_OK; turn++)
        a->status = hsp_plot("boundary", a->m, a->data, NULL, a->path, NULL);
    return NULL;
}

/* Threads that share a model and its data draw the same bytes as one alone. */
static void test_threads(void **state) {
    (void)state;
    enum { THREADS = 4 };
    static const char *const names[] = {"t0.svg", "t1.svg", "t2.svg", "t3.svg"};
    hsp_data *data = rows_of(ROWS, 3, NULL, 0);
    hsp_model *m = fitted(data, NULL);
    pthread_t thread[THREADS];
    artist a[THREADS];
    assert_int_equal(hsp_plot("boundary", m, data, NULL, in_folder("f.svg"), NULL), 0);
    char *alone = contents(in_folder("f.svg"), NULL);
    for (int k = 0; k < THREADS; k++) {
        a[k] = (artist){m, data, in_folder(names[k]), HSP_OK};
        assert_int_equal(pthread_create(&thread[k], NULL, draw_often, &a[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(a[k].status, HSP_OK);
        char *drawn_there = contents(a[k].path, NULL);
        assert_string_equal(drawn_there, alone);
        free(drawn_there);
        unlink(a[k].path);
    }
    free(alone);
    unlink(in_folder("f.svg"));
    hsp_model_free(m);
    hsp_data_free(data);
}

/* A trace that cannot be read leaves the figure with what it had. */
static void test_failed_trace(void **state) {
    (void)state;
    hsp_data *data = rows_of(ROWS, 2, NULL, 0);
    hsp_model *m = fitted(data, NULL);
    hsp_figure *f = figure_of("roc");
    char *before = NULL, *after = NULL;
    assert_int_equal(hsp_figure_add_model(f, m, "m", NULL), 0);
    assert_int_equal(hsp_figure_set_data(f, data, NULL, NULL), 0);
    draw(f);
    report(f, &before);
    assert_true(hsp_figure_add_trace(f, in_folder("nowhere.csv"), NULL) < 0);
    report(f, &after);
    assert_string_equal(before, after);
    draw(f);
    hsp_free(before);
    hsp_free(after);
    hsp_figure_free(f);
    hsp_model_free(m);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_class_without_rows),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_failed_trace),
    };
    return cmocka_run_group_tests(t, make_folder, remove_folder);
}
