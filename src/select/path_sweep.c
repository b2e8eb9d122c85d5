#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "classifier/classifier.h"
#include "design/design.h"
#include "fit/fit.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "select/path.h"
#include "select/path_columns.h"
#include "solve/loop/choose.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/prox/prox_path.h"

#include <math.h>
#include <string.h>

/* ---- points ---- */

int hsp_path_points_new(int64_t capacity, int64_t d, hsp_path_points *out, hsp_error **err) {
    *out = (hsp_path_points){.capacity = capacity, .d = d};
    bool room = HSP_ALLOC_DOUBLES(capacity, &out->lambda, &out->objective, &out->gap, &out->intercept) &&
                HSP_ALLOC_ZERO(out->start, capacity + 1);
    return room ? HSP_OK : hsp_fail_memory(err);
}

void hsp_path_points_clear(hsp_path_points *p) {
    HSP_FREE(p->lambda, p->objective, p->gap, p->intercept, p->start, p->column, p->value);
    *p = (hsp_path_points){0};
}

void hsp_path_points_weights(const hsp_path_points *p, int64_t i, double *w) {
    memset(w, 0, (size_t)p->d * sizeof *w);
    for (int64_t t = p->start[i]; t < p->start[i + 1]; t++) w[p->column[t]] = p->value[t];
}

/* Adds the point w, b of the design, in the units of the original columns. */
static int add_point(hsp_path_points *p, const hsp_design *D, const hsp_path_end *end, double lambda, const double *w,
                     double b, hsp_error **err) {
    int64_t i = p->count, count = 0;
    for (int64_t j = 0; j < p->d; j++) count += w[j] != 0;
    if (p->stored + count > p->room) {
        int64_t room = 2 * p->room + count;
        double *value = hsp_resize(p->value, room, sizeof *value);
        if (value) p->value = value;
        int64_t *column = hsp_resize(p->column, room, sizeof *column);
        if (column) p->column = column;
        if (!value || !column) return hsp_fail_memory(err);
        p->room = room;
    }
    for (int64_t j = 0; j < p->d; j++) {
        if (w[j] == 0) continue;
        double v = D->factor ? w[j] * D->factor[j] : w[j];
        if (D->shift) b -= D->shift[j] * v;
        p->column[p->stored] = j;
        p->value[p->stored++] = v;
    }
    p->lambda[i] = lambda;
    p->objective[i] = end->at.objective;
    p->gap[i] = end->gap;
    p->intercept[i] = b;
    p->start[i + 1] = p->stored;
    p->count++;
    return HSP_OK;
}

/* ---- one lambda ---- */

/* What solves the problem at one lambda after another. */
typedef struct runner {
    hsp_problem *p; /* borrowed */
    hsp_rules rules;
    hsp_narrow some;     /* the columns that the path needs; without a design: all */
    hsp_problem *own;    /* owned: the problem in these columns, or NULL */
    hsp_prox_path *prox; /* NULL: the solvers of L2 penalties, one run at a time */
    hsp_point *point;    /* the last optimum, with its multipliers */
} runner;

/* An L2 penalty: the cheapest solver, started at the last weights and multipliers. */
static int run_alone(runner *r, double lambda, double deadline, hsp_path_end *end, hsp_error **err) {
    hsp_prox_path_pose(r->p, lambda);
    hsp_facts facts = hsp_facts_of(r->p->design, r->p->loss, r->p->C, r->rules.tol);
    hsp_solver_choice choice = hsp_choose(&facts);
    hsp_rules rules = r->rules;
    rules.next = choice.next;
    for (int k = 0; k < HSP_MOST_FALLBACKS; k++) rules.fallback[k] = choice.fallback[k];
    rules.start = HSP_START_MODEL;
    rules.max_seconds = isfinite(deadline) ? fmax(deadline - hsp_clock_seconds(), 0) : -1;
    hsp_outcome o = {.stop = HSP_STOP_NONE};
    int status = hsp_run(choice.first, r->p, &rules, (hsp_run_place){0, 1, NULL}, NULL, r->point, &o, err);
    *end = (hsp_path_end){.at = o.end, .bound = o.dual_bound, .gap = o.gap, .stop = o.stop};
    return status;
}

static int solve_at(runner *r, double lambda, double deadline, hsp_path_end *end, hsp_error **err) {
    if (!r->prox) return run_alone(r, lambda, deadline, end, err);
    int status = hsp_prox_path_solve(r->prox, lambda, deadline, end, err);
    if (!status) hsp_prox_path_point(r->prox, r->point->w, r->point->b);
    if (status || !r->own) return status;
    /* From the columns of the path to all: backwards, as no column moves down. */
    double *w = r->point->w;
    for (int64_t a = r->some.count, j = r->p->design->d; j-- > 0;) w[j] = a > 0 && r->some.column[a - 1] == j ? w[--a] : 0;
    return HSP_OK;
}

/* ---- the sweep ---- */

/* The problem in the columns that the path needs, if some can be left out. */
static int narrow_problem(runner *r, const hsp_problem *p, hsp_error **err) {
    int status = hsp_path_columns(p, &r->some, err);
    if (status || !r->some.design) return status;
    const hsp_problem_spec spec = {.loss = p->loss,
                                   .penalty = p->penalty,
                                   .intercept = p->intercept,
                                   .kink = p->kink,
                                   .C = NAN,
                                   .lambda = p->lambda,
                                   .l1_ratio = p->rho,
                                   .c = p->c,
                                   .regression = p->regression};
    status = hsp_problem_new(r->some.design, &spec, &r->own, err);
    if (!status) memcpy(r->own->y, p->y, (size_t)p->design->n * sizeof *p->y);
    return status;
}

static int open_runner(runner *r, hsp_path_sweep *w, hsp_fit *f, hsp_problem *p, hsp_error **err) {
    r->p = p;
    r->rules = f->form.rules;
    r->rules.tol = w->tol;
    r->rules.tol_given = true;
    int status = hsp_point_new(1, p->design->d, &r->point, err);
    if (!status && hsp_prox_path_suits(p)) {
        hsp_prox_path_pose(p, w->lambda[w->count - 1]);
        if (p->rho > 0) status = narrow_problem(r, p, err);
        if (!status) status = hsp_prox_path_new(r->own ? r->own : p, &r->rules, &r->prox, err);
    } else if (!status) {
        status = hsp_point_add_alpha(r->point, p->design->n, err);
    }
    return status;
}

static void close_runner(runner *r) {
    hsp_prox_path_free(r->prox);
    hsp_problem_free(r->own);
    hsp_narrow_clear(&r->some);
    hsp_point_free(r->point);
}

/* Whether the run at a lambda was stopped before its tolerance: then its point does not count. */
static bool is_unfinished(hsp_path_sweep *w, const hsp_path_end *end) {
    w->interrupted |= end->stop == HSP_STOP_CANCELLED;
    w->late |= end->stop == HSP_STOP_MAX_SECONDS;
    return w->interrupted || w->late;
}

int hsp_path_solve(hsp_path_sweep *w, hsp_fit *f, hsp_problem *p, hsp_error **err) {
    runner r = {0};
    int status = w->lambda ? HSP_OK : hsp_path_grid(p, f->job.options, &w->chosen, &w->count, err);
    if (!w->lambda) w->lambda = w->chosen;
    if (!status) status = hsp_path_points_new(w->count, p->design->d, &w->points, err);
    if (!status) status = open_runner(&r, w, f, p, err);
    for (int64_t i = 0; !status && i < w->count; i++) {
        hsp_path_end end;
        status = solve_at(&r, w->lambda[i], w->deadline, &end, err);
        if (!status && end.stop == HSP_STOP_DIVERGED)
            status =
                hsp_fail(err, HSP_EINPUT,
                         "the values are too large or too small to compute with: use other units, or --scale standard");
        if (status || is_unfinished(w, &end)) break;
        status = add_point(&w->points, p->design, &end, w->lambda[i], r.point->w, r.point->b[0], err);
        if (!status && w->after && w->after(w->ctx, &w->points)) {
            w->interrupted = true;
            break;
        }
    }
    if (!status) {
        memcpy(f->out.w, r.point->w, (size_t)p->design->d * sizeof *f->out.w);
        f->out.b[0] = r.point->b[0];
    }
    close_runner(&r);
    return status;
}

int hsp_path_sweep_run(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_path_sweep *w,
                       hsp_model **model, hsp_error **err) {
    int status = hsp_train_special(data, o, hooks, &hsp_classifier_path, w, model, err);
    if (w->interrupted) hsp_cancel_take();
    return status;
}

void hsp_path_sweep_clear(hsp_path_sweep *w) {
    hsp_path_points_clear(&w->points);
    hsp_free(w->chosen);
    w->chosen = NULL;
}
