/* Numbers of twice the precision of double: the unevaluated sum of two doubles, about 106 bits (Dekker 1971; the error
 * bounds are those of Joldes, Muller and Popescu 2017). They are built from additions, products, quotients, square
 * roots and fused multiply-adds, which IEEE 754 rounds correctly: the same bits on every machine. */
#ifndef HSP_VERIFY_LOSS_DOUBLE_DOUBLE_H
#define HSP_VERIFY_LOSS_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct hsp_dd {
    double hi, lo; /* |lo| <= ulp(hi) / 2 */
} hsp_dd;

/* The relative error of one operation is below this. */
#define HSP_DD_UNIT 0x1p-102

static inline hsp_dd hsp_dd_of(double v) {
    return (hsp_dd){v, 0};
}

/* a + b exactly. */
static inline hsp_dd hsp_two_sum(double a, double b) {
    double s = a + b, t = s - a;
    return (hsp_dd){s, (a - (s - t)) + (b - t)};
}

/* a + b exactly, provided that |a| >= |b| or a is 0. */
static inline hsp_dd hsp_quick_sum(double a, double b) {
    double s = a + b;
    return (hsp_dd){s, b - (s - a)};
}

/* a b exactly. */
static inline hsp_dd hsp_two_product(double a, double b) {
    double p = a * b;
    return (hsp_dd){p, fma(a, b, -p)};
}

static inline hsp_dd hsp_dd_negative(hsp_dd a) {
    return (hsp_dd){-a.hi, -a.lo};
}

static inline hsp_dd hsp_dd_add(hsp_dd a, hsp_dd b) {
    hsp_dd s = hsp_two_sum(a.hi, b.hi), t = hsp_two_sum(a.lo, b.lo);
    s = hsp_quick_sum(s.hi, s.lo + t.hi);
    return hsp_quick_sum(s.hi, s.lo + t.lo);
}

static inline hsp_dd hsp_dd_subtract(hsp_dd a, hsp_dd b) {
    return hsp_dd_add(a, hsp_dd_negative(b));
}

static inline hsp_dd hsp_dd_add_double(hsp_dd a, double b) {
    hsp_dd s = hsp_two_sum(a.hi, b);
    return hsp_quick_sum(s.hi, s.lo + a.lo);
}

static inline hsp_dd hsp_dd_multiply(hsp_dd a, hsp_dd b) {
    hsp_dd p = hsp_two_product(a.hi, b.hi);
    return hsp_quick_sum(p.hi, p.lo + fma(a.hi, b.lo, a.lo * b.hi));
}

static inline hsp_dd hsp_dd_scale(hsp_dd a, double b) {
    hsp_dd p = hsp_two_product(a.hi, b);
    return hsp_quick_sum(p.hi, fma(a.lo, b, p.lo));
}

static inline hsp_dd hsp_dd_square(hsp_dd a) {
    return hsp_dd_multiply(a, a);
}

/* a times a power of two, or minus one. */
static inline hsp_dd hsp_dd_times_power(hsp_dd a, double power) {
    return (hsp_dd){a.hi * power, a.lo * power};
}

/* Long division with three digits of 53 bits. */
static inline hsp_dd hsp_dd_divide(hsp_dd a, hsp_dd b) {
    double first = a.hi / b.hi;
    hsp_dd r = hsp_dd_subtract(a, hsp_dd_scale(b, first));
    double second = r.hi / b.hi;
    r = hsp_dd_subtract(r, hsp_dd_scale(b, second));
    return hsp_dd_add_double(hsp_quick_sum(first, second), r.hi / b.hi);
}

static inline hsp_dd hsp_dd_absolute(hsp_dd a) {
    return a.hi < 0 ? hsp_dd_negative(a) : a;
}

/* The sign of a - b: -1, 0 or 1; 0 if either is NaN. */
static inline int hsp_dd_compare(hsp_dd a, hsp_dd b) {
    hsp_dd d = hsp_dd_subtract(a, b);
    return (d.hi > 0) - (d.hi < 0);
}

/* The nearest double; never -0. */
static inline double hsp_dd_value(hsp_dd a) {
    return a.hi + a.lo + 0.0;
}

/* The largest double that is at most a. */
static inline double hsp_dd_floor(hsp_dd a) {
    return a.lo < 0 ? nextafter(a.hi, -INFINITY) : a.hi;
}

static inline double hsp_dd_root(hsp_dd a) {
    return sqrt(a.hi > 0 ? a.hi : a.hi == 0 ? 0 : NAN);
}

#endif
