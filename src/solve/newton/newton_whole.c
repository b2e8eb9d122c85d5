/* Newton's method with the whole Hessian, for several outputs or without a penalty, and few columns. The factor is the
 * preconditioner of one or a few steps of conjugate gradients, which correct its rounding errors. To a Hessian that is
 * singular up to rounding a multiple of the identity is added: the step is then nearly the shortest. */
#include "base/error.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/whole_factor.h"

typedef struct whole {
    hsp_newton core; /* first: see newton_core.h */
    hsp_whole_factor factor;
} whole;

static int init_whole(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    whole *s = vs;
    int status = hsp_newton_init(&s->core, p, rules, start, err);
    if (status) return status;
    return hsp_whole_factor_init(&s->factor, &s->core.H) ? hsp_fail_memory(err) : HSP_OK;
}

static void free_whole(void *vs) {
    whole *s = vs;
    hsp_newton_free(&s->core);
    hsp_whole_factor_free(&s->factor);
}

static hsp_step step_whole(void *vs, hsp_budget *budget) {
    whole *s = vs;
    hsp_inner inner = {.precondition = hsp_whole_factor_solve, .ctx = &s->factor, .relative = 1e-3, .most = 30};
    return hsp_newton_step(&s->core, hsp_whole_factor_make, inner, budget);
}

const hsp_solver hsp_newton_whole = {.state_size = sizeof(whole),
                                     .init = init_whole,
                                     .step = step_whole,
                                     .export = hsp_newton_export,
                                     .diverging = hsp_newton_diverging,
                                     .free = free_whole};
