/* Getters of reports, and conversion to JSON. */
#include "base/report.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

void hsp_report_free(hsp_report *r) {
    if (!r) return;
    for (int64_t i = 0, n = r->size; i < n; i++) {
        hsp_free(r[i].name);
        if (r[i].kind == HSP_REPORT_TEXT) hsp_free(r[i].text);
        if (r[i].kind == HSP_REPORT_ARRAY) hsp_free(r[i].values);
    }
    hsp_free(r);
}

/* ---- the tree ---- */

static bool is_container(const hsp_report *r) {
    return r && (r->kind == HSP_REPORT_LIST || r->kind == HSP_REPORT_OBJECT);
}

const hsp_report *hsp_report_next(const hsp_report *r, const hsp_report *item) {
    if (!is_container(r)) return NULL;
    const hsp_report *next = item ? item + item->size : r + 1;
    return next < r + r->size ? next : NULL;
}

const hsp_report *hsp_report_member(const hsp_report *r, const char *name) {
    if (!name) return r;
    if (!r || r->kind != HSP_REPORT_OBJECT) return NULL;
    HSP_REPORT_EACH(item, r)
    if (strcmp(item->name, name) == 0) return item;
    return NULL;
}

const hsp_report *hsp_report_item(const hsp_report *r, const char *name, int64_t i) {
    r = hsp_report_member(r, name);
    if (!is_container(r) || i < 0 || i >= r->count) return NULL;
    if (r->size == r->count + 1) return r + 1 + i; /* only leaves: no need to iterate */
    const hsp_report *item = r + 1;
    while (i-- > 0) item += item->size;
    return item;
}

const char *hsp_report_name(const hsp_report *r) {
    return r ? r->name : NULL;
}

int hsp_report_kind(const hsp_report *r, const char *name) {
    r = hsp_report_member(r, name);
    return r ? r->kind : HSP_REPORT_ABSENT;
}

int64_t hsp_report_count(const hsp_report *r, const char *name) {
    r = hsp_report_member(r, name);
    if (is_container(r)) return r->count;
    return r && r->kind == HSP_REPORT_ARRAY ? r->values->rows : 0;
}

/* ---- values ---- */

double hsp_report_number(const hsp_report *r, const char *name) {
    r = hsp_report_member(r, name);
    return r && r->kind == HSP_REPORT_NUMBER ? r->number : (double)NAN;
}

int hsp_report_flag(const hsp_report *r, const char *name) {
    r = hsp_report_member(r, name);
    return r && r->kind == HSP_REPORT_FLAG ? r->number != 0 : -1;
}

const char *hsp_report_text(const hsp_report *r, const char *name) {
    r = hsp_report_member(r, name);
    return r && r->kind == HSP_REPORT_TEXT ? r->text : NULL;
}

double hsp_report_number_at(const hsp_report *r, const char *name, int64_t i) {
    r = hsp_report_member(r, name);
    if (!r || r->kind != HSP_REPORT_ARRAY) return hsp_report_number(hsp_report_item(r, NULL, i), NULL);
    bool there = r->values->columns == 0 && i >= 0 && i < r->values->rows;
    return there ? r->values->v[i] : (double)NAN;
}

const char *hsp_report_text_at(const hsp_report *r, const char *name, int64_t i) {
    return hsp_report_text(hsp_report_item(r, name, i), NULL);
}

int hsp_report_array(const hsp_report *r, const char *name, hsp_array *out, hsp_error **err) {
    static const hsp_report_values nothing = {0}; /* an empty list */
    const hsp_report *found = hsp_report_member(r, name);
    bool empty = found && found->kind == HSP_REPORT_LIST && found->count == 0;
    if (!empty && (!found || found->kind != HSP_REPORT_ARRAY))
        return hsp_fail(err, HSP_EUSAGE, "the report has no array '%s': docs/reports.md lists its members",
                        name ? name : "");
    const hsp_report_values *a = empty ? &nothing : found->values;
    hsp_array view = {.data = a->v, .dtype = HSP_FLOAT64, .ndim = a->columns ? 2 : 1};
    view.shape[0] = a->rows;
    view.shape[1] = a->columns ? a->columns : 1;
    view.strides[0] = view.shape[1] * (int64_t)sizeof(double);
    view.strides[1] = (int64_t)sizeof(double);
    view.size = out->size;
    memcpy(out, &view, out->size < sizeof view ? out->size : sizeof view);
    return HSP_OK;
}

hsp_report hsp_report_of_number(double value) {
    return (hsp_report){.number = value, .kind = isfinite(value) ? HSP_REPORT_NUMBER : HSP_REPORT_NULL, .size = 1};
}

hsp_report hsp_report_of_text(const char *text) {
    return (hsp_report){.text = (char *)(uintptr_t)text, .kind = text ? HSP_REPORT_TEXT : HSP_REPORT_NULL, .size = 1};
}

hsp_report hsp_report_of_flag(bool value) {
    return (hsp_report){.number = value, .kind = HSP_REPORT_FLAG, .size = 1};
}

int hsp_report_rename(hsp_report *r, const char *name, const char *to) {
    for (int64_t i = 0; i < r->size; i++) {
        if (!r[i].name || strcmp(r[i].name, name) != 0) continue;
        char *copy = hsp_strdup(to);
        if (!copy) return HSP_EMEMORY;
        hsp_free(r[i].name);
        r[i].name = copy;
    }
    return HSP_OK;
}

/* ---- comparison ---- */

static bool same_values(const hsp_report_values *a, const hsp_report_values *b) {
    if (a->rows != b->rows || a->columns != b->columns) return false;
    for (int64_t i = 0; i < (a->columns ? a->rows * a->columns : a->rows); i++)
        if (memcmp(&a->v[i], &b->v[i], sizeof a->v[i]) != 0 && !(isnan(a->v[i]) && isnan(b->v[i]))) return false;
    return true;
}

static bool same_items(const hsp_report *a, const hsp_report *b) {
    if (a->count != b->count) return false;
    const hsp_report *other = NULL;
    HSP_REPORT_EACH(item, a) {
        other = a->kind == HSP_REPORT_OBJECT ? hsp_report_member(b, item->name) : hsp_report_next(b, other);
        if (!other || !hsp_report_equal(item, other)) return false;
    }
    return true;
}

bool hsp_report_equal(const hsp_report *a, const hsp_report *b) {
    int kind = a ? a->kind : HSP_REPORT_NULL;
    if (kind != (b ? b->kind : HSP_REPORT_NULL)) return false;
    switch (kind) {
    case HSP_REPORT_FLAG:
    case HSP_REPORT_NUMBER:
        return memcmp(&a->number, &b->number, sizeof a->number) == 0;
    case HSP_REPORT_TEXT:
        return strcmp(a->text, b->text) == 0;
    case HSP_REPORT_ARRAY:
        return same_values(a->values, b->values);
    case HSP_REPORT_LIST:
    case HSP_REPORT_OBJECT:
        return same_items(a, b);
    default:
        return true;
    }
}

/* ---- JSON ---- */

static void write_array(hsp_json *j, const char *key, const hsp_report_values *a) {
    if (a->columns == 0) {
        hsp_json_numbers(j, key, a->v, a->rows);
        return;
    }
    hsp_json_array(j, key);
    for (int64_t i = 0; i < a->rows; i++) hsp_json_numbers(j, NULL, a->v + i * a->columns, a->columns);
    hsp_json_array_end(j);
}

void hsp_json_members(hsp_json *j, const hsp_report *r) {
    HSP_REPORT_EACH(item, r)
    if (!item->quiet) hsp_json_report(j, item->name, item);
}

void hsp_json_report(hsp_json *j, const char *key, const hsp_report *r) {
    switch (r ? r->kind : HSP_REPORT_NULL) {
    case HSP_REPORT_FLAG:
        hsp_json_bool(j, key, r->number != 0);
        break;
    case HSP_REPORT_NUMBER:
        if (r->whole)
            hsp_json_int(j, key, (int64_t)r->number);
        else
            hsp_json_number(j, key, r->number);
        break;
    case HSP_REPORT_TEXT:
        hsp_json_string(j, key, r->text);
        break;
    case HSP_REPORT_ARRAY:
        write_array(j, key, r->values);
        break;
    case HSP_REPORT_LIST:
        hsp_json_array(j, key);
        hsp_json_members(j, r);
        hsp_json_array_end(j);
        break;
    case HSP_REPORT_OBJECT:
        hsp_json_object(j, key);
        hsp_json_members(j, r);
        hsp_json_object_end(j);
        break;
    default:
        hsp_json_null(j, key);
    }
}

int hsp_report_json(const hsp_report *r, char **json, hsp_error **err) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    hsp_json_report(&j, NULL, r);
    return hsp_text_take(&t, json, err);
}
