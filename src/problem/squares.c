/* Objective and bound of the squared loss; see squares.h for the algebra. */
#include "problem/squares.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "design/gram.h"
#include "kernel/kernel.h"

#include <string.h>

double hsp_squares_mass(const hsp_squares *p) {
    return p->c ? hsp_sum_f64(p->c, p->design->n) : (double)p->design->n;
}

int64_t hsp_squares_rows(const hsp_squares *p) {
    int64_t rows = 0;
    for (int64_t i = 0; i < p->design->n; i++) rows += hsp_squares_weight(p, i) > 0;
    return rows;
}

static double largest(const double *v, int64_t n) {
    double top = 0;
    for (int64_t t = 0; t < n; t++)
        if (fabs(v[t]) > top) top = fabs(v[t]);
    return top;
}

int hsp_squares_check(const hsp_squares *p, double limit, hsp_error **err) {
    double c = p->c ? largest(p->c, p->design->n) : 1;
    bool large = !(c < limit * limit) || !isfinite(hsp_squares_mass(p));
    if (large || !(c > 1 / limit / limit))
        return hsp_fail(err, HSP_EINPUT, "the weights of the rows are too %s to compute with: multiply all by a %s number",
                        large ? "large" : "small", large ? "small" : "large");
    if (!(largest(p->Y, p->design->n * p->K) < limit))
        return hsp_fail(err, HSP_EINPUT, "the target's values are too large to compute with: use other units for it");
    return HSP_OK;
}

/* ---- sums over the rows ---- */

typedef struct row_sums {
    const hsp_squares *p;
    const double *T, *offset, *scores;
    double *R;
    hsp_squares_sums *of; /* blocks x K */
} row_sums;

/* One output of rows without weights: sums in registers. */
static hsp_squares_sums sum_plain(const row_sums *q, int64_t from, int64_t count) {
    const double *Y = q->p->Y + from, *T = q->T + from, *scores = q->scores ? q->scores + from : NULL;
    double *R = q->R ? q->R + from : NULL, offset = q->offset ? q->offset[0] : 0;
    hsp_squares_sums s = {0};
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        double score = scores ? scores[i] : 0, g = q->offset ? score + offset : score;
        double r = T[i] - score, big = fabs(Y[i]) + fabs(g);
        s.squares += r * r;
        s.residuals += r;
        s.size += big * big;
        wrong += (g > 0) != (Y[i] > 0);
        if (R) R[i] = r;
    }
    s.wrong = (double)wrong;
    return s;
}

static void sum_block(void *ctx, int64_t block) {
    const row_sums *q = ctx;
    const hsp_squares *p = q->p;
    int64_t K = p->K, from, count = hsp_block_rows(p->design->n, block, &from);
    hsp_squares_sums *of = q->of + block * K;
    if (K == 1 && !p->c) {
        *of = sum_plain(q, from, count);
        return;
    }
    memset(of, 0, (size_t)K * sizeof *of);
    for (int64_t i = from; i < from + count; i++) {
        double c = hsp_squares_weight(p, i);
        for (int64_t k = 0, at = i * K; k < K; k++, at++) {
            double y = p->Y[at], s = q->scores ? q->scores[at] : 0, g = q->offset ? s + q->offset[k] : s;
            double r = q->T[at] - s, big = fabs(y) + fabs(g);
            of[k].squares += c * r * r;
            of[k].residuals += c * r;
            of[k].size += c * big * big;
            of[k].wrong += (g > 0) != (y > 0) ? c : 0;
            if (q->R) q->R[at] = c * r;
        }
    }
}

int hsp_squares_sum(const hsp_squares *p, const double *T, const double *offset, const double *scores, double *R,
                    hsp_squares_sums *out, hsp_error **err) {
    int64_t K = p->K, blocks = hsp_block_count(p->design->n);
    row_sums q = {.p = p, .T = T, .offset = offset, .scores = scores, .R = R};
    if (!(q.of = hsp_alloc(blocks * K, sizeof *q.of))) return hsp_fail_memory(err);
    hsp_pool_run(blocks, p->design->threads, sum_block, &q);
    memset(out, 0, (size_t)K * sizeof *out);
    for (int64_t e = 0; e < blocks * K; e++) {
        hsp_squares_sums *to = out + e % K;
        to->squares += q.of[e].squares;
        to->residuals += q.of[e].residuals;
        to->wrong += q.of[e].wrong;
        to->size += q.of[e].size;
    }
    hsp_free(q.of);
    return HSP_OK;
}

/* ---- figures ---- */

hsp_squares_figures hsp_squares_figures_of(const hsp_squares *p, hsp_squares_sums s, double mass, const double *w,
                                           double b) {
    double norm2 = w ? hsp_dot_f64(w, w, p->design->d) : 0, R = norm2 / 2;
    if (p->intercept == HSP_INTERCEPT_PENALISED) R += b * b / 2;
    bool ridge = hsp_squares_penalised(p);
    double C = ridge ? p->C : 1;
    double tilt = p->intercept == HSP_INTERCEPT_FREE ? C * s.residuals * (s.residuals / mass) / 2 : 0;
    return (hsp_squares_figures){.at = {.objective = ridge ? R + C * s.squares / 2 : s.squares / 2,
                                        .mean_loss = s.squares / 2 / mass,
                                        .error = p->regression ? NAN : s.wrong / mass,
                                        .norm = sqrt(norm2)},
                                 .excess = tilt,
                                 .tilt = tilt,
                                 .size = sqrt(s.size)};
}

/* Ridge: adds the rest of P - D, which follows from pull. */
static void add_excess(const hsp_squares *p, hsp_squares_sums s, const double *w, double b, const double *pull,
                       hsp_squares_figures *out) {
    double C = hsp_squares_penalised(p) ? p->C : 1, sum = 0;
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum += (b - C * s.residuals) * (b - C * s.residuals);
    for (int64_t j = 0; hsp_squares_penalised(p) && j < p->design->d; j++) {
        double e = w[j] - C * pull[j];
        sum += e * e;
    }
    out->excess += sum / 2;
}

int hsp_squares_measure(const hsp_squares *p, const double *W, const double *b, double *scores, double *pull,
                        hsp_squares_figures *out, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d, K = p->K;
    double mass = hsp_squares_mass(p), *R = hsp_alloc(n * K, sizeof *R), *mean = hsp_alloc(K, sizeof *mean);
    hsp_squares_sums *s = hsp_alloc(K, sizeof *s);
    int status = R && s && mean ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_design_scores_many(p->design, W, b, K, scores, err);
    if (!status) status = hsp_squares_sum(p, p->Y, NULL, scores, R, s, err);
    for (int64_t k = 0; !status && k < K; k++) {
        out[k] = hsp_squares_figures_of(p, s[k], mass, W + k * d, b[k]);
        mean[k] = s[k].residuals / mass;
    }
    for (int64_t i = 0; !status && p->intercept == HSP_INTERCEPT_FREE && i < n; i++)
        for (int64_t k = 0; k < K; k++) R[i * K + k] -= hsp_squares_weight(p, i) * mean[k];
    if (!status) status = hsp_design_adjoint_many(p->design, R, K, pull, err);
    for (int64_t k = 0; !status && k < K; k++) add_excess(p, s[k], W + k * d, b[k], pull + k * d, &out[k]);
    HSP_FREE(R, mean, s);
    return status;
}

int hsp_squares_at_zero(const hsp_squares *p, hsp_evaluation *out, hsp_error **err) {
    hsp_squares_sums *s = hsp_alloc(p->K, sizeof *s);
    int status = s ? hsp_squares_sum(p, p->Y, NULL, NULL, NULL, s, err) : hsp_fail_memory(err);
    double mass = hsp_squares_mass(p);
    for (int64_t k = 0; !status && k < p->K; k++) out[k] = hsp_squares_figures_of(p, s[k], mass, NULL, 0).at;
    hsp_free(s);
    return status;
}
