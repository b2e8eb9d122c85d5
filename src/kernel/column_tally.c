/* What columns hold, over blocks of rows: one source, compiled once a level (of_level.h). Lanes are different columns, each
 * of which is added up in the order of the rows: the same bits from any width. */
#include "kernel/of_level.h"

#include <string.h>

#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t flags __attribute__((vector_size(8 * LANES))); /* comparisons: each 0 or -1 */

INLINE lanes load(const double *p) {
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE flags load_flags(const int64_t *p) {
    flags v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE lanes choose(flags which, lanes a, lanes b) {
    return (lanes)(((flags)a & which) | ((flags)b & ~which));
}

/* A number is whole when adding 1.5 * 2^52, which leaves no bits for parts of one, does not change it; greater ones are
 * taken for whole, as all but some halves are. */
INLINE int64_t tally_columns(int64_t rows, int64_t columns, const double *x, const hsp_tally *t, int64_t j) {
    const double shift = 0x1.8p52, most = 0x1p51;
    lanes least = load(t->least + j), greatest = load(t->greatest + j), sum = load(t->sum + j), last = load(t->last + j);
    flags numbers = {0}, part = load_flags(t->part + j), back = load_flags(t->back + j);
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++) {
        lanes v = load(x + i * columns + j), rounded = (v + shift) - shift;
        flags is = v == v;
        least = choose(v < least, v, least);
        greatest = choose(v > greatest, v, greatest);
        sum += (lanes)((flags)v & is);
        numbers -= is;
        part |= (rounded != v) & (v < most) & (v > -most);
        back |= v <= last;
        last = choose(is, v, last);
    }
    memcpy(t->least + j, &least, sizeof least);
    memcpy(t->greatest + j, &greatest, sizeof greatest);
    memcpy(t->sum + j, &sum, sizeof sum);
    memcpy(t->last + j, &last, sizeof last);
    memcpy(t->part + j, &part, sizeof part);
    memcpy(t->back + j, &back, sizeof back);
    for (int k = 0; k < LANES; k++) {
        t->numbers[j + k] += numbers[k];
        count += numbers[k];
    }
    return count;
}

int64_t HSP_OF_LEVEL(hsp_tally_)(int64_t rows, int64_t columns, const double *x, const hsp_tally *t) {
    int64_t count = 0;
    for (int64_t j = 0; j < columns; j += LANES) count += tally_columns(rows, columns, x, t, j);
    return count;
}
