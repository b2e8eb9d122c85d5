/* C += sign A'B, where nearly all multiplications of the blocked factorisations are, by the tiles of kernel/level.h. */
#ifndef HSP_FACTOR_ADD_PRODUCT_H
#define HSP_FACTOR_ADD_PRODUCT_H

#include <stdbool.h>
#include <stdint.h>

/* Number k of output i: x[k * step + i], or with `across` x[i * step + k]. The sum is over k. */
typedef struct hsp_factor_side {
    const double *x;
    int64_t step;
    bool across;
} hsp_factor_side;

/* Memory for packed numbers. Without the large buffers updates are slower, with the same bits. */
enum { HSP_PRODUCT_DEPTH = 128, HSP_PRODUCT_LEAST = 24 };
typedef struct hsp_product_room {
    double *a, *b, *large;
    int64_t most; /* outputs in a and in b at a time */
    double few[2 * HSP_PRODUCT_LEAST * HSP_PRODUCT_DEPTH];
} hsp_product_room;

/* For matrices of `d` rows or columns at most. */
void hsp_product_open(hsp_product_room *room, int64_t d);
void hsp_product_close(hsp_product_room *room);

/* C (m x n, c_step numbers from one row to the next) += sign A'B over `depth` terms; each HSP_PRODUCT_DEPTH terms are one
 * chain of fused multiply-adds, added to C. With `lower` numbers above the diagonal of C are unchanged. C must not overlap
 * A or B. */
void hsp_add_product(hsp_product_room *room, int64_t m, int64_t n, int64_t depth, double sign, hsp_factor_side A,
                     hsp_factor_side B, double *C, int64_t c_step, bool lower);

#endif
