/* The problems of one-vs-rest side by side: groups of lanes, as many at once as there are threads. Lanes whose group has
 * ended but for a few are put together anew; the last few, and those that do not get on, are left to the solver of a single
 * problem, which goes on from their multipliers. How groups are cut depends on the classes alone. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_classes.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "option/options.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/dual/lanes.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"

#include <math.h>
#include <string.h>

enum { LEAST = 3 }; /* so many problems are worth lanes */
/* Gaps from which the exact finish of a single problem is sooner there. */
static const double FINISH = 1e-6;
/* The hinge leaves most rows out, other ones in each problem, when it comes near: by then a problem is solved sooner by
 * itself. Measured on 20 classes of text: side by side 1.6x to 2.8x the pace at 1e-3, 0.7x to 1.4x at 1e-6. */
static const double HINGE_LEAST = 1e-4;

bool hsp_fit_lanes_pay(const hsp_fit *f, const hsp_problem *p) {
    int64_t problems = 0, n = f->job.design->n, d = f->job.design->d;
    for (int64_t k = 0; k < f->out.outputs; k++) problems += !hsp_fit_absent(f, k);
    bool automatic = hsp_options_is(f->job.options, "solver", "auto");
    bool suits = f->form.solver == &hsp_solver_dual || (automatic && f->form.solver == &hsp_solver_newton_cg);
    const hsp_rules *rules = &f->form.rules;
    bool plain = rules->start == HSP_START_ZERO && rules->keep == HSP_KEEP_BEST && rules->max_updates < 0 &&
                 rules->max_steps < 0;
    if (f->form.loss == &hsp_loss_hinge && f->form.rules.tol < HINGE_LEAST) return false;
    double groups = fmin((double)f->job.design->threads, ceil((double)problems / HSP_LANES));
    double bytes = 8 * ((double)(problems * n) + groups * HSP_LANES * (4 * (double)n + 2 * (double)d));
    return problems >= LEAST && suits && plain && hsp_lanes_take(p) && bytes <= 0.25 * (double)hsp_memory_limit();
}

typedef struct lanes_job {
    hsp_fit *f;
    const hsp_problem *p;
    hsp_relay *relay;
    const hsp_lanes_rows *R;
    int64_t *run; /* the outputs of this round */
    int64_t count, groups;
    bool *lonely; /* outputs: left since too few others were at work */
    hsp_point *points;
    int *status; /* of each group */
    hsp_error **errors;
} lanes_job;

static bool look(void *ctx, const hsp_lane *lane, hsp_evaluation at) {
    const lanes_job *job = ctx;
    const hsp_outcome *o = lane->out;
    hsp_progress line = {.size = sizeof line,
                         .label = job->f->out.results[lane->id].label,
                         .problem = lane->id,
                         .problems = job->f->out.outputs,
                         .epoch = o->epochs,
                         .max_epochs = job->f->form.rules.max_epochs,
                         .updates = o->updates,
                         .steps = o->steps,
                         .objective = at.objective,
                         .mean_loss = at.mean_loss,
                         .error = at.error,
                         .norm = at.norm,
                         .dual_bound = o->dual_bound,
                         .relative_gap = o->gap,
                         .seconds = hsp_clock_seconds() - job->f->job.begun,
                         .method = "lanes"};
    return hsp_relay_line(job->relay, lane->id, &line);
}

/* The time left, shared among the groups that have not begun. */
static double deadline(const lanes_job *job, int64_t group) {
    const hsp_fit *f = job->f;
    if (f->form.rules.max_seconds < 0) return INFINITY;
    double now = hsp_clock_seconds(), left = fmax(0, f->form.rules.max_seconds - (now - f->job.begun));
    return now + left * fmin(1, (double)f->job.design->threads / (double)(job->groups - group));
}

/* A limit that nobody asked for: where it comes to that another solver should have its turn. */
static int64_t lane_epochs(const hsp_rules *rules) {
    enum { PATIENCE = 300 };
    bool own = !rules->epochs_given && (rules->next || rules->spare[0]);
    return own && rules->max_epochs > PATIENCE ? PATIENCE : rules->max_epochs;
}

static void run_group(void *ctx, int64_t group) {
    lanes_job *job = ctx;
    hsp_fit *f = job->f;
    int64_t n = f->job.design->n, first = job->count * group / job->groups, end = job->count * (group + 1) / job->groups;
    hsp_lane lanes[HSP_LANES];
    if (hsp_relay_stopped(job->relay)) return;
    double *y = hsp_alloc((end - first) * n, sizeof *y);
    if (!y) {
        job->status[group] = hsp_fail_memory(&job->errors[group]);
        return;
    }
    for (int64_t t = first; t < end; t++) {
        int64_t k = job->run[t];
        hsp_fit_targets(f, k, y + (t - first) * n);
        lanes[t - first] = (hsp_lane){.id = k,
                                      .y = y + (t - first) * n,
                                      .c = f->rows.c,
                                      .C = job->p->C,
                                      .point = job->points + k,
                                      .out = &f->out.results[k].outcome};
    }
    hsp_lanes_rules rules = {.loss = f->form.loss,
                             .tol = fmax(f->form.rules.tol, FINISH),
                             .max_epochs = lane_epochs(&f->form.rules),
                             .deadline = deadline(job, group),
                             .seed = f->form.rules.seed + ((uint64_t)job->run[first] << 32),
                             .least = job->groups > 1 ? 2 : 0, /* they go on together */
                             .look = look,
                             .ctx = job};
    job->status[group] = hsp_lanes_run(job->R, &rules, lanes, end - first, &job->errors[group]);
    for (int64_t t = first; t < end; t++) job->lonely[job->run[t]] = lanes[t - first].lonely;
    hsp_free(y);
}

/* All groups of one round. */
static int run_round(lanes_job *job, hsp_error **err) {
    job->groups = (job->count + HSP_LANES - 1) / HSP_LANES;
    job->status = hsp_alloc_zero(job->groups, sizeof *job->status);
    job->errors = hsp_alloc_zero(job->groups, sizeof *job->errors);
    int status = job->status && job->errors ? HSP_OK : hsp_fail_memory(err);
    if (!status) hsp_fit_share(job->groups, job->f->job.design->threads, run_group, job);
    for (int64_t g = 0; !status && g < job->groups; g++) {
        status = job->status[g];
        if (status) hsp_error_pass(err, job->errors[g]);
        if (status) job->errors[g] = NULL;
    }
    for (int64_t g = 0; job->errors && g < job->groups; g++) hsp_error_free(job->errors[g]);
    hsp_free(job->status);
    hsp_free(job->errors);
    return status;
}

/* The start of output k: no weights, and what that costs. */
static int begin_output(lanes_job *job, hsp_problem *p, int64_t k, hsp_error **err) {
    hsp_fit *f = job->f;
    hsp_outcome *o = &f->out.results[k].outcome;
    hsp_point *point = job->points + k;
    int64_t n = f->job.design->n, d = f->job.design->d;
    *point = (hsp_point){.outputs = 1, .d = d, .n = n, .w = f->out.w + k * d, .b = f->out.b + k};
    hsp_run_start(p, &f->form.rules, k, point);
    int status = hsp_point_add_alpha(point, n, err);
    if (status) return status;
    memset(p->scores, 0, (size_t)n * sizeof *p->scores);
    hsp_fit_targets(f, k, p->y);
    *o = (hsp_outcome){.dual_bound = NAN, .gap = NAN, .stage_count = 1};
    o->stages[0] = (hsp_stage){"lanes", 0, NAN, 0};
    o->start = o->end = hsp_problem_evaluate_scores(p, point->w, point->b);
    look(job, &(hsp_lane){.id = k, .out = o}, o->start);
    return HSP_OK;
}

/* No weights at all are better than those of a run that was cut short. */
static void prefer_start(hsp_point *point, hsp_outcome *o) {
    if (!(o->end.objective > o->start.objective)) return;
    memset(point->w, 0, (size_t)point->d * sizeof *point->w);
    point->b[0] = 0;
    o->end = o->start;
    o->at_start = true;
    o->gap = hsp_relative_gap(o->end.objective, o->dual_bound);
}

/* Keeps what has ended. Those that may go on in lanes stay in the list, the others are marked in `left`. */
static int settle(lanes_job *job, bool *left, hsp_error **err) {
    hsp_fit *f = job->f;
    int64_t more = 0;
    int status = HSP_OK;
    for (int64_t t = 0; !status && t < job->count; t++) {
        int64_t k = job->run[t];
        hsp_outcome *o = &f->out.results[k].outcome;
        if (hsp_relay_stopped(job->relay) && !o->stop) o->stop = "cancelled";
        bool cut = lane_epochs(&f->form.rules) != f->form.rules.max_epochs;
        bool late = o->stop && strcmp(o->stop, "max-epochs") == 0 && cut;
        left[k] = !o->stop || late;
        if (left[k]) {
            if (job->lonely[k] && !late) job->run[more++] = k;
            continue;
        }
        if (strcmp(o->stop, "cancelled") == 0) hsp_relay_stop(job->relay);
        prefer_start(job->points + k, o);
        status = hsp_fit_dual_keep(f, job->p, job->points + k, k, err);
        hsp_relay_end(job->relay, k);
    }
    /* Another round only where it needs fewer groups. */
    bool fewer = (more + HSP_LANES - 1) / HSP_LANES < job->groups;
    job->count = fewer ? more : 0;
    return status;
}

int hsp_fit_run_lanes(hsp_fit *f, hsp_problem *p, hsp_relay *relay, int64_t *todo, int64_t *count, hsp_point *points,
                      hsp_error **err) {
    hsp_lanes_rows *R = NULL;
    lanes_job job = {.f = f, .p = p, .relay = relay, .count = *count, .points = points};
    job.run = hsp_alloc(*count, sizeof *job.run);
    job.lonely = hsp_alloc_zero(2 * f->out.outputs, sizeof *job.lonely);
    bool *left = job.lonely ? job.lonely + f->out.outputs : NULL;
    int status = job.run && left ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_lanes_rows_new(f->job.design, f->rows.c, p->intercept, f->form.rules.seed, &R, err);
    if (!R) job.count = 0;
    job.R = R;
    for (int64_t t = 0; !status && t < job.count; t++) {
        job.run[t] = todo[t];
        status = begin_output(&job, p, todo[t], err);
    }
    while (!status && job.count > 0) {
        status = run_round(&job, err);
        if (!status) status = settle(&job, left, err);
    }
    if (R) *count = 0;
    for (int64_t k = 0; R && !status && k < f->out.outputs; k++)
        if (left[k]) todo[(*count)++] = k;
    hsp_free(job.run);
    hsp_free(job.lonely);
    hsp_lanes_rows_free(R);
    return status;
}
