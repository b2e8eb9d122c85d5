/* nearest-mean: a row belongs to the class whose centre is nearest. |x - mu_k|^2 is smallest where
 * mu_k.x - |mu_k|^2 / 2 is largest, so the rule is linear: for two classes w = mu_+ - mu_-, b = -(|mu_+|^2 - |mu_-|^2) / 2;
 * for K classes one output for each centre. The midpoint of the means is on the boundary; it is not the bias. */
#include "classifier/class_moments.h"
#include "kernel/kernel.h"

#include <string.h>

/* The score of a class that was not there to be learnt: never the largest. */
#define NEVER (-1e300)

static int check(hsp_fit *f, const hsp_class_moments *m, hsp_error **err) {
    int64_t present = 0;
    for (int64_t k = 0; k < m->K; k++) {
        const char *name = f->prepare->classes.name[k];
        present += m->mass[k] > 0;
        if (m->mass[k] > 0) continue;
        if (m->K == 2)
            return hsp_fail(err, HSP_EINPUT, "no row of class '%s' has a weight above 0: there is no mean of it", name);
        hsp_text_format(&f->warnings, "class '%s' has no rows with weight: it will never be predicted\n", name);
    }
    return present >= 2 ? HSP_OK
                        : hsp_fail(err, HSP_EINPUT, "rows with weight are of one class only: at least two are needed");
}

static void score(hsp_fit *f, const hsp_class_moments *m) {
    int64_t d = m->d;
    if (f->outputs == 1) {
        const double *plus = m->mean + f->prepare->positive * d, *minus = m->mean + (1 - f->prepare->positive) * d;
        f->b[0] = (hsp_dot_f64(minus, minus, d) - hsp_dot_f64(plus, plus, d)) / 2;
        for (int64_t j = 0; j < d; j++) f->w[j] = plus[j] - minus[j];
        return;
    }
    memcpy(f->w, m->mean, (size_t)(m->K * d) * sizeof *f->w);
    for (int64_t k = 0; k < m->K; k++) f->b[k] = m->mass[k] > 0 ? -hsp_dot_f64(f->w + k * d, f->w + k * d, d) / 2 : NEVER;
}

static int fit(hsp_fit *f, hsp_error **err) {
    hsp_class_moments m;
    int status = hsp_class_moments_fit(f, &m, err);
    if (!status) status = check(f, &m, err);
    if (!status) {
        score(f, &m);
        status = hsp_class_moments_store(f, &m, NULL, err);
    }
    hsp_class_moments_clear(&m);
    return status;
}

const hsp_classifier hsp_classifier_nearest_mean = {.name = "nearest-mean",
                                                    .help = "the nearest class centre wins; two classes or K",
                                                    .options = HSP_OPTIONS_ANY,
                                                    .fit = fit};
