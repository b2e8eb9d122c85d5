#include "verify/claim/checks.h"

#include <math.h>
#include <string.h>

void hsp_checks_close(hsp_checks *c) {
    hsp_text_free(&c->list);
    hsp_text_free(&c->unchecked);
    hsp_free(c->first_false);
    *c = (hsp_checks){0};
}

json_t *hsp_checks_made(hsp_checks *c, json_t *value) {
    if (!value) c->failed = true;
    return value;
}

json_t *hsp_checks_real(hsp_checks *c, double value) {
    return hsp_checks_made(c, isfinite(value) ? json_real(value) : json_null());
}

void hsp_json_value(hsp_json *j, const char *key, const json_t *value) {
    const char *name;
    json_t *member;
    size_t i;
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT:
        hsp_json_object(j, key);
        json_object_foreach((json_t *)value, name, member) hsp_json_value(j, name, member);
        hsp_json_object_end(j);
        break;
    case JSON_ARRAY:
        hsp_json_array(j, key);
        json_array_foreach(value, i, member) hsp_json_value(j, NULL, member);
        hsp_json_array_end(j);
        break;
    case JSON_STRING:
        hsp_json_string(j, key, json_string_value(value));
        break;
    case JSON_INTEGER:
        hsp_json_int(j, key, json_integer_value(value));
        break;
    case JSON_REAL:
        hsp_json_number(j, key, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        hsp_json_bool(j, key, json_is_true(value));
        break;
    default:
        hsp_json_null(j, key);
    }
}

static void add_check(hsp_checks *c, const char *name, const json_t *claimed, const json_t *found, const char *message) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    if (message) {
        hsp_text_add(&t, message);
    } else {
        hsp_text_format(&t, "%s is claimed to be ", name);
        hsp_json_value(&j, NULL, claimed);
        hsp_text_add(&t, ", but is ");
        j.comma = false;
        hsp_json_value(&j, NULL, found);
    }
    if (hsp_text_take(&t, &c->first_false, NULL)) c->failed = true;
    hsp_text_free(&t);
}

void hsp_checks_add(hsp_checks *c, const char *name, const json_t *claimed, const json_t *found, bool holds,
                    const char *message) {
    hsp_json *j = &c->list_json;
    j->out = &c->list;
    hsp_json_object(j, NULL);
    hsp_json_string(j, "claim", name);
    hsp_json_value(j, "claimed", claimed);
    hsp_json_value(j, "found", found);
    hsp_json_bool(j, "holds", holds);
    hsp_json_object_end(j);
    if (c->list.failed) c->failed = true;
    if (!holds && !c->first_false) add_check(c, name, claimed, found, message);
}

void hsp_checks_unknown(hsp_checks *c, const char *what) {
    c->unchecked_json.out = &c->unchecked;
    hsp_json_string(&c->unchecked_json, NULL, what);
    if (c->unchecked.failed) c->failed = true;
}

static bool same_leaf(const json_t *a, const json_t *b) {
    if (!a || json_is_null(a)) return !b || json_is_null(b);
    if (!b) return false;
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    return json_equal((json_t *)a, (json_t *)b);
}

void hsp_checks_same(hsp_checks *c, const char *name, const json_t *claimed, const json_t *found) {
    hsp_checks_add(c, name, claimed, found, same_leaf(claimed, found), NULL);
}

void hsp_checks_number(hsp_checks *c, const char *name, const json_t *claimed, double found, double tolerance) {
    json_t *value = hsp_checks_real(c, found);
    if (!value) return;
    bool holds = same_leaf(claimed, value);
    if (!holds && isfinite(found) && json_is_number(claimed))
        holds = fabs(json_number_value(claimed) - found) <= tolerance * fmax(fabs(found), 1e-300);
    hsp_checks_add(c, name, claimed, value, holds, NULL);
    json_decref(value);
}

void hsp_checks_text(hsp_checks *c, const char *name, const json_t *claimed, const char *found) {
    json_t *value = hsp_checks_made(c, found ? json_string(found) : json_null());
    if (!value) return;
    hsp_checks_same(c, name, claimed, value);
    json_decref(value);
}

static bool listed(const char *name, const char *const *list) {
    for (; list && *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

static void join(hsp_checks *c, hsp_text *t, const char *path, const char *name, size_t index) {
    hsp_text_clear(t);
    if (name)
        hsp_text_format(t, "%s%s%s", path, *path ? "." : "", name);
    else
        hsp_text_format(t, "%s[%zu]", path, index);
    if (t->failed) c->failed = true;
}

/* What is found comes first; what is claimed besides is claimed of nothing. */
static void check_object(hsp_checks *c, const char *path, const json_t *claimed, const json_t *found,
                         const char *const *skip) {
    const char *name;
    json_t *member;
    hsp_text t = {0};
    json_object_foreach((json_t *)found, name, member) {
        join(c, &t, path, name, 0);
        if (!c->failed && !listed(name, skip)) hsp_checks_tree(c, t.s, json_object_get(claimed, name), member, skip);
    }
    json_object_foreach((json_t *)claimed, name, member) {
        if (json_object_get(found, name) || listed(name, skip)) continue;
        join(c, &t, path, name, 0);
        if (!c->failed) hsp_checks_add(c, t.s, member, NULL, false, NULL);
    }
    hsp_text_free(&t);
}

static void check_array(hsp_checks *c, const char *path, const json_t *claimed, const json_t *found,
                        const char *const *skip) {
    size_t more = json_array_size(claimed) > json_array_size(found) ? json_array_size(claimed) : json_array_size(found);
    hsp_text t = {0};
    for (size_t i = 0; i < more; i++) {
        join(c, &t, path, NULL, i);
        if (!c->failed) hsp_checks_tree(c, t.s, json_array_get(claimed, i), json_array_get(found, i), skip);
    }
    hsp_text_free(&t);
}

void hsp_checks_tree(hsp_checks *c, const char *path, const json_t *claimed, const json_t *found, const char *const *skip) {
    if (json_is_object(claimed) && json_is_object(found))
        check_object(c, path, claimed, found, skip);
    else if (json_is_array(claimed) && json_is_array(found))
        check_array(c, path, claimed, found, skip);
    else
        hsp_checks_same(c, path, claimed, found);
}
