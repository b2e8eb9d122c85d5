/* Solves the problems of a fit with several outputs: in groups that the solver's batch solves together, where that pays, or
 * one at a time. Groups run in parallel where threads gain more from that than inside each group; every thread then has its
 * own design and problems, since both hold scratch memory. The groups depend on the classes alone, and a group's result
 * does not depend on its thread, so results are the same for any number of threads. */
#include "fit/fit_classes.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "fit/class_weight.h"
#include "loss/loss.h"
#include "option/options.h"
#include "solve/loop/observe.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A problem with this many stored values keeps all threads busy, unless there are plenty of problems. */
enum { LARGE = 1 << 22 };
/* The number of problems from which a batch pays. */
enum { LEAST_BATCH = 3 };
/* Near the optimum a loss with a kink leaves most rows out, different ones in each problem; then single problems are
 * faster. Measured on 20 classes of text: a batch runs at 1.6x to 2.8x the speed down to a gap of 1e-3, and at 0.7x to 1.4x
 * down to 1e-6. */
static const double LEAST_TOL_KINKED = 1e-4;

/* ---- threads ---- */

typedef struct sharing {
    void (*task)(void *ctx, int64_t index);
    void *ctx;
    int64_t tasks;
    pthread_t owner;
    bool first_done;           /* by the calling thread */
    atomic_int_least64_t next; /* task of the other threads */
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

/* Like hsp_pool_run, but the calling thread runs the first task. So its progress lines appear immediately, and a hook that
 * stops it does so at the same point as without threads. */
static void share_tasks(int64_t tasks, int64_t threads, void (*task)(void *ctx, int64_t index), void *ctx) {
    sharing s = {.task = task, .ctx = ctx, .tasks = tasks, .owner = pthread_self(), .next = 1};
    int64_t most = threads < tasks ? threads : tasks;
    hsp_pool_run(most, (int)most, do_share, &s);
    if (!s.first_done && tasks > 0) task(ctx, 0);
}

/* ---- workers ---- */

/* The memory that a thread needs to solve a group of problems. */
typedef struct worker {
    hsp_design *design;                   /* owned; NULL: the fit's own */
    hsp_problem *problem[HSP_MOST_BATCH]; /* owned, except the first of the first worker */
    atomic_flag taken;
} worker;

typedef struct classes {
    hsp_fit *f;
    hsp_relay *relay;
    int64_t *todo, count; /* outputs */
    int64_t groups;       /* number of groups */
    double radius;
    worker *workers;
    int64_t worker_count;
    int *status; /* one for each group */
    hsp_error **errors;
} classes;

static int64_t first_of(const classes *c, int64_t group) {
    return c->count * group / c->groups;
}

/* The number of problems in the largest group. */
static int64_t most_of(const classes *c) {
    return (c->count + c->groups - 1) / c->groups;
}

/* A rough estimate of a solver's memory besides the data: a copy by columns or packed, Gram matrices, vectors. */
static double memory_of(const classes *c) {
    const hsp_design *D = c->f->job.design;
    double n = (double)D->n, d = (double)D->d, data = (double)hsp_matrix_bytes(D->x);
    double squares = d <= 5000 ? 3 * d * d : 0;
    return 2 * data + 8 * (squares + 20 * (double)most_of(c) * (n + d));
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The number of groups to solve in parallel. */
static int64_t at_once(const classes *c) {
    const hsp_design *D = c->f->job.design;
    int64_t fit = (int64_t)fmin(0.25 * (double)hsp_memory_limit() / memory_of(c), 1024);
    int64_t workers = least(least(D->threads, c->groups), fit);
    if (D->x->stored > LARGE && c->groups < 2 * workers && c->groups == c->count) return 1;
    if (hsp_cancel_pending()) return 1;          /* the first group takes the cancellation; the others do not run */
    if (hsp_observed(c->f->job.hooks)) return 1; /* hooks need the problems in order, on the calling thread */
    return workers < 1 ? 1 : workers;
}

/* Whether a batch pays: enough problems, a solver with a batch version that the options allow, no rule or hook that needs
 * single problems, and enough memory. */
static bool batch_pays(const classes *c, const hsp_problem *p) {
    const hsp_fit *f = c->f;
    const hsp_rules *rules = &f->form.rules;
    const hsp_solver *solver = f->form.solver, *together = solver->together;
    bool ours = together == solver || hsp_options_is(f->job.options, "solver", "auto");
    bool plain =
        rules->start == HSP_START_ZERO && rules->keep == HSP_KEEP_BEST && rules->max_updates < 0 && rules->max_steps < 0;
    bool kinked = !(f->form.loss->traits & HSP_LOSS_SMOOTH);
    if (!together || !ours || !plain || (kinked && rules->tol < LEAST_TOL_KINKED)) return false;
    if (hsp_observed(f->job.hooks)) return false; /* updates are reported problem by problem */
    double bytes = 8.0 * 20 * (double)(together->batch->most * (p->design->n + p->design->d));
    return c->count >= LEAST_BATCH && together->batch->takes(p) && bytes <= 0.25 * (double)hsp_memory_limit();
}

/* Divides the remaining time among the groups. */
static double share_of_time(const classes *c, int64_t group) {
    double most = c->f->form.rules.max_seconds;
    if (most < 0) return -1;
    double left = fmax(0, most - (hsp_clock_seconds() - c->f->job.begun));
    return left / ceil((double)(c->groups - group) / (double)c->worker_count);
}

/* A free worker always exists: there are as many workers as threads that call this at once. */
static worker *take_worker(classes *c) {
    for (int64_t t = 0;; t = (t + 1) % c->worker_count)
        if (!atomic_flag_test_and_set(&c->workers[t].taken)) return &c->workers[t];
}

static void solve_group(void *ctx, int64_t group) {
    classes *c = ctx;
    const int64_t *output = c->todo + first_of(c, group);
    int64_t count = first_of(c, group + 1) - first_of(c, group);
    const hsp_hooks *hooks[HSP_MOST_BATCH];
    if (hsp_relay_stopped(c->relay)) return; /* the results already state that it was not run */
    worker *w = take_worker(c);
    for (int64_t k = 0; k < count; k++) hooks[k] = hsp_relay_hooks(c->relay, output[k]);
    hsp_fit_task task = {count, output, w->problem, hooks, c->radius, share_of_time(c, group)};
    c->status[group] = hsp_fit_solve_outputs(c->f, &task, &c->errors[group]);
    bool stop = c->status[group] != HSP_OK;
    for (int64_t k = 0; k < count; k++) {
        stop = stop || c->f->out.results[output[k]].outcome.stop == HSP_STOP_CANCELLED;
        hsp_relay_end(c->relay, output[k]);
    }
    if (stop) hsp_relay_stop(c->relay);
    atomic_flag_clear(&w->taken);
}

/* The first worker uses the fit's own design and problem; the others get their own. */
static int hire(classes *c, hsp_problem *p, hsp_error **err) {
    const hsp_design *D = c->f->job.design;
    c->worker_count = at_once(c);
    c->workers = hsp_alloc_zero(c->worker_count, sizeof *c->workers);
    c->status = hsp_alloc_zero(c->groups, sizeof *c->status);
    c->errors = hsp_alloc_zero(c->groups, sizeof *c->errors);
    if (!c->workers || !c->status || !c->errors) return hsp_fail_memory(err);
    for (int64_t t = 0; t < c->worker_count; t++) atomic_flag_clear(&c->workers[t].taken);
    c->workers[0].problem[0] = p;
    int status = HSP_OK;
    for (int64_t t = 0; !status && t < c->worker_count; t++) {
        worker *w = &c->workers[t];
        if (t > 0) status = hsp_design_new(D->x, D->shift, D->factor, 1, &w->design, err);
        hsp_design *design = t > 0 ? w->design : c->f->job.design;
        for (int64_t k = t == 0; !status && k < most_of(c); k++)
            status = hsp_fit_pose_over(c->f, design, 1, &w->problem[k], err);
    }
    return status;
}

static void dismiss(classes *c) {
    for (int64_t t = 0; c->workers && t < c->worker_count; t++) {
        for (int64_t k = t == 0; k < HSP_MOST_BATCH; k++) hsp_problem_free(c->workers[t].problem[k]);
        hsp_design_free(c->workers[t].design);
    }
    for (int64_t g = 0; c->errors && g < c->groups; g++) hsp_error_free(c->errors[g]);
    HSP_FREE(c->workers, c->status, c->errors);
}

static int solve_all(classes *c, hsp_problem *p, hsp_error **err) {
    if (c->count == 0) return HSP_OK;
    bool batch = !hsp_cancel_pending() && batch_pays(c, p);
    int64_t most = batch ? c->f->form.solver->together->batch->most : 1;
    c->groups = (c->count + most - 1) / most;
    int status = hire(c, p, err);
    if (!status) status = hsp_fit_dual_room(c->f, p, err);
    if (!status) share_tasks(c->groups, c->worker_count, solve_group, c);
    for (int64_t g = 0; !status && g < c->groups; g++) {
        status = c->status[g];
        if (!status) continue;
        hsp_error_pass(err, c->errors[g]);
        c->errors[g] = NULL;
    }
    dismiss(c);
    return status;
}

/* Resets the results of all problems after the one at which a hook stopped the fit: in order, they would not have run. */
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
    int status = c.todo ? hsp_relay_new(f->job.hooks, f->out.outputs, &c.relay, err) : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < f->out.outputs; k++) {
        if (!hsp_fit_absent(f, k))
            c.todo[c.count++] = k;
        else
            hsp_relay_end(c.relay, k); /* no rows to fit */
    }
    if (!status) status = solve_all(&c, p, err);
    if (c.relay) hsp_relay_finish(c.relay);
    if (!status) forget_later(f, hsp_relay_stopped_at(c.relay));
    hsp_relay_free(c.relay);
    hsp_free(c.todo);
    return status;
}
