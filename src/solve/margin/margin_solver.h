/* Solvers for run.c made of the methods of margin.h: one that comes near the optimum from anywhere, then the finish, which
 * is exact from nearby. Where the finish fails the first method goes on to a nearer point and the finish has another try;
 * interior point, from its own start, takes the place of a first method that has come to its end. */
#ifndef HSP_SOLVE_MARGIN_MARGIN_SOLVER_H
#define HSP_SOLVE_MARGIN_MARGIN_SOLVER_H

#include "halfspace.h"
#include "loss/loss.h"
#include "problem/margin_values.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/margin.h"

/* Up to so many columns methods of second order solve a system in the columns. */
enum { HSP_MARGIN_FEW_COLUMNS = 3000 };

/* How a solver is made. */
typedef struct hsp_margin_plan {
    const char *name; /* of the solver, and of its first method in reports */
    const hsp_margin_method *first;
    double hand_over; /* gap from which the finish is sure enough; 0: the first method is the finish, from afar */
    bool gives_way;   /* to rules->next, where that is another solver, when the first method gets nowhere */
} hsp_margin_plan;

typedef struct hsp_margin_solver {
    const hsp_margin_plan *plan;
    hsp_problem *p;
    const hsp_rules *rules;
    hsp_margin m;
    double *upper, *ridge;    /* owned: n; ridge NULL for losses without */
    hsp_margin_point between; /* owned: what goes from one method to the other, and out */
    double *out_w;            /* borrowed: the weights exported last */
    const hsp_margin_method *first;
    void *near, *finish;   /* owned: states; finish NULL while there is none */
    double hand_over;      /* gap at which the finish has its try */
    hsp_step first_result; /* MORE while the first method can go on */
    int tries, vain;       /* of the finish; its steps since its gap was halved */
    double finish_gap;     /* then */
    bool rescued;          /* interior point is the first method by now */
    bool ended;            /* no way is left to go */
} hsp_margin_solver;

/* The start of a problem as that of its program, into arrays that `out` has; false: it has no multipliers. And the point of a
 * program as that of its problem, but for the weights. */
bool hsp_margin_start(const hsp_problem *p, const double *upper, const hsp_point *start, hsp_margin_point *out);
void hsp_margin_give(const hsp_problem *p, const hsp_margin_point *from, hsp_point *out);
/* Whether a loss is one that a plan takes, with a pure L2 penalty: HSP_OK, or HSP_EUSAGE with the reason. */
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

/* What the descriptors of such solvers share. */
#define HSP_MARGIN_SOLVER                                                                                        \
    .done = "gradient", .needs = HSP_LOSS_SLOPE | HSP_LOSS_DUAL, .smooth_penalty = true, .proposes = true,       \
    .state_size = sizeof(hsp_margin_solver), .step = hsp_margin_solver_step, .export = hsp_margin_solver_export, \
    .measured = hsp_margin_solver_measured, .peek = hsp_margin_solver_peek, .method = hsp_margin_solver_method,  \
    .free = hsp_margin_solver_free

#endif
