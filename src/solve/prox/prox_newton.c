/* prox-newton: proximal Newton steps for losses with curvature and penalties with an L1 part. One step of the solver takes
 * the gradient from all rows, minimises the quadratic model of prox_newton.h (inexactly, ever more exactly as the run goes
 * on), and searches along the way to its minimum on the true objective (Lee, Sun and Saunders 2014, "Proximal Newton-type
 * methods for minimizing composite functions"). By columns, a few such steps are taken in one working set before all rows
 * are passed again (as in Johnson and Guestrin 2015, "Blitz"). Before the point is shown the intercepts are brought to
 * their optimum, without which no tight lower bound could be had from it. */
#include "solve/prox/prox_newton.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "solve/prox/active_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FIRST_PATIENCE = 20, MOST_ROUNDS = 6, FEW_ROUNDS = 2, FEW_IDLE = 2, MOST_GRAM = 1000 };
static const double SMALL = 1e-10; /* violations count as gone at this share of the first */
static const double SLOW = 0.5;    /* what a step leaves of the violations, to be called so */
static const double SHARP = 1e-8;  /* of the violations, below which a model's are lost in rounding */
static const double NEAR = 1e3;    /* times the tolerance: what a step may promise where its multipliers are of use */

/* ---- memory ---- */

/* Few weights, and rows so short (or a dense product so fast) that the whole Hessian costs about what some sweeps do. */
static bool wants_gram(const hsp_design *D, int64_t K) {
    if (K * D->d > MOST_GRAM) return false;
    return D->x->dense || (double)D->x->stored / (double)D->n * (double)K <= 200;
}

static int init(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    hsp_prox *s = vs;
    int64_t n = p->design->n, d = p->design->d, K = p->outputs, m = K * d;
    *s = (hsp_prox){.p = p,
                    .rules = rules,
                    .n = n,
                    .d = d,
                    .K = K,
                    .m = m,
                    .first_violation = -1,
                    .fall = INFINITY,
                    .damping = HSP_PROX_LEAST_DAMPING,
                    .patience = FIRST_PATIENCE,
                    .best_violation = INFINITY};
    s->t = p->lambda * p->rho;
    s->ridge = p->lambda * (1 - p->rho);
    double **const weights[] = {&s->w, &s->gw, &s->u}, **const intercepts[] = {&s->b, &s->gb, &s->to_b};
    double **const scores[] = {&s->h, &s->q, &s->trial, &s->alpha},
                   **const rows[] = {&s->losses, &s->before, &s->c, &s->extra, &s->more};
    double **const blocks[] = {&s->S, &s->M, &s->factor, &s->sorted};
    for (int a = 0; a < 3; a++)
        if (!(*weights[a] = hsp_alloc_zero(m, sizeof(double))) || !(*intercepts[a] = hsp_alloc_zero(K, sizeof(double))))
            return hsp_fail_memory(err);
    for (int a = 0; a < 4; a++)
        if (!(*scores[a] = hsp_alloc_zero(n * K, sizeof(double))) || !(*blocks[a] = hsp_alloc_zero(K * K, sizeof(double))))
            return hsp_fail_memory(err);
    for (int a = 0; a < 5; a++)
        if (!(*rows[a] = hsp_alloc_zero(n, sizeof(double)))) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) s->c[i] = (p->c ? p->c[i] : 1) / p->sum_c;
    memcpy(s->w, start->w, (size_t)m * sizeof *s->w);
    memcpy(s->b, start->b, (size_t)K * sizeof *s->b);
    s->by_gram = wants_gram(p->design, K);
    return s->by_gram ? hsp_prox_gram_init(s, err) : hsp_prox_columns_init(s, err);
}

static void release(void *vs) {
    hsp_prox *s = vs;
    double *const all[] = {s->w,      s->gw, s->u, s->b,      s->gb,     s->to_b,  s->h, s->q,     s->trial, s->losses,
                           s->before, s->S,  s->M, s->factor, s->sorted, s->alpha, s->c, s->extra, s->more};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) hsp_free(all[a]);
    hsp_prox_gram_free(s);
    hsp_prox_columns_free(s);
}

/* ---- steps ---- */

static double violation(const hsp_prox *s) {
    double top = 0;
    for (int64_t x = 0; x < s->m; x++) {
        double v = hsp_l1_violation(s->w[x], s->gw[x], s->t);
        if (isnan(v)) return v;
        if (v > top) top = v;
    }
    for (int64_t k = 0; k < s->K; k++) {
        if (isnan(s->gb[k])) return NAN;
        if (fabs(s->gb[k]) > top) top = fabs(s->gb[k]);
    }
    return top;
}

/* A violation of v costs about v / t of the relative gap: smaller ones than this are of no use. */
static double negligible(const hsp_prox *s) {
    return s->rules->tol > 0 ? s->rules->tol * s->t / 20 : 0;
}

/* How exactly to solve the model: a tenth of what is violated now, less when the model is good because little is. */
static double model_tolerance(const hsp_prox *s, double violated) {
    double size = s->t > 0 ? s->t : s->first_violation, share = size > 0 ? violated / size : 1;
    share = share > 0.1 ? 0.1 : share < 1e-3 ? 1e-3 : share;
    return fmax(share * violated, negligible(s));
}

/* Multipliers from the model's minimum, -(slope_i + H_i q_i): there they meet the conditions of the dual as exactly as the
 * model was solved, whereas the slopes at the point itself meet them as well as the point is optimal. */
static void propose(hsp_prox *s) {
    const hsp_problem *p = s->p;
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *slope = p->slopes + i * K, *q = s->q + i * K;
        double c = s->c[i], *r = s->alpha + i * K, mean = 0, middle = 0;
        for (int64_t k = 0; K > 1 && k < K; k++) {
            mean += s->h[i * K + k] * q[k];
            middle += q[k] / (double)K;
        }
        for (int64_t k = 0; k < K; k++) {
            double bend = K == 1 ? s->h[i] * q[0] : c * (s->h[i * K + k] * (q[k] - mean) + s->more[i] * (q[k] - middle));
            r[k] = c > 0 ? -(slope[k] + bend) / c : 0;
        }
    }
}

/* Newton steps in the working set: until most of what was violated in it is not. False: not even one. */
static bool rounds(hsp_prox *s, double F, double violated, bool *lost, hsp_budget *budget) {
    double target = fmax(violated / 10, negligible(s));
    bool moved = false;
    memcpy(s->before, s->p->values, (size_t)s->n * sizeof *s->before);
    int most = !s->by_gram && s->cut ? FEW_ROUNDS : MOST_ROUNDS;
    for (int round = 0; round < most; round++) {
        hsp_prox_curvature(s);
        double tol = model_tolerance(s, violated);
        if (s->by_gram) {
            tol /= 100;
            if (s->fall <= NEAR * s->rules->tol * F) tol = fmin(tol, fmax(negligible(s), SHARP * violated));
            if (!hsp_prox_gram_solve(s, tol, budget)) return false;
        } else {
            hsp_prox_columns_solve(s, tol, budget);
        }
        propose(s);
        double noise = hsp_prox_rounding(s, F), promised = hsp_prox_promise(s);
        if (round == 0) *lost = fabs(promised) <= 64 * noise;
        if (!hsp_prox_search(s, noise, promised)) {
            if (*lost || s->damping == 1 || budget->out) return moved;
            s->damping = fmin(s->damping * 100, 1); /* the model is too bold: once more */
            continue;
        }
        budget->updates++;
        moved = true;
        if (s->by_gram || budget->out) return true;
        hsp_prox_slopes(s);
        violated = hsp_prox_columns_gradient(s);
        if (violated <= target) return true;
    }
    return moved;
}

/* The bound of the slopes: v = -scale X' slopes is the gradient, which is here already. NaN when the free intercept's
 * condition does not hold to rounding. One output. */
static double slope_bound(hsp_prox *s) {
    const hsp_problem *p = s->p;
    double size = 0, top = 0, conjugate = 0, shrink = 1, pull = hsp_sum_f64(p->slopes, s->n);
    for (int64_t i = 0; i < s->n; i++) {
        size += fabs(p->slopes[i]);
        s->alpha[i] = s->c[i] > 0 ? -p->slopes[i] / s->c[i] : 0;
    }
    if (p->intercept == HSP_INTERCEPT_FREE && !(fabs(s->gb[0]) <= 1e-14 * size)) return NAN;
    for (int64_t j = 0; j < s->m; j++) {
        double v = p->scale * fabs(s->gw[j] - s->ridge * s->w[j]), e = v - p->rho;
        if (v > top) top = v;
        if (e > 0) conjugate += e * e;
    }
    if (p->rho == 1 && top > 1) shrink = (1 - 1e-12) / top;
    hsp_scale_f64(shrink, s->alpha, s->n);
    p->loss->duals(p->y, s->alpha, s->n, s->trial);
    double sum = p->scale * hsp_dot_f64(s->c, s->trial, s->n), tilt = shrink * p->scale * pull;
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum -= tilt * tilt / 2;
    if (p->rho < 1) sum -= conjugate / (2 * (1 - p->rho));
    if (sum > 0 && isfinite(sum)) return sum;
    return NAN;
}

/* The model's multipliers, in `losses`, against those of the slopes: near the optimum they are better by an order, and
 * worth a pass. */
static void weigh(hsp_prox *s) {
    hsp_problem *p = s->p;
    double P = s->known.at.objective, F = hsp_problem_mean(p, P), gap = hsp_relative_gap(P, s->known.bound);
    if (!(s->fall <= NEAR * s->rules->tol * F) || gap <= s->rules->tol) return;
    double D = hsp_problem_dual_of(p, s->losses);
    if (D > s->known.bound && D <= P + 1e-12 * fabs(P)) { /* above P by more than a hair it is no bound */
        s->known.bound = D;
        memcpy(s->alpha, p->slopes, (size_t)s->n * sizeof *s->alpha);
    }
    hsp_prox_slopes(s);
}

/* Gradient and figures at the point, from the scores unless these are to be made anew. What is known so is kept for one
 * output with a penalty; run.c measures the rest, and uses the scratch of the problem up. */
static void look(hsp_prox *s, bool anew) {
    hsp_problem *p = s->p;
    s->known.at =
        anew ? hsp_problem_gradient(p, s->w, s->b, s->gw, s->gb) : hsp_problem_gradient_scores(p, s->w, s->b, s->gw, s->gb);
    s->violated = violation(s);
    s->ready = s->K == 1 && hsp_problem_has_dual(p);
    if (s->ready) memcpy(s->losses, s->alpha, (size_t)s->n * sizeof *s->alpha);
    s->known.bound = s->ready && s->idle < FEW_IDLE ? slope_bound(s) : NAN;
    if (!anew && !isnan(s->known.bound)) weigh(s);
}

static hsp_step step(void *vs, hsp_budget *budget) {
    hsp_prox *s = vs;
    bool lost = false;
    if (hsp_budget_look(budget)) return HSP_STEP_MORE;
    if (!s->ready) look(s, true);
    double F = hsp_problem_mean(s->p, s->known.at.objective), violated = s->violated;
    budget->steps += s->n;
    if (!isfinite(violated) || !isfinite(F)) return HSP_STEP_FAILED;
    if (s->first_violation < 0) s->first_violation = violated;
    if (violated == 0) return HSP_STEP_DONE;
    if (!s->by_gram) hsp_prox_columns_choose(s);
    bool moved = rounds(s, F, violated, &lost, budget);
    if (s->starved) return HSP_STEP_MEMORY;
    hsp_prox_shift(s);
    hsp_prox_tune(s);
    bool still = hsp_prox_still(violated, lost, &s->best_violation, &s->idle);
    s->ready = false;
    if (s->K == 1 && hsp_problem_has_dual(s->p)) look(s, false);
    if (!(s->violated < SLOW * violated)) hsp_prox_gram_sharpen(s);
    if (!s->by_gram) budget->steps += (int64_t)(s->visited / ((double)s->columns->stored + 1) * (double)s->n);
    if (!moved || still) return budget->out ? HSP_STEP_MORE : HSP_STEP_STALLED;
    return violated <= SMALL * s->first_violation ? HSP_STEP_DONE : HSP_STEP_MORE;
}

static bool export(void *vs, hsp_which which, hsp_point *out) {
    const hsp_prox *s = vs;
    if (which == HSP_POINT_CANDIDATE) return false;
    memcpy(out->w, s->w, (size_t)s->m * sizeof *s->w);
    memcpy(out->b, s->b, (size_t)s->K * sizeof *s->b);
    if (out->alpha) memcpy(out->alpha, s->alpha, (size_t)(s->n * s->K) * sizeof *s->alpha);
    return true;
}

/* ---- the solver: by working sets where there is one output and many columns ---- */

typedef struct hsp_prox_state {
    bool by_active;
    hsp_active active;
    hsp_prox prox;
} hsp_prox_state;

static int begin(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    hsp_prox_state *s = vs;
    s->by_active = p->outputs == 1 && p->lambda * p->rho > 0 && !wants_gram(p->design, 1);
    return s->by_active ? hsp_active_init(&s->active, p, rules, start, err) : init(&s->prox, p, rules, start, err);
}

static hsp_step take_step(void *vs, hsp_budget *budget) {
    hsp_prox_state *s = vs;
    return s->by_active ? hsp_active_step(&s->active, budget) : step(&s->prox, budget);
}

static bool give(void *vs, hsp_which which, hsp_point *out) {
    hsp_prox_state *s = vs;
    if (which == HSP_POINT_CANDIDATE) return false;
    if (s->by_active) {
        hsp_active_export(&s->active, out);
        return true;
    }
    return export(&s->prox, which, out);
}

static bool tell(void *vs, hsp_known *out) {
    hsp_prox_state *s = vs;
    if (s->by_active ? !s->active.ready : !s->prox.ready) return false;
    *out = s->by_active ? s->active.known : s->prox.known;
    if (isnan(out->bound)) s->prox.ready = false; /* others will look, and use the scratch of the problem up */
    return true;
}

static void end(void *vs) {
    hsp_prox_state *s = vs;
    if (s->by_active)
        hsp_active_free(&s->active);
    else
        release(&s->prox);
}

const hsp_solver hsp_solver_prox_newton = {.name = "prox-newton",
                                           .help = "Newton steps through an L1 term, by coordinate descent: exact zeros",
                                           .done = "gradient",
                                           .needs = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_CURVED,
                                           .many = true,
                                           .proposes = true,
                                           .dear_steps = true,
                                           .state_size = sizeof(hsp_prox_state),
                                           .init = begin,
                                           .step = take_step,
                                           .export = give,
                                           .known = tell,
                                           .free = end};
