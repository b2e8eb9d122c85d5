#include "base/number_marks.h"

#include "base/number.h"

#include <string.h>

enum { LONGEST = 64 }; /* bytes of a number with marks */

const char *const hsp_number_sign[HSP_NUMBER_SIGNS + 1] = {NULL,
                                                           "$",
                                                           "%",
                                                           "\xe2\x82\xac" /* euro */,
                                                           "\xc2\xa3" /* pound */,
                                                           "\xc2\xa5" /* yen */,
                                                           "\xe2\x82\xb9" /* rupee */,
                                                           "\xe2\x82\xbd" /* rouble */,
                                                           NULL};

bool hsp_number_marks_plain(hsp_number_marks m) {
    return m.decimal != ',' && !m.thousands;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Bytes of the separator of thousands at p; 0: there is none. */
static int64_t separator_length(const char *p, const char *end, char thousands) {
    if (p == end || !thousands) return 0;
    if (*p == thousands) return 1;
    if (thousands != ' ') return 0;
    if (end - p >= 2 && memcmp(p, "\xc2\xa0", 2) == 0) return 2; /* no-break space */
    return end - p >= 3 && (memcmp(p, "\xe2\x80\xaf", 3) == 0 || memcmp(p, "\xe2\x80\x89", 3) == 0) ? 3 : 0;
}

/* Copies the digits before the decimal mark without their separators. Returns what follows them; NULL: the groups are not of
 * three digits. */
static const char *copy_whole(const char *p, const char *end, char thousands, char **to) {
    const char *begin = p;
    int64_t length;
    while (p < end && is_digit(*p)) *(*to)++ = *p++;
    if (separator_length(p, end, thousands) == 0) return p;
    if (p - begin < 1 || p - begin > 3) return NULL;
    while ((length = separator_length(p, end, thousands)) > 0) {
        p += length;
        for (int i = 0; i < 3; i++, p++) {
            if (p == end || !is_digit(*p)) return NULL;
            *(*to)++ = *p;
        }
    }
    return p < end && is_digit(*p) ? NULL : p;
}

static void trim(const char **s, const char **end) {
    while (*s < *end && (**s == ' ' || **s == '\t')) ++*s;
    while (*end > *s && ((*end)[-1] == ' ' || (*end)[-1] == '\t')) --*end;
}

bool hsp_number_marks_read(const char *s, int64_t n, hsp_number_marks m, double *v) {
    char plain[LONGEST + 1], *to = plain;
    const char *end = s + n;
    trim(&s, &end);
    if (s == end || end - s > LONGEST) return false;
    if (*s == '-' || *s == '+') *to++ = *s++;
    const char *p = copy_whole(s, end, m.thousands, &to);
    if (!p) return false;
    char decimal = m.decimal ? m.decimal : '.';
    if (p < end && *p == decimal) {
        *to++ = '.';
        p++;
    } else if (p < end && (*p == '.' || *p == ',')) {
        return false;
    }
    for (; p < end; p++) {
        if (*p == '.' || *p == ',') return false;
        *to++ = *p;
    }
    return to > plain && hsp_number_parse(plain, to, v) == to;
}

/* Whether the sign is at the start of s, or at its end. */
static bool starts_with(const char *s, const char *end, const char *sign) {
    size_t n = strlen(sign);
    return (size_t)(end - s) > n && memcmp(s, sign, n) == 0;
}

static bool ends_with(const char *s, const char *end, const char *sign) {
    size_t n = strlen(sign);
    return (size_t)(end - s) > n && memcmp(end - n, sign, n) == 0;
}

int hsp_number_sign_find(const char *s, int64_t n) {
    const char *end = s + n;
    trim(&s, &end);
    if (s < end && (*s == '-' || *s == '+')) s++;
    for (int k = 1; hsp_number_sign[k]; k++)
        if (ends_with(s, end, hsp_number_sign[k]) || (k != 2 && starts_with(s, end, hsp_number_sign[k]))) return k;
    return 0;
}

bool hsp_number_sign_read(const char *s, int64_t n, int sign, hsp_number_marks m, double *v) {
    const char *end = s + n, *mark = hsp_number_sign[sign];
    trim(&s, &end);
    if (hsp_number_marks_read(s, end - s, m, v)) return true;
    bool negative = s < end && *s == '-';
    const char *inner = s + (s < end && (*s == '-' || *s == '+'));
    if (sign != 2 && starts_with(inner, end, mark)) { /* -$5, and $-5 */
        inner += strlen(mark);
        if (!hsp_number_marks_read(inner, end - inner, m, v)) return false;
        if (negative) *v = -*v;
        return true;
    }
    if (!ends_with(s, end, mark)) return false;
    end -= strlen(mark);
    return hsp_number_marks_read(s, end - s, m, v);
}

/* ---- marks that are not known yet ---- */

static const hsp_number_marks candidates[] = {{',', 0}, {'.', ','}, {',', '.'}, {',', ' '}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

unsigned hsp_number_marks_suit(const char *s, int64_t n) {
    unsigned set = 0;
    double v;
    int sign = hsp_number_sign_find(s, n);
    if (n < 1 || s[n - 1] == ',' || hsp_number_sign_read(s, n, sign ? sign : 1, (hsp_number_marks){0}, &v)) return 0;
    for (int k = 0; k < CANDIDATES; k++) {
        bool suits =
            sign ? hsp_number_sign_read(s, n, sign, candidates[k], &v) : hsp_number_marks_read(s, n, candidates[k], &v);
        if (suits) set |= 1U << k;
    }
    return set;
}

const char *hsp_number_marks_options(unsigned set) {
    static const char *const options[CANDIDATES] = {"--decimal ,", "--thousands ,", "--decimal , --thousands .",
                                                    "--decimal , --thousands space"};
    if ((set & 3) == 3) return "--decimal , or --thousands ,"; /* 1,234 */
    for (int k = 0; k < CANDIDATES; k++)
        if (set & 1U << k) return options[k];
    return NULL;
}
