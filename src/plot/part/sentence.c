#include "plot/part/sentence.h"

#include "plot/draw/numeral.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Unicode isolates keep a name that may read from right to left apart from the sentence, which reads from left to right. */
static const char isolate[] = "\xE2\x80\x8E\xE2\x81\xA8", isolate_end[] = "\xE2\x81\xA9", ellipsis[] = "\xE2\x80\xA6";

void hsp_sentence_add(char *line, const char *text) {
    size_t at = strlen(line);
    snprintf(line + at, HSP_SENTENCE - at, "%s", text);
}

void hsp_sentence_format(char *line, const char *format, ...) {
    size_t at = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + at, HSP_SENTENCE - at, format, arguments);
    va_end(arguments);
}

void hsp_sentence_add_number(char *line, double v, int digits) {
    char number[HSP_NUMERAL];
    hsp_sentence_add(line, hsp_numeral_round(v, digits, number));
}

/* Bytes of the first `most` characters, at most `room`; whole characters. */
static size_t head_of(const char *name, int most, size_t room) {
    size_t n = 0;
    int count = 0;
    for (; name[n] && n < room; n++)
        if (((unsigned char)name[n] & 0xC0) != 0x80 && count++ == most) break;
    while (name[n] && n > 0 && ((unsigned char)name[n] & 0xC0) == 0x80) n--;
    return n;
}

/* Where the last `most` characters begin, likewise; not before `from`. */
static size_t tail_of(const char *name, int most, size_t room, size_t from) {
    size_t end = strlen(name), n = end;
    int count = 0;
    while (n > from && end - n < room && count < most) count += ((unsigned char)name[--n] & 0xC0) != 0x80;
    while (n < end && ((unsigned char)name[n] & 0xC0) == 0x80) n++;
    return n;
}

int hsp_sentence_cut(const char *name, int most, char *out) {
    const size_t room = HSP_SHORT - 16;
    size_t n = head_of(name, most, room), rest = n;
    bool foreign = false;
    if (name[n]) { /* too long: leave the middle out */
        n = head_of(name, most - most / 2, room / 2);
        rest = tail_of(name, most / 2, room / 2, n);
    }
    for (size_t i = 0; name[i] && i < n; i++) foreign = foreign || (unsigned char)name[i] >= 0xD6; /* U+0590 and beyond */
    for (size_t i = rest; name[i]; i++) foreign = foreign || (unsigned char)name[i] >= 0xD6;
    snprintf(out, HSP_SHORT, "%s%.*s%s%s%s", foreign ? isolate : "", (int)n, name, rest > n ? ellipsis : "", name + rest,
             foreign ? isolate_end : "");
    int count = 0;
    for (; *name && count < most; name++) count += ((unsigned char)*name & 0xC0) != 0x80;
    return count;
}

const char *hsp_sentence_name(const char *name, char *out) {
    hsp_sentence_cut(name, 30, out);
    return out;
}

const char *hsp_sentence_count(double n, char *out) {
    if (n >= 0 && n < 1e15 && floor(n) == n) return hsp_numeral_decimal((int64_t)n, 0, out);
    return hsp_numeral_round(isfinite(n) ? n : 0, 4, out);
}

/* In percent with one decimal, or with as many as it takes not to read 0. */
static void write_share(double share, char *out) {
    int decimals = 1;
    double parts = 1000;
    while (decimals < 9 && share * parts < 1) {
        parts *= 10;
        decimals++;
    }
    int64_t n = (int64_t)fmin(fmax(round(share * parts), 1), parts - 1);
    for (; decimals > 0 && n % 10 == 0; decimals--) n /= 10;
    hsp_numeral_decimal(n, -decimals, out);
    size_t at = strlen(out);
    snprintf(out + at, HSP_NUMERAL - at, "\xE2\x80\xAF%%");
}

const char *hsp_sentence_percent(double part, double whole, char *out) {
    bool few = whole > 1 && whole <= 200 && floor(part) == part && floor(whole) == whole;
    if (!(whole > 0) || !(part >= 0))
        snprintf(out, HSP_NUMERAL, "none");
    else if (few || part <= 0 || part >= whole)
        hsp_numeral_share(few ? (int64_t)part : part > 0, few ? (int64_t)whole : 1, out);
    else
        write_share(part / whole, out);
    return out;
}

const char *hsp_sentence_area(double v, char *out) {
    if (!isfinite(v)) {
        snprintf(out, HSP_NUMERAL, "none");
        return out;
    }
    if (v < 0.1 || v >= 1) return hsp_numeral_round(v, 3, out);
    int digits = 3;
    int64_t one = 1000, n = llround(v * 1000);
    for (; n >= one && digits < 6; digits++) {
        one *= 10;
        n = llround(v * (double)one);
    }
    return hsp_numeral_decimal(n < one ? n : one - 1, -digits, out);
}

void hsp_sentence_subject(const hsp_chart_input *in, const hsp_report *s, char *out) {
    const char *algorithm = hsp_report_text_at(s, "algorithm", 0);
    char name[HSP_SHORT] = "";
    if (in->data_name[0]) hsp_sentence_name(in->data_name, name);
    snprintf(out, HSP_SENTENCE, "%s%s%s", name, name[0] ? ", " : "", algorithm ? algorithm : "");
}

const char *hsp_sentence_rows(const hsp_chart_input *in, const hsp_report *s, char *out) {
    char rows[HSP_NUMERAL], name[HSP_SHORT] = "";
    double n = hsp_report_number(s, "rows");
    if (in->data_name && in->data_name[0]) hsp_sentence_name(in->data_name, name);
    snprintf(out, HSP_SHORT, "%.100s%s%.40s%s%s", name, name[0] ? ", " : "", hsp_sentence_count(n, rows),
             hsp_report_number(s, "weighted") > 0 ? " weighted" : "", n == 1 ? " row" : " rows");
    return out;
}
