/* What one pass over the data tells at a point, for problems of one output with a curved loss and a penalty without L1
 * part: the figures, the gradient and the curvature (with the Gram matrix, when wanted) of
 *
 *     J(w, b) = |w|^2 mu / 2 + sum_i c_i loss(y_i, g_i),   mu = 1 / C,   P = C J,
 *
 * and, when the point was reached by a step of Newton's method, the lower bound that the step itself proves. The step's
 * quadratic model foresees the slopes at its end, r_i = -loss'_i - loss''_i (change of g_i). They make sum_i k_i r_i x_i
 * equal to the weights there but for the residual of the linear system, so the bound lacks only terms of higher order,
 * however badly the columns are scaled, while the plain slopes at a point lack |gradient|^2 / 2. */
#ifndef HSP_PROBLEM_SURVEY_H
#define HSP_PROBLEM_SURVEY_H

#include "design/sweep.h"
#include "halfspace.h"
#include "problem/problem.h"

/* How the present pass goes: from what was asked of it (HSP_LOOK_*). */
typedef struct hsp_survey_pass {
    bool foresee, careful, along, walked;
    double tilt;   /* the derivative of J in the intercept */
    double shift;  /* of the intercept, by which multipliers are moved so that they sum to 0 */
    int64_t every; /* of a sample; 0 or 1: the look is at all rows */
    double up;     /* rows that each one looked at stands for */
} hsp_survey_pass;

typedef struct hsp_survey {
    hsp_problem *p;   /* borrowed */
    hsp_sweep *sweep; /* owned */
    double mu;
    /* at the point looked at last; all arrays are owned */
    hsp_evaluation at;
    double J;
    double *g;          /* d + 1: gradient of J; the last is 0 without an intercept */
    double *scores;     /* n */
    double *slopes, *h; /* n: c_i loss'_i and c_i loss''_i */
    double mass, *mean; /* sum_i h_i; d: sum_i h_i x_i / mass */
    double *G;          /* d x d: sum_i h_i (x_i - mean)(x_i - mean)', not centred without an intercept ... */
    bool has_rest;      /* the gradient, mass and mean are those of the point */
    bool has_gram;      /* ... when it is filled in; NULL: never */
    double *before;     /* n: scores at the point before */
    double t;           /* the share of the way from there that was gone */
    double bound;       /* of P, from alpha; 0: alpha is all 0 */
    double *alpha;      /* n: feasible multipliers r_i */
    hsp_survey_pass pass;
    /* scratch */
    double *pull, *lean;             /* n: c_i alpha_i (alpha itself without weights); n: h at the point before */
    double *v, *w;                   /* 2 d; d: the point */
    struct hsp_survey_share *shares; /* one a block */
} hsp_survey;

int hsp_survey_new(hsp_problem *p, bool gram, hsp_survey **out, hsp_error **err);
void hsp_survey_free(hsp_survey *s);

/* How to look at a point. */
enum {
    HSP_LOOK_GRAM = 1,    /* with the Gram matrix */
    HSP_LOOK_BOUND = 2,   /* with the bound that the step from the last point proves; else the bound stays as it was */
    HSP_LOOK_BARE = 4,    /* only the figures and the bound: the rest is left to hsp_survey_complete */
    HSP_LOOK_STEP = 8,    /* the point is the end of a whole step from the last one, whose scores become those before */
    HSP_LOOK_ALONG = 16,  /* it is a share s->t of the way from the scores before to those aimed at or looked at */
    HSP_LOOK_WALKED = 32, /* its scores are those that hsp_survey_walk left, or what became of them since */
    HSP_LOOK_CAREFUL = 64 /* logistic: a row on the wrong side has a slope but next to no curvature, and the quadratic model
                           * would send it anywhere. It is given the curvature of the parabola that touches the loss at its
                           * margin m and at -m, tanh(m/2) / (2 m), which lies above the loss everywhere (Jaakkola and
                           * Jordan 2000). */
};
/* Looks at (w, b). With HSP_LOOK_STEP the point looked at last is the one before; HSP_OK or HSP_EMEMORY. */
int hsp_survey_look(hsp_survey *s, const double *w, double b, unsigned how, hsp_error **err);
/* Looks at (w, b) with one block of rows in `every`, each of its rows standing for several: J, the gradient, the curvature
 * and the Gram matrix (with HSP_LOOK_GRAM, which is all that may be asked) as that sample has them. There is no bound, and
 * no row has scores to go on from: the next look but for such ones must be one at a point by itself. */
int hsp_survey_sample(hsp_survey *s, const double *w, double b, unsigned how, int64_t every, hsp_error **err);
/* Only the scores at (w, b), the whole step from the point looked at last: for a search along it, after which one looks
 * with HSP_LOOK_ALONG at the point s->t of the way. */
void hsp_survey_aim(hsp_survey *s, const double *w, double b);
/* Back to the point before the last step: its scores are the present ones again. */
void hsp_survey_return(hsp_survey *s);
/* Goes a share t of the way to what was aimed at, and notes what the step foresaw if it is to be bounded: the scores, which
 * the caller may change as the point changes before it looks with HSP_LOOK_WALKED. */
double *hsp_survey_walk(hsp_survey *s, double t, bool bound);
/* What is not there yet of the point looked at last: the gradient, the mean, and with `gram` the Gram matrix. */
int hsp_survey_complete(hsp_survey *s, bool gram, hsp_error **err);
/* The sum of losses, and its derivative in t, a share t of the way from the scores before to those aimed at or looked at:
 * one line of a search, without a look at the data. Leaves t in s->t. */
double hsp_survey_line(hsp_survey *s, double t, double *derivative);
/* The bound from the slopes at the point itself: for where the gradient vanishes. */
void hsp_survey_settle(hsp_survey *s);

#endif
