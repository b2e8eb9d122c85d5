/* The scores of many rows: the same bits as hsp_model_score_row and hsp_model_project, but with several independent sums in
 * flight, so that additions overlap. */
#ifndef HSP_PREDICT_SCORER_H
#define HSP_PREDICT_SCORER_H

#include "data/block.h"
#include "halfspace.h"
#include "model/model.h"

typedef struct hsp_scorer {
    const hsp_model *m;
    bool project; /* discriminant directions instead of scores */
    int64_t d, outputs;
    const double *w, *b; /* borrowed from the model */
    int64_t lanes;       /* outputs, padded: numbers per column of side */
    double *side;        /* owned: the weights by column; NULL: one output, or too large to copy */
} hsp_scorer;            /* {0} can be cleared */

/* Scratch of one thread: the non-zeros of a dense row; {0} is empty. */
typedef struct hsp_scorer_scratch {
    uint32_t *id;
    double *value;
    int64_t id_capacity, value_capacity;
} hsp_scorer_scratch;

int hsp_scorer_init(hsp_scorer *s, const hsp_model *m, bool project, hsp_error **err);
void hsp_scorer_clear(hsp_scorer *s);
void hsp_scorer_scratch_free(hsp_scorer_scratch *scratch);
/* Makes room for rows of d numbers. 0 or HSP_EMEMORY. */
int hsp_scorer_reserve(hsp_scorer_scratch *scratch, int64_t d);
/* The scores of rows `first` to `last` - 1 of a block whose ids count from 0, `outputs` numbers each. A dense block needs
 * hsp_scorer_reserve for its d. Returns the number of values in columns that the model does not have. */
int64_t hsp_scorer_rows(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last,
                        hsp_scorer_scratch *scratch, double *out);

#endif
