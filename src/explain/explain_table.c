/* The explanations. To add one, write a file beside this one, declare its name in derivation.h, and add a line here. */
#include "explain/derivation.h"

#include <string.h>

const hsp_explanation *const hsp_explanation_table[] = {
    &hsp_explanation_nearest_mean,
    &hsp_explanation_fisher,
    &hsp_explanation_lda,
    &hsp_explanation_least_squares,
    &hsp_explanation_ridge,
    &hsp_explanation_lasso,
    &hsp_explanation_elastic_net,
    &hsp_explanation_logistic,
    &hsp_explanation_svm,
    &hsp_explanation_hard_svm,
    &hsp_explanation_perceptron,
    &hsp_explanation_gradient_descent,
    &hsp_explanation_sgd,
    &hsp_explanation_minibatch,
    &hsp_explanation_mlp,
    NULL,
};

const hsp_explanation *hsp_explanation_find(const char *algorithm) {
    for (int64_t i = 0; hsp_explanation_table[i]; i++)
        if (strcmp(hsp_explanation_table[i]->algorithm, algorithm) == 0) return hsp_explanation_table[i];
    return NULL;
}
