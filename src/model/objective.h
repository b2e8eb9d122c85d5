/* The objective that a fit minimised: P(w, b) = R(w) + C sum_i c_i loss_i. */
#ifndef HSP_MODEL_OBJECTIVE_H
#define HSP_MODEL_OBJECTIVE_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_objective {
    /* Names of the tables, static or borrowed from the model's report; NULL: there is none. */
    const char *loss, *penalty;
    const char *intercept; /* "free", "penalised" or "none"; NULL: free */
    bool hard;             /* the hard margin, which has no loss */
    bool joint;            /* one problem of K scores; else one for each output */
    double C;              /* 1 without a penalty */
    double l1_share;       /* rho: the share of the L1 norm in R */
    double parameter;      /* of a loss that takes one; else NaN */
    double tolerance;      /* the relative gap that was asked for; NaN: none */
    /* Outputs, owned; or NULL: none. Without a penalty losses that are never 0 have an optimum, and with it a bound, only
     * where the classes are not separable: true where that is not proven. */
    bool *endless;
} hsp_objective;

struct hsp_model;
/* The objective of a model that was read from a file, from its report and options. 0 or HSP_EMEMORY. */
int hsp_objective_read(const struct hsp_model *m, hsp_objective *out, hsp_error **err);

#endif
