/* What is to know of a block before it is stored, found by any thread: so that placing it costs no more than its distinct
 * labels and numbers, and writing it is copying. */
#ifndef HSP_DATA_DIGEST_H
#define HSP_DATA_DIGEST_H

#include "data/data.h"
#include "data/digest_codes.h"

/* What the store so far allows not to look for. */
typedef struct hsp_digest_hints {
    int known;             /* numbers that have codes already; above 256: codes were given up */
    const uint64_t *value; /* their bits */
    bool inexact;          /* some number is not exact in float */
    bool regression;       /* labels are numbers */
} hsp_digest_hints;

/* One spelling of a label. */
typedef struct hsp_digest_label {
    int64_t first, rows; /* row of the block where it stands first; rows that have it */
    uint64_t hash;
    int32_t class; /* filled by place */
} hsp_digest_label;

/* The labels of a block. The arrays are owned. */
typedef struct hsp_digest_labels_met {
    int64_t count; /* spellings, in the order of their first rows */
    hsp_digest_label *label;
    int32_t *spelling; /* of each row */
    int32_t *slot;     /* open addressing, a power of two; -1: free */
    int64_t slots, label_capacity, spelling_capacity, slot_capacity;
} hsp_digest_labels_met;

/* Where a block goes, filled by place. */
typedef struct hsp_digest_place {
    int64_t row, at; /* first row; where its values (dense) or entries (CSR) begin */
    uint8_t map[HSP_CODES_MOST];
    bool same; /* the codes are those of the store */
} hsp_digest_place;

struct hsp_digest {
    /* values */
    int64_t nonzeros, entries; /* entries: also those that are -0 */
    bool exact;                /* in float; when coded: those of the numbers that were not known */
    bool coded;                /* there are codes: of all values, or one for all when `uniform` */
    bool uniform;
    int known;       /* codes below this are the store's */
    hsp_codes codes; /* the numbers, the store's known ones first */
    uint8_t *code;   /* owned */
    uint8_t one;     /* code of a uniform block */
    int64_t code_capacity;
    /* ids */
    int64_t least, largest;                 /* least INT64_MAX, largest -1: none */
    int64_t largest_row, zero_row, bad_row; /* first rows with the largest id, an id 0, an id beyond 2^31-1; -1: none */
    /* columns of dense blocks that are not too wide: d least, then d greatest values */
    bool ranged;
    double *range; /* owned */
    int64_t range_capacity;
    hsp_digest_labels_met met;
    double *target; /* owned; regression: of each row up to the first that is none */
    int64_t target_capacity;
    int64_t bad_target; /* row; -1: none */
    hsp_digest_place to;
};

int hsp_digest_values(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h);
int hsp_digest_labels(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h);

#endif
