/* The scores of many rows: the same bits as those of hsp_model_score_row and hsp_model_project, but several sums at once, so
 * that the processor need not wait for each addition. */
#ifndef HSP_PREDICT_SCORER_H
#define HSP_PREDICT_SCORER_H

#include "data/block.h"
#include "halfspace.h"
#include "model/model.h"

typedef struct hsp_scorer {
    const hsp_model *m;
    bool project; /* directions instead of scores */
    int64_t d, outputs;
    const double *w, *b; /* the model's */
    int64_t lanes;       /* outputs, filled up: numbers from one column to the next in ... */
    double *side;        /* ... the weights with those of a column side by side; NULL: one output, or too large to copy */
} hsp_scorer;            /* {0} can be cleared */

/* Memory of one who asks for scores; {0} is an empty one. */
typedef struct hsp_scorer_room {
    uint32_t *id;
    double *value;
    int64_t id_capacity, value_capacity; /* of a dense row's values that are not 0 */
} hsp_scorer_room;

int hsp_scorer_init(hsp_scorer *s, const hsp_model *m, bool project, hsp_error **err);
void hsp_scorer_clear(hsp_scorer *s);
void hsp_scorer_room_free(hsp_scorer_room *room);
/* Room for rows of d numbers. 0 or HSP_EMEMORY. */
int hsp_scorer_reserve(hsp_scorer_room *room, int64_t d);
/* The scores of the rows from `first` to `last` - 1 of a block whose ids count from 0, `outputs` numbers for each. A dense
 * block needs room for its d. Returns how many values were of columns that the model does not have. */
int64_t hsp_scorer_rows(const hsp_scorer *s, const hsp_block *block, int64_t first, int64_t last, hsp_scorer_room *room,
                        double *out);

#endif
