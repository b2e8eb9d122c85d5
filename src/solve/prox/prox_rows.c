/* What proximal Newton steps need of the losses of all rows, at p->scores: slopes and curvatures; and the moves that cost
 * no pass over the data: along the intercepts, and along what softmax does not see. */
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_TUNINGS = 6 };

/* ---- derivatives ---- */

void hsp_prox_slopes(hsp_prox *s) {
    hsp_problem *p = s->p;
    int64_t K = s->K;
    p->loss->batch(p->y, p->scores, s->n, K, p->kink, p->values, p->slopes);
    for (int64_t k = 0; k < K; k++) s->gb[k] = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double c = s->c[i], *r = p->slopes + i * K;
        for (int64_t k = 0; k < K; k++) {
            r[k] *= c;
            s->gb[k] += r[k];
        }
    }
    for (int64_t k = 0; k < K; k++) {
        if (p->intercept == HSP_INTERCEPT_NONE) s->gb[k] = 0;
        if (p->intercept == HSP_INTERCEPT_PENALISED) s->gb[k] += p->lambda * s->b[k];
    }
}

/* A row far on the wrong side has a slope but next to no curvature, and the model would send it to infinity: what is
 * missing to a share of slope / score is added, which changes nothing on the right side. The share is small as long as
 * steps are taken whole; 1 is about what bounds the logistic loss from above. */
static void curvature_one(hsp_prox *s) {
    const hsp_problem *p = s->p;
    hsp_problem_curvature(p, s->h);
    for (int64_t i = 0; i < s->n; i++) {
        double slope = fabs(p->slopes[i]), c = s->c[i];
        double least = s->damping * (slope < c ? slope : c) / (1 + fabs(p->scores[i]));
        if (least < c * s->extra[i]) least = c * s->extra[i];
        if (s->h[i] < least) s->h[i] = least;
    }
}

/* For K classes likewise, in all directions but (1, .., 1). */
static void probabilities(hsp_prox *s) {
    int64_t K = s->K;
    for (int64_t i = 0; i < s->n; i++) {
        const double *g = s->p->scores + i * K;
        double *P = s->h + i * K, top = g[0], low = g[0], sum = 0;
        for (int64_t k = 1; k < K; k++) {
            if (g[k] > top) top = g[k];
            if (g[k] < low) low = g[k];
        }
        for (int64_t k = 0; k < K; k++) sum += P[k] = exp(g[k] - top);
        for (int64_t k = 0; k < K; k++) P[k] /= sum;
        double wrong = 1 - P[(int64_t)s->p->y[i]], least = s->damping * wrong / (1 + top - low);
        s->more[i] = fmax(fmax(least - (1 - 1 / sum) / sum, 0), s->extra[i]); /* 1 / sum: the largest P */
    }
}

/* M: the inverse of S + lambda I (penalised) or of S on the complement of (1, .., 1), where softmax has no curvature. */
void hsp_prox_invert(hsp_prox *s) {
    int64_t K = s->K;
    bool free_b = s->p->intercept == HSP_INTERCEPT_FREE;
    double trace = 0, share = 0;
    for (int64_t k = 0; k < K; k++) trace += s->S[k * K + k];
    memset(s->M, 0, (size_t)(K * K) * sizeof *s->M);
    double size = trace / (double)K + (free_b ? 0 : s->p->lambda);
    if (s->p->intercept == HSP_INTERCEPT_NONE || !(size > 0)) return;
    for (int tries = 0; tries < 8; tries++, share = share == 0 ? 1e-15 : share * 100) {
        for (int64_t k = 0; k < K * K; k++) s->factor[k] = s->S[k] + (free_b && K > 1 ? size / (double)K : 0);
        for (int64_t k = 0; k < K; k++) s->factor[k * K + k] += share * size + (free_b ? 0 : s->p->lambda);
        if (hsp_cholesky(s->factor, K) == 0) {
            for (int64_t k = 0; k < K; k++) s->M[k * K + k] = 1;
            hsp_cholesky_solve(s->factor, K, s->M, K);
            return;
        }
    }
}

void hsp_prox_curvature(hsp_prox *s) {
    int64_t K = s->K;
    memset(s->S, 0, (size_t)(K * K) * sizeof *s->S);
    if (K == 1) {
        curvature_one(s);
        s->S[0] = hsp_sum_f64(s->h, s->n);
    } else {
        probabilities(s);
        for (int64_t i = 0; i < s->n; i++)
            for (int64_t k = 0; k < K; k++)
                for (int64_t l = 0; l <= k; l++) s->S[k * K + l] += hsp_prox_hessian(s, i, k, l);
        for (int64_t k = 0; k < K; k++)
            for (int64_t l = 0; l < k; l++) s->S[l * K + k] = s->S[k * K + l];
    }
    hsp_prox_invert(s);
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

/* Softmax does not see a number added to all K weights of a column: the best one is added. */
void hsp_prox_shift(hsp_prox *s) {
    int64_t K = s->K, d = s->d;
    if (K == 1 || s->t + s->ridge == 0) return;
    for (int64_t j = 0; j < d; j++) {
        double *v = s->sorted, largest = 0;
        for (int64_t k = 0; k < K; k++) {
            double x = s->w[k * d + j];
            int64_t at = k;
            for (; at > 0 && v[at - 1] > x; at--) v[at] = v[at - 1];
            v[at] = x;
            if (fabs(x) > largest) largest = fabs(x);
        }
        double m = largest > 0 ? best_shift(s, v) : 0;
        for (int64_t k = 0; fabs(m) > 4 * DBL_EPSILON * largest && k < K; k++) s->w[k * d + j] -= m;
    }
}

/* The part of F that depends on b, at the scores. */
static double loss_at(const hsp_prox *s) {
    const hsp_problem *p = s->p;
    double sum = p->c ? hsp_dot_f64(p->c, p->values, s->n) : hsp_sum_f64(p->values, s->n), square = 0;
    if (p->intercept == HSP_INTERCEPT_PENALISED) square = hsp_dot_f64(s->b, s->b, s->K);
    return sum / p->sum_c + p->lambda * square / 2;
}

static void move_intercepts(hsp_prox *s, const double *by) {
    int64_t K = s->K;
    for (int64_t k = 0; k < K; k++) s->b[k] += by[k];
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < K; k++) s->p->scores[i * K + k] += by[k];
}

/* Newton steps in the intercepts alone, down to rounding; the first that does not help is taken back. */
void hsp_prox_tune(hsp_prox *s) {
    int64_t K = s->K;
    double before = INFINITY, *by = s->to_b;
    if (s->p->intercept == HSP_INTERCEPT_NONE) return;
    hsp_prox_slopes(s);
    for (int t = 0; t < MOST_TUNINGS; t++) {
        double size = 0, all = 0, loss = loss_at(s);
        for (int64_t k = 0; k < K; k++) size += fabs(s->gb[k]);
        for (int64_t x = 0; x < s->n * K; x++) all += fabs(s->p->slopes[x]);
        if (!(size > 4 * DBL_EPSILON * all && size < before)) return;
        before = size;
        hsp_prox_curvature(s);
        for (int64_t k = 0; k < K; k++) by[k] = -hsp_dot_f64(s->M + k * K, s->gb, K);
        move_intercepts(s, by);
        hsp_prox_slopes(s);
        size = 0;
        for (int64_t k = 0; k < K; k++) size += fabs(s->gb[k]);
        if (size < before && loss_at(s) <= loss + 1e-12 * fabs(loss)) continue;
        for (int64_t k = 0; k < K; k++) by[k] = -by[k];
        move_intercepts(s, by);
        return;
    }
}
