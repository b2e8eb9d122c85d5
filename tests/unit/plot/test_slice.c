/* Which two features are drawn, and what the scores over them are. */
#include "plot/slice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 40 };

static const char *two(int64_t i) {
    return i % 2 ? "up" : "down";
}

static const char *three(int64_t i) {
    return i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c";
}

/* A fitted nearest-mean model and its slice over N rows of d numbers. */
typedef struct scene {
    hsp_data *data;
    hsp_model *m;
    hsp_slice s;
} scene;

static scene scene_of(const double *x, int64_t d, const char *(*label)(int64_t), const char *const *names) {
    scene c = {0};
    const char *y[N];
    hsp_options *o = NULL;
    for (int64_t i = 0; i < N; i++) y[i] = label(i);
    assert_int_equal(hsp_data_from_dense(x, N, d, d, y, names, &c.data, NULL), 0);
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "algorithm", "nearest-mean", NULL), 0);
    assert_int_equal(hsp_train(c.data, o, NULL, &c.m, NULL, NULL), 0);
    hsp_options_free(o);
    assert_int_equal(hsp_slice_take(c.m, c.data, &c.s, NULL), 0);
    return c;
}

static void end(scene *c) {
    hsp_slice_clear(&c->s);
    hsp_model_free(c->m);
    hsp_data_free(c->data);
}

static double wave(int64_t i, int64_t j) {
    return sin((double)(i * (2 * j + 3) + j));
}

static double weight(const hsp_model *m, int64_t j) {
    hsp_array w = {.size = sizeof w};
    assert_int_equal(hsp_model_array(m, "weights", &w, NULL), 0);
    return ((const double *)w.data)[j];
}

static double intercept(const hsp_model *m) {
    hsp_array b = {.size = sizeof b};
    assert_int_equal(hsp_model_array(m, "intercepts", &b, NULL), 0);
    return *(const double *)b.data;
}

static void two_features_are_drawn_as_they_are(void **state) {
    (void)state;
    double x[N * 2];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 2; j++) x[2 * i + j] = wave(i, j) + (double)(i % 2);
    scene c = scene_of(x, 2, two, NULL);
    assert_int_equal(c.s.axis[0], 0);
    assert_int_equal(c.s.axis[1], 1);
    const hsp_slice_score *g = &c.s.score[c.s.positive];
    assert_true(g->w[0] == weight(c.m, 0) && g->w[1] == weight(c.m, 1) && g->b == intercept(c.m));
    assert_null(c.s.name[0]);
    assert_string_equal(c.s.letter[1], "x\xE2\x82\x82");
    end(&c);
}

/* The classes differ in columns 2 and 4 alone, and in 1 by a large number that they share. */
static void the_features_that_matter_are_drawn(void **state) {
    (void)state;
    static const char *const names[] = {"same", "high", "first", "x7", "second"};
    double x[N * 5];
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < 5; j++) x[5 * i + j] = wave(i, j);
        x[5 * i + 1] += 1000;
        x[5 * i + 2] += 5 * (double)(i % 3);
        x[5 * i + 4] -= 9 * (double)(i % 3);
    }
    scene c = scene_of(x, 5, three, names);
    assert_int_equal(c.s.axis[0], 2);
    assert_int_equal(c.s.axis[1], 4);
    assert_string_equal(c.s.name[0], "first");
    assert_string_equal(c.s.name[1], "second");
    for (int64_t i = 0; i < N; i++) assert_true(c.s.x[i] == x[5 * i + 2] && c.s.y[i] == x[5 * i + 4]);
    assert_int_equal(c.s.correct, N);
    for (int64_t i = 0; i < N; i++) { /* and told apart as the model does */
        int64_t best = 0;
        double score[3];
        for (int64_t k = 0; k < 3; k++) {
            score[k] = c.s.score[k].w[0] * c.s.x[i] + c.s.score[k].w[1] * c.s.y[i] + c.s.score[k].b;
            if (score[k] > score[best]) best = k;
        }
        assert_int_equal(best, c.s.answer[i]);
    }
    end(&c);
}

/* The third column follows the other two exactly: so does its share of the score. */
static void others_are_predicted_from_the_two(void **state) {
    (void)state;
    double x[N * 3];
    for (int64_t i = 0; i < N; i++) {
        x[3 * i] = 10 * wave(i, 0) + 4 * (double)(i % 2);
        x[3 * i + 1] = 10 * wave(i, 1) + 6 * (double)(i % 2);
        x[3 * i + 2] = 0.25 * x[3 * i] - 0.125 * x[3 * i + 1] + 3;
    }
    scene c = scene_of(x, 3, two, NULL);
    assert_int_equal(c.s.axis[0], 0);
    assert_int_equal(c.s.axis[1], 1);
    const hsp_slice_score *g = &c.s.score[c.s.positive];
    double w = weight(c.m, 2);
    assert_true(fabs(g->w[0] - (weight(c.m, 0) + 0.25 * w)) < 1e-12);
    assert_true(fabs(g->w[1] - (weight(c.m, 1) - 0.125 * w)) < 1e-12);
    assert_true(fabs(g->b - (intercept(c.m) + 3 * w)) < 1e-12);
    end(&c);
}

/* Columns that are constant, equal or of extreme size: every number stays one. */
static void awkward_columns_give_finite_scores(void **state) {
    (void)state;
    static const double size[] = {0, 1, 1e-300, 1e100, 1e150};
    for (size_t t = 0; t < sizeof size / sizeof size[0]; t++) {
        double x[N * 3];
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < 3; j++) x[3 * i + j] = size[t] * (double)(i % 2 ? 1 : -1);
        scene c = scene_of(x, 3, two, NULL);
        const hsp_slice_score *g = &c.s.score[c.s.positive];
        assert_true(c.s.axis[0] < c.s.axis[1] && c.s.axis[1] < 3);
        assert_true(isfinite(g->w[0]) && isfinite(g->w[1]) && isfinite(g->b));
        end(&c);
    }
}

static void numbers_in_names_are_subscripts(void **state) {
    (void)state;
    static const char *const names[] = {"x", "x12"};
    double x[N * 2];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 2; j++) x[2 * i + j] = wave(i, j);
    scene c = scene_of(x, 2, two, names);
    assert_string_equal(c.s.name[0], "x");
    assert_null(c.s.name[1]);
    assert_string_equal(c.s.letter[1], "x\xE2\x82\x81\xE2\x82\x82");
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_features_are_drawn_as_they_are), cmocka_unit_test(the_features_that_matter_are_drawn),
        cmocka_unit_test(others_are_predicted_from_the_two),  cmocka_unit_test(awkward_columns_give_finite_scores),
        cmocka_unit_test(numbers_in_names_are_subscripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
