/* The loops over rows and values, in double-double. Compiled once with and once without fused multiply-add instructions;
 * both give the same bits. They cannot fail and never allocate. */
#ifndef HSP_VERIFY_CLAIM_ROW_PASSES_H
#define HSP_VERIFY_CLAIM_ROW_PASSES_H

#include "data/matrix.h"
#include "verify/loss/double_double.h"

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

typedef struct hsp_passes {
    /* g_i = w.x_i + b for rows first .. first + count - 1. w has x->d numbers or more. */
    void (*scores)(const hsp_matrix *x, int64_t first, int64_t count, const double *w, double b, hsp_dd *g);
    /* to += sum_i a_i x_i, a_i = hi[i] + lo[i]; rows of a_i = 0 are not touched. */
    void (*combine)(const hsp_matrix *x, int64_t first, int64_t count, const double *hi, const double *lo,
                    const hsp_audit_columns *to);
} hsp_passes;

/* Those for this processor. */
const hsp_passes *hsp_passes_now(void);

#endif
