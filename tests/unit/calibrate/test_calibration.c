/* Maps from scores to probabilities: against their definitions, by brute force on small data, and at the ends of the range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "calibrate/calibration.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 400 };

/* Random rows whose class depends on the score; scores have two digits, so that some are equal. */
typedef struct sample {
    double score[MOST * 3], weight[MOST];
    int32_t class[MOST];
    hsp_calibration_rows rows;
} sample;

static void draw(sample *s, int64_t n, int64_t outputs, uint64_t seed, bool weighted) {
    hsp_rng r = hsp_rng_new(seed, 7);
    for (int64_t i = 0; i < n; i++) {
        s->class[i] = (int32_t)(hsp_rng_uniform(&r) * (double)(outputs == 1 ? 2 : outputs));
        s->weight[i] = 1 + floor(3 * hsp_rng_uniform(&r));
        for (int64_t k = 0; k < outputs; k++) {
            double right = outputs == 1 ? s->class[i] : s->class[i] == k;
            s->score[i * outputs + k] = round(100 * (2 * right + 6 * hsp_rng_uniform(&r) - 4)) / 100;
        }
    }
    s->rows = (hsp_calibration_rows){
        .n = n, .outputs = outputs, .score = s->score, .class = s->class, .weight = weighted ? s->weight : NULL};
}

static hsp_calibration fitted(const hsp_calibration_method *method, const hsp_calibration_rows *rows) {
    hsp_calibration c;
    hsp_error *err = NULL;
    const char *odd;
    int status = hsp_calibration_fit(method, rows, &c, &odd, &err);
    if (status) fail_msg("%s", hsp_error_message(err));
    return c;
}

static double at(const hsp_calibration *c, int64_t k, double g) {
    double p, rest;
    hsp_calibration_at(c, k, g, &p, &rest);
    assert_true(p >= 0 && p <= 1 && rest >= 0 && rest <= 1 && fabs(p + rest - 1) <= 4 * DBL_EPSILON);
    return p;
}

/* Every row as many times as its weight says. */
static void repeat(const sample *s, sample *out) {
    int64_t n = 0, K = s->rows.outputs;
    for (int64_t i = 0; i < s->rows.n; i++)
        for (int64_t t = 0; t < (int64_t)s->weight[i]; t++, n++) {
            memcpy(out->score + n * K, s->score + i * K, (size_t)K * sizeof(double));
            out->class[n] = s->class[i];
        }
    out->rows = (hsp_calibration_rows){.n = n, .outputs = K, .score = out->score, .class = out->class};
}

static void test_weights_are_copies(void **state) {
    (void)state;
    static sample s, copies;
    for (int m = 0; hsp_calibration_table[m]; m++)
        for (int64_t outputs = 1; outputs <= 3; outputs += 2) {
            draw(&s, 100, outputs, 3, true);
            repeat(&s, &copies);
            hsp_calibration a = fitted(hsp_calibration_table[m], &s.rows), b = fitted(hsp_calibration_table[m], &copies.rows);
            assert_int_equal(a.maps, b.maps);
            for (int64_t k = 0; k < a.maps; k++)
                for (double g = -6; g < 6; g += 0.37) assert_true(fabs(at(&a, k, g) - at(&b, k, g)) < 1e-12);
            hsp_calibration_clear(&a);
            hsp_calibration_clear(&b);
        }
}

/* Platt's objective is least where its two derivatives are 0. */
static void test_platt_is_optimal(void **state) {
    (void)state;
    static sample s;
    for (uint64_t seed = 1; seed < 9; seed++) {
        draw(&s, 60 + 20 * (int64_t)seed, 1, seed, seed % 2);
        for (int64_t i = 0; i < s.rows.n; i++) s.score[i] = s.score[i] * pow(10, 3 * (double)seed - 12) + (seed > 4 ? 5 : 0);
        hsp_calibration c = fitted(&hsp_calibration_platt, &s.rows);
        double mass[2] = {0, 0}, slope[2] = {0, 0}, largest = 0;
        for (int64_t i = 0; i < s.rows.n; i++) mass[s.class[i]] += s.rows.weight ? s.weight[i] : 1;
        const double target[2] = {1 / (mass[0] + 2), (mass[1] + 1) / (mass[1] + 2)};
        for (int64_t i = 0; i < s.rows.n; i++) {
            double apart = (s.rows.weight ? s.weight[i] : 1) * (at(&c, 0, s.score[i]) - target[s.class[i]]);
            slope[0] += apart * s.score[i];
            slope[1] += apart;
            largest = fmax(largest, fabs(s.score[i]));
        }
        assert_true(fabs(slope[0]) < 1e-10 * largest && fabs(slope[1]) < 1e-10);
        hsp_calibration_clear(&c);
    }
}

/* Equal scores, and scores that separate the classes: the targets keep the optimum finite. */
static void test_platt_extremes(void **state) {
    (void)state;
    static sample s;
    const char *odd;
    hsp_calibration c;
    draw(&s, 50, 1, 2, false);
    for (int64_t i = 0; i < 50; i++) s.score[i] = 7, s.class[i] = i < 10;
    assert_int_equal(hsp_calibration_fit(&hsp_calibration_platt, &s.rows, &c, &odd, NULL), 0);
    assert_non_null(odd);
    double share = (10 * 11.0 / 12 + 40 * 1.0 / 42) / 50;
    assert_true(c.pairs[0][0] == 0 && fabs(at(&c, 0, 7) - share) < 1e-14);
    hsp_calibration_clear(&c);
    for (int64_t i = 0; i < 50; i++) s.score[i] = i < 10 ? 1 : -1;
    assert_int_equal(hsp_calibration_fit(&hsp_calibration_platt, &s.rows, &c, &odd, NULL), 0);
    assert_null(odd);
    assert_true(fabs(at(&c, 0, 1) - 11.0 / 12) < 1e-12 && fabs(at(&c, 0, -1) - 1.0 / 42) < 1e-12);
    hsp_calibration_clear(&c);
    for (int64_t i = 0; i < 50; i++) s.score[i] = s.class[i] ? -1e300 : 1e300; /* the wrong way round, and huge */
    assert_int_equal(hsp_calibration_fit(&hsp_calibration_platt, &s.rows, &c, &odd, NULL), 0);
    assert_non_null(odd);
    assert_true(c.pairs[0][0] < 0 && fabs(at(&c, 0, -1e300) - 11.0 / 12) < 1e-12);
    hsp_calibration_clear(&c);
    for (int64_t i = 0; i < 50; i++) s.score[i] = s.class[i] ? 1e-320 : -1e-320; /* no slope can be a double */
    hsp_error *err = NULL;
    assert_int_equal(hsp_calibration_fit(&hsp_calibration_platt, &s.rows, &c, &odd, &err), HSP_EINPUT);
    assert_non_null(strstr(hsp_error_message(err), "too small"));
    hsp_error_free(err);
}

static double squares_of(const hsp_calibration_rows *r, const double *value) {
    double sum = 0;
    for (int64_t i = 0; i < r->n; i++) sum += r->weight[i] * (r->class[i] - value[i]) * (r->class[i] - value[i]);
    return sum;
}

/* The least squares over all ways to divide n ascending scores into blocks of one value with ascending means. */
static double best_squares(const hsp_calibration_rows *r) {
    double least = INFINITY;
    for (int cuts = 0; cuts < 1 << (r->n - 1); cuts++) {
        double value[10], before = -1;
        bool ascending = true;
        for (int64_t from = 0, to; from < r->n; from = to) {
            double mass = 0, hits = 0;
            for (to = from; to == from || (to < r->n && !(cuts >> (to - 1) & 1)); to++)
                mass += r->weight[to], hits += r->weight[to] * r->class[to];
            for (int64_t i = from; i < to; i++) value[i] = hits / mass;
            ascending = ascending && hits / mass >= before;
            before = hits / mass;
        }
        if (ascending) least = fmin(least, squares_of(r, value));
    }
    return least;
}

static void test_isotonic_is_best(void **state) {
    (void)state;
    static sample s;
    for (uint64_t seed = 0; seed < 200; seed++) {
        int64_t n = 2 + (int64_t)(seed % 8);
        draw(&s, n, 1, seed + 50, true);
        for (int64_t i = 0; i < n; i++) s.score[i] = (double)i; /* distinct and in order, for the brute force */
        hsp_calibration c = fitted(&hsp_calibration_isotonic, &s.rows);
        double value[10];
        for (int64_t i = 0; i < n; i++) value[i] = at(&c, 0, s.score[i]);
        for (int64_t i = 1; i < n; i++) assert_true(value[i] >= value[i - 1]);
        assert_true(fabs(squares_of(&s.rows, value) - best_squares(&s.rows)) < 1e-12);
        hsp_calibration_clear(&c);
    }
}

/* Known by hand: ties are one point, violators are pooled, and between two knots the map is a line. */
static void test_isotonic_by_hand(void **state) {
    (void)state;
    const double g[] = {3, 1, 2, 1, 4, 5};
    const int32_t y[] = {0, 0, 1, 0, 1, 1};
    const hsp_calibration_rows rows = {.n = 6, .outputs = 1, .score = g, .class = y};
    hsp_calibration c = fitted(&hsp_calibration_isotonic, &rows);
    static const double expected[][2] = {{1, 0}, {2, 0.5}, {3, 0.5}, {4, 1}, {5, 1}};
    assert_int_equal(c.begin[1], 5);
    assert_memory_equal(c.pairs, expected, sizeof expected);
    assert_true(at(&c, 0, -1e308) == 0 && at(&c, 0, 1.5) == 0.25 && at(&c, 0, 2.7) == 0.5 && at(&c, 0, 1e308) == 1);
    hsp_calibration_clear(&c);
}

/* The slope of the log loss at 1/T is 0, and no other temperature is better. */
static void test_temperature_is_optimal(void **state) {
    (void)state;
    static sample s;
    for (uint64_t seed = 1; seed < 13; seed++) {
        int64_t K = seed % 2 ? 1 : 3;
        draw(&s, 150, K, seed, seed % 3 == 0);
        hsp_calibration c = fitted(&hsp_calibration_temperature, &s.rows);
        double loss[3] = {0}, p[3];
        for (int step = 0; step < 3; step++) {
            hsp_calibration_pair pair = {c.pairs[0][0] * (1 + 1e-4 * (step - 1)), 0};
            const hsp_calibration other = {.method = c.method, .maps = 1, .begin = (int64_t[]){0, 1}, .pairs = &pair};
            for (int64_t i = 0; i < s.rows.n; i++) {
                double w = s.rows.weight ? s.weight[i] : 1;
                if (K == 1) {
                    p[1] = at(&other, 0, s.score[i]);
                    p[0] = 1 - p[1];
                } else {
                    hsp_calibration_shares(&other, K, s.score + i * K, p);
                }
                loss[step] -= w * log(p[s.class[i]]);
            }
        }
        assert_true(loss[1] < loss[0] && loss[1] < loss[2]);
        assert_true(fabs(loss[2] - loss[0]) < 1e-3 * (loss[0] + loss[2] - 2 * loss[1])); /* the minimum is in the middle */
        hsp_calibration_clear(&c);
    }
}

/* Scores that separate the classes, or rank them the wrong way round, have no best temperature. */
static void test_temperature_extremes(void **state) {
    (void)state;
    static sample s;
    const char *odd;
    hsp_calibration c;
    draw(&s, 40, 1, 1, false);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int64_t i = 0; i < 40; i++) s.score[i] = sign * (s.class[i] ? 1 : -1);
        assert_int_equal(hsp_calibration_fit(&hsp_calibration_temperature, &s.rows, &c, &odd, NULL), 0);
        assert_non_null(odd);
        assert_true(c.pairs[0][0] == exp(sign * 10));
        hsp_calibration_clear(&c);
    }
}

/* No class has a share: all are equally probable. */
static void test_shares(void **state) {
    (void)state;
    hsp_calibration_pair pairs[] = {{0, 0}, {1, 1}, {0, 0}, {1, 0.5}, {0, 0}, {1, 1}};
    const hsp_calibration c = {
        .method = &hsp_calibration_isotonic, .maps = 3, .begin = (int64_t[]){0, 2, 4, 6}, .pairs = pairs};
    double p[3] = {-1, -2, -3};
    hsp_calibration_shares(&c, 3, p, p);
    for (int k = 0; k < 3; k++) assert_true(p[k] == 1.0 / 3);
    p[0] = 1, p[1] = 2, p[2] = -1;
    hsp_calibration_shares(&c, 3, p, p);
    assert_true(fabs(p[0] - 2.0 / 3) < 1e-15 && fabs(p[1] - 1.0 / 3) < 1e-15 && p[2] == 0);
}

/* What is not a calibration. */
static void test_refused(void **state) {
    (void)state;
    static const struct {
        const hsp_calibration_method *method;
        int64_t begin[3];
        double pairs[4][2];
        int64_t outputs, maps, count;
    } bad[] = {
        {&hsp_calibration_platt, {0, 1}, {{1, NAN}}, 1, 1, 1},
        {&hsp_calibration_platt, {0, 1}, {{INFINITY, 0}}, 1, 1, 1},
        {&hsp_calibration_platt, {0, 2}, {{1, 0}, {1, 0}}, 1, 1, 2},
        {&hsp_calibration_platt, {0, 1}, {{1, 0}}, 3, 1, 1},
        {&hsp_calibration_platt, {1, 2}, {{1, 0}, {1, 0}}, 1, 1, 2},
        {&hsp_calibration_platt, {0, 1}, {{1, 0}, {1, 0}}, 1, 1, 2},
        {&hsp_calibration_isotonic, {0, 2}, {{1, 0.5}, {1, 0.6}}, 1, 1, 2},
        {&hsp_calibration_isotonic, {0, 2}, {{1, 0.5}, {0, 0.6}}, 1, 1, 2},
        {&hsp_calibration_isotonic, {0, 2}, {{1, 0.5}, {2, 0.4}}, 1, 1, 2},
        {&hsp_calibration_isotonic, {0, 2}, {{1, -0.1}, {2, 0.4}}, 1, 1, 2},
        {&hsp_calibration_isotonic, {0, 2}, {{1, 0.1}, {2, 1.1}}, 1, 1, 2},
        {&hsp_calibration_isotonic, {0, 0}, {{0, 0}}, 1, 1, 0},
        {&hsp_calibration_isotonic, {0, 2, 1}, {{1, 0.5}, {2, 0.6}}, 2, 2, 2},
        {&hsp_calibration_isotonic, {0, INT64_MAX, 2}, {{1, 0.5}, {2, 0.6}}, 2, 2, 2},
        {&hsp_calibration_isotonic, {0, INT64_MIN, 2}, {{1, 0.5}, {2, 0.6}}, 2, 2, 2},
        {&hsp_calibration_temperature, {0, 1}, {{0, 0}}, 1, 1, 1},
        {&hsp_calibration_temperature, {0, 1}, {{-1, 0}}, 1, 1, 1},
        {&hsp_calibration_temperature, {0, 1}, {{1, 1}}, 1, 1, 1},
        {&hsp_calibration_temperature, {0, 1, 2}, {{1, 0}, {1, 0}}, 2, 2, 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_calibration c = {.method = bad[i].method,
                             .maps = bad[i].maps,
                             .begin = (int64_t *)bad[i].begin,
                             .pairs = (hsp_calibration_pair *)bad[i].pairs};
        if (hsp_calibration_fits(&c, bad[i].outputs, bad[i].count)) fail_msg("calibration %zu was accepted", i);
    }
    assert_null(hsp_calibration_find("beta"));
    assert_null(hsp_calibration_find(NULL));
    assert_ptr_equal(hsp_calibration_find("isotonic"), &hsp_calibration_isotonic);
}

static void test_order(void **state) {
    (void)state;
    const double v[] = {2, 1, 2, -1, 1};
    const int64_t expected[] = {3, 1, 4, 0, 2};
    int64_t order[5];
    assert_int_equal(hsp_calibration_order(v, 5, order), 0);
    assert_memory_equal(order, expected, sizeof order);
}

/* By hand: one bin for each row of 15, one for equal probabilities, and weights. */
static void test_error(void **state) {
    (void)state;
    double p[30], weight[30];
    bool hit[30];
    for (int i = 0; i < 30; i++) p[i] = (i / 2 + 0.5) / 15, hit[i] = i % 2, weight[i] = 1;
    double expected = 0;
    for (int b = 0; b < 15; b++) expected += fabs((b + 0.5) / 15 - 0.5) / 15;
    assert_true(fabs(hsp_calibration_error(p, hit, NULL, 30) - expected) < 1e-14);
    assert_true(fabs(hsp_calibration_error(p, hit, weight, 30) - expected) < 1e-14);
    for (int i = 0; i < 30; i++) p[i] = 0.25;
    assert_true(fabs(hsp_calibration_error(p, hit, NULL, 30) - 0.25) < 1e-14);
    for (int i = 0; i < 30; i++) weight[i] = hit[i] ? 0 : 2;
    assert_true(fabs(hsp_calibration_error(p, hit, weight, 30) - 0.25) < 1e-14);
    for (int i = 0; i < 30; i++) weight[i] = hit[i] ? 1 : 3;
    assert_true(hsp_calibration_error(p, hit, weight, 30) < 1e-14);
    assert_true(isnan(hsp_calibration_error(p, hit, NULL, 0)));
}

static void test_figures(void **state) {
    (void)state;
    const int32_t class[] = {1, 0, 1, 0};
    const double p[] = {0.8, 0.3, 0.5, 0}, weight[] = {1, 2, 1, 1};
    const hsp_calibration_rows rows = {.n = 4, .outputs = 1, .class = class, .weight = weight};
    hsp_calibration_figures x;
    hsp_error *err = NULL;
    assert_int_equal(hsp_calibration_measure(&rows, p, &x, &err), 0);
    assert_true(fabs(x.log_loss + (log(0.8) + 2 * log(0.7) + log(0.5)) / 5) < 1e-15);
    assert_true(fabs(x.brier - (0.04 + 2 * 0.09 + 0.25) / 5) < 1e-15);
    const double q[] = {0.5, 0.3, 0.2, 0, 1, 0};
    const int32_t of[] = {0, 2};
    const hsp_calibration_rows many = {.n = 2, .outputs = 3, .class = of};
    assert_int_equal(hsp_calibration_measure(&many, q, &x, &err), 0);
    assert_true(fabs(x.log_loss + (log(0.5) + log(1e-15)) / 2) < 1e-12);
    assert_true(fabs(x.brier - (0.25 + 0.09 + 0.04 + 2) / 2) < 1e-15);
    /* each class is ranked alone: (0.5 + 0)/2, (0.3 + 1)/2, (0.2 + 1)/2 */
    assert_true(fabs(x.calibration_error - (0.25 + 0.65 + 0.6) / 3) < 1e-15);
}

/* Every allocation fails once: the failure is reported, and nothing is left. */
static void test_memory(void **state) {
    (void)state;
    static sample s;
    draw(&s, 40, 3, 4, true);
    for (int m = 0; hsp_calibration_table[m]; m++) {
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status == HSP_EMEMORY; calls++) {
            hsp_calibration c;
            const char *odd;
            hsp_calibration_figures x;
            hsp_memory_fail_after(calls);
            status = hsp_calibration_fit(hsp_calibration_table[m], &s.rows, &c, &odd, NULL);
            if (!status) status = hsp_calibration_measure(&s.rows, s.score, &x, NULL);
            hsp_memory_fail_after(-1);
            hsp_calibration_clear(&c);
            assert_true(calls < 200);
        }
        assert_int_equal(status, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_copies), cmocka_unit_test(test_platt_is_optimal),
        cmocka_unit_test(test_platt_extremes),     cmocka_unit_test(test_isotonic_is_best),
        cmocka_unit_test(test_isotonic_by_hand),   cmocka_unit_test(test_temperature_is_optimal),
        cmocka_unit_test(test_temperature_extremes), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_refused),            cmocka_unit_test(test_order),
        cmocka_unit_test(test_error),              cmocka_unit_test(test_figures),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
