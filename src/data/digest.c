/* The numbers of a block. A block is in the cache, so several simple loops over it cost less than one complex loop. */
#include "data/digest.h"

#include "base/memory.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { MOST_RANGES = 4096, PIECE = 512 };

int hsp_digest_new(hsp_digest **out) {
    *out = hsp_alloc_zero(1, sizeof **out);
    if (*out) hsp_codes_reset(&(*out)->codes);
    return *out ? 0 : HSP_EMEMORY;
}

void hsp_digest_free(hsp_digest *g) {
    if (!g) return;
    HSP_FREE(g->code, g->range, g->met.label, g->met.spelling, g->met.slot, g->target, g);
}

static uint64_t bits_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Loops over all values use integer operations on their bits, which compilers vectorise on any machine. */

/* Whether all values are exact in float. Float has 29 mantissa bits less and a smaller range; values within, and zeros, are
 * exact. The few others are checked one by one: they may be subnormal floats. Counts the non-zeros if the answer is yes. */
static bool exact_in_float(const double *v, int64_t n, int64_t *nonzeros) {
    const uint64_t size = UINT64_MAX >> 1, low = (UINT64_C(1) << 29) - 1;
    const uint64_t least = UINT64_C(0x3810000000000000), greatest = UINT64_C(0x47efffffe0000000);
    uint64_t count = 0;
    for (int64_t from = 0; from < n; from += PIECE) {
        int64_t to = from + PIECE < n ? from + PIECE : n;
        uint64_t any = 0, beyond = 0;
        for (int64_t t = from; t < to; t++) {
            uint64_t bits = bits_of(v[t]), m = bits & size;
            any |= bits;
            beyond |= ((m - least) & -m) | (greatest - m); /* sign bit: below the range and not zero, or above */
            count += -m >> 63;
        }
        if (any & low) return false;
        for (int64_t t = from; beyond > size && t < to; t++)
            if (!(fabs(v[t]) <= FLT_MAX) || (double)(float)v[t] != v[t]) return false;
    }
    *nonzeros = (int64_t)count;
    return true;
}

/* Non-zeros and -0. */
static int64_t count_entries(const double *v, int64_t n) {
    uint64_t count = 0;
    for (int64_t t = 0; t < n; t++) {
        uint64_t bits = bits_of(v[t]);
        count += (bits | -bits) >> 63;
    }
    return (int64_t)count;
}

static bool all_equal(const double *v, int64_t n) {
    uint64_t first = bits_of(v[0]);
    for (int64_t from = 0; from < n; from += PIECE) {
        int64_t to = from + PIECE < n ? from + PIECE : n;
        uint64_t other = 0;
        for (int64_t t = from; t < to; t++) other |= bits_of(v[t]) ^ first;
        if (other != 0) return false;
    }
    return true;
}

static int find_codes(hsp_digest *g, const hsp_block *b, int64_t n, const hsp_digest_hints *h) {
    g->coded = g->uniform = false;
    if (h->known > HSP_CODES_MOST) return 0;
    /* Start with the numbers that the store knows. The codes of the last block can stay, unless it had new numbers, whose
     * codes in the store may differ, or was of another store. */
    bool same = g->codes.count == g->known && g->known <= h->known &&
                memcmp(g->codes.value, h->value, (size_t)g->known * sizeof *h->value) == 0;
    if (!same) hsp_codes_reset(&g->codes);
    for (int k = g->codes.count; k < h->known; k++) hsp_codes_add(&g->codes, h->value[k]);
    g->known = h->known;
    g->exact = true;
    g->uniform = n > 0 && !b->dense && all_equal(b->value, n);
    if (g->uniform) {
        int code = hsp_codes_add(&g->codes, bits_of(b->value[0]));
        g->coded = code >= 0;
        g->one = (uint8_t)code;
    } else {
        if (HSP_RESERVE(g->code, g->code_capacity, n)) return HSP_EMEMORY;
        g->coded = hsp_codes_encode(&g->codes, b->value, n, g->code);
    }
    for (int k = g->known; g->coded && k < g->codes.count; k++) {
        double v;
        memcpy(&v, &g->codes.value[k], sizeof v);
        g->exact = g->exact && exact_in_float(&v, 1, &(int64_t){0});
    }
    return 0;
}

/* Ids ascend in a row: the first and the last suffice. */
static void find_ids(hsp_digest *g, const hsp_block *b) {
    g->least = INT64_MAX;
    g->largest = g->largest_row = g->zero_row = g->bad_row = -1;
    for (int64_t i = 0; !b->dense && i < b->rows; i++) {
        int64_t begin = b->row[i], end = b->row[i + 1];
        if (begin == end) continue;
        int64_t first = b->id[begin], last = b->id[end - 1];
        if (first < g->least) g->least = first;
        if (first == 0 && g->zero_row < 0) g->zero_row = i;
        if (last <= g->largest) continue;
        g->largest = last;
        g->largest_row = i;
        if (last > INT32_MAX && g->bad_row < 0) g->bad_row = i;
    }
}

static int find_ranges(hsp_digest *g, const hsp_block *b) {
    int64_t d = b->d;
    g->ranged = b->dense && d > 0 && d <= MOST_RANGES && b->rows > 0;
    if (!g->ranged) return 0;
    if (HSP_RESERVE(g->range, g->range_capacity, 2 * d)) return HSP_EMEMORY;
    double *restrict least = g->range, *restrict greatest = g->range + d;
    memcpy(least, b->value, (size_t)d * sizeof *least);
    memcpy(greatest, b->value, (size_t)d * sizeof *greatest);
    for (int64_t i = 1; i < b->rows; i++) {
        const double *restrict v = b->value + i * d;
        for (int64_t j = 0; j < d; j++) {
            least[j] = v[j] < least[j] ? v[j] : least[j];
            greatest[j] = v[j] > greatest[j] ? v[j] : greatest[j];
        }
    }
    return 0;
}

int hsp_digest_values(hsp_digest *g, const hsp_block *b, const hsp_digest_hints *h) {
    int64_t n = hsp_block_tail(b);
    find_ids(g, b);
    if (find_ranges(g, b) || find_codes(g, b, n, h)) return HSP_EMEMORY;
    g->nonzeros = -1;
    if (!g->coded) g->exact = !h->inexact && exact_in_float(b->value, n, &g->nonzeros);
    if (g->uniform) g->nonzeros = b->value[0] != 0 ? n : 0;
    if (g->nonzeros < 0) {
        uint64_t count = 0;
        for (int64_t t = 0; t < n; t++) {
            uint64_t m = bits_of(b->value[t]) << 1;
            count += (m | -m) >> 63;
        }
        g->nonzeros = (int64_t)count;
    }
    bool minus = g->nonzeros < n && !(g->coded && !hsp_codes_holds(&g->codes, bits_of(-0.0)));
    g->entries = minus ? count_entries(b->value, n) : g->nonzeros;
    return 0;
}
