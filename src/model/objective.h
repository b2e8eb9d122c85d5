/* The objective that a fit minimised:
 *     P(w, b) = R(w) + C sum_i c_i loss_i */
#ifndef HSP_MODEL_OBJECTIVE_H
#define HSP_MODEL_OBJECTIVE_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_objective {
    /* Names from the tables, static or borrowed from the model's report; NULL: none. */
    const char *loss, *penalty;
    const char *intercept; /* "free", "penalised" or "none"; NULL: free */
    bool hard;             /* hard margin, which has no loss */
    bool joint;            /* one problem of K scores; else one for each output */
    double C;              /* 1 without a penalty */
    double l1_share;       /* rho: the share of the L1 norm in R */
    double parameter;      /* of a loss that takes one; else NaN */
    /* Outputs, owned; or NULL: all false. Without a penalty, a loss that is never 0 has an optimum, and so a bound, only if
     * the classes are not separable: true where that is not proven. */
    bool *endless;
} hsp_objective;

struct hsp_model;
/* Reads the objective of a loaded model from its report and options. 0 or HSP_EMEMORY. */
int hsp_objective_read(const struct hsp_model *m, hsp_objective *out, hsp_error **err);

#endif
