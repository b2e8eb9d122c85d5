/* hsp_relations_find: as many relations as columns are too many, each true in every row; one row that denies is enough. */
#include "model/handmade.h"

#include "base/rng.h"
#include "inspect/relations.h"

typedef struct setting {
    hsp_data *data;
    hsp_column_stats stats;
    int64_t use[64];
    bool wanted[64];
    hsp_relations found;
} setting;

static setting find_relations(const double *x, int64_t n, int64_t d, int threads) {
    setting s = {.data = handmade_data(x, n, d, NULL, NULL)};
    hsp_error *err = NULL;
    assert_int_equal(hsp_column_stats_fit(&s.data->x, &s.stats), 0);
    for (int64_t j = 0; j < d; j++) {
        s.use[j] = j;
        s.wanted[j] = true;
    }
    handmade_ok(hsp_relations_find(&s.data->x, &s.stats, s.use, s.wanted, d, threads, &s.found, &err), err);
    return s;
}

static void free_setting(setting *s) {
    hsp_relations_clear(&s->found);
    hsp_column_stats_clear(&s->stats);
    hsp_data_free(s->data);
}

/* Every relation, by the numbers themselves. */
static void check_true(const setting *s, const double *x, int64_t n, int64_t d) {
    for (int64_t t = 0; t < s->found.count; t++) {
        const double *a = s->found.a + t * (d + 1);
        assert_true(a[s->found.of[t] + 1] == 0);
        for (int64_t i = 0; i < n; i++) {
            double sum = a[0], size = fabs(a[0]);
            for (int64_t j = 0; j < d; j++) {
                sum += a[j + 1] * x[i * d + j];
                size += fabs(a[j + 1] * x[i * d + j]);
            }
            assert_true(fabs(sum - x[i * d + s->found.of[t]]) <= 1e-9 * (size + 1));
        }
    }
}

/* The first `apart` columns are free, the others whole multiples of up to three of those before, scales far apart. */
static void fill(hsp_rng *rng, double *x, int64_t n, int64_t d, int64_t apart, double sparse) {
    for (int64_t j = 0; j < d; j++) {
        double scale = pow(10, (double)hsp_rng_below(rng, 9) - 4), offset = (double)hsp_rng_below(rng, 100) * scale;
        int64_t from[3] = {0};
        double by[3] = {0};
        for (int k = 0; k < 3; k++) {
            from[k] = hsp_rng_below(rng, apart);
            by[k] = (double)hsp_rng_below(rng, 4); /* no differences: what cancels leaves rounding behind */
        }
        by[0] = by[0] == 0 ? 1 : by[0];
        for (int64_t i = 0; i < n; i++) {
            double v = offset + scale * hsp_rng_normal(rng);
            if (hsp_rng_uniform(rng) < sparse) v = 0;
            if (j >= apart) {
                v = 5;
                for (int k = 0; k < 3; k++) v += by[k] * x[i * d + from[k]];
            }
            x[i * d + j] = v;
        }
    }
}

static void test_ranks(void **state) {
    (void)state;
    hsp_rng rng = hsp_rng_new(17, 0);
    for (int round = 0; round < 60; round++) {
        int64_t d = 2 + hsp_rng_below(&rng, 20), apart = 1 + hsp_rng_below(&rng, d), n = d + 20 + hsp_rng_below(&rng, 2000);
        double *x = calloc((size_t)(n * d), sizeof *x);
        fill(&rng, x, n, d, apart, round % 3 == 0 ? 0.95 : 0);
        setting s = find_relations(x, n, d, 1), again = find_relations(x, n, d, 3);
        bool constant = false; /* a column that cancels out is nobody's business here */
        for (int64_t j = 0; j < d; j++) constant |= s.stats.min[j] >= s.stats.max[j];
        if (!constant) {
            assert_int_equal(s.found.count, d - apart);
            assert_false(s.found.open);
            check_true(&s, x, n, d);
            assert_int_equal(again.found.count, s.found.count);
            assert_memory_equal(again.found.a, s.found.a, (size_t)(s.found.count * (d + 1)) * sizeof *x);
        }
        free_setting(&s);
        free_setting(&again);
        free(x);
    }
}

/* Each of many rows denies another column. */
static void test_denials(void **state) {
    (void)state;
    enum { N = 20000, D = 8 };
    double *x = calloc((size_t)N * D, sizeof *x);
    hsp_rng rng = hsp_rng_new(3, 0);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < 4; j++) x[i * D + j] = hsp_rng_normal(&rng);
        for (int64_t j = 4; j < D; j++) x[i * D + j] = x[i * D + j - 4] + x[i * D + (j - 3) % 4] * 0.5;
    }
    setting s = find_relations(x, N, D, 2);
    assert_int_equal(s.found.count, 4);
    free_setting(&s);
    for (int64_t j = 4; j < D; j++) {
        x[(1234 + 1111 * j) * D + j] += 1e-4; /* inside the range of the column */
        s = find_relations(x, N, D, 2);
        assert_int_equal(s.found.count, D - 1 - j);
        check_true(&s, x, N, D);
        free_setting(&s);
    }
    free(x);
}

static void test_unwanted(void **state) {
    (void)state;
    enum { N = 50, D = 3 };
    double x[N * D];
    for (int i = 0; i < N; i++) {
        x[i * D] = i % 3 == 0;
        x[i * D + 1] = i % 3 != 0; /* follows, but nobody asked */
        x[i * D + 2] = 7 - 2 * x[i * D];
    }
    setting s = find_relations(x, N, D, 1);
    assert_int_equal(s.found.count, 2);
    hsp_relations_clear(&s.found);
    hsp_error *err = NULL;
    s.wanted[1] = false;
    handmade_ok(hsp_relations_find(&s.data->x, &s.stats, s.use, s.wanted, D, 1, &s.found, &err), err);
    assert_int_equal(s.found.count, 1);
    assert_int_equal(s.found.of[0], 2);
    assert_true(fabs(s.found.a[0] - 7) < 1e-9 && fabs(s.found.a[1] + 2) < 1e-9 && s.found.a[2] == 0);
    free_setting(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_denials),
        cmocka_unit_test(test_unwanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
