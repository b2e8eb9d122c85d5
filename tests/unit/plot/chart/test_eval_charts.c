/* Charts of a model's performance and of its weights: their elements, where these are, and what is refused. */
#include "halfspace_plot.h"
#include "plot/draw/numeral.h"
#include "plot/part/sentence.h"

#include <math.h>

#include "plot/drawn.h"

/* ---- data and models ---- */

static double draw_number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p24;
}

/* n rows of d features in K overlapping clusters; every name is `name` and a number. */
static hsp_data *clusters(int64_t n, int64_t d, int64_t K, const char *name, double unit) {
    double *x = malloc((size_t)(n * d) * sizeof *x);
    char(*names)[160] = malloc((size_t)K * sizeof *names);
    const char **y = malloc((size_t)n * sizeof *y);
    hsp_data *data = NULL;
    uint32_t seed = 17;
    assert_true(x && names && y);
    for (int64_t k = 0; k < K; k++) snprintf(names[k], sizeof names[k], "%s %03d", name, (int)k);
    for (int64_t i = 0; i < n; i++) {
        y[i] = names[i % K];
        for (int64_t j = 0; j < d; j++)
            x[i * d + j] = unit * ((double)(i % K * (j + 1) % 7) + 3 * (draw_number(&seed) + draw_number(&seed) - 1));
    }
    assert_int_equal(hsp_data_from_dense(x, n, d, d, y, NULL, &data, NULL), 0);
    free(x);
    free(names);
    free(y);
    return data;
}

/* ---- pictures as text ---- */

typedef struct setting {
    const char *name, *value;
} setting;

/* The SVG, to be freed; NULL and the error when there is none. */
static char *picture(const char *kind, const hsp_model *const *m, int64_t models, const hsp_data *data, setting s,
                     hsp_error **err) {
    char path[64];
    hsp_options *o = NULL;
    hsp_figure *f = NULL;
    snprintf(path, sizeof path, "%s/a.svg", folder);
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    if (s.name) assert_int_equal(hsp_options_set(o, s.name, s.value, NULL), 0);
    assert_int_equal(hsp_figure_new(kind, o, &f, NULL), 0);
    for (int64_t i = 0; i < models; i++) {
        char name[32];
        snprintf(name, sizeof name, "model %d", (int)i);
        assert_int_equal(hsp_figure_add_model(f, m[i], name, NULL), 0);
    }
    if (data) assert_int_equal(hsp_figure_set_data(f, data, "rows.csv", NULL), 0);
    int code = hsp_figure_draw(f, path, NULL, err);
    hsp_figure_free(f);
    hsp_options_free(o);
    if (code != HSP_OK) {
        assert_int_not_equal(access(path, F_OK), 0);
        return NULL;
    }
    char *text = contents(path, NULL);
    unlink(path);
    return text;
}

/* Every coordinate of every path and glyph is on the sheet, except for half a line width and what is clipped. */
static void on_the_sheet(const char *svg, double width, double height) {
    const char *at = strstr(svg, "</defs>");
    at = at ? at : svg;
    while ((at = strstr(at, "<use "))) {
        const char *x = strstr(at, " x=\""), *y = strstr(at, " y=\""), *end = strchr(at, '>');
        if (x && y && x < end && y < end) {
            double px, py;
            assert_int_equal(hsp_parse_number(x + 4, strcspn(x + 4, "\""), &px), 0);
            assert_int_equal(hsp_parse_number(y + 4, strcspn(y + 4, "\""), &py), 0);
            if (px < 0 || px > width || py < 0 || py > height) fail_msg("a letter stands at %f, %f", px, py);
        }
        at += 5;
    }
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
}

static char *drawn(const char *kind, const hsp_model *m, const hsp_data *data, setting s) {
    hsp_error *err = NULL;
    char *svg = picture(kind, &m, 1, data, s, &err);
    if (!svg) fail_msg("%s: %s", kind, hsp_error_message(err));
    on_the_sheet(svg, 960, 640);
    return svg;
}

static void refused(const char *kind, const hsp_model *m, const hsp_data *data, setting s, int code, const char *words) {
    hsp_error *err = NULL;
    char *svg = picture(kind, &m, 1, data, s, &err);
    assert_null(svg);
    assert_int_equal(hsp_error_code(err), code);
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' is not in: %s", words, hsp_error_message(err));
    assert_null(strchr(hsp_error_message(err), '\n'));
    hsp_error_free(err);
}

/* ---- the tests ---- */

static const char *const kinds[] = {"roc", "pr", "calibration", "confusion", "scores", "projection"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const char long_name[] = "a name that is longer than anything that could stand anywhere in a picture of this size "
                                "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D";

static void test_everything(void **state) {
    (void)state;
    static const int64_t classes[] = {2, 3, 9, 20, 45};
    for (int c = 0; c < 5; c++)
        for (int n = 0; n < 2; n++) {
            hsp_data *data = clusters(20 * classes[c], 3, classes[c], n ? long_name : "k", 1);
            hsp_model *m = fitted(data, PAIRS("algorithm", "lda"));
            for (int k = 0; k < KINDS; k++) {
                if (classes[c] > 2 && strcmp(kinds[k], "projection") == 0) continue;
                free(drawn(kinds[k], m, data, (setting){"theme", n ? "dark" : "light"}));
            }
            free(drawn("weights", m, NULL, (setting){NULL, NULL}));
            hsp_model_free(m);
            hsp_data_free(data);
        }
}

static void test_extremes(void **state) {
    (void)state;
    static const double unit[] = {0, 1e-12, 1e12};
    hsp_data *seen = clusters(60, 1, 2, "k", 1);
    hsp_model *m = fitted(seen, PAIRS("algorithm", "logistic"));
    for (int u = 0; u < 3; u++)
        for (int64_t n = 1; n <= 40; n += 39) {
            hsp_data *data = clusters(n, 1, n > 1 ? 2 : 1, "k", unit[u]);
            for (int k = 0; k < KINDS; k++) {
                bool ranked = strcmp(kinds[k], "roc") == 0 || strcmp(kinds[k], "pr") == 0;
                if (n == 1 && ranked)
                    refused(kinds[k], m, data, (setting){NULL, NULL}, HSP_EINPUT, "class");
                else
                    free(drawn(kinds[k], m, data, (setting){NULL, NULL}));
            }
            hsp_data_free(data);
        }
    hsp_model_free(m);
    hsp_data_free(seen);
}

/* One image for each class, the colour scale, and no other image. */
static void test_images(void **state) {
    (void)state;
    for (int64_t K = 2; K <= 5; K++) {
        hsp_data *data = clusters(60, 12, K, "k", 1);
        hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
        char *svg = drawn("weights", m, NULL, (setting){"image", "4x3"});
        assert_int_equal(count_of(svg, "<image "), (K == 2 ? 1 : K) + 1);
        free(svg);
        refused("weights", m, NULL, (setting){"image", "4x4"}, HSP_EUSAGE, "12 features do not fill an image of 16 pixels");
        refused("weights", m, NULL, (setting){"image", "3x3"}, HSP_EUSAGE, "12 features do not fill an image of 9 pixels");
        refused("weights", m, NULL, (setting){"image", "12"}, HSP_EUSAGE, "not an image size");
        refused("weights", m, NULL, (setting){"image", "0x12"}, HSP_EUSAGE, "not an image size");
        hsp_model_free(m);
        hsp_data_free(data);
    }
}

/* Features of a sparse file are named by their numbers: they are drawn where these say, and those that never occurred
 * are 0. */
static void test_sparse_image(void **state) {
    (void)state;
    char path[64];
    hsp_data *data = NULL;
    hsp_options *o = NULL;
    hsp_error *err = NULL;
    snprintf(path, sizeof path, "%s/a.svm", folder);
    static const char text[] = "1 2:1 5:1\n2 3:1 7:2\n1 2:2\n2 7:1\n";
    assert_int_equal(hsp_write_file(path, text, sizeof text - 1, NULL), 0);
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "format", "svmlight", NULL), 0);
    if (hsp_data_read(path, o, NULL, &data, &err)) fail_msg("%s", hsp_error_message(err));
    unlink(path);
    hsp_model *m = fitted(data, PAIRS("algorithm", "logistic"));
    free(drawn("weights", m, NULL, (setting){"image", "3x3"}));
    refused("weights", m, NULL, (setting){"image", "2x2"}, HSP_EUSAGE, "do not fill an image of 4 pixels");
    hsp_options_free(o);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* More features than fit are counted, not drawn: the file does not grow with them. */
static void test_top(void **state) {
    (void)state;
    hsp_data *data = clusters(60, 300, 2, "k", 1);
    hsp_model *m = fitted(data, PAIRS("algorithm", "nearest-mean"));
    char *few = drawn("weights", m, NULL, (setting){"top", "3"}),
         *many = drawn("weights", m, NULL, (setting){"top", "250"});
    assert_true(strlen(few) < strlen(many) && strlen(many) < 600000);
    free(few);
    free(many);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void test_several_models(void **state) {
    (void)state;
    for (int64_t K = 2; K <= 3; K++) {
        hsp_data *data = clusters(90, 2, K, "k", 1);
        hsp_model *a = fitted(data, PAIRS("algorithm", "logistic")), *b = fitted(data, PAIRS("algorithm", "lda"));
        const hsp_model *models[] = {a, b, a, b, a, b, a, b, a, b};
        for (int k = 0; k < KINDS; k++) {
            hsp_error *err = NULL;
            bool takes = k < 3 && !(K == 3 && strcmp(kinds[k], "calibration") == 0);
            char *svg = picture(kinds[k], models, k == 0 ? 10 : 2, data, (setting){NULL, NULL}, &err);
            assert_true((svg != NULL) == takes);
            if (svg) on_the_sheet(svg, 960, 640);
            if (!svg) assert_int_equal(hsp_error_code(err), HSP_EUSAGE);
            hsp_error_free(err);
            free(svg);
        }
        hsp_model_free(a);
        hsp_model_free(b);
        hsp_data_free(data);
    }
}

static void test_refused(void **state) {
    (void)state;
    const setting none = {NULL, NULL};
    const double x[] = {1, 2, 3, 4, 5, 6};
    hsp_data *data = clusters(60, 2, 3, "k", 1), *numbers = NULL, *bare = NULL;
    hsp_model *svm = fitted(data, PAIRS("algorithm", "svm"));
    assert_int_equal(hsp_data_from_dense(x, 6, 1, 1, NULL, NULL, &numbers, NULL), 0);
    assert_int_equal(hsp_data_set_targets(numbers, x, NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 3, 2, 2, NULL, NULL, &bare, NULL), 0);
    hsp_model *r = fitted(numbers, PAIRS("algorithm", "ridge"));
    refused("projection", svm, data, none, HSP_EUSAGE, "plot boundary");
    refused("calibration", svm, data, none, HSP_EUSAGE, "or with logistic or lda");
    refused("confusion", svm, data, (setting){"bins", "20"}, HSP_EUSAGE, "--bins");
    refused("weights", svm, data, none, HSP_EUSAGE, "leave the rest out");
    for (int k = 0; k < KINDS; k++) {
        refused(kinds[k], r, numbers, none, HSP_EUSAGE, "the model is a regression");
        if (k != 2 && k != 5) refused(kinds[k], svm, bare, none, HSP_EINPUT, "no label column");
        refused(kinds[k], svm, NULL, none, HSP_EUSAGE, "needs data");
        refused(kinds[k], NULL, data, none, HSP_EUSAGE, "");
    }
    free(drawn("weights", r, NULL, none)); /* weights are weights */
    hsp_data_free(data);
    hsp_data_free(numbers);
    hsp_data_free(bare);
    hsp_model_free(svm);
    hsp_model_free(r);
}

static void test_memory(void **state) {
    (void)state;
    for (int64_t K = 2; K <= 9; K += 7) {
        hsp_data *data = clusters(90, 4, K, "k", 1);
        hsp_model *m = fitted(data, PAIRS("algorithm", "lda"));
        for (int k = 0; k <= KINDS + 1; k++) {
            const char *kind = k < KINDS ? kinds[k] : "weights";
            if (K > 2 && strcmp(kind, "projection") == 0) continue;
            hsp_options *o = NULL;
            assert_int_equal(hsp_options_new(&o, NULL), 0);
            if (k > KINDS) assert_int_equal(hsp_options_set(o, "image", "2x2", NULL), 0);
            expect_whole_or_none(draw_job, &(plot_job){kind, m, k < KINDS ? data : NULL, o}, "svg");
            hsp_options_free(o);
        }
        hsp_model_free(m);
        hsp_data_free(data);
    }
}

/* ---- words ---- */

static void expect_percent(double part, double whole, const char *words) {
    char text[HSP_NUMERAL], plain[HSP_NUMERAL];
    size_t n = 0;
    hsp_sentence_percent(part, whole, text);
    for (const char *s = text; *s; s++) /* without the narrow space */
        if ((unsigned char)*s < 0x80) plain[n++] = *s;
    plain[n] = 0;
    assert_string_equal(plain, words);
}

static void test_words(void **state) {
    (void)state;
    char text[HSP_NUMERAL], name[HSP_SHORT];
    expect_percent(0, 1000, "0%");
    expect_percent(1000, 1000, "100%");
    expect_percent(146, 150, "97%");
    expect_percent(562, 569, "98.8%");
    expect_percent(240, 342, "70.2%");
    expect_percent(999999, 1000000, "99.9%");
    expect_percent(3, 1000000, "0.0003%");
    expect_percent(0.5, 1, "50%");
    expect_percent(1, 1, "100%");
    expect_percent(0, 1, "0%");
    expect_percent(0.25, 2.5, "10%");
    expect_percent(0, 0, "none");
    const struct {
        double v;
        const char *text;
    } areas[] = {{0.5, "0.500"},           {0.9994, "0.999"},  {0.9996, "0.9996"},    {1, "1"},
                 {0.99999999, "0.999999"}, {0.0123, "0.0123"}, {(double)NAN, "none"}, {0, "0"}};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        hsp_sentence_area(areas[i].v, text);
        assert_string_equal(text, areas[i].text);
    }
    hsp_sentence_name("short", name);
    assert_string_equal(name, "short");
    hsp_sentence_cut("0123456789", 4, name);
    assert_string_equal(name, "01\xE2\x80\xA6"
                              "89");
    hsp_sentence_cut("0123456789", 10, name);
    assert_string_equal(name, "0123456789");
    hsp_sentence_cut("a\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 3, name); /* whole characters */
    assert_string_equal(name, "a\xC3\xA4\xE2\x80\xA6\xC3\x9F");
    for (size_t n = 0; n < sizeof long_name; n++) { /* any end, whole characters only */
        hsp_sentence_cut(long_name + n, (int)(n % 40), name);
        assert_true(strlen(name) < HSP_SHORT);
    }
    char wide[1000];
    for (int i = 0; i < 996; i += 4) memcpy(wide + i, "\xF0\x9F\x90\x9D", 5);
    hsp_sentence_name(wide, name);
    assert_true(strlen(name) < HSP_SHORT && strstr(name, "\xE2\x80\xA6"));
    char other[HSP_SHORT]; /* names with the same beginning stay different */
    hsp_sentence_name("a long class name with the number 17", name);
    hsp_sentence_name("a long class name with the number 18", other);
    assert_string_not_equal(name, other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),   cmocka_unit_test(test_extremes), cmocka_unit_test(test_images),
        cmocka_unit_test(test_sparse_image), cmocka_unit_test(test_top),      cmocka_unit_test(test_several_models),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_words),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
