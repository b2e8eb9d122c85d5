/* The whole Hessian of K outputs, factorised: X' A X by weighted Gram matrices, columns scaled to a diagonal of ones (Jacobi),
 * Cholesky. To a Hessian that is singular up to rounding a growing multiple of the identity is added until it can be
 * factorised. With several outputs the Hessian has K x K blocks
 *
 *     sum_i weight_i p_k (1[k = l] - p_l) (x_i - m)(x_i - m)'
 *
 * with the rows centred at one m for all blocks if the intercepts are free, so that large means do not cost accuracy. */
#include "solve/newton/whole_factor.h"

#include "base/memory.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/newton/newton_factor.h"

int hsp_whole_factor_init(hsp_whole_factor *s, const hsp_hessian *H) {
    const hsp_problem *p = H->p;
    int64_t n = p->design->n, d = p->design->d, K = p->outputs;
    *s = (hsp_whole_factor){.H = H, .size = K * d};
    bool allocated = HSP_ALLOC_DOUBLES(s->size * s->size, &s->A) && HSP_ALLOC_DOUBLES(s->size, &s->scale) &&
                     HSP_ALLOC_DOUBLES(n, &s->h) && HSP_ALLOC_DOUBLES(d, &s->m) &&
                     HSP_ALLOC_DOUBLES(K > 1 ? d * d : -1, &s->G) &&
                     HSP_ALLOC_DOUBLES(K > 1 ? s->size * K : -1, &s->border, &s->solved);
    return allocated ? HSP_OK : HSP_EMEMORY;
}

void hsp_whole_factor_free(hsp_whole_factor *s) {
    HSP_FREE(s->A, s->G, s->scale, s->h, s->m, s->border, s->solved);
}

/* One output: A = sum_i h_i (x_i - m)(x_i - m)' with m the mean weighted by h. A penalised intercept undoes a part of the
 * centring. */
static int sum_centred_products(hsp_whole_factor *s) {
    const hsp_hessian *H = s->H;
    const hsp_design *D = H->p->design;
    double *m = H->intercepts ? s->m : NULL, S = hsp_sum_f64(H->a, D->n);
    if (m) {
        hsp_design_adjoint(D, H->a, m);
        hsp_scale_f64(S > 0 ? 1 / S : 0, m, D->d);
    }
    int status = hsp_design_gram(D, H->a, m, NULL, 1, s->A, NULL);
    if (!status && H->p->intercept == HSP_INTERCEPT_PENALISED) {
        double back = S * H->p->lambda / (S + H->p->lambda);
        for (int64_t j = 0; j < D->d; j++) hsp_axpy_f64(back * m[j], m, s->A + j * D->d, D->d);
    }
    return status;
}

/* A -= border B^+ border': the intercepts eliminated. */
static void eliminate_intercepts(hsp_whole_factor *s) {
    int64_t K = s->H->p->outputs;
    for (int64_t j = 0; j < s->size * K; j++) s->solved[j] = s->border[j];
    hsp_cholesky_solve(s->H->B, K, s->solved, s->size);
    for (int64_t i = 0; i < s->size; i++)
        for (int64_t j = 0; j < s->size; j++) s->A[i * s->size + j] -= hsp_dot_f64(s->border + i * K, s->solved + j * K, K);
}

/* The same change of all classes' weights changes no probability: some curvature is added in that direction, so that rounding
 * is not amplified. It has no effect on changes that sum to 0 over the classes, and there are no others. */
static void stiffen_common_change(hsp_whole_factor *s) {
    int64_t d = s->H->p->design->d, K = s->H->p->outputs, N = s->size;
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t k = 0; k < K; k++) mean += s->A[(k * d + j) * N + k * d + j] / (double)K;
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < K; l++) s->A[(k * d + j) * N + l * d + j] += mean / (double)K;
    }
}

/* K outputs: the blocks of A, and of the border sum_i A_i (x_i - m). */
static int sum_class_blocks(hsp_whole_factor *s) {
    const hsp_problem *p = s->H->p;
    const hsp_design *D = p->design;
    int64_t d = D->d, K = p->outputs, size = s->size;
    double mass;
    int status = hsp_design_group_sums(D, p->c, NULL, 1, &mass, s->m, NULL);
    /* Only a free intercept can take up the change of the scores that centring makes. */
    hsp_scale_f64(p->intercept == HSP_INTERCEPT_FREE ? 1 / mass : 0, s->m, d);
    for (int64_t k = 0; !status && k < K; k++)
        for (int64_t l = 0; !status && l <= k; l++) {
            double sign = k == l ? 1 : -1;
            for (int64_t i = 0; i < D->n; i++) { /* weights of the block without its sign */
                const double *q = s->H->a + i * K;
                s->h[i] = s->H->weight[i] * q[k] * (k == l ? 1 - q[k] : q[l]);
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
    if (!status && s->H->intercepts) eliminate_intercepts(s);
    if (!status) stiffen_common_change(s);
    return status;
}

int hsp_whole_factor_make(void *vs) {
    hsp_whole_factor *s = vs;
    int status = s->H->p->outputs == 1 ? sum_centred_products(s) : sum_class_blocks(s);
    bool exact;
    return status ? status : hsp_newton_factorise(s->A, s->size, s->H->p->lambda, s->scale, &exact);
}

void hsp_whole_factor_solve(void *vs, const double *r, double *z) {
    hsp_whole_factor *s = vs;
    hsp_newton_factor_solve(s->A, s->size, s->scale, r, z);
    if (s->H->p->outputs > 1) hsp_hessian_centre(s->H, z);
}
