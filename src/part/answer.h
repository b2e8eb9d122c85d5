/* How a part answers: block by block, each with all threads, and the sums of the blocks joined in the tree. One file for each
 * kind of request; the table in answer.c lists them. */
#ifndef HSP_PART_ANSWER_H
#define HSP_PART_ANSWER_H

#include "data/data.h"
#include "data/matrix.h"
#include "design/design.h"
#include "halfspace.h"
#include "part/part.h"
#include "part/reply.h"
#include "part/request.h"

/* A block of rows as an answer sees it. */
typedef struct hsp_part_block {
    int64_t number; /* global */
    int64_t n;
    hsp_part_rows rows;
    hsp_matrix x;       /* of rows, with the agreed number of columns and layout; borrows */
    hsp_matrix own;     /* owned: the copy behind x where the layout changed */
    hsp_design *design;     /* owned: after the agreed transformation; NULL: the request has no agreement */
    int32_t *class;         /* owned: the agreed class of each row; NULL: targets */
    double *c;              /* owned: weight of each row times that of its class; NULL: all 1 */
} hsp_part_block;

typedef struct hsp_answer {
    const hsp_request *q;
    hsp_reply reply;
    int threads;
    double *scratch; /* owned: see hsp_answer_scratch */
    int64_t scratch_size;
    int32_t *place;  /* owned: of column_gram.c */
    int32_t *class_of; /* owned: the agreed class of each class of the source; ... */
    const hsp_classes *mapped; /* ... whose classes they were last made for */
} hsp_answer;

/* At least `count` numbers, the same for all blocks of a request; what they hold is lost with each call. NULL: no memory. */
double *hsp_answer_scratch(hsp_answer *a, int64_t count);
/* The targets of output k: +1 and -1, the class as a number (a joint problem), or the targets of a regression. */
void hsp_part_targets(const hsp_part_block *b, const hsp_request_problem *p, int64_t k, double *y);
/* Adds the weighted sum of n numbers to a pair (pair_sum.h). */
void hsp_part_sum(const hsp_part_block *b, const double *v, double *pair);
/* The weight of the rows whose scores (n x outputs of the problem) are on the wrong side, or highest for another class. */
double hsp_part_wrong(const hsp_part_block *b, const hsp_request_problem *p, int64_t figure, const double *y,
                      const double *scores);
/* What the source says of its columns, into a reply. */
int hsp_part_columns(const hsp_block_source *source, hsp_reply *r, hsp_error **err);

/* What a kind of request is: the form of its sums, and the sums of one block (zeros on entry). */
typedef struct hsp_answer_kind {
    hsp_sum_shape (*shape)(const hsp_request *q);
    int (*block)(hsp_answer *a, const hsp_part_block *b, double *sums, hsp_error **err);
} hsp_answer_kind;

extern const hsp_answer_kind hsp_answer_schema, hsp_answer_classes, hsp_answer_moments, hsp_answer_evaluate, hsp_answer_line,
    hsp_answer_product, hsp_answer_metrics, hsp_answer_check, hsp_answer_curvature, hsp_answer_spread;

#endif
