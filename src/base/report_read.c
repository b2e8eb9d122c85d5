/* Reads reports from JSON text. The depth of the recursion is that of the text, which the parser limits. */
#include "base/error.h"
#include "base/json.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/report.h"

void hsp_report_add_parsed(hsp_json *j, const char *key, const hsp_json_value *value) {
    switch (value ? value->type : HSP_JSON_NULL) {
    case HSP_JSON_OBJECT:
        hsp_json_object(j, key);
        HSP_JSON_EACH(member, value) hsp_report_add_parsed(j, member->key, member);
        hsp_json_object_end(j);
        break;
    case HSP_JSON_ARRAY:
        hsp_json_array(j, key);
        HSP_JSON_EACH(element, value) hsp_report_add_parsed(j, NULL, element);
        hsp_json_array_end(j);
        break;
    case HSP_JSON_STRING:
        hsp_json_string(j, key, value->text);
        break;
    case HSP_JSON_NUMBER:
        hsp_json_number(j, key, value->number);
        break;
    case HSP_JSON_TRUE:
    case HSP_JSON_FALSE:
        hsp_json_bool(j, key, value->type == HSP_JSON_TRUE);
        break;
    default:
        hsp_json_null(j, key);
    }
}

int hsp_report_parse(const char *json, size_t size, hsp_report **out, hsp_error **err) {
    hsp_json_fault at = {.line = 1, .column = 1, .what = "neither an object nor a list"};
    hsp_json_value *tree = NULL;
    *out = NULL;
    int status = hsp_json_parse(json, (int64_t)size, &tree, &at);
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    if (!hsp_json_is(tree, HSP_JSON_OBJECT) && !hsp_json_is(tree, HSP_JSON_ARRAY)) {
        hsp_free(tree);
        return hsp_fail(err, HSP_EINPUT,
                        "not JSON (line %lld, column %lld: %s): give a file of `inspect --certificate` or --json",
                        (long long)at.line, (long long)at.column, at.what);
    }
    hsp_json j = {0};
    hsp_report_add_parsed(&j, NULL, tree);
    hsp_free(tree);
    return hsp_json_take(&j, out, err);
}
