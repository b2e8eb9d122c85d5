#include "base/report_build.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/report.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* Copies s as UTF-8: an invalid byte becomes U+FFFD, the replacement character. */
static char *copy_text(const char *s) {
    int64_t n = (int64_t)strlen(s), length = 1, i = 0;
    while (i < n && length > 0) i += length = hsp_text_utf8(s + i, n - i);
    if (length > 0) return hsp_strndup(s, (size_t)n);
    hsp_text t = {0};
    char *out = NULL;
    for (i = 0; i<n; i += length> 0 ? length : 1) {
        length = hsp_text_utf8(s + i, n - i);
        if (length > 0)
            hsp_text_add_n(&t, s + i, length);
        else
            hsp_text_add(&t, "\xef\xbf\xbd");
    }
    return hsp_text_take(&t, &out, NULL) ? NULL : out;
}

/* Adds a node to the open container; NULL if memory fails or has failed before. */
static hsp_report *add_node(hsp_json *j, const char *key, hsp_report made) {
    if (j->failed || hsp_reserve((void **)&j->node, &j->capacity, j->nodes + 1, sizeof *j->node)) {
        j->failed = true;
        return NULL;
    }
    made.name = key ? copy_text(key) : NULL;
    if (key && !made.name) {
        j->failed = true;
        return NULL;
    }
    if (made.size == 0) made.size = 1;
    if (j->nodes > 0) j->node[j->open].count++;
    j->node[j->nodes] = made;
    return &j->node[j->nodes++];
}

void hsp_report_add_number(hsp_json *j, const char *key, double value, bool whole) {
    uint8_t kind = isfinite(value) ? HSP_REPORT_NUMBER : HSP_REPORT_NULL;
    add_node(j, key, (hsp_report){.number = value, .kind = kind, .whole = whole});
}

void hsp_report_add_flag(hsp_json *j, const char *key, bool value) {
    add_node(j, key, (hsp_report){.number = value, .kind = HSP_REPORT_FLAG});
}

void hsp_report_add_null(hsp_json *j, const char *key) {
    add_node(j, key, (hsp_report){.kind = HSP_REPORT_NULL});
}

void hsp_report_add_text(hsp_json *j, const char *key, const char *text) {
    if (!text) {
        hsp_report_add_null(j, key);
        return;
    }
    hsp_report *node = add_node(j, key, (hsp_report){.kind = HSP_REPORT_NULL});
    char *copy = node ? copy_text(text) : NULL;
    if (!copy) {
        j->failed = true;
        return;
    }
    node->kind = HSP_REPORT_TEXT;
    node->text = copy;
}

static hsp_report_values *new_values(int64_t rows, int64_t columns) {
    int64_t count = columns ? rows * columns : rows;
    hsp_report_values *a = hsp_alloc((int64_t)(sizeof *a / sizeof(double)) + count, sizeof(double));
    if (a) *a = (hsp_report_values){.rows = rows, .columns = columns};
    return a;
}

void hsp_report_add_values(hsp_json *j, const char *key, const double *v, int64_t rows, int64_t columns) {
    if (rows == 0) { /* same as an empty list */
        hsp_report_open(j, key, HSP_REPORT_LIST);
        hsp_report_close(j);
        return;
    }
    hsp_report_values *a = new_values(rows, columns);
    hsp_report *node = a ? add_node(j, key, (hsp_report){.kind = HSP_REPORT_NULL}) : NULL;
    if (!node) {
        hsp_free(a);
        j->failed = true;
        return;
    }
    memcpy(a->v, v, (size_t)(columns ? rows * columns : rows) * sizeof *v);
    node->kind = HSP_REPORT_ARRAY;
    node->values = a;
}

void hsp_report_hide(hsp_json *j) {
    if (!j->failed) j->node[j->nodes - 1].quiet = true;
}

void hsp_report_open(hsp_json *j, const char *key, int kind) {
    int64_t place = j->nodes;
    hsp_report *node = add_node(j, key, (hsp_report){.kind = (uint8_t)kind});
    if (!node) return;
    node->size = j->open;
    j->open = place;
}

/* ---- lists of numbers ---- */

static bool all_numbers(const hsp_report *list) {
    const hsp_report *item = list + 1;
    for (int64_t i = 0; i < list->count; i++)
        if (item[i].kind != HSP_REPORT_NUMBER && item[i].kind != HSP_REPORT_NULL) return false;
    return true;
}

static bool all_vectors(const hsp_report *list) {
    const hsp_report *item = list + 1;
    for (int64_t i = 0; i < list->count; i++)
        if (item[i].kind != HSP_REPORT_ARRAY || item[i].values->columns != 0 || item[i].values->rows != item->values->rows)
            return false;
    return true;
}

/* Replaces the list at `place`, the last of the tree, by one array of its numbers. */
static void pack_list(hsp_json *j, int64_t place) {
    hsp_report *list = &j->node[place], *item = list + 1;
    int64_t n = list->count;
    if (n == 0 || j->nodes != place + 1 + n) return;
    bool numbers = all_numbers(list);
    if (!numbers && !all_vectors(list)) return;
    int64_t columns = numbers ? 0 : item->values->rows;
    hsp_report_values *a = new_values(n, columns);
    if (!a) {
        j->failed = true;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (numbers) {
            a->v[i] = item[i].kind == HSP_REPORT_NUMBER ? item[i].number : (double)NAN;
        } else {
            memcpy(a->v + i * columns, item[i].values->v, (size_t)columns * sizeof(double));
            hsp_free(item[i].values);
        }
    }
    list->kind = HSP_REPORT_ARRAY;
    list->values = a;
    j->nodes = place + 1;
}

void hsp_report_close(hsp_json *j) {
    if (j->failed) return;
    int64_t place = j->open;
    j->open = j->node[place].size;
    if (j->node[place].kind == HSP_REPORT_LIST) pack_list(j, place);
    j->node[place].size = j->nodes - place;
}

/* ---- finishing ---- */

void hsp_json_drop(hsp_json *j) {
    if (j->node) {
        j->node[0].size = j->nodes;
        hsp_report_free(j->node);
    }
    *j = (hsp_json){.out = j->out};
}

int hsp_json_take(hsp_json *j, hsp_report **out, hsp_error **err) {
    *out = NULL;
    if (j->failed || !j->node) {
        hsp_json_drop(j);
        return hsp_fail_memory(err);
    }
    *out = j->node;
    *j = (hsp_json){0};
    return HSP_OK;
}
