/* XXH3 and the cells that are hashed, compiled for each level (of_level.h): the header of the library brings its own vectors,
 * and gives the same hash with all of them. */
#define XXH_INLINE_ALL
#include "kernel/of_level.h"

#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

_Static_assert(sizeof(hsp_hash_stream) >= sizeof(XXH3_state_t), "room for the state");
_Static_assert(_Alignof(hsp_hash_stream) >= _Alignof(XXH3_state_t), "and its alignment");

static XXH3_state_t *state_of(hsp_hash_stream *s) {
    return (XXH3_state_t *)(void *)s->room;
}

void HSP_OF_LEVEL(hsp_hash_open_)(hsp_hash_stream *s) {
    XXH3_INITSTATE(state_of(s));
    XXH3_64bits_reset(state_of(s));
}

void HSP_OF_LEVEL(hsp_hash_add_)(hsp_hash_stream *s, const void *bytes, size_t count) {
    XXH3_64bits_update(state_of(s), bytes, count);
}

uint64_t HSP_OF_LEVEL(hsp_hash_close_)(hsp_hash_stream *s) {
    return XXH3_64bits_digest(state_of(s));
}

INLINE void put(unsigned char *to, uint64_t v, int bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, &v, (size_t)bytes);
#else
    for (int k = 0; k < bytes; k++) to[k] = (unsigned char)(v >> (8 * k));
#endif
}

/* Every cell is written, and the next overwrites it if it is zero: without branches. */
static size_t some_cells(int64_t first, const uint32_t *id, const double *value, int64_t count, unsigned char *to) {
    unsigned char *begin = to;
    for (int64_t t = 0; t < count; t++) {
        uint64_t bits;
        memcpy(&bits, &value[t], sizeof bits);
        put(to, id ? id[t] : (uint32_t)(first + t), 4);
        put(to + 4, bits, 8);
        to += bits << 1 != 0 ? HSP_HASH_CELL : 0;
    }
    return (size_t)(to - begin);
}

#ifdef __AVX512F__
/* Those of eight values that are not zero side by side, then columns and values interleaved, by words of 32 bits. Returns
 * the bytes. */
INLINE size_t put_eight(__m512i v, __m512i j, unsigned char *to) {
    const __m512i low = _mm512_setr_epi32(16, 0, 1, 17, 2, 3, 18, 4, 5, 19, 6, 7, 20, 8, 9, 21);
    const __m512i high = _mm512_setr_epi32(10, 11, 22, 12, 13, 23, 14, 15, 0, 0, 0, 0, 0, 0, 0, 0);
    __m512i twice = _mm512_add_epi64(v, v);
    __mmask8 kept = _mm512_test_epi64_mask(twice, twice);
    if (kept != 0xff) {
        v = _mm512_maskz_compress_epi64(kept, v);
        j = _mm512_maskz_compress_epi32(kept, j);
    }
    _mm512_storeu_si512(to, _mm512_permutex2var_epi32(v, low, j));
    _mm256_storeu_si256((__m256i *)(to + 64), _mm512_castsi512_si256(_mm512_permutex2var_epi32(v, high, j)));
    return kept == 0xff ? 8 * HSP_HASH_CELL : (size_t)(HSP_HASH_CELL * __builtin_popcount(kept));
}

INLINE __m512i next_columns(int64_t first) {
    const __m512i eight = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0);
    return _mm512_add_epi32(_mm512_set1_epi32((int)first), eight);
}

size_t HSP_OF_LEVEL(hsp_hash_cells_)(int64_t first, const uint32_t *id, const double *value, int64_t count,
                                     unsigned char *to) {
    unsigned char *begin = to;
    int64_t t = 0;
    for (; t + 8 <= count; t += 8) {
        __m512i j = id ? _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(id + t))) : next_columns(first + t);
        to += put_eight(_mm512_loadu_si512(value + t), j, to);
    }
    __mmask8 rest = (__mmask8)((1 << (count - t)) - 1); /* the others are zeros, which are left out */
    if (rest && !id) to += put_eight(_mm512_maskz_loadu_epi64(rest, value + t), next_columns(first + t), to);
    return (size_t)(to - begin) + (id ? some_cells(first + t, id + t, value + t, count - t, to) : 0);
}

size_t HSP_OF_LEVEL(hsp_hash_single_cells_)(int64_t first, const float *value, int64_t count, unsigned char *to) {
    unsigned char *begin = to;
    int64_t t = 0;
    for (; t + 8 <= count; t += 8)
        to += put_eight(_mm512_castpd_si512(_mm512_cvtps_pd(_mm256_loadu_ps(value + t))), next_columns(first + t), to);
    if (t < count) {
        static const int32_t mask[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
        __m256i rest = _mm256_loadu_si256((const __m256i *)(mask + 8 - (count - t)));
        __m512d v = _mm512_cvtps_pd(_mm256_maskload_ps(value + t, rest));
        to += put_eight(_mm512_castpd_si512(v), next_columns(first + t), to);
    }
    return (size_t)(to - begin);
}
#else
size_t HSP_OF_LEVEL(hsp_hash_cells_)(int64_t first, const uint32_t *id, const double *value, int64_t count,
                                     unsigned char *to) {
    return some_cells(first, id, value, count, to);
}

size_t HSP_OF_LEVEL(hsp_hash_single_cells_)(int64_t first, const float *value, int64_t count, unsigned char *to) {
    unsigned char *begin = to;
    for (int64_t t = 0; t < count; t++) {
        double v = (double)value[t];
        to += some_cells(first + t, NULL, &v, 1, to);
    }
    return (size_t)(to - begin);
}
#endif
