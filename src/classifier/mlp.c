/* mlp: the multi-layer perceptron, a network with hidden layers. Its scores are maps of the features that are not linear:
 *     g(x) = W_L f(... f(W_1 x + b_1) ...) + b_L
 * with the logistic loss for two classes, softmax for more, the squared loss for numbers, and L2 on all weights. The objective
 * is not convex, so there is no bound on the distance to its optimum. */
#include "fit/fit_network.h"
#include "fit/fit.h"

static const char *const defaults[] = {"hidden", "32", "activation", "tanh", "C", "100", NULL};

const hsp_classifier hsp_classifier_mlp = {
    .name = "mlp",
    .help = "multi-layer perceptron: hidden layers, for classes that no linear rule separates; or regression",
    .options = HSP_OPTIONS_ANY " hidden activation restarts solver C lambda batch learning-rate tol max-epochs max-updates "
                               "max-steps max-seconds",
    .defaults = defaults,
    .automatic = "solver lbfgs up to 5000 rows, with restarts on small data while training rows are misclassified; else adam "
                 "with learning-rate 0.001 and batch 200; gradient: learning-rate 0.1",
    .regression = true,
    .probabilities = true,
    .layers = true,
    .fit = hsp_fit_network};
