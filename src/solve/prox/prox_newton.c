/* prox-newton: proximal Newton steps for losses with curvature and penalties with an L1 part. One step of the solver computes
 * the gradient from all rows, minimises the quadratic model of prox_newton.h (more and more accurately), and does a line
 * search on the true objective between the point and the model's minimum (Lee, Sun and Saunders 2014, "Proximal Newton-type
 * methods for minimizing composite functions"). By columns, a few such steps are taken in one working set before the next
 * pass over all columns. Before a point is given to run.c the intercepts are optimised: the lower bound needs that to be
 * tight. */
#include "solve/prox/prox_newton.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/columns.h"
#include "design/design.h"
#include "loss/loss.h"
#include "problem/gradient_bound.h"
#include "problem/point.h"
#include "solve/loop/stop.h"
#include "solve/prox/column_model.h"
#include "solve/prox/coordinate.h"
#include "solve/prox/gram_model.h"
#include "solve/prox/reduced.h"

#include <string.h>

enum { FEW_ROUNDS = 2, SOME_ROUNDS = 6, MOST_ROUNDS = 8, FEW_IDLE = 2, MOST_IDLE = 8, MOST_GRAM = 1000 };
static const double SMALL = 1e-10;    /* violations count as gone at this share of the first */
static const double SLOW = 0.5;       /* a step that leaves at least this share of the violations is slow */
static const double SHARP = 1e-8;     /* violations of a model below this share of the point's are lost in rounding */
static const double LASTING = 0.1;    /* of the tolerance: violations of a model with a matrix that lasts */
static const double NEAR = 1e3;       /* times the tolerance: below this predicted decrease the model's multipliers help */
static const double GROWTH = 1.3;     /* of the least patience, from step to step: more accuracy near the end */
static const double EXPENSIVE = 4;    /* after this many passes over all numbers a gradient in all columns is cheap */
static const double MOST_SHARE = 0.3; /* of the violations that the solution of a rough model leaves */
static const double ROUGH_PATIENCE = 6, MOST_PATIENCE = 5000;

/* ---- memory ---- */

/* Few weights, and rows so short (or a dense product so fast) that the whole Hessian costs about as much as some sweeps. */
bool hsp_prox_wants_matrix(const hsp_problem *p) {
    const hsp_design *D = p->design;
    int64_t K = p->outputs;
    if (K * D->d > MOST_GRAM) return false;
    return D->x->dense || (double)D->x->stored / (double)D->n * (double)K <= 200;
}

static bool allocate(hsp_prox *s) {
    int64_t n = s->n, K = s->K, m = K * s->d;
    hsp_prox_point *at = &s->at;
    hsp_prox_rows *rows = &s->rows;
    hsp_prox_move *move = &s->move;
    return HSP_ALLOC_DOUBLES(m, &at->w, &at->gw, &move->u) &&
           HSP_ALLOC_DOUBLES(K, &at->b, &at->gb, &move->to_b, &rows->sorted) &&
           HSP_ALLOC_DOUBLES(n * K, &at->alpha, &rows->h, &move->q, &move->trial) &&
           HSP_ALLOC_DOUBLES(n, &rows->c, &rows->extra, &rows->more, &move->losses, &move->before) &&
           HSP_ALLOC_DOUBLES(K * K, &rows->S, &rows->M, &rows->factor);
}

/* The number of weight (k, j) in a point of the run. */
static int64_t place_in_design(const hsp_prox *s, int64_t k, int64_t j) {
    return k * s->p->design->d + (s->columns ? hsp_column_origin(s->columns->columns, j) : j);
}

static int init_way(hsp_prox *s, hsp_prox_way way, hsp_error **err) {
    bool chosen = way == HSP_PROX_AUTO;
    if (chosen)
        way = hsp_reduced_suits(s->p, false) ? HSP_PROX_REDUCED
              : hsp_prox_wants_matrix(s->p)  ? HSP_PROX_MATRIX
                                             : HSP_PROX_COLUMNS;
    if (way == HSP_PROX_COLUMNS) return hsp_column_model_copy(s, err);
    return way == HSP_PROX_REDUCED ? hsp_reduced_init(s, chosen, err) : HSP_OK;
}

int hsp_prox_open(hsp_prox *s, hsp_problem *p, const hsp_rules *rules, hsp_prox_way way, const double *w, const double *b,
                  hsp_error **err) {
    *s = (hsp_prox){.p = p,
                    .rules = rules,
                    .n = p->design->n,
                    .d = p->design->d,
                    .K = p->outputs,
                    .t = p->lambda * p->rho,
                    .ridge = p->lambda * (1 - p->rho),
                    .rows.damping = HSP_PROX_LEAST_DAMPING,
                    .move.fall = INFINITY,
                    .first_violation = -1,
                    .best_violation = INFINITY};
    int status = init_way(s, way, err);
    if (status) return status;
    if (!allocate(s)) return hsp_fail_memory(err);
    for (int64_t i = 0; i < s->n; i++) s->rows.c[i] = (p->c ? p->c[i] : 1) / p->sum_c;
    for (int64_t k = 0; k < s->K; k++)
        for (int64_t j = 0; j < s->d; j++) s->at.w[k * s->d + j] = w[place_in_design(s, k, j)];
    memcpy(s->at.b, b, (size_t)s->K * sizeof *s->at.b);
    if (s->reduced) return HSP_OK;
    return s->columns ? hsp_column_model_init(s, err) : hsp_gram_model_init(s, err);
}

static int init_prox(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return hsp_prox_open(vs, p, rules, HSP_PROX_AUTO, start->w, start->b, err);
}

void hsp_prox_close(hsp_prox *s) {
    HSP_FREE(s->at.w, s->at.gw, s->at.b, s->at.gb, s->at.alpha, s->rows.c, s->rows.h, s->rows.extra, s->rows.more,
             s->rows.S, s->rows.M, s->rows.factor, s->rows.sorted, s->move.u, s->move.to_b, s->move.q, s->move.trial,
             s->move.losses, s->move.before);
    hsp_gram_model_free(s->gram);
    hsp_column_model_free(s->columns);
    hsp_reduced_free(s->reduced);
}

static void free_prox(void *vs) {
    hsp_prox_close(vs);
}

/* ---- the point ---- */

double hsp_prox_largest_violation(const hsp_prox *s) {
    double top = 0;
    for (int64_t x = 0; x < s->K * s->d; x++) {
        double v = hsp_l1_violation(s->at.w[x], s->at.gw[x], s->t);
        if (isnan(v)) return v;
        if (v > top) top = v;
    }
    for (int64_t k = 0; k < s->K; k++) {
        if (isnan(s->at.gb[k])) return NAN;
        if (fabs(s->at.gb[k]) > top) top = fabs(s->at.gb[k]);
    }
    return top;
}

/* Takes the bound of the model's multipliers, in `proposed`, if it is better than that of the slopes: near the optimum it is
 * better by an order, and worth a pass. */
static void compare_bounds(hsp_prox *s, const double *proposed) {
    hsp_problem *p = s->p;
    hsp_measured *measured = &s->at.measured;
    double P = measured->at.objective, F = hsp_problem_mean(p, P), gap = hsp_relative_gap(P, measured->bound);
    if (!(s->move.fall <= NEAR * s->rules->tol * F) || gap <= s->rules->tol) return;
    double D = hsp_problem_dual_of(p, proposed);
    if (D > measured->bound && D <= P + 1e-12 * fabs(P)) { /* above P by more than rounding it is not a bound */
        measured->bound = D;
        memcpy(s->at.alpha, p->slopes, (size_t)s->n * sizeof *s->at.alpha);
    }
    hsp_prox_slopes(s);
}

/* Gradient, figures and bound at the point for the matrix model, from the present scores unless `score`. The figures are
 * given to run.c for one output with a penalty; otherwise run.c measures, and overwrites the scratch of the problem. */
static void measure_by_rows(hsp_prox *s, bool score) {
    hsp_problem *p = s->p;
    hsp_prox_point *at = &s->at;
    at->measured.at = (score ? hsp_problem_gradient : hsp_problem_gradient_scores)(p, at->w, at->b, at->gw, at->gb);
    at->violated = hsp_prox_largest_violation(s);
    at->ready = s->K == 1 && hsp_problem_has_dual(p);
    at->measured.bound = NAN;
    if (!at->ready || s->idle >= FEW_IDLE) return;
    memcpy(s->move.losses, at->alpha, (size_t)s->n * sizeof *at->alpha);
    at->measured.bound = hsp_problem_bound_of_gradient(p, at->w, at->gw, s->d, s->rows.c, at->alpha, s->move.trial);
    if (!score && !isnan(at->measured.bound)) compare_bounds(s, s->move.losses);
}

/* The same for the column model, for any number of outputs. At the final threshold the scores are computed again, without the
 * rounding errors of all earlier steps. */
static void measure_by_columns(hsp_prox *s, bool score) {
    hsp_problem *p = s->p;
    hsp_prox_point *at = &s->at;
    if (score || hsp_prox_at_final_threshold(s)) hsp_columns_score_point(s);
    hsp_prox_tune_intercepts(s);
    hsp_columns_gradient(s);
    at->violated = hsp_prox_largest_violation(s);
    at->ready = true;
    if (!hsp_prox_at_final_threshold(s)) return;
    int64_t count = s->K * s->d;
    at->measured.at = hsp_problem_evaluate_scores(p, at->w, count, at->b);
    at->measured.bound = NAN;
    if (hsp_problem_has_dual(p))
        at->measured.bound = hsp_problem_bound_of_gradient(p, at->w, at->gw, count, s->rows.c, at->alpha, s->move.trial);
}

/* ---- steps ---- */

/* A violation v adds about v / t (by columns: times the share of the penalty in F) to the relative gap: smaller violations
 * than this need not be reduced. */
static double negligible(const hsp_prox *s) {
    double F = hsp_problem_mean(s->p, s->at.measured.at.objective), R = F - s->at.measured.at.mean_loss;
    double part = F > 0 && R > 0 ? R / F : 1;
    if (!(s->rules->tol > 0)) return 0;
    return s->gram ? s->rules->tol * s->t / 20 : s->rules->tol * s->t / 4 / fmax(part, 0.05);
}

/* How accurately to solve the matrix model: a tenth of the present violation, less where the model is good because little is
 * violated, and a hundredth of that, since it is cheap. With a matrix that lasts, so that the bound of its multipliers loses
 * nothing: each step saved is worth many sweeps. */
static double gram_tolerance(const hsp_prox *s) {
    double violated = s->at.violated, size = s->t > 0 ? s->t : s->first_violation, share = size > 0 ? violated / size : 1;
    if (s->gram->lasting) return fmax(LASTING * s->rules->tol * s->t, SHARP * violated);
    share = share > 0.1 ? 0.1 : share < 1e-3 ? 1e-3 : share;
    double tol = fmax(share * violated, negligible(s)) / 100, F = hsp_problem_mean(s->p, s->at.measured.at.objective);
    if (s->move.fall <= NEAR * s->rules->tol * F) tol = fmin(tol, fmax(negligible(s), SHARP * violated));
    return tol;
}

/* Multipliers from the model's minimum, -(slope_i + H_i q_i): they satisfy the conditions of the dual as accurately as the
 * model was solved, while the slopes at the point satisfy them only as far as the point is optimal. */
static void propose_multipliers(hsp_prox *s) {
    int64_t K = s->K;
    if (s->gram && K == 1) {
        const double *slope = s->p->slopes, *h = s->rows.h, *q = s->move.q, *c = s->rows.c;
        for (int64_t i = 0; i < s->n; i++) s->at.alpha[i] = c[i] > 0 ? -(slope[i] + h[i] * q[i]) / c[i] : 0;
        return;
    }
    for (int64_t i = 0; i < s->n; i++) {
        const double *slope = s->p->slopes + i * K;
        double c = s->rows.c[i], *r = s->at.alpha + i * K;
        hsp_prox_apply_hessian(s, i, s->move.q + i * K, r);
        for (int64_t k = 0; k < K; k++) r[k] = c > 0 ? -(slope[k] + r[k]) / c : 0;
    }
}

/* Solves the model at the point. *done: nothing is left to do in the working set. False: out of memory. */
static bool solve_model(hsp_prox *s, bool first, double target, bool *done, hsp_budget *budget) {
    hsp_column_model *C = s->columns;
    if (!first && C) hsp_prox_slopes(s); /* with the matrix model the point has not moved */
    if (!s->gram || !hsp_gram_model_keeps(s->gram)) hsp_prox_curvature(s);
    if (first || C) memcpy(s->move.before, s->p->values, (size_t)s->n * sizeof *s->move.before);
    if (s->gram) {
        if (!hsp_gram_model_solve(s, gram_tolerance(s), budget)) return false;
    } else {
        double violated = hsp_column_model_pack(s);
        *done = !first && violated <= target;
        if (*done) return true;
        if (!hsp_prox_at_final_threshold(s)) {
            C->share = MOST_SHARE;
            C->patience = fmin(C->patience, ROUGH_PATIENCE);
        }
        hsp_column_model_solve(s, fmax(C->share * violated, negligible(s) / 2), budget);
    }
    if (s->gram || !hsp_problem_has_dual(s->p)) propose_multipliers(s);
    return true;
}

/* Whether to take another step in the working set. */
static bool continues_in_set(const hsp_prox *s, hsp_budget *budget) {
    const hsp_column_model *C = s->columns;
    if (s->gram || budget->out || hsp_budget_poll(budget)) return false;
    return hsp_prox_at_final_threshold(s) ? C->work <= EXPENSIVE * (double)C->columns->stored : !C->apt;
}

/* Newton steps: one by the matrix; by columns, until most violations in the working set are gone. Returns their number, or -1:
 * out of memory. *lost: the predicted decrease is lost in rounding. */
int64_t hsp_prox_take_steps(hsp_prox *s, bool *lost, hsp_budget *budget) {
    bool arrived = hsp_prox_at_final_threshold(s), done = false;
    double target = s->gram ? 0 : fmax(fmax(s->at.violated / 10, s->columns->set.outside / 3), negligible(s));
    if (!arrived) target = fmax(target, s->t / 4);
    int64_t steps = 0;
    int most = s->gram ? SOME_ROUNDS : arrived ? MOST_ROUNDS : FEW_ROUNDS;
    for (int round = 0; round < most; round++) {
        if (!solve_model(s, round == 0, target, &done, budget)) return -1;
        if (done) return steps;
        double noise = hsp_prox_rounding(s), predicted = hsp_prox_predict(s);
        if (round == 0) *lost = fabs(predicted) <= 64 * noise;
        if (hsp_prox_search(s, noise, predicted)) {
            budget->updates++;
            steps++;
            if (!continues_in_set(s, budget)) return steps;
        } else {
            if (*lost || s->rows.damping == 1 || budget->out) return steps;
            if (s->gram) s->gram->due = true;
            s->rows.damping = fmin(s->rows.damping * 100, 1); /* the model has too little curvature: another try */
        }
    }
    return steps;
}

/* Only rounding is left: the predicted decrease is lost in it, and violations no longer shrink. */
static bool is_lost_in_rounding(hsp_prox *s, double violated, bool lost) {
    bool shrinks = violated < 0.5 * s->best_violation;
    if (shrinks) s->best_violation = violated;
    s->idle = shrinks ? 0 : s->idle + 1;
    return s->idle >= MOST_IDLE && lost;
}

static void choose_working_set(hsp_prox *s, bool first) {
    hsp_column_model *C = s->columns;
    if (first || !hsp_prox_at_final_threshold(s)) hsp_working_set_lower_threshold(s);
    if (hsp_prox_at_final_threshold(s)) C->least_patience = fmin(C->least_patience * GROWTH, MOST_PATIENCE);
    C->patience = fmax(C->patience, C->least_patience);
    hsp_working_set_choose(s);
}

/* After the steps: optimises the intercepts and measures the point for run.c. */
static void finish_by_rows(hsp_prox *s, double violated) {
    if (s->p->intercept != HSP_INTERCEPT_NONE) hsp_prox_tune_intercepts(s); /* else a pass for slopes that nobody reads */
    s->at.ready = false;
    if (s->K == 1 && hsp_problem_has_dual(s->p)) measure_by_rows(s, false);
    if (!(s->at.violated < SLOW * violated)) hsp_gram_model_sharpen(s->gram);
}

static void finish_by_columns(hsp_prox *s, hsp_budget *budget) {
    const hsp_column_model *C = s->columns;
    if (budget->out) s->t = s->p->lambda * s->p->rho;
    measure_by_columns(s, false);
    budget->steps += (int64_t)(C->work / ((double)C->columns->stored + 1) * (double)s->n);
}

/* From the reduced problem to all columns, at the same point. */
static hsp_step leave_reduced(hsp_prox *s) {
    hsp_prox other;
    hsp_prox_way way = hsp_prox_wants_matrix(s->p) ? HSP_PROX_MATRIX : HSP_PROX_COLUMNS;
    int status = hsp_prox_open(&other, s->p, s->rules, way, s->at.w, s->at.b, NULL);
    if (status) {
        hsp_prox_close(&other);
        return HSP_STEP_MEMORY;
    }
    hsp_prox_close(s);
    *s = other;
    return HSP_STEP_QUIET;
}

static hsp_step step_reduced(hsp_prox *s, hsp_budget *budget) {
    bool many = false;
    hsp_step step = hsp_reduced_step(s, budget, &many);
    return many || step == HSP_STEP_STALLED ? leave_reduced(s) : step;
}

hsp_step hsp_prox_step(hsp_prox *s, hsp_budget *budget) {
    bool lost = false, first = s->first_violation < 0;
    if (hsp_budget_poll(budget)) return HSP_STEP_MORE;
    if (s->reduced) return step_reduced(s, budget);
    if (s->columns) s->columns->work = 0;
    if (!s->at.ready) (s->gram ? measure_by_rows : measure_by_columns)(s, true);
    if (s->gram) budget->steps += s->n;
    double P = s->at.measured.at.objective, violated = s->at.violated;
    if (!isfinite(violated) || !isfinite(P)) return HSP_STEP_FAILED;
    if (first) s->first_violation = violated;
    if (violated == 0) return HSP_STEP_DONE;
    if (first && s->at.ready && hsp_relative_gap(P, s->at.measured.bound) <= s->rules->tol)
        return HSP_STEP_MORE; /* the start is good enough */
    if (s->columns) choose_working_set(s, first);
    int64_t steps = hsp_prox_take_steps(s, &lost, budget);
    if (steps < 0) return HSP_STEP_MEMORY;
    hsp_prox_shift_classes(s);
    bool still = hsp_prox_at_final_threshold(s) && is_lost_in_rounding(s, violated, lost);
    if (s->gram)
        finish_by_rows(s, violated);
    else
        finish_by_columns(s, budget);
    if (!hsp_prox_at_final_threshold(s)) return HSP_STEP_QUIET;
    if (steps == 0 || still) return budget->out ? HSP_STEP_MORE : HSP_STEP_STALLED;
    return violated <= SMALL * s->first_violation ? HSP_STEP_DONE : HSP_STEP_MORE;
}

static hsp_step step_prox(void *vs, hsp_budget *budget) {
    return hsp_prox_step(vs, budget);
}

/* The slopes are those of the point whatever lambda is, so the gradient changes by its L2 part and the rest costs no pass. */
void hsp_prox_relax(hsp_prox *s) {
    const hsp_problem *p = s->p;
    double ridge = p->lambda * (1 - p->rho), by = ridge - s->ridge;
    int64_t count = s->K * s->d;
    s->t = p->lambda * p->rho;
    s->ridge = ridge;
    s->first_violation = -1;
    s->best_violation = INFINITY;
    s->idle = 0;
    s->move.fall = INFINITY;
    if (s->columns || p->intercept == HSP_INTERCEPT_PENALISED || !hsp_problem_has_dual(p))
        s->at.ready = false; /* by columns, the gradient of some is known for the old lambda only */
    if (!s->at.ready) return;
    if (s->reduced) {
        hsp_reduced_relax(s);
        return;
    }
    for (int64_t x = 0; x < count; x++) s->at.gw[x] += by * s->at.w[x];
    s->at.violated = hsp_prox_largest_violation(s);
    s->at.measured.at = hsp_problem_evaluate_scores(s->p, s->at.w, count, s->at.b);
    s->at.measured.bound =
        hsp_problem_bound_of_gradient(p, s->at.w, s->at.gw, count, s->rows.c, s->at.alpha, s->move.trial);
}

static bool export_point(void *vs, hsp_which which, hsp_point *out) {
    const hsp_prox *s = vs;
    if (which == HSP_POINT_CANDIDATE) return false;
    memset(out->w, 0, (size_t)(s->K * s->p->design->d) * sizeof *out->w);
    for (int64_t k = 0; k < s->K; k++)
        for (int64_t j = 0; j < s->d; j++) out->w[place_in_design(s, k, j)] = s->at.w[k * s->d + j];
    memcpy(out->b, s->at.b, (size_t)s->K * sizeof *s->at.b);
    if (out->alpha) memcpy(out->alpha, s->at.alpha, (size_t)(s->n * s->K) * sizeof *s->at.alpha);
    return true;
}

static bool give_measured(void *vs, hsp_measured *out) {
    hsp_prox *s = vs;
    if (!s->at.ready) return false;
    *out = s->at.measured;
    if (isnan(out->bound)) s->at.ready = false; /* run.c computes a bound, and overwrites the scratch of the problem */
    return true;
}

const hsp_solver hsp_solver_prox_newton = {
    .name = "prox-newton",
    .help = "proximal Newton with coordinate descent; for penalties with L1, gives exact zeros",
    .done = HSP_STOP_GRADIENT,
    .needs = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_CURVED,
    .many = true,
    .proposes = true,
    .expensive_steps = true,
    .state_size = sizeof(hsp_prox),
    .init = init_prox,
    .step = step_prox,
    .export = export_point,
    .measured = give_measured,
    .free = free_prox};
