/* Any bytes as JSON: the reader takes or refuses them, and says where; a tree that it takes is written and read as the same;
 * and as a report the same. */
#include "base/json.h"
#include "base/json_value.h"
#include "base/report.h"
#include "base/text.h"
#include "require.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_value(hsp_json *j, const char *key, const hsp_json_value *v) {
    switch (v->type) {
    case HSP_JSON_OBJECT:
        hsp_json_object(j, key);
        HSP_JSON_EACH(member, v) write_value(j, member->key, member);
        hsp_json_object_end(j);
        break;
    case HSP_JSON_ARRAY:
        hsp_json_array(j, key);
        HSP_JSON_EACH(element, v) write_value(j, NULL, element);
        hsp_json_array_end(j);
        break;
    case HSP_JSON_STRING:
        hsp_json_string(j, key, v->text);
        break;
    case HSP_JSON_NUMBER:
        if (v->exact && v->whole != 0)
            hsp_json_int(j, key, v->whole);
        else
            hsp_json_number(j, key, v->number);
        break;
    case HSP_JSON_NULL:
        hsp_json_null(j, key);
        break;
    default:
        hsp_json_bool(j, key, v->type == HSP_JSON_TRUE);
    }
}

static char *text_of(const hsp_json_value *v) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char *text = NULL;
    write_value(&j, NULL, v);
    REQUIRE(hsp_text_take(&t, &text, NULL) == 0);
    return text;
}

/* Doubles have no more than 17 digits, so integers change once and then no more. */
static void check_report(const char *bytes, size_t size, bool container) {
    hsp_report *r = NULL, *again = NULL;
    hsp_error *err = NULL;
    char *json = NULL;
    int status = hsp_report_parse(bytes, size, &r, &err);
    REQUIRE((status == 0) == (r != NULL) && (status == 0) == (err == NULL) && (status == 0) == container);
    if (err) REQUIRE(status == HSP_EINPUT && !strchr(hsp_error_message(err), '\n'));
    if (r) {
        REQUIRE(hsp_report_json(r, &json, NULL) == 0 && hsp_report_parse(json, strlen(json), &again, NULL) == 0);
        REQUIRE(hsp_report_equal(r, again));
    }
    hsp_report_free(again);
    hsp_report_free(r);
    hsp_free(json);
    hsp_error_free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *bytes = (const char *)data;
    hsp_json_value *tree = NULL, *again = NULL;
    hsp_json_fault fault = {.offset = -1};
    int status = hsp_json_parse(bytes, (int64_t)size, &tree, &fault);
    REQUIRE(status == HSP_OK || status == HSP_EINPUT);
    REQUIRE((status == 0) == (tree != NULL));
    if (status)
        REQUIRE(fault.offset >= 0 && fault.offset <= (int64_t)size && fault.line > 0 && fault.column > 0 && fault.what[0]);
    check_report(bytes, size, hsp_json_is(tree, HSP_JSON_OBJECT) || hsp_json_is(tree, HSP_JSON_ARRAY));
    if (tree) {
        char *first = text_of(tree);
        REQUIRE(hsp_json_parse(first, (int64_t)strlen(first), &again, NULL) == HSP_OK);
        char *second = text_of(again);
        REQUIRE(strcmp(first, second) == 0);
        hsp_free(first);
        hsp_free(second);
    }
    hsp_free(again);
    hsp_free(tree);
    return 0;
}
