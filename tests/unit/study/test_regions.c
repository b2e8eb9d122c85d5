/* Regions of predictions that are not linear in the columns: cells of a grid, the lines between them, and whole studies against
 * the model's own scores. */
#include "study/region_cells.h"
#include "studied.h"

#include <stdio.h>
#include <unistd.h>

/* ---- cells ---- */

static int32_t ring(double u, double v) {
    return hypot(u - 0.5, v - 0.5) < 0.3;
}

static int32_t thirds(double u, double v) {
    return v < 0.5 ? 0 : u < 0.4 ? 1 : 2;
}

static int32_t flat(double u, double v) {
    return (int32_t)(0 * (u + v));
}

/* As the study does it: values, changes, bisection, cuts. */
static void trace(hsp_region_cells *g, int32_t (*f)(double, double), int64_t columns, int64_t rows) {
    assert_int_equal(hsp_region_cells_new(g, columns, rows), 0);
    for (int64_t k = 0; k < columns * rows; k++) {
        hsp_grid_place p = hsp_region_cells_point(g, k % columns, k / columns);
        g->value[k] = f(p.u, p.v);
    }
    assert_int_equal(hsp_region_cells_find(g), 0);
    for (int64_t k = 0; k < g->changes; k++)
        for (int turn = 0; turn < 40; turn++) {
            hsp_grid_change *c = &g->change[k];
            hsp_grid_place m = {(c->from.u + c->to.u) / 2, (c->from.v + c->to.v) / 2};
            *(f(m.u, m.v) == c->value ? &c->from : &c->to) = m;
        }
    assert_int_equal(hsp_region_cells_cut(g, true), 0);
}

static void areas_of(const hsp_region_cells *g, double area[3]) {
    area[0] = area[1] = area[2] = 0;
    for (int64_t p = 0; p < g->polygons; p++) {
        int64_t n = g->begin[p + 1] - g->begin[p];
        const double *c = g->corner + 2 * g->begin[p];
        double own = 0;
        for (int64_t k = 0; k < n; k++) own += (c[2 * k] * c[2 * ((k + 1) % n) + 1] - c[2 * ((k + 1) % n)] * c[2 * k + 1]) / 2;
        assert_true(own >= -1e-15); /* one orientation */
        area[g->owner[p]] += own;
    }
}

static void a_circle_is_one_closed_line(void **state) {
    (void)state;
    hsp_region_cells g;
    hsp_region_lines l;
    double area[3];
    trace(&g, ring, 80, 60);
    areas_of(&g, area);
    assert_true(fabs(area[1] - 0.09 * acos(-1)) < 3e-4 && fabs(area[0] + area[1] - 1) < 1e-12);
    assert_int_equal(hsp_region_lines_join(&g, &l), 0);
    assert_int_equal(l.lines, 1);
    assert_true(l.point[0] == l.point[2 * l.points - 2] && l.point[1] == l.point[2 * l.points - 1]);
    assert_int_equal(l.points, g.borders + 1);
    for (int64_t k = 0; k < l.points; k++)
        assert_true(fabs(hypot(l.point[2 * k] - 0.5, l.point[2 * k + 1] - 0.5) - 0.3) < 1e-9);
    hsp_region_lines_clear(&l);
    hsp_region_cells_clear(&g);
}

static void three_values_meet(void **state) {
    (void)state;
    hsp_region_cells g;
    hsp_region_lines l;
    double area[3];
    trace(&g, thirds, 41, 31);
    areas_of(&g, area);
    assert_true(fabs(area[0] - 0.5) < 1e-3 && fabs(area[1] - 0.2) < 1e-3 && fabs(area[2] - 0.3) < 1e-3);
    assert_true(fabs(area[0] + area[1] + area[2] - 1) < 1e-12);
    assert_int_equal(hsp_region_lines_join(&g, &l), 0);
    assert_int_equal(l.lines, 3); /* from the junction to three sides */
    hsp_region_lines_clear(&l);
    hsp_region_cells_clear(&g);
}

static void one_value_has_no_border(void **state) {
    (void)state;
    hsp_region_cells g;
    hsp_region_lines l;
    double area[3];
    trace(&g, flat, 9, 2);
    areas_of(&g, area);
    assert_true(g.borders == 0 && g.polygons == 1 && fabs(area[0] - 1) < 1e-12);
    assert_int_equal(hsp_region_lines_join(&g, &l), 0);
    assert_int_equal(l.lines, 0);
    hsp_region_lines_clear(&l);
    hsp_region_cells_clear(&g);
}

/* ---- studies ---- */

/* A table of 200 rows: two numbers and a word, with the label inside or outside an ellipse. */
static hsp_data *ellipse_table(const char *const *pairs) {
    char path[] = "/tmp/halfspace-regions-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    hsp_options *o = options_of(pairs);
    hsp_data *data = NULL;
    assert_non_null(f);
    fprintf(f, "a,b,word,label\n");
    for (int i = 0; i < 200; i++) {
        int a = i * 37 % 101 - 50, b = i * 61 % 103 - 51;
        fprintf(f, "%d,%d,%s,%s\n", a, b, i % 3 ? "often" : "rare", a * a + 2 * b * b < 1800 ? "in" : "out");
    }
    fclose(f);
    assert_int_equal(hsp_data_read(path, o, NULL, &data, NULL), 0);
    unlink(path);
    hsp_options_free(o);
    return data;
}

static hsp_model *fit(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    if (hsp_train(data, o, NULL, &m, NULL, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return m;
}

static studied regions_of(const hsp_model *m, const hsp_data *data, const char *const *pairs) {
    studied t = {0};
    hsp_options *o = options_of(pairs);
    t.status = hsp_study_run("regions", m, data, o, NULL, &t.s, &t.error);
    hsp_options_free(o);
    return t;
}

static const double *values(const studied *t, const char *name, int64_t *rows) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(t->s, name, &a, NULL), 0);
    *rows = a.shape[0];
    return a.data;
}

/* g of a model of degree 2, from the names of its features, with the typical word. */
static double score_by_names(const hsp_model *m, double a, double b) {
    static const struct {
        const char *name;
        double pa, pb;
    } terms[] = {{"a", 1, 0}, {"b", 0, 1}, {"a^2", 2, 0}, {"b^2", 0, 2}, {"a*b", 1, 1}, {"word=often", 0, 0}};
    hsp_array w = {.size = sizeof w}, c = {.size = sizeof c};
    int found = 0;
    assert_int_equal(hsp_model_array(m, "weights", &w, NULL), 0);
    assert_int_equal(hsp_model_array(m, "intercepts", &c, NULL), 0);
    double g = ((const double *)c.data)[0];
    for (int64_t j = 0; j < hsp_model_features(m); j++)
        for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
            if (strcmp(hsp_model_feature_name(m, j), terms[k].name) != 0) continue;
            g += ((const double *)w.data)[j] * pow(a, terms[k].pa) * pow(b, terms[k].pb);
            found++;
        }
    assert_true(found >= 5);
    return g;
}

/* The border of degree 2 is an ellipse of g = 0, and every row lies in the region that the model predicts. */
static void products_bend_the_border(void **state) {
    (void)state;
    hsp_data *data = ellipse_table(PAIRS("degree", "2"));
    hsp_model *m = fit(data, PAIRS("C", "10"));
    studied t = regions_of(m, data, PAIRS("threads", "2"));
    int64_t points, n;
    assert_int_equal(t.status, 0);
    assert_int_equal(hsp_model_is_linear(m), 0);
    const double *border = values(&t, "border", &points), *share = values(&t, "share", &n), *u = values(&t, "u_range", &n);
    assert_true(points > 100 && fabs(share[0] + share[1] - 1) < 1e-9);
    double far = fabs(score_by_names(m, 0, 0)) + fabs(score_by_names(m, u[1], 0));
    for (int64_t k = 0; k < points; k++) assert_true(fabs(score_by_names(m, border[2 * k], border[2 * k + 1])) < 2e-4 * far);
    int64_t lines;
    const double *above = values(&t, "above", &lines);
    for (int64_t k = 0; k < lines; k++)
        assert_true(fabs(score_by_names(m, above[2 * k], above[2 * k + 1]) - 1) < 2e-4 * far);
    assert_string_equal(hsp_report_text_at(t.s, "held", 0), "word = often");
    assert_string_equal(hsp_report_text_at(t.s, "axes", 0), "a");
    studied_free(&t);
    hsp_model_free(m);
    hsp_data_free(data);
}

/* Of a linear model the regions are half-planes: the share is exact, and the border straight. */
static void lines_stay_straight(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 0, 0, 1, 1, 1};
    const char *const y[] = {"a", "a", "b", "b"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 2, 2, y, NULL, &data, NULL), 0);
    hsp_model *m = fit(data, PAIRS("algorithm", "nearest-mean"));
    studied t = regions_of(m, data, PAIRS("threads", "1"));
    int64_t points, n;
    assert_int_equal(hsp_model_is_linear(m), 1);
    const double *border = values(&t, "border", &points), *share = values(&t, "share", &n);
    const double *begin = values(&t, "border_begin", &n);
    assert_true(fabs(share[0] - 0.5) < 1e-4 && n == 2 && begin[1] == (double)points);
    for (int64_t k = 0; k < points; k++) assert_true(fabs(border[2 * k + 1] - 0.5) < 1e-4);
    studied_free(&t);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void regression_on_one_column_is_a_curve(void **state) {
    (void)state;
    double x[30], z[30];
    hsp_data *data = NULL;
    for (int i = 0; i < 30; i++) x[i] = i / 3.0, z[i] = 2 * x[i] + 1;
    assert_int_equal(hsp_data_from_dense(x, 30, 1, 1, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, z, NULL), 0);
    hsp_model *m = fit(data, PAIRS("algorithm", "least-squares"));
    studied t = regions_of(m, data, PAIRS("threads", "1"));
    int64_t n;
    const double *cx = values(&t, "curve_x", &n), *cy = values(&t, "curve_y", &n);
    for (int64_t k = 0; k < n; k++) assert_true(fabs(cy[k] - 2 * cx[k] - 1) < 1e-9);
    studied_free(&t);
    hsp_model_free(m);
    hsp_data_free(data);
}

static void refuse(const hsp_model *m, const hsp_data *data, const char *words, const char *const *pairs) {
    studied t = regions_of(m, data, pairs);
    assert_true(t.status < 0 && !t.s && t.error);
    if (!strstr(hsp_error_message(t.error), words)) fail_msg("%s", hsp_error_message(t.error));
    assert_null(strchr(hsp_error_message(t.error), '\n'));
    studied_free(&t);
}

static void what_is_refused(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 0, 0, 1, 1, 1}, z[] = {1, 2, 3, 4}, huge[] = {-1.7e308, 0, 1.7e308, 1, 0, 2, 1, 3};
    const char *const y[] = {"a", "a", "b", "b"};
    hsp_data *two = NULL, *regression = NULL, *wide = NULL, *table = ellipse_table(PAIRS("degree", "2"));
    assert_int_equal(hsp_data_from_dense(x, 4, 2, 2, y, NULL, &two, NULL), 0);
    assert_int_equal(hsp_data_from_dense(x, 4, 2, 2, NULL, NULL, &regression, NULL), 0);
    assert_int_equal(hsp_data_from_dense(huge, 4, 2, 2, y, NULL, &wide, NULL), 0);
    assert_int_equal(hsp_data_set_targets(regression, z, NULL), 0);
    hsp_model *plain = fit(two, PAIRS("algorithm", "nearest-mean")), *line = fit(regression, PAIRS("algorithm", "ridge"));
    hsp_model *bent = fit(table, PAIRS("C", "1"));
    refuse(line, regression, "a regression has no boundary", PAIRS("threads", "1"));
    refuse(bent, two, "read the data for the model", PAIRS("threads", "1"));
    refuse(plain, wide, "too large to draw", PAIRS("threads", "1"));
    refuse(plain, two, "unknown feature", PAIRS("x", "nosuch"));
    refuse(bent, table, "unknown feature 'word'", PAIRS("x", "word"));
    refuse(bent, table, "the same feature", PAIRS("x", "a", "y", "a"));
    hsp_model_free(plain);
    hsp_model_free(line);
    hsp_model_free(bent);
    hsp_data_free(two);
    hsp_data_free(regression);
    hsp_data_free(wide);
    hsp_data_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_one_closed_line),     cmocka_unit_test(three_values_meet),
        cmocka_unit_test(one_value_has_no_border),         cmocka_unit_test(products_bend_the_border),
        cmocka_unit_test(lines_stay_straight),             cmocka_unit_test(regression_on_one_column_is_a_curve),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
