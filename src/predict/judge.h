/* What the rows should have been told: labels to classes, or to numbers. */
#ifndef HSP_PREDICT_JUDGE_H
#define HSP_PREDICT_JUDGE_H

#include "base/hash.h"
#include "data/block.h"
#include "prepare/prepare.h"

#include <stdint.h>

/* A label of few bytes that was met lately. */
typedef struct hsp_judge_known {
    uint64_t text; /* its bytes */
    int32_t length, class;
} hsp_judge_known;

enum { HSP_JUDGE_RECENT = 64 };

/* One for each that judges at the same time. */
typedef struct hsp_judge {
    const hsp_prepare *prepare;
    const char *map; /* --map-label, or NULL */
    hsp_intern *spelling;
    int32_t *class; /* of each spelling */
    int64_t class_capacity;
    hsp_judge_known recent[HSP_JUDGE_RECENT];
} hsp_judge; /* {0} can be freed */

void hsp_judge_init(hsp_judge *g, const hsp_prepare *prepare, const char *map);
void hsp_judge_free(hsp_judge *g);
/* The truth of the block's rows, as the class of each or as a number, until a label is neither; how many those are, or
 * HSP_EMEMORY. */
int64_t hsp_judge_rows(hsp_judge *g, const hsp_block *block, double *truth);

#endif
