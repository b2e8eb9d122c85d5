/* See hessian.h. For softmax B is singular: a constant added to all intercepts changes nothing. Adding a multiple of the
 * matrix of ones makes it regular; the solutions that sum to 0, which are the shortest, stay the same. */
#include "solve/newton/hessian.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "factor/factor.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

int hsp_hessian_init(hsp_hessian *H, hsp_problem *p, hsp_error **err) {
    int64_t n = p->design->n, K = p->outputs, size = K * p->design->d;
    *H = (hsp_hessian){.p = p, .intercepts = p->intercept != HSP_INTERCEPT_NONE};
    bool allocated = HSP_ALLOC_DOUBLES(n * K, &H->a, &H->t) && HSP_ALLOC_DOUBLES(K > 1 ? n : -1, &H->weight) &&
                     HSP_ALLOC_DOUBLES(K * K, &H->B) && HSP_ALLOC_DOUBLES(K, &H->beta) &&
                     HSP_ALLOC_DOUBLES(4 * size, &H->scratch);
    return allocated ? HSP_OK : hsp_fail_memory(err);
}

void hsp_hessian_free(hsp_hessian *H) {
    HSP_FREE(H->a, H->t, H->weight, H->B, H->beta, H->scratch);
}

/* The clock and the cancel flag; limits on steps are checked between steps. */
static bool interrupted(hsp_budget *budget) {
    if (!hsp_cancel_pending() && hsp_clock_seconds() < budget->deadline) return false;
    return budget->out = true;
}

/* The lower triangle of sum_i A_i for several outputs: n K^2 / 2 products, which take minutes when every row is a class of its
 * own. False: interrupted. */
static bool sum_blocks(const hsp_hessian *H, hsp_budget *budget) {
    int64_t n = H->p->design->n, K = H->p->outputs, often = 1 + (1 << 22) / (K * K);
    for (int64_t i = 0; i < n; i++) {
        const double *q = H->a + i * K;
        double c = H->weight[i];
        for (int64_t k = 0; k < K; k++) {
            H->B[k * K + k] += c * q[k];
            for (int64_t l = 0; l <= k; l++) H->B[k * K + l] -= c * q[k] * q[l];
        }
        if (i % often == often - 1 && interrupted(budget)) return false;
    }
    return true;
}

/* B = sum_i A_i, made regular and factorised. False: interrupted. */
static bool factorise_intercepts(hsp_hessian *H, hsp_budget *budget) {
    const hsp_problem *p = H->p;
    int64_t n = p->design->n, K = p->outputs;
    double *B = H->B, trace = 0;
    for (int64_t e = 0; e < K * K; e++) B[e] = 0;
    if (K == 1) B[0] = hsp_sum_f64(H->a, n);
    if (K > 1 && !sum_blocks(H, budget)) return false;
    for (int64_t k = 0; k < K; k++) trace += B[k * K + k];
    double floor = trace > 0 ? 1e-14 * trace / (double)K : 1; /* flat: leave the intercepts to the gradient */
    for (int64_t k = 0; k < K; k++) {
        B[k * K + k] += floor + (p->intercept == HSP_INTERCEPT_PENALISED ? p->lambda : 0);
        for (int64_t l = 0; l <= k; l++) {
            if (K > 1) B[k * K + l] += trace / (double)(K * K);
            B[l * K + k] = B[k * K + l];
        }
    }
    hsp_cholesky(B, K);
    return true;
}

/* Work on the rows, each by itself: blocks of them on all threads. */
typedef struct row_work {
    const hsp_hessian *H;
    bool majorised;
    const double *beta; /* K */
    double *t;          /* n x K */
} row_work;

static void over_rows(const hsp_hessian *H, void (*task)(void *ctx, int64_t block), row_work work) {
    work.H = H;
    hsp_pool_run(hsp_block_count(H->p->design->n), H->p->design->threads, task, &work);
}

/* Probabilities from the scores, which are overwritten. A majorised row on the wrong side gets those of the point where its
 * own class has caught up with the first, where the curvature between the two is 1/4, scaled to the parabola's. */
static void set_block(void *ctx, int64_t block) {
    const row_work *q = ctx;
    const hsp_hessian *H = q->H;
    const hsp_problem *p = H->p;
    int64_t first, count = hsp_block_rows(p->design->n, block, &first), end = first + count, K = p->outputs;
    bool majorised = q->majorised;
    for (int64_t i = first; i < end; i++) {
        double *g = p->scores + i * K, other = -INFINITY;
        int64_t own = (int64_t)p->y[i];
        for (int64_t k = 0; k < K; k++)
            if (k != own && g[k] > other) other = g[k];
        double behind = majorised && other > g[own] ? other - g[own] : 0;
        H->weight[i] = (p->c ? p->c[i] : 1) / p->sum_c * 4 * hsp_majorant(behind);
        g[own] += behind;
    }
    p->loss->batch(p->loss, p->y + first, p->scores + first * K, count, K, p->kink, NULL, H->a + first * K);
    for (int64_t i = first; i < end; i++) H->a[i * K + (int64_t)p->y[i]] += 1;
}

bool hsp_hessian_set(hsp_hessian *H, bool majorised, hsp_budget *budget) {
    if (H->p->outputs == 1) {
        const hsp_problem *p = H->p;
        hsp_problem_curvature(p, H->a);
        for (int64_t i = 0; majorised && i < p->design->n; i++) {
            double m = p->y[i] * p->scores[i];
            if (m < 0) H->a[i] = (p->c ? p->c[i] : 1) / p->sum_c * hsp_majorant(-m);
        }
    } else {
        over_rows(H, set_block, (row_work){.majorised = majorised});
    }
    return hsp_hessian_use(H, budget);
}

bool hsp_hessian_use(hsp_hessian *H, hsp_budget *budget) {
    return !H->intercepts || factorise_intercepts(H, budget);
}

static void multiply_block(void *ctx, int64_t block) {
    const row_work *q = ctx;
    const hsp_hessian *H = q->H;
    int64_t first, count = hsp_block_rows(H->p->design->n, block, &first), K = H->p->outputs;
    double *t = q->t + first * K;
    for (int64_t i = first; i < first + count; i++, t += K) {
        const double *p = H->a + i * K;
        double c = H->weight[i], dot = 0;
        for (int64_t k = 0; k < K; k++) dot += p[k] * t[k];
        for (int64_t k = 0; k < K; k++) t[k] = c * p[k] * (t[k] - dot);
    }
}

void hsp_hessian_rows(const hsp_hessian *H, double *t) {
    if (H->p->outputs > 1)
        over_rows(H, multiply_block, (row_work){.t = t});
    else
        for (int64_t i = 0; i < H->p->design->n; i++) t[i] *= H->a[i];
}

void hsp_hessian_weights(const hsp_hessian *H, int64_t k, double *h) {
    for (int64_t i = 0; i < H->p->design->n; i++) h[i] = hsp_hessian_weight(H, i, k);
}

void hsp_hessian_solve_intercepts(const hsp_hessian *H, double *x) {
    int64_t K = H->p->outputs;
    if (H->intercepts)
        hsp_cholesky_solve(H->B, K, x, 1);
    else
        for (int64_t k = 0; k < K; k++) x[k] = 0;
}

/* t <- t + A beta, with the same beta for every row. */
static void shift_block(void *ctx, int64_t block) {
    const row_work *q = ctx;
    const hsp_hessian *H = q->H;
    int64_t first, count = hsp_block_rows(H->p->design->n, block, &first), K = H->p->outputs;
    double *t = q->t + first * K;
    for (int64_t i = first; i < first + count; i++, t += K) {
        const double *p = H->a + i * K;
        double c = H->weight[i], dot = 0;
        for (int64_t k = 0; k < K; k++) dot += p[k] * q->beta[k];
        for (int64_t k = 0; k < K; k++) t[k] += c * p[k] * (q->beta[k] - dot);
    }
}

static void add_intercepts(const hsp_hessian *H, const double *beta, double *t) {
    if (H->p->outputs > 1)
        over_rows(H, shift_block, (row_work){.beta = beta, .t = t});
    else
        hsp_axpy_f64(beta[0], H->a, t, H->p->design->n);
}

void hsp_hessian_centre(const hsp_hessian *H, double *v) {
    int64_t d = H->p->design->d, K = H->p->outputs;
    for (int64_t j = 0; j < d; j++) {
        double mean = 0;
        for (int64_t k = 0; k < K; k++) mean += v[k * d + j] / (double)K;
        for (int64_t k = 0; k < K; k++) v[k * d + j] -= mean;
    }
}

/* out = H v. */
static void multiply_by_hessian(void *of, const double *v, double *out) {
    hsp_hessian *H = of;
    hsp_problem *p = H->p;
    for (int64_t k = 0; k < p->outputs; k++) H->beta[k] = 0;
    hsp_problem_scores(p, v, H->beta, H->t);
    hsp_hessian_rows(H, H->t);
    if (H->intercepts) {
        int64_t n = p->design->n, K = p->outputs;
        for (int64_t k = 0; k < K; k++) H->beta[k] = 0;
        if (K == 1) H->beta[0] = -hsp_sum_f64(H->t, n);
        for (int64_t i = 0; K > 1 && i < n; i++)
            for (int64_t k = 0; k < K; k++) H->beta[k] -= H->t[i * K + k];
        hsp_hessian_solve_intercepts(H, H->beta);
        add_intercepts(H, H->beta, H->t);
    }
    hsp_problem_adjoint(p, H->t, out);
    hsp_axpy_f64(p->lambda * (1 - p->rho), v, out, p->outputs * p->design->d);
}

void hsp_hessian_reduce(hsp_hessian *H, const double *gw, const double *gb, double *g) {
    hsp_problem *p = H->p;
    int64_t K = p->outputs, size = K * p->design->d;
    if (!H->intercepts) {
        for (int64_t j = 0; j < size; j++) g[j] = gw[j];
        return;
    }
    for (int64_t k = 0; k < K; k++) H->beta[k] = -gb[k];
    hsp_hessian_solve_intercepts(H, H->beta);
    for (int64_t e = 0; e < p->design->n * K; e++) H->t[e] = 0;
    add_intercepts(H, H->beta, H->t);
    hsp_problem_adjoint(p, H->t, g);
    hsp_axpy_f64(1, gw, g, size);
}

void hsp_hessian_gradient(hsp_hessian *H, const double *slopes, const double *w, const double *gb, double *g) {
    hsp_problem *p = H->p;
    int64_t n = p->design->n, K = p->outputs;
    memcpy(H->t, slopes, (size_t)(n * K) * sizeof *slopes);
    if (H->intercepts) {
        for (int64_t k = 0; k < K; k++) H->beta[k] = -gb[k];
        hsp_hessian_solve_intercepts(H, H->beta);
        add_intercepts(H, H->beta, H->t);
    }
    hsp_problem_adjoint(p, H->t, g);
    hsp_axpy_f64(p->lambda * (1 - p->rho), w, g, K * p->design->d);
}

void hsp_hessian_complete(hsp_hessian *H, const double *gb, const double *step, double *delta, double *change) {
    hsp_problem *p = H->p;
    int64_t n = p->design->n, K = p->outputs;
    for (int64_t k = 0; k < K; k++) delta[k] = 0;
    hsp_problem_scores(p, step, delta, change);
    if (!H->intercepts) return;
    for (int64_t e = 0; e < n * K; e++) H->t[e] = change[e];
    hsp_hessian_rows(H, H->t);
    for (int64_t k = 0; k < K; k++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += H->t[i * K + k];
        delta[k] = -gb[k] - sum;
    }
    hsp_hessian_solve_intercepts(H, delta);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < K; k++) change[i * K + k] += delta[k];
}

void hsp_conjugate_gradients(int64_t size, const double *g, double *x, double *scratch, hsp_inner *inner, int64_t rows,
                             hsp_budget *budget) {
    double *r = scratch, *z = r + size, *s = z + size, *Hs = s + size;
    for (int64_t j = 0; j < size; j++) {
        x[j] = 0;
        r[j] = -g[j];
    }
    inner->precondition(inner->ctx, r, z);
    for (int64_t j = 0; j < size; j++) s[j] = z[j];
    double rz = hsp_dot_f64(r, z, size), first = rz;
    inner->products = 0;
    inner->decrease = 0;
    while (rz > 0 && isfinite(rz) && inner->products < inner->most) {
        inner->multiply(inner->of, s, Hs);
        inner->products++;
        budget->steps += rows;
        double sHs = hsp_dot_f64(s, Hs, size), alpha = rz / sHs;
        if (!(sHs > 0) || !isfinite(alpha)) break;
        hsp_axpy_f64(alpha, s, x, size);
        hsp_axpy_f64(-alpha, Hs, r, size);
        inner->decrease += alpha * rz / 2;
        if (inner->ceiling > 0 && inner->decrease > inner->ceiling) break;
        double length = sqrt(hsp_dot_f64(r, r, size));
        inner->precondition(inner->ctx, r, z);
        double next = hsp_dot_f64(r, z, size), beta = next / rz;
        rz = next;
        bool accurate = rz <= inner->relative * inner->relative * first;
        bool fine = length <= inner->absolute || rz <= inner->finest * inner->finest * first;
        if ((accurate && (fine || inner->decrease > inner->enough)) || hsp_budget_out(budget)) break;
        for (int64_t j = 0; j < size; j++) s[j] = z[j] + beta * s[j];
    }
}

void hsp_hessian_solve(hsp_hessian *H, const double *g, double *x, hsp_inner *inner, hsp_budget *budget) {
    inner->multiply = multiply_by_hessian;
    inner->of = H;
    hsp_conjugate_gradients(H->p->outputs * H->p->design->d, g, x, H->scratch, inner, H->p->design->n, budget);
}
