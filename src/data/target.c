#include "base/error.h"
#include "base/number.h"
#include "base/number_marks.h"
#include "base/text.h"
#include "data/labels.h"

#include <math.h>
#include <string.h>

#define SHOWN 40 /* bytes of a label in a message */

static bool is_missing(const char *s, int64_t n) {
    static const char *const words[] = {"", "?", "NA", "N/A", "NaN", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((int64_t)strlen(words[i]) == n && hsp_text_same_letters(s, words[i], n)) return true;
    return false;
}

int hsp_target_parse(const char *label, int64_t length, bool named, hsp_place where, double *out, hsp_error **err) {
    hsp_label_trim(&label, &length);
    const char *end = label + length;
    int64_t n = length;
    int shown = (int)(n < SHOWN ? n : SHOWN);
    while (shown < n && shown > 0 && ((unsigned char)label[shown] & 0xc0) == 0x80) shown--; /* whole characters */
    bool whole = n > 0 && hsp_number_parse(label, end, out) == end;
    if (whole && isfinite(*out)) return 0;
    if (is_missing(label, n))
        return hsp_fail_at(err, HSP_EINPUT, where, "the target is missing: fill it in or remove the row");
    if (whole)
        return hsp_fail_at(err, HSP_EINPUT, where, "the target %.*s is too large for a double: scale the targets down",
                           shown, label);
    int64_t sign = n > 0 && (label[0] == '-' || label[0] == '+');
    if (n - sign >= 3 && n - sign <= 8 && hsp_text_same_letters(label + sign, "inf", 3))
        return hsp_fail_at(err, HSP_EINPUT, where, "the target '%.*s' is not finite: give a number or remove the row",
                           shown, label);
    if (hsp_number_marks_suit(label, n))
        return hsp_fail_at(err, HSP_EINPUT, where, "the target '%.*s' is not a plain number: use %s", shown, label,
                           hsp_number_marks_options(hsp_number_marks_suit(label, n)));
    return hsp_fail_at(err, HSP_EINPUT, where,
                       "the target '%.*s' is not a number, which regression needs: %suse --task classification", shown,
                       label, named ? "name another column with --target, or " : "");
}
