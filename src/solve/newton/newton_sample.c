/* Where Newton's method begins when there are many more rows than columns: at the optimum of a sample of them, to what the
 * sample can tell, found by way of smaller samples. A sample of m rows leaves about d / 2 of the sum of m losses to gain,
 * so each size asks for one step from the point that the size before has found, and all of them together cost less than
 * half a pass. What the steps before that from 0 would have cost in whole passes is saved. On samples that grow see L.
 * Bottou, F. Curtis, J. Nocedal, Optimization methods for large-scale machine learning, SIAM Review 60 (2018), section 5.
 */
#include "loss/loss.h"
#include "problem/problem.h"
#include "problem/survey.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_one.h"

#include <math.h>

enum { GROWS = 4, FINEST = 16, COARSEST = 1 << 12, MOST_STEPS = 12, MOST_CUTS = 5 };
/* Rows of a sample, for each column and at least: of the last one, from which all rows are to profit, and of the first. */
enum { LAST_A_COLUMN = 50, LAST_ROWS = 4096, FIRST_A_COLUMN = 10, FIRST_ROWS = 2048 };
/* Steps that promise more than this share of J are looked at before one goes on to more rows. */
static const double MUCH = 1e-2;
static const double KEPT = 0.1, CUT = 0.25;

/* The smallest sample that has so many rows is one row in so many; 1: none has. */
static int64_t coarsest(const hsp_problem *p, int64_t a_column, int64_t rows) {
    int64_t n = p->design->n, least = a_column * p->design->d > rows ? a_column * p->design->d : rows, every = 1;
    while (every < COARSEST && n / (every * GROWS) >= least) every *= GROWS;
    return every;
}

static int survey_sample(hsp_newton_one *s, const hsp_newton_way *way, const double *at, int64_t every,
                         hsp_budget *budget) {
    int64_t d = s->p->design->d;
    budget->steps += s->p->design->n / every;
    return hsp_survey_sample(s->survey, at, at[d], way->gram ? HSP_SURVEY_GRAM : 0, every, NULL);
}

/* A step that promises much, as long as it keeps a share of that. */
static int move_on_sample(hsp_newton_one *s, const hsp_newton_way *way, double slope, int64_t every, hsp_budget *budget,
                          bool *moved) {
    int64_t d = s->p->design->d;
    double J = s->survey->J, t = 1;
    *moved = false;
    for (int cut = 0; cut < MOST_CUTS && !*moved; cut++, t *= CUT) {
        for (int64_t j = 0; j <= d; j++) s->trial[j] = s->point[j] + t * s->step[j];
        if (survey_sample(s, way, s->trial, every, budget)) return HSP_EMEMORY;
        *moved = s->survey->J <= J + KEPT * t * slope;
    }
    if (!*moved) return HSP_OK;
    double *swap = s->point;
    s->point = s->trial;
    s->trial = swap;
    return HSP_OK;
}

/* With one sample, until steps promise little; the last is taken without a look at its end. */
static int solve_on_sample(hsp_newton_one *s, const hsp_newton_way *way, void *state, int64_t every, hsp_budget *budget,
                           bool *done) {
    int64_t d = s->p->design->d;
    *done = false;
    for (int k = 0; k < MOST_STEPS; k++) {
        double slope;
        bool moved;
        if (!isfinite(s->survey->J)) return HSP_OK;
        if (hsp_newton_one_direction(s, way, state, &slope, budget)) return HSP_EMEMORY;
        if (!isfinite(slope) || !(slope < 0)) return HSP_OK;
        if (s->decrease <= MUCH) {
            for (int64_t j = 0; j <= d; j++) s->point[j] += s->step[j];
            *done = true;
            return HSP_OK;
        }
        int status = move_on_sample(s, way, slope, every, budget, &moved);
        if (status || !moved) return status;
    }
    return HSP_OK;
}

bool hsp_newton_one_samples(const hsp_newton_one *s) {
    const hsp_loss *loss = s->p->loss;
    if (loss->dual_low == -INFINITY && loss->dual_high == INFINITY) return false; /* a parabola: one step is enough */
    for (int64_t j = 0; j < s->p->design->d; j++)
        if (s->point[j] != 0) return false; /* somebody has been here before */
    return coarsest(s->p, LAST_A_COLUMN, LAST_ROWS) > 1;
}

/* A step for all rows by the factor of the sample, which is near enough: the pass costs a fraction of one with a Gram
 * matrix, and leaves a share of the gap that the one step by the true matrix then closes. */
static int refine_on_sample(hsp_newton_one *s, const hsp_newton_way *way, void *state, double *J, hsp_budget *budget) {
    int64_t d = s->p->design->d;
    double slope;
    budget->steps += s->p->design->n;
    if (hsp_survey_evaluate(s->survey, s->point, s->point[d], 0, NULL)) return HSP_EMEMORY;
    if (!(s->survey->J <= *J)) return HSP_OK;
    hsp_newton_way old = {.gram = way->gram, .direct = way->again};
    if (hsp_newton_one_direction(s, &old, state, &slope, budget)) return HSP_EMEMORY;
    *J = s->survey->J;
    for (int64_t j = 0; j <= d; j++) {
        s->trial[j] = s->point[j];
        if (slope < 0 && s->decrease <= MUCH) s->point[j] += s->step[j];
    }
    return HSP_OK;
}

/* Whole steps from the optimum of a sample of one row in `every` until the gap is closed, each leaving about its square. */
static int passes_from(const hsp_newton_one *s, int64_t every) {
    double gap = s->survey->J > 0 ? (double)(s->p->design->d * every) / 2 / s->survey->J : 0; /* as a share of J */
    int passes = 0;
    for (; gap > s->rules->tol && passes < 10; passes++) gap = hsp_newton_one_foreseen(s, gap);
    return passes;
}

int hsp_newton_one_sample(hsp_newton_one *s, const hsp_newton_way *way, void *state, double *J, hsp_budget *budget) {
    int64_t d = s->p->design->d, first = coarsest(s->p, FIRST_A_COLUMN, FIRST_ROWS);
    int64_t last = coarsest(s->p, LAST_A_COLUMN, LAST_ROWS), finest = last < FINEST ? last : FINEST;
    double b = s->point[d];
    bool done = true;
    int status = HSP_OK;
    *J = INFINITY;
    for (int64_t every = first; !status && every >= finest && done && !hsp_budget_out(budget); every /= GROWS) {
        status = survey_sample(s, way, s->point, every, budget);
        if (!status && every == first) *J = s->survey->J;
        if (!status) status = solve_on_sample(s, way, state, every, budget, &done);
    }
    for (int64_t j = 0; j <= d; j++) s->trial[j] = j < d ? 0 : b;
    if (status || !done || !way->again || passes_from(s, finest) == 1) return status;
    return refine_on_sample(s, way, state, J, budget);
}
