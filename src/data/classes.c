/* Labels as text and classes as numbers. Two labels are one class if they are the same text, surrounding blanks ignored, or
 * the same finite number; labels that are codes (007) only if they are the same text. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/data.h"
#include "data/number_form.h"

#include <math.h>
#include <string.h>

/* The label as a finite number; false for all else, "nan", "inf" and overflow included. */
static bool label_number(const char *s, int64_t n, double *v) {
    return n > 0 && hsp_number_parse(s, s + n, v) == s + n && isfinite(*v);
}

/* Trims; a number is written to `number` (32 bytes, no NUL), where *s then points. */
static void canonical(const char **s, int64_t *n, char *number) {
    double v;
    hsp_label_trim(s, n);
    if (!label_number(*s, *n, &v)) return;
    if (v == 0) v = 0; /* -0 becomes 0 */
    *n = hsp_number_format(v, number);
    *s = number;
}

int64_t hsp_label_canonical(const char *label, int64_t length, char *out) {
    char number[32];
    canonical(&label, &length, number);
    if (length > 0) memmove(out, label, (size_t)length);
    out[length] = '\0';
    return length;
}

int hsp_label_compare(const char *a, const char *b, bool numeric) {
    double u, v;
    if (numeric && label_number(a, (int64_t)strlen(a), &u) && label_number(b, (int64_t)strlen(b), &v))
        return (u > v) - (u < v);
    int c = strcmp(a, b);
    return (c > 0) - (c < 0);
}

bool hsp_label_is_number(const char *label) {
    double v;
    return label_number(label, (int64_t)strlen(label), &v);
}

/* Binary search. Classes are in one of two orders; which is not stored. A search in the wrong order may find nothing, but
 * never a wrong class. */
static int64_t find_text(const hsp_classes *c, const char *label, size_t n) {
    for (int64_t low = 0, high = c->count; low < high;) {
        int64_t k = low + (high - low) / 2;
        size_t m = strlen(c->name[k]);
        int order = memcmp(c->name[k], label, m < n ? m : n);
        if (order == 0 && m == n) return k;
        if (order < 0 || (order == 0 && m < n))
            low = k + 1;
        else
            high = k;
    }
    return -1;
}

/* The class that is this number in the canonical spelling: of codes, only the same text counts. */
static int64_t find_number(const hsp_classes *c, double v, const char *label, int64_t length) {
    for (int64_t low = 0, high = c->count; low < high;) {
        int64_t k = low + (high - low) / 2;
        double u;
        if (!label_number(c->name[k], (int64_t)strlen(c->name[k]), &u)) return -1;
        if (u == v) return (int64_t)strlen(c->name[k]) == length && memcmp(c->name[k], label, (size_t)length) == 0 ? k : -1;
        if (u < v)
            low = k + 1;
        else
            high = k;
    }
    return -1;
}

int64_t hsp_classes_find(const hsp_classes *c, const char *label, int64_t length) {
    char number[32];
    double v;
    hsp_label_trim(&label, &length);
    bool code = hsp_number_is_code(label, length);
    int64_t k = code ? find_text(c, label, (size_t)length) : -1;
    if (k >= 0 || (code && hsp_classes_are_codes(c))) return k;
    canonical(&label, &length, number);
    k = find_text(c, label, (size_t)length);
    return k < 0 && label_number(label, length, &v) ? find_number(c, v, label, length) : k;
}

bool hsp_classes_are_codes(const hsp_classes *c) {
    for (int64_t k = 0; k < c->count; k++) {
        char number[32];
        const char *s = c->name[k];
        int64_t n = (int64_t)strlen(s);
        if (!hsp_number_is_code(s, n)) continue;
        canonical(&s, &n, number);
        if ((int64_t)strlen(c->name[k]) != n || memcmp(s, c->name[k], (size_t)n) != 0) return true;
    }
    return false;
}

const char *hsp_classes_mark(const hsp_classes *c, const char *list, bool *chosen) {
    memset(chosen, 0, (size_t)c->count * sizeof *chosen);
    for (const char *s = list;;) {
        const char *end = s + strlen(s);
        int64_t k = hsp_classes_find(c, s, end - s);
        while (k < 0) {
            do end--;
            while (end > s && *end != ',');
            if (end <= s) return s;
            k = hsp_classes_find(c, s, end - s);
        }
        chosen[k] = true;
        if (*end == '\0') return NULL;
        s = end + 1;
    }
}

bool hsp_classes_same(const hsp_classes *a, const hsp_classes *b) {
    if (a->count != b->count) return false;
    for (int64_t k = 0; k < a->count; k++)
        if (strcmp(a->name[k], b->name[k]) != 0) return false;
    return true;
}

int hsp_classes_copy(const hsp_classes *c, hsp_classes *out, hsp_error **err) {
    *out = (hsp_classes){0};
    if (c->count == 0) return 0;
    if (!HSP_ALLOC_ZERO(out->name, c->count)) return hsp_fail_memory(err);
    out->count = c->count;
    for (int64_t k = 0; k < c->count; k++) {
        if (hsp_copy_string(&out->name[k], c->name[k])) {
            hsp_classes_clear(out);
            return hsp_fail_memory(err);
        }
    }
    return 0;
}

void hsp_classes_clear(hsp_classes *c) {
    if (c->name)
        for (int64_t k = 0; k < c->count; k++) hsp_free(c->name[k]);
    hsp_free(c->name);
    *c = (hsp_classes){0};
}
