/* Objective and bound of the squared loss; see squares.h for the algebra. */
#include "problem/squares.h"

#include "base/memory.h"
#include "design/gram.h"
#include "kernel/kernel.h"

static double weight(const hsp_squares *p, int64_t i) {
    return p->c ? p->c[i] : 1;
}

double hsp_squares_mass(const hsp_squares *p) {
    return p->c ? hsp_sum_f64(p->c, p->design->n) : (double)p->design->n;
}

/* Sums over the rows of one output; R gets c_i (y_i - g_i). */
typedef struct sums {
    double squares, residuals, wrong, size;
} sums;

static sums add_rows(const hsp_squares *p, int64_t k, const double *scores, double *R) {
    sums s = {0};
    for (int64_t i = 0; i < p->design->n; i++) {
        int64_t at = i * p->K + k;
        double y = p->Y[at], g = scores ? scores[at] : 0, r = y - g, c = weight(p, i), big = fabs(y) + fabs(g);
        s.squares += c * r * r;
        s.residuals += c * r;
        s.size += c * big * big;
        if ((g > 0) != (y > 0)) s.wrong += c;
        if (R) R[at] = c * r;
    }
    return s;
}

static hsp_squares_figures figures(const hsp_squares *p, sums s, double mass, const double *w, double b) {
    double norm2 = w ? hsp_dot_f64(w, w, p->design->d) : 0, R = norm2 / 2;
    if (p->intercept == HSP_INTERCEPT_PENALISED) R += b * b / 2;
    bool ridge = hsp_squares_penalised(p);
    return (hsp_squares_figures){.at = {.objective = ridge ? R + p->C * s.squares / 2 : s.squares / 2,
                                        .mean_loss = s.squares / 2 / mass,
                                        .error = p->regression ? NAN : s.wrong / mass,
                                        .norm = sqrt(norm2)},
                                 .size = sqrt(s.size)};
}

/* P - D from the pull of the residuals; for least squares the part of the intercept alone. */
static void add_excess(const hsp_squares *p, sums s, double mass, const double *w, double b, const double *pull,
                       hsp_squares_figures *out) {
    double C = hsp_squares_penalised(p) ? p->C : 1, sum = 0;
    out->tilt = p->intercept == HSP_INTERCEPT_FREE ? C * s.residuals * (s.residuals / mass) / 2 : 0;
    if (p->intercept == HSP_INTERCEPT_PENALISED) sum += (b - C * s.residuals) * (b - C * s.residuals);
    for (int64_t j = 0; hsp_squares_penalised(p) && j < p->design->d; j++) {
        double e = w[j] - C * pull[j];
        sum += e * e;
    }
    out->excess = sum / 2 + out->tilt;
}

int hsp_squares_measure(const hsp_squares *p, const double *W, const double *b, double *scores, double *pull,
                        hsp_squares_figures *out, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d, K = p->K;
    double mass = hsp_squares_mass(p), *R = hsp_alloc(n * K, sizeof *R);
    sums *s = hsp_alloc(K, sizeof *s);
    int status = R && s ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_design_scores_many(p->design, W, b, K, scores, err);
    for (int64_t k = 0; !status && k < K; k++) {
        s[k] = add_rows(p, k, scores, R);
        out[k] = figures(p, s[k], mass, W + k * d, b[k]);
        double mean = p->intercept == HSP_INTERCEPT_FREE ? s[k].residuals / mass : 0;
        if (mean != 0)
            for (int64_t i = 0; i < n; i++) R[i * K + k] -= weight(p, i) * mean;
    }
    if (!status) status = hsp_design_adjoint_many(p->design, R, K, pull, err);
    for (int64_t k = 0; !status && k < K; k++) add_excess(p, s[k], mass, W + k * d, b[k], pull + k * d, &out[k]);
    hsp_free(R);
    hsp_free(s);
    return status;
}

hsp_evaluation hsp_squares_at_zero(const hsp_squares *p, int64_t k) {
    return figures(p, add_rows(p, k, NULL, NULL), hsp_squares_mass(p), NULL, 0).at;
}
