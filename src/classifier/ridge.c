/* ridge: least squares with |w|^2 / 2 beside C times the sum, solved exactly; lambda also by leave-one-out. */
#include "fit/squares_fit.h"
#include "fit/fit.h"

static int fit_ridge(hsp_fit *f, hsp_error **err) {
    return hsp_fit_squares(f, true, err);
}

const hsp_classifier hsp_classifier_ridge = {
    .name = "ridge",
    .help = "least squares with an L2 penalty in closed form, certified; --lambda auto by exact leave-one-out",
    .options = HSP_OPTIONS_ANY " intercept C lambda tol loo",
    .regression = true,
    .lambda_auto = true,
    .fit = fit_ridge};
