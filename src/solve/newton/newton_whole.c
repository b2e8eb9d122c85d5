/* Newton's method with the whole Hessian, for several outputs or without a penalty, and few columns: X' A X by weighted Gram
 * matrices, columns scaled to a diagonal of ones (Jacobi), Cholesky. The factor is the preconditioner of one or a few steps of
 * conjugate gradients, which correct its rounding errors. To a Hessian that is singular up to rounding a growing multiple of
 * the identity is added until it can be factorised: the step is then nearly the shortest. With softmax the Hessian has K x K
 * blocks
 *
 *     sum_i c_i p_k (1[k = l] - p_l) (x_i - m)(x_i - m)'
 *
 * with the rows centred at one m for all blocks, so that large means do not cost accuracy. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/newton_factor.h"

typedef struct whole {
    hsp_newton core; /* first: see newton_core.h */
    int64_t size;    /* K d */
    double *A;       /* size x size; all arrays are owned */
    double *G;       /* d x d: one block; NULL for one output */
    double *scale;   /* size */
    double *h;       /* n: weights of a block */
    double *m;       /* d: centre */
    double *border;  /* size x K: the intercepts' part; NULL for one output */
    double *solved;  /* size x K */
} whole;

static int init_whole(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    whole *s = vs;
    int64_t n = p->design->n, d = p->design->d, K = p->outputs;
    s->size = K * d;
    int status = hsp_newton_init(&s->core, p, rules, start, err);
    if (status) return status;
    bool allocated = HSP_ALLOC_DOUBLES(s->size * s->size, &s->A) && HSP_ALLOC_DOUBLES(s->size, &s->scale) &&
                     HSP_ALLOC_DOUBLES(n, &s->h) && HSP_ALLOC_DOUBLES(d, &s->m) &&
                     HSP_ALLOC_DOUBLES(K > 1 ? d * d : -1, &s->G) &&
                     HSP_ALLOC_DOUBLES(K > 1 ? s->size * K : -1, &s->border, &s->solved);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

static void free_whole(void *vs) {
    whole *s = vs;
    hsp_newton_free(&s->core);
    HSP_FREE(s->A, s->G, s->scale, s->h, s->m, s->border, s->solved);
}

/* One output: A = sum_i h_i (x_i - m)(x_i - m)' with m the mean weighted by h. A penalised intercept undoes a part of the
 * centring. */
static int sum_centred_products(whole *s) {
    hsp_newton *core = &s->core;
    const hsp_design *D = core->p->design;
    double *m = core->H.intercepts ? s->m : NULL, S = hsp_sum_f64(core->H.a, D->n);
    if (m) {
        hsp_design_adjoint(D, core->H.a, m);
        hsp_scale_f64(S > 0 ? 1 / S : 0, m, D->d);
    }
    int status = hsp_design_gram(D, core->H.a, m, NULL, 1, s->A, NULL);
    if (!status && core->p->intercept == HSP_INTERCEPT_PENALISED) {
        double back = S * core->p->lambda / (S + core->p->lambda);
        for (int64_t j = 0; j < D->d; j++) hsp_axpy_f64(back * m[j], m, s->A + j * D->d, D->d);
    }
    return status;
}

/* A -= border B^+ border': the intercepts eliminated. */
static void eliminate_intercepts(whole *s) {
    int64_t K = s->core.p->outputs;
    for (int64_t j = 0; j < s->size * K; j++) s->solved[j] = s->border[j];
    hsp_cholesky_solve(s->core.H.B, K, s->solved, s->size);
    for (int64_t i = 0; i < s->size; i++)
        for (int64_t j = 0; j < s->size; j++) s->A[i * s->size + j] -= hsp_dot_f64(s->border + i * K, s->solved + j * K, K);
}

/* The same change of all classes' weights changes no probability: some curvature is added in that direction, so that rounding
 * is not amplified. It has no effect on changes that sum to 0 over the classes, and there are no others. */
static void stiffen_common_change(whole *s) {
    int64_t d = s->core.p->design->d, K = s->core.p->outputs, N = s->size;
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t k = 0; k < K; k++) mean += s->A[(k * d + j) * N + k * d + j] / (double)K;
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < K; l++) s->A[(k * d + j) * N + l * d + j] += mean / (double)K;
    }
}

/* K outputs: the blocks of A, and of the border sum_i A_i (x_i - m). */
static int sum_class_blocks(whole *s) {
    const hsp_problem *p = s->core.p;
    const hsp_design *D = p->design;
    int64_t d = D->d, K = p->outputs, size = s->size;
    double mass;
    int status = hsp_design_group_sums(D, p->c, NULL, 1, &mass, s->m, NULL);
    hsp_scale_f64(1 / mass, s->m, d);
    for (int64_t k = 0; !status && k < K; k++)
        for (int64_t l = 0; !status && l <= k; l++) {
            double sign = k == l ? 1 : -1;
            for (int64_t i = 0; i < D->n; i++) { /* weights of the block without its sign */
                const double *q = s->core.H.a + i * K;
                s->h[i] = s->core.H.weight[i] * q[k] * (k == l ? 1 - q[k] : q[l]);
            }
            status = hsp_design_gram(D, s->h, s->m, NULL, 1, s->G, NULL);
            for (int64_t i = 0; i < d; i++)
                for (int64_t j = 0; j < d; j++)
                    s->A[(k * d + i) * size + l * d + j] = s->A[(l * d + j) * size + k * d + i] = sign * s->G[i * d + j];
            if (!status) status = hsp_design_group_sums(D, s->h, NULL, 1, &mass, s->G, NULL);
            for (int64_t i = 0; i < d; i++) {
                double v = sign * (s->G[i] - mass * s->m[i]);
                s->border[(k * d + i) * K + l] = s->border[(l * d + i) * K + k] = v;
            }
        }
    if (!status && s->core.H.intercepts) eliminate_intercepts(s);
    if (!status) stiffen_common_change(s);
    return status;
}

static int factorise_hessian(void *vs) {
    whole *s = vs;
    int status = s->core.p->outputs == 1 ? sum_centred_products(s) : sum_class_blocks(s);
    bool exact;
    return status ? status : hsp_newton_factorise(s->A, s->size, s->core.p->lambda, s->scale, &exact);
}

static void solve_by_factor(void *vs, const double *r, double *z) {
    whole *s = vs;
    hsp_newton_factor_solve(s->A, s->size, s->scale, r, z);
    if (s->core.p->outputs > 1) hsp_hessian_centre(&s->core.H, z);
}

static hsp_step step_whole(void *vs, hsp_budget *budget) {
    whole *s = vs;
    hsp_inner inner = {.precondition = solve_by_factor, .ctx = s, .relative = 1e-3, .most = 30};
    return hsp_newton_step(&s->core, factorise_hessian, inner, budget);
}

const hsp_solver hsp_newton_whole = {.state_size = sizeof(whole),
                                     .init = init_whole,
                                     .step = step_whole,
                                     .export = hsp_newton_export,
                                     .diverging = hsp_newton_diverging,
                                     .free = free_whole};
