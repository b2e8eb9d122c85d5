/* Amounts: numbers with the sign of a currency, in percent, or negative by parentheses as accountants write them. */
#ifndef HSP_BASE_NUMBER_SIGN_H
#define HSP_BASE_NUMBER_SIGN_H

#include "base/number_marks.h"

#include <stdbool.h>
#include <stdint.h>

/* The signs that a column of numbers may have, from 1 on: "$", "%", ...; NULL at 0 and at HSP_NUMBER_SIGNS. */
enum { HSP_NUMBER_SIGNS = 30, HSP_SIGN_PERCENT = 2, HSP_SIGN_PARENTHESES = HSP_NUMBER_SIGNS - 1 };
extern const char *const hsp_number_sign[HSP_NUMBER_SIGNS + 1];
/* The sign of "$12.00", "-$5", "5 %", "USD 7", "($5)" (its currency), "(5)": its index; 0: there is none. */
int hsp_number_sign_find(const char *s, int64_t n);
/* The number in such a text, without the sign, and negative in parentheses; a text without the sign is read, too. */
bool hsp_number_sign_read(const char *s, int64_t n, int sign, hsp_number_marks m, double *v);

#endif
