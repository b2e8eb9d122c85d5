/* elastic-net: least squares with a mixture of L1 and L2,
 *     min rho |w|_1 + (1 - rho) |w|^2 / 2 + C sum c_i (y_i - g_i)^2 / 2,
 * with exact zeros, and similar weights for correlated columns (Zou and Hastie 2005). By proximal Newton, to a certified
 * gap. */
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/solver.h"

static const char *const defaults[] = {"penalty", "elastic", NULL};

const hsp_classifier hsp_classifier_elastic_net = {
    .name = "elastic-net",
    .help = "least squares with L1 and L2 penalties mixed by --l1-ratio, for regression; with certificate",
    .options = HSP_OPTIONS_NUMBERS " intercept C lambda l1-ratio tol max-epochs max-seconds",
    .defaults = defaults,
    .automatic = "the solver prox-newton; the target is read as numbers (--task regression)",
    .solver = &hsp_solver_prox_newton,
    .regression = true,
    .only_numbers = true,
    .iterates = true,
    .fit = hsp_fit_regression};
