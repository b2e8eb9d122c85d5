#include "classifier/cross_fit.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "data/folds.h"
#include "data/matrix.h"
#include "fit/fit_solve.h"
#include "model/model.h"
#include "option/options.h"
#include "problem/problem.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

typedef struct cross_fitting {
    const hsp_fit *f;
    const hsp_model *m; /* of all rows */
    const hsp_options *o;
    const hsp_calibration_method *method;
    hsp_folds folds;
    hsp_cross_fit *out;
    int64_t first;      /* fold of the first task of a batch */
    int *status;        /* of each fold */
    hsp_error **error;
    pthread_t caller;   /* the thread that may call hooks */
    hsp_hooks watch;    /* of the fits on that thread */
    double begun;
    atomic_int_least64_t fits, late, missed;
    atomic_bool stop;      /* a fit failed, or was cancelled */
    atomic_bool cancelled; /* and asked the others to stop */
} cross_fitting;

void hsp_cross_fit_clear(hsp_cross_fit *c) {
    HSP_FREE(c->fold, c->score, c->own);
    *c = (hsp_cross_fit){0};
}

static double weight_of(const hsp_fit *f, int64_t i) {
    return f->job.data->weight ? f->job.data->weight[i] : 1;
}

/* ---- checks ---- */

static const char *class_name(const hsp_fit *f, int64_t k, char piece[HSP_EXCERPT]) {
    const char *name = f->job.prepare->classes.name[k];
    return hsp_excerpt(piece, name, (int64_t)strlen(name));
}

int hsp_cross_fit_check(const hsp_fit *f, hsp_error **err) {
    int64_t K = f->job.prepare->classes.count, folds = hsp_options_int(f->job.options, "calibrate-folds", 5);
    int64_t *count = hsp_alloc_zero(K, sizeof *count);
    char piece[HSP_EXCERPT];
    if (!count) return hsp_fail_memory(err);
    for (int64_t i = 0; i < f->job.data->x.n; i++) count[f->rows.y[i]] += weight_of(f, i) > 0;
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < K; k++)
        if (count[k] < folds)
            status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(f->job.data),
                                 "class '%s' has %lld row%s, fewer than the %lld folds that calibration and decision rules "
                                 "need: use %s, or join classes with --map-label",
                                 class_name(f, k, piece), (long long)count[k], count[k] == 1 ? "" : "s", (long long)folds,
                                 count[k] < 2 ? "more rows of it" : "fewer --calibrate-folds");
    hsp_free(count);
    return status;
}

/* Groups and times may leave a fold without rows of a class to train on. */
static int check_fold(const cross_fitting *w, const int64_t *rows, int64_t count, hsp_error **err) {
    int64_t K = w->f->job.prepare->classes.count;
    bool *seen = hsp_alloc_zero(K, sizeof *seen);
    char piece[HSP_EXCERPT];
    if (!seen) return hsp_fail_memory(err);
    for (int64_t i = 0; i < count; i++)
        if (weight_of(w->f, rows[i]) > 0) seen[w->f->rows.y[rows[i]]] = true;
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < K; k++)
        if (!seen[k])
            status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(w->f->job.data),
                                 "a fold of the calibration leaves no rows of class '%s' to train on: use other "
                                 "--calibrate-folds, or smaller groups",
                                 class_name(w->f, k, piece));
    hsp_free(seen);
    return status;
}

/* ---- progress ---- */

static bool watches(const cross_fitting *w) {
    const hsp_hooks *hooks = w->f->job.hooks;
    bool known = hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress;
    return known && hooks->progress && pthread_equal(w->caller, pthread_self());
}

/* Progress of the fit on the calling thread, as that of all fits. */
static int report_fit(void *user, const hsp_progress *of_fit) {
    const cross_fitting *w = user;
    hsp_run_place place = {atomic_load(&w->fits), w->folds.count, "fits"};
    hsp_outcome at = {.epochs = of_fit ? of_fit->epoch : 0, .dual_bound = NAN, .gap = NAN};
    const hsp_progress line = hsp_progress_line(place, of_fit ? of_fit->max_epochs : 0, &at,
                                                (hsp_evaluation){NAN, NAN, NAN, NAN}, w->begun, "folds");
    return w->f->job.hooks->progress(w->f->job.hooks->user, &line);
}

/* ---- a fold ---- */

static int score_row(const cross_fitting *w, const hsp_model *m, const hsp_matrix *x, int64_t from, int64_t to, double *p) {
    int64_t K = w->out->outputs;
    double *score = w->out->score + to * K;
    hsp_model_score_row(m, hsp_matrix_row(x, from), score);
    if (w->out->own && hsp_model_probabilities(m, score, p)) {
        double *own = w->out->own + to * K;
        if (K == 1)
            own[0] = p[m->prepare.positive];
        else
            memcpy(own, p, (size_t)K * sizeof *own);
    }
    if (w->method) hsp_model_calibration_scores(m, w->method, score, score);
    w->out->fold[to] = weight_of(w->f, to) > 0 ? w->folds.fold[to] : -1;
    return HSP_OK;
}

/* The scores of the rows of the fold by its model. */
static int score_fold(const cross_fitting *w, const hsp_model *m, const int64_t *rows, int64_t count, hsp_error **err) {
    hsp_data *tested = NULL, *own = NULL;
    double *p = hsp_alloc(m->prepare.classes.count, sizeof *p);
    int status = p ? hsp_data_take(w->f->job.data, rows, count, &tested, err) : hsp_fail_memory(err);
    if (!status) status = hsp_model_encode(m, tested, 1, &own, err);
    for (int64_t i = 0; !status && i < count; i++) status = score_row(w, m, own ? &own->x : &tested->x, i, rows[i], p);
    hsp_data_free(own);
    hsp_data_free(tested);
    hsp_free(p);
    return status;
}

static int train_fold(cross_fitting *w, const int64_t *rows, int64_t count, hsp_model **m, hsp_error **err) {
    hsp_data *trained = NULL;
    hsp_plain_fit fit;
    int status = check_fold(w, rows, count, err);
    if (!status) status = hsp_data_take(w->f->job.data, rows, count, &trained, err);
    if (!status) status = hsp_train_fold(trained, w->o, watches(w) ? &w->watch : NULL, m, &fit, err);
    hsp_data_free(trained);
    if (status) return status;
    if (fit.stop_reason && strcmp(fit.stop_reason, "cancelled") == 0)
        return hsp_fail(err, HSP_ECANCELLED, "cancelled before all folds were trained");
    if (!*m)
        return hsp_fail(err, HSP_EINPUT,
                        "no hard margin was found without the rows of one fold: use -a svm, or leave --calibrate out");
    if (fit.stop_reason && strcmp(fit.stop_reason, "max-seconds") == 0)
        atomic_fetch_add(&w->late, 1);
    else if (fit.missed)
        atomic_fetch_add(&w->missed, 1);
    return HSP_OK;
}

static int fit_fold(cross_fitting *w, int64_t k, hsp_error **err) {
    int64_t *rows = hsp_alloc(w->out->n, sizeof *rows);
    hsp_model *m = NULL;
    if (!rows) return hsp_fail_memory(err);
    int status = train_fold(w, rows, hsp_folds_trained(&w->folds, 0, k, rows), &m, err);
    if (!status) status = score_fold(w, m, rows, hsp_folds_tested(&w->folds, 0, k, rows), err);
    hsp_model_free(m);
    hsp_free(rows);
    atomic_fetch_add(&w->fits, 1);
    if (!status && watches(w) && report_fit(w, NULL))
        status = hsp_fail(err, HSP_ECANCELLED, "cancelled before all folds were trained");
    return status;
}

/* A request to cancel stops one fit; each that it stopped passes it on, until none is left. */
static void run_task(void *ctx, int64_t i) {
    cross_fitting *w = ctx;
    int64_t k = w->first + i;
    if (atomic_load(&w->stop)) return;
    w->status[k] = fit_fold(w, k, &w->error[k]);
    if (!w->status[k]) return;
    atomic_store(&w->stop, true);
    if (w->status[k] != HSP_ECANCELLED) return;
    atomic_store(&w->cancelled, true);
    hsp_cancel_pass_on();
}

static int run_folds(cross_fitting *w, hsp_error **err) {
    int threads = hsp_fit_threads(w->f);
    for (w->first = 0; w->first < w->folds.count && !atomic_load(&w->stop); w->first += threads) {
        int64_t left = w->folds.count - w->first;
        hsp_pool_run(left < threads ? left : threads, threads, run_task, w);
    }
    if (atomic_load(&w->cancelled)) hsp_cancel_take(); /* the last that was passed on */
    int status = HSP_OK;
    for (int64_t k = 0; k < w->folds.count; k++) {
        if (!status && w->status[k])
            status = w->status[k], hsp_error_pass(err, w->error[k]);
        else
            hsp_error_free(w->error[k]);
    }
    return status;
}

/* ---- the whole ---- */

/* The options of the folds have their own names here. */
static int make_folds(cross_fitting *w, hsp_error **err) {
    hsp_options *o = NULL;
    int status = hsp_options_new(&o, err);
    if (!status)
        status = hsp_options_set_int(o, "folds", hsp_options_int(w->f->job.options, "calibrate-folds", 5), err);
    if (!status) status = hsp_options_set_int(o, "repeats", 1, err);
    if (!status) status = hsp_options_set_int(o, "seed", hsp_options_int(w->f->job.options, "seed", 1), err);
    hsp_error *inner = NULL;
    if (!status) status = hsp_folds_new(w->f->job.data, o, &w->folds, &inner);
    if (inner) hsp_fail(err, status, "the folds of --calibrate-folds: %s", hsp_error_message(inner));
    hsp_error_free(inner);
    hsp_options_free(o);
    return status;
}

static int make_room(cross_fitting *w, hsp_cross_fit *out, hsp_error **err) {
    int64_t n = out->n, numbers;
    if (__builtin_mul_overflow(n, out->outputs, &numbers)) return hsp_fail_memory(err);
    out->fold = hsp_alloc(n, sizeof *out->fold);
    out->score = hsp_alloc(numbers, sizeof *out->score);
    bool probable = w->m->link != HSP_LINK_NONE;
    if (probable) out->own = hsp_alloc(numbers, sizeof *out->own);
    w->status = hsp_alloc_zero(out->folds, sizeof *w->status);
    w->error = hsp_alloc_zero(out->folds, sizeof *w->error);
    if (!out->fold || !out->score || (probable && !out->own) || !w->status || !w->error) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) out->fold[i] = -1;
    return HSP_OK;
}

int hsp_cross_fit_run(const hsp_fit *f, const hsp_model *m, const hsp_options *o, const hsp_calibration_method *method,
                      hsp_cross_fit *out, hsp_error **err) {
    cross_fitting w = {
        .f = f, .m = m, .o = o, .method = method, .out = out, .caller = pthread_self(), .begun = hsp_clock_seconds()};
    w.watch = (hsp_hooks){.size = sizeof w.watch, .user = &w, .progress = report_fit};
    *out = (hsp_cross_fit){.n = f->job.data->x.n, .outputs = m->outputs};
    int status = hsp_cross_fit_check(f, err);
    if (!status) status = make_folds(&w, err);
    out->folds = w.folds.count;
    if (!status) status = make_room(&w, out, err);
    if (!status) status = run_folds(&w, err);
    out->late = atomic_load(&w.late);
    out->missed = atomic_load(&w.missed);
    out->cancelled = status == HSP_ECANCELLED;
    HSP_FREE(w.status, w.error);
    hsp_folds_clear(&w.folds);
    return status;
}
