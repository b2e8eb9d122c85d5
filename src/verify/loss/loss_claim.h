/* The losses once more, as the documentation defines them, in double-double: one file each, NAME_claim.c for each name of
 * loss/loss_list.h, and nothing shared with src/loss but the names. Their loops over rows are compiled once with and once
 * without fused multiply-add instructions, under the name HSP_LEVEL; both give the same bits. They cannot fail and never
 * allocate.
 *
 * A multiplier a_i is k_i r_i, with k_i = C c_i and r_i minus the slope of the loss; the dual of a row is k dual(a / k). */
#ifndef HSP_VERIFY_LOSS_LOSS_CLAIM_H
#define HSP_VERIFY_LOSS_LOSS_CLAIM_H

#include "verify/loss/double_double.h"

#include <stdbool.h>
#include <stdint.h>

/* `count` rows of one output: labels (-1 and +1, or numbers), weights c_i of the rows, and multipliers. */
typedef struct hsp_rows_part {
    int64_t count;
    const double *y, *c;
    double C;
    double *a;
    double parameter; /* of a loss that takes one */
} hsp_rows_part;

/* Sums over rows with their multipliers, those above 0 and those below apart: total of |a|, linear of a y where the shape
 * says so, quadratic of the part of the dual in a^2. HSP_CLAIM_LINE: linear[0] is the sum of a y, total[0] that of a,
 * quadratic[0] that of a^2 / (2 k); mass and labels are the sums of k and k y, labels_size that of k |y|. size: of |a y|,
 * with that of |a| beside it where y is any number. */
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
    HSP_CLAIM_RANGE,   /* the same with |a| at most a multiple of k: `linear` is summed */
    HSP_CLAIM_SIMPLEX  /* of K scores: `mixture` */
} hsp_claim_shape;

typedef struct hsp_claim_loss {
    const char *name;
    hsp_claim_shape shape;
    double high, ridge;    /* of a box; ridge is 0 or a power of two */
    bool numbers;          /* y may be a number to predict; else it is -1 or +1, or a class */
    bool endless;          /* never 0: without a penalty there is an optimum only where the classes are not separable */
    const char *parameter; /* the option and member of the report that hold it; NULL: takes none */
    /* The sum of c_i loss(y_i, g_i); rows of weight 0 do not count. NULL: of K scores. */
    hsp_dd (*losses)(const hsp_rows_part *p, const hsp_dd *g);
    /* a_i = C c_i r_i with r_i minus the slope, rounded. NULL: the loss has a kink, or K scores. */
    void (*derive)(const hsp_rows_part *p, const hsp_dd *g);
    /* Multipliers into the domain of the dual; those of rows without weight become 0. */
    void (*confine)(const hsp_rows_part *p);
    void (*sums)(const hsp_rows_part *p, hsp_dual_sums *out);
    /* The sum of k h(q), h the entropy of (q, 1 - q), q = t alpha / k; t[0] is for positive labels. */
    hsp_dd (*entropies)(const hsp_rows_part *p, const hsp_dd t[2]);
    /* K scores of a row, of class `own`: the loss; unless u is NULL, u[l] = k exp(g_l) / sum for l other than own, rounded,
     * and u[own] is their sum, rounded. g is used up. */
    hsp_dd (*many)(int64_t K, int64_t own, hsp_dd *g, hsp_dd k, double *u);
    /* k times the entropy of u / k: the sum of -u_l log(u_l / k). */
    hsp_dd (*mixture)(int64_t K, const hsp_dd *u, hsp_dd k);
} hsp_claim_loss;

/* The loss of that name for this processor; NULL: there is none. */
const hsp_claim_loss *hsp_claim_loss_find(const char *name);
/* Nothing is lost, but every margin must be 1: alpha from 0 on. Not of the table. */
const hsp_claim_loss *hsp_claim_loss_hard(void);
/* Whether instructions for fused multiply-adds are there. */
bool hsp_claim_fused(void);

#endif
