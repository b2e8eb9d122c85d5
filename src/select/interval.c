#include "select/interval.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* P(|T| <= t) for a whole number of degrees of freedom: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4, with
 * tan(theta) = t / sqrt(df). */
static double two_sided(double t, int64_t df) {
    double theta = atan(t / sqrt((double)df)), c = cos(theta), s = sin(theta), term = df % 2 ? c : 1, sum = 0;
    for (int64_t k = df % 2 ? 1 : 0; k <= df - 2; k += 2) { /* powers of cos from 1 or 0 to df - 2 */
        sum += term;
        term *= c * c * (double)(k + 1) / (double)(k + 2);
    }
    return df % 2 ? 2 / PI * (theta + s * sum) : s * sum;
}

/* By bisection: the probability rises with t. */
double hsp_student_quantile(double p, int64_t df) {
    double inside = fabs(2 * p - 1), low = 0, high = 1;
    while (two_sided(high, df) < inside && high < 1e300) high *= 2;
    for (int i = 0; i < 200 && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        if (two_sided(middle, df) < inside)
            low = middle;
        else
            high = middle;
    }
    return p < 0.5 ? -high : high;
}

hsp_fold_summary hsp_summarise_folds(const double *v, const bool *used, int64_t count, int64_t stride, int64_t folds,
                                     double tested, double trained) {
    hsp_fold_summary s = {NAN, NAN, NAN, NAN, NAN};
    double sum = 0, square = 0, n = 0;
    for (int64_t i = 0; i < count; i++) {
        if (used && !used[i]) continue;
        sum += v[i * stride];
        n++;
    }
    if (n < 1) return s;
    s.mean = sum / n;
    if (n < 2 || isnan(s.mean)) return s;
    for (int64_t i = 0; i < count; i++)
        if (!used || used[i]) square += (v[i * stride] - s.mean) * (v[i * stride] - s.mean);
    s.sd = sqrt(square / (n - 1));
    s.standard_error = s.sd / sqrt(fmin((double)folds, n));
    double half = hsp_student_quantile(0.975, (int64_t)n - 1) * s.sd * sqrt(1 / n + tested / trained);
    s.lower = s.mean - half;
    s.upper = s.mean + half;
    return s;
}
