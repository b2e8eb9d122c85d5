/* gradient-descent: (sub)gradient steps on the mean loss over all rows, with an optional penalty. */
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/solver.h"

static const char *const defaults[] = {"loss", "hinge", "penalty", "none", NULL};

const hsp_classifier hsp_classifier_gradient_descent = {
    .name = "gradient-descent",
    .help = "batch (sub)gradient descent on any loss and penalty; --solver minimises the same objective by another method",
    .options = HSP_OPTIONS_DESCENT " solver",
    .defaults = defaults,
    .automatic =
        "schedule line-search for smooth losses; else decay, with learning-rate 10/sqrt(mean |x|^2 + 1) and decay 0.005",
    .solver = &hsp_solver_gradient,
    .regression = true,
    .odds = true,
    .one_vs_rest = true,
    .iterates = true,
    .fit = hsp_fit_descent};
