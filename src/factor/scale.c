#include "factor/scale.h"

#include <math.h>

bool hsp_all_finite(const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

void hsp_scale_back(double *x, int64_t count, int e) {
    if (e > -1000 && e < 1000) {
        double f = ldexp(1, e);
        for (int64_t i = 0; i < count; i++) x[i] *= f;
    } else {
        for (int64_t i = 0; i < count; i++) x[i] = ldexp(x[i], e);
    }
}

int hsp_scale_to_one(double *x, int64_t count) {
    double top = 0;
    int e = 0;
    for (int64_t i = 0; i < count; i++) top = fabs(x[i]) > top ? fabs(x[i]) : top;
    if (top > 0) frexp(top, &e);
    if (e != 0) hsp_scale_back(x, count, -e);
    return e;
}
