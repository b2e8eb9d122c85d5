#include "select/shared_fits.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/frequent.h"
#include "kernel/form.h"
#include "problem/problem.h"
#include "select/shared_alone.h"
#include "select/shared_ascent.h"
#include "select/shared_run.h"
#include "solve/dual/ascent.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"

#include <math.h>
#include <stddef.h>

/* ---- results and progress ---- */

static bool is_watched(const hsp_hooks *hooks) {
    return hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress && hooks->progress;
}

void hsp_shared_cancel(hsp_shared_run *r) {
    atomic_store(&r->cancelled, true);
    atomic_store(&r->stopped, true);
}

/* On the calling thread alone. */
static void report_progress(hsp_shared_run *r) {
    const hsp_hooks *hooks = r->u->s->hooks;
    if (!is_watched(hooks) || !pthread_equal(r->caller, pthread_self())) return;
    hsp_run_place place = {atomic_load(&r->done), r->u->s->count * r->u->s->folds->count, "fits"};
    const hsp_outcome unknown = {.dual_bound = NAN, .gap = NAN};
    const hsp_progress line =
        hsp_progress_line(place, 0, &unknown, (hsp_evaluation){NAN, NAN, NAN, NAN}, r->begun, "cross-validation");
    if (hooks->progress(hooks->user, &line)) hsp_shared_cancel(r);
}

void hsp_shared_solved(hsp_shared_run *r, int64_t i, int64_t fold, int64_t k, double primal, double dual) {
    int64_t fit = i * r->u->s->folds->count + fold;
    r->primal[fit * r->u->problems + k] = primal;
    r->dual[fit * r->u->problems + k] = dual;
    if (atomic_fetch_sub(&r->left[fit], 1) > 1) return;
    atomic_fetch_add(&r->done, 1);
    report_progress(r);
}

bool hsp_shared_stop(hsp_shared_run *r) {
    if (!atomic_load(&r->stopped) && hsp_cancel_pending()) hsp_shared_cancel(r);
    return atomic_load(&r->stopped);
}

static int stop_with_others(void *user, const hsp_progress *p) {
    (void)p;
    return hsp_shared_stop(user);
}

/* ---- tasks ---- */

typedef struct task_crowd {
    hsp_shared_run *r;
    const hsp_shared_way *way;
    int *status;
    hsp_error **error;
} task_crowd;

static void call_task(void *ctx, int64_t index) {
    task_crowd *c = ctx;
    if (hsp_shared_stop(c->r)) return;
    c->status[index] = c->way->task(c->r, index, &c->error[index]);
    if (c->status[index]) atomic_store(&c->r->stopped, true);
}

static int run_tasks(hsp_shared_run *r, const hsp_shared_way *way, hsp_error **err) {
    int64_t tasks = way->tasks(r->u);
    task_crowd c = {.r = r, .way = way};
    int status = HSP_ALLOC_ZERO(c.status, tasks) && HSP_ALLOC_ZERO(c.error, tasks) ? HSP_OK : hsp_fail_memory(err);
    if (!status) hsp_pool_run(tasks, r->u->s->threads, call_task, &c);
    for (int64_t t = 0; c.status && c.error && t < tasks; t++) {
        if (!status && c.status[t]) {
            status = c.status[t];
            hsp_error_pass(err, c.error[t]);
        } else {
            hsp_error_free(c.error[t]);
        }
    }
    HSP_FREE(c.status, c.error);
    return status;
}

/* ---- all ---- */

static int allocate(hsp_shared_run *r, hsp_error **err) {
    int64_t fits = r->u->s->count * r->u->s->folds->count, all = fits * r->u->problems;
    if (!HSP_ALLOC(r->primal, all) || !HSP_ALLOC(r->dual, all) || !HSP_ALLOC(r->left, fits)) return hsp_fail_memory(err);
    for (int64_t e = 0; e < all; e++) r->primal[e] = r->dual[e] = NAN;
    for (int64_t e = 0; e < fits; e++) atomic_init(&r->left[e], (int)r->u->problems);
    return HSP_OK;
}

static const double ROUNDING = 1e-12;

/* The relative gap of each model: of the sums over its problems. */
static void take_gaps(const hsp_shared_run *r, double *gap) {
    const hsp_shared_setup *u = r->u;
    int64_t folds = u->s->folds->count;
    for (int64_t i = 0; i < u->s->count; i++)
        for (int64_t k = 0; k < folds; k++) {
            const double *P = r->primal + (i * folds + k) * u->problems, *D = r->dual + (i * folds + k) * u->problems;
            double primal = 0, dual = 0;
            for (int64_t j = 0; j < u->problems; j++) {
                primal += P[j];
                dual += D[j];
            }
            double found = hsp_relative_gap(primal, dual);
            gap[u->order[i] * folds + k] = found < 0 && found > -ROUNDING ? 0 : found;
        }
}

/* With few columns the vector over them is in the cache anyway. */
static int copy_rows(hsp_shared_run *r, hsp_error **err) {
    enum { MANY = 4096 };
    const hsp_matrix *x = &r->u->s->data->x;
    bool small = hsp_matrix_bytes(x) <= hsp_memory_limit() / 8;
    if (x->dense || x->d < MANY || x->ids == HSP_IDS_64 || !small || !hsp_shared_ascends(r->u)) return HSP_OK;
    return hsp_frequent_new(x, r->u->s->threads, &r->frequent, err);
}

/* Lanes pay where one pass along a row serves eight problems: with many columns, and where coordinate ascent is the cheapest
 * method for most values. */
static const hsp_shared_way *choose_way(const hsp_shared_run *r) {
    const hsp_shared_setup *u = r->u;
    int64_t wide = 0;
    if (!r->frequent.own || u->s->count * u->s->folds->count * u->problems < HSP_LANES) return &hsp_shared_chain;
    for (int64_t i = 0; i < u->s->count; i++)
        wide += hsp_shared_ascent_is_best(u, hsp_shared_C(u, i, (double)u->s->data->x.n));
    return 2 * wide >= u->s->count ? &hsp_shared_lanes : &hsp_shared_chain;
}

static int run_all(const hsp_shared_setup *u, double *score, double *gap, int64_t *done, hsp_error **err) {
    int64_t size = u->s->count * u->s->data->x.n * u->outputs;
    hsp_shared_run r = {.u = u, .score = score, .caller = pthread_self(), .begun = hsp_clock_seconds()};
    r.watch = (hsp_hooks){.size = sizeof r.watch, .user = &r, .progress = stop_with_others};
    for (int64_t e = 0; e < size; e++) score[e] = NAN;
    int status = allocate(&r, err);
    bool allocated = !status;
    if (!status) status = copy_rows(&r, err);
    if (!status) status = run_tasks(&r, choose_way(&r), err);
    if (allocated) take_gaps(&r, gap);
    *done = atomic_load(&r.done);
    if (!status && atomic_load(&r.cancelled)) {
        hsp_cancel_take();
        status = hsp_fail(err, HSP_ECANCELLED, "cancelled after %lld of %lld fits", (long long)*done,
                          (long long)(u->s->count * u->s->folds->count));
    }
    hsp_frequent_free(&r.frequent);
    HSP_FREE(r.primal, r.dual, r.left);
    return status;
}

bool hsp_shared_fits_apply(const hsp_shared_fits *s) {
    hsp_shared_setup u;
    bool applies = false;
    int status = hsp_shared_setup_init(&u, s, &applies, NULL);
    hsp_shared_setup_free(&u);
    return !status && applies;
}

int64_t hsp_shared_fits_outputs(const hsp_shared_fits *s) {
    hsp_shared_setup u;
    bool applies = false;
    int status = hsp_shared_setup_init(&u, s, &applies, NULL);
    int64_t outputs = !status && applies ? u.outputs : 0;
    hsp_shared_setup_free(&u);
    return outputs;
}

int hsp_shared_fits_run(const hsp_shared_fits *s, double *score, double *gap, int64_t *done, hsp_error **err) {
    hsp_shared_setup u;
    bool applies = false;
    *done = 0;
    int status = hsp_shared_setup_init(&u, s, &applies, err);
    if (!status && !applies)
        status = hsp_fail(err, HSP_EINTERNAL, "these fits cannot share a design: use hsp_train for each of them");
    if (!status) status = run_all(&u, score, gap, done, err);
    hsp_shared_setup_free(&u);
    return status;
}
