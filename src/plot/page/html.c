#include "plot/page/html.h"

#include "plot/draw/numeral.h"
#include "plot/part/sentence.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_CHARACTERS = 48, NAME_END = 15, SENTENCE_BYTES = 900, SENTENCE_HEAD = 600, SENTENCE_TAIL = 240 };

void hsp_html_clear(hsp_html *h) {
    hsp_free(h->bytes.data);
    *h = (hsp_html){0};
}

void hsp_html_raw_n(hsp_html *h, const void *bytes, int64_t n) {
    if (hsp_bytes_add(&h->bytes, bytes, n)) h->failed = true;
}

void hsp_html_raw(hsp_html *h, const char *markup) {
    hsp_html_raw_n(h, markup, (int64_t)strlen(markup));
}

/* ---- characters ---- */

int hsp_html_character(const char *text, uint32_t *u) {
    const unsigned char *s = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    int n = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    if (n == 0) return 0;
    *u = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0; /* also at the end of the text */
        *u = *u << 6 | (s[i] & 0x3Fu);
    }
    bool surrogate = *u >= 0xD800 && *u <= 0xDFFF;
    return *u < least[n] || *u > 0x10FFFF || surrogate ? 0 : n;
}

/* Ranges of Unicode: control, format and separator characters, fillers without a glyph, and noncharacters. Joiners (U+200C and
 * U+200D) stay, as several scripts are spelt with them. */
bool hsp_html_is_hidden(uint32_t u) {
    static const uint32_t hidden[][2] = {
        {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x034F, 0x034F}, {0x061C, 0x061C}, {0x115F, 0x1160},
        {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200B}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
        {0x3164, 0x3164}, {0xFDD0, 0xFDEF}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFC}, {0xE0000, 0xE0FFF}};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (u >= hidden[i][0] && u <= hidden[i][1]) return true;
    return (u & 0xFFFE) == 0xFFFE;
}

static const char *entity_of(uint32_t u) {
    switch (u) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Appends the character at s and returns the one after it. */
static const char *add_character(hsp_html *h, const char *s) {
    char code[24];
    uint32_t u = 0;
    int n = hsp_html_character(s, &u);
    const char *entity = n > 0 ? entity_of(u) : NULL;
    if (n == 0)
        snprintf(code, sizeof code, "[0x%02X]", (unsigned)(unsigned char)*s);
    else if (hsp_html_is_hidden(u))
        snprintf(code, sizeof code, "[U+%04X]", (unsigned)u);
    else
        code[0] = 0;
    if (entity)
        hsp_html_raw(h, entity);
    else if (code[0])
        hsp_html_raw(h, code);
    else
        hsp_html_raw_n(h, s, n);
    return s + (n > 0 ? n : 1);
}

static void add_text_until(hsp_html *h, const char *text, const char *end) {
    while (text < end) text = add_character(h, text);
}

void hsp_html_text(hsp_html *h, const char *text) {
    if (text) add_text_until(h, text, text + strlen(text));
}

void hsp_html_write(hsp_html *h, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        size_t n = strcspn(at, "%");
        hsp_html_raw_n(h, at, (int64_t)n);
        at += n;
        if (!*at) break;
        if (at[1] == 's')
            hsp_html_text(h, va_arg(arguments, const char *));
        else
            hsp_html_raw(h, "%");
        at += 2;
    }
    va_end(arguments);
}

/* ---- long texts ---- */

static const char *skip_characters(const char *s, int n) {
    uint32_t u;
    for (; *s && n > 0; n--) {
        int size = hsp_html_character(s, &u);
        s += size > 0 ? size : 1;
    }
    return s;
}

void hsp_html_name(hsp_html *h, const char *name) {
    if (!name) name = "";
    const char *end = name + strlen(name);
    hsp_html_raw(h, "<bdi>");
    if (!*skip_characters(name, NAME_CHARACTERS)) {
        hsp_html_text(h, name);
    } else {
        const char *tail = end;
        for (int left = NAME_END; left > 0; left--) do
                tail--;
            while (((unsigned char)*tail & 0xC0) == 0x80 && end - tail < 4 * NAME_END);
        add_text_until(h, name, skip_characters(name, NAME_CHARACTERS - NAME_END - 1));
        hsp_html_raw(h, "\xE2\x80\xA6");
        hsp_html_text(h, tail);
    }
    hsp_html_raw(h, "</bdi>");
}

void hsp_html_quoted(hsp_html *h, const char *name) {
    hsp_html_raw(h, "\xE2\x80\x9C");
    hsp_html_name(h, name);
    hsp_html_raw(h, "\xE2\x80\x9D");
}

void hsp_html_sentence(hsp_html *h, const char *text) {
    size_t n = text ? strlen(text) : 0, head = SENTENCE_HEAD, tail = n - SENTENCE_TAIL;
    if (n > 0 && *text >= 'a' && *text <= 'z') {
        const char capital[] = {(char)(*text - 'a' + 'A'), 0};
        hsp_html_raw(h, capital);
        text++, n--, tail--;
    }
    if (n <= SENTENCE_BYTES) {
        hsp_html_text(h, text);
        return;
    }
    while (head > 0 && ((unsigned char)text[head] & 0xC0) == 0x80) head--;
    while (((unsigned char)text[tail] & 0xC0) == 0x80) tail++;
    add_text_until(h, text, text + head);
    hsp_html_raw(h, " \xE2\x80\xA6 ");
    hsp_html_text(h, text + tail);
}

/* ---- numbers ---- */

static const char dash[] = "\xE2\x80\x93";

const char *hsp_html_number(double v, int digits, char *out) {
    if (isfinite(v)) return hsp_numeral_round(v, digits, out);
    snprintf(out, HSP_NUMERAL, dash);
    return out;
}

const char *hsp_html_fixed(double v, int places, char *out) {
    double parts = v * pow(10, places);
    if (!(fabs(parts) < 1e15)) return hsp_html_number(v, 4, out);
    return hsp_numeral_decimal(llround(parts), -places, out);
}

const char *hsp_html_above(double v, int digits, char *out) {
    if (!isfinite(v) || v <= 0) return hsp_html_number(v, digits, out);
    double unit = pow(10, floor(log10(v)) - digits + 1), steps = ceil(v / unit * (1 - 1e-12));
    return hsp_html_number(steps * unit < v ? (steps + 1) * unit : steps * unit, digits, out);
}

const char *hsp_html_figure(double v, char *out) {
    if (isfinite(v)) return hsp_sentence_area(v, out);
    return hsp_html_number(v, 1, out);
}

const char *hsp_html_percent(double share, char *out) {
    if (isfinite(share)) return hsp_sentence_percent(share, 1, out);
    snprintf(out, HSP_NUMERAL, dash);
    return out;
}
