/* Evaluates a point in one pass over the data, for problems of one output with a curved loss and a penalty without L1 part:
 * figures, gradient and curvature (and the Gram matrix, on request) of
 *
 *     J(w, b) = |w|^2 mu / 2 + sum_i c_i loss(y_i, g_i),   mu = 1 / C,   P = C J,
 *
 * and, if the point was reached by a Newton step, the lower bound that the step itself proves. The step's quadratic model
 * predicts the slopes at its end:
 *
 *     r_i = -loss'_i - loss''_i (change of g_i)
 *
 * With them sum_i k_i r_i x_i equals the weights there up to the residual of the linear system. So the error of the bound is
 * of higher order, however badly the columns are scaled, while that of the plain slopes at a point is |gradient|^2 / 2. */
#ifndef HSP_PROBLEM_SURVEY_H
#define HSP_PROBLEM_SURVEY_H

#include "design/sweep.h"
#include "halfspace.h"
#include "problem/problem.h"

/* The present pass. */
typedef struct hsp_survey_pass {
    bool predict, majorised, along, moved; /* as requested by HSP_SURVEY_*; predict: the bound */
    double tilt;                           /* the derivative of J in the intercept */
    double shift;                          /* of the intercept, by which multipliers are moved so that they sum to 0 */
    int64_t every;                         /* of a sample: one block of rows in `every`; 0 or 1: all rows */
    double scale;                          /* rows / rows of the sample */
} hsp_survey_pass;

/* To save memory, the problem's own arrays are a part of it: within a step its scores are those at the previous point,
 * `before`, and its slopes h there. */
typedef struct hsp_survey {
    hsp_problem *p;   /* borrowed */
    hsp_sweep *sweep; /* owned */
    double mu;
    /* at the point evaluated last; all arrays are owned */
    hsp_evaluation at;
    double J;
    double *g;          /* d + 1: gradient of J; the last is 0 without an intercept */
    double *scores;     /* n */
    double *slopes, *h; /* n: c_i loss'_i and c_i loss''_i */
    double mass, *mean; /* sum_i h_i; d: sum_i h_i x_i / mass */
    double *G; /* d x d: sum_i h_i (x_i - mean)(x_i - mean)', not centred without an intercept; NULL: never wanted */
    bool has_gradient; /* gradient, mass and mean are those of the point */
    bool has_gram;     /* so is G */
    double t;          /* length of the last step, as a share of the whole */
    double bound;      /* of P, from alpha; 0: alpha is all 0 */
    double *alpha;     /* n: feasible multipliers r_i */
    hsp_survey_pass pass;
    /* scratch */
    double *c_alpha;  /* n: c_i alpha_i (alpha itself without weights) */
    double *h_before; /* n: h at the previous point; the problem's slopes */
    double *v, *w;    /* 2 d; d: the point */
    struct hsp_survey_block *blocks; /* sums, one for each block of rows */
} hsp_survey;

int hsp_survey_new(hsp_problem *p, bool gram, hsp_survey **out, hsp_error **err);
void hsp_survey_free(hsp_survey *s);

/* What to evaluate, and where the scores come from. */
enum {
    HSP_SURVEY_GRAM = 1,    /* with the Gram matrix */
    HSP_SURVEY_BOUND = 2,   /* with the bound that the step from the last point proves; else the bound stays as it was */
    HSP_SURVEY_FIGURES = 4, /* figures and bound only: hsp_survey_complete computes the rest if it is needed */
    HSP_SURVEY_STEP = 8,    /* the point is the end of a whole step from the last one, whose scores become `before` */
    HSP_SURVEY_ALONG = 16,  /* the point lies on the line from the scores `before` to the present ones, at the share s->t */
    HSP_SURVEY_MOVED = 32,  /* the scores are those that hsp_survey_move returned, as the caller has changed them */
    HSP_SURVEY_MAJORISED = 64 /* logistic: hsp_majorant in place of the curvature of rows on the wrong side */
};
/* Evaluates (w, b). HSP_OK or HSP_EMEMORY. */
int hsp_survey_evaluate(hsp_survey *s, const double *w, double b, unsigned how, hsp_error **err);
/* Estimates J, gradient, curvature and (with HSP_SURVEY_GRAM, the only flag allowed) the Gram matrix at (w, b) from a sample:
 * one block of rows in `every`. There is no bound, and the scores are those of the sample only: the next evaluation of all
 * rows must compute its scores (no STEP, ALONG or MOVED). */
int hsp_survey_sample(hsp_survey *s, const double *w, double b, unsigned how, int64_t every, hsp_error **err);
/* Computes only the scores at (w, b), the end of the whole step from the last point: for a line search, after which
 * HSP_SURVEY_ALONG evaluates the point at the share s->t. */
void hsp_survey_score_step(hsp_survey *s, const double *w, double b);
/* Back to the point before the last step: its scores are the present ones again. */
void hsp_survey_undo_step(hsp_survey *s);
/* Moves the scores to the share t of the scored step and, with `bound`, predicts the multipliers. Returns the scores: the
 * caller may change them together with the point before it evaluates that with HSP_SURVEY_MOVED. */
double *hsp_survey_move(hsp_survey *s, double t, bool bound);
/* Computes what is missing at the last point: gradient, mean and, with `gram`, the Gram matrix. */
int hsp_survey_complete(hsp_survey *s, bool gram, hsp_error **err);
/* The sum of losses, and its derivative in t, at the share t of the way from the scores `before` to the present ones: for
 * line searches, without a pass over the data. Leaves t in s->t. */
double hsp_survey_line(hsp_survey *s, double t, double *derivative);
/* The bound from the slopes at the point itself: for where the gradient vanishes. */
void hsp_survey_bound_of_slopes(hsp_survey *s);

#endif
