#include "base/number_sign.h"

#include <string.h>

/* Models store the text of a sign, not its place. */
const char *const hsp_number_sign[HSP_NUMBER_SIGNS + 1] = {NULL,
                                                           "$",
                                                           "%",
                                                           "\xe2\x82\xac" /* euro */,
                                                           "\xc2\xa3" /* pound */,
                                                           "\xc2\xa5" /* yen */,
                                                           "\xe2\x82\xb9" /* rupee */,
                                                           "\xe2\x82\xbd" /* rouble */,
                                                           "\xe2\x82\xa9" /* won */,
                                                           "\xe2\x82\xba" /* lira */,
                                                           "\xe2\x82\xaa" /* shekel */,
                                                           "\xe2\x82\xab" /* dong */,
                                                           "\xe0\xb8\xbf" /* baht */,
                                                           "US$",
                                                           "A$",
                                                           "C$",
                                                           "R$",
                                                           "kr",
                                                           "z\xc5\x82" /* zloty */,
                                                           "USD",
                                                           "EUR",
                                                           "GBP",
                                                           "JPY",
                                                           "CHF",
                                                           "CNY",
                                                           "INR",
                                                           "CAD",
                                                           "AUD",
                                                           "SEK",
                                                           "()",
                                                           NULL};

/* Moves both ends past blanks, no-break spaces included: 12,00 E of a French file has one before the euro sign. */
static void trim(const char **s, const char **end) {
    int64_t length;
    hsp_number_trim(s, end);
    while ((length = hsp_number_space(*s, *end)) > 0) *s += length;
    while (*end - *s >= 2 && hsp_number_space(*end - 2, *end) == 2) *end -= 2;
    while (*end - *s >= 3 && hsp_number_space(*end - 3, *end) == 3) *end -= 3;
}

static bool starts_with(const char *s, const char *end, const char *sign) {
    size_t n = strlen(sign);
    return (size_t)(end - s) > n && memcmp(s, sign, n) == 0;
}

static bool ends_with(const char *s, const char *end, const char *sign) {
    size_t n = strlen(sign);
    return (size_t)(end - s) > n && memcmp(end - n, sign, n) == 0;
}

static bool is_plus_or_minus(const char *s, const char *end) {
    return s < end && (*s == '-' || *s == '+');
}

/* Whether parentheses are round the text, which are then left out. */
static bool unwrap(const char **s, const char **end) {
    if (*end - *s < 3 || **s != '(' || (*end)[-1] != ')') return false;
    ++*s;
    --*end;
    trim(s, end);
    return true;
}

/* The longest sign before or after the text, so that US$ is not $. */
int hsp_number_sign_find(const char *s, int64_t n) {
    const char *end = s + n;
    int found = 0;
    trim(&s, &end);
    bool wrapped = unwrap(&s, &end);
    if (is_plus_or_minus(s, end)) s++;
    for (int k = 1; k < HSP_SIGN_PARENTHESES; k++) {
        const char *sign = hsp_number_sign[k];
        if (found && strlen(sign) <= strlen(hsp_number_sign[found])) continue;
        if (ends_with(s, end, sign) || (k != HSP_SIGN_PERCENT && starts_with(s, end, sign))) found = k;
    }
    return found || !wrapped ? found : HSP_SIGN_PARENTHESES;
}

/* A number without the sign of a currency, where parentheses make it negative: 5, -5, (5). */
static bool read_bare(const char *s, const char *end, hsp_number_marks m, double *v) {
    trim(&s, &end);
    bool wrapped = unwrap(&s, &end);
    if (wrapped && is_plus_or_minus(s, end)) return false;
    if (!hsp_number_marks_read(s, end - s, m, v)) return false;
    if (wrapped) *v = -*v;
    return true;
}

/* The amount between s and end, which has the mark. */
static bool read_signed(const char *s, const char *end, int sign, hsp_number_marks m, double *v) {
    const char *mark = hsp_number_sign[sign], *inner = s + is_plus_or_minus(s, end);
    if (sign != HSP_SIGN_PERCENT && starts_with(inner, end, mark)) { /* -$5, $-5 and $(5) */
        if (!read_bare(inner + strlen(mark), end, m, v)) return false;
        if (*s == '-') *v = -*v;
        return true;
    }
    return ends_with(s, end, mark) && read_bare(s, end - strlen(mark), m, v);
}

bool hsp_number_sign_read(const char *s, int64_t n, int sign, hsp_number_marks m, double *v) {
    const char *end = s + n;
    trim(&s, &end);
    if (read_bare(s, end, m, v)) return true;
    if (sign == HSP_SIGN_PARENTHESES) return false;
    if (read_signed(s, end, sign, m, v)) return true;
    if (!unwrap(&s, &end) || is_plus_or_minus(s, end) || !read_signed(s, end, sign, m, v)) return false;
    *v = -*v; /* ($5) */
    return true;
}
