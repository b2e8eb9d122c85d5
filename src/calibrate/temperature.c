/* Temperature scaling [1]: one number T divides all scores. The mean log loss is convex in beta = 1/T, its slope ascending:
 *
 *     f'(beta)  = sum c (E_p[z] - z_y)    f''(beta) = sum c Var_p[z]    p = softmax(beta z)
 *
 * Its zero is found by Newton's method within a bracket. Like scikit-learn, beta is sought from e^-10 to e^10: scores that
 * separate the classes have no finite optimum.
 *
 * [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger. On calibration of modern neural networks. ICML, 2017. */
#include "base/error.h"
#include "base/memory.h"
#include "calibrate/calibration.h"

#include <math.h>

/* Mean and variance of the scores of a row under their softmax; with one output the scores are 0 and z. */
static void moments_of(const double *z, int64_t outputs, double beta, double *mean, double *variance) {
    if (outputs == 1) {
        double e = exp(-fabs(beta * z[0])), p = beta * z[0] > 0 ? 1 / (1 + e) : e / (1 + e);
        *mean = p * z[0];
        *variance = e / ((1 + e) * (1 + e)) * z[0] * z[0];
        return;
    }
    double most = z[0], sum = 0, first = 0, second = 0;
    for (int64_t k = 1; k < outputs; k++) most = fmax(most, z[k]);
    for (int64_t k = 0; k < outputs; k++) {
        double u = z[k] - most, e = exp(beta * u);
        sum += e;
        first += e * u;
        second += e * u * u;
    }
    first /= sum;
    *mean = most + first;
    *variance = fmax(0, second / sum - first * first);
}

static double slope_at(const hsp_calibration_rows *rows, double beta, double *curvature) {
    double slope = 0;
    *curvature = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        const double *z = rows->score + i * rows->outputs;
        double c = rows->weight ? rows->weight[i] : 1, mean, variance;
        moments_of(z, rows->outputs, beta, &mean, &variance);
        slope += c * (mean - (rows->outputs == 1 ? (rows->class[i] ? z[0] : 0) : z[rows->class[i]]));
        *curvature += c * variance;
    }
    return slope;
}

/* The zero of the slope between low and high, where it changes sign. */
static double find_zero(const hsp_calibration_rows *rows, double low, double high) {
    enum { STEPS = 400 };
    double beta = 1;
    for (int step = 0; step < STEPS; step++) {
        double curvature, slope = slope_at(rows, beta, &curvature);
        if (slope == 0) break;
        if (slope < 0)
            low = beta;
        else
            high = beta;
        double next = beta - slope / curvature;
        if (!(next > low && next < high)) next = sqrt(low) * sqrt(high); /* the middle on a logarithmic scale */
        if (!(next > low && next < high) || fabs(next - beta) <= 2e-16 * beta) break;
        beta = next;
    }
    return beta;
}

static int fit_temperature(const hsp_calibration_rows *rows, hsp_calibration_pair **pairs, int64_t *count,
                           const char **odd, hsp_error **err) {
    const double least = exp(-10), most = exp(10);
    double unused, beta;
    *pairs = hsp_alloc(1, sizeof **pairs);
    if (!*pairs) return hsp_fail_memory(err);
    if (!(slope_at(rows, least, &unused) < 0)) {
        beta = least;
        *odd = "the scores of rows that were not trained on do not rank the classes better than chance: their probabilities "
               "say little";
    } else if (!(slope_at(rows, most, &unused) > 0)) {
        beta = most;
        *odd = "the scores of rows that were not trained on separate the classes, and no temperature is best: use platt";
    } else {
        beta = find_zero(rows, least, most);
    }
    (*pairs)[0][0] = beta;
    (*pairs)[0][1] = 0;
    *count = 1;
    return HSP_OK;
}

static void probabilities_at(const hsp_calibration_pair *pairs, int64_t count, double g, double *p, double *rest) {
    (void)count;
    double z = pairs[0][0] * g, e = exp(-fabs(z));
    *p = z > 0 ? 1 / (1 + e) : e / (1 + e);
    *rest = z > 0 ? e / (1 + e) : 1 / (1 + e);
}

static bool is_temperature(const hsp_calibration_pair *pairs, int64_t count) {
    return count == 1 && pairs[0][0] > 0 && pairs[0][1] == 0;
}

const hsp_calibration_method hsp_calibration_temperature = {
    .name = "temperature", .joint = true, .fit = fit_temperature, .at = probabilities_at, .fits = is_temperature};
