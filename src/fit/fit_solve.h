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

/* The threads of the fit: 1 for small data, where waking the others takes longer than the work. */
int hsp_fit_threads(const hsp_fit *f);
/* Sets the rules from the options (rate, decay and batch stay NaN or 0 where they are `auto`). */
void hsp_fit_rules(hsp_fit *f);
/* Looks up loss, penalty and solver by name; fails if one does not exist or they do not fit together. */
int hsp_fit_choose(hsp_fit *f, hsp_error **err);
/* HSP_EUSAGE when the option was given but has no effect; remedy: "without a penalty: add --penalty l2". */
int hsp_fit_check_idle(const hsp_fit *f, const char *option, bool used, const char *remedy, hsp_error **err);
/* For --solver auto: sets the solver and rules.next for problems of `outputs` outputs, by loss, penalty, design and
 * rules.tol, and logs the choice (--verbose). May reject a solver that the user named. */
int hsp_fit_choose_solver(hsp_fit *f, int64_t outputs, hsp_error **err);

/* ---- the problems ---- */

/* The targets of output k for the squared loss and all margin losses: -1 or +1, or the target values of a regression. */
void hsp_fit_targets(const hsp_fit *f, int64_t k, double *y);
/* Creates the problem of the fit's loss and penalty over a design of its rows, with the options' intercept, C and lambda.
 * The caller fills in y, and always frees *p. */
int hsp_fit_pose_over(const hsp_fit *f, hsp_design *design, int64_t outputs, hsp_problem **p, hsp_error **err);
/* The same over the fit's own design; also sets C and lambda of the formulation. */
int hsp_fit_pose(hsp_fit *f, int64_t outputs, hsp_problem **p, hsp_error **err);
/* Takes the numbers of --init; HSP_EUSAGE if they do not fit the columns. Without such numbers it does nothing. */
int hsp_fit_take_start(hsp_fit *f, hsp_error **err);
/* Solves one problem for each output. */
int hsp_fit_solve(hsp_fit *f, hsp_error **err);
/* Solves one problem of all outputs together, with a loss of K scores. */
int hsp_fit_solve_joint(hsp_fit *f, hsp_error **err);
/* Fits a regression loss by an iterative solver, to a certified gap. */
int hsp_fit_regression(hsp_fit *f, hsp_error **err);
/* Fits gradient-descent, sgd and minibatch: looks up loss, penalty and solver, sets the rates, and solves. */
int hsp_fit_descent(hsp_fit *f, hsp_error **err);

/* Centres the design if dense columns lie far from 0; else does nothing. With a free intercept this does not change the
 * fit. Constant columns become 0, and so do their weights. Always call hsp_fit_restore afterwards. */
typedef struct hsp_recentred {
    hsp_design *before;     /* the fit's own design, kept meanwhile */
    hsp_design *design;     /* owned: the design that the fit uses meanwhile */
    double *shift, *factor; /* owned */
    hsp_column_stats stats;
} hsp_recentred;
int hsp_fit_recentre(hsp_fit *f, hsp_recentred *c, hsp_error **err);
void hsp_fit_restore(hsp_fit *f, hsp_recentred *c);

/* ---- points and multipliers ---- */

/* Set the start and correct the end of output k of a fit on a path of decreasing lambda (fit_path.c). Other fits are left
 * unchanged. */
void hsp_fit_path_begin(const hsp_fit *f, const hsp_problem *p, int64_t k, hsp_point *point);
int hsp_fit_path_finish(const hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *o, hsp_error **err);
/* Allocate the multipliers of a run in `point` if its problem has a dual; and store the final ones in f->out.dual, from
 * output `first` on. */
int hsp_fit_dual_begin(const hsp_fit *f, const hsp_problem *p, hsp_point *point, hsp_error **err);
int hsp_fit_dual_keep(hsp_fit *f, const hsp_problem *p, hsp_point *point, int64_t first, hsp_error **err);

#endif
