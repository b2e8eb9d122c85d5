#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "classifier/classifier.h"
#include "design/design.h"
#include "design/narrow.h"
#include "fit/fit.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "select/path.h"
#include "select/path_between.h"
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

/* Weights of some columns of a design, ascending; column NULL: of the first. The others are 0. */
typedef struct some_weights {
    const double *w;
    const int64_t *column;
    int64_t count;
} some_weights;

/* Adds the point s, b of the design, in the units of the original columns. */
static int add_point(hsp_path_points *p, const hsp_design *D, const hsp_path_end *end, double lambda, some_weights s,
                     double b, hsp_error **err) {
    int64_t i = p->count, count = 0;
    for (int64_t a = 0; a < s.count; a++) count += s.w[a] != 0;
    if (p->stored + count > p->room) {
        int64_t room = 2 * p->room + count;
        double *value = hsp_resize(p->value, room, sizeof *value);
        if (value) p->value = value;
        int64_t *column = hsp_resize(p->column, room, sizeof *column);
        if (column) p->column = column;
        if (!value || !column) return hsp_fail_memory(err);
        p->room = room;
    }
    for (int64_t a = 0; a < s.count; a++) {
        if (s.w[a] == 0) continue;
        int64_t j = s.column ? s.column[a] : a;
        double v = D->factor ? s.w[a] * D->factor[j] : s.w[a];
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

/* ---- between solved points ---- */

enum { MOST_APART = 16 }; /* values of lambda from one that is solved to the next */

/* The points from the last that was added on, by their distance from it: 0 is that point. */
typedef struct stretch {
    hsp_path_anchor anchor[MOST_APART + 1], ahead; /* ahead: scratch */
    bool done[MOST_APART + 1];
} stretch;

static int solve_anchor(runner *r, hsp_path_sweep *w, double lambda, hsp_path_anchor *a, hsp_error **err) {
    hsp_path_end end;
    int status = hsp_prox_path_solve(r->prox, lambda, w->deadline, &end, err);
    if (!status) hsp_path_anchor_set(a, r->prox, r->own ? r->own : r->p, &end);
    return status;
}

/* Fills the points between two that are done: by interpolation, or by solving the one in the middle. */
static int fill_between(runner *r, hsp_path_sweep *w, stretch *s, int64_t first, int64_t a, int64_t b, bool *solved,
                        hsp_error **err) {
    hsp_problem *p = r->own ? r->own : r->p;
    int64_t middle = (a + b) / 2;
    if (b - a < 2) return HSP_OK;
    hsp_prox_path_pose(p, w->lambda[first + middle]);
    bool near = hsp_path_between(&s->anchor[a], &s->anchor[b], p, r->rules.tol, &s->anchor[middle]), all = near;
    for (int64_t k = a + 1; k < b && all; k++) {
        if (k == middle) continue;
        hsp_prox_path_pose(p, w->lambda[first + k]);
        all = hsp_path_between(&s->anchor[a], &s->anchor[b], p, r->rules.tol, &s->anchor[k]);
    }
    for (int64_t k = a + 1; k < b; k++) s->done[k] = all || (k == middle && near);
    if (all) return HSP_OK;
    *solved = true;
    if (near) {
        int status = fill_between(r, w, s, first, a, middle, solved, err);
        return status ? status : fill_between(r, w, s, first, middle, b, solved, err);
    }
    hsp_prox_path_pose(p, w->lambda[first + middle]);
    if (s->anchor[middle].known) /* the point that was not good enough is near */
        hsp_prox_path_start(r->prox, s->anchor[middle].w, s->anchor[middle].b, s->anchor[middle].scores);
    int status = solve_anchor(r, w, w->lambda[first + middle], &s->anchor[middle], err);
    s->done[middle] = !status && s->anchor[middle].end.stop != HSP_STOP_CANCELLED;
    if (status || !s->done[middle] || s->anchor[middle].end.stop == HSP_STOP_MAX_SECONDS) return status;
    status = fill_between(r, w, s, first, a, middle, solved, err);
    return status ? status : fill_between(r, w, s, first, middle, b, solved, err);
}

static some_weights weights_of(const runner *r, const double *w) {
    return r->own ? (some_weights){w, r->some.column, r->some.count} : (some_weights){w, NULL, r->p->design->d};
}

/* The point of the runner, from the columns of the path. */
static void spread_weights(const runner *r, const hsp_path_anchor *a) {
    some_weights s = weights_of(r, a->w);
    memset(r->point->w, 0, (size_t)r->p->design->d * sizeof *r->point->w);
    for (int64_t k = 0; k < s.count; k++) r->point->w[s.column ? s.column[k] : k] = s.w[k];
    r->point->b[0] = a->b;
}

/* Adds points 1 to `far`; *over: stop. */
static int add_stretch(runner *r, hsp_path_sweep *w, const stretch *s, int64_t first, int64_t far, bool *over,
                       hsp_error **err) {
    int status = HSP_OK;
    const hsp_path_anchor *last = NULL;
    for (int64_t k = first < 0 ? 0 : 1; !status && k <= far && !*over; k++) {
        const hsp_path_anchor *a = &s->anchor[k];
        if (!s->done[k] || is_unfinished(w, &a->end)) {
            *over = true;
            break;
        }
        if (a->end.stop == HSP_STOP_DIVERGED)
            return hsp_fail(err, HSP_EINPUT,
                            "the values are too large or too small to compute with: use other units, or --scale standard");
        status = add_point(&w->points, r->p->design, &a->end, a->lambda, weights_of(r, a->w), a->b, err);
        last = a;
        if (!status && w->after && w->after(w->ctx, &w->points)) *over = w->interrupted = true;
    }
    if (last) spread_weights(r, last);
    return status;
}

/* Solves every so many values of lambda, and fills the others in: the distance grows as long as that succeeds. */
static int sweep_prox(runner *r, hsp_path_sweep *w, hsp_error **err) {
    hsp_problem *p = r->own ? r->own : r->p;
    stretch s = {0};
    int64_t at = 0, apart = 1, before = -1; /* before: the anchor of the point before the last that was added */
    bool over = false;
    int status = HSP_OK;
    for (int k = 0; !status && k <= MOST_APART; k++) status = hsp_path_anchor_new(p, &s.anchor[k], err);
    if (!status) status = hsp_path_anchor_new(p, &s.ahead, err);
    if (!status) status = solve_anchor(r, w, w->lambda[0], &s.anchor[0], err);
    s.done[0] = true;
    if (!status) status = add_stretch(r, w, &s, -1, 0, &over, err);
    while (!status && !over && at + 1 < w->count) {
        int64_t far = at + apart < w->count ? apart : w->count - 1 - at;
        bool solved = false;
        for (int64_t k = 1; k <= far; k++) s.done[k] = false;
        hsp_prox_path_pose(p, w->lambda[at + far]);
        bool ahead = before >= 0 && hsp_path_beyond(&s.anchor[before], &s.anchor[0], p, &s.ahead);
        const hsp_path_anchor *start = ahead ? &s.ahead : &s.anchor[0];
        if (start->known || ahead) hsp_prox_path_start(r->prox, start->w, start->b, start->scores);
        status = solve_anchor(r, w, w->lambda[at + far], &s.anchor[far], err);
        s.done[far] = true;
        bool stopped = s.anchor[far].end.stop == HSP_STOP_CANCELLED || s.anchor[far].end.stop == HSP_STOP_MAX_SECONDS;
        if (!status && !stopped) status = fill_between(r, w, &s, at, 0, far, &solved, err);
        if (!status) status = add_stretch(r, w, &s, at, far, &over, err);
        hsp_path_anchor last = s.anchor[far];
        s.anchor[far] = s.anchor[0];
        s.anchor[0] = last;
        before = far > 1 ? far - 1 : far;
        at += far;
        apart = solved ? (apart > 1 ? apart / 2 : 1) : apart < MOST_APART && p->rho == 1 ? 2 * apart : apart;
    }
    for (int k = 0; k <= MOST_APART; k++) hsp_path_anchor_clear(&s.anchor[k]);
    hsp_path_anchor_clear(&s.ahead);
    return status;
}

/* ---- the sweep ---- */

static int sweep_alone(runner *r, hsp_path_sweep *w, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; !status && i < w->count; i++) {
        hsp_path_end end;
        status = run_alone(r, w->lambda[i], w->deadline, &end, err);
        if (!status && end.stop == HSP_STOP_DIVERGED)
            status =
                hsp_fail(err, HSP_EINPUT,
                         "the values are too large or too small to compute with: use other units, or --scale standard");
        if (status || is_unfinished(w, &end)) break;
        some_weights all = {r->point->w, NULL, r->p->design->d};
        status = add_point(&w->points, r->p->design, &end, w->lambda[i], all, r->point->b[0], err);
        if (!status && w->after && w->after(w->ctx, &w->points)) {
            w->interrupted = true;
            break;
        }
    }
    return status;
}

int hsp_path_solve(hsp_path_sweep *w, hsp_fit *f, hsp_problem *p, hsp_error **err) {
    runner r = {0};
    int status = w->lambda ? HSP_OK : hsp_path_grid(p, f->job.options, &w->chosen, &w->count, err);
    if (!w->lambda) w->lambda = w->chosen;
    if (!status) status = hsp_path_points_new(w->count, p->design->d, &w->points, err);
    if (!status) status = open_runner(&r, w, f, p, err);
    if (!status) status = r.prox ? sweep_prox(&r, w, err) : sweep_alone(&r, w, err);
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
