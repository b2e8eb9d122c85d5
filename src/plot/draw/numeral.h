/* Numbers as a picture shows them: rounded, with a true minus sign, powers of ten as superscripts. */
#ifndef HSP_PLOT_DRAW_NUMERAL_H
#define HSP_PLOT_DRAW_NUMERAL_H

#include <stdint.h>

enum { HSP_NUMERAL = 96 }; /* bytes that every buffer `out` here must hold; most functions return it */

/* n x 10^exponent, exactly and in full: (3, -1) is "0.3", (-30, -1) is U+2212 "3.0". From five digits before the point on,
 * they are in groups of three. -40 <= exponent <= 6. */
const char *hsp_numeral_decimal(int64_t n, int exponent, char *out);
/* v to 1 .. 15 significant digits without trailing zeros; below 1e-4 and from 1e6 on as "1.2 x 10^-7" with a times sign and
 * superscripts. v must be finite. */
const char *hsp_numeral_round(double v, int digits, char *out);
/* "10" and the power in superscripts. */
const char *hsp_numeral_power(int power, char *out);
/* Up to 20 digits as subscripts. */
void hsp_numeral_subscript(const char *digits, char *out);
/* part of whole as a percentage ("97 %"), to a tenth when whole > 200: never 100 unless all, never 0 unless none. */
const char *hsp_numeral_share(int64_t part, int64_t whole, char *out);

#endif
