/* The boundary chart by its elements: regions, boundaries, margins, rings, panels. */
#include "plot/draw/style.h"
#include "plot/drawn.h"

#include <math.h>

enum { N = 40 };

/* Two lines of points at x_j = -2 and 2, and beyond: the hard margin is 2 and has four rows on it. With an outlier the
 * last row of "up" is among "down". */
static hsp_data *lines_along(int j, bool outlier) {
    double x[N * 2];
    const char *y[N];
    hsp_data *data = NULL;
    for (int64_t i = 0; i < N; i++) {
        x[2 * i + j] = (i % 2 ? 2 : -2) * (i < 4 ? 1 : 2);
        x[2 * i + 1 - j] = (double)(i / 2) / 4;
        y[i] = i % 2 ? "up" : "down";
    }
    if (outlier) x[2 * (N - 1) + j] = -5;
    assert_int_equal(hsp_data_from_dense(x, N, 2, 2, y, NULL, &data, NULL), 0);
    return data;
}

static hsp_data *columns(bool outlier) {
    return lines_along(0, outlier);
}

static hsp_data *many(int64_t n, int64_t d, int64_t K) {
    double *x = malloc((size_t)(n * d) * sizeof *x);
    const char **y = malloc((size_t)n * sizeof *y);
    static const char *const names[] = {"a", "b", "c"};
    hsp_data *data = NULL;
    assert_true(x && y);
    for (int64_t i = 0; i < n; i++) {
        y[i] = names[i % K];
        for (int64_t j = 0; j < d; j++)
            x[i * d + j] = sin((double)(i * (j + 2) + j)) + (double)(i % K) * (j == 0 ? 2 : 0.5);
    }
    assert_int_equal(hsp_data_from_dense(x, n, d, d, y, NULL, &data, NULL), 0);
    free(x);
    free(y);
    return data;
}

#define HARD ((const char *const[]){"algorithm", "hard-svm", NULL})
#define SOFT ((const char *const[]){"algorithm", "svm", "C", "0.1", NULL})
#define PERCEPTRON ((const char *const[]){"algorithm", "perceptron", NULL})
#define NEAREST ((const char *const[]){"algorithm", "nearest-mean", NULL})

static hsp_figure *figure(const hsp_options *o, const hsp_model *const *m, int64_t models, const hsp_data *data) {
    hsp_figure *f = NULL;
    assert_int_equal(hsp_figure_new("boundary", o, &f, NULL), 0);
    for (int64_t i = 0; i < models; i++) {
        char name[40];
        snprintf(name, sizeof name, "folder/model-%d.hsm", (int)i);
        assert_int_equal(hsp_figure_add_model(f, m[i], name, NULL), 0);
    }
    assert_int_equal(hsp_figure_set_data(f, data, "rows.csv", NULL), 0);
    return f;
}

static char *drawn(const char *const *pairs, const hsp_model *const *m, int64_t models, const hsp_data *data) {
    hsp_options *o = options_of(pairs);
    char *svg = svg_of(figure(o, m, models, data));
    hsp_options_free(o);
    return svg;
}

static void refused(const char *const *pairs, const hsp_model *const *m, int64_t models, const hsp_data *data, int code,
                    const char *words) {
    hsp_options *o = options_of(pairs);
    expect_refused(figure(o, m, models, data), code, words);
    hsp_options_free(o);
}

/* Rings on the margin have a width of their own: one for each row, and one in the key. */
static void margins_are_lines_and_rings(void **state) {
    (void)state;
    hsp_data *data = columns(false);
    hsp_model *hard = fitted(data, HARD), *plain = fitted(data, NEAREST);
    const hsp_model *const one[] = {hard}, *const other[] = {plain};
    char *svg = drawn(NULL, one, 1, data);
    assert_int_equal(strokes(svg, "1.8"), 4 + 1);
    assert_int_equal(strokes(svg, "1.4"), 2); /* g = 1 and g = -1 */
    assert_int_equal(fills(svg, hsp_style_class_tint(&hsp_style_light, 0)), 1);
    assert_int_equal(fills(svg, hsp_style_class_tint(&hsp_style_light, 1)), 1);
    expect_on_sheet(svg, 960, 640);
    free(svg);
    svg = drawn((const char *const[]){"margins", "no", NULL}, one, 1, data);
    assert_int_equal(strokes(svg, "1.8") + strokes(svg, "1.4"), 0);
    free(svg);
    svg = drawn(NULL, other, 1, data); /* not a model of a margin */
    assert_int_equal(strokes(svg, "1.8") + strokes(svg, "1.4"), 0);
    free(svg);
    hsp_model_free(hard);
    hsp_model_free(plain);
    hsp_data_free(data);
}

/* Each boundary on the sheet and in the key; two thin lines for each model that makes no mistake. */
static void boundaries_lie_over_each_other(void **state) {
    (void)state;
    hsp_data *data = columns(false), *outlier = columns(true);
    hsp_model *m[] = {fitted(data, PERCEPTRON), fitted(data, HARD)};
    const hsp_model *const both[] = {m[0], m[1]};
    char *svg = drawn(NULL, both, 2, data);
    assert_int_equal(strokes(svg, "2.4"), 2 + 2);
    assert_int_equal(count_of(svg, "stroke-opacity:0.8;") + count_of(svg, "stroke-opacity=\"0.8\""), 4);
    assert_int_equal(fills(svg, hsp_style_class_tint(&hsp_style_light, 0)), 0);
    expect_on_sheet(svg, 960, 640);
    free(svg);
    svg = drawn(NULL, both, 2, outlier); /* now both are wrong somewhere */
    assert_int_equal(strokes(svg, "2.4"), 2 + 2);
    assert_int_equal(count_of(svg, "stroke-opacity:0.8;") + count_of(svg, "stroke-opacity=\"0.8\""), 0);
    free(svg);
    svg = drawn((const char *const[]){"layout", "panels", NULL}, both, 2, data);
    assert_int_equal(fills(svg, hsp_style_class_tint(&hsp_style_light, 0)), 2);
    assert_int_equal(fills(svg, hsp_style_class_tint(&hsp_style_light, 1)), 2);
    expect_on_sheet(svg, 960, 640);
    free(svg);
    hsp_model_free(m[0]);
    hsp_model_free(m[1]);
    hsp_data_free(data);
    hsp_data_free(outlier);
}

static void nine_models_of_three_classes_have_room(void **state) {
    (void)state;
    static const char *const layouts[] = {"overlay", "panels"}, *const themes[] = {"light", "dark"};
    hsp_data *data = many(90, 4, 3);
    hsp_model *m = fitted(data, NEAREST);
    const hsp_model *const nine[] = {m, m, m, m, m, m, m, m, m};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            char *svg = drawn((const char *const[]){"layout", layouts[i], "theme", themes[k], NULL}, nine, 9, data);
            expect_on_sheet(svg, 960, 640);
            free(svg);
        }
    hsp_model_free(m);
    hsp_data_free(data);
}

static void planes_and_sizes(void **state) {
    (void)state;
    static const char *const planes[] = {"auto", "lda", "pca"};
    hsp_data *data = many(60, 5, 3);
    hsp_model *m = fitted(data, NEAREST);
    const hsp_model *const one[] = {m};
    for (int i = 0; i < 3; i++) {
        char *svg = drawn((const char *const[]){"plane", planes[i], "size", "500x400", NULL}, one, 1, data);
        expect_on_sheet(svg, 500, 400);
        free(svg);
    }
    refused((const char *const[]){"x", "x9", NULL}, one, 1, data, HSP_EUSAGE, "unknown feature");
    hsp_model_free(m);
    hsp_data_free(data);
}

/* The key is omitted on the smallest sheet. */
static void small_sheets_are_for_the_points(void **state) {
    (void)state;
    hsp_data *data = many(60, 2, 3);
    hsp_model *m = fitted(data, NEAREST);
    const hsp_model *const two[] = {m, m};
    static const char *const sizes[] = {"240x240", "480x360"};
    static const char *const layouts[] = {"overlay", "panels"};
    for (int i = 0; i < 8; i++) {
        const char *const pairs[] = {"size", sizes[i & 1], "layout", layouts[i >> 1 & 1], NULL};
        char *svg = drawn(pairs, two, i < 4 ? 1 : 2, data);
        expect_on_sheet(svg, i & 1 ? 480 : 240, i & 1 ? 360 : 240);
        free(svg);
    }
    hsp_model_free(m);
    hsp_data_free(data);
}

static void a_dense_cloud_is_an_image(void **state) {
    (void)state;
    hsp_data *data = many(100000, 2, 2), *few = many(300, 2, 2);
    hsp_model *m = fitted(few, NEAREST);
    const hsp_model *const one[] = {m};
    char *svg = drawn(NULL, one, 1, data);
    assert_true(strlen(svg) < 5000000);
    assert_int_equal(count_of(svg, "<image"), 1);
    free(svg);
    svg = drawn(NULL, one, 1, few);
    assert_int_equal(count_of(svg, "<image"), 0);
    free(svg);
    hsp_model_free(m);
    hsp_data_free(data);
    hsp_data_free(few);
}

static void few_and_equal_points(void **state) {
    (void)state;
    const double x[] = {1, 2, 1, 2, 1, 2};
    const char *const y[] = {"up", "down", "up"};
    hsp_data *data = columns(false), *equal = NULL, *bare = NULL;
    hsp_model *m[] = {fitted(data, SOFT), fitted(data, HARD)};
    const hsp_model *const both[] = {m[0], m[1]};
    for (int64_t n = 1; n <= 3; n += 2) {
        assert_int_equal(hsp_data_from_dense(x, n, 2, 2, y, NULL, &equal, NULL), 0);
        assert_int_equal(hsp_data_from_dense(x, n, 2, 2, NULL, NULL, &bare, NULL), 0);
        for (int64_t models = 1; models <= 2; models++) {
            char *svg = drawn(NULL, both, models, equal);
            expect_on_sheet(svg, 960, 640);
            free(svg);
            svg = drawn((const char *const[]){"layout", "panels", NULL}, both, models, bare);
            assert_int_equal(strokes(svg, "1.8"), 0); /* no labels, no support vectors */
            free(svg);
        }
        hsp_data_free(equal);
        hsp_data_free(bare);
    }
    hsp_model_free(m[0]);
    hsp_model_free(m[1]);
    hsp_data_free(data);
}

static void regression_has_a_line(void **state) {
    (void)state;
    double x[N * 2], target[N];
    for (int64_t i = 0; i < N * 2; i++) x[i] = sin((double)(3 * i));
    for (int64_t i = 0; i < N; i++) target[i] = 2 * x[i] + 1;
    hsp_model *m[2];
    hsp_data *data[2];
    for (int64_t d = 1; d <= 2; d++) {
        assert_int_equal(hsp_data_from_dense(x, N, d, d, NULL, NULL, &data[d - 1], NULL), 0);
        assert_int_equal(hsp_data_set_targets(data[d - 1], target, NULL), 0);
        m[d - 1] = fitted(data[d - 1], (const char *const[]){"algorithm", "ridge", NULL});
    }
    const hsp_model *const line[] = {m[0], m[0]}, *const plane[] = {m[1]};
    char *svg = drawn(NULL, line, 1, data[0]);
    expect_on_sheet(svg, 960, 640);
    free(svg);
    refused(NULL, plane, 1, data[1], HSP_EUSAGE, "regression");
    refused(NULL, line, 2, data[0], HSP_EUSAGE, "regression");
    for (int i = 0; i < 2; i++) {
        hsp_model_free(m[i]);
        hsp_data_free(data[i]);
    }
}

static void what_cannot_be_drawn_is_refused(void **state) {
    (void)state;
    hsp_data *two = columns(false), *three = many(60, 2, 3), *wide = many(60, 4, 2), *long_rows = many(60, 5, 2);
    hsp_model *m = fitted(two, HARD), *k = fitted(three, NEAREST), *a = fitted(wide, NEAREST),
              *b = fitted(long_rows, NEAREST);
    const hsp_model *const ten[] = {m, m, m, m, m, m, m, m, m, m}, *const classes[] = {k}, *const apart[] = {a, b};
    refused(NULL, ten, 10, two, HSP_EUSAGE, "at most 9");
    refused((const char *const[]){"margins", "yes", NULL}, classes, 1, three, HSP_EUSAGE, "two classes");
    refused(NULL, apart, 2, wide, HSP_EINPUT, "different features");
    refused(NULL, ten, 1, three, HSP_EINPUT, "is not in the model");
    hsp_model_free(m);
    hsp_model_free(k);
    hsp_model_free(a);
    hsp_model_free(b);
    hsp_data_free(two);
    hsp_data_free(three);
    hsp_data_free(wide);
    hsp_data_free(long_rows);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    static const char *const layouts[] = {"overlay", "panels"};
    for (int i = 0; i < 4; i++) { /* boundaries are named above the frame, or right of it */
        hsp_data *data = lines_along(i / 2, false);
        hsp_model *m[] = {fitted(data, PERCEPTRON), fitted(data, SOFT)};
        const hsp_model *const both[] = {m[1], m[0]};
        for (int64_t models = 1; models <= 2; models++) {
            hsp_options *o = options_of((const char *const[]){"layout", layouts[i % 2], NULL});
            expect_memory_to_matter(figure(o, both, models, data));
            hsp_options_free(o);
        }
        hsp_model_free(m[0]);
        hsp_model_free(m[1]);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margins_are_lines_and_rings),
        cmocka_unit_test(boundaries_lie_over_each_other),
        cmocka_unit_test(nine_models_of_three_classes_have_room),
        cmocka_unit_test(planes_and_sizes),
        cmocka_unit_test(small_sheets_are_for_the_points),
        cmocka_unit_test(a_dense_cloud_is_an_image),
        cmocka_unit_test(few_and_equal_points),
        cmocka_unit_test(regression_has_a_line),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
