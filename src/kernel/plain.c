/* The plain kernels. The partial sums are an array of 16, which the compiler keeps in vector registers; the tail goes to
 * the sums it belongs to, so the result does not depend on how the loop is unrolled. */
#include "kernel/kernel.h"

enum { LANES = 16 };

static double join(const double *s) {
    double t[8];
    for (int i = 0; i < 8; i++) t[i] = s[i] + s[i + 8];
    for (int i = 0; i < 4; i++) t[i] += t[i + 4];
    return (t[0] + t[2]) + (t[1] + t[3]);
}

/* One body for every dot product; TERM is the product at position t. */
#define DOT(TERM)                             \
    do {                                      \
        double s[LANES] = {0};                \
        int64_t i = 0;                        \
        for (; i + LANES <= n; i += LANES)    \
            for (int l = 0; l < LANES; l++) { \
                int64_t t = i + l;            \
                s[l] += (TERM);               \
            }                                 \
        for (int l = 0; i + l < n; l++) {     \
            int64_t t = i + l;                \
            s[l] += (TERM);                   \
        }                                     \
        return join(s);                       \
    } while (0)

double hsp_dot_f32(const float *x, const double *w, int64_t n) {
    DOT((double)x[t] * w[t]);
}

double hsp_dot_f64(const double *x, const double *w, int64_t n) {
    DOT(x[t] * w[t]);
}

double hsp_sparse_dot_f32(const uint32_t *id, const float *x, const double *w, int64_t n) {
    DOT((double)x[t] * w[id[t]]);
}

double hsp_sparse_dot_f64(const uint32_t *id, const double *x, const double *w, int64_t n) {
    DOT(x[t] * w[id[t]]);
}

double hsp_sum_f64(const double *x, int64_t n) {
    DOT(x[t]);
}

void hsp_axpy_f32(double a, const float *x, double *w, int64_t n) {
    for (int64_t t = 0; t < n; t++) w[t] += a * (double)x[t];
}

void hsp_axpy_f64(double a, const double *x, double *w, int64_t n) {
    for (int64_t t = 0; t < n; t++) w[t] += a * x[t];
}

void hsp_sparse_axpy_f32(double a, const uint32_t *id, const float *x, double *w, int64_t n) {
    for (int64_t t = 0; t < n; t++) w[id[t]] += a * (double)x[t];
}

void hsp_sparse_axpy_f64(double a, const uint32_t *id, const double *x, double *w, int64_t n) {
    for (int64_t t = 0; t < n; t++) w[id[t]] += a * x[t];
}

void hsp_scale_f64(double a, double *w, int64_t n) {
    for (int64_t t = 0; t < n; t++) w[t] *= a;
}
