/* sgd: (sub)gradient steps from one row at a time. */
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/solver.h"

static const char *const defaults[] = {"loss", "hinge", "penalty", "none", "order", "shuffle", "batch", "1", NULL};

const hsp_classifier hsp_classifier_sgd = {
    .name = "sgd",
    .help = "stochastic (sub)gradient descent on any loss and penalty, one row per update",
    .options = HSP_OPTIONS_DESCENT " order",
    .defaults = defaults,
    .automatic = "schedule decay, with learning-rate 1/(mean |x|^2 + 1) and decay = rate * max(lambda, 1/n)",
    .solver = &hsp_solver_stochastic,
    .regression = true,
    .odds = true,
    .one_vs_rest = true,
    .iterates = true,
    .fit = hsp_fit_descent};
