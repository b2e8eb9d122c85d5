#include "base/number_marks.h"

#include "base/number.h"
#include "base/number_sign.h"

#include <string.h>

enum { LONGEST = 64 }; /* bytes of a number with marks */

bool hsp_number_marks_plain(hsp_number_marks m) {
    return m.decimal != ',' && !m.thousands;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The length of the text if it stands at p, else 0. */
static int64_t begins(const char *p, const char *end, const char *text) {
    int64_t n = (int64_t)strlen(text);
    return end - p >= n && memcmp(p, text, (size_t)n) == 0 ? n : 0;
}

int64_t hsp_number_space(const char *p, const char *end) {
    static const char *const spaces[] = {"\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x89"}; /* no-break, narrow, thin */
    int64_t length = 0;
    for (size_t k = 0; k < sizeof spaces / sizeof *spaces && length == 0; k++) length = begins(p, end, spaces[k]);
    return length;
}

/* Bytes of the separator of thousands at p; 0: there is none. */
static int64_t separator_length(const char *p, const char *end, char thousands) {
    if (p == end || !thousands) return 0;
    if (*p == thousands) return 1;
    if (thousands == '\'') return begins(p, end, "\xe2\x80\x99"); /* the typographic apostrophe */
    return thousands == ' ' ? hsp_number_space(p, end) : 0;
}

/* Copies the digits before the decimal mark without their separators. Returns what follows them; NULL: the groups are not of
 * three digits, or begin with 0. */
static const char *copy_whole(const char *p, const char *end, char thousands, char **to) {
    const char *begin = p;
    int64_t length;
    while (p < end && is_digit(*p)) *(*to)++ = *p++;
    if (separator_length(p, end, thousands) == 0) return p;
    if (p - begin < 1 || p - begin > 3 || *begin == '0') return NULL; /* 030 123 is a code */
    while ((length = separator_length(p, end, thousands)) > 0) {
        p += length;
        for (int i = 0; i < 3; i++, p++) {
            if (p == end || !is_digit(*p)) return NULL;
            *(*to)++ = *p;
        }
    }
    return p < end && is_digit(*p) ? NULL : p;
}

void hsp_number_trim(const char **s, const char **end) {
    while (*s < *end && (**s == ' ' || **s == '\t')) ++*s;
    while (*end > *s && ((*end)[-1] == ' ' || (*end)[-1] == '\t')) --*end;
}

bool hsp_number_marks_read(const char *s, int64_t n, hsp_number_marks m, double *v) {
    char plain[LONGEST + 1], *to = plain;
    const char *end = s + n;
    hsp_number_trim(&s, &end);
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

/* ---- marks that are not known yet ---- */

typedef struct candidate {
    hsp_number_marks marks;
    const char *options;
} candidate;

/* Of several that suit, the first is proposed: that with the fewest options. */
static const candidate candidates[] = {
    {{',', 0}, "--decimal ,"},
    {{'.', ','}, "--thousands ,"},
    {{'.', ' '}, "--thousands space"},
    {{'.', '\''}, "--thousands \"'\""},
    {{'.', '_'}, "--thousands _"},
    {{',', '.'}, "--decimal , --thousands ."},
    {{',', ' '}, "--decimal , --thousands space"},
    {{',', '\''}, "--decimal , --thousands \"'\""},
};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

unsigned hsp_number_marks_suit(const char *s, int64_t n) {
    unsigned set = 0;
    double v;
    int sign = hsp_number_sign_find(s, n);
    if (n < 1 || s[n - 1] == ',' || hsp_number_sign_read(s, n, sign ? sign : 1, (hsp_number_marks){0}, &v)) return 0;
    for (int k = 0; k < CANDIDATES; k++) {
        const hsp_number_marks m = candidates[k].marks;
        if (sign ? hsp_number_sign_read(s, n, sign, m, &v) : hsp_number_marks_read(s, n, m, &v)) set |= 1U << k;
    }
    return set;
}

const char *hsp_number_marks_options(unsigned set) {
    if ((set & 3) == 3) return "--decimal , or --thousands ,"; /* 1,234 */
    for (int k = 0; k < CANDIDATES; k++)
        if (set & 1U << k) return candidates[k].options;
    return NULL;
}
