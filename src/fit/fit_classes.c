/* The problems of a fit of several outputs: first in lanes where that pays, then each by itself. Those run several at once
 * where threads are better spent on them than inside of each: a design and a problem for each thread, since both have
 * scratch. A problem does not notice which thread solves it, so results are the same for any number of them. */
#include "fit/fit_classes.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/observe.h"
#include "solve/loop/run.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A problem of so many numbers keeps its threads busy by itself, unless there are plenty of problems. */
enum { LARGE = 1 << 22 };

/* ---- threads ---- */

typedef struct sharing {
    void (*task)(void *ctx, int64_t index);
    void *ctx;
    int64_t tasks;
    pthread_t owner;
    bool first_done;           /* by the owner */
    atomic_int_least64_t next; /* of the others */
} sharing;

static void do_share(void *ctx, int64_t unused) {
    sharing *s = ctx;
    int64_t index;
    (void)unused;
    if (pthread_equal(pthread_self(), s->owner) && !s->first_done) {
        s->first_done = true;
        s->task(s->ctx, 0);
    }
    while ((index = atomic_fetch_add(&s->next, 1)) < s->tasks) s->task(s->ctx, index);
}

void hsp_fit_share(int64_t tasks, int64_t threads, void (*task)(void *ctx, int64_t index), void *ctx) {
    sharing s = {.task = task, .ctx = ctx, .tasks = tasks, .owner = pthread_self(), .next = 1};
    int64_t most = threads < tasks ? threads : tasks;
    hsp_pool_run(most, (int)most, do_share, &s);
    if (!s.first_done && tasks > 0) task(ctx, 0);
}

/* ---- workers ---- */

/* What a thread needs to solve a problem. */
typedef struct worker {
    hsp_design *design;
    hsp_problem *problem;
    atomic_flag taken;
} worker;

typedef struct classes {
    hsp_fit *f;
    hsp_relay *relay;
    int64_t *todo, count;
    hsp_point *points; /* one for each output; alpha NULL: not begun */
    double radius;
    worker *workers;
    int64_t worker_count;
    int *status; /* of each problem */
    hsp_error **errors;
} classes;

/* Roughly what a solver takes beside the data: a copy of them by columns or packed, Gram matrices, vectors. */
static double memory_of(const hsp_fit *f) {
    double n = (double)f->job.design->n, d = (double)f->job.design->d, data = (double)hsp_matrix_bytes(f->job.design->x);
    double squares = d <= 5000 ? 3 * d * d : 0;
    return 2 * data + 8 * (squares + 20 * (n + d));
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* How many problems are solved at once. */
static int64_t at_once(const classes *c) {
    const hsp_design *D = c->f->job.design;
    int64_t room = (int64_t)fmin(0.25 * (double)hsp_memory_limit() / memory_of(c->f), 1024);
    int64_t workers = least(least(D->threads, c->count), room);
    if (D->x->stored > LARGE && c->count < 2 * workers) return 1;
    if (hsp_cancel_pending()) return 1;      /* the first takes it, the others are not reached */
    if (hsp_observed(c->f->job.hooks)) return 1; /* on the calling thread, one after the other */
    return workers < 1 ? 1 : workers;
}

/* Each its share of the time that is left. */
static double share_of_time(const classes *c, int64_t index) {
    double most = c->f->form.rules.max_seconds;
    if (most < 0) return -1;
    double left = fmax(0, most - (hsp_clock_seconds() - c->f->job.begun));
    return left / ceil((double)(c->count - index) / (double)c->worker_count);
}

/* There are as many workers as threads come here at once. */
static worker *take_worker(classes *c) {
    for (int64_t t = 0;; t = (t + 1) % c->worker_count)
        if (!atomic_flag_test_and_set(&c->workers[t].taken)) return &c->workers[t];
}

static void solve_one(void *ctx, int64_t index) {
    classes *c = ctx;
    int64_t k = c->todo[index];
    hsp_outcome *o = &c->f->out.results[k].outcome;
    if (hsp_relay_stopped(c->relay)) { /* what was not reached keeps its weights and says why */
        if (!o->stop) o->stop = "cancelled";
        if (c->points[k].alpha) c->status[index] = hsp_fit_dual_keep(c->f, c->workers[0].problem, &c->points[k], k, NULL);
        return;
    }
    worker *w = take_worker(c);
    bool begun = c->points[k].alpha != NULL;
    if (begun) hsp_relay_resume(c->relay, k);
    hsp_fit_task task = {.output = k,
                         .radius = c->radius,
                         .seconds = share_of_time(c, index),
                         .hooks = hsp_relay_hooks(c->relay, k),
                         .begun = begun ? &c->points[k] : NULL};
    c->status[index] = hsp_fit_solve_output(c->f, w->problem, &task, &c->errors[index]);
    if (c->status[index] || strcmp(o->stop, "cancelled") == 0) hsp_relay_stop(c->relay);
    hsp_relay_end(c->relay, k);
    atomic_flag_clear(&w->taken);
}

/* The first worker has the fit's own design and problem; the others their own. */
static int hire(classes *c, hsp_problem *p, hsp_error **err) {
    const hsp_design *D = c->f->job.design;
    c->worker_count = at_once(c);
    c->workers = hsp_alloc_zero(c->worker_count, sizeof *c->workers);
    c->status = hsp_alloc_zero(c->count, sizeof *c->status);
    c->errors = hsp_alloc_zero(c->count, sizeof *c->errors);
    if (!c->workers || !c->status || !c->errors) return hsp_fail_memory(err);
    for (int64_t t = 0; t < c->worker_count; t++) atomic_flag_clear(&c->workers[t].taken);
    c->workers[0].problem = p;
    for (int64_t t = 1; t < c->worker_count; t++) {
        worker *w = &c->workers[t];
        int status = hsp_design_new(D->x, D->shift, D->factor, 1, &w->design, err);
        if (!status) status = hsp_fit_pose_over(c->f, w->design, 1, &w->problem, err);
        if (status) return status;
    }
    return HSP_OK;
}

static void dismiss(classes *c) {
    for (int64_t t = 1; c->workers && t < c->worker_count; t++) {
        hsp_problem_free(c->workers[t].problem);
        hsp_design_free(c->workers[t].design);
    }
    for (int64_t t = 0; c->errors && t < c->count; t++) hsp_error_free(c->errors[t]);
    hsp_free(c->workers);
    hsp_free(c->status);
    hsp_free(c->errors);
}

static int solve_each(classes *c, hsp_problem *p, hsp_error **err) {
    if (c->count == 0) return HSP_OK;
    int status = hire(c, p, err);
    if (!status) status = hsp_fit_dual_room(c->f, p, err);
    if (!status) hsp_fit_share(c->count, c->worker_count, solve_one, c);
    for (int64_t t = 0; !status && t < c->count; t++) {
        status = c->status[t];
        if (!status) continue;
        hsp_error_pass(err, c->errors[t]);
        c->errors[t] = NULL;
    }
    dismiss(c);
    return status;
}

/* After a hook's word what comes later in turn was not reached. */
static void forget_later(hsp_fit *f, int64_t last) {
    int64_t n = f->job.design->n, d = f->job.design->d;
    for (int64_t k = last + 1; last >= 0 && k < f->out.outputs; k++) {
        f->out.results[k] = hsp_fit_not_run(f, k);
        memset(f->out.w + k * d, 0, (size_t)d * sizeof *f->out.w);
        f->out.b[k] = 0;
        for (int64_t i = 0; f->out.dual && i < n; i++) f->out.dual[i * f->out.outputs + k] = 0;
    }
}

int hsp_fit_solve_classes(hsp_fit *f, hsp_problem *p, double radius, hsp_error **err) {
    classes c = {.f = f, .radius = radius};
    c.todo = hsp_alloc(f->out.outputs, sizeof *c.todo);
    c.points = hsp_alloc_zero(f->out.outputs, sizeof *c.points);
    int status = c.todo && c.points ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_relay_new(f->job.hooks, f->out.results, f->out.outputs, &c.relay, err);
    for (int64_t k = 0; !status && k < f->out.outputs; k++) {
        if (!hsp_fit_absent(f, k))
            c.todo[c.count++] = k;
        else
            hsp_relay_end(c.relay, k); /* nothing to learn */
    }
    bool lanes = !status && !hsp_cancel_pending() && hsp_fit_lanes_pay(f, p);
    if (lanes) status = hsp_fit_run_lanes(f, p, c.relay, c.todo, &c.count, c.points, err);
    if (!status) status = solve_each(&c, p, err);
    if (c.relay) hsp_relay_finish(c.relay);
    if (!status) forget_later(f, hsp_relay_stopped_at(c.relay));
    for (int64_t k = 0; c.points && k < f->out.outputs; k++) hsp_free(c.points[k].alpha);
    hsp_relay_free(c.relay);
    hsp_free(c.todo);
    hsp_free(c.points);
    return status;
}
