/* The study `learning-curve`: training and test error by the number of training rows. Every repeat has its own split and
 * its own order of the training rows, and trains on growing prefixes of that order. Each prefix is nearly stratified: the
 * order starts with one row of every class and then mixes the classes in proportion. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/data.h"
#include "model/model.h"
#include "option/options.h"
#include "study/sweep_lambdas.h"

#include <math.h>
#include <stdlib.h>

enum { SIZES = 12, LEAST_ROWS = 10 };
static const uint64_t ORDER_STREAM = UINT64_C(0x6c6561726e696e67); /* "learning" */

typedef struct repeated_fits {
    const hsp_study_input *in;
    hsp_options *o;
    int64_t size[SIZES], sizes, repeats;
    double *train, *test; /* repeats x sizes; NaN: training failed */
    hsp_error **why;      /* repeats: the first error; owned */
} repeated_fits;

/* ---- the order of the rows ---- */

typedef struct row_turn {
    double key;
    int64_t row;
} row_turn;

static int by_key(const void *a, const void *b) {
    const row_turn *u = a, *v = b;
    if (u->key != v->key) return u->key < v->key ? -1 : 1;
    return u->row < v->row ? -1 : 1;
}

/* Shuffles the rows and orders them by a stratified key: the j-th of the n_k rows of class k has
 *     key = (j + 1/2) / n_k,
 * but the first row of each class comes first. */
static int order_rows(const hsp_data *data, uint64_t seed, uint64_t repeat, int64_t *rows, hsp_error **err) {
    int64_t n = data->x.n, classes = data->y ? data->classes.count : 1;
    row_turn *t = hsp_alloc(n, sizeof *t);
    int64_t *count = hsp_alloc_zero(2 * classes, sizeof *count);
    int status = t && count ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        int64_t *before = count + classes;
        hsp_rng rng = hsp_rng_new(seed, ORDER_STREAM + repeat);
        for (int64_t i = 0; i < n; i++) rows[i] = i;
        hsp_rng_shuffle(&rng, rows, n);
        for (int64_t i = 0; i < n; i++) count[data->y ? data->y[i] : 0]++;
        for (int64_t i = 0; i < n; i++) {
            int64_t k = data->y ? data->y[rows[i]] : 0, j = before[k]++;
            t[i] = (row_turn){j == 0 ? -1 : ((double)j + 0.5) / (double)count[k], rows[i]};
        }
        qsort(t, (size_t)n, sizeof *t, by_key);
        for (int64_t i = 0; i < n; i++) rows[i] = t[i].row;
    }
    HSP_FREE(t, count);
    return status;
}

/* ---- fits ---- */

/* Trains on a prefix of the order. An error that the rows cause is kept for later, since a longer prefix may succeed. */
static int fit_size(repeated_fits *w, int64_t r, int64_t i, const hsp_data *train, const hsp_data *test,
                    const int64_t *rows, hsp_error **err) {
    int64_t at = r * w->sizes + i, n = w->size[i] < train->x.n ? w->size[i] : train->x.n;
    hsp_data *part = NULL;
    hsp_model *m = NULL;
    hsp_error *why = NULL;
    int status = hsp_data_take(train, rows, n, &part, &why);
    if (!status) status = hsp_study_train(part, w->o, NAN, &m, &why);
    if (!status) status = hsp_study_evaluate(m, part, &w->train[at], &why);
    if (!status) status = hsp_study_evaluate(m, test, &w->test[at], &why);
    hsp_model_free(m);
    hsp_data_free(part);
    if (status == HSP_EINPUT) {
        w->train[at] = w->test[at] = NAN;
        hsp_error_pass(&w->why[r], why);
        return HSP_OK;
    }
    hsp_error_pass(err, why);
    return status;
}

static int fit_repeat(void *ctx, int64_t r, hsp_error **err) {
    repeated_fits *w = ctx;
    int64_t seed = hsp_options_int(w->o, "seed", 1);
    hsp_data *train = NULL, *test = NULL;
    int status = hsp_study_split(w->in->data, w->o, (seed + r) % ((int64_t)1 << 52), &train, &test, err);
    int64_t *rows = status ? NULL : hsp_alloc(train->x.n, sizeof *rows);
    if (!status && !rows) status = hsp_fail_memory(err);
    if (!status) status = order_rows(train, (uint64_t)seed, (uint64_t)r, rows, err);
    for (int64_t i = 0; !status && i < w->sizes; i++) status = fit_size(w, r, i, train, test, rows, err);
    hsp_free(rows);
    hsp_data_free(train);
    hsp_data_free(test);
    return status;
}

/* ---- the study ---- */

static int prepare_repeats(repeated_fits *w, hsp_error **err) {
    hsp_data *train = NULL, *test = NULL;
    int status = hsp_study_options(w->in, &w->o, err);
    if (!status) status = hsp_study_split(w->in->data, w->o, -1, &train, &test, err);
    if (!status) {
        /* Distinct sizes from a few rows per class to all rows, evenly spaced on a logarithmic scale. */
        int64_t classes = w->in->data->classes.count;
        double lo = 2 * classes > LEAST_ROWS ? (double)(2 * classes) : LEAST_ROWS, hi = (double)train->x.n;
        if (lo > hi) lo = hi;
        for (int i = 0; i < SIZES; i++) {
            int64_t size = (int64_t)llround(exp(log(lo) + (log(hi) - log(lo)) * i / (SIZES - 1)));
            if (w->sizes == 0 || size > w->size[w->sizes - 1]) w->size[w->sizes++] = size;
        }
    }
    hsp_data_free(train);
    hsp_data_free(test);
    if (status) return status;
    w->repeats = hsp_options_int(w->o, "repeats", 10);
    w->train = hsp_alloc(w->repeats * w->sizes, sizeof *w->train);
    w->test = hsp_alloc(w->repeats * w->sizes, sizeof *w->test);
    w->why = hsp_alloc_zero(w->repeats, sizeof *w->why);
    return w->train && w->test && w->why ? HSP_OK : hsp_fail_memory(err);
}

/* Mean and standard deviation (divisor n - 1; 0 for n = 1) over the successful fits of size i. Returns their number. */
static int64_t describe_size(const repeated_fits *w, const double *v, int64_t i, double *mean, double *sd) {
    double sum = 0, square = 0;
    int64_t n = 0;
    for (int64_t r = 0; r < w->repeats; r++)
        if (!isnan(v[r * w->sizes + i])) sum += v[r * w->sizes + i], n++;
    *mean = n > 0 ? sum / (double)n : (double)NAN;
    for (int64_t r = 0; r < w->repeats; r++)
        if (!isnan(v[r * w->sizes + i])) square += (v[r * w->sizes + i] - *mean) * (v[r * w->sizes + i] - *mean);
    *sd = n > 1 ? sqrt(square / (double)(n - 1)) : n == 1 ? 0 : (double)NAN;
    return n;
}

static int add_curve(repeated_fits *w, hsp_study *s, hsp_error **err) {
    static const char *const names[] = {"rows", "train_mean", "train_sd", "test_mean", "test_sd"};
    double *v[5];
    int64_t good = 0;
    int status = hsp_study_add_vectors(s, w->sizes, names, 5, v, err);
    if (status) return status;
    for (int64_t i = 0; i < w->sizes; i++) {
        v[0][i] = (double)w->size[i];
        describe_size(w, w->train, i, &v[1][i], &v[2][i]);
        good += describe_size(w, w->test, i, &v[3][i], &v[4][i]);
    }
    if (good == 0) { /* then the first repeat has an error */
        hsp_error_pass(err, w->why[0]);
        w->why[0] = NULL;
        return HSP_EINPUT;
    }
    status = hsp_study_set(s, "repeats", (double)w->repeats, err);
    if (!status) status = hsp_study_set(s, "failed", (double)(w->repeats * w->sizes - good), err);
    if (!status) status = hsp_study_set(s, "squared", w->in->data->target != NULL, err);
    if (!status) status = hsp_study_add_text(s, "algorithm", hsp_options_text(w->o, "algorithm"), err);
    return status;
}

static int study_learning_curve(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    repeated_fits w = {.in = in};
    int status = prepare_repeats(&w, err);
    if (!status) status = hsp_study_side_by_side(in, w.repeats, fit_repeat, &w, NULL, err);
    if (!status) status = add_curve(&w, s, err);
    for (int64_t r = 0; w.why && r < w.repeats; r++) hsp_error_free(w.why[r]);
    HSP_FREE(w.why, w.train, w.test);
    hsp_options_free(w.o);
    return status;
}

const hsp_study_entry hsp_study_learning_curve = {
    .name = "learning-curve",
    .help = "training and test error against the number of training rows",
    .needs_data = true,
    .reports = true,
    .run = study_learning_curve,
};
