/* The table of classifiers. To add one, write a file beside this one, declare its name in classifier.h, and add a line
 * here. */
#include "classifier/classifier.h"
#include "fit/fit.h"
#include "option/options.h"

#include <string.h>

const hsp_classifier *const hsp_classifier_table[] = {
    &hsp_classifier_nearest_mean,  &hsp_classifier_fisher,     &hsp_classifier_lda,
    &hsp_classifier_least_squares, &hsp_classifier_ridge,      &hsp_classifier_lasso,
    &hsp_classifier_elastic_net,   &hsp_classifier_logistic,   &hsp_classifier_svm,
    &hsp_classifier_hard_svm,      &hsp_classifier_perceptron, &hsp_classifier_gradient_descent,
    &hsp_classifier_sgd,           &hsp_classifier_minibatch,  &hsp_classifier_mlp,
    NULL,
};

const hsp_classifier *hsp_classifier_find(const char *name) {
    for (int64_t i = 0; hsp_classifier_table[i]; i++)
        if (strcmp(hsp_classifier_table[i]->name, name) == 0) return hsp_classifier_table[i];
    return NULL;
}

const char *hsp_classifier_chosen(const hsp_options *o, bool regression) {
    bool given = hsp_options_is_set(o, "algorithm");
    return regression && !given ? hsp_classifier_ridge.name : hsp_options_text(o, "algorithm");
}

bool hsp_classifier_takes(const hsp_classifier *c, const char *option) {
    size_t n = strlen(option);
    for (const char *s = strstr(c->options, option); s; s = strstr(s + 1, option))
        if ((s == c->options || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0')) return true;
    return false;
}

const char *hsp_classifier_default(const hsp_classifier *c, const char *option) {
    for (const char *const *d = c->defaults; d && d[0]; d += 2)
        if (strcmp(d[0], option) == 0) return d[1];
    return NULL;
}
