/* --priors: the prior probability of each class. */
#include "base/error.h"
#include "data/data.h"
#include "moments/class_moments.h"
#include "option/options.h"
#include "prepare/class_numbers.h"

#include <math.h>
#include <string.h>

static int parse_priors(const hsp_classes *classes, const char *text, double *prior, hsp_error **err) {
    int status = hsp_class_numbers(classes, "priors", text, "a=0.2,b=0.8, or empirical, or equal", prior, err);
    if (status) return status;
    double sum = 0;
    for (int64_t k = 0; k < classes->count; k++) {
        if (isnan(prior[k]))
            return hsp_fail(err, HSP_EUSAGE, "--priors does not name class '%s': give every class a probability",
                            classes->name[k]);
        if (!(prior[k] > 0 && prior[k] < 1))
            return hsp_fail(err, HSP_EUSAGE, "--priors: the prior of class '%s' is not between 0 and 1: give probabilities",
                            classes->name[k]);
        sum += prior[k];
    }
    if (fabs(sum - 1) <= 1e-6) return HSP_OK;
    char buf[32];
    hsp_format_number(sum, buf);
    return hsp_fail(err, HSP_EUSAGE, "--priors sum to %s: give probabilities that sum to 1", buf);
}

int hsp_priors_choose(const hsp_options *o, const hsp_classes *classes, const double *class_weight,
                      const hsp_class_moments *m, double *prior, hsp_error **err) {
    const char *text = hsp_options_text(o, "priors");
    int status = HSP_OK;
    if (strcmp(text, "empirical") == 0)
        for (int64_t k = 0; k < m->K; k++) prior[k] = m->mass[k] / (class_weight ? class_weight[k] : 1);
    else if (strcmp(text, "equal") == 0)
        for (int64_t k = 0; k < m->K; k++) prior[k] = 1;
    else
        status = parse_priors(classes, text, prior, err);
    if (status) return status;
    double sum = 0;
    for (int64_t k = 0; k < m->K; k++) sum += prior[k] = m->mass[k] > 0 ? prior[k] : 0;
    for (int64_t k = 0; k < m->K; k++) prior[k] /= sum;
    return HSP_OK;
}
