#include "data_fixture.h"

#include "option/options.h"

/* n rows whose only value is their number + 1, in classes of the given sizes, interleaved by a fixed shuffle. */
static hsp_data *numbered(const int64_t *sizes, int64_t classes) {
    int64_t n = 0, at = 0;
    for (int64_t k = 0; k < classes; k++) n += sizes[k];
    double *x = malloc((size_t)n * sizeof *x);
    char(*text)[8] = malloc((size_t)n * sizeof *text);
    const char **labels = malloc((size_t)n * sizeof *labels);
    int64_t *order = malloc((size_t)n * sizeof *order);
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(i + 1);
        order[i] = i;
    }
    hsp_rng r = hsp_rng_new(77, 0);
    hsp_rng_shuffle(&r, order, n);
    for (int64_t k = 0; k < classes; k++)
        for (int64_t c = 0; c < sizes[k]; c++, at++) {
            snprintf(text[order[at]], sizeof text[0], "%lld", (long long)k % 1000);
            labels[order[at]] = text[order[at]];
        }
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(x, n, 1, 1, labels, NULL, &data, NULL), 0);
    free(x);
    free(text);
    free(labels);
    free(order);
    return data;
}

static hsp_options *options(const char *test, bool stratify, const char *seed) {
    hsp_options *o;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    if (test) assert_int_equal(hsp_options_set(o, "test", test, NULL), 0);
    if (stratify) assert_int_equal(hsp_options_set(o, "stratify", "yes", NULL), 0);
    if (seed) assert_int_equal(hsp_options_set(o, "seed", seed, NULL), 0);
    return o;
}

static int split(const hsp_data *data, const char *test, bool stratify, const char *seed, hsp_data **a, hsp_data **b,
                 hsp_error **err) {
    hsp_options *o = options(test, stratify, seed);
    int status = hsp_data_split(data, o, a, b, err);
    hsp_options_free(o);
    return status;
}

/* Every row is in one of the parts, in its old order and with its label. */
static void assert_parts(const hsp_data *data, const hsp_data *a, const hsp_data *b) {
    assert_int_equal(a->x.n + b->x.n, data->x.n);
    int64_t p = 0, q = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        double u = 0, v = 0;
        if (p < a->x.n) assert_int_equal(hsp_data_row(a, p, &u, NULL), 0);
        if (q < b->x.n) assert_int_equal(hsp_data_row(b, q, &v, NULL), 0);
        if (u == (double)(i + 1))
            assert_int_equal(a->y[p++], data->y[i]);
        else if (v == (double)(i + 1))
            assert_int_equal(b->y[q++], data->y[i]);
        else
            fail_msg("row %lld is lost", (long long)i);
    }
    assert_int_equal(a->classes.count, data->classes.count);
    assert_string_equal(a->schema.format, data->schema.format);
    assert_string_equal(b->source, data->source);
}

static void counts_are_exact(void **state) {
    (void)state;
    const int64_t sizes[] = {60, 40, 1};
    hsp_data *data = numbered(sizes, 3), *a, *b;
    const struct {
        const char *test;
        int64_t count;
    } cases[] = {{NULL, 30}, {"0.3", 30}, {"0.5", 51}, {"0.005", 1}, {"0.99", 100}, {"1", 1}, {"7", 7}, {"100", 100}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int stratify = 0; stratify < 2; stratify++) {
            assert_int_equal(split(data, cases[k].test, stratify, NULL, &a, &b, NULL), 0);
            assert_int_equal(b->x.n, cases[k].count);
            assert_parts(data, a, b);
            hsp_data_free(a);
            hsp_data_free(b);
        }
    assert_int_equal(hsp_data_split(data, NULL, &a, &b, NULL), 0);
    assert_int_equal(b->x.n, 30);
    hsp_data_free(a);
    hsp_data_free(b);
    hsp_data_free(data);
}

static void shares_are_kept(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 5);
    for (int trial = 0; trial < 50; trial++) {
        int64_t sizes[6], classes = 2 + hsp_rng_below(&r, 5), n = 0, count[6], excess = 0;
        for (int64_t k = 0; k < classes; k++) n += sizes[k] = 1 + hsp_rng_below(&r, trial % 2 ? 200 : 5);
        hsp_data *data = numbered(sizes, classes), *a, *b;
        assert_int_equal(split(data, "0.37", true, "9", &a, &b, NULL), 0);
        assert_parts(data, a, b);
        hsp_data_class_counts(b, count);
        for (int64_t k = 0; k < classes; k++) {
            double exact = (double)b->x.n * (double)sizes[k] / (double)n;
            assert_true(fabs((double)count[k] - exact) < 1);
            excess += count[k];
        }
        assert_int_equal(excess, b->x.n);
        hsp_data_free(a);
        hsp_data_free(b);
        hsp_data_free(data);
    }
}

static void the_seed_decides(void **state) {
    (void)state;
    const int64_t sizes[] = {100, 100};
    hsp_data *data = numbered(sizes, 2), *a, *b, *c, *d;
    for (int stratify = 0; stratify < 2; stratify++) {
        assert_int_equal(split(data, "0.3", stratify, NULL, &a, &b, NULL), 0);
        assert_int_equal(split(data, "0.3", stratify, "1", &c, &d, NULL), 0);
        assert_true(hsp_data_hash(a) == hsp_data_hash(c));
        assert_true(hsp_data_hash(b) == hsp_data_hash(d));
        hsp_data_free(c);
        hsp_data_free(d);
        assert_int_equal(split(data, "0.3", stratify, "2", &c, &d, NULL), 0);
        assert_true(hsp_data_hash(b) != hsp_data_hash(d));
        hsp_data_free(a);
        hsp_data_free(b);
        hsp_data_free(c);
        hsp_data_free(d);
    }
    hsp_data_free(data);
}

/* Each row is drawn equally often: 2000 splits of 20 rows, 5 for the test; sd of a count is below 20. */
static void rows_are_drawn_evenly(void **state) {
    (void)state;
    const int64_t sizes[] = {12, 8};
    hsp_data *data = numbered(sizes, 2);
    int64_t drawn[20] = {0};
    for (int s = 0; s < 2000; s++) {
        char seed[16];
        snprintf(seed, sizeof seed, "%d", s);
        hsp_data *a, *b;
        assert_int_equal(split(data, "5", s % 2, seed, &a, &b, NULL), 0);
        for (int64_t i = 0; i < 5; i++) {
            double v;
            assert_int_equal(hsp_data_row(b, i, &v, NULL), 0);
            drawn[(int)v - 1]++;
        }
        hsp_data_free(a);
        hsp_data_free(b);
    }
    for (int i = 0; i < 20; i++) assert_in_range(drawn[i], 400, 600);
    hsp_data_free(data);
}

static void impossible_splits(void **state) {
    (void)state;
    const int64_t sizes[] = {3, 2};
    hsp_data *data = numbered(sizes, 2), *a = data, *b = data;
    hsp_error *err = NULL;
    assert_fails(split(data, "0.01", false, NULL, &a, &b, &err), &err, HSP_EUSAGE, "larger --test");
    assert_null(a);
    assert_null(b);
    assert_fails(split(data, "0.95", false, NULL, &a, &b, &err), &err, HSP_EUSAGE, "smaller --test");
    assert_fails(split(data, "5", true, NULL, &a, &b, &err), &err, HSP_EUSAGE, "smaller --test");
    assert_fails(split(data, "1e15", false, NULL, &a, &b, &err), &err, HSP_EUSAGE, "smaller --test");
    assert_fails(split(data, "2.5", false, NULL, &a, &b, &err), &err, HSP_EUSAGE, "whole");
    hsp_data_free(data);
    const double x[] = {1, 2, 3};
    assert_int_equal(hsp_data_from_dense(x, 3, 1, 1, NULL, NULL, &data, NULL), 0);
    assert_fails(split(data, "1", true, NULL, &a, &b, &err), &err, HSP_EUSAGE, "--stratify needs labels");
    assert_int_equal(split(data, "1", false, NULL, &a, &b, &err), 0);
    assert_null(a->y);
    hsp_data_free(a);
    hsp_data_free(b);
    assert_int_equal(hsp_data_from_dense(x, 1, 1, 1, NULL, NULL, &a, NULL), 0);
    hsp_data_free(data);
    data = a;
    assert_fails(split(data, "0.5", false, NULL, &a, &b, &err), &err, HSP_EUSAGE, "left for training");
    hsp_data_free(data);
}

typedef struct job {
    hsp_data *data;
    hsp_options *o;
} job;

static int split_job(void *user, hsp_error **err) {
    const job *j = user;
    hsp_data *a, *b;
    int status = hsp_data_split(j->data, j->o, &a, &b, err);
    if (status) {
        assert_null(a);
        assert_null(b);
    }
    hsp_data_free(a);
    hsp_data_free(b);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    const int64_t sizes[] = {30, 20};
    for (int stratify = 0; stratify < 2; stratify++) {
        job j = {numbered(sizes, 2), options("0.3", stratify, NULL)};
        j.data->assumed = hsp_strdup("assumed");
        sweep_memory(split_job, &j);
        hsp_data_free(j.data);
        hsp_options_free(j.o);
    }
}

/* Groups are whole in one part, and the number of test rows is near what is wanted. */
static void test_groups(void **state) {
    (void)state;
    const int64_t sizes[] = {60, 40};
    int32_t group[100];
    for (int64_t groups = 2; groups <= 50; groups += 6)
        for (int seed = 1; seed < 6; seed++) {
            hsp_data *data = numbered(sizes, 2), *a, *b;
            bool in_a[64] = {false}, in_b[64] = {false};
            char text[16];
            snprintf(text, sizeof text, "%d", seed);
            for (int64_t i = 0; i < 100; i++) group[i] = (int32_t)(i * i % groups * 3 - 7); /* not all numbers occur */
            const hsp_array g = {sizeof g, group, HSP_INT32, 1, {100, 1}, {sizeof *group, 0}};
            assert_int_equal(hsp_data_set_groups(data, &g, NULL), 0);
            assert_int_equal(split(data, "0.3", false, text, &a, &b, NULL), 0);
            assert_parts(data, a, b);
            for (int64_t i = 0; i < a->x.n; i++) in_a[a->group[i]] = true;
            for (int64_t i = 0; i < b->x.n; i++) in_b[b->group[i]] = true;
            for (int k = 0; k < 64; k++) assert_false(in_a[k] && in_b[k]);
            assert_true(a->x.n > 0 && b->x.n > 0);
            if (groups > 30) assert_in_range(b->x.n, 20, 40);
            hsp_data_free(a);
            hsp_data_free(b);
            hsp_data_free(data);
        }
}

/* All test rows are later than all others; rows of one time stay together. */
static void test_times(void **state) {
    (void)state;
    const int64_t sizes[] = {60, 40};
    double time[100];
    for (int distinct = 2; distinct <= 100; distinct += 14) {
        hsp_data *data = numbered(sizes, 2), *a, *b;
        for (int i = 0; i < 100; i++) time[i] = i * 37 % 100 * distinct / 100;
        const hsp_array t = {sizeof t, time, HSP_FLOAT64, 1, {100, 1}, {sizeof *time, 0}};
        assert_int_equal(hsp_data_set_times(data, &t, NULL), 0);
        assert_int_equal(split(data, "0.25", false, NULL, &a, &b, NULL), 0);
        assert_parts(data, a, b);
        double last = -1, first = 1000;
        for (int64_t i = 0; i < a->x.n; i++) last = fmax(last, a->time[i]);
        for (int64_t i = 0; i < b->x.n; i++) first = fmin(first, b->time[i]);
        assert_true(last < first && b->x.n > 0);
        if (distinct > 40) assert_in_range(b->x.n, 22, 28);
        hsp_data_free(a);
        hsp_data_free(b);
        hsp_data_free(data);
    }
}

static void test_rows_that_cannot_be_parted(void **state) {
    (void)state;
    const int64_t sizes[] = {6, 4};
    int32_t group[10] = {0};
    double time[10] = {0};
    hsp_data *data = numbered(sizes, 2), *a, *b;
    hsp_error *err = NULL;
    const hsp_array g = {sizeof g, group, HSP_INT32, 1, {10, 1}, {sizeof *group, 0}};
    const hsp_array t = {sizeof t, time, HSP_FLOAT64, 1, {10, 1}, {sizeof *time, 0}};
    static const char *const says[] = {"all rows are of one group", "leave it out", "exclude each other",
                                       "all rows have the same time"};
    for (int k = 0; k < 4; k++) {
        if (k == 0) assert_int_equal(hsp_data_set_groups(data, &g, NULL), 0);
        if (k == 2) assert_int_equal(hsp_data_set_times(data, &t, NULL), 0);
        if (k == 3) assert_int_equal(hsp_data_set_groups(data, NULL, NULL), 0);
        assert_true(split(data, "0.3", k == 1, NULL, &a, &b, &err) < 0);
        assert_true(a == NULL && b == NULL && strstr(hsp_error_message(err), says[k]));
        hsp_error_free(err);
        err = NULL;
    }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(shares_are_kept),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(rows_are_drawn_evenly),
        cmocka_unit_test(impossible_splits),
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_rows_that_cannot_be_parted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
