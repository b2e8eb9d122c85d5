/* Numbers in the plain records of a CSV file, most of which are short integers. */
#include "read/csv_numbers.h"

#include "base/number.h"
#include "data/number_form.h"

#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Whether a code (hsp_number_is_code) may begin at p: a cheap test, which few other numbers pass. */
static inline bool may_be_code(const char *p) {
    if (*p == '0') return (unsigned char)(p[1] - '0') < 10;
    return *p == '+' || (hsp_digits_stop(hsp_digits_load(p)) == 0 && hsp_digits_stop(hsp_digits_load(p + 8)) == 0);
}

/* Parses a number, blanks and quotes round it allowed. Returns what follows it, or NULL, also for a code if they are to be
 * found. Not inlined: the loop below calls it for few cells. */
__attribute__((noinline)) const char *hsp_csv_plain_number(const char *p, char delimiter, bool codes, double *x) {
    p = hsp_csv_skip_to_cell(p, delimiter);
    bool quoted = *p == '"';
    const char *begin = p + quoted;
    p = hsp_number_parse_padded(begin, x);
    if (!p || !isfinite(*x) || (codes && may_be_code(begin) && hsp_number_is_code(begin, p - begin))) return NULL;
    if (quoted && *p++ != '"') return NULL;
    return hsp_csv_skip_blanks(p, delimiter);
}

/* ---- cells of few digits, several at once ---- */

#define EACH_SECOND(x) (UINT64_C(0x0001000100010001) * (x))

/* Four numbers of 16 bits as doubles. */
static inline void store_four(double *x, uint64_t lanes) {
#ifdef __SSE2__
    const __m128i wide = _mm_unpacklo_epi16(_mm_cvtsi64_si128((int64_t)lanes), _mm_setzero_si128());
    _mm_storeu_pd(x, _mm_cvtepi32_pd(wide));
    _mm_storeu_pd(x + 2, _mm_cvtepi32_pd(_mm_shuffle_epi32(wide, 0xee)));
#else
    for (int i = 0; i < 4; i++) x[i] = (double)(int)(lanes >> 16 * i & 0xffff);
#endif
}

/* Parses cells of one digit from p on, four at a time, while four fit before `end`. Returns what follows them; *x moves on,
 * and up to three values after it may be overwritten. form: four such cells with the digit 0, as hsp_digits_load gives. */
static inline const char *one_digit_cells(const char *p, uint64_t form, double **x, const double *end) {
    while (end - *x >= 4) {
        uint64_t lanes = hsp_digits_load(p) ^ form; /* 0 to 9 where a digit is, 0 where a delimiter is */
        uint64_t wrong = ((lanes + EACH_SECOND(0x76)) | lanes) & EACH_SECOND(0xff80);
        store_four(*x, lanes);
        if (wrong != 0) {
            int n = __builtin_ctzll(wrong) >> 4;
            *x += n;
            return p + 2 * n;
        }
        *x += 4;
        p += 8;
    }
    return p;
}

/* Parses an integer of up to four digits before a delimiter. Returns the number of digits, or 0 for any other cell, and for
 * one with leading zeros. */
static inline unsigned few_digits(const char *p, char delimiter, double *x) {
    uint64_t lanes = hsp_digits_load(p), stop = hsp_digits_stop(lanes) | UINT64_C(1) << 63;
    unsigned n = (unsigned)__builtin_ctzll(stop) >> 3;
    if (n - 1 > 3 || p[n] != delimiter || (*p == '0' && n > 1)) return 0;
    uint32_t last = (uint32_t)lanes << (32 - 8 * n), pairs = last * 10 + (last >> 8);
    *x = (double)(int32_t)((pairs & 0x00ff00ff) * (1 + (100 << 16)) >> 16);
    return n;
}

/* Parses numbers with a delimiter after each into x up to end. Returns the start of the next cell, or NULL when a number is
 * not plain. Not inlined, so that its loop has all registers. */
const char *hsp_csv_plain_numbers(const char *p, char delimiter, bool codes, double *x, const double *end) {
    const uint64_t form = EACH_SECOND((uint64_t)(unsigned char)(delimiter ^ '0') << 8);
    while (x < end) {
        if (p[1] == delimiter) {
            p = one_digit_cells(p, form, &x, end);
            if (x == end) break;
        }
        if (*p == ' ') p = hsp_csv_skip_to_cell(p, delimiter);
        bool code = false; /* it may be one */
        if (p[1] != '.' && *p != '-') {
            unsigned n = few_digits(p, delimiter, x);
            if (n > 0) {
                x++;
                p += n + 1;
                continue;
            }
            code = may_be_code(p);
        }
        const char *next = *p == '"' || code ? NULL : hsp_number_parse_padded(p, x);
        if (!next || *next != delimiter || !isfinite(*x)) {
            next = hsp_csv_plain_number(p, delimiter, codes, x);
            if (!next || *next != delimiter) return NULL;
        }
        x++;
        p = next + 1;
    }
    return p;
}
