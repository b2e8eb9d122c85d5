/* The values of lambda. Let G be the gradient of the mean loss at w = 0 and the optimal intercept b. With an L1 share rho all
 * weights are 0 exactly when
 *     |G_j| <= rho lambda for all j,
 * and the top is the smallest such lambda. Without an L1 part
 *     w ~ -G / lambda for large lambda,
 * and the top is the lambda at which the standard deviation of the scores is a tenth: of 1, the unit of a margin, in
 * classification; of the standard deviation of the targets in regression. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "design/design.h"
#include "loss/loss.h"
#include "option/options.h"
#include "problem/problem.h"
#include "select/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SPREAD = 0.1, ROUNDING = 1e-13;
static const double FAR = 1e-4, NEAR = 1e-2; /* the smallest lambda, as a share of the largest: rows >= columns, or fewer */
static const double LEAST_SQUARE = 1e-300;   /* of the longest row: below it squares lose their digits */
static const double FARTHEST = 64;           /* bound of the intercept of classes: the odds would be e^64 */

/* ---- the top ---- */

/* sum_i c_i slope_i at scores that all are b; leaves the weighted slopes. */
static double slope_at(hsp_problem *p, double b) {
    int64_t n = p->design->n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) p->scores[i] = b;
    p->loss->batch(p->loss, p->y, p->scores, n, 1, p->kink, NULL, p->slopes);
    for (int64_t i = 0; i < n; i++) {
        p->slopes[i] *= (p->c ? p->c[i] : 1) / p->sum_c;
        sum += p->slopes[i];
    }
    return sum;
}

/* The optimal intercept of weights of 0, by bisection, as the slope increases with it. */
static double best_intercept(hsp_problem *p) {
    double low = -FARTHEST, high = FARTHEST;
    if (p->intercept == HSP_INTERCEPT_NONE) return 0;
    if (p->regression) {
        double mean = 0;
        low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < p->design->n; i++) {
            double c = (p->c ? p->c[i] : 1) / p->sum_c;
            if (c > 0) low = fmin(low, p->y[i]), high = fmax(high, p->y[i]);
            mean += c * p->y[i];
        }
        if (strcmp(p->loss->name, hsp_loss_squared.name) == 0) return mean;
    }
    for (int t = 0; t < 100 && low < high; t++) {
        double b = low + (high - low) / 2;
        if (b == low || b == high) break;
        *(slope_at(p, b) < 0 ? &low : &high) = b;
    }
    return low + (high - low) / 2;
}

/* The standard deviation of v, or the root mean square without a free intercept. */
static double deviation(const hsp_problem *p, const double *v) {
    int64_t n = p->design->n;
    double mean = 0, most = 0, square = 0;
    for (int64_t i = 0; p->intercept == HSP_INTERCEPT_FREE && i < n; i++) mean += (p->c ? p->c[i] : 1) / p->sum_c * v[i];
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(v[i] - mean));
    if (!(most > 0 && isfinite(most))) return most;
    for (int64_t i = 0; i < n; i++)
        square += (p->c ? p->c[i] : 1) / p->sum_c * ((v[i] - mean) / most) * ((v[i] - mean) / most);
    return most * sqrt(square);
}

int hsp_path_top(hsp_problem *p, double *top, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d;
    double *G = hsp_alloc(d, sizeof *G), size = 0, mean, longest, slopes = 0;
    if (!G) return hsp_fail_memory(err);
    double sum = slope_at(p, best_intercept(p));
    if (p->intercept == HSP_INTERCEPT_FREE) /* at a kink the slopes need not sum to 0 */
        for (int64_t i = 0; i < n; i++) p->slopes[i] -= (p->c ? p->c[i] : 1) / p->sum_c * sum;
    for (int64_t i = 0; i < n; i++) slopes += fabs(p->slopes[i]);
    hsp_design_adjoint(p->design, p->slopes, G);
    for (int64_t j = 0; j < d; j++) size = fmax(size, fabs(G[j]));
    hsp_design_norms(p->design, p->c, &mean, &longest);
    bool vanishing = size > 0 && longest < LEAST_SQUARE;
    if (!(size > ROUNDING * slopes * sqrt(longest))) size = 0;
    *top = p->rho > 0 ? size / p->rho : size;
    if (size > 0 && p->rho == 0) {
        hsp_design_scores(p->design, G, 0, p->scores);
        double unit = p->regression ? deviation(p, p->y) : 1;
        *top = unit > 0 ? deviation(p, p->scores) / unit / SPREAD : 0;
    }
    hsp_free(G);
    if (*top == 0) *top = 1; /* all gradients are 0: any lambda will do */
    if (isfinite(longest) && !vanishing && *top >= 1e-290 && *top <= 1e290) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "the values are too %s to compute with: use other units, or --scale standard",
                    vanishing || *top < 1 ? "small" : "large");
}

/* ---- the values ---- */

static bool good(double v) {
    return v > 0 && v <= 1e300;
}

/* `count` numbers from hi down to lo, both exact, in equal ratios. */
static void spread(double hi, double lo, int64_t count, double *v) {
    for (int64_t i = 0; i < count; i++) v[i] = count > 1 ? hi * pow(lo / hi, (double)i / (double)(count - 1)) : hi;
    if (count > 1) v[count - 1] = lo;
    v[0] = hi;
}

/* LO:HI[:N] into v; the number of values, 0: not of that form. *sized: N is given. */
static int64_t read_range(const char *text, int64_t steps, double *v, bool *sized) {
    const char *end = text + strlen(text), *at;
    double lo, hi, n = (double)steps;
    at = hsp_number_parse(text, end, &lo);
    if (!at || *at != ':') return 0;
    at = hsp_number_parse(at + 1, end, &hi);
    *sized = at && *at == ':';
    if (*sized) at = hsp_number_parse(at + 1, end, &n);
    if (at != end || !good(lo) || !good(hi) || !(lo < hi) || !(n >= 2 && n <= HSP_PATH_MOST) || n != floor(n)) return 0;
    spread(hi, lo, (int64_t)n, v);
    return (int64_t)n;
}

static int falling(const void *a, const void *b) {
    double u = *(const double *)a, v = *(const double *)b;
    return (u < v) - (u > v);
}

/* X,X,... sorted, without repetitions. */
static int64_t read_list(const char *text, double *v) {
    const char *end = text + strlen(text);
    int64_t n = 0, kept = 0;
    for (const char *at = text;; at++) {
        if (n == HSP_PATH_MOST) return 0;
        at = hsp_number_parse(at, end, &v[n]);
        if (!at || !good(v[n]) || (at != end && *at != ',')) return 0;
        n++;
        if (at == end) break;
    }
    qsort(v, (size_t)n, sizeof *v, falling);
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || v[i] < v[kept - 1]) v[kept++] = v[i];
    return kept;
}

static int read_lambdas(const char *text, const hsp_options *o, double *v, int64_t *count, hsp_error **err) {
    bool sized = true;
    *count =
        strchr(text, ':') ? read_range(text, hsp_options_int(o, "steps", HSP_PATH_STEPS), v, &sized) : read_list(text, v);
    if (*count == 0)
        return hsp_fail(err, HSP_EUSAGE,
                        "--lambdas cannot be '%s': give LO:HI[:N] with 0 < LO < HI and N from 2 to 1000, or up to 1000 "
                        "positive numbers separated by commas",
                        text);
    if (sized && hsp_options_is_set(o, "steps"))
        return hsp_fail(err, HSP_EUSAGE, "--lambdas %s says how many values there are: leave --steps out", text);
    return HSP_OK;
}

int hsp_path_grid(hsp_problem *p, const hsp_options *o, double **lambda, int64_t *count, hsp_error **err) {
    const char *text = hsp_options_text(o, "lambdas");
    double top;
    *lambda = hsp_alloc(HSP_PATH_MOST, sizeof **lambda);
    if (!*lambda) return hsp_fail_memory(err);
    if (text) return read_lambdas(text, o, *lambda, count, err);
    *count = hsp_options_int(o, "steps", HSP_PATH_STEPS);
    int status = hsp_path_top(p, &top, err);
    if (!status) spread(top, top * (p->design->n < p->design->d ? NEAR : FAR), *count, *lambda);
    return status;
}
