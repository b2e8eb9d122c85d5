/* The true labels of predicted rows, as classes of the model or as numbers. */
#ifndef HSP_PREDICT_TRUE_LABELS_H
#define HSP_PREDICT_TRUE_LABELS_H

#include "base/hash.h"
#include "data/block.h"
#include "prepare/prepare.h"

/* A recent label of at most eight bytes. */
typedef struct hsp_known_label {
    uint64_t text; /* its bytes */
    int32_t length, class;
} hsp_known_label;

enum { HSP_RECENT_LABELS = 64 };

/* One for each thread. */
typedef struct hsp_true_labels {
    const hsp_prepare *prepare;
    const char *map;      /* --map-label, or NULL */
    hsp_intern *spelling; /* owned */
    int32_t *class;       /* owned: of each spelling */
    int64_t class_capacity;
    hsp_known_label recent[HSP_RECENT_LABELS];
} hsp_true_labels; /* {0} can be freed */

void hsp_true_labels_init(hsp_true_labels *g, const hsp_prepare *prepare, const char *map);
void hsp_true_labels_free(hsp_true_labels *g);
/* Sets truth to the class or number of each row, up to the first label that is neither. Returns their number, or
 * HSP_EMEMORY. */
int64_t hsp_true_labels_read(hsp_true_labels *g, const hsp_block *block, double *truth);

#endif
