/* The linear systems of newton_one.h by conjugate gradients, for many columns: the Hessian is never formed. The
 * preconditioner is its diagonal with the intercept eliminated, from the weighted variances of the columns. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/hessian.h"
#include "solve/newton/newton_one.h"

enum {
    MOST_PRODUCTS = 400, /* a step */
    FEW_PRODUCTS = 8     /* as long as steps take no more, the diagonal is kept */
};

typedef struct iterated {
    hsp_newton_one one; /* first: see newton_one.h */
    double *diagonal;   /* d, owned */
    double *sums;       /* d, owned: scratch */
} iterated;

static int init_iterated(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    iterated *s = vs;
    if (!HSP_ALLOC_DOUBLES(p->design->d, &s->diagonal, &s->sums)) return hsp_fail_memory(err);
    return hsp_newton_one_init(&s->one, p, rules, start, false, err);
}

static void free_iterated(void *vs) {
    iterated *s = vs;
    hsp_newton_one_free(&s->one);
    HSP_FREE(s->diagonal, s->sums);
}

static void divide_by_diagonal(void *vs, const double *r, double *z) {
    const iterated *s = vs;
    for (int64_t j = 0; j < s->one.p->design->d; j++) z[j] = r[j] / s->diagonal[j];
}

static int solve_by_conjugate_gradients(void *vs, double *step, hsp_budget *budget) {
    iterated *s = vs;
    if (s->one.k < 2 || s->one.products > FEW_PRODUCTS) hsp_newton_one_diagonal(&s->one, s->sums, s->diagonal);
    hsp_inner inner = {.precondition = divide_by_diagonal, .ctx = s, .relative = 0.1, .most = MOST_PRODUCTS};
    hsp_newton_one_solve(&s->one, inner, step, budget);
    return HSP_OK;
}

static hsp_step step_iterated(void *vs, hsp_budget *budget) {
    iterated *s = vs;
    hsp_newton_linear linear = {.gram = false, .direct = solve_by_conjugate_gradients};
    return hsp_newton_one_step(&s->one, &linear, s, budget);
}

const hsp_solver hsp_newton_one_cg = {.state_size = sizeof(iterated),
                                      .init = init_iterated,
                                      .step = step_iterated,
                                      .export = hsp_newton_one_export,
                                      .measured = hsp_newton_one_measured,
                                      .free = free_iterated};
