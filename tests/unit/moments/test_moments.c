/* Moments: what hsp_model_moments derives against plain sums over the rows; Ledoit and Wolf's estimate against its
 * definition. */
#include "base/memory.h"
#include "base/report.h"
#include "gauss.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { D = 3 };

static hsp_report *moments(const hsp_model *m) {
    hsp_report *j = NULL;
    assert_int_equal(hsp_model_moments(m, &j, NULL), 0);
    assert_non_null(j);
    return j;
}

static double entry(const hsp_report *matrix, int64_t i, int64_t j) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(matrix, NULL, &a, NULL), 0);
    assert_true(i < a.shape[0] && j < a.shape[1]);
    return ((const double *)a.data)[i * a.shape[1] + j];
}

static void same_matrix(const hsp_report *j, const double *A, int64_t rows) {
    assert_int_equal(hsp_report_count(j, NULL), rows);
    for (int64_t i = 0; i < rows * D; i++) assert_near(entry(j, i / D, i % D), A[i], 1e-9);
}

/* E[x x'] and E[x y] over the rows; class `plus` is +1. */
static void raw_moments(const gauss *g, int64_t plus, double *second, double *cross) {
    memset(second, 0, D * D * sizeof *second);
    memset(cross, 0, D * sizeof *cross);
    for (int64_t i = 0; i < g->n; i++)
        for (int j = 0; j < D; j++) {
            const double *x = g->x + i * D;
            cross[j] += (g->k[i] == plus ? 1 : -1) * x[j] / (double)g->n;
            for (int l = 0; l < D; l++) second[j * D + l] += x[j] * x[l] / (double)g->n;
        }
}

static void two_classes(void **unused) {
    (void)unused;
    static const char *const runs[][4] = {{"fisher", "within", "sum", "none"},
                                          {"fisher", "within", "pooled", "standard"},
                                          {"fisher", "within", "sum", "minmax"},
                                          {"lda", "priors", "equal", "maxabs"}};
    gauss g = gauss_new(30, D, 2, 1, 2);
    hsp_data *data = gauss_data(&g);
    double S[2][D * D], mu[2 * D], pooled[D * D], other[D], second[D * D], cross[D], between[D * D], within[D * D];
    for (int k = 0; k < 2; k++) gauss_covariance(&g, k, mu + k * D, S[k]);
    gauss_covariance(&g, -1, other, pooled);
    raw_moments(&g, 1, second, cross);
    for (int i = 0; i < D * D; i++) between[i] = (mu[D + i / D] - mu[i / D]) * (mu[D + i % D] - mu[i % D]);
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        trained t = train(data, PAIRS("algorithm", runs[r][0], runs[r][1], runs[r][2], "scale", runs[r][3]));
        hsp_report *j = moments(t.model);
        for (int i = 0; i < D * D; i++) within[i] = r % 2 ? pooled[i] : S[0][i] + S[1][i];
        same_matrix(hsp_report_member(j, "means"), mu, 2);
        same_matrix(hsp_report_item(j, "covariances", 0), S[0], D);
        same_matrix(hsp_report_item(j, "covariances", 1), S[1], D);
        same_matrix(hsp_report_member(j, "within_scatter"), within, D);
        same_matrix(hsp_report_member(j, "between_scatter"), between, D);
        same_matrix(hsp_report_member(j, "second_moment"), second, D);
        same_matrix(hsp_report_member(j, "cross_moment"), cross, 1);
        assert_near(hsp_report_number(j, "threshold"), -t.model->b[0], 0);
        hsp_report_free(j);
        trained_free(&t);
    }
    gauss_free(&g);
}

static void three_classes(void **unused) {
    (void)unused;
    gauss g = gauss_new(40, D, 3, 1, 2);
    hsp_data *data = gauss_data(&g);
    double second[D * D], cross[3 * D], total[D * D], mu[D], S[D * D], pooled[D * D];
    for (int k = 0; k < 3; k++) raw_moments(&g, k, second, cross + k * D);
    gauss_covariance(&g, -1, mu, pooled);
    gauss all = {g.n, D, 1, g.x, calloc((size_t)g.n, sizeof(int)), NULL, NULL, 0};
    gauss_covariance(&all, 0, mu, S);
    trained t = train(data, PAIRS("algorithm", "lda"));
    hsp_report *j = moments(t.model);
    same_matrix(hsp_report_member(j, "within_scatter"), pooled, D);
    same_matrix(hsp_report_member(j, "second_moment"), second, D);
    same_matrix(hsp_report_member(j, "cross_moment"), cross, 3);
    /* total scatter = within + between */
    for (int i = 0; i < D * D; i++)
        total[i] =
            pooled[i] * (double)(g.n - 3) / (double)g.n + entry(hsp_report_member(j, "between_scatter"), i / D, i % D);
    for (int i = 0; i < D * D; i++) assert_near(total[i], S[i] * (double)(g.n - 1) / (double)g.n, 1e-9);
    assert_true(hsp_report_kind(j, "threshold") == HSP_REPORT_NULL);
    hsp_report_free(j);
    trained_free(&t);
    free(all.k);
    gauss_free(&g);
}

static void what_is_not_stored_is_null(void **unused) {
    (void)unused;
    static const char *const missing[] = {"covariances", "within_scatter", "second_moment"};
    hsp_data *data = generated("blobs", PAIRS("rows", "200", "features", "70"));
    trained t[] = {train(data, PAIRS("algorithm", "lda")), train(data, PAIRS("algorithm", "nearest-mean")),
                   train(data, PAIRS("algorithm", "perceptron"))};
    for (int m = 0; m < 2; m++) {
        hsp_report *j = moments(t[m].model);
        for (int i = 0; i < 3; i++) assert_true(hsp_report_kind(j, missing[i]) == HSP_REPORT_NULL);
        assert_true(hsp_report_kind(j, "between_scatter") == HSP_REPORT_NULL); /* too many columns */
        assert_int_equal(hsp_report_count(j, "mass"), 2);
        assert_int_equal(hsp_report_count(j, "means"), 2);
        hsp_report_free(j);
    }
    hsp_report *none = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_model_moments(t[2].model, &none, &err), HSP_EUSAGE);
    assert_null(none);
    assert_non_null(strstr(hsp_error_message(err), "(perceptron) stores no moments"));
    hsp_error_free(err);
    for (int m = 0; m < 3; m++) trained_free(&t[m]);
    hsp_data_free(data);
}

/* They are in the model file. */
static void survive_saving(void **unused) {
    (void)unused;
    gauss g = gauss_new(30, D, 3, 1, 2);
    hsp_data *data = gauss_data(&g);
    trained t = train(data, PAIRS("algorithm", "lda"));
    void *bytes = NULL;
    size_t size = 0;
    hsp_model *again = NULL;
    assert_int_equal(hsp_model_save_memory(t.model, &bytes, &size, NULL), 0);
    assert_int_equal(hsp_model_load_memory(bytes, size, &again, NULL), 0);
    hsp_report *a = moments(t.model), *b = moments(again);
    assert_true(hsp_report_equal(a, b));
    hsp_report_free(a);
    hsp_report_free(b);
    for (int64_t calls = 0, status = HSP_EMEMORY; status == HSP_EMEMORY; calls++) {
        hsp_report *none = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_model_moments(again, &none, NULL);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (none != NULL));
        hsp_report_free(none);
    }
    hsp_model_free(again);
    hsp_free(bytes);
    trained_free(&t);
    gauss_free(&g);
}

/* delta = min(beta, gamma) / gamma with beta = (1/n^2) sum |x x' - S|^2, gamma = |S - tr(S)/d I|^2, of rows about class
 * means. */
static double literal_shrinkage(const gauss *g) {
    int64_t d = g->d, n = g->n;
    double *S = calloc((size_t)(d * d), sizeof *S), *mu = calloc((size_t)d, sizeof *mu);
    double *x = malloc((size_t)(n * d) * sizeof *x), *unused = malloc((size_t)(d * d) * sizeof *unused);
    for (int64_t i = 0; i < n; i++) {
        gauss_covariance(g, g->k[i], mu, unused);
        for (int64_t j = 0; j < d; j++) x[i * d + j] = g->x[i * d + j] - mu[j];
        for (int64_t j = 0; j < d * d; j++) S[j] += x[i * d + j / d] * x[i * d + j % d] / (double)n;
    }
    double beta = 0, gamma = 0, trace = 0;
    for (int64_t j = 0; j < d; j++) trace += S[j * d + j];
    for (int64_t j = 0; j < d * d; j++) gamma += pow(S[j] - (j % (d + 1) == 0 ? trace / (double)d : 0), 2);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d * d; j++)
            beta += pow(x[i * d + j / d] * x[i * d + j % d] - S[j], 2) / (double)n / (double)n;
    free(S);
    free(mu);
    free(x);
    free(unused);
    return gamma > 0 ? fmin(beta, gamma) / gamma : 0;
}

static void ledoit_wolf(void **unused) {
    (void)unused;
    for (int64_t d = 1; d <= 9; d += 2)
        for (int64_t K = 2; K <= 3; K++)
            for (int sparse = 0; sparse < 2; sparse++) {
                gauss g = sparse ? gauss_sparse(30, d, K, 5) : gauss_new(30, d, K, 1, 5);
                hsp_data *data = gauss_data(&g);
                trained t = train(data, PAIRS("algorithm", "lda", "shrinkage", "auto"));
                assert_int_equal(t.status, 0);
                assert_near(hsp_report_number(hsp_report_member(t.report, "lda"), "shrinkage"), literal_shrinkage(&g),
                            1e-11);
                trained_free(&t);
                gauss_free(&g);
            }
}

/* The shrinkage is free of units, whatever the fourth powers of the values. */
static void shrinkage_in_any_units(void **unused) {
    (void)unused;
    static const double units[] = {1, 0x1p-300, 0x1p300};
    double delta[3];
    for (int u = 0; u < 3; u++) {
        gauss g = gauss_new(30, D, 2, 1, 5);
        for (int64_t i = 0; i < g.n * D; i++) g.x[i] *= units[u];
        hsp_data *data = gauss_data(&g);
        trained t = train(data, PAIRS("algorithm", "lda", "shrinkage", "auto"));
        assert_int_equal(t.status, 0);
        delta[u] = hsp_report_number(hsp_report_member(t.report, "lda"), "shrinkage");
        trained_free(&t);
        gauss_free(&g);
    }
    assert_true(delta[0] > 0);
    assert_near(delta[1], delta[0], 0);
    assert_near(delta[2], delta[0], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),    cmocka_unit_test(three_classes), cmocka_unit_test(what_is_not_stored_is_null),
        cmocka_unit_test(survive_saving), cmocka_unit_test(ledoit_wolf),   cmocka_unit_test(shrinkage_in_any_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
