/* Batch (sub)gradient descent: one step an epoch,
 *
 *     w <- soft(w - eta grad, eta lambda rho),    b <- b - eta grad_b,
 *
 * where grad is that of the mean loss and the L2 part. With the schedule line-search eta is halved until the step falls
 * below the quadratic model  F(w) + grad.D + |D|^2 / (2 eta)  and is tried doubled the next time (Beck and Teboulle 2009,
 * the plain proximal gradient method with backtracking). */
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "penalty/penalty.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>

enum { MOST_HALVINGS = 60 };
/* The gradient counts as vanished at this share of its first length. */
static const double SMALL_GRADIENT = 1e-7;

typedef struct gradient {
    hsp_problem *p;
    const hsp_rules *rules;
    double *w, *next, *gw, *sum; /* owned; sum: NULL unless the average is kept */
    double b, next_b, gb, sum_b;
    double eta;   /* line search: the step to try next */
    double first; /* length of the first gradient */
    int64_t k, counted;
} gradient;

static int init_gradient(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    gradient *s = vs;
    int64_t d = p->design->d;
    s->p = p;
    s->rules = rules;
    s->eta = rules->rate;
    s->first = -1;
    if (!HSP_ALLOC_DOUBLES(d, &s->w, &s->next, &s->gw) ||
        !HSP_ALLOC_DOUBLES(rules->keep == HSP_KEEP_AVERAGE ? d : -1, &s->sum))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) s->w[j] = start->w[j];
    s->b = start->b[0];
    return HSP_OK;
}

static void free_gradient(void *vs) {
    gradient *s = vs;
    HSP_FREE(s->w, s->next, s->gw, s->sum);
}

static void resume_gradient(void *vs, const hsp_counters *from) {
    gradient *s = vs;
    s->k = from->updates;
    if (from->step > 0) s->eta = from->step;
}

static void leave_gradient(const void *vs, hsp_counters *to) {
    const gradient *s = vs;
    to->step = s->eta;
}

/* next = the point after a step of size eta; *slope and *square = grad.D and |D|^2 of the move D. */
static void propose_step(gradient *s, double eta, double *slope, double *square) {
    const hsp_problem *p = s->p;
    double t = eta * p->lambda * p->rho, dot = 0, norm = 0;
    for (int64_t j = 0; j < p->design->d; j++) {
        double v = s->w[j] - eta * s->gw[j];
        s->next[j] = t > 0 ? hsp_soft(v, t) : v;
        double D = s->next[j] - s->w[j];
        dot += s->gw[j] * D;
        norm += D * D;
    }
    double D = -eta * s->gb;
    s->next_b = s->b + D;
    *slope = dot + s->gb * D;
    *square = norm + D * D;
}

/* The L1 part of F, which the quadratic model leaves out. */
static double l1_part(const hsp_problem *p, const double *w) {
    return p->rho > 0 && p->lambda > 0 ? p->lambda * p->rho * hsp_penalty_value(w, p->design->d, 1) : 0;
}

/* Finds a step by backtracking from s->eta and leaves it in next. False: none makes progress, or the budget is out. */
static bool search_step(gradient *s, double F, hsp_budget *budget, double *square) {
    hsp_problem *p = s->p;
    double smooth = F - l1_part(p, s->w), slope;
    for (int t = 0; t < MOST_HALVINGS; t++, s->eta /= 2) {
        propose_step(s, s->eta, &slope, square);
        hsp_evaluation e = hsp_problem_evaluate(p, s->next, &s->next_b);
        budget->steps += p->design->n;
        double reached = hsp_problem_mean(p, e.objective) - l1_part(p, s->next);
        if (reached <= smooth + slope + *square / (2 * s->eta)) return true;
        if (hsp_budget_out(budget)) return false;
    }
    return false;
}

static void accept_step(gradient *s) {
    double *old = s->w;
    s->w = s->next;
    s->next = old;
    s->b = s->next_b;
    s->k++;
    if (s->sum) {
        hsp_axpy_f64(1, s->w, s->sum, s->p->design->d);
        s->sum_b += s->b;
        s->counted++;
    }
}

/* A step that changes nothing may have been halved too often; one of the first length decides. */
static bool stationary(gradient *s) {
    double slope, square;
    propose_step(s, s->rules->schedule == HSP_SCHEDULE_PEGASOS ? 1 : s->rules->rate, &slope, &square);
    return square == 0;
}

static hsp_step step_gradient(void *vs, hsp_budget *budget) {
    gradient *s = vs;
    hsp_problem *p = s->p;
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    hsp_evaluation at = hsp_problem_gradient(p, s->w, &s->b, s->gw, &s->gb);
    double F = hsp_problem_mean(p, at.objective);
    budget->steps += p->design->n;
    bool searching = s->rules->schedule == HSP_SCHEDULE_LINE_SEARCH;
    double eta = searching ? s->eta : hsp_schedule_rate(s->rules, p->lambda, s->k), slope, square;
    if (searching) {
        if (!search_step(s, F, budget, &square)) return budget->out ? HSP_STEP_MORE : HSP_STEP_STALLED;
        eta = s->eta;
        s->eta *= 2;
    } else {
        propose_step(s, eta, &slope, &square);
    }
    double length = sqrt(square) / eta; /* of the gradient, or of the gradient mapping with L1 */
    if (!isfinite(length)) return HSP_STEP_FAILED;
    if (s->first < 0) s->first = length;
    if (length > 0) {
        accept_step(s);
        budget->updates++;
        budget->change = (hsp_change){.row = -1, .loss = at.mean_loss, .step = eta};
    }
    if (length == 0) return stationary(s) ? HSP_STEP_DONE : HSP_STEP_STALLED;
    return (p->loss->traits & HSP_LOSS_SMOOTH) && length <= SMALL_GRADIENT * s->first ? HSP_STEP_DONE : HSP_STEP_MORE;
}

static bool export_gradient(void *vs, hsp_which which, hsp_point *out) {
    gradient *s = vs;
    if (which == HSP_POINT_CANDIDATE) return false;
    bool average = which == HSP_POINT_AVERAGE && s->counted > 0;
    for (int64_t j = 0; j < s->p->design->d; j++) out->w[j] = average ? s->sum[j] / (double)s->counted : s->w[j];
    out->b[0] = average ? s->sum_b / (double)s->counted : s->b;
    return true;
}

static bool peek_gradient(const void *vs, double *w, double *b) {
    const gradient *s = vs;
    for (int64_t j = 0; j < s->p->design->d; j++) w[j] = s->w[j];
    *b = s->b;
    return true;
}

const hsp_solver hsp_solver_gradient = {.name = "gradient",
                                        .help = "(sub)gradient descent on all rows, with optional line search; mlp: "
                                                "plain steps on all rows, or on batches",
                                        .done = HSP_STOP_GRADIENT,
                                        .needs = HSP_LOSS_SLOPE,
                                        .searches = true,
                                        .state_size = sizeof(gradient),
                                        .init = init_gradient,
                                        .step = step_gradient,
                                        .export = export_gradient,
                                        .peek = peek_gradient,
                                        .on = {resume_gradient, leave_gradient},
                                        .free = free_gradient};
