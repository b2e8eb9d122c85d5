#include "data/labels.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/number_form.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct hsp_labels {
    bool fixed;           /* only the known classes are allowed */
    bool codes;           /* labels are compared as spelt; if not fixed, known only at the end */
    char *map;            /* owned: --map-label; or NULL */
    hsp_intern *from;     /* owned: labels that are replaced, as they are compared ... */
    hsp_intern *to;       /* owned: ... and their replacements */
    int64_t *replacement; /* owned: entry of `from` -> entry of `to` */
    int64_t replacement_capacity;
    hsp_intern *spelling; /* owned: labels as in the file */
    int32_t *class;       /* owned: spelling -> entry of `name`, or -1: not a known class; if not fixed, set at the end */
    int64_t class_capacity;
    hsp_intern *name; /* owned: the classes, in canonical spelling or, of codes, as spelt */
    int64_t rows;
    char *scratch; /* owned: for one canonical label */
    int64_t scratch_capacity;
    int64_t unknown;     /* rows whose label is not a known class */
    char *first_unknown; /* owned: after replacement, canonical */
    char *target;        /* owned: the column of the known classes; or NULL */
    hsp_place first_place;
};

/* Grows the scratch for a label of n bytes. */
static int grow_scratch(hsp_labels *t, int64_t n) {
    return HSP_RESERVE(t->scratch, t->scratch_capacity, (n > 32 ? n : 32) + 1);
}

/* Writes a label as it is compared to the scratch, which is large enough; its length. */
static int64_t spell(hsp_labels *t, const char *label, int64_t length) {
    if (!t->codes) return hsp_label_canonical(label, length, t->scratch);
    hsp_label_trim(&label, &length);
    if (length > 0) memcpy(t->scratch, label, (size_t)length);
    t->scratch[length] = '\0';
    return length;
}

/* ---- replacements ---- */

/* One reading of an entry: the text before one of its '=' and the text after it. 1: added; 0: one of them is empty. */
static int add_replacement(hsp_labels *t, const char *from, int64_t m, const char *to, int64_t n, hsp_error **err) {
    if (grow_scratch(t, m > n ? m : n)) return hsp_fail_memory(err);
    n = spell(t, to, n);
    if (n == 0) return 0;
    int64_t target = hsp_intern_add(t->to, t->scratch, n, err);
    if (target < 0) return (int)target;
    m = spell(t, from, m);
    if (m == 0) return 0;
    int64_t count = hsp_intern_count(t->from);
    int64_t source = hsp_intern_add(t->from, t->scratch, m, err);
    if (source < 0) return (int)source;
    if (source < count) return 1; /* the first entry for a label counts */
    if (HSP_RESERVE(t->replacement, t->replacement_capacity, count + 1)) return hsp_fail_memory(err);
    t->replacement[count] = target;
    return 1;
}

static int add_entry(hsp_labels *t, const char *s, const char *end, hsp_error **err) {
    bool any = false;
    for (const char *p = s; p < end; p++) {
        if (*p != '=') continue;
        int status = add_replacement(t, s, p - s, p + 1, end - p - 1, err);
        if (status < 0) return status;
        any = any || status > 0;
    }
    if (any) return 0;
    return hsp_fail(err, HSP_EUSAGE, "--map-label cannot be '%.*s': write --map-label FROM=TO,...",
                    (int)(end - s < 200 ? end - s : 200), s);
}

static int parse_map(hsp_labels *t, const char *map, hsp_error **err) {
    for (const char *s = map;; s++) {
        const char *end = strchr(s, ',');
        if (!end) end = s + strlen(s);
        int status = add_entry(t, s, end, err);
        if (status < 0 || *end == '\0') return status;
        s = end;
    }
}

/* Reads the map, again once it is known whether labels are codes. */
static int read_map(hsp_labels *t, hsp_error **err) {
    hsp_intern_free(t->from);
    hsp_intern_free(t->to);
    t->from = t->to = NULL;
    if (!t->map) return 0;
    int status = hsp_intern_new(&t->from, err);
    if (!status) status = hsp_intern_new(&t->to, err);
    return status ? status : parse_map(t, t->map, err);
}

/* ---- rows ---- */

int hsp_labels_new(const hsp_classes *known, const char *map, hsp_labels **out, hsp_error **err) {
    int status = 0;
    *out = NULL;
    hsp_labels *t = hsp_alloc_zero(1, sizeof *t);
    if (!t) return hsp_fail_memory(err);
    if ((status = hsp_intern_new(&t->spelling, err)) || (status = hsp_intern_new(&t->name, err))) goto done;
    if (known) {
        t->fixed = true;
        t->codes = hsp_classes_are_codes(known);
        for (int64_t k = 0; k < known->count; k++) {
            int64_t at = hsp_intern_add(t->name, known->name[k], (int64_t)strlen(known->name[k]), err);
            if (at < 0) {
                status = (int)at;
                goto done;
            }
        }
    }
    status = hsp_copy_string(&t->map, map) ? hsp_fail_memory(err) : read_map(t, err);
done:
    if (status)
        hsp_labels_free(t);
    else
        *out = t;
    return status;
}

int hsp_labels_name_target(hsp_labels *t, const char *target) {
    return hsp_copy_string(&t->target, target);
}

static int check_label(const char *label, int64_t length, hsp_place where, hsp_error **err) {
    if (length > 0 && memchr(label, '\0', (size_t)length))
        return hsp_fail_at(err, HSP_EINPUT, where, "the label holds a NUL byte: check that this is a text file");
    hsp_label_trim(&label, &length);
    return length > 0 ? 0 : hsp_fail_at(err, HSP_EINPUT, where, "the label is empty: give every row a label");
}

/* The label as it is compared and after replacement, its length in *n: in the scratch, or among the replacements. */
static const char *replaced(hsp_labels *t, const char *label, int64_t *n) {
    *n = spell(t, label, *n);
    int64_t at = t->from ? hsp_intern_find(t->from, t->scratch, *n) : -1;
    if (at < 0) return t->scratch;
    const char *text = hsp_intern_text(t->to, t->replacement[at]);
    *n = (int64_t)strlen(text);
    return text;
}

/* Finds the class of a new spelling; -1: not a known one. */
static int find_class(hsp_labels *t, const char *label, int64_t n, hsp_place where, int32_t *class, hsp_error **err) {
    if (grow_scratch(t, n)) return hsp_fail_memory(err);
    const char *text = replaced(t, label, &n);
    int64_t at = t->fixed ? hsp_intern_find(t->name, text, n) : hsp_intern_add(t->name, text, n, err);
    if (at < 0 && !t->fixed) return (int)at;
    if (at < 0 && !t->first_unknown) {
        t->first_unknown = hsp_strdup(text);
        t->first_place = where;
        if (!t->first_unknown) return hsp_fail_memory(err);
    }
    *class = (int32_t)at;
    return 0;
}

int hsp_labels_class(hsp_labels *t, const char *label, int64_t length, int64_t rows, hsp_place where, int32_t *class,
                     hsp_error **err) {
    int64_t before = hsp_intern_count(t->spelling);
    int64_t at = hsp_intern_add(t->spelling, label, length, err);
    if (at < 0) return (int)at;
    if (at >= INT32_MAX) return hsp_fail_at(err, HSP_EINPUT, where, "more than 2147483647 classes: choose another target");
    if (at == before) {
        if (HSP_RESERVE(t->class, t->class_capacity, at + 1)) return hsp_fail_memory(err);
        int status = check_label(label, length, where, err);
        if (!status && t->fixed) status = find_class(t, label, length, where, &t->class[at], err);
        if (status) return status;
    }
    *class = t->fixed ? t->class[at] : (int32_t)at;
    t->rows += rows;
    if (*class < 0) t->unknown += rows;
    return 0;
}

const char *hsp_labels_replacement(hsp_labels *t, const char *label, int64_t length, bool *failed) {
    *failed = t->from && grow_scratch(t, length);
    if (!t->from || *failed) return NULL;
    int64_t at = hsp_intern_find(t->from, t->scratch, spell(t, label, length));
    return at < 0 ? NULL : hsp_intern_text(t->to, t->replacement[at]);
}

/* ---- the end ---- */

typedef struct class_order {
    const char *text;
    double number; /* if all labels are numbers; else 0 */
    int32_t old;
} class_order;

static int compare_entries(const void *a, const void *b) {
    const class_order *u = a, *v = b;
    if (u->number != v->number) return u->number < v->number ? -1 : 1;
    return strcmp(u->text, v->text);
}

/* Whether the labels are codes: some have the form of one, and no number among them has a fraction. */
static bool are_codes(const hsp_labels *t) {
    bool any = false;
    for (int64_t k = 0; k < hsp_intern_count(t->spelling); k++) {
        const char *label = hsp_intern_text(t->spelling, k);
        int64_t n = (int64_t)strlen(label);
        double v;
        hsp_label_trim(&label, &n);
        bool number = hsp_number_parse(label, label + n, &v) == label + n;
        if (number && isfinite(v) && (v < floor(v) || v > floor(v))) return false;
        any = any || hsp_number_is_code(label, n);
    }
    return any;
}

/* Finds the classes of all spellings. */
static int find_classes(hsp_labels *t, hsp_error **err) {
    t->codes = are_codes(t);
    int status = t->codes ? read_map(t, err) : 0;
    for (int64_t k = 0; k < hsp_intern_count(t->spelling) && !status; k++) {
        const char *label = hsp_intern_text(t->spelling, k);
        status = find_class(t, label, (int64_t)strlen(label), (hsp_place){0}, &t->class[k], err);
    }
    return status;
}

/* Sorts the classes and renumbers the rows. */
static int sort_classes(hsp_labels *t, hsp_classes *out, int32_t *y, hsp_error **err) {
    int64_t count = hsp_intern_count(t->name);
    class_order *e = hsp_alloc(count, sizeof *e);
    int32_t *rank = hsp_alloc(count, sizeof *rank);
    bool numeric = !t->codes, failed = !e || !rank || !HSP_ALLOC_ZERO(out->name, count);
    if (failed) goto done;
    for (int64_t k = 0; k < count; k++) {
        e[k] = (class_order){hsp_intern_text(t->name, k), 0, (int32_t)k};
        numeric = numeric && hsp_label_is_number(e[k].text);
    }
    for (int64_t k = 0; numeric && k < count; k++) hsp_number_parse(e[k].text, e[k].text + strlen(e[k].text), &e[k].number);
    qsort(e, (size_t)count, sizeof *e, compare_entries);
    out->count = count;
    for (int64_t k = 0; k < count; k++) {
        rank[e[k].old] = (int32_t)k;
        failed |= hsp_copy_string(&out->name[k], e[k].text) != 0;
    }
    for (int64_t i = 0; !failed && i < t->rows; i++) y[i] = rank[t->class[y[i]]];
done:
    HSP_FREE(e, rank);
    if (failed) hsp_classes_clear(out);
    return failed ? hsp_fail_memory(err) : 0;
}

/* A class that differs from the label only in case and in punctuation at its end; NULL: none. */
static const char *find_similar(const hsp_labels *t, const char *label) {
    size_t n = strlen(label);
    while (n > 0 && strchr(".,;:!? ", label[n - 1])) n--;
    for (int64_t k = 0; n > 0 && k < hsp_intern_count(t->name); k++) {
        const char *name = hsp_intern_text(t->name, k);
        if (strlen(name) == n && hsp_text_same_letters(label, name, (int64_t)n)) return name;
    }
    return NULL;
}

/* Suggests a --map-label "a.=a,b.=b" for unknown labels that are similar to a class. False: it does not cover all. */
static bool suggest_map(const hsp_labels *t, hsp_text *list) {
    enum { MOST = 8 };
    int found = 0;
    for (int64_t k = 0; k < hsp_intern_count(t->spelling); k++) {
        if (t->class[k] >= 0) continue;
        const char *label = hsp_intern_text(t->spelling, k), *class = find_similar(t, label);
        if (!class || found == MOST) return false;
        hsp_text_format(list, "%s%s=%s", found++ ? "," : "", label, class);
    }
    return true;
}

/* "; the classes are a, b and 3 more (column 'kind'): use --map-label 'dog=CLASS'" */
static void add_known(const hsp_labels *t, hsp_text *line) {
    enum { MOST = 5 };
    char piece[HSP_EXCERPT];
    int64_t count = hsp_intern_count(t->name);
    hsp_text_add(line, "; the classes are ");
    for (int64_t k = 0; k < count && k < MOST; k++) {
        const char *name = hsp_intern_text(t->name, k);
        hsp_text_format(line, "%s%s",
                        k == 0           ? ""
                        : k == count - 1 ? " and "
                                         : ", ",
                        hsp_excerpt(piece, name, (int64_t)strlen(name)));
    }
    if (count > MOST) hsp_text_format(line, " and %lld more", (long long)(count - MOST));
    if (t->target) hsp_text_format(line, " (column '%s')", hsp_excerpt(piece, t->target, (int64_t)strlen(t->target)));
    hsp_text_format(line, ": use --map-label '%s=CLASS'%s",
                    hsp_excerpt(piece, t->first_unknown, (int64_t)strlen(t->first_unknown)),
                    t->target ? ", or --target if the labels are in another column" : "");
}

static int fail_unknown(const hsp_labels *t, hsp_error **err) {
    hsp_text list = {0}, line = {0};
    bool all = suggest_map(t, &list);
    hsp_text_format(&line, "%lld of %lld labels are not classes of the model, the first is '%.200s'", (long long)t->unknown,
                    (long long)t->rows, t->first_unknown);
    if (list.length > 0)
        hsp_text_format(&line, ": use --map-label '%.900s'%s", list.s, all ? "" : ", and so on");
    else
        add_known(t, &line);
    int status =
        list.failed || line.failed ? hsp_fail_memory(err) : hsp_fail_at(err, HSP_EINPUT, t->first_place, "%s", line.s);
    hsp_text_free(&list);
    hsp_text_free(&line);
    return status;
}

int hsp_labels_finish(hsp_labels *t, hsp_classes *classes, int32_t *y, hsp_error **err) {
    *classes = (hsp_classes){0};
    if (t->unknown > 0) return fail_unknown(t, err);
    if (t->fixed || t->rows == 0) return 0;
    int status = find_classes(t, err);
    return status ? status : sort_classes(t, classes, y, err);
}

void hsp_labels_free(hsp_labels *t) {
    if (!t) return;
    hsp_intern_free(t->from);
    hsp_intern_free(t->to);
    hsp_intern_free(t->spelling);
    hsp_intern_free(t->name);
    HSP_FREE(t->map, t->replacement, t->class, t->scratch, t->first_unknown, t->target, t);
}
