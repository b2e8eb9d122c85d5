/* The solvers newton and newton-cg. Each has two methods: one for one output and a penalty, where a single pass over the
 * data an iteration does everything (newton_one.h), and one for all else (newton_core.h). */
#include "base/error.h"
#include "base/memory.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/newton_one.h"

typedef struct newton {
    const hsp_solver *method;
    void *state; /* the method's, owned */
} newton;

static int start_method(newton *s, const hsp_solver *method, hsp_problem *p, const hsp_rules *rules, const hsp_point *start,
                        hsp_error **err) {
    s->method = method;
    s->state = hsp_alloc_zero(1, method->state_size);
    return s->state ? method->init(s->state, p, rules, start, err) : hsp_fail_memory(err);
}

static int init_newton(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return start_method(vs, hsp_newton_one_takes(p) ? &hsp_newton_one_factor : &hsp_newton_whole, p, rules, start, err);
}

static int init_newton_cg(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    return start_method(vs, hsp_newton_one_takes(p) ? &hsp_newton_one_cg : &hsp_newton_blocks, p, rules, start, err);
}

static hsp_step step_method(void *vs, hsp_budget *budget) {
    newton *s = vs;
    return s->method->step(s->state, budget);
}

static bool export_method(void *vs, hsp_which which, hsp_point *out) {
    newton *s = vs;
    return s->method->export(s->state, which, out);
}

static bool measured_of_method(void *vs, hsp_measured *out) {
    newton *s = vs;
    return s->method->measured && s->method->measured(s->state, out);
}

static int diverging_of_method(void *vs, int64_t *columns) {
    newton *s = vs;
    return s->method->diverging ? s->method->diverging(s->state, columns) : 0;
}

static void free_method(void *vs) {
    newton *s = vs;
    if (s->state) s->method->free(s->state);
    hsp_free(s->state);
}

/* What both solvers have in common. */
#define NEWTON_SLOTS                                                                                                      \
    .done = HSP_STOP_GRADIENT, .needs = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_CURVED, .many = true,                 \
    .smooth_penalty = true, .proposes = true, .expensive_steps = true, .state_size = sizeof(newton), .step = step_method, \
    .export = export_method, .measured = measured_of_method, .diverging = diverging_of_method, .free = free_method

const hsp_solver hsp_solver_newton = {.name = "newton",
                                      .help = "Newton's method with a factorised Hessian; for few columns",
                                      .without_matrix = "newton-cg",
                                      .init = init_newton,
                                      NEWTON_SLOTS};
const hsp_solver hsp_solver_newton_cg = {.name = "newton-cg",
                                         .help =
                                             "Newton's method with preconditioned conjugate gradients; for many columns",
                                         .init = init_newton_cg,
                                         .together = &hsp_solver_dual,
                                         NEWTON_SLOTS};
