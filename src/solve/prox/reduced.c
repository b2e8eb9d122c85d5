/* Working sets as in Massias, Gramfort and Salmon 2018, "Celer"; on a path also the columns that are about to enter, from the
 * last two gradients. The columns that are in are copied side by side, so that the Hessian of their weights is one product of
 * dense tiles, or of few sparse pairs, and coordinate descent in it costs nothing beside that. */
#include "solve/prox/reduced.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/gradient_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_NEW = 100, MOST_NEW = 500, FEW = 5, MOST_COLUMNS = 2500, MOST_INNER = 30 };
static const double PACE = 5; /* the threshold decreases by this factor from stage to stage */
static const double SOON =
    0.85; /* on a path, columns with gradients above this share of the threshold come in with others */
static const double ROUGH = 0.05;  /* of the gap: how accurately a problem is solved that lacks columns */
static const double FINE = 0.5;    /* of the tolerance: how accurately the last one is */
static const double SMALL = 1e-10; /* violations count as gone at this share of the first */

/* ---- memory ---- */

/* Dense rows: coordinate descent by columns would need a copy of them all, and a matrix of all columns n d^2 products. */
bool hsp_reduced_suits(const hsp_problem *p, bool path) {
    const hsp_matrix *x = p->design->x;
    bool smooth = (p->loss->traits & HSP_LOSS_SMOOTH) && (p->loss->traits & HSP_LOSS_CURVED);
    if (p->outputs > 1 || !(p->rho > 0) || !smooth || !hsp_problem_has_dual(p)) return false;
    if (p->intercept == HSP_INTERCEPT_PENALISED) return false;
    return p->design->d > (path ? 200 : 64) && (x->dense || path);
}

int hsp_reduced_init(hsp_prox *s, hsp_error **err) {
    hsp_reduced *r = s->reduced = hsp_alloc_zero(1, sizeof *r);
    if (!r) return hsp_fail_memory(err);
    r->rules = *s->rules;
    if (!HSP_ALLOC(r->wanted, s->d) || !HSP_ALLOC_DOUBLES(s->d, &r->w, &r->last, &r->before)) return hsp_fail_memory(err);
    return hsp_narrow_new(s->p->design, &r->narrow, err);
}

static void close_inner(hsp_reduced *r) {
    if (r->open) hsp_prox_close(&r->inner);
    r->open = false;
    hsp_problem_free(r->problem);
    r->problem = NULL;
}

void hsp_reduced_free(hsp_reduced *r) {
    if (!r) return;
    close_inner(r);
    hsp_narrow_clear(&r->narrow);
    HSP_FREE(r->wanted, r->w, r->last, r->before, r);
}

/* ---- the choice ---- */

static int ascending(const void *a, const void *b) {
    int64_t u = *(const int64_t *)a, v = *(const int64_t *)b;
    return (u > v) - (u < v);
}

/* What |g_j| is expected to be at the present lambda: on a path gradients move steadily. */
static double expected(const hsp_prox *s, int64_t j) {
    double g = s->at.gw[j], before = s->reduced->before[j];
    return s->reduced->follows ? fmax(fabs(g), fabs(2 * g - before)) : fabs(g);
}

typedef struct entering {
    double size;
    int64_t column;
} entering;

static int by_size(const void *a, const void *b) {
    const entering *u = a, *v = b;
    if (u->size != v->size) return u->size > v->size ? -1 : 1;
    return (u->column > v->column) - (u->column < v->column);
}

/* Lists in `wanted` the columns with a weight and the `most` others with the largest gradients above the threshold. */
static int64_t list_wanted(hsp_prox *s, double threshold, int64_t most, entering *some) {
    hsp_reduced *r = s->reduced;
    int64_t count = 0, others = 0;
    for (int64_t j = 0; j < s->d; j++) {
        double size = expected(s, j);
        if (s->at.w[j] != 0)
            r->wanted[count++] = j;
        else if (size > threshold)
            some[others++] = (entering){size, j};
    }
    if (others > most) qsort(some, (size_t)others, sizeof *some, by_size);
    for (int64_t a = 0; a < others && a < most; a++) r->wanted[count++] = some[a].column;
    return count;
}

static bool all_are_in(const hsp_reduced *r, int64_t count) {
    for (int64_t a = 0; a < count; a++)
        if (r->narrow.place[r->wanted[a]] < 0) return false;
    return true;
}

/* The problem in the wanted columns, started at the present point. */
static int open_inner(hsp_prox *s, int64_t count, hsp_error **err) {
    hsp_reduced *r = s->reduced;
    const hsp_problem *p = s->p;
    close_inner(r);
    qsort(r->wanted, (size_t)count, sizeof *r->wanted, ascending);
    int status = hsp_narrow_choose(&r->narrow, r->wanted, count, err);
    const hsp_problem_spec spec = {.loss = p->loss,
                                   .penalty = p->penalty,
                                   .intercept = p->intercept,
                                   .kink = p->kink,
                                   .C = NAN,
                                   .lambda = p->lambda,
                                   .l1_ratio = p->rho,
                                   .c = p->c,
                                   .outputs = 1,
                                   .regression = p->regression};
    if (!status) status = hsp_problem_new(r->narrow.design, &spec, &r->problem, err);
    if (status) return status;
    memcpy(r->problem->y, p->y, (size_t)s->n * sizeof *p->y);
    for (int64_t a = 0; a < count; a++) r->w[a] = s->at.w[r->narrow.column[a]];
    r->open = true;
    return hsp_prox_open(&r->inner, r->problem, &r->rules, HSP_PROX_MATRIX, r->w, s->at.b, err);
}

/* Chooses the columns. *changed: others are in than before. *none, *many: there are none to choose, or too many. */
static int choose_columns(hsp_prox *s, bool *changed, bool *none, bool *many) {
    hsp_reduced *r = s->reduced;
    int64_t held = 0;
    for (int64_t j = 0; j < s->d; j++) held += s->at.w[j] != 0;
    int64_t most = s->d / FEW > LEAST_NEW ? s->d / FEW : LEAST_NEW;
    if (most > MOST_NEW) most = MOST_NEW;
    if (most < 2 * held) most = 2 * held;
    entering *some = hsp_alloc(s->d, sizeof *some);
    if (!some) return HSP_EMEMORY;
    int64_t count = list_wanted(s, s->t, most, some);
    *changed = !r->open || !all_are_in(r, count);
    int status = HSP_OK;
    if (*changed && count > 0) {
        if (r->lambdas > 0) count = list_wanted(s, SOON * s->t, most, some);
        *many = count > MOST_COLUMNS;
        if (!*many) status = open_inner(s, count, NULL);
    }
    *none = count == 0;
    hsp_free(some);
    return status;
}

void hsp_reduced_relax(hsp_prox *s) {
    hsp_reduced *r = s->reduced;
    double *free = r->before;
    r->before = r->last;
    r->last = free;
    memcpy(r->last, s->at.gw, (size_t)s->d * sizeof *r->last);
    r->follows = r->lambdas++ > 0;
}

/* ---- the point ---- */

/* Gradient, figures and bound at at.w and the scores of the problem, which must be those of at.w. */
static void measure(hsp_prox *s) {
    hsp_problem *p = s->p;
    hsp_prox_point *at = &s->at;
    hsp_prox_tune_intercepts(s);
    hsp_problem_adjoint(p, p->slopes, at->gw);
    hsp_axpy_f64(s->ridge, at->w, at->gw, s->d);
    at->violated = hsp_prox_largest_violation(s);
    at->measured.at = hsp_problem_evaluate_scores(p, at->w, s->d, at->b);
    at->measured.bound = hsp_problem_bound_of_gradient(p, at->w, at->gw, s->d, s->rows.c, at->alpha, s->move.trial);
    at->ready = true;
}

/* The multipliers of the inner model are closer to the optimum than the slopes: worth a pass if that ends the run. */
static void try_inner_bound(hsp_prox *s) {
    const hsp_prox *inner = &s->reduced->inner;
    hsp_problem *p = s->p;
    double P = s->at.measured.at.objective;
    if (hsp_relative_gap(P, s->at.measured.bound) <= s->rules->tol) return;
    if (!(hsp_relative_gap(inner->at.measured.at.objective, inner->at.measured.bound) <= s->rules->tol)) return;
    double D = hsp_problem_dual_of(p, inner->at.alpha);
    if ((D > s->at.measured.bound || isnan(s->at.measured.bound)) && D <= P + 1e-12 * fabs(P)) {
        s->at.measured.bound = D;
        memcpy(s->at.alpha, p->slopes, (size_t)s->n * sizeof *s->at.alpha);
    }
    hsp_prox_slopes(s);
}

/* The inner problem has the lambda of the present stage. */
static void pass_lambda_on(hsp_prox *s) {
    hsp_problem *q = s->reduced->problem;
    double lambda = s->t == s->p->lambda * s->p->rho ? s->p->lambda : s->t / s->p->rho;
    if (q->lambda == lambda) return;
    q->lambda = lambda;
    q->C = 1 / (lambda * q->sum_c);
    q->scale = q->C * q->sum_c;
    hsp_prox_relax(&s->reduced->inner);
}

/* Far from the optimum the gradient names the wrong columns. So the threshold decreases in stages, each solved roughly: a path
 * with few values. A start near the optimum skips it. */
static void lower_threshold(hsp_prox *s, bool first) {
    double goal = s->p->lambda * s->p->rho, top = 0;
    for (int64_t j = 0; j < s->d; j++) top = fmax(top, fabs(s->at.gw[j]));
    s->t = first ? top / PACE : s->t / PACE;
    if (!(s->t > 1.5 * goal)) s->t = goal;
}

/* Newton steps in the columns that are in, until their gap is at most `goal`. */
static hsp_step solve_inner(hsp_prox *s, double goal, hsp_budget *budget) {
    hsp_reduced *r = s->reduced;
    hsp_prox *inner = &r->inner;
    hsp_step step = HSP_STEP_MORE;
    r->rules.tol = goal;
    pass_lambda_on(s);
    for (int k = 0; k < MOST_INNER && step == HSP_STEP_MORE && !budget->out; k++) {
        if (k > 0 && inner->at.ready && hsp_relative_gap(inner->at.measured.at.objective, inner->at.measured.bound) <= goal)
            break;
        step = hsp_prox_step(inner, budget);
    }
    return step;
}

static void take_inner_point(hsp_prox *s) {
    const hsp_reduced *r = s->reduced;
    for (int64_t j = 0; j < s->d; j++) s->at.w[j] = 0;
    for (int64_t a = 0; a < r->narrow.count; a++) s->at.w[r->narrow.column[a]] = r->inner.at.w[a];
    s->at.b[0] = r->inner.at.b[0];
    memcpy(s->p->scores, r->problem->scores, (size_t)s->n * sizeof *s->p->scores);
}

/* ---- the step ---- */

hsp_step hsp_reduced_step(hsp_prox *s, hsp_budget *budget, bool *many) {
    hsp_reduced *r = s->reduced;
    bool first = s->first_violation < 0, changed = false, none = false;
    if (!s->at.ready) {
        hsp_problem_scores(s->p, s->at.w, s->at.b, s->p->scores);
        measure(s);
        budget->steps += s->n;
    }
    double P = s->at.measured.at.objective, gap = hsp_relative_gap(P, s->at.measured.bound), tol = s->rules->tol;
    double violated = s->at.violated;
    if (!isfinite(violated) || !isfinite(P)) return HSP_STEP_FAILED;
    if (first) s->first_violation = violated;
    if (violated == 0) return HSP_STEP_DONE;
    if (first && gap <= tol) return HSP_STEP_MORE; /* the start is good enough */
    if (first || s->t != s->p->lambda * s->p->rho) lower_threshold(s, first);
    bool arrived = s->t == s->p->lambda * s->p->rho;
    if (choose_columns(s, &changed, &none, many)) return HSP_STEP_MEMORY;
    if (*many) return HSP_STEP_MORE;
    if (none) return arrived ? HSP_STEP_STALLED : HSP_STEP_MORE; /* the rest is rounding */
    /* With a constant curvature the model is exact, and so may be its solution. */
    double rough = (s->p->loss->traits & HSP_LOSS_ODDS) ? ROUGH : ROUGH / 1000;
    double goal = !arrived ? rough : isnan(gap) ? FINE * tol : fmax(FINE * tol, rough * fmin(gap, 1));
    hsp_step step = solve_inner(s, goal, budget);
    if (step == HSP_STEP_MEMORY || step == HSP_STEP_FAILED) return step;
    r->follows = false;
    take_inner_point(s);
    measure(s);
    if (arrived) try_inner_bound(s);
    budget->steps += s->n;
    budget->updates++;
    if (!arrived) return HSP_STEP_MORE;
    bool still = !(s->at.violated < 0.5 * s->best_violation);
    if (!still) s->best_violation = s->at.violated;
    s->idle = still && !changed ? s->idle + 1 : 0;
    if (s->idle >= 8 || (step == HSP_STEP_STALLED && !changed && s->idle > 1))
        return budget->out ? HSP_STEP_MORE : HSP_STEP_STALLED;
    return violated <= SMALL * s->first_violation ? HSP_STEP_DONE : HSP_STEP_MORE;
}
