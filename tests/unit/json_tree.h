/* Trees of JSON for tests, and copies of them with one member changed. */
#ifndef HSP_TESTS_JSON_TREE_H
#define HSP_TESTS_JSON_TREE_H

#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"

#include <string.h>

/* The caller frees it by hsp_free. */
static inline hsp_json_value *json_tree(const char *text) {
    hsp_json_value *tree = NULL;
    hsp_json_fault fault;
    if (hsp_json_parse(text, (int64_t)strlen(text), &tree, &fault)) fail_msg("not JSON, %s: %s", fault.what, text);
    return tree;
}

/* A member of one object: another value, or (NULL) left out; a new name is added behind the others. */
typedef struct json_change {
    const hsp_json_value *in;
    const char *key;
    const hsp_json_value *value;
} json_change;

static inline void json_write(hsp_json *j, const char *key, const hsp_json_value *v, const json_change *c) {
    bool object = v->type == HSP_JSON_OBJECT, done = false;
    if (v->type == HSP_JSON_STRING) {
        hsp_json_string(j, key, v->text);
    } else if (v->type == HSP_JSON_NUMBER) {
        if (v->exact && (v->whole != 0 || !signbit(v->number)))
            hsp_json_int(j, key, v->whole);
        else
            hsp_json_number(j, key, v->number);
    } else if (v->type == HSP_JSON_NULL) {
        hsp_json_null(j, key);
    } else if (hsp_json_is_flag(v)) {
        hsp_json_bool(j, key, v->type == HSP_JSON_TRUE);
    } else {
        (object ? hsp_json_object : hsp_json_array)(j, key);
        HSP_JSON_EACH(inner, v) {
            bool changed = c && c->in == v && strcmp(c->key, inner->key) == 0;
            if (!changed || c->value) json_write(j, inner->key, changed ? c->value : inner, c);
            done |= changed;
        }
        if (c && c->in == v && !done && c->value) json_write(j, c->key, c->value, NULL);
        (object ? hsp_json_object_end : hsp_json_array_end)(j);
    }
}

/* The text of a tree, with a change unless NULL. The caller frees it. */
static inline char *json_text(const hsp_json_value *tree, const json_change *change) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text = NULL;
    json_write(&j, NULL, tree, change);
    assert_int_equal(hsp_text_take(&t, &text, NULL), 0);
    return text;
}

/* A copy of `tree` in which the member `key` of the object `in` is `value`, given as JSON; NULL: it is left out. */
static inline hsp_json_value *json_with(const hsp_json_value *tree, const hsp_json_value *in, const char *key,
                                        const char *value) {
    hsp_json_value *put = value ? json_tree(value) : NULL;
    char *text = json_text(tree, &(json_change){in, key, put});
    hsp_json_value *copy = json_tree(text);
    hsp_free(text);
    hsp_free(put);
    return copy;
}

#endif
