/* The scores of many rows: the same bits as hsp_model_score_row and hsp_model_project, but with several independent sums in
 * flight, so that additions overlap. */
#ifndef HSP_MODEL_SCORER_H
#define HSP_MODEL_SCORER_H

#include "data/matrix.h"
#include "halfspace.h"
#include "model/model.h"

typedef struct hsp_scorer {
    const hsp_model *m;
    bool project; /* discriminant directions instead of scores */
    int64_t d, outputs;
    const double *w, *b; /* borrowed from the model */
    int64_t lanes;       /* outputs, padded: numbers per column of side */
    double *side;        /* owned: the weights by column; NULL: one output, or not worth a copy */
} hsp_scorer;            /* {0} can be cleared */

/* values: how many stored values will be scored, INT64_MAX: many; for few the weights are used as they are. With `project` the
 * model must have directions. 0 or HSP_EMEMORY. */
int hsp_scorer_init(hsp_scorer *s, const hsp_model *m, bool project, int64_t values, hsp_error **err);
void hsp_scorer_clear(hsp_scorer *s);
/* The scores of rows `first` to `last` - 1, `outputs` numbers each; on any thread. Returns the number of values in columns
 * that the model does not have. */
int64_t hsp_scorer_rows(const hsp_scorer *s, const hsp_matrix *x, int64_t first, int64_t last, double *out);

#endif
