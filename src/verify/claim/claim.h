/* The objective that a model states, and the rows in terms of that objective. */
#ifndef HSP_VERIFY_CLAIM_CLAIM_H
#define HSP_VERIFY_CLAIM_CLAIM_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "model/objective.h"
#include "verify/claim/row_passes.h"
#include "verify/claim/verify.h"
#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

typedef enum hsp_claim_intercept { HSP_CLAIM_FREE, HSP_CLAIM_NO_INTERCEPT, HSP_CLAIM_PENALISED } hsp_claim_intercept;

typedef struct hsp_claim {
    const hsp_model *m;
    const hsp_data *data;
    const hsp_claim_loss *loss;    /* never NULL */
    bool hard;                     /* the hard margin */
    hsp_claim_intercept intercept; /* without a penalty, a penalised intercept is free */
    bool penalised;                /* R is not 0 */
    bool joint;                    /* one problem of K scores */
    double C, rho;                 /* rho: share of L1 */
    double parameter;              /* of the loss; NaN: none */
    int64_t n, d, K;               /* K: outputs */
    int32_t *class;                /* of each row, as the model numbers them; NULL for regression */
    double *c;                     /* n: row weight x class weight */
    const bool *endless;           /* as in the objective */
} hsp_claim;

/* Whether its loss and penalty are known. */
bool hsp_objective_known(const hsp_objective *o);

/* Call hsp_claim_clear in any case. Returns HSP_EINPUT if there is no objective, or data and model do not match. */
int hsp_claim_open(const hsp_model *m, const hsp_objective *objective, const hsp_data *data, hsp_claim *c, hsp_error **err);
void hsp_claim_clear(hsp_claim *c);
/* Number of problems: one, or one for each output. */
static inline int64_t hsp_claim_problems(const hsp_claim *c) {
    return c->joint ? 1 : c->K;
}
/* Whether output k belongs to a class without weight (one-vs-rest). Then there was no problem to solve. */
bool hsp_claim_absent(const hsp_claim *c, int64_t k);
/* The labels of all rows for output k: -1 and +1, or the numbers to predict. */
void hsp_claim_labels(const hsp_claim *c, int64_t k, double *y);
/* k_i = C c_i, exactly. */
static inline hsp_dd hsp_claim_weight(const hsp_claim *c, int64_t i) {
    return hsp_two_product(c->C, c->c[i]);
}
/* Whether the loss has a conjugate, and whether its slope gives the multipliers. */
static inline bool hsp_claim_has_dual(const hsp_claim *c) {
    return c->loss->shape != HSP_CLAIM_NO_DUAL;
}
static inline bool hsp_claim_smooth(const hsp_claim *c) {
    return c->loss->derive || (c->joint && !c->loss->kinked);
}
/* Whether margins and support vectors are defined. */
static inline bool hsp_claim_margins(const hsp_claim *c) {
    return c->hard || (c->loss->shape == HSP_CLAIM_BOX && c->penalised && c->rho == 0);
}

#endif
