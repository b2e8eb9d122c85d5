/* Slopes and curvatures of the losses of all rows at p->scores; and the moves without a pass over the data: of the
 * intercepts, and in directions that do not change softmax. */
#include "base/pool.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_TUNINGS = 6 };

/* ---- derivatives ---- */

/* With the column model also the curvatures, from the same kernel. */
static void slopes_of_block(void *ctx, int64_t block) {
    hsp_prox *s = ctx;
    hsp_problem *p = s->p;
    int64_t from, count = hsp_block_rows(s->n, block, &from), K = s->K;
    const double *restrict c = s->rows.c + from, *y = p->y + from, *scores = p->scores + from * K;
    double *restrict h = s->rows.h + from, *restrict slopes = p->slopes + from * K;
    if (s->rows.roots) {
        p->loss->second(p->loss, y, scores, count, p->values + from, slopes, h);
        for (int64_t i = 0; i < count; i++) h[i] *= c[i];
    } else {
        p->loss->batch(p->loss, y, scores, count, K, p->kink, p->values + from, slopes);
    }
    for (int64_t k = 0; k < K; k++)
        for (int64_t i = 0; i < count; i++) slopes[i * K + k] *= c[i];
}

void hsp_prox_slopes(hsp_prox *s) {
    const hsp_problem *p = s->p;
    double *gb = s->at.gb;
    hsp_pool_run(hsp_block_count(s->n), p->design->threads, slopes_of_block, s);
    for (int64_t k = 0; k < s->K; k++) {
        gb[k] = 0;
        for (int64_t i = 0; i < s->n && p->intercept != HSP_INTERCEPT_NONE; i++) gb[k] += p->slopes[i * s->K + k];
        if (p->intercept == HSP_INTERCEPT_PENALISED) gb[k] += p->lambda * s->at.b[k];
    }
}

/* A row far on the wrong side has a slope but almost no curvature, and the model would overshoot: its curvature is raised to a
 * share of slope / score, which changes nothing on the right side. The share (damping) is small as long as whole steps are
 * accepted; 1 about majorises the logistic loss. */
static void raise_block(void *ctx, int64_t block) {
    hsp_prox *s = ctx;
    const hsp_prox_rows *r = &s->rows;
    int64_t from, count = hsp_block_rows(s->n, block, &from);
    for (int64_t i = from; i < from + count; i++) {
        double slope = fabs(s->p->slopes[i]), c = r->c[i];
        double least = r->damping * (slope < c ? slope : c) / (1 + fabs(s->p->scores[i]));
        if (least < c * r->extra[i]) least = c * r->extra[i];
        if (r->h[i] < least) r->h[i] = least;
    }
}

/* The same for K classes, in all directions but (1, .., 1). */
static void find_probabilities(hsp_prox *s) {
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *g = s->p->scores + i * K;
        double *P = s->rows.h + i * K, top = g[0], low = g[0], sum = 0;
        for (int64_t k = 1; k < K; k++) {
            if (g[k] > top) top = g[k];
            if (g[k] < low) low = g[k];
        }
        for (int64_t k = 0; k < K; k++) sum += P[k] = exp(g[k] - top);
        for (int64_t k = 0; k < K; k++) P[k] /= sum;
        double wrong = 1 - P[(int64_t)s->p->y[i]], least = s->rows.damping * wrong / (1 + top - low);
        s->rows.more[i] = fmax(fmax(least - (1 - 1 / sum) / sum, 0), s->rows.extra[i]); /* 1 / sum: the largest P */
    }
}

/* M: the inverse of S + lambda I (penalised) or of S on the complement of (1, .., 1), where softmax has no curvature. */
void hsp_prox_invert(hsp_prox *s) {
    int64_t K = s->K;
    bool free_b = s->p->intercept == HSP_INTERCEPT_FREE;
    double trace = 0, share = 0, *M = s->rows.M, *factor = s->rows.factor;
    for (int64_t k = 0; k < K; k++) trace += s->rows.S[k * K + k];
    memset(M, 0, (size_t)(K * K) * sizeof *M);
    double size = trace / (double)K + (free_b ? 0 : s->p->lambda);
    if (s->p->intercept == HSP_INTERCEPT_NONE || !(size > 0)) return;
    for (int tries = 0; tries < 8; tries++, share = share == 0 ? 1e-15 : share * 100) {
        for (int64_t k = 0; k < K * K; k++) factor[k] = s->rows.S[k] + (free_b && K > 1 ? size / (double)K : 0);
        for (int64_t k = 0; k < K; k++) factor[k * K + k] += share * size + (free_b ? 0 : s->p->lambda);
        if (hsp_cholesky(factor, K) == 0) {
            for (int64_t k = 0; k < K; k++) M[k * K + k] = 1;
            hsp_cholesky_solve(factor, K, M, K);
            return;
        }
    }
}

/* With the matrix model, from the kernel of the loss. */
static void curvature_of_block(void *ctx, int64_t block) {
    hsp_prox *s = ctx;
    const hsp_problem *p = s->p;
    int64_t from, count = hsp_block_rows(s->n, block, &from);
    double *restrict h = s->rows.h + from;
    const double *restrict c = s->rows.c + from;
    p->loss->second(p->loss, p->y + from, p->scores + from, count, NULL, NULL, h);
    for (int64_t i = 0; i < count; i++) h[i] *= c[i];
}

static void find_curvatures(hsp_prox *s) {
    double *h = s->rows.h;
    if (!s->rows.roots) hsp_pool_run(hsp_block_count(s->n), s->p->design->threads, curvature_of_block, s);
    hsp_pool_run(hsp_block_count(s->n), s->p->design->threads, raise_block, s);
    s->rows.S[0] = hsp_sum_f64(h, s->n);
    double least = 1e-8 * s->rows.S[0] / (double)s->n; /* far below the mean: without effect on any sum */
    for (int64_t i = 0; s->rows.roots && i < s->n; i++) h[i] = h[i] > least ? sqrt(h[i]) : 0;
}

void hsp_prox_curvature(hsp_prox *s) {
    int64_t K = s->K;
    double *S = s->rows.S;
    if (K == 1) {
        find_curvatures(s);
    } else {
        find_probabilities(s);
        memset(S, 0, (size_t)(K * K) * sizeof *S);
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t k = 0; k < K; k++)
                for (int64_t l = 0; l <= k; l++) S[k * K + l] += hsp_prox_hessian(s, i, k, l);
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < k; l++) S[l * K + k] = S[k * K + l];
    }
    hsp_prox_invert(s);
}

void hsp_prox_apply_hessians(const hsp_prox *s, int64_t i, const double *q, double *out) {
    const double *P = s->rows.h + i * s->K;
    double mean = 0, middle = 0;
    for (int64_t k = 0; k < s->K; k++) {
        mean += P[k] * q[k];
        middle += q[k] / (double)s->K;
    }
    for (int64_t k = 0; k < s->K; k++) out[k] = s->rows.c[i] * (P[k] * (q[k] - mean) + s->rows.more[i] * (q[k] - middle));
}

/* ---- moves without a model ---- */

/* The number m that makes sum_k t |v_k - m| + ridge (v_k - m)^2 / 2 least, as near to 0 as it may be; v ascends. */
static double best_shift(const hsp_prox *s, const double *v) {
    int64_t K = s->K;
    double sum = 0, low = v[(K - 1) / 2], high = v[K / 2]; /* the medians */
    if (s->ridge == 0) return low > 0 ? low : high < 0 ? high : 0;
    for (int64_t k = 0; k < K; k++) sum += v[k];
    for (int64_t k = 0; k <= K; k++) { /* between v_k-1 and v_k the slope is ridge (K m - sum) + t (2 k - K) */
        double m = (sum - s->t / s->ridge * (double)(2 * k - K)) / (double)K;
        if (k < K && m > v[k]) continue;
        return k > 0 && m < v[k - 1] ? v[k - 1] : m;
    }
    return 0;
}

void hsp_prox_shift_classes(hsp_prox *s) {
    int64_t K = s->K, d = s->d;
    if (K == 1 || s->t + s->ridge == 0) return;
    for (int64_t j = 0; j < d; j++) {
        double *v = s->rows.sorted, largest = 0;
        for (int64_t k = 0; k < K; k++) {
            double x = s->at.w[k * d + j];
            int64_t at = k;
            for (; at > 0 && v[at - 1] > x; at--) v[at] = v[at - 1];
            v[at] = x;
            if (fabs(x) > largest) largest = fabs(x);
        }
        double m = largest > 0 ? best_shift(s, v) : 0;
        for (int64_t k = 0; fabs(m) > 4 * DBL_EPSILON * largest && k < K; k++) s->at.w[k * d + j] -= m;
    }
}

/* The part of F that depends on b, at the scores. */
static double loss_at(const hsp_prox *s) {
    const hsp_problem *p = s->p;
    double sum = p->c ? hsp_dot_f64(p->c, p->values, s->n) : hsp_sum_f64(p->values, s->n), square = 0;
    if (p->intercept == HSP_INTERCEPT_PENALISED) square = hsp_dot_f64(s->at.b, s->at.b, s->K);
    return sum / p->sum_c + p->lambda * square / 2;
}

static void move_intercepts(hsp_prox *s, const double *by) {
    int64_t K = s->K;
    for (int64_t k = 0; k < K; k++) s->at.b[k] += by[k];
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < K; k++) s->p->scores[i * K + k] += by[k];
}

/* Newton steps in the intercepts alone, down to rounding; the first that does not help is undone. */
void hsp_prox_tune_intercepts(hsp_prox *s) {
    int64_t K = s->K;
    double before = INFINITY, *by = s->move.to_b;
    hsp_prox_slopes(s);
    if (s->p->intercept == HSP_INTERCEPT_NONE) return;
    for (int t = 0; t < MOST_TUNINGS; t++) {
        double size = 0, all = 0, loss = loss_at(s);
        for (int64_t k = 0; k < K; k++) size += fabs(s->at.gb[k]);
        for (int64_t x = 0; x < s->n * K; x++) all += fabs(s->p->slopes[x]);
        if (!(size > 4 * DBL_EPSILON * all && size < before)) return;
        before = size;
        hsp_prox_curvature(s);
        for (int64_t k = 0; k < K; k++) by[k] = -hsp_dot_f64(s->rows.M + k * K, s->at.gb, K);
        move_intercepts(s, by);
        hsp_prox_slopes(s);
        size = 0;
        for (int64_t k = 0; k < K; k++) size += fabs(s->at.gb[k]);
        if (size < before && loss_at(s) <= loss + 1e-12 * fabs(loss)) continue;
        for (int64_t k = 0; k < K; k++) by[k] = -by[k];
        move_intercepts(s, by);
        hsp_prox_slopes(s);
        return;
    }
}
