/* mlp: the multi-layer perceptron, a network with hidden layers. Its scores are maps of the features that are not linear:
 *     g(x) = W_L f(... f(W_1 x + b_1) ...) + b_L
 * with the logistic loss for two classes, softmax for more, the squared loss for numbers, and L2 on all weights. The objective
 * is not convex, so there is no bound on the distance to its optimum. */
#include "fit/fit.h"
#include "fit/fit_network.h"
#include "option/options.h"

static const char *const defaults[] = {"hidden", "32", "activation", "tanh", "C", "10", NULL};

/* The penalty compares weights of different columns, so they get one scale; plain gradient steps are on the columns as they
 * are. */
static int choose_scale(hsp_options *o, hsp_error **err) {
    return hsp_options_default(o, "scale", hsp_options_is(o, "solver", "gradient") ? "none" : "standard", err);
}

const hsp_classifier hsp_classifier_mlp = {
    .name = "mlp",
    .help = "multi-layer perceptron: hidden layers, for classes that no linear rule separates; or regression",
    .options = HSP_OPTIONS_ANY " hidden activation restarts solver C lambda batch learning-rate tol max-epochs max-updates "
                               "max-steps max-seconds",
    .defaults = defaults,
    .complete = choose_scale,
    .automatic = "scale standard; solver lbfgs up to 5000 rows, with up to 4 restarts on small data while training rows are "
                 "misclassified; else adam with learning-rate 0.001 and batch 200; gradient: scale none, learning-rate 0.1",
    .regression = true,
    .probabilities = true,
    .layers = true,
    .iterates = true,
    .fit = hsp_fit_network};
