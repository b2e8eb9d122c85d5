/* Solvers for run.c made of the methods of margin.h: a first method that approaches the optimum from any start, then the
 * finish, which is exact from nearby. If the finish fails, the first method continues to a nearer point and the finish is
 * tried again. Interior point, from its own start, replaces a first method that can make no more progress. */
#ifndef HSP_SOLVE_MARGIN_MARGIN_SOLVER_H
#define HSP_SOLVE_MARGIN_MARGIN_SOLVER_H

#include "halfspace.h"
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/margin/margin.h"

/* Up to this many columns second-order methods solve a system in the columns. */
enum { HSP_MARGIN_FEW_COLUMNS = 3000 };

/* The recipe of a solver. */
typedef struct hsp_margin_plan {
    const char *name; /* of the solver, and of its first method in reports */
    const hsp_margin_method *first;
    double hand_over; /* gap below which the finish is reliable; 0: the finish itself is the first method, from any start */
    bool gives_way;   /* to rules->next, if that is another solver, when the first method stalls */
} hsp_margin_plan;

typedef struct hsp_margin_solver {
    const hsp_margin_plan *plan;
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_margin m;
    double *upper, *ridge;    /* owned: n; ridge NULL for losses without */
    hsp_margin_point between; /* owned: the point passed from one method to the next, and exported */
    double *out_w;            /* borrowed: the weights exported last */
    const hsp_margin_method *first;
    void *near, *finish;   /* owned: states; finish NULL while there is none */
    double hand_over;      /* gap at which the finish is tried */
    hsp_step first_result; /* MORE while the first method can continue */
    int tries, vain;       /* of the finish; its steps since its gap was halved */
    double finish_gap;     /* the gap then */
    bool rescued;          /* interior point has replaced the first method */
    bool ended;            /* nothing is left to try */
} hsp_margin_solver;

/* Converts the start of a problem to that of its program, into the arrays of `out`; false: it has no multipliers. And the
 * point of a program to that of its problem, except for the weights. */
bool hsp_margin_start(const hsp_problem *p, const double *upper, const hsp_point *start, hsp_margin_point *out);
void hsp_margin_give(const hsp_problem *p, const hsp_margin_point *from, hsp_point *out);
/* Whether the solver of a plan can solve a problem, by its loss and penalty: HSP_OK, or HSP_EUSAGE with the reason. */
int hsp_margin_takes(const hsp_margin_plan *plan, const hsp_problem *p, hsp_error **err);
/* The slots of hsp_solver. */
int hsp_margin_solver_init(hsp_margin_solver *s, const hsp_margin_plan *plan, hsp_problem *p, const hsp_rules *rules,
                           const hsp_point *start, hsp_error **err);
hsp_step hsp_margin_solver_step(void *state, hsp_budget *budget);
bool hsp_margin_solver_export(void *state, hsp_which which, hsp_point *out);
bool hsp_margin_solver_measured(void *state, hsp_measured *out);
bool hsp_margin_solver_peek(const void *state, double *w, double *b);
const char *hsp_margin_solver_method(const void *state);
void hsp_margin_solver_free(void *state);

/* The slots that the solvers have in common. */
#define HSP_MARGIN_SOLVER                                                                                        \
    .done = HSP_STOP_GRADIENT, .needs = HSP_LOSS_SLOPE | HSP_LOSS_DUAL, .smooth_penalty = true, .proposes = true,       \
    .state_size = sizeof(hsp_margin_solver), .step = hsp_margin_solver_step, .export = hsp_margin_solver_export, \
    .measured = hsp_margin_solver_measured, .peek = hsp_margin_solver_peek, .method = hsp_margin_solver_method,  \
    .free = hsp_margin_solver_free

#endif
