/* The true labels of rows that are predicted: as classes of the model, or as numbers. */
#ifndef HSP_PREDICT_TRUE_LABELS_H
#define HSP_PREDICT_TRUE_LABELS_H

#include "base/hash.h"
#include "data/block.h"
#include "prepare/prepare.h"

/* A label of few bytes that was met lately. */
typedef struct hsp_known_label {
    uint64_t text; /* its bytes */
    int32_t length, class;
} hsp_known_label;

enum { HSP_RECENT_LABELS = 64 };

/* One for each thread. */
typedef struct hsp_true_labels {
    const hsp_prepare *prepare;
    const char *map; /* --map-label, or NULL */
    hsp_intern *spelling;
    int32_t *class; /* of each spelling */
    int64_t class_capacity;
    hsp_known_label recent[HSP_RECENT_LABELS];
} hsp_true_labels; /* {0} can be freed */

void hsp_true_labels_init(hsp_true_labels *g, const hsp_prepare *prepare, const char *map);
void hsp_true_labels_free(hsp_true_labels *g);
/* The truth of the block's rows, as the class of each or as a number, until a label is neither; how many those are, or
 * HSP_EMEMORY. */
int64_t hsp_true_labels_read(hsp_true_labels *g, const hsp_block *block, double *truth);

#endif
