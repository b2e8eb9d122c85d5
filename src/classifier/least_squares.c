/* least-squares: the weights that minimise
 *     sum c_i (y_i - g_i)^2 / 2,
 * of minimum norm if there are several. Two classes have the targets -1 and +1; K classes are K targets with one
 * factorisation. */
#include "fit/squares_fit.h"
#include "fit/fit.h"

static int fit_least_squares(hsp_fit *f, hsp_error **err) {
    return hsp_fit_squares(f, false, err);
}

const hsp_classifier hsp_classifier_least_squares = {
    .name = "least-squares",
    .help = "least squares in closed form, for classification (targets -1, +1) or regression; exact leave-one-out",
    .options = HSP_OPTIONS_ANY " intercept loo",
    .regression = true,
    .one_vs_rest = true,
    .fit = fit_least_squares};
