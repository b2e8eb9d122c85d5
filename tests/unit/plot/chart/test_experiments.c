/* The charts that train, by the structure of their drawings: curves are counted, words are within the sheet and do not
 * overlap. */
#include "halfspace_plot.h"

#include "plot/draw/numeral.h"
#include "plot/part/error_curves.h"
#include "plot/part/lambda_axis.h"

#include <math.h>

#include "plot/drawn.h"

/* ---- data ---- */

enum { ROWS = 60, MOST = 12 };

/* K overlapping clusters of d features; K = 0: numbers to predict. Names may be long, or the default. */
static hsp_data *clusters(int64_t d, int64_t K, double unit, const char *const *names) {
    static const char *const labels[] = {"alpha",
                                         "a name that is too long for any key beside a picture",
                                         "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
                                         "d \xF0\x9F\x98\x80",
                                         "e",
                                         "f",
                                         "g",
                                         "h",
                                         "i",
                                         "j",
                                         "k",
                                         "l"};
    double x[ROWS * MOST], target[ROWS];
    const char *y[ROWS];
    hsp_data *data = NULL;
    uint32_t seed = 5;
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t k = K ? i % K : 0;
        y[i] = labels[k];
        for (int64_t j = 0; j < d; j++) {
            double noise = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 0x1p24 - 0.5;
            x[i * d + j] = unit * ((double)(j == 0 ? k : 2 * k % 3) + 3 * noise);
        }
        target[i] = x[i * d] + sin((double)i);
    }
    assert_int_equal(hsp_data_from_dense(x, ROWS, d, d, K ? y : NULL, names, &data, NULL), 0);
    if (!K) assert_int_equal(hsp_data_set_targets(data, target, NULL), 0);
    return data;
}

/* The drawing as text; options as a list of name, value, ..., NULL. */
static char *drawn(const char *kind, const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_error *err = NULL;
    if (hsp_plot(kind, NULL, data, o, in_folder("e.svg"), &err)) fail_msg("%s: %s", kind, hsp_error_message(err));
    hsp_options_free(o);
    return contents(in_folder("e.svg"), NULL);
}

/* ---- the structure of a drawing ---- */

typedef struct words {
    double left, right, y;
} words;

static double attribute(const char *at, const char *name) {
    const char *v = strstr(at, name);
    assert_non_null(v);
    double number = NAN;
    v += strlen(name);
    assert_int_equal(hsp_parse_number(v, strcspn(v, "\""), &number), 0);
    return number;
}

/* The lines of horizontal text: runs of glyphs of one colour at one height. */
static int64_t take_words(const char *text, words *out, int64_t most) {
    int64_t n = 0;
    for (const char *g = text; (g = strstr(g, "<g style=\"fill:")); g++) {
        const char *end = strstr(g, "</g>"), *use = strstr(g, "<use ");
        if (!use || use > end) continue;
        words w = {INFINITY, -INFINITY, attribute(use, " y=\"")};
        bool level = true;
        for (; use && use < end; use = strstr(use + 1, "<use ")) {
            double x = attribute(use, " x=\"");
            level = level && fabs(attribute(use, " y=\"") - w.y) < 3; /* superscripts are glyphs of their own */
            w.left = fmin(w.left, x);
            w.right = fmax(w.right, x + 1); /* the last may be as narrow as a thin space */
        }
        if (!level) continue; /* reads upwards */
        assert_true(n < most);
        out[n++] = w;
    }
    return n;
}

static void expect_order(const char *kind, const char *text, double width, double height) {
    words w[400];
    int64_t n = take_words(text, w, 400);
    assert_true(n > 6); /* title, two lines, names, ticks */
    for (int64_t i = 0; i < n; i++) {
        if (w[i].left < 0 || w[i].right > width || w[i].y < 0 || w[i].y > height)
            fail_msg("%s: words beyond the sheet", kind);
        for (int64_t j = 0; j < i; j++)
            if (fabs(w[i].y - w[j].y) < 8 && w[i].left + 1.5 < w[j].right && w[j].left + 1.5 < w[i].right)
                fail_msg("%s: words from %d to %d over words from %d to %d at %d", kind, (int)w[i].left, (int)w[i].right,
                         (int)w[j].left, (int)w[j].right, (int)w[i].y);
    }
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
}

static const char *const kinds[] = {"lambda", "bias-variance", "learning-curve", "path"};

static void expect_all(const hsp_data *data, const char *theme, const char *positive) {
    for (int k = 0; k < 4; k++) {
        bool named = positive && k == 3;
        char *text = drawn(kinds[k], data,
                           k == 1 ? PAIRS("theme", theme, "bootstraps", "3")
                                  : PAIRS("theme", theme, named ? "positive" : "threads", named ? positive : "2"));
        expect_order(kinds[k], text, 960, 640);
        free(text);
    }
}

static void test_kinds(void **state) {
    (void)state;
    static const char *const hard[] = {"a feature whose name goes on and on and on, past the edge of every sheet",
                                       "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D", "c \xD0\xB6", "", "x"};
    for (int64_t d = 1; d <= 5; d += d == 2 ? 3 : 1)
        for (int64_t K = 0; K <= 4; K += K == 0 ? 2 : 1) {
            hsp_data *data = clusters(d, K, 1, K % 2 ? hard : NULL);
            expect_all(data, d == 2 ? "dark" : "light", K > 2 ? "alpha" : NULL);
            hsp_data_free(data);
        }
}

static void test_units(void **state) {
    (void)state;
    static const double unit[] = {0, 1e-12, 1e12};
    for (int i = 0; i < 3; i++) {
        hsp_data *data = clusters(2, 2, unit[i], NULL);
        expect_all(data, "light", NULL);
        hsp_data_free(data);
    }
}

static void test_many_classes(void **state) {
    (void)state;
    hsp_data *data = clusters(2, 12, 1, NULL);
    char *text = drawn("lambda", data, PAIRS("lambdas", "0.01:1:4"));
    expect_order("lambda", text, 960, 640);
    free(text);
    hsp_data_free(data);
}

/* A curve for each feature that is named; more features, more curves. */
static void test_path_curves(void **state) {
    (void)state;
    hsp_data *data = clusters(8, 2, 1, NULL);
    char *few = drawn("path", data, PAIRS("top", "2", "penalty", "l2"));
    char *all = drawn("path", data, PAIRS("top", "20", "penalty", "l2"));
    assert_int_equal(count_of(few, "stroke-width:1.8;"), 2);
    assert_int_equal(count_of(all, "stroke-width:1.8;"), 8);
    free(few);
    free(all);
    few = drawn("path", data, PAIRS("top", "2", "penalty", "l2", "lambdas", "0.1")); /* of one lambda: dots */
    assert_int_equal(count_of(few, "stroke-width:1.8;"), 2);
    expect_order("path", few, 960, 640);
    free(few);
    hsp_data_free(data);
}

/* Two bands and two curves; a dashed line to the best. */
static void test_parts(void **state) {
    (void)state;
    hsp_data *data = clusters(3, 2, 1, NULL);
    char *text = drawn("learning-curve", data, PAIRS("repeats", "3"));
    assert_int_equal(count_of(text, "stroke-width:2.4;"), 2);
    assert_int_equal(count_of(text, "fill-opacity:0.16;"), 2);
    free(text);
    text = drawn("lambda", data, NULL);
    assert_int_equal(count_of(text, "stroke-width:2.4;"), 2);
    assert_int_equal(count_of(text, "stroke-width:1.8;"), 3); /* the weights */
    assert_true(count_of(text, "stroke-dasharray") >= 1);
    free(text);
    hsp_data_free(data);
    data = clusters(2, 2, 1, NULL);
    text = drawn("lambda", data, NULL);
    assert_int_equal(count_of(text, "stroke-width:1.8;"), 0); /* boundaries in their place */
    assert_true(count_of(text, "stroke-width:2.2;") > 0);
    free(text);
    hsp_data_free(data);
}

/* One value of lambda, and a small sheet. */
static void test_narrow(void **state) {
    (void)state;
    hsp_data *data = clusters(3, 2, 1, NULL);
    for (int k = 0; k < 4; k++) {
        if (k == 2) continue; /* tries no lambda */
        char *text = drawn(kinds[k], data, k == 1 ? PAIRS("lambdas", "0.1", "bootstraps", "2") : PAIRS("lambdas", "0.1"));
        expect_order(kinds[k], text, 960, 640);
        free(text);
    }
    for (int k = 0; k < 4; k++) {
        char *text = drawn(kinds[k], data, k == 1 ? PAIRS("size", "500x900", "bootstraps", "2") : PAIRS("size", "500x900"));
        expect_order(kinds[k], text, 500, 900);
        free(text);
    }
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *kind, *option, *value;
    } cases[] = {
        {"lambda", "lambdas", "1:0"},        {"lambda", "bootstraps", "5"},    {"lambda", "algorithm", "lda"},
        {"bias-variance", "repeats", "3"},   {"bias-variance", "lambdas", ""}, {"learning-curve", "lambdas", "1,2"},
        {"learning-curve", "algorithm", ""}, {"path", "test", "0.5"},          {"path", "bins", "5"}};
    hsp_data *data = clusters(2, 2, 1, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_options *o = NULL;
        hsp_error *err = NULL;
        assert_int_equal(hsp_options_new(&o, NULL), 0);
        assert_int_equal(hsp_options_set(o, cases[i].option, cases[i].value, NULL), 0);
        assert_int_equal(hsp_plot(cases[i].kind, NULL, data, o, in_folder("e.svg"), &err), HSP_EUSAGE);
        assert_non_null(err);
        assert_null(strchr(hsp_error_message(err), '\n'));
        hsp_error_free(err);
        hsp_options_free(o);
        assert_int_equal(hsp_plot(cases[i].kind, NULL, NULL, NULL, in_folder("e.svg"), NULL), HSP_EUSAGE);
    }
    hsp_data_free(data);
}

/* ---- the axis ---- */

static void test_axis(void **state) {
    (void)state;
    const double lambda[] = {1e-6, 1e-3, 10};
    hsp_panel p = {.y_range = {0, 1, HSP_SPREAD_EXACT}};
    hsp_canvas *c = NULL;
    double x[3];
    assert_int_equal(hsp_canvas_new("a.svg", &hsp_style_light, &c, NULL), 0);
    hsp_lambda_axis_set(&p, lambda, 3);
    hsp_panel_lay_out(&p, c, (hsp_area){0, 0, 600, 400});
    hsp_lambda_axis_places(&p, lambda, 3, x);
    assert_true(fabs(x[0] - 10) < 1e-12 && fabs(x[2] / 1e-6 - 1) < 1e-12);
    double left = hsp_panel_x(&p, x[2]), right = hsp_panel_x(&p, x[0]), middle = hsp_panel_x(&p, x[1]);
    assert_true(left < middle && middle < right && left >= p.frame.x && right <= p.frame.x + p.frame.w);
    assert_true(fabs((right - middle) / (middle - left) - 3.0 / 4) < 1e-9); /* decades are equally wide */
    hsp_canvas_free(c);
}

static void test_words(void **state) {
    (void)state;
    char out[HSP_NUMERAL];
    hsp_errors_write(0.0234, false, out);
    assert_string_equal(out, "2.3\xE2\x80\xAF%");
    hsp_errors_write(0.5, false, out);
    assert_string_equal(out, "50\xE2\x80\xAF%");
    hsp_errors_write(0.5, true, out);
    assert_string_equal(out, "0.5");
    hsp_errors_write(NAN, true, out);
    assert_string_equal(out, "none");
    const double near[] = {1, 2, 3}, far[] = {1e-20, 1, 1000};
    assert_int_equal(hsp_errors_range(near, 3, true).spread, HSP_SPREAD_ZERO);
    assert_int_equal(hsp_errors_range(far, 3, false).spread, HSP_SPREAD_ZERO);
    hsp_range r = hsp_errors_range(far, 3, true);
    assert_true(r.spread == HSP_SPREAD_LOG && r.lo >= 1e-6 && r.hi == 1000);
}

static void test_memory(void **state) {
    (void)state;
    hsp_data *data = clusters(2, 2, 1, NULL), *wide = clusters(4, 2, 1, NULL);
    for (int k = 0; k < 5; k++) {
        hsp_options *o = NULL;
        assert_int_equal(hsp_options_new(&o, NULL), 0);
        assert_int_equal(hsp_options_set(o, k == 2 ? "repeats" : "lambdas", k == 2 ? "1" : "1,2", NULL), 0);
        if (k == 1) assert_int_equal(hsp_options_set(o, "bootstraps", "2", NULL), 0);
        expect_whole_or_none(draw_job, &(plot_job){kinds[k % 4], NULL, k < 4 ? data : wide, o}, "svg");
        hsp_options_free(o);
    }
    hsp_data_free(data);
    hsp_data_free(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_units),  cmocka_unit_test(test_many_classes),
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_narrow), cmocka_unit_test(test_path_curves),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_axis),   cmocka_unit_test(test_words),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, sweep_folder);
}
