/* Four numbers at once: a register of AVX2. Macros, since such vectors cannot be passed to functions on every platform. They
 * use the index k. No operations are fused, so that the bits do not depend on the instructions of the processor. */
#ifndef HSP_SOLVE_DUAL_VECTORS_H
#define HSP_SOLVE_DUAL_VECTORS_H

#include <stdint.h>

enum { WIDE = 4 };
typedef double vec __attribute__((vector_size(8 * WIDE)));
typedef double vec_at __attribute__((vector_size(8 * WIDE), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * WIDE)));
#define LOAD(p) (*(const vec_at *)((p) + k))
#define STORE(p, v) (*(vec_at *)((p) + k) = (v))
#define PICK(m, a, b) ((vec)(((m) & (mask)(a)) | (~(m) & (mask)(b))))
#define LARGER(a, b) PICK((a) > (b), a, b)
#define SMALLER(a, b) PICK((a) < (b), a, b)
#define ANY(m) (((m)[0] | (m)[1] | (m)[2] | (m)[3]) != 0)

#endif
