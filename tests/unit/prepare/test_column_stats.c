/* Column statistics against long double sums, over both layouts and at the ends of the range of doubles. */
#include "model/handmade.h"

#include "base/rng.h"
#include "kernel/in_form.h"

#include <float.h>

/* Tests give n rows with `density` of the values not zero. */
static double *random_values(int64_t n, int64_t d, double density, double shift, double scale) {
    hsp_rng r = hsp_rng_new(7, 1);
    double *x = calloc((size_t)(n * d), sizeof *x);
    for (int64_t i = 0; i < n * d; i++) {
        if (hsp_rng_uniform(&r) < density) x[i] = (shift + hsp_rng_normal(&r)) * scale;
    }
    return x;
}

static hsp_matrix dense_view(double *x, int64_t n, int64_t d) {
    return (hsp_matrix){.n = n, .d = d, .dense = true, .dtype = HSP_FLOAT64, .stored = n * d, .value = x};
}

/* The same numbers as CSR; float when asked. Arrays are the caller's. */
static hsp_matrix sparse_copy(const double *x, int64_t n, int64_t d, int32_t dtype) {
    hsp_matrix m = {.n = n, .d = d, .dtype = dtype};
    m.row = calloc((size_t)n + 1, sizeof *m.row);
    m.id = calloc((size_t)(n * d), sizeof *m.id);
    m.value = calloc((size_t)(n * d), sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            if (x[i * d + j] == 0) continue;
            m.id[m.stored] = (uint32_t)j;
            if (dtype == HSP_FLOAT32)
                ((float *)m.value)[m.stored++] = (float)x[i * d + j];
            else
                ((double *)m.value)[m.stored++] = x[i * d + j];
        }
        m.row[i + 1] = m.stored;
    }
    m.nonzeros = m.stored;
    return m;
}

static void free_sparse(hsp_matrix *m) {
    free(m->row);
    free(m->id);
    free(m->value);
}

static void check_close(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b)))) fail_msg("%.17g is not near %.17g", a, b);
}

static void check_against_sums(const hsp_matrix *m, const double *x, double tolerance) {
    hsp_column_stats s;
    double quick_mean[8], quick_sd[8]; /* those of hsp_feature_spread */
    assert_int_equal(hsp_column_stats_fit(m, &s), 0);
    assert_int_equal(hsp_feature_spread(m, 2, quick_mean, quick_sd), 0);
    for (int64_t j = 0; j < m->d; j++) {
        long double sum = 0, squares = 0;
        double low = x[j], high = x[j];
        for (int64_t i = 0; i < m->n; i++) {
            sum += (long double)x[i * m->d + j];
            low = fmin(low, x[i * m->d + j]);
            high = fmax(high, x[i * m->d + j]);
        }
        long double mean = sum / (long double)m->n;
        for (int64_t i = 0; i < m->n; i++) {
            long double e = (long double)x[i * m->d + j] - mean;
            squares += e * e;
        }
        assert_true(s.min[j] == low && s.max[j] == high);
        check_close(s.mean[j], (double)mean, tolerance);
        check_close(s.sd[j], (double)sqrtl(squares / (long double)m->n), tolerance);
        check_close(quick_mean[j], s.mean[j], tolerance);
        check_close(quick_sd[j], s.sd[j], fmax(tolerance, 1e-9));
    }
    hsp_column_stats_clear(&s);
    assert_null(s.mean);
}

static void test_layouts(void **state) {
    (void)state;
    const double shift[] = {0, 3, 1e6}, scale[] = {1, 1e-300, 1e300, 1e-3};
    for (size_t a = 0; a < 3; a++) {
        for (size_t b = 0; b < 4; b++) {
            double density = a == 2 ? 1 : 0.3;
            double *x = random_values(200, 5, density, shift[a], scale[b] / (1 + shift[a]));
            hsp_matrix dense = dense_view(x, 200, 5), sparse = sparse_copy(x, 200, 5, HSP_FLOAT64);
            check_against_sums(&dense, x, 1e-9);
            check_against_sums(&sparse, x, 1e-9);
            free_sparse(&sparse);
            free(x);
        }
    }
}

static void test_float(void **state) {
    (void)state;
    double *x = random_values(50, 3, 0.5, 1, 1);
    for (int i = 0; i < 150; i++) x[i] = (double)(float)x[i];
    hsp_matrix sparse = sparse_copy(x, 50, 3, HSP_FLOAT32);
    check_against_sums(&sparse, x, 1e-12);
    free_sparse(&sparse);
    free(x);
}

static void test_extremes(void **state) {
    (void)state;
    double x[] = {DBL_MAX, 5e-324, 0.1, 0, -DBL_MAX, 0, 0.1, 0, DBL_MAX, 5e-324, 0.1, 0};
    hsp_matrix m = dense_view(x, 3, 4);
    hsp_column_stats s;
    assert_int_equal(hsp_column_stats_fit(&m, &s), 0);
    for (int j = 0; j < 4; j++) assert_true(isfinite(s.mean[j]) && isfinite(s.sd[j]));
    check_close(s.sd[0], DBL_MAX * sqrt(8.0) / 3, 1e-12);
    check_close(s.mean[0], DBL_MAX / 3, 1e-12);
    assert_true(s.sd[1] >= 0);
    assert_true(s.mean[2] == 0.1 && s.sd[2] == 0); /* three times 0.1 is not 0.3 */
    assert_true(s.mean[3] == 0 && s.sd[3] == 0);
    assert_true(isfinite(hsp_scale_ratio(&s, 4, NULL)));
    double mean[4], sd[4];
    assert_int_equal(hsp_feature_spread(&m, 2, mean, sd), 0);
    for (int j = 0; j < 4; j++) assert_true(mean[j] == s.mean[j] && sd[j] == s.sd[j]);
    hsp_column_stats_clear(&s);
}

/* A pivot that is far from all other values, and constant columns: neither may lose the spread to cancellation. */
static void test_far_pivot(void **state) {
    (void)state;
    double x[] = {0, 0.1, 7, 1e9, 0.1, 7, 1e9 + 1, 0.1, 7, 1e9 + 2, 0.1, 8}, mean[3], sd[3];
    double far[] = {-1e12, 1e9, 1e9 + 1e-3, 1e9};
    hsp_matrix m = dense_view(x, 4, 3), one = dense_view(far, 4, 1);
    check_against_sums(&m, x, 1e-12);
    check_against_sums(&one, far, 1e-12);
    assert_int_equal(hsp_feature_spread(&m, 2, mean, sd), 0);
    assert_true(mean[1] == 0.1 && sd[1] == 0);
    m.n = 0;
    assert_int_equal(hsp_feature_spread(&m, 2, mean, sd), 0);
    assert_true(mean[0] == 0 && sd[2] == 0);
}

/* The same numbers in another coding, by one thread or several, with gaps between dense rows: the same bits. Enough columns
 * for two tasks, and for the ends of vectors in the second. */
static void check_spread_form(const double *x, int64_t n, int64_t d, int form, int threads, const double *mean,
                              const double *sd) {
    int coding = coding_in(form);
    bool dense = form < HSP_DENSE_CODINGS;
    hsp_ids width = ids_in(form);
    uint32_t *id = hsp_alloc(n * d, sizeof *id);
    int64_t *row = hsp_alloc(n + 1, sizeof *row);
    for (int64_t t = 0; t < n * d; t++) id[t] = (uint32_t)(t % d);
    for (int64_t i = 0; i <= n; i++) row[i] = i * d;
    double *table, *found = hsp_alloc(2 * d, sizeof *found);
    void *value = coded(coding, n * d, x, &table), *ids = listed(width, n * d, id);
    hsp_matrix m = {.n = n, .d = d, .dense = dense, .ids = width, .coding = (hsp_coding)coding, .stored = n * d};
    m.dtype = coding == F32_FORM ? HSP_FLOAT32 : HSP_FLOAT64;
    m.row = dense ? NULL : row, m.id = dense ? NULL : ids, m.value = value, m.table = table;
    m.stride = d * step_in(coding);
    assert_int_equal(hsp_feature_spread(&m, threads, found, found + d), 0);
    assert_memory_equal(found, mean, (size_t)d * sizeof *mean);
    assert_memory_equal(found + d, sd, (size_t)d * sizeof *sd);
    if (dense) { /* some rows at a time */
        double *pivot = hsp_alloc(d, sizeof *pivot);
        const hsp_spreading s = {.x = &m, .mean = found, .sd = found + d, .pivot = pivot};
        hsp_spreading_begin(&s);
        for (int64_t from = 0, to; from < n; from = to) {
            to = from + 1 + from % 5 < n ? from + 1 + from % 5 : n;
            hsp_spreading_rows(&s, from, to);
        }
        assert_int_equal(hsp_spreading_end(&s), 0);
        assert_memory_equal(found, mean, (size_t)d * sizeof *mean);
        assert_memory_equal(found + d, sd, (size_t)d * sizeof *sd);
        hsp_free(pivot);
    }
    HSP_FREE(id, row, table, found, value, ids);
}

static void test_forms(void **state) {
    (void)state;
    enum { N = 75, D = 89 };
    double mean[D], sd[D];
    for (int form = 0; form < HSP_FORMS; form++) {
        int coding = coding_in(form);
        if (form == ONE_FORM) continue; /* dense rows store their values */
        double *x = values_for(coding, N * D, 11);
        for (int64_t j = 0; j < D; j++) {
            double pivot = form < HSP_DENSE_CODINGS ? x[j] : 0, s = 0, q = 0;
            for (int64_t i = 0; i < N; i++) {
                double t = x[i * D + j] - pivot;
                s += t;
                q += t * t;
            }
            mean[j] = pivot + s / N;
            sd[j] = sqrt((q - s * (s / N)) / N);
        }
        if (coding != ONE_FORM)
            for (int threads = 1; threads <= 3; threads++) check_spread_form(x, N, D, form, threads, mean, sd);
        hsp_free(x);
    }
}

static void test_strides(void **state) {
    (void)state;
    enum { N = 70, D = 67, STEP = D + 3 };
    double *x = random_values(N, STEP, 1, 3, 1), *packed = hsp_alloc(N * D, sizeof *packed), found[4][D];
    for (int64_t i = 0; i < N; i++) memcpy(packed + i * D, x + i * STEP, D * sizeof *x);
    hsp_matrix apart = dense_view(x, N, D), together = dense_view(packed, N, D);
    apart.stride = STEP;
    assert_int_equal(hsp_feature_spread(&apart, 2, found[0], found[1]), 0);
    assert_int_equal(hsp_feature_spread(&together, 2, found[2], found[3]), 0);
    assert_memory_equal(found[0], found[2], sizeof found[0]);
    assert_memory_equal(found[1], found[3], sizeof found[1]);
    hsp_free(packed);
    free(x);
}

/* Ones alone, as in sets of binary features: columns of none, some and all. */
static void test_ones(void **state) {
    (void)state;
    int64_t row[] = {0, 1, 3, 4, 6};
    uint16_t narrow[] = {1, 1, 2, 1, 1, 2};
    uint32_t wide[] = {1, 1, 2, 1, 1, 2};
    double table[HSP_TABLE] = {1}, mean[3], sd[3];
    for (int k = 0; k < 2; k++) {
        hsp_matrix m = {.n = 4,
                        .d = 3,
                        .ids = k ? HSP_IDS_16 : HSP_IDS_32,
                        .coding = HSP_CODING_ONE,
                        .stored = 6,
                        .row = row,
                        .table = table};
        m.id = k ? (void *)narrow : wide;
        m.dtype = HSP_FLOAT64;
        assert_int_equal(hsp_feature_spread(&m, 2, mean, sd), 0);
        assert_true(mean[0] == 0 && sd[0] == 0 && mean[1] == 1 && sd[1] == 0 && mean[2] == 0.5 && sd[2] == 0.5);
    }
}

static void test_ratio(void **state) {
    (void)state;
    double sd[] = {2, 0, 8, 4};
    hsp_column_stats s = {.sd = sd};
    assert_true(hsp_scale_ratio(&s, 4, NULL) == 4);
    sd[0] = sd[2] = sd[3] = 0;
    assert_true(hsp_scale_ratio(&s, 4, NULL) == 1);
}

static void test_memory(void **state) {
    (void)state;
    double x[] = {1, 2, 3, 4};
    hsp_matrix m = dense_view(x, 2, 2);
    for (int64_t k = 0;; k++) {
        hsp_column_stats s;
        hsp_memory_fail_after(k);
        int status = hsp_column_stats_fit(&m, &s);
        hsp_memory_fail_after(-1);
        hsp_column_stats_clear(&s);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 20);
    }
    double mean[2], sd[2];
    x[0] = 1e200; /* needs the exact passes too */
    for (int64_t k = 0;; k++) {
        hsp_memory_fail_after(k);
        int status = hsp_feature_spread(&m, 2, mean, sd);
        hsp_memory_fail_after(-1);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 20);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_layouts),   cmocka_unit_test(test_float),   cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_far_pivot), cmocka_unit_test(test_ratio),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_forms),     cmocka_unit_test(test_strides), cmocka_unit_test(test_ones),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
