/* Newton's method with conjugate gradients (Lin, Weng and Keerthi 2008), for several outputs or without a penalty, and many
 * columns: the Hessian is never formed, a product with it is two passes over the data. The preconditioner is
 *
 * - its diagonal (Jacobi), with the intercept eliminated, that is the weighted variances of the columns: the scales and means
 *   of the columns then have no effect;
 * - or, for several classes and not too many columns, the K diagonal blocks X' diag(p_k (1 - p_k)) X + lambda I, each
 *   factorised from a sample of rows drawn in proportion to their weight and their length. A row with a certain class has no
 *   weight, so a few rows per column are enough. (The fixed bound X'X/2 of Boehning 1992 would be formed once, but is poor
 *   where the probabilities are near 0 and 1.) At the start all classes have the same block. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/newton/newton_core.h"
#include "solve/newton/newton_factor.h"
#include "solve/newton/row_lengths.h"

#include <math.h>

enum {
    MOST_PRODUCTS = 400, /* a step */
    FEW_PRODUCTS = 8,    /* as long as steps take no more, the blocks are kept */
    ROWS_A_COLUMN = 5,   /* in the sample for a block */
    FEWEST_ROWS = 1000,  /* likewise */
    MOST_BLOCK = 2000,   /* columns */
    MOST_SUMS = 1 << 20  /* numbers in one slab of the diagonal's sums, if there are several */
};

typedef struct blocks {
    hsp_newton core;  /* first: see newton_core.h */
    double *diagonal; /* K d */
    double *centre;   /* d: the mean of the rows, for dense data; NULL: 0. All arrays are owned */
    int64_t slabs;
    double *sums;         /* slabs x 2 K d */
    double *blocks;       /* K x d x d factors; NULL: Jacobi */
    double *scale;        /* K d: of the blocks */
    double *h;            /* n: of one class */
    double *length;       /* n: of the rows (row_lengths.h); NULL: no samples */
    int64_t wanted;       /* rows in a sample */
    double *m;            /* d */
    bool alike;           /* the first block is that of all classes */
    bool fresh;           /* the blocks have been made */
} blocks;

static bool wants_blocks(const hsp_problem *p) {
    double d = (double)p->design->d, K = (double)p->outputs;
    bool affordable = 8 * K * d * d <= 0.2 * (double)hsp_memory_limit();
    return p->outputs > 1 && p->design->d <= MOST_BLOCK && affordable;
}

static int init_diagonal(blocks *s, hsp_problem *p) {
    const hsp_design *D = p->design;
    int64_t size = p->outputs * D->d;
    s->slabs = size > MOST_SUMS ? 1 : D->slabs;
    if (!HSP_ALLOC_DOUBLES(size, &s->diagonal) || !HSP_ALLOC_DOUBLES(s->slabs * 2 * size, &s->sums) ||
        !HSP_ALLOC_DOUBLES(D->x->dense ? D->d : -1, &s->centre))
        return HSP_EMEMORY;
    if (!s->centre) return HSP_OK;
    double mass;
    int status = hsp_design_group_sums(D, NULL, NULL, 1, &mass, s->centre, NULL);
    hsp_scale_f64(1 / mass, s->centre, D->d);
    return status;
}

static int init_blocks(blocks *s, hsp_problem *p) {
    int64_t n = p->design->n, d = p->design->d, K = p->outputs;
    s->wanted = ROWS_A_COLUMN * d > FEWEST_ROWS ? ROWS_A_COLUMN * d : FEWEST_ROWS;
    bool allocated = HSP_ALLOC_DOUBLES(K * d * d, &s->blocks) && HSP_ALLOC_DOUBLES(K * d, &s->scale) &&
                     HSP_ALLOC_DOUBLES(n, &s->h) && HSP_ALLOC_DOUBLES(n > s->wanted ? n : -1, &s->length) &&
                     HSP_ALLOC_DOUBLES(d, &s->m);
    if (!allocated) return HSP_EMEMORY;
    return s->length ? hsp_row_lengths(p->design, s->length) : HSP_OK;
}

static int init_preconditioned(void *vs, hsp_problem *p, const hsp_rules *rules, const hsp_point *start, hsp_error **err) {
    blocks *s = vs;
    int status = hsp_newton_init(&s->core, p, rules, start, err);
    if (status) return status;
    status = wants_blocks(p) ? init_blocks(s, p) : init_diagonal(s, p);
    return status ? hsp_fail_memory(err) : HSP_OK;
}

static void free_preconditioned(void *vs) {
    blocks *s = vs;
    hsp_newton_free(&s->core);
    HSP_FREE(s->diagonal, s->centre, s->sums, s->blocks, s->scale, s->h, s->length, s->m);
}

/* ---- Jacobi ---- */

static int64_t slab_begin(const blocks *s, int64_t slab) {
    return s->core.p->design->n * slab / s->slabs;
}

/* Sums of h x and h x^2 over the rows of a slab, for each output; x is relative to the centre. */
static void sum_slab(void *ctx, int64_t slab) {
    const blocks *s = ctx;
    const hsp_problem *p = s->core.p;
    const hsp_design *D = p->design;
    int64_t d = D->d, K = p->outputs;
    double *one = s->sums + slab * 2 * K * d, *two = one + K * d;
    double *tile = D->tiles ? D->tiles + slab * d : NULL;
    for (int64_t j = 0; j < K * d; j++) one[j] = two[j] = 0;
    for (int64_t i = slab_begin(s, slab); i < slab_begin(s, slab + 1); i++) {
        hsp_row row = hsp_design_row(D, i, tile);
        for (int64_t k = 0; k < K; k++) {
            double h = hsp_hessian_weight(&s->core.H, i, k);
            if (h == 0) continue;
            for (int64_t e = 0; e < row.count; e++) {
                int64_t j = hsp_row_id(row, e);
                double x = hsp_row_value(row, e) - (s->centre ? s->centre[j] : 0), hx = h * x;
                one[k * d + j] += hx;
                two[k * d + j] += hx * x;
            }
        }
    }
}

/* sum_i h_i (x_ij - mean)^2, or without an intercept sum_i h_i x_ij^2, from the sums of x - centre; a sparse centred row is
 * z - p. */
static double curvature_of(const blocks *s, double S, double one, double two, int64_t j) {
    const hsp_design *D = s->core.p->design;
    if (s->core.H.intercepts) return S > 0 ? two - one * one / S : 0;
    double back = (s->centre ? s->centre[j] : 0) - (D->p ? D->p[j] : 0);
    return two + 2 * back * one + back * back * S;
}

static void solve_diagonal(void *vs, const double *r, double *z) {
    const blocks *s = vs;
    int64_t size = s->core.p->outputs * s->core.p->design->d;
    for (int64_t j = 0; j < size; j++) z[j] = s->diagonal[j] > 0 ? r[j] / s->diagonal[j] : 0;
    if (s->core.p->outputs > 1) hsp_hessian_centre(&s->core.H, z);
}

/* ---- blocks ---- */

/* h <- class k's weights of a random sample: a row stays with a probability in proportion to its weight and its length, and
 * is reweighted. */
static void sample_rows(blocks *s, int64_t k) {
    const hsp_problem *p = s->core.p;
    int64_t n = p->design->n;
    hsp_hessian_weights(&s->core.H, k, s->h);
    if (!s->length) return;
    double mass = hsp_dot_f64(s->h, s->length, n);
    hsp_rng rng = hsp_rng_new(s->core.rules->seed, 7 + (uint64_t)s->core.k);
    rng.counter = (uint64_t)(k * n);
    for (int64_t i = 0; i < n; i++) {
        double chance = s->h[i] * s->length[i] / mass * (double)s->wanted, luck = hsp_rng_uniform(&rng);
        if (chance < 1) s->h[i] = luck < chance ? s->h[i] / chance : 0;
    }
}

/* A, in single precision if the rows are dense and within its range: it only preconditions. */
static int gram_of_rows(const hsp_design *D, const double *h, const double *m, double *A) {
    if (!D->x->dense) return hsp_design_gram(D, h, m, NULL, 1, A, NULL);
    int status = hsp_design_gram_single(D, h, m, A, NULL);
    if (status || hsp_finite_f64(A, D->d * D->d)) return status;
    return hsp_design_gram(D, h, m, NULL, 1, A, NULL);
}

static int make_block(blocks *s, int64_t k) {
    const hsp_problem *p = s->core.p;
    int64_t d = p->design->d;
    double *A = s->blocks + k * d * d, *scale = s->scale + k * d, *m = s->core.H.intercepts ? s->m : NULL, mass;
    sample_rows(s, k);
    int status = m ? hsp_design_group_sums(p->design, s->h, NULL, 1, &mass, m, NULL) : HSP_OK;
    if (!status && m) hsp_scale_f64(mass > 0 ? 1 / mass : 0, m, d);
    if (!status) status = gram_of_rows(p->design, s->h, m, A);
    if (status) return status;
    bool exact;
    for (int64_t j = 0; j < d; j++) {
        double v = A[j * d + j] + p->lambda;
        scale[j] = v > 0 && isfinite(v) ? 1 / sqrt(v) : 0;
    }
    return hsp_newton_cholesky(A, d, scale, 1e-13, false, &exact);
}

/* All classes have the same weights, as at the start: one block serves all. */
static bool are_alike(const hsp_hessian *H) {
    int64_t n = H->p->design->n, K = H->p->outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 1; k < K; k++)
            if (H->a[i * K + k] != H->a[i * K]) return false;
    return true;
}

static int make_blocks(blocks *s) {
    int64_t K = s->core.p->outputs;
    int status = HSP_OK;
    s->alike = are_alike(&s->core.H);
    for (int64_t k = 0; !status && k < (s->alike ? 1 : K); k++) status = make_block(s, k);
    return status;
}

typedef struct block_solution {
    const blocks *s;
    const double *r;
    double *z;
} block_solution;

static void solve_block(void *ctx, int64_t k) {
    const block_solution *q = ctx;
    const blocks *s = q->s;
    int64_t d = s->core.p->design->d, from = s->alike ? 0 : k;
    hsp_newton_factor_solve(s->blocks + from * d * d, d, s->scale + from * d, q->r + k * d, q->z + k * d);
}

static void solve_blocks(void *vs, const double *r, double *z) {
    const blocks *s = vs;
    hsp_pool_run(s->core.p->outputs, s->core.p->design->threads, solve_block, &(block_solution){s, r, z});
    hsp_hessian_centre(&s->core.H, z);
}

/* ---- the slots ---- */

static int make_preconditioner(void *vs) {
    blocks *s = vs;
    if (s->blocks) {
        if (s->fresh && s->core.products <= FEW_PRODUCTS) return HSP_OK;
        s->fresh = true;
        return make_blocks(s);
    }
    const hsp_problem *p = s->core.p;
    int64_t d = p->design->d, K = p->outputs, n = p->design->n;
    hsp_pool_run(s->slabs, p->design->threads, sum_slab, s);
    for (int64_t slab = 1; slab < s->slabs; slab++) hsp_axpy_f64(1, s->sums + slab * 2 * K * d, s->sums, 2 * K * d);
    for (int64_t k = 0; k < K; k++) {
        double S = 0;
        for (int64_t i = 0; i < n; i++) S += hsp_hessian_weight(&s->core.H, i, k);
        for (int64_t j = 0; j < d; j++) {
            double one = s->sums[k * d + j], two = s->sums[(K + k) * d + j], v = curvature_of(s, S, one, two, j);
            s->diagonal[k * d + j] = fmax(v, 1e-10 * two) + p->lambda;
        }
    }
    return HSP_OK;
}

static hsp_step step_preconditioned(void *vs, hsp_budget *budget) {
    blocks *s = vs;
    hsp_inner inner = {
        .precondition = s->blocks ? solve_blocks : solve_diagonal, .ctx = s, .relative = 0.1, .most = MOST_PRODUCTS};
    return hsp_newton_step(&s->core, make_preconditioner, inner, budget);
}

const hsp_solver hsp_newton_blocks = {.state_size = sizeof(blocks),
                                      .init = init_preconditioned,
                                      .step = step_preconditioned,
                                      .export = hsp_newton_export,
                                      .diverging = hsp_newton_diverging,
                                      .measured = hsp_newton_measured,
                                      .free = free_preconditioned};
