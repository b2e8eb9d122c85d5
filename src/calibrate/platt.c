/* Platt's logistic map with his regularised targets [1], by Newton's method [2].
 *
 * With N+ and N- the weights of the two classes, the targets are
 *
 *     t+ = (N+ + 1) / (N+ + 2)    t- = 1 / (N- + 2)
 *
 * so that the optimum exists even if the scores separate the classes. The scores are standardised first: then the Hessian of
 * slope and intercept is well conditioned for scores in any units, and the gradient falls to rounding.
 *
 * [1] J. Platt. Probabilistic outputs for support vector machines. Advances in Large Margin Classifiers, 1999.
 * [2] H.-T. Lin, C.-J. Lin, R. C. Weng. A note on Platt's probabilistic outputs for support vector machines. Machine Learning
 *     68, 2007. */
#include "base/error.h"
#include "base/memory.h"
#include "calibrate/calibration.h"

#include <math.h>

typedef struct platt_fit {
    const hsp_calibration_rows *rows;
    double target[2];           /* of the class 0 and 1 */
    double scale, mean, sd;     /* s = (g / scale - mean) / sd */
    double mass;                /* sum of the weights */
    double value, g[2], h[3];   /* objective, gradient, and Hessian (aa, ab, bb) at a point */
} platt_fit;

static double weight_of(const hsp_calibration_rows *rows, int64_t i) {
    return rows->weight ? rows->weight[i] : 1;
}

static double standard_score(const platt_fit *f, int64_t i) {
    return f->sd > 0 ? (f->rows->score[i] / f->scale - f->mean) / f->sd : 0;
}

/* Dividing by the largest score first keeps the squares finite. */
static void standardise(platt_fit *f) {
    const hsp_calibration_rows *r = f->rows;
    double largest = 0, sum = 0, squares = 0, mass[2] = {0, 0};
    for (int64_t i = 0; i < r->n; i++) {
        largest = fmax(largest, fabs(r->score[i]));
        mass[r->class[i]] += weight_of(r, i);
    }
    f->mass = mass[0] + mass[1];
    f->target[0] = 1 / (mass[0] + 2);
    f->target[1] = (mass[1] + 1) / (mass[1] + 2);
    f->scale = largest > 0 ? largest : 1;
    for (int64_t i = 0; i < r->n; i++) sum += weight_of(r, i) * (r->score[i] / f->scale);
    f->mean = sum / f->mass;
    for (int64_t i = 0; i < r->n; i++) {
        double apart = r->score[i] / f->scale - f->mean;
        squares += weight_of(r, i) * apart * apart;
    }
    f->sd = sqrt(squares / f->mass);
    if (!(f->sd > 1e-15)) f->sd = 0; /* equal scores: only the intercept matters */
}

/* The objective sum c (t log(1 + e^-z) + (1 - t) log(1 + e^z)) at z = a s + b, and its derivatives. */
static void evaluate(platt_fit *f, double a, double b) {
    f->value = f->g[0] = f->g[1] = f->h[0] = f->h[1] = f->h[2] = 0;
    for (int64_t i = 0; i < f->rows->n; i++) {
        double c = weight_of(f->rows, i), s = standard_score(f, i), t = f->target[f->rows->class[i]], z = a * s + b;
        double e = exp(-fabs(z)), p = z > 0 ? 1 / (1 + e) : e / (1 + e), q = z > 0 ? e / (1 + e) : 1 / (1 + e);
        /* p - t as (1 - t) - q where p is near 1 */
        double slope = z > 0 ? (1 - t) - q : p - t, curve = p * q;
        f->value += c * (log1p(e) + (z > 0 ? (1 - t) * z : -t * z));
        f->g[0] += c * slope * s;
        f->g[1] += c * slope;
        f->h[0] += c * curve * s * s;
        f->h[1] += c * curve * s;
        f->h[2] += c * curve;
    }
}

static double steepness(const platt_fit *f) {
    return fmax(fabs(f->g[0]), fabs(f->g[1]));
}

/* Newton's step; the small ridge is that of Lin, Lin and Weng. */
static void newton_step(const platt_fit *f, double *da, double *db) {
    double ridge = 1e-12 * f->mass, aa = f->h[0] + ridge, bb = f->h[2] + ridge, ab = f->h[1], det = aa * bb - ab * ab;
    *da = -(bb * f->g[0] - ab * f->g[1]) / det;
    *db = -(aa * f->g[1] - ab * f->g[0]) / det;
}

/* Minimises from (a, b) until the gradient is at its rounding error or no step lowers it. */
static void minimise(platt_fit *f, double *a, double *b) {
    enum { STEPS = 200, HALVINGS = 60 };
    evaluate(f, *a, *b);
    for (int step = 0; step < STEPS && steepness(f) > 1e-15 * f->mass; step++) {
        const platt_fit here = *f;
        double da, db, length = 1;
        newton_step(f, &da, &db);
        double fall = f->g[0] * da + f->g[1] * db;
        bool lower = false;
        for (int k = 0; k < HALVINGS && !lower; k++, length /= 2) {
            evaluate(f, *a + length * da, *b + length * db);
            /* near the optimum the objective no longer resolves the step, but the gradient does */
            lower = f->value < here.value + 1e-4 * length * fall || (k == 0 && steepness(f) < steepness(&here) / 2);
            if (lower) *a += length * da, *b += length * db;
        }
        if (lower) continue;
        *f = here;
        return;
    }
}

static int fit_platt(const hsp_calibration_rows *rows, hsp_calibration_pair **pairs, int64_t *count, const char **odd,
                     hsp_error **err) {
    platt_fit f = {.rows = rows};
    *pairs = hsp_alloc(1, sizeof **pairs);
    if (!*pairs) return hsp_fail_memory(err);
    standardise(&f);
    double share = 0;
    for (int64_t i = 0; i < rows->n; i++) share += weight_of(rows, i) * f.target[rows->class[i]];
    share /= f.mass;
    double a = 0, b = log(share / (1 - share));
    if (f.sd > 0) minimise(&f, &a, &b);
    double slope = f.sd > 0 ? a / f.sd / f.scale : 0;
    (*pairs)[0][0] = slope;
    (*pairs)[0][1] = f.sd > 0 ? b - a * (f.mean / f.sd) : b;
    *count = 1;
    if (slope <= 0)
        *odd = "the scores of rows that were not trained on do not rank the classes better than chance: their probabilities "
               "say little";
    return HSP_OK;
}

static void probabilities_at(const hsp_calibration_pair *pairs, int64_t count, double g, double *p, double *rest) {
    (void)count;
    double z = pairs[0][0] * g + pairs[0][1], e = exp(-fabs(z));
    *p = z > 0 ? 1 / (1 + e) : e / (1 + e);
    *rest = z > 0 ? e / (1 + e) : 1 / (1 + e);
}

static bool is_platt(const hsp_calibration_pair *pairs, int64_t count) {
    (void)pairs;
    return count == 1;
}

const hsp_calibration_method hsp_calibration_platt = {
    .name = "platt", .fit = fit_platt, .at = probabilities_at, .fits = is_platt};
