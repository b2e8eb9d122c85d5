/* What the boundary chart draws of a model: its scores over the plane, its predictions, its margins. */
#include "plot/boundary/slice.h"

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

/* A fitted model and its slice over N rows of d numbers. */
typedef struct scene {
    hsp_data *data;
    hsp_model *m;
    hsp_report *plane;
    hsp_slice s;
} scene;

static hsp_model *fitted(const hsp_data *data, const char *algorithm) {
    hsp_options *o = NULL;
    hsp_model *m = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "algorithm", algorithm, NULL), 0);
    assert_int_equal(hsp_train(data, o, NULL, &m, NULL, NULL), 0);
    assert_non_null(m);
    hsp_options_free(o);
    return m;
}

static hsp_data *data_of(const double *x, int64_t d, const char *(*label)(int64_t), const char *const *names) {
    const char *y[N];
    hsp_data *data = NULL;
    for (int64_t i = 0; label && i < N; i++) y[i] = label(i);
    assert_int_equal(hsp_data_from_dense(x, N, d, d, label ? y : NULL, names, &data, NULL), 0);
    return data;
}

static scene scene_of(const double *x, int64_t d, const char *(*label)(int64_t), const char *const *names,
                      const char *algorithm) {
    scene c = {.data = data_of(x, d, label, names)};
    c.m = fitted(c.data, algorithm);
    assert_int_equal(hsp_study_run("plane", c.m, c.data, NULL, NULL, &c.plane, NULL), 0);
    assert_int_equal(hsp_slice_take(c.m, c.data, c.plane, &c.s, NULL), 0);
    return c;
}

static void end(scene *c) {
    hsp_slice_clear(&c->s);
    hsp_report_free(c->plane);
    hsp_model_free(c->m);
    hsp_data_free(c->data);
}

static double varying(int64_t i, int64_t j) {
    return sin((double)(i * (2 * j + 3) + j));
}

static double number(const hsp_model *m, const char *name, int64_t j) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_model_array(m, name, &a, NULL), 0);
    return ((const double *)a.data)[j];
}

static void two_features_have_the_models_own_scores(void **state) {
    (void)state;
    double x[N * 2];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 2; j++) x[2 * i + j] = varying(i, j) + (double)(i % 2);
    scene c = scene_of(x, 2, two, NULL, "nearest-mean");
    const hsp_slice_score *g = &c.s.score[c.s.positive];
    assert_true(c.s.exact && c.s.dimensions == 2);
    assert_true(g->w[0] == number(c.m, "weights", 0) && g->w[1] == number(c.m, "weights", 1));
    assert_true(g->b == number(c.m, "intercepts", 0));
    assert_null(c.s.name[0]);
    assert_string_equal(c.s.letter[1], "x\xE2\x82\x82");
    for (int64_t i = 0; i < N; i++) {
        assert_true(c.s.x[i] == x[2 * i] && c.s.y[i] == x[2 * i + 1]);
        assert_int_equal(c.s.answer[i], hsp_model_classify(c.m, x + 2 * i, NULL));
        assert_true(fabs(c.s.g[i] - (g->w[0] * x[2 * i] + g->w[1] * x[2 * i + 1] + g->b)) < 1e-12);
    }
    end(&c);
}

static void scores_over_the_plane_separate_classes(void **state) {
    (void)state;
    static const char *const names[] = {"same", "high", "first", "x7", "second"};
    double x[N * 5];
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < 5; j++) x[5 * i + j] = varying(i, j);
        x[5 * i + 1] += 1000;
        x[5 * i + 2] += 5 * (double)(i % 3);
        x[5 * i + 4] -= 9 * (double)(i % 3);
    }
    scene c = scene_of(x, 5, three, names, "nearest-mean");
    assert_string_equal(c.s.name[0], "first");
    assert_string_equal(c.s.name[1], "second");
    assert_true(!c.s.exact && c.s.positive == -1 && !c.s.g);
    assert_int_equal(c.s.correct, N);
    for (int64_t i = 0; i < N; i++) {
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

/* Two pairs at a distance of 4: the margin is 2, the rows of the inner pair are on it. */
static void margins_are_those_of_the_hard_margin(void **state) {
    (void)state;
    double x[N * 2];
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = (i % 2 ? 2 : -2) * (i < 4 ? 1 : 2);
        x[2 * i + 1] = (double)(i / 2);
    }
    scene c = scene_of(x, 2, two, NULL, "hard-svm");
    double least, distance = hsp_slice_distance(&c.s, &least);
    assert_true(c.s.margin_model);
    assert_true(fabs(distance - 2) < 1e-6 && fabs(least - 1) < 1e-6);
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(hsp_slice_support(&c.s, i), i < 4 ? HSP_SUPPORT_ON : HSP_SUPPORT_NONE);
        assert_true(hsp_slice_margin(&c.s, i) > 0.999);
    }
    c.s.truth[5] = 1 - c.s.truth[5]; /* a row on the wrong side is within, and the distance negative */
    assert_int_equal(hsp_slice_support(&c.s, 5), HSP_SUPPORT_BOUND);
    assert_true(hsp_slice_distance(&c.s, &least) < 0);
    end(&c);
    c = scene_of(x, 2, two, NULL, "nearest-mean");
    assert_false(c.s.margin_model);
    end(&c);
}

/* Every kind of hinge has a margin, in the descent family too; the other losses have none. */
static void hinges_have_a_margin(void **state) {
    (void)state;
    static const struct {
        const char *loss;
        bool margin;
    } cases[] = {{"hinge", true},       {"squared-hinge", true}, {"smoothed-hinge", true}, {"modified-huber", true},
                 {"perceptron", false}, {"logistic", false},     {"squared", false}};
    double x[N * 2];
    for (int64_t i = 0; i < N * 2; i++) x[i] = varying(i / 2, i % 2) + (double)(i / 2 % 2);
    scene c = scene_of(x, 2, two, NULL, "svm");
    assert_true(c.s.margin_model);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        hsp_options *o = NULL;
        hsp_model *m = NULL;
        hsp_slice s;
        assert_int_equal(hsp_options_new(&o, NULL), 0);
        assert_int_equal(hsp_options_set(o, "algorithm", "gradient-descent", NULL), 0);
        assert_int_equal(hsp_options_set(o, "loss", cases[k].loss, NULL), 0);
        assert_int_equal(hsp_train(c.data, o, NULL, &m, NULL, NULL), 0);
        assert_int_equal(hsp_slice_take(m, c.data, c.plane, &s, NULL), 0);
        assert_int_equal(s.margin_model, cases[k].margin);
        hsp_slice_clear(&s);
        hsp_model_free(m);
        hsp_options_free(o);
    }
    end(&c);
}

static void rows_without_labels_have_answers(void **state) {
    (void)state;
    double x[N * 2], least;
    for (int64_t i = 0; i < N * 2; i++) x[i] = varying(i / 2, i % 2) + (double)(i / 2 % 2);
    scene c = scene_of(x, 2, two, NULL, "nearest-mean");
    hsp_data *bare = data_of(x, 2, NULL, NULL);
    hsp_slice s;
    assert_int_equal(hsp_slice_take(c.m, bare, c.plane, &s, NULL), 0);
    assert_null(s.truth);
    for (int64_t i = 0; i < N; i++) assert_int_equal(s.answer[i], c.s.answer[i]);
    assert_true(isnan(hsp_slice_distance(&s, &least)));
    hsp_slice_clear(&s);
    hsp_data_free(bare);
    end(&c);
}

/* Columns that are constant, equal or of extreme size: every number stays finite. */
static void awkward_columns_give_finite_scores(void **state) {
    (void)state;
    static const double size[] = {0, 1, 1e-300, 1e100, 1e150};
    for (size_t t = 0; t < sizeof size / sizeof size[0]; t++) {
        double x[N * 3];
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < 3; j++) x[3 * i + j] = size[t] * (double)(i % 2 ? 1 : -1);
        scene c = scene_of(x, 3, two, NULL, "nearest-mean");
        const hsp_slice_score *g = &c.s.score[c.s.positive];
        assert_true(isfinite(g->w[0]) && isfinite(g->w[1]) && isfinite(g->b));
        end(&c);
    }
}

/* Forty rows on four places are jittered by less than half the distance to the next; on forty places they are not. */
static void points_on_points_are_moved_apart(void **state) {
    (void)state;
    double x[N * 2];
    for (int64_t i = 0; i < N; i++) {
        x[2 * i] = (double)(i % 2);
        x[2 * i + 1] = 10 * (double)(i / 2 % 2);
    }
    scene c = scene_of(x, 2, two, NULL, "nearest-mean");
    assert_true(c.s.spread[0] > 0.1 && c.s.spread[0] < 0.5);
    assert_true(c.s.spread[1] > 1 && c.s.spread[1] < 5);
    assert_true(c.s.x[1] == 1 && c.s.y[2] == 10); /* the numbers themselves do not change */
    end(&c);
    for (int64_t i = 0; i < N; i++) x[2 * i + 1] = (double)(i / 2);
    c = scene_of(x, 2, two, NULL, "nearest-mean");
    assert_true(c.s.spread[0] == 0 && c.s.spread[1] == 0);
    end(&c);
}

static void numbers_in_names_are_subscripts(void **state) {
    (void)state;
    static const char *const names[] = {"x", "x12"};
    double x[N * 2];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < 2; j++) x[2 * i + j] = varying(i, j);
    scene c = scene_of(x, 2, two, names, "nearest-mean");
    assert_string_equal(c.s.name[0], "x");
    assert_null(c.s.name[1]);
    assert_string_equal(c.s.letter[1], "x\xE2\x82\x81\xE2\x82\x82");
    end(&c);
    static const char *const plain[] = {"", "x", "age", "x1a", "-1", "1.5", "X1"};
    char letter[HSP_NUMERAL];
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) assert_ptr_equal(hsp_slice_axis(plain[i], letter), plain[i]);
    assert_string_equal(hsp_slice_axis("2", letter), "x\xE2\x82\x82");
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    double x[N * 3];
    for (int64_t i = 0; i < N * 3; i++) x[i] = varying(i / 3, i % 3);
    scene c = scene_of(x, 2, two, NULL, "nearest-mean");
    hsp_data *strange = data_of(x, 2, three, NULL), *wide = data_of(x, 3, two, NULL);
    hsp_model *other = fitted(wide, "nearest-mean");
    hsp_slice s;
    assert_int_equal(hsp_slice_take(c.m, strange, c.plane, &s, NULL), HSP_EINPUT); /* classes of another problem */
    hsp_slice_clear(&s);
    assert_int_equal(hsp_slice_take(other, wide, c.plane, &s, NULL), HSP_EINPUT); /* a plane of other features */
    hsp_slice_clear(&s);
    hsp_model_free(other);
    hsp_data_free(strange);
    hsp_data_free(wide);
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_features_have_the_models_own_scores),
        cmocka_unit_test(scores_over_the_plane_separate_classes),
        cmocka_unit_test(margins_are_those_of_the_hard_margin),
        cmocka_unit_test(hinges_have_a_margin),
        cmocka_unit_test(rows_without_labels_have_answers),
        cmocka_unit_test(awkward_columns_give_finite_scores),
        cmocka_unit_test(points_on_points_are_moved_apart),
        cmocka_unit_test(numbers_in_names_are_subscripts),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
