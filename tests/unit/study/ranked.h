/* What the tests of studies share: data drawn at random, studies run in one line, arrays at hand. */
#ifndef HSP_TESTS_RANKED_H
#define HSP_TESTS_RANKED_H

#include "model/handmade.h"

#include "eval/metrics.h"
#include "trained.h"

static inline hsp_report *studied(const char *kind, const hsp_model *m, const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_report *s = NULL;
    hsp_error *err = NULL;
    int status = hsp_study_run(kind, m, data, o, NULL, &s, &err);
    handmade_ok(status, err);
    assert_string_equal(hsp_report_text(s, "kind"), kind);
    hsp_options_free(o);
    return s;
}

/* It must fail with these words, and leave nothing. */
static inline void study_fails(const char *kind, const hsp_model *m, const hsp_data *data, int code, const char *words) {
    hsp_report *s = (hsp_report *)&code;
    hsp_error *err = NULL;
    int status = hsp_study_run(kind, m, data, NULL, NULL, &s, &err);
    assert_null(s);
    handmade_fails(status, code, &err, words);
}

static inline const double *array_of(const hsp_report *s, const char *name, int64_t *rows, int64_t *columns) {
    hsp_array a = {.size = sizeof a};
    hsp_error *err = NULL;
    handmade_ok(hsp_report_array(s, name, &a, &err), err);
    if (rows) *rows = a.shape[0];
    if (columns) *columns = a.shape[1];
    return a.data;
}

static inline double draw_number(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p24;
}

static const char *const study_labels[] = {"ant", "bee", "cow", "dog"};

/* n rows of d features, K overlapping clusters; values are multiples of 1/8, so that scores tie. */
__attribute__((unused)) static hsp_data *noisy(int64_t n, int64_t d, int64_t K, uint32_t seed) {
    double *x = malloc((size_t)(n * d) * sizeof *x);
    const char **y = malloc((size_t)n * sizeof *y);
    assert_true(x && y);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = (int64_t)(draw_number(&seed) * (double)K);
        y[i] = study_labels[k];
        for (int64_t j = 0; j < d; j++)
            x[i * d + j] =
                (double)(j == k % d ? k + 1 : 0) + floor(8 * 3 * (draw_number(&seed) + draw_number(&seed) - 1)) / 8;
    }
    hsp_data *data = handmade_data(x, n, d, y, NULL);
    free(x);
    free(y);
    return data;
}

/* Every row weighs 0, 1, 2 or 3; and the same data with so many copies of each row instead. */
__attribute__((unused)) static hsp_data *weigh(hsp_data *data, uint32_t seed) {
    int64_t n = hsp_data_rows(data), count = 0;
    double *c = malloc((size_t)n * sizeof *c);
    int64_t *rows = malloc((size_t)(3 * n) * sizeof *rows);
    assert_true(c && rows);
    for (int64_t i = 0; i < n; i++) {
        c[i] = floor(4 * draw_number(&seed));
        for (int64_t k = 0; k < (int64_t)c[i]; k++) rows[count++] = i;
    }
    hsp_data *copies = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_data_take(data, rows, count, &copies, &err), err);
    handmade_ok(hsp_data_set_weights(data, c, &err), err);
    free(c);
    free(rows);
    return copies;
}

__attribute__((unused)) static hsp_model *fit(const hsp_data *data, const char *algorithm) {
    trained t = train(data, PAIRS("algorithm", algorithm));
    handmade_ok(t.status, t.error);
    assert_non_null(t.model);
    hsp_report_free(t.report);
    return t.model;
}

/* Runs the study with the first allocation failing, then the second, and so on. */
__attribute__((unused)) static void short_of_memory(const char *kind, const hsp_model *m, const hsp_data *data) {
    for (int64_t calls = 0;; calls++) {
        hsp_report *s = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        int status = hsp_study_run(kind, m, data, NULL, NULL, &s, &err);
        hsp_memory_fail_after(-1);
        hsp_error_free(err);
        hsp_report_free(s);
        if (!status) return;
        assert_int_equal(status, HSP_EMEMORY);
        assert_null(s);
        assert_true(calls < 2000);
    }
}

/* A request to stop is consumed by the study that it stops. */
__attribute__((unused)) static void study_cancelled(const char *kind, const hsp_model *m, const hsp_data *data) {
    hsp_cancel();
    study_fails(kind, m, data, HSP_ECANCELLED, "before the curves were complete");
    assert_false(hsp_cancel_waiting());
    hsp_report_free(studied(kind, m, data, NULL));
}

/* Both studies have the same numbers in the array, within rounding. */
__attribute__((unused)) static void same_array(const hsp_report *a, const hsp_report *b, const char *name) {
    int64_t n, m, k, l;
    const double *x = array_of(a, name, &n, &k), *y = array_of(b, name, &m, &l);
    assert_true(n == m && k == l);
    for (int64_t i = 0; i < n * k; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-12 * fmax(1, fabs(x[i]))) && !(isnan(x[i]) && isnan(y[i])) && x[i] != y[i])
            fail_msg("%s[%lld]: %.17g and %.17g", name, (long long)i, x[i], y[i]);
}

#endif
