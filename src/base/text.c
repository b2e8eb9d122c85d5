#include "base/text.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

static bool grow(hsp_text *t, int64_t n) {
    int64_t needed;
    if (t->failed) return false;
    if (n < 0 || __builtin_add_overflow(t->length, n, &needed) || __builtin_add_overflow(needed, 1, &needed) ||
        hsp_reserve((void **)&t->s, &t->capacity, needed, 1) != HSP_OK)
        t->failed = true;
    return !t->failed;
}

/* Makes room for n more bytes and the NUL. */
static inline bool make_room(hsp_text *t, int64_t n) {
    return (n >= 0 && n < t->capacity - t->length && !t->failed) || grow(t, n);
}

void hsp_text_add_n(hsp_text *t, const char *s, int64_t n) {
    if (!make_room(t, n)) return;
    if (n > 0) memcpy(t->s + t->length, s, (size_t)n);
    t->length += n;
    t->s[t->length] = '\0';
}

void hsp_text_add(hsp_text *t, const char *s) {
    hsp_text_add_n(t, s, (int64_t)strlen(s));
}

void hsp_text_char(hsp_text *t, char c) {
    if (!make_room(t, 1)) return;
    t->s[t->length++] = c;
    t->s[t->length] = '\0';
}

void hsp_text_number(hsp_text *t, double v) {
    enum { LONGEST = 32 };
    if (make_room(t, LONGEST)) t->length += hsp_format_number(v, t->s + t->length);
}

void hsp_text_int(hsp_text *t, int64_t v) {
    enum { LONGEST = 20 };
    if (!make_room(t, LONGEST)) return;
    t->length += hsp_number_format_int(v, t->s + t->length);
    t->s[t->length] = '\0';
}

void hsp_text_vformat(hsp_text *t, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int n = vsnprintf(NULL, 0, format, arguments);
    if (n < 0) t->failed = true;
    if (make_room(t, n)) {
        vsnprintf(t->s + t->length, (size_t)n + 1, format, again);
        t->length += n;
    }
    va_end(again);
}

void hsp_text_format(hsp_text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    hsp_text_vformat(t, format, arguments);
    va_end(arguments);
}

char *hsp_text_room(hsp_text *t, int64_t n) {
    return make_room(t, n) ? t->s + t->length : NULL;
}

void hsp_text_clear(hsp_text *t) {
    t->length = 0;
    if (t->s != NULL) t->s[0] = '\0';
}

void hsp_text_free(hsp_text *t) {
    hsp_free(t->s);
    *t = (hsp_text){0};
}

int hsp_text_take(hsp_text *t, char **out, hsp_error **err) {
    *out = NULL;
    hsp_text_add_n(t, "", 0);
    if (t->failed) {
        hsp_text_free(t);
        return hsp_fail_memory(err);
    }
    *out = t->s;
    *t = (hsp_text){0};
    return HSP_OK;
}

int hsp_text_utf8(const char *s, int64_t n) {
    const unsigned char *u = (const unsigned char *)s;
    if (n < 1) return 0;
    if (u[0] < 0x80) return 1;
    int length = u[0] < 0xc2 ? 0 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : u[0] < 0xf5 ? 4 : 0;
    if (length == 0 || n < length) return 0;
    for (int i = 1; i < length; i++)
        if ((u[i] & 0xc0) != 0x80) return 0;
    /* Overlong forms, surrogates and what lies past U+10FFFF show in the second byte. */
    if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) || (u[0] == 0xf0 && u[1] < 0x90) ||
        (u[0] == 0xf4 && u[1] > 0x8f))
        return 0;
    return length;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: invisible, and what follows them may appear in another order. */
bool hsp_text_turns(const char *s, int64_t n) {
    const unsigned char *u = (const unsigned char *)s;
    if (n >= 2 && u[0] == 0xd8 && u[1] == 0x9c) return true;
    if (n < 3 || u[0] != 0xe2) return false;
    return (u[1] == 0x80 && (u[2] == 0x8e || u[2] == 0x8f || (u[2] >= 0xaa && u[2] <= 0xae))) ||
           (u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9);
}

int hsp_text_printable(const char *s, int64_t n) {
    unsigned char c = (unsigned char)*s;
    int length = hsp_text_utf8(s, n);
    bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && length == 2 && (unsigned char)s[1] < 0xa0);
    return control || hsp_text_turns(s, length) ? 0 : length;
}

void hsp_text_mask(char *out, const char *s, int64_t n) {
    for (int64_t i = 0; i < n;) {
        int length = hsp_text_printable(s + i, n - i);
        if (length > 0)
            memmove(out + i, s + i, (size_t)length);
        else
            out[i] = '?';
        i += length > 0 ? length : 1;
    }
}

const char *hsp_excerpt(char buf[HSP_EXCERPT], const char *s, int64_t n) {
    enum { MOST = 40 };
    int64_t m = n < MOST ? n : MOST;
    while (n > MOST && m > MOST - 10 && ((unsigned char)s[m] & 0xc0) == 0x80) m--;
    hsp_text_mask(buf, s, m);
    memcpy(buf + m, n > m ? "..." : "", n > m ? 4 : 1);
    return buf;
}

bool hsp_text_same_letters(const char *a, const char *b, int64_t n) {
    int64_t i = 0;
    while (i < n && a[i] != '\0' && lower(a[i]) == lower(b[i])) i++;
    return i == n || a[i] == b[i];
}

/* The optimal string alignment distance by dynamic programming over prefixes; swaps need three rows of the table. */
int hsp_text_distance(const char *a, const char *b) {
    enum { LONGEST = 40 };
    size_t m = strnlen(a, LONGEST + 1), n = strnlen(b, LONGEST + 1);
    if (m > LONGEST || n > LONGEST) return INT32_MAX;
    int rows[3][LONGEST + 1];
    for (size_t i = 0; i <= m; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                row[j] = (int)(i + j);
                continue;
            }
            int best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[m % 3][n];
}

void hsp_hex(uint64_t v, char out[17]) {
    for (int i = 15; i >= 0; i--, v >>= 4) out[i] = "0123456789abcdef"[v & 15];
    out[16] = '\0';
}
