/* Newton's method with the whole Hessian, for few columns: X' A X by weighted Gram matrices, columns scaled to a diagonal
 * of ones (Jacobi), Cholesky. The factor is the preconditioner of one or a few steps of conjugate gradients, which repair
 * what rounding has spoilt. A Hessian that is singular, or so to rounding, gets a small multiple of the identity added,
 * more and more until it can be factorised: the step is then nearly the shortest. With softmax the Hessian has K x K blocks
 *
 *     sum_i c_i p_k (1[k = l] - p_l) (x_i - m)(x_i - m)'
 *
 * with the rows centred at one m for all blocks, so that large means do not cost digits. */
#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/newton_factor.h"

#include <math.h>

typedef struct state {
    hsp_newton core; /* first: see newton_core.h; not in use when ... */
    hsp_newton_factor one;
    bool single;    /* ... one output is penalised: then it is `one` alone */
    int64_t size;   /* K d */
    double *A;      /* size x size */
    double *G;      /* d x d: one block; NULL for one output */
    double *scale;  /* size */
    double *h;      /* n: weights of a block */
    double *m;      /* d: centre */
    double *border; /* size x K: the intercepts' part; NULL for one output */
    double *solved; /* size x K */
} state;

static int init(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    state *s = vs;
    int64_t n = p->design->n, d = p->design->d, K = p->outputs;
    s->size = K * d;
    s->single = hsp_newton_one_takes(p);
    if (s->single) return hsp_newton_factor_init(&s->one, p, rules, start, err);
    int status = hsp_newton_init(&s->core, p, rules, start, err);
    if (status) return status;
    s->A = hsp_alloc(s->size * s->size, sizeof *s->A);
    s->scale = hsp_alloc(s->size, sizeof *s->scale);
    s->h = hsp_alloc(n, sizeof *s->h);
    s->m = hsp_alloc(d, sizeof *s->m);
    if (!s->A || !s->scale || !s->h || !s->m) return hsp_fail_memory(err);
    if (K == 1) return HSP_OK;
    s->G = hsp_alloc(d * d, sizeof *s->G);
    s->border = hsp_alloc(s->size * K, sizeof *s->border);
    s->solved = hsp_alloc(s->size * K, sizeof *s->solved);
    return s->G && s->border && s->solved ? HSP_OK : hsp_fail_memory(err);
}

static void release(void *vs) {
    state *s = vs;
    if (s->single)
        hsp_newton_factor_free(&s->one);
    else
        hsp_newton_free(&s->core);
    hsp_free(s->A);
    hsp_free(s->G);
    hsp_free(s->scale);
    hsp_free(s->h);
    hsp_free(s->m);
    hsp_free(s->border);
    hsp_free(s->solved);
}

/* One output: A = sum_i h_i (x_i - m)(x_i - m)' with m the mean weighted by h. A penalised intercept gives back a part of
 * what centring takes away. */
static int build_one(state *s) {
    hsp_newton *core = &s->core;
    const hsp_design *D = core->p->design;
    double *m = core->H.offset ? s->m : NULL, S = hsp_sum_f64(core->H.a, D->n);
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

/* h <- weights of the block (k, l) without its sign. */
static void block_weights(state *s, int64_t k, int64_t l) {
    const hsp_problem *p = s->core.p;
    const double *a = s->core.H.a;
    int64_t K = p->outputs;
    for (int64_t i = 0; i < p->design->n; i++) {
        double c = s->core.H.weight[i], q = a[i * K + k];
        s->h[i] = c * q * (k == l ? 1 - q : a[i * K + l]);
    }
}

/* A -= border B^+ border': the intercepts eliminated. */
static void eliminate(state *s) {
    int64_t K = s->core.p->outputs;
    for (int64_t j = 0; j < s->size * K; j++) s->solved[j] = s->border[j];
    hsp_cholesky_solve(s->core.H.B, K, s->solved, s->size);
    for (int64_t i = 0; i < s->size; i++)
        for (int64_t j = 0; j < s->size; j++) s->A[i * s->size + j] -= hsp_dot_f64(s->border + i * K, s->solved + j * K, K);
}

/* The same change of all classes' weights changes no probability: curvature is made up for it, so that rounding does not
 * blow up there. Changes that sum to 0 over the classes, which are all that there are, do not feel it. */
static void stiffen(state *s) {
    int64_t d = s->core.p->design->d, K = s->core.p->outputs, N = s->size;
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t k = 0; k < K; k++) mean += s->A[(k * d + j) * N + k * d + j] / (double)K;
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < K; l++) s->A[(k * d + j) * N + l * d + j] += mean / (double)K;
    }
}

/* K outputs: the blocks of A, and of the border sum_i A_i (x_i - m). */
static int build_many(state *s) {
    const hsp_problem *p = s->core.p;
    const hsp_design *D = p->design;
    int64_t d = D->d, K = p->outputs, size = s->size;
    double mass;
    int status = hsp_design_group_sums(D, p->c, NULL, 1, &mass, s->m, NULL);
    hsp_scale_f64(1 / mass, s->m, d);
    for (int64_t k = 0; !status && k < K; k++)
        for (int64_t l = 0; !status && l <= k; l++) {
            double sign = k == l ? 1 : -1;
            block_weights(s, k, l);
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
    if (!status && s->core.H.offset) eliminate(s);
    if (!status) stiffen(s);
    return status;
}

static int prepare(void *vs) {
    state *s = vs;
    int status = s->core.p->outputs == 1 ? build_one(s) : build_many(s);
    bool exact;
    return status ? status : hsp_newton_factorise(s->A, s->size, s->core.p->lambda, s->scale, &exact);
}

static void precondition(void *vs, const double *r, double *z) {
    state *s = vs;
    hsp_newton_factor_solve(s->A, s->size, s->scale, r, z);
    if (s->core.p->outputs > 1) hsp_hessian_centre(&s->core.H, z);
}

/* ---- the solver ---- */

static hsp_step step(void *vs, hsp_budget *budget) {
    state *s = vs;
    if (s->single) return hsp_newton_factor_step(&s->one, budget);
    hsp_inner inner = {.precondition = precondition, .ctx = s, .relative = 1e-3, .most = 30};
    return hsp_newton_step(&s->core, prepare, inner, budget);
}

static bool export(void *vs, hsp_which which, hsp_point *out) {
    state *s = vs;
    return s->single ? hsp_newton_one_export(&s->one.one, which, out) : hsp_newton_export(&s->core, which, out);
}

static bool known(void *vs, hsp_known *out) {
    const state *s = vs;
    return s->single && hsp_newton_one_known(&s->one.one, out);
}

static int diverging(void *vs, int64_t *columns) {
    state *s = vs;
    return s->single ? 0 : hsp_newton_diverging(&s->core, columns);
}

const hsp_solver hsp_solver_newton = {.name = "newton",
                                      .help = "Newton steps with the whole matrix of second derivatives: few columns",
                                      .done = "gradient",
                                      .needs = HSP_LOSS_SLOPE | HSP_LOSS_SMOOTH | HSP_LOSS_CURVED,
                                      .many = true,
                                      .smooth_penalty = true,
                                      .proposes = true,
                                      .dear_steps = true,
                                      .state_size = sizeof(state),
                                      .init = init,
                                      .step = step,
                                      .export = export,
                                      .known = known,
                                      .diverging = diverging,
                                      .free = release};
