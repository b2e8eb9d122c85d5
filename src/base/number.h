/* Text <-> number, locale-free. Reading is correctly rounded; writing is the shortest text that reads back. */
#ifndef HSP_BASE_NUMBER_H
#define HSP_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number at s, not past `end`: [+-] digits [. digits] [e [+-] digits], at least one digit. Returns the
 * first byte after it, or NULL when there is no number at s. Overflow gives +-infinity, for the caller to reject; "nan",
 * "inf" and hexadecimal are not numbers. Never allocates. */
const char *hsp_number_parse(const char *s, const char *end, double *v);
/* The same, with small whole numbers without a sign read on the spot: most cells of most tables are such. */
static inline const char *hsp_number_parse_cell(const char *s, const char *end, double *v) {
    enum { FEW = 9 };
    int64_t sum = 0;
    const char *p = s, *stop = end - s > FEW ? s + FEW : end;
    for (; p < stop && (unsigned char)(*p - '0') < 10; p++) sum = sum * 10 + (*p - '0');
    bool more = p == s || (p < end && ((unsigned char)(*p - '0') < 10 || *p == '.' || *p == 'e' || *p == 'E'));
    if (more) return hsp_number_parse(s, end, v);
    *v = (double)sum;
    return p;
}
/* Reads an unsigned integer of digits alone; the first byte after it, or NULL when there is none or it exceeds 2^63-1. */
const char *hsp_number_parse_int(const char *s, const char *end, int64_t *v);
/* Writes v, shortest, without a final NUL: at most 25 bytes. Integers below 1e15 in size are plain ("1", "-20", "0"; -0
 * is "-0"), other numbers take the shorter of plain and scientific form ("0.1", "1e-05" never: "1e-5"). Returns the length.
 * v must be finite. (hsp_format_number adds the NUL and spells "nan", "inf".) */
int hsp_number_format(double v, char *out);
/* The same for an integer, at most 20 bytes. */
int hsp_number_format_int(int64_t v, char *out);

#endif
