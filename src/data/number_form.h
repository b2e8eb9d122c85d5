/* How numbers are spelt, and which spellings are codes: names that happen to be made of digits. */
#ifndef HSP_DATA_NUMBER_FORM_H
#define HSP_DATA_NUMBER_FORM_H

#include <stdbool.h>
#include <stdint.h>

enum { HSP_EXACT_DIGITS = 15 }; /* that a double always keeps apart */

/* How a number is spelt. Codes are whole numbers without a minus sign, of a form that measurements do not have. */
typedef enum hsp_number_form {
    HSP_FORM_SHORTEST, /* as hsp_number_format writes it */
    HSP_FORM_OTHER,    /* 1.0, 12e4 */
    HSP_FORM_ZEROS,    /* code: leading zeros, 0170 */
    HSP_FORM_PLUS,     /* code: a plus sign before six or more digits, +491701 */
    HSP_FORM_LONG      /* code: more than 15 digits, which a double does not keep apart */
} hsp_number_form;
/* The form of the n bytes at s, which are the number v, blanks round it allowed. */
hsp_number_form hsp_number_form_of(const char *s, int64_t n, double v);
/* The same for codes alone; HSP_FORM_OTHER: it is none. */
hsp_number_form hsp_code_form(const char *s, int64_t n);
/* Inline for the start that most numbers have, because readers ask for every cell. */
static inline bool hsp_number_is_code(const char *s, int64_t n) {
    if (n <= HSP_EXACT_DIGITS && (n < 2 || (*s >= '1' && *s <= '9') || (*s == '0' && (s[1] < '0' || s[1] > '9')))) return false;
    return hsp_code_form(s, n) != HSP_FORM_OTHER;
}

#endif
