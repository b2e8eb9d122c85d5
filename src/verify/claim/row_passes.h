/* The loops over rows and values, in double-double. Compiled for plain C, with fused multiply-add instructions, and with wide
 * vectors; all give the same bits. They cannot fail and never allocate. */
#ifndef HSP_VERIFY_CLAIM_ROW_PASSES_H
#define HSP_VERIFY_CLAIM_ROW_PASSES_H

#include "data/matrix.h"
#include "verify/loss/double_double.h"

/* For each column, a sum and the sum of the absolute values of its terms. Column j has its high part at base[j step], its
 * low part `offset` further and its size 2 `offset` further. The three are adjacent for sparse rows, in separate arrays for
 * dense ones. */
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

/* Sums over columns. */
typedef struct hsp_pull_sums {
    hsp_dd residual, conjugate; /* |w - v|^2, |v|^2 / 2 */
    double error;               /* of the conjugate */
    double top;                 /* upper bound of the largest |v_j| */
} hsp_pull_sums;

typedef struct hsp_passes {
    /* g_i = w.x_i + b for rows first .. first + count - 1. w has at least x->d numbers. */
    void (*scores)(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g);
    /* to += sum_i a_i x_i, a_i = hi[i] + lo[i]. Skips rows with a_i = 0. */
    void (*combine)(const hsp_matrix *x, int64_t first, int64_t count, const double *hi, const double *lo,
                    const hsp_audit_columns *to);
    /* hi[i] + lo[i] = t[0] a_i where a_i > 0, t[1] a_i where a_i < 0. */
    void (*scale)(int64_t count, const double *a, const hsp_dd t[2], double *hi, double *lo);
    /* hi[i] + lo[i] = a_i - shift C c_i. */
    void (*shift)(int64_t count, const double *a, const double *c, double C, hsp_dd shift, double *hi, double *lo);
    /* Adds all columns, one after the other, for v known up to unit (|v_j| + its size). */
    void (*pull)(const hsp_audit_columns *v, const double *w, double unit, hsp_pull_sums *sums);
    /* *norm += |w|^2, *half += |w|^2 / 2, one after the other. */
    void (*squares)(int64_t count, const double *w, hsp_dd *norm, hsp_dd *half);
} hsp_passes;

/* The passes for this processor. */
const hsp_passes *hsp_passes_now(void);
/* Those of a level, 0: plain, 1: fused, 2: wide; NULL where this processor lacks the instructions. */
const hsp_passes *hsp_passes_of_level(int level);

#endif
