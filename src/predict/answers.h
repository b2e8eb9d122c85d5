/* The output of prediction: its columns, its header, and a line for each row. */
#ifndef HSP_PREDICT_ANSWERS_H
#define HSP_PREDICT_ANSWERS_H

#include "base/text.h"
#include "data/block.h"
#include "halfspace.h"
#include "model/model.h"
#include "model/scorer.h"
#include "predict/explain.h"
#include "read/kept.h"

enum { HSP_ANSWERS_GROUP = 64 }; /* the most rows that are scored together */

/* What is common to all rows. */
typedef struct hsp_answers {
    const hsp_model *m;
    bool scores, probabilities, projections; /* to be printed */
    hsp_scorer score, project;
    hsp_explainer explain;
    hsp_text cells; /* the names of the classes as CSV cells */
    int64_t *cell;  /* owned: classes + 1, where each begins */
    int64_t group;  /* rows that are scored together */
    int64_t line;   /* upper bound of the bytes of a line, without the kept cells */
    int64_t kept;   /* cells of a row that are copied from the file */
} hsp_answers;      /* {0} can be cleared */

/* Scratch of one thread. */
typedef struct hsp_answers_scratch {
    double *score, *z, *p; /* owned; of a group, of a group, of a row */
    hsp_text cells;    /* the kept cells of a row */
} hsp_answers_scratch; /* {0} can be freed */

/* Fails when the model lacks what the options scores, proba or project ask for. */
int hsp_answers_init(hsp_answers *a, const hsp_model *m, const hsp_options *o, hsp_error **err);
void hsp_answers_clear(hsp_answers *a);
int hsp_answers_scratch_new(hsp_answers_scratch *scratch, const hsp_answers *a); /* 0 or HSP_EMEMORY */
void hsp_answers_scratch_free(hsp_answers_scratch *scratch);

/* names: of the kept columns, each with a comma after it; or NULL. */
void hsp_answers_header(const hsp_answers *a, const char *names, hsp_text *t);
/* Appends the lines of the block's rows from `first` on and sets predicted[i] to the class or number of row i. Stops at the
 * end, or once the text has `most` bytes; returns the next row. Adds the number of values without a column in the model to
 * *unseen. Sets t->failed when memory runs out. Ids count from 0. kept: the cells to copy,
 * a->kept for each row; NULL: none. */
int64_t hsp_answers_rows(const hsp_answers *a, const hsp_block *block, int64_t first, int64_t most, const hsp_kept *kept,
                         hsp_answers_scratch *scratch, double *predicted, int64_t *unseen, hsp_text *t);

#endif
