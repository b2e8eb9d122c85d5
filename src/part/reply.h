/* A reply to a request: sums over blocks (tree.h), exact counts, and what the parts say of their columns and labels; or the
 * fault of the first bad block. */
#ifndef HSP_PART_REPLY_H
#define HSP_PART_REPLY_H

#include "halfspace.h"
#include "part/tree.h"

/* Whole numbers that are added: exact in any order. */
enum { HSP_COUNT_ROWS, HSP_COUNT_NONZEROS, HSP_COUNT_HASH, HSP_COUNT_DROPPED, HSP_COUNTS };

/* Whole numbers of which the greatest stays. */
enum {
    HSP_MOST_FEATURES,   /* columns of a part */
    HSP_MOST_FEWER,      /* minus the columns of a dense part */
    HSP_MOST_BASE,       /* minus the id of the first column */
    HSP_MOST_LABELLED,   /* some part has labels; ... */
    HSP_MOST_UNLABELLED, /* ... some has none, */
    HSP_MOST_TARGETS,    /* ... targets, */
    HSP_MOST_WEIGHTS,    /* ... weights, */
    HSP_MOST_SPARSE,     /* ... sparse rows */
    HSP_MOSTS
};

/* Why a part cannot answer. Of several the one with the smallest block stays, so that the message is always the same. */
typedef struct hsp_reply_fault {
    int64_t code; /* a negative hsp_status; 0: none */
    int64_t block, line, column;
    char *file, *message; /* owned; the file may be NULL. The message has no place in it */
} hsp_reply_fault;

typedef struct hsp_reply {
    int64_t ask;    /* the kind of the request */
    uint64_t asked; /* its checksum */
    int64_t counts[HSP_COUNTS];
    int64_t most[HSP_MOSTS];
    hsp_tree tree;
    hsp_reply_fault fault;
    char *columns;        /* owned: JSON of the columns, which all parts share; NULL: the request did not ask */
    char *labels;         /* owned: labels in bytewise order, each with a zero */
    int64_t label_bytes;
} hsp_reply;

/* An empty reply. */
hsp_reply hsp_reply_new(int64_t ask, uint64_t asked);
int hsp_reply_read(const void *bytes, size_t size, hsp_reply *out, hsp_error **err);
int hsp_reply_write(const hsp_reply *r, void **bytes, size_t *size, hsp_error **err);
void hsp_reply_clear(hsp_reply *r);
/* Makes the error of a block the reply's fault, unless it has an earlier one, and frees it. */
int hsp_reply_blame(hsp_reply *r, int64_t block, hsp_error *why, hsp_error **err);
/* The fault as an error. */
int hsp_reply_raise(const hsp_reply *r, hsp_error **err);
/* Adds the labels of b to those of a. */
int hsp_reply_join_labels(hsp_reply *a, const hsp_reply *b, hsp_error **err);
/* a becomes the sum of a and b; b is cleared. */
int hsp_reply_join(hsp_reply *a, hsp_reply *b, hsp_error **err);

#endif
