/* From options to rules, from rules to a solver, and from a loss, a penalty and a solver to weights. */
#ifndef HSP_FIT_FIT_SOLVE_H
#define HSP_FIT_FIT_SOLVE_H

#include "design/design.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "prepare/prepare.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

/* ---- the formulation ---- */

/* The rules from the options (the rate, decay and batch stay NaN or 0 where they are `auto`). */
void hsp_fit_rules(hsp_fit *f);
/* The loss, penalty and solver by name, with an explanation when there is none or when they do not fit. */
int hsp_fit_choose(hsp_fit *f, hsp_error **err);
/* For --solver auto: sets the solver and rules.next for problems of that many outputs, by loss, penalty, design and
 * rules.tol; and tells which (--verbose). One that was asked for may be refused. */
int hsp_fit_choose_solver(hsp_fit *f, int64_t outputs, hsp_error **err);

/* ---- its problems ---- */

/* The targets of output k for the squared loss and all margins: -1 or +1, or the numbers to predict. */
void hsp_fit_targets(const hsp_fit *f, int64_t k, double *y);
/* The problem of the fit's loss and penalty over a design of its rows, with the options' intercept, C and lambda; the
 * caller fills in y, and frees *p in any case. */
int hsp_fit_pose_over(const hsp_fit *f, hsp_design *design, int64_t outputs, hsp_problem **p, hsp_error **err);
/* That over the fit's own design; sets C and lambda of the formulation. */
int hsp_fit_pose(hsp_fit *f, int64_t outputs, hsp_problem **p, hsp_error **err);
/* Solves one problem for each output. */
int hsp_fit_solve(hsp_fit *f, hsp_error **err);
/* Solves one problem of all outputs together (the loss is of K scores). */
int hsp_fit_solve_joint(hsp_fit *f, hsp_error **err);
/* gradient-descent, sgd and minibatch: loss, penalty and solver by name, rates decided, then solved. */
int hsp_fit_descent(hsp_fit *f, hsp_error **err);

/* The design about its means, where dense columns lie far from 0 (else nothing is done); a free intercept does not notice.
 * Constant columns become 0, and so do their weights. hsp_fit_restore afterwards, in any case. */
typedef struct hsp_recentred {
    hsp_design *before;     /* the fit's own, kept for it */
    hsp_design *design;     /* owned: what the fit has meanwhile */
    double *shift, *factor; /* owned */
    hsp_column_stats stats;
} hsp_recentred;
int hsp_fit_recentre(hsp_fit *f, hsp_recentred *c, hsp_error **err);
void hsp_fit_restore(hsp_fit *f, hsp_recentred *c);

/* ---- points and multipliers ---- */

/* The start and the end of output k of a fit that is one of several for falling lambda (fit_path.c); others are left as
 * they are. */
void hsp_fit_path_begin(const hsp_fit *f, const hsp_problem *p, int64_t k, hsp_point *point);
int hsp_fit_path_settle(const hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *o, hsp_error **err);
/* Memory for the multipliers of a run, in `point`, when its problem has a dual; and what they came to, as output `first`
 * and those after it of f->out.dual. */
int hsp_fit_dual_begin(const hsp_fit *f, const hsp_problem *p, hsp_point *point, hsp_error **err);
int hsp_fit_dual_keep(hsp_fit *f, const hsp_problem *p, hsp_point *point, int64_t first, hsp_error **err);

#endif
