/* Rankings against their definitions, counted pair by pair and threshold by threshold. */
#include "model/handmade.h"

#include "base/rng.h"
#include "eval/metrics.h"

static double naive_auc(const hsp_ranked *v, int64_t n) {
    double pairs = 0, right = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (v[i].positive <= 0 || v[j].positive > 0) continue;
            double pair = v[i].positive * v[j].negative;
            pairs += pair;
            right += v[i].score > v[j].score ? pair : v[i].score == v[j].score ? pair / 2 : 0;
        }
    }
    return right / pairs;
}

/* Precision at the threshold of every positive row, averaged: the same sum, grouped otherwise. */
static double naive_precision(const hsp_ranked *v, int64_t n) {
    double sum = 0, positives = 0;
    for (int64_t i = 0; i < n; i++) {
        if (v[i].positive <= 0) continue;
        double taken = 0, hits = 0;
        for (int64_t j = 0; j < n; j++) {
            if (v[j].score < v[i].score) continue;
            taken += v[j].positive + v[j].negative;
            hits += v[j].positive;
        }
        positives += v[i].positive;
        sum += v[i].positive * hits / taken;
    }
    return sum / positives;
}

static void test_against_definitions(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 1);
    hsp_ranked v[100], spare[100];
    for (int trial = 0; trial < 200; trial++) {
        int64_t n = 2 + hsp_rng_below(&r, 98), levels = trial % 2 ? 5 : 1000000;
        for (int64_t i = 0; i < n; i++) {
            bool positive = i == 0 || (i > 1 && hsp_rng_below(&r, 2));
            double weight = i < 2 || trial % 3 == 0 ? 1 : (double)hsp_rng_below(&r, 4) / 2; /* some weigh nothing */
            v[i] = (hsp_ranked){0, positive ? weight : 0, positive ? 0 : weight};
            v[i].score = (double)(hsp_rng_below(&r, levels) + (positive && levels > 5 ? levels / 4 : 0));
            if (v[i].score == 0 && i % 2) v[i].score = -0.0; /* the same score as 0 */
        }
        double auc = naive_auc(v, n), precision = naive_precision(v, n);
        hsp_rank_sort(v, spare, n);
        for (int64_t i = 1; i < n; i++) assert_true(v[i - 1].score <= v[i].score);
        assert_true(fabs(hsp_rank_auc(v, n) - auc) < 1e-12);
        assert_true(fabs(hsp_rank_average_precision(v, n) - precision) < 1e-12);
    }
}

static void test_known_values(void **state) {
    (void)state;
    /* The example of scikit-learn's documentation: 0.75 and 0.8333. */
    hsp_ranked v[] = {{0.1, 0, 1}, {0.35, 1, 0}, {0.4, 0, 1}, {0.8, 1, 0}}, spare[4];
    hsp_rank_sort(v, spare, 4);
    assert_true(hsp_rank_auc(v, 4) == 0.75);
    assert_true(fabs(hsp_rank_average_precision(v, 4) - 5.0 / 6) < 1e-15);
    hsp_ranked flat[] = {{1, 0, 1}, {1, 1, 0}, {1, 0, 1}, {1, 0, 1}};
    assert_true(hsp_rank_auc(flat, 4) == 0.5);
    assert_true(hsp_rank_average_precision(flat, 4) == 0.25);
    hsp_ranked best[] = {{1, 0, 1}, {2, 1, 0}}, worst[] = {{1, 1, 0}, {2, 0, 1}};
    assert_true(hsp_rank_auc(best, 2) == 1 && hsp_rank_average_precision(best, 2) == 1);
    assert_true(hsp_rank_auc(worst, 2) == 0 && hsp_rank_average_precision(worst, 2) == 0.5);
}

static void test_undefined(void **state) {
    (void)state;
    hsp_ranked yes[] = {{1, 1, 0}, {2, 1, 0}}, no[] = {{1, 0, 1}, {2, 0, 1}};
    assert_true(isnan(hsp_rank_auc(yes, 2)) && hsp_rank_average_precision(yes, 2) == 1);
    assert_true(isnan(hsp_rank_auc(no, 2)) && isnan(hsp_rank_average_precision(no, 2)));
    assert_true(isnan(hsp_rank_auc(no, 0)) && isnan(hsp_rank_average_precision(no, 0)));
    hsp_rank_sort(no, yes, 0);
    hsp_rank_sort(no, yes, 1);
    assert_true(no[0].score == 1);
}

/* A row of weight 3 is a row written three times. */
static void test_repeated(void **state) {
    (void)state;
    hsp_ranked once[] = {{1, 0, 2}, {2, 3, 0}, {2, 0, 1}, {3, 1, 0}, {4, 0, 0}}, spare[9];
    hsp_ranked often[] = {{1, 0, 1}, {1, 0, 1}, {2, 1, 0}, {2, 1, 0}, {2, 1, 0}, {2, 0, 1}, {3, 1, 0}};
    hsp_rank_sort(once, spare, 5);
    hsp_rank_sort(often, spare, 7);
    assert_true(hsp_rank_auc(once, 5) == hsp_rank_auc(often, 7));
    assert_true(hsp_rank_average_precision(once, 5) == hsp_rank_average_precision(often, 7));
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_against_definitions),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_repeated),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
