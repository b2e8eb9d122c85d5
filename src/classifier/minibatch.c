/* minibatch: (sub)gradient steps from a batch of rows at a time. */
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/solver.h"

static const char *const defaults[] = {"loss", "hinge", "penalty", "none", "order", "shuffle", "batch", "32", NULL};

const hsp_classifier hsp_classifier_minibatch = {
    .name = "minibatch",
    .help = "mini-batch (sub)gradient descent on any loss and penalty",
    .options = HSP_OPTIONS_DESCENT " order batch",
    .defaults = defaults,
    .automatic = "schedule decay, with learning-rate min(sqrt(batch), max(1, 1/L))/(mean |x|^2 + 1), where L is the "
                 "largest curvature of the loss, and decay = rate * max(lambda, 1/n)",
    .solver = &hsp_solver_stochastic,
    .regression = true,
    .odds = true,
    .one_vs_rest = true,
    .iterates = true,
    .fit = hsp_fit_descent};
