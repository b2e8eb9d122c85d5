/* The output of prediction: which columns it has, its header, and the lines of rows. */
#ifndef HSP_PREDICT_ANSWERS_H
#define HSP_PREDICT_ANSWERS_H

#include "base/text.h"
#include "data/block.h"
#include "halfspace.h"
#include "model/model.h"
#include "predict/scorer.h"

/* What is the same for all rows. */
typedef struct hsp_answers {
    const hsp_model *m;
    bool scores, probabilities, projections; /* to be printed */
    hsp_scorer score, project;
    hsp_text cells; /* the classes' names as CSV cells, one after the other ... */
    int64_t *cell;  /* ... and where each begins: classes + 1 */
    int64_t group;  /* rows that are scored together */
    int64_t line;   /* bytes of a line at most */
} hsp_answers;      /* {0} can be cleared */

/* Memory of one who answers. */
typedef struct hsp_answers_room {
    double *score, *z, *p; /* of a group, of a group, of a row */
    hsp_scorer_room rows;
} hsp_answers_room; /* {0} can be freed */

/* What is asked for (options scores, proba, project) must be in the model. */
int hsp_answers_init(hsp_answers *a, const hsp_model *m, const hsp_options *o, hsp_error **err);
void hsp_answers_clear(hsp_answers *a);
int hsp_answers_room_new(hsp_answers_room *room, const hsp_answers *a); /* 0 or HSP_EMEMORY */
void hsp_answers_room_free(hsp_answers_room *room);

void hsp_answers_header(const hsp_answers *a, hsp_text *t);
/* Appends the lines of the block's rows from `first` on, and sets predicted[i] to the class or number told for row i. Stops
 * at the end or once the text has `most` bytes; returns where. *unseen grows by the values that the model has no columns
 * for. The text fails when memory does. Ids count from 0. */
int64_t hsp_answers_rows(const hsp_answers *a, const hsp_block *block, int64_t first, int64_t most, hsp_answers_room *room,
                         double *predicted, int64_t *unseen, hsp_text *t);

#endif
