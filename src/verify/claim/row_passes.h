/* The loops over rows and values, in double-double. Compiled once with and once without fused multiply-add instructions;
 * both give the same bits. They cannot fail and never allocate. */
#ifndef HSP_VERIFY_CLAIM_ROW_PASSES_H
#define HSP_VERIFY_CLAIM_ROW_PASSES_H

#include "data/matrix.h"
#include "verify/claim/double_double.h"

#include <stdint.h>

/* What is lost on a row; HARD: nothing, but the margin must be 1. */
typedef enum hsp_claim_loss {
    HSP_CLAIM_HINGE,
    HSP_CLAIM_SQUARED_HINGE,
    HSP_CLAIM_LOGISTIC,
    HSP_CLAIM_SQUARED,
    HSP_CLAIM_PERCEPTRON,
    HSP_CLAIM_ZERO_ONE,
    HSP_CLAIM_SOFTMAX,
    HSP_CLAIM_HARD
} hsp_claim_loss;

/* A sum for each column, and the sum of the sizes of its terms: of column j at base[j step] (high part), one `offset` on
 * (low part) and two on (size). Beside each other for sparse rows, apart for dense ones. */
typedef struct hsp_audit_columns {
    double *base;
    int64_t d, step, offset;
} hsp_audit_columns;

static inline hsp_dd hsp_columns_sum(const hsp_audit_columns *c, int64_t j) {
    return (hsp_dd){c->base[j * c->step], c->base[j * c->step + c->offset]};
}
static inline double hsp_columns_size(const hsp_audit_columns *c, int64_t j) {
    return c->base[j * c->step + 2 * c->offset];
}

/* `count` rows of one output: labels (-1 and +1, or numbers), weights c_i of the rows, and multipliers. */
typedef struct hsp_rows_part {
    int64_t count;
    const double *y, *c;
    double C;
    double *a;
} hsp_rows_part;

/* Sums over rows with their multipliers. Margins (alpha = y a): linear sums alpha and quadratic alpha^2 / (4 k), both for
 * positive and negative labels apart. Squared loss: linear[0] is the sum of a y, [1] of a; quadratic[0] that of a^2 / (2
 * k); mass and labels the sums of k and k y. size: of |a y|; labels_size of k |y|. */
typedef struct hsp_dual_sums {
    hsp_dd linear[2], quadratic[2], mass, labels;
    double size, labels_size;
} hsp_dual_sums;

typedef struct hsp_passes {
    /* g_i = w.x_i + b for rows first .. first + count - 1. w has x->d numbers or more. */
    void (*scores)(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g);
    /* to += sum_i a_i x_i, a_i = hi[i] + lo[i]; rows of a_i = 0 are not touched. */
    void (*combine)(const hsp_matrix *x, int64_t first, int64_t count, const double *hi, const double *lo,
                    const hsp_audit_columns *to);
    /* The sum of c_i loss(y_i, g_i); rows of weight 0 do not count. */
    hsp_dd (*losses)(hsp_claim_loss loss, const hsp_rows_part *p, const hsp_dd *g);
    /* a_i = C c_i r_i with r_i minus the slope of a smooth loss, rounded. */
    void (*derive)(hsp_claim_loss loss, const hsp_rows_part *p, const hsp_dd *g);
    /* Multipliers into the domain of the dual: y a in [0, C c], or from 0 on, or anything where the row has weight. */
    void (*confine)(hsp_claim_loss loss, const hsp_rows_part *p);
    void (*sums)(hsp_claim_loss loss, const hsp_rows_part *p, hsp_dual_sums *out);
    /* The sum of k h(q), h the entropy of (q, 1 - q), q = t alpha / k; t[0] is for positive labels. */
    hsp_dd (*entropies)(const hsp_rows_part *p, const hsp_dd t[2]);
    /* Softmax, K scores of a row: log sum exp(g_l) - g_own; unless u is NULL, u[l] = k exp(g_l) / sum for l other than
     * own, rounded, and u[own] is their sum, rounded. g is used up. */
    hsp_dd (*softmax)(int64_t K, int64_t own, hsp_dd *g, hsp_dd k, double *u);
    /* k times the entropy of u / k: the sum of -u_l log(u_l / k). */
    hsp_dd (*mixture)(int64_t K, const hsp_dd *u, hsp_dd k);
} hsp_passes;

/* Those for this processor. */
const hsp_passes *hsp_passes_now(void);

#endif
