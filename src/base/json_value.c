/* Two passes without recursion. The first checks the text and counts its values and the bytes of its strings; the second
 * builds the tree in one block of exactly that size. In its array of values the open containers and their contents so far
 * grow from the front; when a container closes, its contents move to the back, where they stay. So values never move once
 * a pointer to them exists, and no other memory is needed. */
#include "base/json_value.h"

#include "base/error.h"
#include "base/json_escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- checking ---- */

typedef struct scan {
    const char *p, *end;
    const char *what; /* NULL, or why the text at p is not JSON */
    int64_t values, bytes;
    int depth;
    bool object[HSP_JSON_DEPTH]; /* each open container: it is an object */
} scan;

static bool fail(scan *s, const char *what) {
    s->what = what;
    return false;
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
    return p;
}

static char next_char(scan *s) {
    s->p = skip_blanks(s->p, s->end);
    return s->p < s->end ? *s->p : '\0';
}

static bool check_escape(scan *s) {
    int length;
    switch (hsp_json_escape(s->p, s->end, &length)) {
    case HSP_ESCAPE_UNKNOWN:
        return fail(s, "unknown escape");
    case HSP_ESCAPE_DIGITS:
        return fail(s, "\\u needs four hexadecimal digits");
    case HSP_ESCAPE_HALF:
        return fail(s, "half of a surrogate pair");
    case HSP_ESCAPE_NUL:
        return fail(s, "NUL character in a string");
    default:
        s->p += length;
        return true;
    }
}

static bool check_string(scan *s) {
    const char *open = s->p++;
    while (s->p < s->end && *s->p != '"') {
        unsigned char c = (unsigned char)*s->p;
        if (c == '\\') {
            if (!check_escape(s)) return false;
            continue;
        }
        int length = c < 0x80 ? c >= 0x20 : hsp_text_utf8(s->p, s->end - s->p);
        if (length == 0) return fail(s, c < 0x20 ? "control character in a string" : "string that is not UTF-8");
        s->p += length;
    }
    if (s->p == s->end) {
        s->p = open;
        return fail(s, "unclosed string");
    }
    s->bytes += s->p++ - open; /* at most, with a NUL */
    return true;
}

static const char *skip_digits(const char *p, const char *end) {
    while (p < end && *p >= '0' && *p <= '9') p++;
    return p;
}

/* The end of the number at p, or NULL. *whole: it has neither fraction nor exponent. */
static const char *skip_number(const char *p, const char *end, bool *whole) {
    if (*p == '-') p++;
    const char *digits = p;
    p = skip_digits(p, end);
    if (p == digits || (*digits == '0' && p > digits + 1)) return NULL;
    *whole = true;
    if (p < end && *p == '.') {
        *whole = false;
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits) return NULL;
    }
    if (p < end && (*p | 0x20) == 'e') {
        *whole = false;
        p++;
        if (p < end && (*p == '+' || *p == '-')) p++;
        digits = p;
        p = skip_digits(p, end);
        if (p == digits) return NULL;
    }
    return p;
}

static bool check_number(scan *s) {
    bool whole;
    const char *stop = skip_number(s->p, s->end, &whole);
    double v = 0;
    if (!stop) return fail(s, "invalid number");
    if (!whole || stop - s->p > 300) hsp_number_parse(s->p, stop, &v);
    if (!isfinite(v)) return fail(s, "number out of range");
    s->p = stop;
    return true;
}

static bool check_word(scan *s, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) return fail(s, "no value");
    s->p += n;
    return true;
}

/* A value that is not a container. */
static bool check_leaf(scan *s, char c) {
    if (c == '"') return check_string(s);
    if (c == '-' || (c >= '0' && c <= '9')) return check_number(s);
    return check_word(s, c == 't' ? "true" : c == 'f' ? "false" : "null");
}

/* In an object the name and the colon before a value. */
static bool check_name(scan *s) {
    if (!s->object[s->depth - 1]) return true;
    if (next_char(s) != '"') return fail(s, "no name of a member in quotes");
    if (!check_string(s)) return false;
    if (next_char(s) != ':') return fail(s, "no colon after the name of a member");
    s->p++;
    return true;
}

/* Opens a container; *empty: and closes it. */
static bool check_opening(scan *s, char c, bool *empty) {
    if (s->depth == HSP_JSON_DEPTH) return fail(s, "nested too deep");
    s->object[s->depth++] = c == '{';
    s->p++;
    *empty = next_char(s) == (c == '{' ? '}' : ']');
    if (!*empty) return check_name(s);
    s->p++;
    s->depth--;
    return true;
}

/* What follows a value: closing brackets, then a comma or the end. */
static bool check_ending(scan *s) {
    while (s->depth > 0) {
        bool object = s->object[s->depth - 1];
        char c = next_char(s);
        if (c == ',') {
            s->p++;
            return check_name(s);
        }
        if (c != (object ? '}' : ']'))
            return fail(s, object ? "no comma or } after a member" : "no comma or ] after an element");
        s->p++;
        s->depth--;
    }
    next_char(s);
    return s->p == s->end || fail(s, "text after the value");
}

static bool check_document(scan *s) {
    do {
        char c = next_char(s);
        bool empty = true;
        s->values++;
        if (!(c == '{' || c == '[' ? check_opening(s, c, &empty) : check_leaf(s, c))) return false;
        if (empty && !check_ending(s)) return false;
    } while (s->depth > 0);
    return true;
}

/* ---- building ---- */

typedef struct builder {
    const char *p, *end;
    hsp_json_value *value;
    int64_t top, pool; /* values before `top` are open or wait for their container; those from `pool` on are in place */
    int64_t open;      /* the container that is being filled, whose count is the one around it; -1: none */
    char *text;        /* where the next string goes */
} builder;

/* Decodes the string at b->p, which is at its quote. */
static const char *take_string(builder *b) {
    char *out = b->text, *to = out;
    for (b->p++; *b->p != '"';) {
        const char *run = b->p;
        int length;
        while (*b->p != '"' && *b->p != '\\') b->p++;
        memcpy(to, run, (size_t)(b->p - run));
        to += b->p - run;
        if (*b->p == '"') break;
        to += hsp_utf8_write(hsp_json_escape(b->p, b->end, &length), to);
        b->p += length;
    }
    b->p++;
    *to = '\0';
    b->text = to + 1;
    return out;
}

static void take_number(builder *b, hsp_json_value *v) {
    bool whole;
    const char *stop = skip_number(b->p, b->end, &whole);
    bool negative = *b->p == '-';
    v->type = HSP_JSON_NUMBER;
    v->exact = whole && hsp_number_parse_int(b->p + negative, stop, &v->whole) == stop;
    if (v->exact && negative) v->whole = -v->whole;
    if (whole && !v->exact && stop - b->p == 20 && memcmp(b->p, "-9223372036854775808", 20) == 0) {
        v->exact = true;
        v->whole = INT64_MIN;
    }
    hsp_number_parse(b->p, stop, &v->number);
    b->p = stop;
}

static void take_leaf(builder *b, hsp_json_value *v) {
    char c = *b->p;
    if (c == '"') {
        v->type = HSP_JSON_STRING;
        v->text = take_string(b);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        take_number(b, v);
    } else {
        v->type = c == 't' ? HSP_JSON_TRUE : c == 'f' ? HSP_JSON_FALSE : HSP_JSON_NULL;
        b->p += c == 'f' ? 5 : 4;
    }
}

/* Sifts the name at `at` down in the heap of n, the greatest first. */
static void sift(hsp_json_value *v, int64_t at, int64_t n) {
    uint32_t moved = v[at].order;
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && strcmp(v[v[child].order].key, v[v[child + 1].order].key) < 0) child++;
        if (strcmp(v[moved].key, v[v[child].order].key) >= 0) break;
        v[at].order = v[child].order;
    }
    v[at].order = moved;
}

/* A name that two of the n members have, or NULL. Few are compared one by one; many are sorted in their `order`, because n
 * comparisons for each would let a small file take minutes. */
static const char *find_double(hsp_json_value *v, int64_t n) {
    enum { FEW = 12 };
    for (int64_t i = 1; i < n && n <= FEW; i++)
        for (int64_t k = 0; k < i; k++)
            if (strcmp(v[i].key, v[k].key) == 0) return v[i].key;
    if (n <= FEW) return NULL;
    for (int64_t i = 0; i < n; i++) v[i].order = (uint32_t)i;
    for (int64_t i = n / 2 - 1; i >= 0; i--) sift(v, i, n);
    for (int64_t i = n - 1; i > 0; i--) {
        uint32_t least = v[i].order;
        v[i].order = v[0].order;
        v[0].order = least;
        sift(v, 0, i);
    }
    for (int64_t i = 1; i < n; i++)
        if (strcmp(v[v[i - 1].order].key, v[v[i].order].key) == 0) return v[v[i].order].key;
    return NULL;
}

/* Closes the container; false: two members have the same name, which is *name. */
static bool close_container(builder *b, const char **name) {
    hsp_json_value *v = &b->value[b->open];
    int64_t n = b->top - b->open - 1;
    b->pool -= n;
    memmove(b->value + b->pool, v + 1, (size_t)n * sizeof *v);
    b->top = b->open + 1;
    b->open = v->count;
    v->item = b->value + b->pool;
    v->count = n;
    *name = v->type == HSP_JSON_OBJECT ? find_double(b->value + b->pool, n) : NULL;
    b->p++;
    return !*name;
}

/* Builds the tree of a text that was checked; false: *name occurs twice in an object, which ends at b->p. */
static bool build_tree(builder *b, const char **name) {
    do {
        b->p = skip_blanks(b->p, b->end);
        char c = *b->p;
        if (c == '}' || c == ']') {
            if (!close_container(b, name)) return false;
            continue;
        }
        if (c == ',') {
            b->p++;
            continue;
        }
        hsp_json_value *v = &b->value[b->top++];
        *v = (hsp_json_value){0};
        if (b->open >= 0 && b->value[b->open].type == HSP_JSON_OBJECT) {
            v->key = take_string(b);
            b->p = skip_blanks(b->p, b->end) + 1;
            b->p = skip_blanks(b->p, b->end);
            c = *b->p;
        }
        if (c == '{' || c == '[') {
            v->type = c == '{' ? HSP_JSON_OBJECT : HSP_JSON_ARRAY;
            v->count = b->open;
            b->open = b->top - 1;
            b->p++;
        } else {
            take_leaf(b, v);
        }
    } while (b->open >= 0);
    return true;
}

/* ---- both ---- */

static int refuse(const char *text, const char *at, const char *what, const char *name, hsp_json_fault *fault) {
    char piece[HSP_EXCERPT];
    if (!fault) return HSP_EINPUT;
    *fault = (hsp_json_fault){.offset = at - text, .line = 1, .column = 1};
    for (const char *p = text; p < at; p++) {
        fault->column++;
        if (*p == '\n') fault->line++, fault->column = 1;
    }
    if (name)
        snprintf(fault->what, sizeof fault->what, "%s '%s'", what, hsp_excerpt(piece, name, (int64_t)strlen(name)));
    else
        snprintf(fault->what, sizeof fault->what, "%s", what);
    return HSP_EINPUT;
}

int hsp_json_parse(const char *text, int64_t size, hsp_json_value **out, hsp_json_fault *fault) {
    scan s = {.p = text, .end = text + size};
    const char *name;
    *out = NULL;
    if (!check_document(&s)) return refuse(text, s.p, s.p == s.end ? "the text ends too early" : s.what, NULL, fault);
    if (s.values > UINT32_MAX) return refuse(text, text, "too many values", NULL, fault);
    hsp_json_value *value = hsp_alloc(s.values * (int64_t)sizeof *value + s.bytes, 1);
    if (!value) return HSP_EMEMORY;
    builder b = {.p = text, .end = s.end, .value = value, .pool = s.values, .open = -1, .text = (char *)(value + s.values)};
    if (build_tree(&b, &name)) {
        *out = value;
        return HSP_OK;
    }
    int status = refuse(text, b.p - 1, "two members are called", name, fault);
    hsp_free(value);
    return status;
}

/* ---- access ---- */

const hsp_json_value *hsp_json_get(const hsp_json_value *v, const char *key) {
    if (!hsp_json_is(v, HSP_JSON_OBJECT)) return NULL;
    HSP_JSON_EACH(member, v)
    if (strcmp(member->key, key) == 0) return member;
    return NULL;
}

double hsp_json_double(const hsp_json_value *v) {
    return hsp_json_is(v, HSP_JSON_NUMBER) ? v->number : (double)NAN;
}

bool hsp_json_integer(const hsp_json_value *v, int64_t *out) {
    if (!hsp_json_is(v, HSP_JSON_NUMBER) || !v->exact) return false;
    *out = v->whole;
    return true;
}
