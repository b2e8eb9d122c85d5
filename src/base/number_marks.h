/* Numbers as people write them: a decimal comma, separators between thousands, signs of currencies, percent. */
#ifndef HSP_BASE_NUMBER_MARKS_H
#define HSP_BASE_NUMBER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_number_marks {
    char decimal;   /* ',' or '.'; 0 stands for '.' */
    char thousands; /* ',' '.' '\'' ' ' '_'; 0: none. ' ' stands for no-break spaces, too */
} hsp_number_marks;

/* Whether these are the marks of plain numbers: a point, and nothing between thousands. */
bool hsp_number_marks_plain(hsp_number_marks m);
/* The whole of the n bytes as a number with these marks, blanks round it allowed. Thousands are groups of three digits. */
bool hsp_number_marks_read(const char *s, int64_t n, hsp_number_marks m, double *v);

/* Marks with which a text is a number that it is not without them: bits of a set, 0: none. A sign ($12) is allowed. Of several
 * texts, the marks in all sets suit all. */
unsigned hsp_number_marks_suit(const char *s, int64_t n);
/* The options that choose one of the marks of such a set: "--decimal , --thousands ."; NULL for 0. */
const char *hsp_number_marks_options(unsigned set);

/* The signs that a column of numbers may have, from 1 on: "$", "%", ...; NULL at 0 and at HSP_NUMBER_SIGNS. */
enum { HSP_NUMBER_SIGNS = 8 };
extern const char *const hsp_number_sign[HSP_NUMBER_SIGNS + 1];
/* The sign of "$12.00", "-$5", "5 %": its index; 0: there is none. */
int hsp_number_sign_find(const char *s, int64_t n);
/* The number in such a text, without the sign; a text without it is read, too. */
bool hsp_number_sign_read(const char *s, int64_t n, int sign, hsp_number_marks m, double *v);

#endif
