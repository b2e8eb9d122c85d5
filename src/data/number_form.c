#include "data/number_form.h"

#include "base/number.h"
#include "data/data.h"

#include <string.h>

enum { PHONE_DIGITS = 6 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

hsp_number_form hsp_code_form(const char *s, int64_t n) {
    hsp_label_trim(&s, &n);
    bool plus = n > 0 && s[0] == '+';
    s += plus;
    n -= plus;
    for (int64_t i = 0; i < n; i++)
        if (!is_digit(s[i])) return HSP_FORM_OTHER;
    if (n > 1 && s[0] == '0') return HSP_FORM_ZEROS;
    if (plus && n >= PHONE_DIGITS) return HSP_FORM_PLUS;
    return n > HSP_EXACT_DIGITS ? HSP_FORM_LONG : HSP_FORM_OTHER;
}

hsp_number_form hsp_number_form_of(const char *s, int64_t n, double v) {
    char shortest[32];
    hsp_label_trim(&s, &n);
    hsp_number_form form = hsp_code_form(s, n);
    if (form != HSP_FORM_OTHER) return form;
    return hsp_number_format(v + 0.0, shortest) == n && memcmp(s, shortest, (size_t)n) == 0 ? HSP_FORM_SHORTEST : form;
}
