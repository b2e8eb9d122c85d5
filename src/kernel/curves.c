/* exp, log, tanh, the logistic loss and the entropy for blocks of numbers, compiled for each level (of_level.h). All levels
 * give the same bits: the loops have only additions, multiplications and divisions, none fused, without branches, and are
 * vectorised by the compiler in any width. Short loops are kept apart, because the processor overlaps more iterations of them.
 *
 * exp(x) = 2^k exp(r) with k the integer nearest to x / log 2 and log 2 in two parts (W. Cody, W. Waite, Software manual
 * for the elementary functions, 1980); log(1 + x) = 2 artanh(x / (2 + x)). The polynomials interpolate at Chebyshev's
 * points, with errors of 1.3e-17 and 7.5e-18, about 0.1 ulp. Largest errors found, in ulp: exp 1.1, log(1 + exp) 2.7, slope
 * 3.0, curvature 4.6, entropy 2.1. */
#include "kernel/of_level.h"

#include <string.h>

enum { BLOCK = 256 }; /* numbers at a time: they stay in the L1 cache between loops */

INLINE uint64_t bits_of(double x) {
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

INLINE double of_bits(uint64_t b) {
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

INLINE int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Ten coefficients by Estrin's scheme: a chain of four steps, where Horner's has ten. */
INLINE double polynomial(const double *c, double z) {
    double z2 = z * z, z4 = z2 * z2, p0 = c[0] + c[1] * z, p2 = c[2] + c[3] * z, p4 = c[4] + c[5] * z, p6 = c[6] + c[7] * z;
    return (p0 + p2 * z2) + ((p4 + p6 * z2) + (c[8] + c[9] * z) * z4) * z4;
}

static const double LN2 = 0x1.62e42fefa2p-1, LN2_REST = 0x1.9ef35793c7673p-41; /* 41 bits, so that k LN2 is exact */

/* (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2 */
static const double EXP[] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,  0x1.11111111109b3p-7,
                             0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13, 0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19,
                             0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26};
/* (2 artanh(s) - 2 s) / s^3 as a function of s^2 <= 1/9 */
static const double ARTANH[] = {0x1.5555555555555p-1, 0x1.999999999a3ddp-2, 0x1.24924923d44c6p-2, 0x1.c71c727143318p-3,
                                0x1.745cf0b0e03bdp-3, 0x1.3b18b294bebf9p-3, 0x1.10ac75dc602b1p-3, 0x1.eb905e8575054p-4,
                                0x1.687a6e7c95176p-4, 0x1.4b0a26c5f2af0p-3};

/* Range reduction for x <= 0: exp(x) = e exp(r) 2^-1000. Adding 1.5 * 2^52 rounds to an integer k, which is then in the low
 * bits; e = 2^(k + 1000) is a normal number for all k. x is at least -746, where exp is 0. */
INLINE void reduce(double x, double *r, double *e) {
    const double shift = 0x1.8p52;
    x = x < -746 ? -746 : x;
    double t = x * 0x1.71547652b82fep0 + shift, k = t - shift;
    *r = (x - k * LN2) - k * LN2_REST;
    *e = of_bits((bits_of(t) + 2023) << 52);
}

/* Only the last product rounds when the result is subnormal. */
INLINE double expand(double r, double e) {
    double p = 1 + (r + (r * r) * polynomial(EXP, r));
    return (p * e) * 0x1p-1000;
}

INLINE double two_artanh(double s) {
    double z = s * s;
    return 2 * s + s * (z * polynomial(ARTANH, z));
}

/* log(1 + x) for -1/2 <= x <= 1 */
INLINE double log1p_near(double x) {
    return two_artanh(x / (2 + x));
}

/* log(x + rest) - bias log 2, for a normal x > 0 and a rest below its last bit. x = 2^k f with sqrt(1/2) <= f < sqrt(2); the
 * exponent is converted to a double in the low bits of 2^52. */
INLINE double log_with(double x, double rest, double bias) {
    const uint64_t root = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000, mantissa = 0x000fffffffffffff;
    uint64_t u = bits_of(x) + (one - root), exponent = u >> 52;
    double k = of_bits(exponent | 0x4330000000000000) - (0x1p52 + 1023 + bias);
    double f = (of_bits((u & mantissa) + root) - 1) + rest * of_bits((2046 - exponent) << 52);
    return k * LN2 + (log1p_near(f) + k * LN2_REST);
}

/* x log(x) for 0 <= x <= 1; x 2^1000 is normal even when x is not. */
INLINE double x_log_x(double x) {
    return x * log_with(x * 0x1p1000, 0, 1000);
}

void HSP_OF_LEVEL(hsp_logistic_)(const double *y, const double *g, int64_t rows, double *value, double *slope,
                                 double *curve) {
    double sign[BLOCK], m[BLOCK], e[BLOCK], q[BLOCK];
    for (int64_t i = 0; i < rows; i += BLOCK) {
        int64_t n = least(BLOCK, rows - i);
        for (int64_t l = 0; l < n; l++) {
            sign[l] = y[i + l];
            m[l] = y[i + l] * g[i + l];
            reduce(m[l] < 0 ? m[l] : -m[l], &q[l], &e[l]);
        }
        for (int64_t l = 0; l < n; l++) e[l] = expand(q[l], e[l]); /* exp(-|m|) */
        for (int64_t l = 0; (slope || curve) && l < n; l++) q[l] = 1 / (1 + e[l]);
        for (int64_t l = 0; value && l < n; l++) value[i + l] = log1p_near(e[l]) + (m[l] < 0 ? -m[l] : 0);
        for (int64_t l = 0; slope && l < n; l++) slope[i + l] = -sign[l] * (q[l] * (m[l] < 0 ? 1 : e[l]));
        for (int64_t l = 0; curve && l < n; l++) curve[i + l] = e[l] * (q[l] * q[l]);
    }
}

/* In terms of the smaller of a and 1 - a, which is exact: both logarithms are accurate, and nothing cancels. */
void HSP_OF_LEVEL(hsp_entropy_)(const double *y, const double *r, int64_t rows, double *out) {
    double a[BLOCK], s[BLOCK];
    for (int64_t i = 0; i < rows; i += BLOCK) {
        int64_t n = least(BLOCK, rows - i);
        for (int64_t l = 0; l < n; l++) {
            double b = y[i + l] * r[i + l];
            a[l] = b <= 0.5 ? b : 1 - b;
            s[l] = (1 - a[l]) * log1p_near(-a[l]);
        }
        for (int64_t l = 0; l < n; l++) s[l] += x_log_x(a[l]);
        for (int64_t l = 0; l < n; l++) out[i + l] = a[l] < 0 ? a[l] : -s[l];
    }
}

void HSP_OF_LEVEL(hsp_exps_)(int64_t count, const double *x, double *out) {
    double r[BLOCK], e[BLOCK];
    for (int64_t i = 0; i < count; i += BLOCK) {
        int64_t n = least(BLOCK, count - i);
        for (int64_t l = 0; l < n; l++) reduce(x[i + l], &r[l], &e[l]);
        for (int64_t l = 0; l < n; l++) out[i + l] = expand(r[l], e[l]);
    }
}

/* tanh |x| = -t / (2 + t) with t = exp(-2 |x|) - 1. For t near 0 nothing cancels: exp(r) - 1 is the polynomial itself, and
 * t = 2^k (exp(r) - 1) + (2^k - 1), whose last term is exact. From |x| = 22 on, tanh is 1. */
void HSP_OF_LEVEL(hsp_tanhs_)(int64_t count, const double *x, double *out) {
    double r[BLOCK], e[BLOCK], s[BLOCK];
    for (int64_t i = 0; i < count; i += BLOCK) {
        int64_t n = least(BLOCK, count - i);
        for (int64_t l = 0; l < n; l++) {
            double a = x[i + l] < 0 ? x[i + l] : -x[i + l];
            s[l] = x[i + l] < 0 ? -1 : 1;
            reduce(2 * (a < -22 ? -22 : a), &r[l], &e[l]);
        }
        for (int64_t l = 0; l < n; l++) {
            double power = e[l] * 0x1p-1000, t = power * (r[l] + (r[l] * r[l]) * polynomial(EXP, r[l])) + (power - 1);
            out[i + l] = s[l] * (-t / (2 + t));
        }
    }
}

/* 1 + x = u + rest exactly (D. Knuth's TwoSum). Results are stored after all inputs are read, so that the compiler can
 * vectorise although x and out may overlap. */
void HSP_OF_LEVEL(hsp_log1ps_)(int64_t count, const double *x, double *out) {
    double s[BLOCK];
    for (int64_t i = 0; i < count; i += BLOCK) {
        int64_t n = least(BLOCK, count - i);
        for (int64_t l = 0; l < n; l++) {
            double u = 1 + x[i + l], part = u - 1, rest = (1 - (u - part)) + (x[i + l] - part);
            s[l] = log_with(u, rest, 0);
        }
        for (int64_t l = 0; l < n; l++) out[i + l] = s[l];
    }
}
