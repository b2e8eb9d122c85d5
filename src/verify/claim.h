/* What a model says it minimised, and the rows as that objective sees them. */
#ifndef HSP_VERIFY_CLAIM_H
#define HSP_VERIFY_CLAIM_H

#include "verify/summation.h"
#include "verify/verify.h"

typedef struct hsp_claim {
    const hsp_model *m;
    const hsp_data *data;
    char loss[32], penalty[32], intercept[32];
    double C, l1_share;
    bool joint;     /* softmax: one problem of K scores */
    int32_t *class; /* of each row, as the model counts them; NULL for regression */
} hsp_claim;

/* Fills all of it; hsp_claim_clear in any case. */
int hsp_claim_read(const hsp_model *m, const hsp_data *data, hsp_claim *c, hsp_error **err);
void hsp_claim_clear(hsp_claim *c);
/* Whether output k is of a class without weight (one-vs-rest): then there was no problem to solve. */
bool hsp_claim_absent(const hsp_claim *c, int64_t k);
/* c_i = row weight x class weight. */
double hsp_claim_weight(const hsp_claim *c, int64_t i);
/* The label of row i for output k: -1 or +1, or the number to predict. */
double hsp_claim_label(const hsp_claim *c, int64_t i, int64_t k);
/* The score of row i, from the weights in original units. */
double hsp_claim_score(const hsp_claim *c, int64_t i, int64_t k);

/* A lower bound of the optimum of problem k (of all outputs when joint); NaN when none is known. */
int hsp_claim_bound(const hsp_claim *c, int64_t k, double *bound, hsp_error **err);

#endif
