/* A sum that carries its rounding errors along (Neumaier 1974). */
#ifndef HSP_VERIFY_SUMMATION_H
#define HSP_VERIFY_SUMMATION_H

#include <math.h>

typedef struct hsp_summation {
    double total, lost;
} hsp_summation;

static inline void hsp_summation_add(hsp_summation *s, double v) {
    double t = s->total + v;
    s->lost += fabs(s->total) >= fabs(v) ? (s->total - t) + v : (v - t) + s->total;
    s->total = t;
}

static inline double hsp_summation_value(const hsp_summation *s) {
    return s->total + s->lost;
}

#endif
