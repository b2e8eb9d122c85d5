/* See newton_one.h. The whole step is evaluated first, by the pass that is needed at its end anyway. If it is not accepted, a
 * line search finds a shorter or longer one, which needs only the scores at both ends; then another pass evaluates that. */
#include "solve/newton/newton_one.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/sweep.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "solve/newton/line_search.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/separation.h"

#include <math.h>

enum { MOST_TINY = 4 };
/* A whole step is accepted when it achieves this share of the predicted decrease and the slope at its end is at most this
 * share of that at its start. */
static const double KEPT = 0.3, STEEP = 0.5;
/* Steps with a predicted decrease above this share of J always get a line search. */
static const double MUCH = 1e-2;
/* Rare columns are searched when they have this share of the predicted decrease. */
static const double RARE = 0.1;
/* The gap after a step is about this times the square of the predicted decrease, as shares of J. */
static const double SHRINKS = 10, JUMPS = 1e4; /* where the curvature jumps */
/* Steps with a predicted decrease below this share of J need no majorant. */
static const double PROGRESS = 0.1;
/* Decreases of J below this share are lost in rounding: always, where columns lie far from 0, and of the sum over rows. */
static const double ROUNDING = 1e-15, BLURRED = 1e-9, UNSEEN = 1e-13;

bool hsp_newton_one_takes(const hsp_problem *p) {
    return p->outputs == 1 && p->penalty->penalises && p->rho == 0 && (p->loss->traits & HSP_LOSS_DUAL) &&
           p->loss->second && p->loss->duals;
}

int hsp_newton_one_init(hsp_newton_one *s, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, bool gram,
                        hsp_error **err) {
    int64_t d = p->design->d;
    *s = (hsp_newton_one){.p = p, .rules = rules, .decrease = -1, .t = p->values};
    int status = hsp_survey_new(p, gram, &s->survey, err);
    if (status) return status;
    if (!HSP_ALLOC_DOUBLES(d + 1, &s->point, &s->trial, &s->step) || !HSP_ALLOC_DOUBLES(d, &s->gc) ||
        !HSP_ALLOC_DOUBLES(4 * d, &s->scratch))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) s->point[j] = start->w[j];
    s->point[d] = start->b[0];
    return HSP_OK;
}

void hsp_newton_one_free(hsp_newton_one *s) {
    hsp_survey_free(s->survey);
    hsp_rare_free(&s->rare);
    HSP_FREE(s->point, s->trial, s->step, s->gc, s->scratch);
}

/* ---- the direction ---- */

/* The second derivative in the intercept. */
static double intercept_curvature(const hsp_newton_one *s) {
    double B = s->survey->mass * (1 + 1e-14);
    if (s->p->intercept == HSP_INTERCEPT_PENALISED) B += s->survey->mu;
    return B > 0 ? B : 1; /* flat: leave it to the gradient */
}

/* The intercept follows v by -mean.v; relative to that nothing large cancels. */
static void multiply_by_hessian(void *ctx, const double *v, double *out) {
    hsp_newton_one *s = ctx;
    const hsp_survey *L = s->survey;
    int64_t d = s->p->design->d;
    bool intercept = s->p->intercept != HSP_INTERCEPT_NONE;
    double beta = intercept ? -hsp_dot_f64(L->mean, v, d) * (L->mass / intercept_curvature(s)) : 0;
    double sum = hsp_sweep_product(L->sweep, L->h, v, beta, s->t, out);
    if (s->p->intercept == HSP_INTERCEPT_FREE) hsp_axpy_f64(-sum, L->mean, out, d);
    hsp_axpy_f64(L->mu, v, out, d);
}

/* Dense rows are measured from their mean, sparse ones are z = x + p. */
void hsp_newton_one_diagonal(hsp_newton_one *s, double *first, double *diagonal) {
    const hsp_survey *L = s->survey;
    const hsp_design *D = s->p->design;
    bool intercept = s->p->intercept != HSP_INTERCEPT_NONE, dense = D->x->dense;
    double S = L->mass;
    hsp_sweep_squares(L->sweep, L->h, dense && intercept ? L->mean : NULL, first, diagonal);
    for (int64_t j = 0; j < D->d; j++) {
        double two = diagonal[j], one = first[j], p = D->p ? D->p[j] : 0;
        double v = intercept ? (S > 0 ? two - one * one / S : 0) : two - 2 * p * one + p * p * S;
        diagonal[j] = fmax(v, 1e-10 * two) + L->mu;
    }
}

/* In the units of P the residual rho adds C^2 |rho|^2 / 2 to the gap; that matters once the predicted decrease is within the
 * tolerance. */
void hsp_newton_one_solve(hsp_newton_one *s, hsp_inner inner, double *step, hsp_budget *budget) {
    const hsp_survey *L = s->survey;
    double tol = s->rules->tol;
    inner.enough = tol * L->J;
    inner.absolute = sqrt(0.2 * tol * L->J * L->mu);
    inner.finest = 1e-13;
    inner.ceiling = !(s->p->loss->traits & HSP_LOSS_PIECEWISE) && !s->survey->pass.majorised ? L->J : 0;
    if (s->decrease >= 0) inner.relative = fmin(inner.relative, fmax(sqrt(s->decrease), 1e-4));
    inner.multiply = multiply_by_hessian;
    inner.of = s;
    hsp_conjugate_gradients(s->p->design->d, s->gc, step, s->scratch, &inner, s->p->design->n, budget);
    s->products = inner.products;
}

/* ---- one iteration ---- */

static double loss_along(void *state, double t, double *derivative) {
    const hsp_newton_one *s = state;
    return hsp_survey_line(s->survey, t, derivative);
}

/* Whether to accept the whole step, from the evaluation of its end. */
static bool accepts_whole_step(const hsp_newton_one *s, double J0, double slope) {
    const hsp_survey *L = s->survey;
    if (!L->has_gradient) return L->J <= J0 + KEPT * slope / 2 || fabs(L->J - J0) <= UNSEEN * J0;
    double end = hsp_dot_f64(L->g, s->step, s->p->design->d + 1);
    if (!isfinite(L->J) || !isfinite(end)) return false;
    if (fabs(end) <= HSP_LINE_FLAT * -slope && (end <= 0 || L->J <= J0)) return true;
    return L->J <= J0 + KEPT * slope / 2 && end > STEEP * slope;
}

double hsp_newton_one_predicted_gap(const hsp_newton_one *s, double decrease) {
    return decrease * decrease * (s->p->loss->traits & HSP_LOSS_PIECEWISE ? JUMPS : SHRINKS);
}

/* How to evaluate the end of the step. Once the gap is likely to be small enough, only figures and bound; the rest follows if
 * it is not. */
static unsigned survey_options(const hsp_newton_one *s, const hsp_newton_linear *linear) {
    double tol = s->rules->tol, gap = hsp_newton_one_predicted_gap(s, s->decrease);
    unsigned how = 0;
    if (gap <= 1e4 * tol) how |= HSP_SURVEY_BOUND;
    if (gap <= tol) return how | HSP_SURVEY_FIGURES;
    return linear->gram ? how | HSP_SURVEY_GRAM : how;
}

/* Evaluates the trial at the share t of the step, after a search along the rare columns if this step needs one. */
static int survey_at(hsp_newton_one *s, double t, unsigned how, hsp_budget *budget) {
    hsp_newton_one_set_trial(s, t);
    if (s->polish) {
        hsp_rare_polish(&s->rare, s->trial, hsp_survey_move(s->survey, t, how & HSP_SURVEY_BOUND));
        how |= HSP_SURVEY_MOVED;
    }
    budget->steps += s->p->design->n;
    return hsp_survey_evaluate(s->survey, s->trial, s->trial[s->p->design->d], how, NULL);
}

/* A step with a large predicted decrease seldom has the right length: a line search costs only the scores at its end. If the
 * rare columns are what shortens it, the whole step may be acceptable after a search along them. */
static hsp_step search_along(hsp_newton_one *s, unsigned how, double J0, double slope, hsp_budget *budget) {
    int64_t d = s->p->design->d, size = d + (s->p->intercept == HSP_INTERCEPT_PENALISED);
    hsp_line l = hsp_line_along(s->point, s->step, size, s->survey->mu, loss_along, s);
    double t = slope < 0 ? hsp_line_search(&l, J0, slope) : 0;
    if (!(t > 0)) return HSP_STEP_STALLED;
    if (s->polish && t < 0.5) {
        if (survey_at(s, 1, how, budget)) return HSP_STEP_MEMORY;
        if (s->survey->J <= J0 + KEPT * slope / 2) return HSP_STEP_MORE;
        hsp_survey_undo_step(s->survey);
        hsp_newton_one_set_trial(s, 1);
        hsp_survey_score_step(s->survey, s->trial, s->trial[d]);
        how &= ~(unsigned)HSP_SURVEY_BOUND; /* the slopes and curvatures before are overwritten */
    }
    /* A step that had to be shortened came from a model with too little curvature: majorise it until steps predict little. */
    s->majorised = !(s->p->loss->traits & HSP_LOSS_PIECEWISE) && (t < 0.5 || (s->majorised && s->decrease > PROGRESS));
    if (s->majorised) how |= HSP_SURVEY_MAJORISED;
    s->survey->t = t;
    if (!s->polish) how |= HSP_SURVEY_ALONG;
    return survey_at(s, t, how, budget) ? HSP_STEP_MEMORY : HSP_STEP_MORE;
}

/* Whether rare columns have so much of the predicted decrease that a search along them pays. They are counted once, after
 * the first step. */
static int find_rare_columns(hsp_newton_one *s) {
    s->polish = false;
    if (s->k == 0 || !hsp_rare_possible(s->p)) return HSP_OK;
    if (!s->rare.p && hsp_rare_init(&s->rare, s->p)) return HSP_EMEMORY;
    s->polish = hsp_rare_share(&s->rare, s->survey->g, s->step) > RARE;
    return HSP_OK;
}

static void accept_trial(hsp_newton_one *s, hsp_budget *budget) {
    double *swap = s->point;
    s->point = s->trial;
    s->trial = swap;
    s->at = s->survey->at;
    s->k++;
    budget->updates++;
}

/* Steps with a predicted decrease below rounding are taken whole, a few times: they still improve the gradient. */
static hsp_step take_step(hsp_newton_one *s, const hsp_newton_linear *linear, double slope, hsp_budget *budget) {
    double J0 = s->survey->J;
    bool tiny = fabs(slope) <= ROUNDING * J0;
    hsp_step moved = HSP_STEP_MORE;
    unsigned how = survey_options(s, linear);
    if (slope >= 0 && !(fabs(slope) <= BLURRED * J0)) return HSP_STEP_STALLED;
    if (find_rare_columns(s)) return HSP_STEP_MEMORY;
    if (s->decrease > MUCH || s->polish) {
        hsp_newton_one_set_trial(s, 1);
        hsp_survey_score_step(s->survey, s->trial, s->trial[s->p->design->d]);
        moved = search_along(s, how, J0, slope, budget);
    } else {
        if (survey_at(s, 1, how | HSP_SURVEY_STEP, budget)) return HSP_STEP_MEMORY;
        if (!tiny && !accepts_whole_step(s, J0, slope)) {
            tiny = fabs(slope) <= BLURRED * J0;
            moved = search_along(s, linear->gram ? HSP_SURVEY_GRAM : 0, J0, slope, budget);
            if (moved == HSP_STEP_STALLED && tiny)
                moved = HSP_STEP_MORE; /* the whole step */
            else
                tiny = false;
        } else {
            s->majorised = false;
        }
    }
    s->tiny = tiny ? s->tiny + 1 : 0;
    if (s->tiny > MOST_TINY) moved = HSP_STEP_STALLED;
    if (moved == HSP_STEP_MORE) accept_trial(s, budget);
    return moved;
}

/* Starts at the point found on samples, unless that is worse than the start. */
static hsp_step survey_start(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, hsp_budget *budget) {
    int64_t d = s->p->design->d;
    unsigned how = linear->gram ? HSP_SURVEY_GRAM : 0;
    double J = INFINITY;
    if (hsp_separation_one_class(s->p)) return HSP_STEP_ENDLESS;
    bool sample = hsp_newton_one_samples(s);
    if (sample && hsp_newton_one_sample(s, linear, state, &J, budget)) return HSP_STEP_MEMORY;
    if (budget->out) return HSP_STEP_MORE; /* not begun */
    if (hsp_survey_evaluate(s->survey, s->point, s->point[d], how, NULL)) return HSP_STEP_MEMORY;
    budget->steps += s->p->design->n;
    if (sample && !(s->survey->J <= J)) {
        for (int64_t j = 0; j <= d; j++) s->point[j] = s->trial[j];
        if (hsp_survey_evaluate(s->survey, s->point, s->point[d], how, NULL)) return HSP_STEP_MEMORY;
        budget->steps += s->p->design->n;
    }
    s->begun = true;
    s->at = s->survey->at;
    return isfinite(s->survey->J) ? HSP_STEP_MORE : HSP_STEP_FAILED;
}

int hsp_newton_one_direction(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, double *slope,
                             hsp_budget *budget) {
    const hsp_survey *L = s->survey;
    int64_t d = s->p->design->d;
    bool intercept = s->p->intercept != HSP_INTERCEPT_NONE;
    for (int64_t j = 0; j < d; j++) s->gc[j] = L->g[j]; /* of J minimised over the intercept */
    if (intercept) hsp_axpy_f64(-L->g[d] * L->mass / intercept_curvature(s), L->mean, s->gc, d);
    if (linear->direct(state, s->step, budget)) return HSP_EMEMORY;
    s->step[d] = intercept ? -(L->g[d] + L->mass * hsp_dot_f64(L->mean, s->step, d)) / intercept_curvature(s) : 0;
    *slope = hsp_dot_f64(L->g, s->step, d + 1);
    s->decrease = L->J > 0 ? fmax(-*slope / 2, 0) / L->J : 0;
    return HSP_OK;
}

/* Evaluates the point again, after a trial elsewhere or without a majorant. */
static int survey_again(hsp_newton_one *s, const hsp_newton_linear *linear, hsp_budget *budget) {
    unsigned how = (linear->gram ? HSP_SURVEY_GRAM : 0) | (s->majorised ? HSP_SURVEY_MAJORISED : 0);
    budget->steps += s->p->design->n;
    return hsp_survey_evaluate(s->survey, s->point, s->point[s->p->design->d], how, NULL);
}

hsp_step hsp_newton_one_step(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, hsp_budget *budget) {
    int64_t d = s->p->design->d;
    double slope;
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    if (!s->begun) {
        hsp_step first = survey_start(s, linear, state, budget);
        if (first != HSP_STEP_MORE || !s->begun) return first;
    }
    if (hsp_survey_complete(s->survey, linear->gram, NULL)) return HSP_STEP_MEMORY;
    if (hsp_all_zero(s->survey->g, d + 1)) {
        hsp_survey_bound_of_slopes(s->survey);
        return HSP_STEP_DONE;
    }
    if (hsp_newton_one_direction(s, linear, state, &slope, budget)) return HSP_STEP_MEMORY;
    if (s->decrease > 1 && !(s->p->loss->traits & HSP_LOSS_PIECEWISE) && !s->survey->pass.majorised) {
        s->majorised = true; /* a decrease below 0: rows far on the wrong side have too little curvature */
        if (survey_again(s, linear, budget) || hsp_newton_one_direction(s, linear, state, &slope, budget))
            return HSP_STEP_MEMORY;
    }
    if (!isfinite(slope)) return HSP_STEP_FAILED;
    hsp_step moved = take_step(s, linear, slope, budget);
    if (moved == HSP_STEP_STALLED && linear->gram && !s->repair) {
        s->repair = true; /* another try */
        return survey_again(s, linear, budget) ? HSP_STEP_MEMORY : HSP_STEP_MORE;
    }
    return moved;
}

bool hsp_newton_one_export(void *state, hsp_which which, hsp_point *out) {
    const hsp_newton_one *s = state;
    int64_t d = s->p->design->d;
    if (which == HSP_POINT_CANDIDATE) return false;
    for (int64_t j = 0; j < d; j++) out->w[j] = s->point[j];
    out->b[0] = s->point[d];
    for (int64_t i = 0; out->alpha && i < s->p->design->n; i++) out->alpha[i] = s->survey->alpha[i];
    return true;
}

bool hsp_newton_one_measured(void *state, hsp_measured *out) {
    const hsp_newton_one *s = state;
    if (!s->begun) return false;
    *out = (hsp_measured){.at = s->at, .bound = s->survey->bound};
    return true;
}
