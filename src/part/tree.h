/* Sums over blocks of rows in a fixed binary tree over the global numbers of the blocks: node (level l, index i) is the sum
 * over the blocks i 2^l .. (i + 1) 2^l - 1, its left half plus its right half. So the root has the same bits however blocks
 * are grouped into parts, and in whatever order replies arrive. A tree holds the nodes that cannot be joined yet. */
#ifndef HSP_PART_TREE_H
#define HSP_PART_TREE_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum hsp_sum_rule {
    HSP_SUM_PLAIN = 1,  /* `pairs` sums of two numbers (high, low), about 32 digits, then plain ones */
    HSP_SUM_MOMENTS = 2, /* of `groups` groups over `columns` columns (moment_sums.h) */
    HSP_SUM_SPREAD = 3   /* of `columns` columns (spread_sums.h) */
} hsp_sum_rule;

/* How two vectors of sums are joined. */
typedef struct hsp_sum_shape {
    hsp_sum_rule rule;
    int64_t length; /* numbers of a node */
    int64_t pairs, groups, columns;
} hsp_sum_shape;

/* Whether the numbers fit together, for those that come from other processes. */
bool hsp_sum_shape_fits(const hsp_sum_shape *s);
/* left becomes left + right. */
void hsp_sum_join(const hsp_sum_shape *s, double *left, const double *right);

typedef struct hsp_tree_node {
    int64_t level, index;
    double *sums; /* owned */
} hsp_tree_node;

typedef struct hsp_tree {
    hsp_sum_shape shape;
    hsp_tree_node *node; /* owned; in the order of their blocks, and none overlap */
    int64_t count, capacity;
    double **spare; /* owned: vectors for new nodes */
    int64_t spares, spare_capacity;
} hsp_tree;

enum { HSP_TREE_LEVELS = 40 };

static inline int64_t hsp_tree_first(const hsp_tree_node *n) {
    return n->index << n->level;
}
static inline int64_t hsp_tree_end(const hsp_tree_node *n) {
    return (n->index + 1) << n->level;
}

/* A vector of zeros for a new node, owned by the caller until it is pushed; NULL: memory ran out. */
double *hsp_tree_vector(hsp_tree *t);
/* Adds a node whose blocks come after those of all others, and joins what can be joined. Takes the sums, also after a failure.
 * HSP_EINPUT: it overlaps the last node, so blocks were counted twice. */
int hsp_tree_push(hsp_tree *t, int64_t level, int64_t index, double *sums, hsp_error **err);
/* Joins all nodes to the sum over blocks 0 .. blocks - 1, borrowed until the tree is cleared. HSP_EINPUT: some are missing. */
int hsp_tree_root(hsp_tree *t, int64_t blocks, const double **sums, hsp_error **err);
void hsp_tree_clear(hsp_tree *t);

#endif
