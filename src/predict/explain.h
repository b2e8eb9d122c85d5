/* predict --explain: the largest contributions of features to the score of a row. With the means m of the training rows,
 *
 *     score = baseline + sum_j w_j (x_j - m_j),     baseline = b + sum_j w_j m_j,
 *
 * so a contribution says how far a feature moves the score away from that of the mean row. A model without means has m = 0. */
#ifndef HSP_PREDICT_EXPLAIN_H
#define HSP_PREDICT_EXPLAIN_H

#include "base/text.h"
#include "data/block.h"
#include "halfspace.h"
#include "model/model.h"

enum { HSP_EXPLAIN_MOST = 100 }; /* contributions of a row */

typedef struct hsp_explainer {
    const hsp_model *m;
    int64_t top;        /* contributions of a row; 0: none are asked for */
    const double *mean; /* borrowed from the model; NULL: 0 */
    double *baseline;   /* owned: of each output */
    hsp_text names;     /* the features as CSV cells */
    int64_t *name;      /* owned: d + 1, where each begins */
    int64_t longest;    /* bytes of the longest */
} hsp_explainer;        /* {0} can be cleared */

/* A feature of a row and its contribution. */
typedef struct hsp_contribution {
    int64_t feature;
    double value;
} hsp_contribution;

int hsp_explainer_init(hsp_explainer *x, const hsp_model *m, int64_t top, hsp_error **err);
void hsp_explainer_clear(hsp_explainer *x);
/* Appends ",baseline,feature_1,contribution_1,...,contribution_other". */
void hsp_explainer_header(const hsp_explainer *x, hsp_text *t);
/* An upper bound of the bytes that hsp_explainer_put writes. */
int64_t hsp_explainer_line(const hsp_explainer *x);
/* The largest contributions to an output for row i of a block, by size, the first of equals first, at most x->top; how many.
 * Zeros are left out. */
int64_t hsp_explainer_find(const hsp_explainer *x, const hsp_block *block, int64_t i, int64_t output,
                           hsp_contribution *out);
/* Writes them as cells, each after a comma, with the baseline before and the sum of all others after them. Returns the end. */
char *hsp_explainer_put(const hsp_explainer *x, const hsp_block *block, int64_t i, int64_t output, double score, char *out);

#endif
