/* Options that give each class a number: LABEL=X,LABEL=X. */
#include "prepare/class_numbers.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* The length of the entry LABEL=X at the start of s: up to the first comma (or the end) after a number; -1: there is none. A
 * label may contain commas and equals signs. *value: where the number begins. */
static int64_t entry_length(const char *s, const char **value) {
    for (const char *comma = s;; comma++) {
        comma += strcspn(comma, ",");
        const char *equals = comma;
        while (equals > s && *equals != '=') equals--;
        double v;
        *value = equals + 1;
        if (*equals == '=' && hsp_parse_number(*value, (size_t)(comma - *value), &v) == 0) return comma - s;
        if (!*comma) return -1;
    }
}

static int fail_unknown(const hsp_classes *classes, const char *option, const char *label, int length, hsp_error **err) {
    enum { SHOWN = 10 };
    hsp_text names = {0};
    for (int64_t k = 0; k < classes->count && k < SHOWN; k++)
        hsp_text_format(&names, "%s'%s'", k ? ", " : "", classes->name[k]);
    int status = hsp_fail(err, HSP_EUSAGE, "--%s: '%.*s' is not a class of the data: choose from %s%s", option, length,
                          label, names.s ? names.s : "", classes->count > SHOWN ? ", ..." : "");
    hsp_text_free(&names);
    return status;
}

int hsp_class_numbers(const hsp_classes *classes, const char *option, const char *text, const char *like, double *number,
                      hsp_error **err) {
    for (int64_t k = 0; k < classes->count; k++) number[k] = NAN;
    for (const char *s = text;;) {
        const char *value = NULL;
        int64_t n = entry_length(s, &value);
        if (n < 0)
            return hsp_fail(err, HSP_EUSAGE, "--%s cannot be '%s': write a list LABEL=X, like %s", option, text, like);
        int label = (int)(value - 1 - s);
        int64_t k = hsp_classes_find(classes, s, label);
        if (k < 0) return fail_unknown(classes, option, s, label, err);
        if (!isnan(number[k]))
            return hsp_fail(err, HSP_EUSAGE, "--%s names class '%s' twice: name it once", option, classes->name[k]);
        hsp_parse_number(value, (size_t)(s + n - value), &number[k]);
        if (!s[n]) return HSP_OK;
        s += n + 1;
    }
}
