/* The trials of a comparison. Each repeat is a round: the rows of its folds are encoded once, and all contenders are fitted to
 * them, the cheap ones first; so an interrupt leaves complete rounds, or in the first round complete contenders. Every trial is
 * one task on one thread, so that the results do not depend on the number of threads. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/data.h"
#include "data/folds.h"
#include "problem/problem.h"
#include "select/compare.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static const double INTERVAL = 0.05; /* seconds between two calls of the progress hook */

typedef struct encoded_fold {
    hsp_data *train, *test; /* owned */
} encoded_fold;

/* What the tasks of a round share. */
typedef struct tournament {
    hsp_comparison *c;
    int64_t repeat;
    encoded_fold *rows; /* of each fold; NULL: there is not enough memory to keep them */
    pthread_t caller;
    double reported;       /* the time of the last call of the hook */
    atomic_bool stop;      /* interrupted, or failed */
    atomic_int status;     /* the first failure */
    atomic_int_least64_t tasks, cost; /* finished: trials of all rounds, and their costs */
    int64_t all_cost;
    atomic_int_least64_t failed[HSP_CONTENDERS_MOST]; /* the first trial of each contender that failed; INT64_MAX: none */
    hsp_error *error; /* of the failure; under the lock */
    pthread_mutex_t lock;
} tournament;

/* ---- progress, and the ends of a trial ---- */

/* A trial in its own cancel scope, which ends it when its time is over, or all trials are to stop. */
typedef struct bounded_trial {
    hsp_cancel_scope scope; /* first */
    tournament *t;
    const char *name;
    double deadline;
    atomic_bool late;
} bounded_trial;

static void report_progress(tournament *t, const char *name) {
    const hsp_hooks *hooks = t->c->hooks;
    bool known = hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress && hooks->progress;
    double now = hsp_clock_seconds();
    if (!known || !pthread_equal(t->caller, pthread_self()) || atomic_load(&t->stop) || now < t->reported + INTERVAL) return;
    t->reported = now;
    hsp_run_place place = {atomic_load(&t->cost), t->all_cost, name};
    hsp_outcome unknown = {.dual_bound = NAN, .gap = NAN};
    const hsp_progress line =
        hsp_progress_line(place, 0, &unknown, (hsp_evaluation){NAN, NAN, NAN, NAN}, t->c->begun, "compare");
    if (hooks->progress(hooks->user, &line)) atomic_store(&t->stop, true);
}

/* Called whenever the fit polls. The request of the scope around is noted in `stop`, as whoever takes it clears it. */
static void poll_trial(hsp_cancel_scope *s) {
    bounded_trial *b = (bounded_trial *)s;
    report_progress(b->t, b->name);
    hsp_cancel_enter(s->outer);
    if (hsp_cancel_pending()) atomic_store(&b->t->stop, true);
    hsp_cancel_enter(s);
    if (!isinf(b->deadline) && hsp_clock_seconds() >= b->deadline) atomic_store(&b->late, true);
    if (atomic_load(&b->t->stop) || atomic_load(&b->late)) hsp_cancel_request(s);
}

/* Equal shares of the time that is left: --max-seconds of all trials, of which as many run at a time as there are threads, and
 * --max-seconds-each of those of one contender. */
static double deadline_of(tournament *t) {
    const hsp_comparison *c = t->c;
    double now = hsp_clock_seconds(), seconds = c->each / (double)hsp_comparison_trials(c);
    int64_t left = c->contenders * hsp_comparison_trials(c) - atomic_load(&t->tasks);
    double workers = (double)(c->threads < left ? c->threads : left);
    if (left > 0 && !isinf(c->end)) seconds = fmin(seconds, fmax(c->end - now, 0) * workers / (double)left);
    return now + seconds;
}

static int note_late(const hsp_comparison *c, hsp_trial *trial, hsp_error **err) {
    trial->error = hsp_strdup(isinf(c->each) ? "stopped by the time limit: use a larger --max-seconds"
                                             : "stopped by the time limit: use a larger --max-seconds-each");
    if (!trial->error) return hsp_fail_memory(err);
    atomic_store(&trial->done, true);
    return HSP_OK;
}

static void fail_all(tournament *t, int status, hsp_error *error) {
    pthread_mutex_lock(&t->lock);
    if (!atomic_load(&t->status)) {
        atomic_store(&t->status, status);
        t->error = error;
        error = NULL;
    }
    pthread_mutex_unlock(&t->lock);
    hsp_error_free(error);
    atomic_store(&t->stop, true);
}

/* ---- the rows of the folds ---- */

static int take_fold(const hsp_comparison *c, int64_t repeat, int64_t k, encoded_fold *out, hsp_error **err) {
    int64_t *rows = hsp_alloc(c->data->x.n, sizeof *rows);
    *out = (encoded_fold){NULL, NULL};
    if (!rows) return hsp_fail_memory(err);
    int status = hsp_trial_rows(c->data, rows, hsp_folds_trained(&c->folds, repeat, k, rows), NULL, &out->train, err);
    if (!status)
        status = hsp_trial_rows(c->data, rows, hsp_folds_tested(&c->folds, repeat, k, rows), out->train, &out->test, err);
    hsp_free(rows);
    return status;
}

static void clear_fold(encoded_fold *f) {
    hsp_data_free(f->train);
    hsp_data_free(f->test);
    *f = (encoded_fold){NULL, NULL};
}

static void take_task(void *ctx, int64_t k) {
    tournament *t = ctx;
    hsp_error *error = NULL;
    if (atomic_load(&t->stop)) return;
    report_progress(t, NULL);
    int status = take_fold(t->c, t->repeat, k, &t->rows[k], &error);
    if (status) fail_all(t, status, error);
}

/* ---- the trials ---- */

/* A contender fails in all trials if it fails in one, so those after the failed one need not run. Trials start in order: the
 * first that fails always runs, and is the one that is reported. */
static void note_failure(tournament *t, int64_t i, int64_t j) {
    int_least64_t first = atomic_load(&t->failed[i]);
    while (j < first && !atomic_compare_exchange_weak(&t->failed[i], &first, j)) continue;
}

static int run_in_time(tournament *t, const hsp_contender *contender, const encoded_fold *rows, hsp_trial *out,
                       hsp_error **err) {
    bounded_trial b = {.t = t, .name = contender->name, .deadline = deadline_of(t)};
    b.scope.poll = poll_trial;
    b.scope.outer = hsp_cancel_current();
    hsp_cancel_enter(&b.scope);
    int status = hsp_cancel_pending() ? HSP_ECANCELLED : HSP_OK;
    if (!status) status = hsp_trial_run(contender, &t->c->rules, rows->train, rows->test, out, err);
    hsp_cancel_enter(b.scope.outer);
    if (status != HSP_ECANCELLED || atomic_load(&t->stop) || !atomic_load(&b.late)) return status;
    if (err) {
        hsp_error_free(*err);
        *err = NULL;
    }
    return note_late(t->c, out, err);
}

static void trial_task(void *ctx, int64_t task) {
    tournament *t = ctx;
    hsp_comparison *c = t->c;
    int64_t K = c->folds.count, i = task / K, k = task % K, j = t->repeat * K + k;
    hsp_trial *trial = c->trial + i * hsp_comparison_trials(c) + j;
    encoded_fold own = {NULL, NULL};
    hsp_error *error = NULL;
    if (atomic_load(&t->stop)) return;
    int status = HSP_OK;
    if (j <= atomic_load(&t->failed[i])) {
        if (!t->rows) status = take_fold(c, t->repeat, k, &own, &error);
        if (!status) status = run_in_time(t, c->contender[i], t->rows ? &t->rows[k] : &own, trial, &error);
        if (!status && trial->error) note_failure(t, i, j);
    }
    clear_fold(&own);
    atomic_fetch_add(&t->tasks, 1);
    atomic_fetch_add(&t->cost, c->contender[i]->cost);
    report_progress(t, c->contender[i]->name);
    if (status == HSP_ECANCELLED) {
        hsp_error_free(error);
        atomic_store(&t->stop, true);
    } else if (status) {
        fail_all(t, status, error);
    }
}

/* ---- rounds ---- */

/* The encoded rows of all folds take about as much memory as the data for each fold. */
static bool rows_fit(const hsp_comparison *c) {
    return (double)hsp_data_memory(c->data).total * (double)c->folds.count < 0.25 * (double)hsp_memory_limit();
}

static int run_round(tournament *t, hsp_error **err) {
    hsp_comparison *c = t->c;
    int64_t K = c->folds.count;
    if (rows_fit(c) && !(t->rows = hsp_alloc_zero(K, sizeof *t->rows))) return hsp_fail_memory(err);
    if (t->rows) hsp_pool_run(K, c->threads, take_task, t);
    if (!atomic_load(&t->stop)) hsp_pool_run(c->contenders * K, c->threads, trial_task, t);
    for (int64_t k = 0; t->rows && k < K; k++) clear_fold(&t->rows[k]);
    hsp_free(t->rows);
    t->rows = NULL;
    int status = atomic_load(&t->status);
    if (status && err) *err = t->error;
    else hsp_error_free(t->error);
    t->error = NULL;
    return status;
}

static bool one_is_complete(const hsp_comparison *c) {
    for (int64_t i = 0; i < c->contenders; i++) {
        bool all = true;
        for (int64_t k = 0; k < c->folds.count; k++) all = all && atomic_load(&c->trial[i * hsp_comparison_trials(c) + k].done);
        if (all) return true;
    }
    return false;
}

static int count_rows(hsp_comparison *c, hsp_error **err) {
    int64_t *rows = hsp_alloc(c->data->x.n, sizeof *rows), K = c->folds.count;
    if (!rows) return hsp_fail_memory(err);
    for (int64_t j = 0; j < hsp_comparison_trials(c); j++) {
        c->test_rows[j] = (double)hsp_folds_tested(&c->folds, j / K, j % K, rows);
        c->train_rows[j] = (double)hsp_folds_trained(&c->folds, j / K, j % K, rows);
    }
    hsp_free(rows);
    return HSP_OK;
}

static int make_room(hsp_comparison *c, hsp_error **err) {
    int64_t J = hsp_comparison_trials(c), all = c->contenders * J;
    while (hsp_metric_table[c->metrics].name) c->metrics++;
    if (!HSP_ALLOC_ZERO(c->trial, all) || !HSP_ALLOC_ZERO(c->figure, all * c->metrics) || !HSP_ALLOC_ZERO(c->test_rows, J) ||
        !HSP_ALLOC_ZERO(c->train_rows, J))
        return hsp_fail_memory(err);
    for (int64_t a = 0; a < all; a++) c->trial[a].figure = c->figure + a * c->metrics;
    return count_rows(c, err);
}

int hsp_comparison_run(hsp_comparison *c, hsp_error **err) {
    tournament t = {.c = c, .caller = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER};
    int status = make_room(c, err);
    for (int64_t i = 0; i < c->contenders; i++) {
        t.all_cost += c->contender[i]->cost * hsp_comparison_trials(c);
        atomic_init(&t.failed[i], INT64_MAX);
    }
    if (!status) report_progress(&t, NULL);
    for (; !status && !atomic_load(&t.stop) && t.repeat < c->folds.repeats; t.repeat++) {
        status = run_round(&t, err);
        if (!status && !atomic_load(&t.stop)) c->complete++;
    }
    if (status) return status;
    c->interrupted = atomic_load(&t.stop);
    if (c->interrupted) hsp_cancel_take(); /* whoever noticed the request may have left it */
    if (c->interrupted && c->complete == 0 && !one_is_complete(c))
        return hsp_fail(err, HSP_ECANCELLED, "interrupted before the first result");
    return HSP_OK;
}

void hsp_comparison_clear(hsp_comparison *c) {
    for (int64_t a = 0; c->trial && a < c->contenders * hsp_comparison_trials(c); a++) hsp_free(c->trial[a].error);
    HSP_FREE(c->trial, c->figure, c->test_rows, c->train_rows);
    hsp_folds_clear(&c->folds);
    *c = (hsp_comparison){.contenders = 0};
}
