/* A reader of JSON (RFC 8259), strict: UTF-8 is checked, names of members are unique, and nothing follows the value. One
 * allocation holds the whole tree, made only for text that is JSON; so lack of memory is never taken for damage. */
#ifndef HSP_BASE_JSON_VALUE_H
#define HSP_BASE_JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HSP_JSON_DEPTH = 2048 }; /* containers inside each other, at most */

typedef enum hsp_json_type {
    HSP_JSON_NULL,
    HSP_JSON_FALSE,
    HSP_JSON_TRUE,
    HSP_JSON_NUMBER,
    HSP_JSON_STRING,
    HSP_JSON_ARRAY,
    HSP_JSON_OBJECT
} hsp_json_type;

/* A value. Its contents and those of its strings are part of the tree. Members of an object are in the order of the text. */
typedef struct hsp_json_value {
    const char *key; /* name of a member; NULL: an element or the root */
    union {
        double number;                     /* the nearest; finite */
        const char *text;                  /* UTF-8 without U+0000 */
        const struct hsp_json_value *item; /* the contents, in a row */
    };
    union {
        int64_t count; /* of the contents */
        int64_t whole; /* the number, if `exact` */
    };
    uint8_t type;   /* hsp_json_type */
    bool exact;     /* a number written as an integer of 64 bits */
    uint32_t order; /* scratch of the search for equal names */
} hsp_json_value;

/* Where a text is not JSON, and why. */
typedef struct hsp_json_fault {
    int64_t offset, line, column; /* from 0, 1 and 1, in bytes */
    char what[96];
} hsp_json_fault;

/* Reads `size` bytes. HSP_OK: the caller frees *out by hsp_free, and with it the tree; HSP_EMEMORY; HSP_EINPUT with *fault,
 * which may be NULL. */
int hsp_json_parse(const char *text, int64_t size, hsp_json_value **out, hsp_json_fault *fault);

/* In all of these v may be NULL, which is of no type. */
static inline bool hsp_json_is(const hsp_json_value *v, hsp_json_type type) {
    return v && v->type == type;
}
static inline bool hsp_json_is_flag(const hsp_json_value *v) {
    return hsp_json_is(v, HSP_JSON_FALSE) || hsp_json_is(v, HSP_JSON_TRUE);
}
/* The member of that name; NULL: none, or v is not an object. */
const hsp_json_value *hsp_json_get(const hsp_json_value *v, const char *key);
/* The elements of an array, 0 for any other value; and one of them, NULL if it is not there. */
static inline int64_t hsp_json_count(const hsp_json_value *v) {
    return hsp_json_is(v, HSP_JSON_ARRAY) ? v->count : 0;
}
static inline const hsp_json_value *hsp_json_item(const hsp_json_value *v, int64_t i) {
    return i >= 0 && i < hsp_json_count(v) ? v->item + i : NULL;
}
/* NULL: not a string. */
static inline const char *hsp_json_text(const hsp_json_value *v) {
    return hsp_json_is(v, HSP_JSON_STRING) ? v->text : NULL;
}
/* NaN: not a number. */
double hsp_json_double(const hsp_json_value *v);
/* False: not a number that was written as an integer of 64 bits. */
bool hsp_json_integer(const hsp_json_value *v, int64_t *out);
/* Iterates over the contents of an array or object. */
#define HSP_JSON_EACH(element, v)                                                                                     \
    for (const hsp_json_value *element = (v)->item, *element##_end = (v)->item + (v)->count; element < element##_end; \
         element++)

#endif
