#include "table/transform.h"

#include "base/error.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- as it is typed ---- */

static const hsp_transform_kind *find_kind(const char *name, int64_t n) {
    for (const hsp_transform_kind *const *k = hsp_transform_table; *k; k++)
        if ((int64_t)strlen((*k)->name) == n && memcmp((*k)->name, name, (size_t)n) == 0) return *k;
    return NULL;
}

static bool is_valid(const hsp_transform_rule *r) {
    for (int k = 0; k < r->kind->arguments; k++)
        if (!isfinite(r->argument[k])) return false;
    return !r->kind->valid || r->kind->valid(r->argument);
}

bool hsp_transform_parse(const char *s, int64_t n, hsp_transform_rule *out) {
    const char *end = s + n, *colon = memchr(s, ':', (size_t)n);
    *out = (hsp_transform_rule){.asked = true};
    if (n == 4 && memcmp(s, "none", 4) == 0) return true;
    out->kind = find_kind(s, colon ? colon - s : n);
    if (!out->kind) return false;
    const char *p = colon ? colon : end;
    for (int k = 0; k < out->kind->arguments; k++) {
        if (p == end || *p != ':') return false;
        p = hsp_number_parse(p + 1, end, &out->argument[k]);
        if (!p) return false;
    }
    return p == end && is_valid(out);
}

void hsp_transform_list(hsp_text *t) {
    for (const hsp_transform_kind *const *k = hsp_transform_table; *k; k++)
        hsp_text_format(t, "%s%s", k == hsp_transform_table ? "" : ", ", (*k)->form);
    hsp_text_add(t, " or none");
}

void hsp_transform_type(const hsp_transform_rule *r, hsp_text *t) {
    hsp_text_add(t, r->kind ? r->kind->name : "none");
    for (int k = 0; r->kind && k < r->kind->arguments; k++) {
        hsp_text_char(t, ':');
        hsp_text_number(t, r->argument[k]);
    }
}

/* ---- learning ---- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_sorted(const double *v, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (v[i] < v[i - 1]) return false;
    return true;
}

int hsp_transform_learn(const hsp_transform_rule *r, double *v, int64_t n, hsp_transform **out) {
    hsp_transform *t = hsp_alloc_zero(1, sizeof *t);
    *out = NULL;
    if (!t) return HSP_EMEMORY;
    t->rule = *r;
    int status = 0;
    if (r->kind->learn) {
        if (!is_sorted(v, n)) qsort(v, (size_t)n, sizeof *v, by_value);
        status = r->kind->learn(t, v, n);
    }
    if (status)
        hsp_transform_free(t);
    else
        *out = t;
    return status;
}

void hsp_transform_free(hsp_transform *t) {
    if (!t) return;
    HSP_FREE(t->knot, t->rank);
    hsp_free(t);
}

/* ---- features ---- */

int64_t hsp_column_numbers(const hsp_table_column *c) {
    return c->transform && c->transform->rule.kind->intervals ? 0 : c->kind->numbers;
}

static void name_interval(const hsp_transform *t, const char *name, int64_t k, hsp_text *text) {
    hsp_text_add(text, name);
    if (t->knots == 0) {
        hsp_text_add(text, " any");
    } else if (k == 0 || k == t->knots) {
        hsp_text_add(text, k == 0 ? " < " : " >= ");
        hsp_text_number(text, t->knot[k == 0 ? 0 : k - 1]);
    } else {
        hsp_text_add(text, " in [");
        hsp_text_number(text, t->knot[k - 1]);
        hsp_text_add(text, ", ");
        hsp_text_number(text, t->knot[k]);
        hsp_text_char(text, ')');
    }
}

void hsp_transform_name(const hsp_transform *t, const char *name, int64_t k, hsp_text *text) {
    const hsp_transform_rule *r = &t->rule;
    if (r->kind->intervals) {
        name_interval(t, name, k, text);
        return;
    }
    hsp_text_format(text, "%s(", r->kind->name);
    hsp_text_add(text, name);
    for (int i = 0; i < r->kind->arguments; i++) {
        hsp_text_add(text, ", ");
        hsp_text_number(text, r->argument[i]);
    }
    hsp_text_char(text, ')');
}

/* ---- models ---- */

/* "transform": {"kind": "clip", "arguments": [0, 10]}, {"kind": "bins", "arguments": [10], "knots": [...]},
 * {"kind": "rank", "knots": [...], "ranks": [...]}. */
void hsp_transform_save(const hsp_transform *t, hsp_json *j) {
    if (!t) return;
    const hsp_transform_kind *kind = t->rule.kind;
    hsp_json_object(j, "transform");
    hsp_json_string(j, "kind", kind->name);
    if (kind->arguments > 0) hsp_json_numbers(j, "arguments", t->rule.argument, kind->arguments);
    if (kind->learn) hsp_json_numbers(j, "knots", t->knot, t->knots);
    if (t->rank) hsp_json_numbers(j, "ranks", t->rank, t->knots);
    hsp_json_object_end(j);
}

/* A list of at most `most` finite numbers, its length in *count. */
static int load_list(const hsp_json_loader *l, const char *key, int64_t most, double *out, int64_t *count) {
    const hsp_json_value *list = hsp_json_get(l->from, key);
    *count = hsp_json_count(list);
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || *count > most) return hsp_json_wrong(l, key);
    for (int64_t i = 0; i < *count; i++) {
        const hsp_json_value *v = hsp_json_item(list, i);
        out[i] = hsp_json_double(v);
        if (!isfinite(out[i])) return hsp_json_wrong(l, key);
    }
    return 0;
}

/* Knots ascend strictly; ranks do not fall, and are from 0 to 1. */
static bool knots_ascend(const hsp_transform *t) {
    for (int64_t k = 0; k < t->knots; k++) {
        if (k > 0 && !(t->knot[k] > t->knot[k - 1])) return false;
        if (t->rank && !(t->rank[k] >= (k > 0 ? t->rank[k - 1] : 0) && t->rank[k] <= 1)) return false;
    }
    return true;
}

static int load_knots(const hsp_json_loader *l, hsp_transform *t) {
    const hsp_transform_kind *kind = t->rule.kind;
    bool ranked = kind == &hsp_transform_rank;
    int64_t ranks = 0;
    if (!HSP_ALLOC(t->knot, kind->most) || (ranked && !HSP_ALLOC(t->rank, kind->most))) return hsp_fail_memory(l->err);
    int status = load_list(l, "knots", kind->most, t->knot, &t->knots);
    if (!status && ranked) status = load_list(l, "ranks", kind->most, t->rank, &ranks);
    if (status) return status;
    return (ranked && ranks != t->knots) || !knots_ascend(t) ? hsp_json_wrong(l, "knots") : 0;
}

static int load_members(const hsp_json_loader *l, hsp_transform *t) {
    const char *name = hsp_json_text(hsp_json_get(l->from, "kind"));
    hsp_transform_rule *r = &t->rule;
    int64_t arguments = 0;
    *r = (hsp_transform_rule){.asked = true, .kind = name ? find_kind(name, (int64_t)strlen(name)) : NULL};
    if (!r->kind) return hsp_json_wrong(l, "kind");
    int status = r->kind->arguments > 0 ? load_list(l, "arguments", r->kind->arguments, r->argument, &arguments) : 0;
    if (status) return status;
    if (arguments != r->kind->arguments || !is_valid(r)) return hsp_json_wrong(l, "arguments");
    return r->kind->learn ? load_knots(l, t) : 0;
}

int hsp_transform_load(const hsp_json_loader *l, hsp_transform **out) {
    const hsp_json_value *from = hsp_json_get(l->from, "transform");
    *out = NULL;
    if (!from) return 0;
    if (!hsp_json_is(from, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "transform");
    const hsp_json_loader inner = {from, l->file, l->err};
    hsp_transform *t = hsp_alloc_zero(1, sizeof *t);
    if (!t) return hsp_fail_memory(l->err);
    int status = load_members(&inner, t);
    if (status)
        hsp_transform_free(t);
    else
        *out = t;
    return status;
}
