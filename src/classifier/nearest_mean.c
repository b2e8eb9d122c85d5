/* nearest-mean: assigns a row to the class with the nearest mean. The distance |x - mu_k|^2 is smallest where
 *     g_k(x) = mu_k.x - |mu_k|^2 / 2
 * is largest, so the rule is linear. Two classes have one output,
 *     w = mu_+ - mu_-,   b = -(|mu_+|^2 - |mu_-|^2) / 2,
 * and K classes have one output for each mean. The boundary contains the midpoint of the means; the midpoint is not the
 * intercept.
 *
 * Columns whose means are large compared with their spread are taken relative to a point g:
 *     w_k = mu_k - g,   b_k = -|mu_k - g|^2 / 2 - w_k.g
 * This changes all scores of a row by the same amount g.x - |g|^2 / 2, and avoids cancellation of terms of size |g|^2. */
#include "base/error.h"
#include "base/text.h"
#include "fit/fit.h"
#include "fit/fit_moments.h"
#include "kernel/kernel.h"
#include "moments/class_moments.h"

#include <math.h>
#include <string.h>

/* The score of a class without training rows: never the largest. */
#define NEVER (-1e300)

static int check_classes(const hsp_fit *f, const hsp_class_moments *m, hsp_error **err) {
    int64_t present = 0;
    for (int64_t k = 0; k < m->K; k++) {
        present += m->mass[k] > 0;
        if (m->mass[k] == 0 && m->K == 2)
            return hsp_fail(err, HSP_EINPUT,
                            "no row of class '%s' has a positive weight: nearest-mean needs rows of every class",
                            f->job.prepare->classes.name[k]);
    }
    return present >= 2 ? HSP_OK
                        : hsp_fail(err, HSP_EINPUT,
                                   "only one class has rows with a positive weight: nearest-mean needs at least two");
}

static void set_scores(hsp_fit *f, const hsp_class_moments *m) {
    int64_t d = m->d;
    if (f->out.outputs == 1) {
        const double *plus = m->mean + f->job.prepare->positive * d, *minus = m->mean + (1 - f->job.prepare->positive) * d;
        for (int64_t j = 0; j < d; j++) f->out.w[j] = plus[j] - minus[j];
        f->out.b[0] = hsp_class_offset(m, f->out.w, (hsp_dot_f64(minus, minus, d) - hsp_dot_f64(plus, plus, d)) / 2);
        return;
    }
    memcpy(f->out.w, m->mean, (size_t)(m->K * d) * sizeof *f->out.w);
    for (int64_t k = 0; k < m->K; k++) {
        const double *w = f->out.w + k * d;
        f->out.b[k] = m->mass[k] > 0 ? hsp_class_offset(m, w, -hsp_dot_f64(w, w, d) / 2) : NEVER;
    }
}

/* Distances are sums of squares. If one overflows, the error names the column of the largest mean. If all differences of
 * the means are so small that their squares underflow, the scores are 0: the fit warns. */
static int check_range(hsp_fit *f, const hsp_class_moments *m, hsp_error **err) {
    double most = 0, apart = 0;
    int64_t largest = 0, first = 0;
    bool finite = true;
    while (m->mass[first] == 0) first++;
    for (int64_t i = 0; i < m->K * m->d; i++) {
        double v = fabs(m->mean[i] + (m->g ? m->g[i % m->d] : 0));
        if (!(v <= most)) largest = i % m->d;
        if (!isfinite(v)) return hsp_class_extreme(f->job.prepare, largest, "large", err);
        most = fmax(most, v);
        if (m->mass[i / m->d] > 0) apart = fmax(apart, fabs(m->mean[i] - m->mean[first * m->d + i % m->d]));
    }
    for (int64_t i = 0; i < f->out.outputs * m->d; i++) finite &= isfinite(f->out.w[i]) != 0;
    for (int64_t k = 0; k < f->out.outputs; k++) finite &= isfinite(f->out.b[k]) != 0;
    if (!finite) return hsp_class_extreme(f->job.prepare, largest, "large", err);
    if (apart > 0 && apart < 1 / HSP_MOMENTS_LARGE)
        hsp_text_format(&f->notes.warnings,
                        "the class means are so close that their squared distance is 0: use other units%s\n",
                        f->job.prepare->factor ? "" : ", or --scale standard");
    return HSP_OK;
}

static int fit_nearest_mean(hsp_fit *f, hsp_error **err) {
    hsp_class_moments m;
    hsp_class_rows set = hsp_fit_class_rows(f);
    int status = hsp_class_moments_fit(&set, &m, err);
    if (!status) status = check_classes(f, &m, err);
    if (!status) {
        set_scores(f, &m);
        status = check_range(f, &m, err);
    }
    if (!status) status = hsp_fit_store_moments(f, &m, NULL, err);
    hsp_class_moments_clear(&m);
    return status;
}

const hsp_classifier hsp_classifier_nearest_mean = {.name = "nearest-mean",
                                                    .help = "nearest class mean; two or more classes",
                                                    .options = HSP_OPTIONS_ANY,
                                                    .fit = fit_nearest_mean};
