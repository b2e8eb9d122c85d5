/* Folds: sizes and strata, groups that stay together, time order, leave-one-out, repeats, what is refused. */
#include "data_fixture.h"

#include "data/folds.h"
#include "option/options.h"

#include <math.h>

/* n rows in classes i % classes, with groups i / size (0: none) and times (NULL: none). */
static hsp_data *rows_of(int64_t n, int64_t classes, int64_t size, const double *time) {
    static const char *const names[] = {"a", "b", "c", "d"};
    double *x = calloc((size_t)n, sizeof *x);
    int64_t *group = calloc((size_t)n, sizeof *group);
    const char **labels = calloc((size_t)n, sizeof *labels);
    hsp_data *data = NULL;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)i;
        labels[i] = names[i % classes];
        group[i] = size > 0 ? 1000 - i / size : 0;
    }
    assert_int_equal(hsp_data_from_dense(x, n, 1, 1, labels, NULL, &data, NULL), 0);
    hsp_array g = {sizeof g, group, HSP_INT64, 1, {n, 1}, {8, 8}}, t = {sizeof t, time, HSP_FLOAT64, 1, {n, 1}, {8, 8}};
    if (size > 0) assert_int_equal(hsp_data_set_groups(data, &g, NULL), 0);
    if (time) assert_int_equal(hsp_data_set_times(data, &t, NULL), 0);
    free(x);
    free(group);
    free(labels);
    return data;
}

static hsp_options *options(const char *folds, const char *repeats, const char *seed) {
    hsp_options *o;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    if (folds) assert_int_equal(hsp_options_set(o, "folds", folds, NULL), 0);
    if (repeats) assert_int_equal(hsp_options_set(o, "repeats", repeats, NULL), 0);
    if (seed) assert_int_equal(hsp_options_set(o, "seed", seed, NULL), 0);
    return o;
}

static hsp_folds folds_of(const hsp_data *data, const char *folds, const char *repeats, const char *seed) {
    hsp_options *o = options(folds, repeats, seed);
    hsp_folds f;
    hsp_error *err = NULL;
    if (hsp_folds_new(data, o, &f, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return f;
}

static void refused(hsp_data *data, const char *folds, const char *repeats, int code, const char *words) {
    hsp_options *o = options(folds, repeats, NULL);
    hsp_folds f;
    hsp_error *err = NULL;
    assert_int_equal(hsp_folds_new(data, o, &f, &err), code);
    assert_null(f.fold);
    if (!strstr(hsp_error_message(err), words)) fail_msg("'%s' lacks '%s'", hsp_error_message(err), words);
    hsp_error_free(err);
    hsp_options_free(o);
    hsp_data_free(data);
}

/* Every row is tested once in a repeat, and trains all the other folds. */
static void assert_partition(const hsp_folds *f) {
    int64_t *rows = malloc((size_t)f->n * sizeof *rows);
    for (int64_t r = 0; r < f->repeats; r++) {
        int64_t all = 0;
        for (int64_t k = 0; k < f->count; k++) {
            int64_t tested = hsp_folds_tested(f, r, k, rows);
            for (int64_t t = 0; t < tested; t++)
                assert_true(f->fold[r * f->n + rows[t]] == k && (t == 0 || rows[t] > rows[t - 1]));
            all += tested;
            assert_true(tested > 0);
            assert_int_equal(hsp_folds_trained(f, r, k, rows), f->n - tested);
        }
        assert_int_equal(all, f->n);
    }
    free(rows);
}

/* Sizes of the folds differ by at most one, in total and by class. */
static void test_strata(void **state) {
    (void)state;
    static const char *const folds[] = {"2", "5", "7", "10"};
    for (int c = 0; c < 4; c++)
        for (int64_t classes = 1; classes <= 4; classes++) {
            hsp_data *data = rows_of(103, classes, 0, NULL);
            hsp_folds f = folds_of(data, folds[c], "3", "9");
            assert_partition(&f);
            for (int64_t r = 0; r < 3; r++)
                for (int64_t k = 0; k < f.count; k++) {
                    int64_t size = 0, of[4] = {0};
                    for (int64_t i = 0; i < f.n; i++)
                        if (f.fold[r * f.n + i] == k) size++, of[data->y[i]]++;
                    assert_true(llabs(size - f.n / f.count) <= 1);
                    for (int64_t j = 0; j < classes; j++)
                        assert_true(fabs((double)of[j] - 103.0 / (double)(classes * f.count)) < 2);
                }
            hsp_folds_clear(&f);
            hsp_data_free(data);
        }
}

/* Repeats differ, and the first is that of a run without repeats; the seed changes all. */
static void test_repeats(void **state) {
    (void)state;
    hsp_data *data = rows_of(60, 2, 0, NULL);
    hsp_folds one = folds_of(data, "5", NULL, NULL), three = folds_of(data, "5", "3", NULL),
              other = folds_of(data, "5", NULL, "2");
    size_t size = 60 * sizeof *one.fold;
    assert_memory_equal(one.fold, three.fold, size);
    assert_true(memcmp(three.fold, three.fold + 60, size) != 0 && memcmp(three.fold + 60, three.fold + 120, size) != 0);
    assert_true(memcmp(one.fold, other.fold, size) != 0);
    hsp_folds_clear(&one);
    hsp_folds_clear(&three);
    hsp_folds_clear(&other);
    hsp_data_free(data);
}

/* A group is in one fold; the folds are about equally large. */
static void test_groups(void **state) {
    (void)state;
    hsp_data *data = rows_of(120, 3, 4, NULL);
    hsp_folds f = folds_of(data, "5", "4", NULL);
    assert_partition(&f);
    for (int64_t r = 0; r < 4; r++)
        for (int64_t i = 0; i < 120; i++) assert_int_equal(f.fold[r * 120 + i], f.fold[r * 120 + i / 4 * 4]);
    for (int64_t k = 0; k < 5; k++) {
        int64_t rows[120];
        assert_int_equal(hsp_folds_tested(&f, 0, k, rows), 24);
    }
    assert_true(memcmp(f.fold, f.fold + 120, 120 * sizeof *f.fold) != 0);
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* Groups of one class each are spread so that every fold has both classes; one large group fills a fold. */
static void test_uneven_groups(void **state) {
    (void)state;
    hsp_data *data = rows_of(100, 2, 1, NULL);
    int64_t group[100], rows[100];
    for (int64_t i = 0; i < 100; i++) group[i] = i < 40 ? 5000 : data->y[i] * 1000 + i / 6;
    hsp_array g = {sizeof g, group, HSP_INT64, 1, {100, 1}, {8, 8}};
    assert_int_equal(hsp_data_set_groups(data, &g, NULL), 0);
    hsp_folds f = folds_of(data, "4", NULL, NULL);
    assert_partition(&f);
    for (int64_t k = 0; k < 4; k++) {
        int64_t n = hsp_folds_tested(&f, 0, k, rows), ones = 0;
        for (int64_t t = 0; t < n; t++) ones += data->y[rows[t]];
        if (f.fold[0] == k) assert_int_equal(n, 40);
        assert_true(ones > 0 && ones < n);
    }
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* Models of fold k are trained on rows that are strictly earlier than those that it tests. */
static void test_time(void **state) {
    (void)state;
    double time[90];
    for (int i = 0; i < 90; i++) time[i] = (double)((i * 37) % 90 / 4); /* ties of four */
    hsp_data *data = rows_of(90, 2, 0, time);
    hsp_folds f = folds_of(data, "5", NULL, NULL);
    int64_t tested[90], trained[90], before = 0;
    assert_true(f.by_time);
    for (int64_t k = 0; k < 5; k++) {
        int64_t n = hsp_folds_tested(&f, 0, k, tested), m = hsp_folds_trained(&f, 0, k, trained);
        double latest = -1, earliest = 1e9;
        for (int64_t t = 0; t < m; t++) latest = fmax(latest, time[trained[t]]);
        for (int64_t t = 0; t < n; t++) earliest = fmin(earliest, time[tested[t]]);
        assert_true(latest < earliest && m > before && llabs(n - 15) <= 4);
        before = m;
    }
    hsp_folds_clear(&f);
    hsp_data_free(data);
}

/* As many times as are needed, most of the rows at one of them. */
static void test_few_times(void **state) {
    (void)state;
    double time[40];
    for (int i = 0; i < 40; i++) time[i] = i < 35 ? -5 : i;
    hsp_data *data = rows_of(40, 2, 0, time);
    hsp_folds f = folds_of(data, "5", NULL, NULL);
    int64_t rows[40];
    assert_int_equal(hsp_folds_trained(&f, 0, 0, rows), 35);
    for (int64_t k = 0; k < 5; k++) assert_int_equal(hsp_folds_tested(&f, 0, k, rows), 1);
    hsp_folds_clear(&f);
    hsp_data_free(data);
    refused(rows_of(40, 2, 0, time), "6", NULL, HSP_EINPUT, "6 different times: 6 folds");
}

static void test_each(void **state) {
    (void)state;
    hsp_data *data = rows_of(12, 2, 0, NULL), *grouped = rows_of(12, 2, 4, NULL);
    hsp_folds f = folds_of(data, "loo", NULL, NULL), g = folds_of(grouped, "loo", NULL, NULL);
    assert_int_equal(f.count, 12);
    assert_int_equal(g.count, 3);
    assert_partition(&f);
    assert_partition(&g);
    for (int i = 0; i < 12; i++) assert_true(f.fold[i] == i && g.fold[i] == i / 4);
    hsp_folds_clear(&f);
    hsp_folds_clear(&g);
    hsp_data_free(data);
    hsp_data_free(grouped);
}

/* A part of the rows keeps its groups and times. */
static void test_taken(void **state) {
    (void)state;
    double time[12];
    for (int i = 0; i < 12; i++) time[i] = 2 * i;
    hsp_data *data = rows_of(12, 2, 3, time), *part = NULL;
    assert_int_equal(hsp_data_take(data, (const int64_t[]){11, 0, 4}, 3, &part, NULL), 0);
    assert_true(part->group[0] == 3 && part->group[1] == 0 && part->group[2] == 1);
    assert_true(part->time[0] == 22 && part->time[1] == 0 && part->time[2] == 8);
    assert_int_equal(hsp_data_set_groups(part, NULL, NULL), 0);
    assert_int_equal(hsp_data_set_times(part, NULL, NULL), 0);
    assert_true(!part->group && !part->time);
    hsp_data_free(part);
    hsp_data_free(data);
}

static void test_refused(void **state) {
    (void)state;
    double time[8] = {1, 2, 3, 4, 5, 6, 7, 8}, same[8] = {0};
    refused(rows_of(4, 2, 0, NULL), NULL, NULL, HSP_EINPUT, "4 rows are too few for 5 folds");
    refused(rows_of(1, 1, 0, NULL), "loo", NULL, HSP_EINPUT, "1 row is too few");
    refused(rows_of(8, 2, 8, NULL), "2", NULL, HSP_EINPUT, "all rows are of one group");
    refused(rows_of(8, 2, 4, NULL), "3", NULL, HSP_EINPUT, "2 groups are too few for 3 folds: use --folds 2");
    refused(rows_of(8, 2, 0, same), "2", NULL, HSP_EINPUT, "1 different time: 2 folds");
    refused(rows_of(8, 2, 2, time), "2", NULL, HSP_EUSAGE, "--group and --time exclude each other");
    refused(rows_of(8, 2, 0, time), "2", "2", HSP_EUSAGE, "--repeats has no effect with --time");
    refused(rows_of(8, 2, 0, time), "loo", NULL, HSP_EUSAGE, "no order of time");
    refused(rows_of(8, 2, 0, NULL), "loo", "2", HSP_EUSAGE, "--repeats has no effect with --folds loo");
    hsp_data *idle = rows_of(8, 2, 2, NULL);
    const double weight[] = {1, 1, 1, 1, 0, 0, 1, 1};
    assert_int_equal(hsp_data_set_weights(idle, weight, NULL), 0);
    refused(idle, "4", NULL, HSP_EINPUT, "all 2 rows of a fold have weight 0");
}

static void test_bad_arrays(void **state) {
    (void)state;
    hsp_data *data = rows_of(3, 2, 0, NULL);
    const double nan[] = {1, NAN, 2};
    const int32_t few[] = {1, 2};
    hsp_array t = {sizeof t, nan, HSP_FLOAT64, 1, {3, 1}, {8, 8}}, g = {sizeof g, few, HSP_INT32, 1, {2, 1}, {4, 4}};
    hsp_error *err = NULL;
    assert_int_equal(hsp_data_set_times(data, &t, &err), HSP_EINPUT);
    assert_string_equal(hsp_error_message(err),
                        "the time of row 1 (from 0) is not finite: give a number or remove the row");
    hsp_error_free(err);
    assert_int_equal(hsp_data_set_groups(data, &g, NULL), HSP_EINPUT);
    assert_int_equal(hsp_data_set_groups(data, &t, NULL), HSP_EUSAGE);
    assert_true(!data->group && !data->time);
    hsp_data_free(data);
}

/* The first allocation fails, then the second, and so on until none does. */
static void test_memory(void **state) {
    (void)state;
    double time[12];
    for (int i = 0; i < 12; i++) time[i] = i;
    for (int kind = 0; kind < 3; kind++) {
        hsp_data *data = rows_of(12, 2, kind == 1 ? 3 : 0, kind == 2 ? time : NULL);
        hsp_options *o = options("2", NULL, NULL);
        int status = HSP_EMEMORY;
        for (int64_t calls = 0; status == HSP_EMEMORY && calls < 100; calls++) {
            hsp_folds f;
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            status = hsp_folds_new(data, o, &f, &err);
            hsp_memory_fail_after(-1);
            assert_true((status == 0) == (f.fold != NULL) && (status == 0) == (err == NULL));
            hsp_error_free(err);
            hsp_folds_clear(&f);
        }
        assert_int_equal(status, 0);
        hsp_options_free(o);
        hsp_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strata),     cmocka_unit_test(test_repeats),       cmocka_unit_test(test_groups),
        cmocka_unit_test(test_time),       cmocka_unit_test(test_uneven_groups), cmocka_unit_test(test_few_times),
        cmocka_unit_test(test_each),       cmocka_unit_test(test_taken),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bad_arrays), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
