/* The text of pictures: factors of axes, names that stay different, words that are never cut and never overlap, at any
 * size of the sheet. */
#include "plot/drawn.h"
#include "plot/written.h"

/* ---- data, models, pictures ---- */

/* n rows of d features in K overlapping clusters, in this unit; names may be NULL. */
static hsp_data *clusters(int64_t n, int64_t d, int64_t K, double unit, const char *class, const char *const *names) {
    double *x = malloc((size_t)(n * d) * sizeof *x);
    char(*name)[120] = malloc((size_t)K * sizeof *name);
    const char **y = malloc((size_t)n * sizeof *y);
    hsp_data *data = NULL;
    assert_true(x && name && y);
    for (int64_t k = 0; k < K; k++) snprintf(name[k], sizeof name[k], "%s%d", class, (int)k);
    for (int64_t i = 0; i < n; i++) {
        y[i] = name[i % K];
        for (int64_t j = 0; j < d; j++)
            x[i * d + j] = unit * (1.7 * sin((double)(i * (j + 2) + j)) + (double)((i % K + 1) * (j + 1) % 5));
    }
    assert_int_equal(hsp_data_from_dense(x, n, d, d, y, names, &data, NULL), 0);
    free(x);
    free(name);
    free(y);
    return data;
}

/* The status; `written` has the text that was written. */
static int draw(const char *kind, const hsp_model *const *m, int64_t models, const hsp_data *data, const char *trace,
                const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_figure *f = NULL;
    hsp_error *err = NULL;
    written_count = 0;
    assert_int_equal(hsp_figure_new(kind, o, &f, NULL), 0);
    for (int64_t i = 0; i < models; i++) {
        char name[40];
        snprintf(name, sizeof name, "model-%d.hsm", (int)i);
        assert_int_equal(hsp_figure_add_model(f, m[i], name, NULL), 0);
    }
    if (data) assert_int_equal(hsp_figure_set_data(f, data, "rows.csv", NULL), 0);
    if (trace) assert_int_equal(hsp_figure_add_trace(f, trace, NULL), 0);
    int code = hsp_figure_draw(f, in_folder("a.svg"), NULL, &err);
    if (err && code != HSP_EUSAGE) fail_msg("%s: %s", kind, hsp_error_message(err));
    unlink(in_folder("a.svg"));
    hsp_error_free(err);
    hsp_figure_free(f);
    hsp_options_free(o);
    return code;
}

/* ---- axes ---- */

/* Numbers that are divided by a factor state it: beside a title, after a name, and once for several panels. */
static void test_factors(void **state) {
    (void)state;
    const char *trace = in_folder("t.csv");
    FILE *f = fopen(trace, "w");
    assert_non_null(f);
    fputs("problem,epoch,updates,steps,objective,mean_loss,error,norm,dual_bound,relative_gap,seconds,method\n", f);
    for (int i = 0; i < 9; i++)
        fprintf(f, "0,%d,%d,%d,%d,%d,0.25,%d000000,,,%d,gradient\n", i, i, i, 900 - i, 9 - i, 20 + i, i);
    fclose(f);
    assert_int_equal(draw("trace", NULL, 0, NULL, trace, NULL), 0);
    assert_int_equal(written_with("(\xC3\x97\xE2\x80\xAF"
                                  "10\xE2\x81\xB6)"),
                     1);
    unlink(trace);
    hsp_data *data = clusters(90, 3, 3, 1e-6, "k", NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "perceptron"));
    assert_int_equal(draw("scores", (const hsp_model *const[]){m}, 1, data, NULL, NULL), 0);
    assert_int_equal(written_with("score difference of the true class (\xC3\x97"), 1);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* ---- names ---- */

/* The equation has names when they are short; else letters that are not the name of a column. */
static void test_equation(void **state) {
    (void)state;
    hsp_data *data = clusters(60, 2, 2, 1, "k", PAIRS("x6=Married-civ-spouse", "x11"));
    hsp_model *m = fitted(data, PAIRS("algorithm", "logistic"));
    const hsp_model *const one[] = {m};
    assert_int_equal(draw("boundary", one, 1, data, NULL, NULL), 0);
    assert_int_equal(written_with(" x6=Married-civ-spouse"), 1);
    assert_int_equal(written_with("\xE2\x80\xAFx\xE2\x82\x81\xE2\x82\x81"), 1);
    hsp_model_free(m);
    hsp_data_free(data);
    data = clusters(60, 2, 2, 1, "k", PAIRS("a name much too long to stand in an equation", "x1"));
    m = fitted(data, PAIRS("algorithm", "logistic"));
    assert_int_equal(draw("boundary", (const hsp_model *const[]){m}, 1, data, NULL, NULL), 0);
    assert_int_equal(written_with("u to the right, v upwards"), 1);
    assert_int_equal(written_with("\xE2\x80\xAFx\xE2\x82\x81"), 0);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* ---- clouds ---- */

static void test_clouds(void **state) {
    (void)state;
    hsp_data *data = clusters(12000, 2, 26, 1, "k", NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    const hsp_model *const one[] = {m};
    assert_int_equal(draw("boundary", one, 1, data, NULL, NULL), 0);
    assert_int_equal(written_with("misclassified (darker)"), 1);
    assert_int_equal(written_with("colours repeat after 24"), 1);
    assert_true(written_whole(NULL));
    assert_int_equal(draw("boundary", one, 1, data, NULL, PAIRS("theme", "dark")), 0);
    assert_int_equal(written_with("misclassified (lighter)"), 1);
    hsp_model_free(m);
    hsp_data_free(data);
    for (int64_t k = 0; k < HSP_STYLE_COLOURS; k++)
        for (int64_t l = 0; l < k; l++) {
            assert_int_not_equal(hsp_style_class_colour(&hsp_style_light, k), hsp_style_class_colour(&hsp_style_light, l));
            assert_int_not_equal(hsp_style_class_colour(&hsp_style_dark, k), hsp_style_class_colour(&hsp_style_dark, l));
        }
    for (int64_t k = 0; k < 192; k++)
        for (int64_t l = 0; l < k; l++)
            assert_true(hsp_style_class_colour(&hsp_style_light, k) != hsp_style_class_colour(&hsp_style_light, l) ||
                        hsp_style_class_marker(k) != hsp_style_class_marker(l));
}

/* ---- numbers ---- */

/* The counts of a matrix with many classes: all of them, or none. */
static void test_counts(void **state) {
    (void)state;
    for (int64_t K = 12; K <= 40; K += 4) {
        hsp_data *data = NULL;
        int64_t n = 12345 + K; /* all but a few of the first class */
        double *x = calloc((size_t)n, sizeof *x);
        const char **y = malloc((size_t)n * sizeof *y);
        char name[40][8];
        assert_true(x && y);
        for (int64_t k = 0; k < K; k++) snprintf(name[k], sizeof name[k], "c%02d", (int)k);
        for (int64_t i = 0; i < n; i++) {
            y[i] = name[i < K ? i : 0];
            x[i] = i < K ? (double)(10 * i) : 0;
        }
        assert_int_equal(hsp_data_from_dense(x, n, 1, 1, y, NULL, &data, NULL), 0);
        hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
        assert_int_equal(draw("confusion", (const hsp_model *const[]){m}, 1, data, NULL, NULL), 0);
        int ones = 0;
        for (int i = 0; i < written_count; i++) ones += strcmp(written[i].text, "1") == 0;
        bool large = written_with("12\xE2\x80\xAF"
                                  "346") +
                         written_with("12\xE2\x80\xAFk") >
                     0;
        if (ones != (large ? K - 1 : 0)) fail_msg("%d classes: %d small counts, the large one %d", (int)K, ones, large);
        hsp_model_free(m);
        hsp_data_free(data);
        free(x);
        free(y);
    }
}

/* All rows on one side of the threshold: the words on the other side have space too. */
static void test_threshold(void **state) {
    (void)state;
    static const char *const kinds[] = {"scores", "projection"};
    hsp_data *data = clusters(60, 1, 2, 1, "k", NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    for (int far = -1; far <= 1; far += 2) {
        double x[20];
        const char *y[20];
        hsp_data *some = NULL;
        for (int i = 0; i < 20; i++) x[i] = 1.5 + far * (0.1 + 0.1 * i), y[i] = i % 2 ? "k1" : "k0";
        assert_int_equal(hsp_data_from_dense(x, 20, 1, 1, y, NULL, &some, NULL), 0);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(draw(kinds[k], (const hsp_model *const[]){m}, 1, some, NULL, NULL), 0);
            assert_int_equal(written_with("predicted k0") + written_with("predicted k1"), k == 0 ? 3 : 2);
            assert_true(written_whole(NULL));
        }
        hsp_data_free(some);
    }
    hsp_model_free(m);
    hsp_data_free(data);
}

/* Weights at both ends of the range of a double. */
static void test_weights(void **state) {
    (void)state;
    static const double unit[] = {1e-307, 1e300};
    for (int u = 0; u < 2; u++) {
        double x[40], y[20];
        hsp_data *data = NULL;
        for (int i = 0; i < 20; i++) {
            x[2 * i] = sin(i), x[2 * i + 1] = cos(3 * i);
            y[i] = 1e-3 * (3 * x[2 * i] - 2 * x[2 * i + 1]);
        }
        assert_int_equal(hsp_data_from_dense(x, 20, 2, 2, NULL, NULL, &data, NULL), 0);
        assert_int_equal(hsp_data_set_targets(data, y, NULL), 0);
        hsp_model *m = fitted(data, PAIRS("algorithm", "least-squares", "task", "regression"));
        hsp_array w = {.size = sizeof w};
        assert_int_equal(hsp_model_array(m, "weights", &w, NULL), 0);
        for (int j = 0; j < 2; j++) ((double *)(uintptr_t)w.data)[j] *= unit[u]; /* no solver would compute there */
        assert_int_equal(draw("weights", (const hsp_model *const[]){m}, 1, NULL, NULL, NULL), 0);
        assert_int_equal(
            written_with(u == 0 ? "\xE2\x81\xBB\xC2\xB3\xC2\xB9\xE2\x81\xB0" : "\xC2\xB2\xE2\x81\xB9\xE2\x81\xB7"), 2);
        hsp_model_free(m);
        hsp_data_free(data);
    }
}

/* A count of one is in the singular, and what is not marked is not explained. */
static void test_numbers_of_things(void **state) {
    (void)state;
    hsp_data *data = clusters(80, 4, 2, 1, "k", NULL);
    assert_int_equal(draw("path", NULL, 0, data, NULL, PAIRS("top", "1")), 0);
    assert_int_equal(written_with("the largest is drawn"), 1);
    assert_int_equal(draw("path", NULL, 0, data, NULL, PAIRS("top", "2")), 0);
    assert_int_equal(written_with("the 2 largest are drawn"), 1);
    hsp_data_free(data);
    double x[20];
    const char *y[20];
    for (int i = 0; i < 20; i++) x[i] = i, y[i] = i % 10 == 9 ? "rare" : "often";
    assert_int_equal(hsp_data_from_dense(x, 20, 1, 1, y, NULL, &data, NULL), 0);
    hsp_model *none =
        fitted(data, PAIRS("algorithm", "logistic", "lambda", "100", "positive", "rare")); /* takes no level for rare */
    assert_int_equal(draw("pr", (const hsp_model *const[]){none}, 1, data, NULL, NULL), 0);
    assert_int_equal(written_with("threshold of the model"), 0);
    hsp_model_free(none);
    hsp_data_free(data);
}

/* ---- sizes ---- */

static const char *const sizes[] = {"240x240", "300x2000", "4000x300", "480x320", "640x960", "960x640", "1600x1000"};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct scene {
    const char *kind;
    int64_t models;
    bool data;
    const char *option, *value;
} scene;

static const scene scenes[] = {
    {"boundary", 1, true, NULL, NULL},
    {"boundary", 2, true, NULL, NULL},
    {"boundary", 2, true, "layout", "panels"},
    {"roc", 1, true, NULL, NULL},
    {"roc", 2, true, NULL, NULL},
    {"pr", 1, true, NULL, NULL},
    {"calibration", 1, true, NULL, NULL},
    {"calibration", 2, true, NULL, NULL},
    {"confusion", 1, true, NULL, NULL},
    {"scores", 1, true, NULL, NULL},
    {"projection", 1, true, NULL, NULL},
    {"weights", 1, false, NULL, NULL},
    {"losses", 0, false, NULL, NULL},
    {"lambda", 0, true, "lambdas", "1e-4:1:5"},
    {"path", 0, true, "positive", "k1"},
    {"learning-curve", 0, true, "repeats", "2"},
    {"bias-variance", 0, true, "lambdas", "1e-3:1:3"},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* Nothing overlaps; at the usual size no word of ours is cut. */
static void check_sizes(int64_t K, const char *class, const char *algorithm) {
    hsp_data *data = clusters(40 * K, 4, K, 1, class, NULL);
    hsp_model *m = fitted(data, PAIRS("algorithm", algorithm));
    const hsp_model *const both[] = {m, m};
    char positive[160];
    snprintf(positive, sizeof positive, "%s1", class);
    for (int s = 0; s < SCENES; s++) {
        const scene *e = &scenes[s];
        bool path = strcmp(e->kind, "path") == 0;
        if (K > 2 && (strcmp(e->kind, "projection") == 0 || strcmp(e->kind, "calibration") == 0)) continue;
        if (K > 3 && !e->models) continue;
        for (int z = 0; z < SIZES; z++) {
            const char *const pairs[] = {"size", sizes[z], e->option, path ? positive : e->value, NULL};
            double width = strtod(sizes[z], NULL), height = strtod(strchr(sizes[z], 'x') + 1, NULL);
            int code = draw(e->kind, both, e->models, e->data ? data : NULL, NULL, pairs);
            if (code != HSP_OK) continue; /* one line says how large it must be */
            if (!written_apart(width, height)) fail_msg("%s of %d classes, %s", e->kind, (int)K, sizes[z]);
            if (strcmp(sizes[z], "960x640") == 0 && !written_whole(class)) fail_msg("%s of %d classes", e->kind, (int)K);
        }
    }
    hsp_model_free(m);
    hsp_data_free(data);
}

static void test_sizes(void **state) {
    (void)state;
    check_sizes(2, "k", "logistic");
    check_sizes(3, "k", "logistic");
    check_sizes(2, "a long class name with the number ", "lda");
    check_sizes(17, "a long class name with the number ", "lda");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_equation),
        cmocka_unit_test(test_clouds),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_numbers_of_things),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
