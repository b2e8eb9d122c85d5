/* The losses in double-double, written from their definitions in the documentation: one file NAME_claim.c for each name of
 * loss/loss_list.h. They share nothing with src/loss except the names, so that a mistake there cannot confirm itself here.
 * The loops over rows are compiled for several levels of instructions (HSP_LEVEL says which); all give the same
 * bits. They cannot fail and never allocate.
 *
 * The multiplier of row i is
 *     a_i = k_i r_i,  k_i = C c_i,  r_i = minus the derivative of the loss in the score
 * and its dual is k_i dual(a_i / k_i). */
#ifndef HSP_VERIFY_LOSS_LOSS_CLAIM_H
#define HSP_VERIFY_LOSS_LOSS_CLAIM_H

#include "verify/loss/double_double.h"

#include <stdbool.h>
#include <stdint.h>

/* Rows of one output: labels (-1 and +1, or targets), weights c_i, multipliers. */
typedef struct hsp_rows_part {
    int64_t count;
    const double *y, *c;
    double C;
    double *a;
    double parameter; /* the loss's parameter, if it has one */
} hsp_rows_part;

/* Sums over the rows of a part, index 0 for rows with a > 0 and 1 for rows with a < 0:
 *     total       |a|
 *     linear      a y (HSP_CLAIM_RANGE only)
 *     quadratic   the part of the dual in a^2
 * HSP_CLAIM_LINE does not split the rows; index 0 holds
 *     total       a
 *     linear      a y
 *     quadratic   a^2 / (2 k)
 * and beside it
 *     mass        k
 *     labels      k y
 *     labels_size k |y|
 * size bounds the rounding error: the sum of |a y|, plus |a| where y is a target. */
typedef struct hsp_dual_sums {
    hsp_dd total[2], linear[2], quadratic[2], mass, labels;
    double size, labels_size;
} hsp_dual_sums;

/* The dual of a row, and its domain. */
typedef enum hsp_claim_shape {
    HSP_CLAIM_NO_DUAL,
    HSP_CLAIM_BOX,     /* alpha - ridge alpha^2 / (2 k), alpha = y a in [0, high k] */
    HSP_CLAIM_ENTROPY, /* k h(alpha / k), alpha = y a in [0, k]: `entropies` */
    HSP_CLAIM_LINE,    /* a y - a^2 / (2 k), any a */
    HSP_CLAIM_RANGE,   /* the same with |a| at most a multiple of k */
    HSP_CLAIM_SIMPLEX  /* a row has K multipliers: `mixture` */
} hsp_claim_shape;

typedef struct hsp_claim_loss {
    const char *name;
    hsp_claim_shape shape;
    double high, ridge;    /* of a box; ridge is 0 or a power of two */
    bool numbers;          /* y may be a target; else it is -1 or +1, or a class */
    bool kinked;           /* of K scores: its slope does not give the multipliers */
    bool endless;          /* never 0: without a penalty there is no finite optimum if the classes are separable */
    const char *parameter; /* name of its parameter in options and reports; NULL: none */
    /* Sum of c_i loss(y_i, g_i); rows of weight 0 do not count. NULL: a loss of K scores. */
    hsp_dd (*losses)(const hsp_rows_part *p, const hsp_dd *g);
    /* Sets a_i = C c_i r_i, rounded. NULL: the loss is not differentiable, or has K scores. */
    void (*derive)(const hsp_rows_part *p, const hsp_dd *g);
    /* Projects the multipliers onto the domain of the dual; those of rows with weight 0 become 0. */
    void (*confine)(const hsp_rows_part *p);
    void (*sums)(const hsp_rows_part *p, hsp_dual_sums *out);
    /* Sum of k h(q), with h(q) the entropy of (q, 1 - q) and q = t alpha / k; t[0] is for positive labels. */
    hsp_dd (*entropies)(const hsp_rows_part *p, const hsp_dd t[2]);
    /* Loss of a row of class `own` with K scores g, which are overwritten. Unless u is NULL, it also sets
     *     u[l] = k exp(g_l) / sum_j exp(g_j)  for l other than own, rounded
     *     u[own] = the sum of these, rounded */
    hsp_dd (*many)(int64_t K, int64_t own, hsp_dd *g, hsp_dd k, double *u);
    /* The dual of a row of class `own` whose mass k is divided into parts u. Softmax: k times the entropy of u / k,
     *     - sum_l u_l log(u_l / k) */
    hsp_dd (*mixture)(int64_t K, int64_t own, const hsp_dd *u, hsp_dd k);
} hsp_claim_loss;

/* The loss of that name, compiled for this processor; NULL: no such loss. */
const hsp_claim_loss *hsp_claim_loss_find(const char *name);
/* The hard margin: no loss, every margin at least 1, alpha >= 0. `find` does not return it. */
const hsp_claim_loss *hsp_claim_loss_hard(void);
/* The instructions of this processor: 0 plain, 1 fused multiply-adds, 2 also wide vectors. */
int hsp_claim_level(void);
/* The hard margin, then the losses, then NULL, compiled for a level; NULL: this processor does not have it. */
const hsp_claim_loss *const *hsp_claim_losses_of_level(int level);

#endif
