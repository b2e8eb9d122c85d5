/* The start of Newton's method when there are many more rows than columns: the approximate optimum of a sample of the rows,
 * found by way of smaller samples. The optimum of a sample of m rows is about d / 2 above that of all rows, in units of the
 * loss of m rows, so each sample needs one step from the point that the previous one has found. All samples together cost
 * less than half a pass and save the first steps, which would cost whole passes. On growing samples see L. Bottou, F. Curtis,
 * J. Nocedal, Optimization methods for large-scale machine learning, SIAM Review 60 (2018), section 5. */
#include "loss/loss.h"
#include "problem/problem.h"
#include "problem/survey.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_one.h"

#include <math.h>

enum { GROWS = 4, FINEST = 16, COARSEST = 1 << 12, MOST_STEPS = 12, MOST_CUTS = 5 };
/* Rows of a sample, per column and at least: of the last sample and of the first. */
enum { LAST_A_COLUMN = 50, LAST_ROWS = 4096, FIRST_A_COLUMN = 10, FIRST_ROWS = 2048 };
/* Steps with a predicted decrease above this share of J are evaluated before the next sample. */
static const double MUCH = 1e-2;
/* Such a step must achieve this share of the predicted decrease, else it is shortened to this share of its length. */
static const double KEPT = 0.1, CUT = 0.25;

/* The smallest sample with at least that many rows is one row in the returned number; 1: there is none. */
static int64_t coarsest(const hsp_problem *p, int64_t a_column, int64_t rows) {
    int64_t n = p->design->n, least = a_column * p->design->d > rows ? a_column * p->design->d : rows, every = 1;
    while (every < COARSEST && n / (every * GROWS) >= least) every *= GROWS;
    return every;
}

static int survey_sample(hsp_newton_one *s, const hsp_newton_linear *linear, const double *at, int64_t every,
                         hsp_budget *budget) {
    int64_t d = s->p->design->d;
    budget->steps += s->p->design->n / every;
    return hsp_survey_sample(s->survey, at, at[d], linear->gram ? HSP_SURVEY_GRAM : 0, every, NULL);
}

/* A step with a large predicted decrease, shortened until it achieves a share of that. */
static int move_on_sample(hsp_newton_one *s, const hsp_newton_linear *linear, double slope, int64_t every,
                          hsp_budget *budget, bool *moved) {
    double J = s->survey->J, t = 1;
    *moved = false;
    for (int cut = 0; cut < MOST_CUTS && !*moved; cut++, t *= CUT) {
        hsp_newton_one_set_trial(s, t);
        if (survey_sample(s, linear, s->trial, every, budget)) return HSP_EMEMORY;
        *moved = s->survey->J <= J + KEPT * t * slope;
    }
    if (!*moved) return HSP_OK;
    double *swap = s->point;
    s->point = s->trial;
    s->trial = swap;
    return HSP_OK;
}

/* Steps on one sample, until they predict little decrease; the last is not evaluated. */
static int solve_on_sample(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, int64_t every,
                           hsp_budget *budget, bool *done) {
    int64_t d = s->p->design->d;
    *done = false;
    for (int k = 0; k < MOST_STEPS; k++) {
        double slope;
        bool moved;
        if (!isfinite(s->survey->J)) return HSP_OK;
        if (hsp_newton_one_direction(s, linear, state, &slope, budget)) return HSP_EMEMORY;
        if (!isfinite(slope) || !(slope < 0)) return HSP_OK;
        if (s->decrease <= MUCH) {
            for (int64_t j = 0; j <= d; j++) s->point[j] += s->step[j];
            *done = true;
            return HSP_OK;
        }
        int status = move_on_sample(s, linear, slope, every, budget, &moved);
        if (status || !moved) return status;
    }
    return HSP_OK;
}

bool hsp_newton_one_samples(const hsp_newton_one *s) {
    const hsp_loss *loss = s->p->loss;
    if (loss->dual_low == -INFINITY && loss->dual_high == INFINITY) return false; /* a parabola: one step is enough */
    return hsp_all_zero(s->point, s->p->design->d) && coarsest(s->p, LAST_A_COLUMN, LAST_ROWS) > 1;
}

/* A step with the gradient of all rows and the factor of the sample: the pass costs a fraction of one with a Gram matrix, and
 * leaves a gap that a single step by the true matrix then closes. */
static int refine_on_sample(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, double *J,
                            hsp_budget *budget) {
    int64_t d = s->p->design->d;
    double slope;
    budget->steps += s->p->design->n;
    if (hsp_survey_evaluate(s->survey, s->point, s->point[d], 0, NULL)) return HSP_EMEMORY;
    if (!(s->survey->J <= *J)) return HSP_OK;
    hsp_newton_linear old = {.gram = linear->gram, .direct = linear->again};
    if (hsp_newton_one_direction(s, &old, state, &slope, budget)) return HSP_EMEMORY;
    *J = s->survey->J;
    for (int64_t j = 0; j <= d; j++) {
        s->trial[j] = s->point[j];
        if (slope < 0 && s->decrease <= MUCH) s->point[j] += s->step[j];
    }
    return HSP_OK;
}

/* The number of whole steps from the optimum of a sample of one row in `every` until the gap is closed; each about squares
 * the gap. */
static int passes_from(const hsp_newton_one *s, int64_t every) {
    double gap = s->survey->J > 0 ? (double)(s->p->design->d * every) / 2 / s->survey->J : 0; /* as a share of J */
    int passes = 0;
    for (; gap > s->rules->tol && passes < 10; passes++) gap = hsp_newton_one_predicted_gap(s, gap);
    return passes;
}

int hsp_newton_one_sample(hsp_newton_one *s, const hsp_newton_linear *linear, void *state, double *J, hsp_budget *budget) {
    int64_t d = s->p->design->d, first = coarsest(s->p, FIRST_A_COLUMN, FIRST_ROWS);
    int64_t last = coarsest(s->p, LAST_A_COLUMN, LAST_ROWS), finest = last < FINEST ? last : FINEST;
    double b = s->point[d];
    bool done = true;
    int status = HSP_OK;
    *J = INFINITY;
    for (int64_t every = first; !status && every >= finest && done && !hsp_budget_out(budget); every /= GROWS) {
        status = survey_sample(s, linear, s->point, every, budget);
        if (!status && every == first) *J = s->survey->J;
        if (!status) status = solve_on_sample(s, linear, state, every, budget, &done);
    }
    for (int64_t j = 0; j <= d; j++) s->trial[j] = j < d ? 0 : b;
    if (status || !done || !linear->again || passes_from(s, finest) == 1) return status;
    return refine_on_sample(s, linear, state, J, budget);
}
