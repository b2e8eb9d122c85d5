/* Text <-> number, independent of the locale. Parsing is correctly rounded; formatting gives the shortest text that parses
 * to the same bits. */
#ifndef HSP_BASE_NUMBER_H
#define HSP_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Parses a decimal number at s, not past `end`: [+-] digits [. digits] [e [+-] digits], at least one digit. Returns the
 * first byte after it, or NULL when there is none. Overflow gives +-infinity, for the caller to reject; "nan", "inf" and
 * hexadecimal are not numbers. */
const char *hsp_number_parse(const char *s, const char *end, double *v);
/* ---- padded text: pieces of files (HSP_CHUNK_PAD), where bytes after the end may be read and a non-digit ends each number
 * ---- */

/* Eight bytes as the lanes of a word, the first byte lowest; the lane of a digit is its value (SWAR). */
static inline uint64_t hsp_digits_load(const char *s) {
    uint64_t v;
    memcpy(&v, s, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v ^ UINT64_C(0x3030303030303030);
}
/* 0 when all eight are digits; otherwise the lowest set bit is the top bit of the first lane that is not a digit. */
static inline uint64_t hsp_digits_stop(uint64_t lanes) {
    return ((lanes + UINT64_C(0x7676767676767676)) | lanes) & UINT64_C(0x8080808080808080);
}
/* The digits before a nonzero stop, shifted to the end of the word, zeros before them. */
static inline uint64_t hsp_digits_before(uint64_t lanes, uint64_t stop) {
    return lanes << 8 << (63 ^ __builtin_ctzll(stop));
}
/* Their number, 0 to 7. */
static inline unsigned hsp_digits_count(uint64_t stop) {
    return (unsigned)__builtin_ctzll(stop) >> 3;
}
/* The value of eight digits: three steps, each of which joins neighbouring lanes. */
static inline uint64_t hsp_digits_value(uint64_t lanes) {
    lanes = lanes * (1 + (10 << 8)) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    lanes = lanes * (1 + (100 << 16)) >> 16 & UINT64_C(0x0000ffff0000ffff);
    return lanes * (1 + (UINT64_C(10000) << 32)) >> 32;
}

/* The slow paths of hsp_number_parse_padded: any number; a number with `digits` (below 10^7) before the point and at least
 * eight digits at `fraction`. */
const char *hsp_number_parse_more(const char *s, double *v);
const char *hsp_number_parse_fraction(const char *s, const char *fraction, uint64_t digits, double *v);

/* hsp_number_parse of padded text. The inline path takes up to seven digits before and after the point, as most files have:
 * an integer divided by a power of ten, rounded once (Clinger 1990). v's address is not passed on, so that callers can keep
 * it in a register. */
static inline const char *hsp_number_parse_padded(const char *s, double *v) {
    static const double ten[2][8] = {{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7},
                                     {-1, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7}};
    static const uint32_t whole_ten[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    size_t negative = *s == '-';
    const char *p = s + negative;
    uint64_t lanes = hsp_digits_load(p), stop, digits;
    double slow;
    if (p[1] == '.') { /* the most frequent form, and a cheap one */
        digits = lanes & 0xff;
        p += 2;
        if (digits > 9) goto more;
    } else {
        stop = hsp_digits_stop(lanes);
        if (stop == 0 || (stop & 0x80) != 0) goto more;
        digits = hsp_digits_value(hsp_digits_before(lanes, stop));
        p += hsp_digits_count(stop);
        if ((*p | 0x20) == 'e') goto more;
        if (*p != '.') {
            *v = (double)(int64_t)digits * ten[negative][0];
            return p;
        }
        p++;
    }
    lanes = hsp_digits_load(p);
    stop = hsp_digits_stop(lanes);
    if (stop != 0) {
        unsigned n = hsp_digits_count(stop);
        if ((p[n] | 0x20) == 'e') goto more;
        digits = digits * whole_ten[n] + hsp_digits_value(hsp_digits_before(lanes, stop));
        *v = (double)(int64_t)digits / ten[negative][n];
        return p + n;
    }
    p = hsp_number_parse_fraction(s, p, digits, &slow);
    *v = slow;
    return p;
more:
    p = hsp_number_parse_more(s, &slow);
    if (p) *v = slow;
    return p;
}

/* Parses digits as an integer. Returns the first byte after them, or NULL: no digit, or a value above 2^63-1. */
const char *hsp_number_parse_int(const char *s, const char *end, int64_t *v);
/* Writes a finite v in its shortest form, at most 25 bytes, without a NUL. Integers below 1e15 in magnitude are plain ("1",
 * "-20", "-0"), others take the shorter of plain and scientific form ("0.1", "1e-5"). Returns the length.
 * (hsp_format_number adds the NUL and writes "nan" and "inf".) */
int hsp_number_format(double v, char *out);
/* The same for an integer, at most 20 bytes. */
int hsp_number_format_int(int64_t v, char *out);

#endif
