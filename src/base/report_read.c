/* Reads reports from JSON text, parsed by Jansson. */
#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/report.h"

void hsp_report_add_parsed(hsp_json *j, const char *key, const json_t *value) {
    const char *name;
    json_t *member;
    size_t i;
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT:
        hsp_json_object(j, key);
        json_object_foreach((json_t *)(uintptr_t)value, name, member) hsp_report_add_parsed(j, name, member);
        hsp_json_object_end(j);
        break;
    case JSON_ARRAY:
        hsp_json_array(j, key);
        json_array_foreach(value, i, member) hsp_report_add_parsed(j, NULL, member);
        hsp_json_array_end(j);
        break;
    case JSON_STRING:
        hsp_json_string(j, key, json_string_value(value));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        hsp_json_number(j, key, json_number_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        hsp_json_bool(j, key, json_is_true(value));
        break;
    default:
        hsp_json_null(j, key);
    }
}

int hsp_report_parse(const char *json, size_t size, hsp_report **out, hsp_error **err) {
    json_error_t at;
    json_t *tree = NULL;
    *out = NULL;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL; /* weights may be integers beyond 64 bits */
    int status = hsp_json_parse(json, size, flags, &tree, &at);
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    if (status)
        return hsp_fail(err, HSP_EINPUT, "not JSON (line %d: %s): give a file of `inspect --certificate` or --json",
                        at.line, at.text);
    hsp_json j = {0};
    hsp_report_add_parsed(&j, NULL, tree);
    json_decref(tree);
    return hsp_json_take(&j, out, err);
}
