/* The corrected resampled t-test of Nadeau and Bengio (Inference for the generalization error, Machine Learning 52, 2003), as
 * an interval. The J differences d_j of two algorithms over the same folds are not independent, as any two training sets
 * share rows. The usual variance of their mean, s^2/J, ignores that and is far too small. With the correlation
 * n_test / (n_test + n_train) that the authors propose, it is
 *     (1/J + n_test / n_train) s^2,   s^2 the sample variance of the d_j,
 * also for J = repeats x folds (Bouckaert and Frank 2004). Pairing the folds removes what makes a fold hard for all. */
#include "select/difference.h"

#include "base/memory.h"
#include "halfspace.h"
#include "select/interval.h"

int hsp_difference_estimate(const double *a, const double *b, int64_t count, double tested, double trained,
                            hsp_difference *out) {
    double *d = hsp_alloc(count, sizeof *d);
    if (!d) return HSP_EMEMORY;
    for (int64_t j = 0; j < count; j++) d[j] = a[j] - b[j];
    const hsp_fold_summary s = hsp_summarise_folds(d, NULL, count, 1, count, tested, trained);
    *out = (hsp_difference){s.mean, s.lower, s.upper};
    hsp_free(d);
    return HSP_OK;
}

bool hsp_difference_is_open(const hsp_difference *d) {
    return d->lo <= 0 && d->hi >= 0;
}
