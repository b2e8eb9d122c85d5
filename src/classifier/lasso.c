/* lasso: least squares with an L1 penalty,
 *     min |w|_1 + C sum c_i (y_i - g_i)^2 / 2,
 * which sets weights of little use exactly to 0 (Tibshirani 1996). By proximal Newton, to a certified gap. */
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/solver.h"

static const char *const defaults[] = {"penalty", "l1", NULL};

const hsp_classifier hsp_classifier_lasso = {
    .name = "lasso",
    .help = "least squares with an L1 penalty, for regression: min |w|_1 + C sum (y - g)^2/2; with certificate",
    .options = HSP_OPTIONS_NUMBERS " intercept C lambda tol max-epochs max-seconds",
    .defaults = defaults,
    .automatic = "the solver prox-newton; the target is read as numbers (--task regression)",
    .solver = &hsp_solver_prox_newton,
    .regression = true,
    .only_numbers = true,
    .iterates = true,
    .fit = hsp_fit_regression};
