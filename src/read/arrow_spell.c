/* Values of an Arrow array as the text that a CSV file would have. */
#include "base/number.h"
#include "read/arrow.h"
#include "table/date.h"

#include <math.h>
#include <string.h>

/* ---- whole numbers ---- */

static int64_t spell_unsigned(unsigned __int128 v, char *buf) {
    char digits[40];
    int64_t n = 0;
    do digits[n++] = (char)('0' + (int)(v % 10));
    while (v /= 10);
    for (int64_t k = 0; k < n; k++) buf[k] = digits[n - 1 - k];
    return n;
}

static int64_t spell_signed(__int128 v, char *buf) {
    bool negative = v < 0;
    unsigned __int128 size = negative ? -(unsigned __int128)v : (unsigned __int128)v;
    if (negative) *buf++ = '-';
    return negative + spell_unsigned(size, buf);
}

/* Whole numbers are spelt exactly, also those that a double rounds. */
static int64_t spell_whole(const hsp_arrow_values *v, int64_t i, char *buf) {
    const char *data = (const char *)v->array->buffers[1] + (v->offset + i) * v->type->bytes;
    uint64_t bits = 0;
    if (v->type->bytes < 8) return hsp_number_format(hsp_arrow_number(v, i) + 0.0, buf);
    memcpy(&bits, data, sizeof bits);
    return v->type->kind == HSP_ARROW_UINT ? spell_unsigned(bits, buf) : spell_signed((int64_t)bits, buf);
}

/* ---- decimals ---- */

static __int128 load_decimal(const hsp_arrow_values *v, int64_t i) {
    const char *data = (const char *)v->array->buffers[1] + (v->offset + i) * v->type->bytes;
    __int128 whole = 0;
    int64_t middle = 0;
    int32_t small = 0;
    if (v->type->bytes == 16) {
        memcpy(&whole, data, sizeof whole);
        return whole;
    }
    if (v->type->bytes == 8) {
        memcpy(&middle, data, sizeof middle);
        return middle;
    }
    memcpy(&small, data, sizeof small);
    return small;
}

int64_t hsp_arrow_spell_decimal(const hsp_arrow_values *v, int64_t i, char *buf) {
    __int128 whole = load_decimal(v, i);
    char digits[48];
    int scale = v->type->scale;
    int64_t n = spell_signed(whole, digits), sign = *digits == '-', at = sign, length = n - sign;
    if (sign) *buf = '-';
    int64_t before = length > scale ? length - scale : 1; /* digits before the point */
    if (scale <= 0) {
        memcpy(buf + at, digits + sign, (size_t)length);
        at += length;
        for (int k = scale; k < 0 && whole != 0; k++) buf[at++] = '0';
        return at;
    }
    for (int64_t k = length - scale - before; k < length - scale; k++) buf[at++] = k < 0 ? '0' : digits[sign + k];
    buf[at++] = '.';
    for (int64_t k = length - scale; k < length; k++) buf[at++] = k < 0 ? '0' : digits[sign + k];
    return at;
}

/* ---- dates ---- */

int64_t hsp_arrow_days(const hsp_arrow_values *v, int64_t i, int64_t *rest) {
    int64_t value = 0, unit = v->type->unit;
    int32_t days = 0;
    const char *data = (const char *)v->array->buffers[1] + (v->offset + i) * v->type->bytes;
    if (v->type->bytes == 4) {
        memcpy(&days, data, sizeof days);
        value = days;
    } else {
        memcpy(&value, data, sizeof value);
    }
    int64_t shifted = value % unit + v->type->minutes * (unit / 1440), day = value / unit;
    for (; shifted < 0; day--) shifted += unit;
    for (; shifted >= unit; day++) shifted -= unit;
    *rest = shifted;
    return day;
}

/* Writes v with at least that many digits. */
static char *put_digits(char *to, int64_t v, int width) {
    for (int k = width - 1; k >= 0; k--, v /= 10) to[k] = (char)('0' + (int)(v % 10));
    return to + width;
}

/* Writes the offset of a zone, +01:00, or Z for none. */
static char *put_zone(char *to, int minutes) {
    int size = minutes < 0 ? -minutes : minutes;
    *to++ = minutes == 0 ? 'Z' : minutes < 0 ? '-' : '+';
    if (minutes == 0) return to;
    to = put_digits(to, size / 60, 2);
    *to++ = ':';
    return put_digits(to, size % 60, 2);
}

/* Writes 2024-03-05, of timestamps 2024-03-05T12:30:00.25, with the zone if it is a moment. */
static int64_t spell_date(const hsp_arrow_values *v, int64_t i, char *buf) {
    int64_t rest, days = hsp_arrow_days(v, i, &rest), second = v->type->unit / 86400;
    hsp_date d = hsp_date_of_days((double)days);
    char *to = put_digits(buf, d.year, 4);
    *to++ = '-';
    to = put_digits(to, d.month, 2);
    *to++ = '-';
    to = put_digits(to, d.day, 2);
    if (v->type->kind == HSP_ARROW_DATE) return to - buf;
    int64_t seconds = rest / second, part = rest % second;
    *to++ = 'T';
    to = put_digits(to, seconds / 3600, 2);
    *to++ = ':';
    to = put_digits(to, seconds / 60 % 60, 2);
    *to++ = ':';
    to = put_digits(to, seconds % 60, 2);
    if (part > 0) {
        int width = 0;
        for (int64_t k = second; k > 1; k /= 10) width++;
        *to++ = '.';
        to = put_digits(to, part, width);
        while (to[-1] == '0') to--;
    }
    if (v->type->zoned) to = put_zone(to, v->type->minutes);
    return to - buf;
}

/* ---- all of them ---- */

static int64_t spell_float(double x, char *buf) {
    if (isfinite(x)) return hsp_number_format(x + 0.0, buf);
    memcpy(buf, x < 0 ? "-inf" : "inf", 4);
    return x < 0 ? 4 : 3;
}

const char *hsp_arrow_spell(const hsp_arrow_values *v, int64_t i, char *buf, int64_t *n) {
    hsp_arrow_kind kind = v->type->kind;
    *n = 0;
    if (!hsp_arrow_is_valid(v, i)) return NULL;
    if (kind == HSP_ARROW_TEXT || kind == HSP_ARROW_VIEW) return hsp_arrow_text(v, i, n);
    if (kind == HSP_ARROW_BOOL) {
        const char *word = hsp_arrow_number(v, i) > 0 ? "true" : "false";
        *n = (int64_t)strlen(word);
        return word;
    }
    if (kind == HSP_ARROW_FLOAT) {
        double x = hsp_arrow_number(v, i);
        if (isnan(x)) return NULL;
        *n = spell_float(x, buf);
        return buf;
    }
    *n = kind == HSP_ARROW_DECIMAL                           ? hsp_arrow_spell_decimal(v, i, buf)
         : kind == HSP_ARROW_DATE || kind == HSP_ARROW_TIME ? spell_date(v, i, buf)
                                                            : spell_whole(v, i, buf);
    return buf;
}
