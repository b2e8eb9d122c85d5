/* What is computed of a block before it is stored, by any thread. Placing a block then costs only its distinct labels and
 * numbers, and writing it is copying. */
#ifndef HSP_DATA_DIGEST_H
#define HSP_DATA_DIGEST_H

#include "data/data.h"
#include "data/digest_codes.h"

/* What the store knows already, so that digests can skip work. */
typedef struct hsp_digest_hints {
    int known;             /* numbers with codes; above 256: the store uses no codes */
    const uint64_t *value; /* their bits */
    bool inexact;          /* some number is not exact in float */
    bool regression;       /* labels are targets */
} hsp_digest_hints;

/* One spelling of a label. */
typedef struct hsp_digest_label {
    int64_t first, rows; /* the first row of the block that has it; the number of rows that do */
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
    int64_t row, at;             /* first row; where its values (dense) or entries (CSR) begin */
    uint8_t map[HSP_CODES_MOST]; /* codes of the digest to those of the store */
    bool same;                   /* the map is the identity */
} hsp_digest_place;

struct hsp_digest {
    /* values */
    int64_t nonzeros, entries; /* entries: non-zeros and -0 */
    bool exact;                /* all are exact in float; if coded: all new numbers are */
    bool coded;                /* values have codes: each its own, or one for all if `uniform` */
    bool uniform;              /* all values of a sparse block are equal */
    int known;                 /* codes below this are the store's */
    hsp_codes codes;           /* the numbers, those that the store knows first */
    uint8_t *code;             /* owned */
    uint8_t one;               /* code of a uniform block */
    int64_t code_capacity;
    /* ids */
    int64_t least, largest;                 /* least INT64_MAX, largest -1: none */
    int64_t largest_row, zero_row, bad_row; /* first rows with the largest id, an id 0, an id beyond 2^31-1; -1: none */
    /* columns */
    bool ranged;   /* `range` is known: the block is dense and not too wide */
    double *range; /* owned: d least, then d greatest values */
    int64_t range_capacity;
    hsp_digest_labels_met met;
    double *target; /* owned; regression: of each row up to the first invalid one */
    int64_t target_capacity;
    int64_t bad_target; /* the first row whose target is not valid; -1: none */
    hsp_digest_place to;
};

int hsp_digest_values(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h);
int hsp_digest_labels(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h);

#endif
