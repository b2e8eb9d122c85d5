/* Integer operations on the bits of numbers, which compilers vectorise on any machine: with m the bits without the sign, the
 * greatest finite number minus m is negative for infinities and NaN alone. */
#include "data/number_scan.h"

#include "halfspace.h"

#include <string.h>

typedef bool scan(const void *from, int64_t count, int64_t step, int64_t *nonzeros);

#define INLINE static inline __attribute__((always_inline))
/* `run_name` for a step of 1, which is vectorised, and for others. */
#define SCAN(name)                                                                                         \
    static bool scan_##name(const void *from, int64_t count, int64_t step, int64_t *nonzeros) {            \
        return step == 1 ? run_##name(from, count, 1, nonzeros) : run_##name(from, count, step, nonzeros); \
    }

#define SCAN_FLOATS(name, type, word, SHIFT, GREATEST)                                         \
    INLINE bool run_##name(const void *from, int64_t count, int64_t step, int64_t *nonzeros) { \
        const type *v = from;                                                                  \
        word beyond = 0, many = 0;                                                             \
        for (int64_t t = 0; t < count; t++) {                                                  \
            word m;                                                                            \
            memcpy(&m, v + t * step, sizeof m);                                                \
            m &= ((word)1 << (SHIFT)) - 1;                                                     \
            beyond |= (GREATEST)-m;                                                            \
            many += (0 - m) >> (SHIFT);                                                        \
        }                                                                                      \
        *nonzeros += (int64_t)many;                                                            \
        return beyond >> (SHIFT) == 0;                                                         \
    }                                                                                          \
    SCAN(name)
SCAN_FLOATS(f64, double, uint64_t, 63, UINT64_C(0x7fefffffffffffff))
SCAN_FLOATS(f32, float, uint32_t, 31, UINT32_C(0x7f7fffff))

#define SCAN_INTEGERS(name, type)                                                              \
    INLINE bool run_##name(const void *from, int64_t count, int64_t step, int64_t *nonzeros) { \
        const type *v = from;                                                                  \
        uint32_t many = 0;                                                                     \
        for (int64_t t = 0; t < count; t++) many += v[t * step] != 0;                          \
        *nonzeros += many;                                                                     \
        return true;                                                                           \
    }                                                                                          \
    SCAN(name)
SCAN_INTEGERS(i8, int8_t)
SCAN_INTEGERS(i16, int16_t)
SCAN_INTEGERS(i32, int32_t)

static bool exact(int64_t v) {
    double d = (double)v;
    return d < 0x1p63 && (int64_t)d == v;
}

/* Integers to 2^53 are exact; the few beyond are tried one by one. */
static bool scan_i64(const void *from, int64_t count, int64_t step, int64_t *nonzeros) {
    const uint64_t most = UINT64_C(1) << 53;
    const int64_t *v = from;
    bool beyond = false, good = true;
    for (int64_t t = 0; t < count; t++) {
        *nonzeros += v[t * step] != 0;
        beyond |= (uint64_t)v[t * step] + most > 2 * most;
    }
    for (int64_t t = 0; beyond && t < count; t++) good = good && exact(v[t * step]);
    return good;
}

bool hsp_scan_numbers(int32_t dtype, const void *from, int64_t count, int64_t step, int64_t *nonzeros) {
    static scan *const scans[] = {
        [HSP_FLOAT32] = scan_f32, [HSP_FLOAT64] = scan_f64, [HSP_INT32] = scan_i32,
        [HSP_INT64] = scan_i64,   [HSP_UINT32] = scan_i32,  [HSP_INT8] = scan_i8,
        [HSP_UINT8] = scan_i8,    [HSP_BOOL] = scan_i8,     [HSP_INT16] = scan_i16,
    };
    return scans[dtype](from, count, step, nonzeros);
}
