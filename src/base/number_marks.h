/* Numbers as people write them: a decimal comma, separators between thousands. */
#ifndef HSP_BASE_NUMBER_MARKS_H
#define HSP_BASE_NUMBER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_number_marks {
    char decimal;   /* ',' or '.'; 0 stands for '.' */
    char thousands; /* ',' '.' '\'' ' ' '_'; 0: none. ' ' stands for no-break spaces, too, and
                     * '\'' for the typographic apostrophe */
} hsp_number_marks;

/* Whether these are the marks of plain numbers: a point, and nothing between thousands. */
bool hsp_number_marks_plain(hsp_number_marks m);
/* The whole of the n bytes as a number with these marks, blanks round it allowed. Thousands are groups of three digits. */
bool hsp_number_marks_read(const char *s, int64_t n, hsp_number_marks m, double *v);

/* Moves both ends past blanks and tabs. */
void hsp_number_trim(const char **s, const char **end);
/* Bytes of the no-break, narrow or thin space at p; 0: there is none. */
int64_t hsp_number_space(const char *p, const char *end);

/* Marks with which a text is a number that it is not without them: bits of a set, 0: none. A sign ($12) is allowed. Of several
 * texts, the marks in all sets suit all. */
unsigned hsp_number_marks_suit(const char *s, int64_t n);
/* The options that choose one of the marks of such a set: "--decimal , --thousands ."; NULL for 0. */
const char *hsp_number_marks_options(unsigned set);

#endif
