/* Each fold is a task of its own: a path on its training rows, for the values of lambda of the whole path, and the metric of
 * each of its points on the rows that the fold tests. What is learnt from rows is learnt on the training rows. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/folds.h"
#include "eval/metrics.h"
#include "loss/loss.h"
#include "model/model.h"
#include "option/options.h"
#include "select/metric.h"
#include "select/path.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

typedef struct fold_paths {
    const hsp_data *data;
    const hsp_options *o;
    const hsp_path_sweep *whole;
    const hsp_metric *metric;
    hsp_folds folds;
    double *value; /* points x folds */
    hsp_path_meter *meter;
    int *status; /* of each fold */
    hsp_error **error;
    atomic_bool stop, late;
} fold_paths;

/* ---- a fold ---- */

static bool after_point(void *ctx, const hsp_path_points *points) {
    fold_paths *w = ctx;
    (void)points;
    return hsp_path_meter_count(w->meter) || atomic_load(&w->stop);
}

static int evaluate(const fold_paths *w, const hsp_path_sweep *sweep, hsp_model *m, const hsp_data *test, int64_t k,
                    hsp_error **err) {
    hsp_data *own = NULL;
    int status = hsp_model_encode(m, test, 1, &own, err);
    for (int64_t i = 0; !status && i < sweep->points.count; i++) {
        hsp_metrics x;
        hsp_path_points_weights(&sweep->points, i, m->w);
        m->b[0] = sweep->points.intercept[i];
        status = hsp_metrics_compute(m, own ? own : test, NULL, &x, err);
        if (status) break;
        w->value[i * w->folds.count + k] = w->metric->value(&x);
        hsp_metrics_clear(&x);
    }
    hsp_data_free(own);
    return status;
}

static int take_rows(const fold_paths *w, int64_t k, hsp_data **train, hsp_data **test, hsp_error **err) {
    int64_t *rows = hsp_alloc(w->data->x.n, sizeof *rows);
    *train = *test = NULL;
    if (!rows) return hsp_fail_memory(err);
    int64_t count = hsp_folds_trained(&w->folds, 0, k, rows);
    int status = hsp_data_take(w->data, rows, count, train, err);
    if (!status) {
        count = hsp_folds_tested(&w->folds, 0, k, rows);
        status = hsp_data_take(w->data, rows, count, test, err);
    }
    hsp_free(rows);
    return status;
}

static int run_fold(fold_paths *w, int64_t k, hsp_error **err) {
    const hsp_path_points *points = &w->whole->points;
    hsp_path_sweep sweep = {
        .lambda = points->lambda, .count = points->count, .deadline = w->whole->deadline, .after = after_point, .ctx = w};
    hsp_data *train = NULL, *test = NULL;
    hsp_model *m = NULL;
    int status = take_rows(w, k, &train, &test, err);
    if (!status) status = hsp_path_sweep_run(train, w->o, NULL, &sweep, &m, err);
    if (!status && sweep.late) atomic_store(&w->late, true);
    if (!status && (sweep.interrupted || sweep.late)) atomic_store(&w->stop, true);
    if (!status && !atomic_load(&w->stop)) status = evaluate(w, &sweep, m, test, k, err);
    hsp_model_free(m);
    hsp_data_free(train);
    hsp_data_free(test);
    hsp_path_sweep_clear(&sweep);
    return status;
}

static void call_fold(void *ctx, int64_t k) {
    fold_paths *w = ctx;
    if (atomic_load(&w->stop)) return;
    w->status[k] = run_fold(w, k, &w->error[k]);
    if (w->status[k]) atomic_store(&w->stop, true);
}

/* ---- all folds ---- */

/* The log loss where there are probabilities, as it judges all of a path; else the default of cross-validation. */
static int choose_metric(fold_paths *w, hsp_error **err) {
    bool odds = hsp_loss_find(w->whole->loss)->traits & HSP_LOSS_ODDS, given = hsp_options_is_set(w->o, "metric");
    int status = hsp_metric_choose(w->o, w->whole->regression, &w->metric, err);
    if (!status && !given && odds) w->metric = hsp_metric_find("log-loss");
    if (!status && w->metric->probabilities && !odds)
        status = hsp_fail(err, HSP_EUSAGE,
                          "--metric %s needs probabilities, and loss '%s' has none: use --loss logistic, or another metric",
                          w->metric->name, w->whole->loss);
    return status;
}

static int first_error(fold_paths *w, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t k = 0; k < w->folds.count; k++) {
        if (!status && w->status[k]) {
            status = w->status[k];
            hsp_error_pass(err, w->error[k]);
        } else {
            hsp_error_free(w->error[k]);
        }
    }
    return status;
}

/* Mean and sd (divisor folds - 1) of each point, the best mean, of equal ones that of the largest lambda, and the largest
 * lambda whose mean is within a standard error of it (Breiman and others 1984, Classification and regression trees). */
static void summarise(const fold_paths *w, hsp_path_scores *out) {
    int64_t K = w->folds.count, L = w->whole->points.count;
    for (int64_t i = 0; i < L; i++) {
        double sum = 0, square = 0, *v = out->value + i * K;
        for (int64_t k = 0; k < K; k++) sum += v[k];
        out->mean[i] = sum / (double)K;
        for (int64_t k = 0; k < K; k++) square += (v[k] - out->mean[i]) * (v[k] - out->mean[i]);
        out->sd[i] = sqrt(square / (double)(K - 1));
        if (hsp_metric_better(w->metric, out->mean[i], out->mean[out->best])) out->best = i;
    }
    double error = out->sd[out->best] / sqrt((double)K), best = out->mean[out->best];
    out->one_se = out->best;
    for (int64_t i = out->best; i >= 0; i--)
        if (w->metric->larger_is_better ? out->mean[i] >= best - error : out->mean[i] <= best + error) out->one_se = i;
}

int hsp_path_validate(const hsp_data *data, const hsp_options *o, const hsp_path_sweep *whole, const hsp_folds *folds,
                      hsp_path_meter *meter, hsp_path_scores *out, hsp_error **err) {
    int64_t L = whole->points.count, K = folds->count;
    fold_paths w = {.data = data, .o = o, .whole = whole, .folds = *folds, .meter = meter};
    *out = (hsp_path_scores){.folds = K};
    int status = choose_metric(&w, err);
    if (status || L == 0) return status;
    bool room = HSP_ALLOC_DOUBLES(L, &out->mean, &out->sd) && HSP_ALLOC_DOUBLES(L * K, &out->value) &&
                HSP_ALLOC_ZERO(w.status, K) && HSP_ALLOC_ZERO(w.error, K);
    if (room) {
        w.value = out->value;
        int threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
        hsp_pool_run(K, threads, call_fold, &w);
        status = first_error(&w, err);
    } else {
        status = hsp_fail_memory(err);
    }
    bool complete = !status && !atomic_load(&w.stop);
    if (complete) {
        out->metric = w.metric->member;
        out->title = w.metric->title;
        out->larger_is_better = w.metric->larger_is_better;
        summarise(&w, out);
    }
    out->late = atomic_load(&w.late);
    HSP_FREE(w.status, w.error);
    return status;
}

void hsp_path_scores_clear(hsp_path_scores *s) {
    HSP_FREE(s->mean, s->sd, s->value);
    *s = (hsp_path_scores){0};
}
