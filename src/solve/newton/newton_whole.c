/* Newton's method with the whole Hessian, for several outputs or without a penalty, and few columns. The factor is the
 * preconditioner of one or a few steps of conjugate gradients, which correct its rounding errors. To a Hessian that is
 * singular up to rounding a multiple of the identity is added: the step is then nearly the shortest.
 *
 * Of many rows, the Hessian of several outputs costs as much as dozens of products with it: K (K + 1) / 2 Gram matrices. That
 * of a sample of the rows is then the preconditioner of a few more products. */
#include "base/error.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/whole_factor.h"
#include "solve/newton/whole_sample.h"

typedef struct whole {
    hsp_newton core; /* first: see newton_core.h */
    hsp_whole_factor factor;
    hsp_whole_sample sample;
    bool sampled;
} whole;

static int init_whole(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    whole *s = vs;
    int status = hsp_newton_init(&s->core, p, rules, start, err);
    if (status) return status;
    int64_t rows = p->penalty->penalises ? hsp_whole_sample_size(p) : 0;
    s->sampled = rows > 0;
    if (s->sampled && hsp_whole_sample_init(&s->sample, &s->core.H, rows)) return hsp_fail_memory(err);
    const hsp_hessian *H = s->sampled ? &s->sample.H : &s->core.H;
    return hsp_whole_factor_init(&s->factor, H) ? hsp_fail_memory(err) : HSP_OK;
}

static void free_whole(void *vs) {
    whole *s = vs;
    hsp_newton_free(&s->core);
    hsp_whole_sample_free(&s->sample);
    hsp_whole_factor_free(&s->factor);
}

static int make_whole(void *vs) {
    whole *s = vs;
    if (s->sampled) hsp_whole_sample_draw(&s->sample, s->core.rules->seed, s->core.k);
    return hsp_whole_factor_make(&s->factor);
}

static void solve_whole(void *vs, const double *r, double *z) {
    whole *s = vs;
    hsp_whole_factor_solve(&s->factor, r, z);
}

static hsp_step step_whole(void *vs, hsp_budget *budget) {
    enum { MOST_EXACT = 30, MOST_SAMPLED = 400 }; /* products of a step */
    whole *s = vs;
    hsp_inner inner = {.precondition = solve_whole, .ctx = s, .relative = 1e-3, .most = MOST_EXACT};
    if (s->sampled) inner.relative = 0.05, inner.most = MOST_SAMPLED;
    return hsp_newton_step(&s->core, make_whole, inner, budget);
}

const hsp_solver hsp_newton_whole = {.state_size = sizeof(whole),
                                     .init = init_whole,
                                     .step = step_whole,
                                     .export = hsp_newton_export,
                                     .diverging = hsp_newton_diverging,
                                     .measured = hsp_newton_measured,
                                     .free = free_whole};
