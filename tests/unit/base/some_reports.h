/* Reports in one line, for the tests of them. */
#ifndef HSP_TESTS_SOME_REPORTS_H
#define HSP_TESTS_SOME_REPORTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/report.h"
#include "base/report_build.h"

#include <math.h>
#include <string.h>

__attribute__((unused)) static hsp_report *taken(hsp_json *j) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_json_take(j, &r, &err), HSP_OK);
    assert_non_null(r);
    assert_null(err);
    assert_true(!j->node && j->nodes == 0 && !j->failed);
    return r;
}

__attribute__((unused)) static hsp_report *parsed(const char *json) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    if (hsp_report_parse(json, strlen(json), &r, &err)) fail_msg("%s: %s", json, hsp_error_message(err));
    return r;
}

__attribute__((unused)) static void check_json(const hsp_report *r, const char *expected) {
    char *json = NULL;
    assert_int_equal(hsp_report_json(r, &json, NULL), HSP_OK);
    assert_string_equal(json, expected);
    hsp_free(json);
}

/* One member of each kind. */
__attribute__((unused)) static void add_all_kinds(hsp_json *j) {
    const double v[] = {1, -0.5, NAN}, m[] = {1, 2, 3, 4, 5, 6};
    hsp_json_object(j, NULL);
    hsp_json_null(j, "null");
    hsp_json_bool(j, "flag", true);
    hsp_json_number(j, "number", 0.25);
    hsp_json_string(j, "text", "words");
    hsp_json_numbers(j, "vector", v, 3);
    hsp_report_add_values(j, "matrix", m, 2, 3);
    hsp_json_array(j, "list");
    hsp_json_string(j, NULL, "first");
    hsp_json_number(j, NULL, 7);
    hsp_json_bool(j, NULL, false);
    hsp_json_array_end(j);
    hsp_json_object(j, "object");
    hsp_json_int(j, "a", 1);
    hsp_json_string(j, "b", "two");
    hsp_json_object_end(j);
    hsp_json_object_end(j);
}

#define ALL_KINDS                                                                               \
    "{\"null\":null,\"flag\":true,\"number\":0.25,\"text\":\"words\",\"vector\":[1,-0.5,null]," \
    "\"matrix\":[[1,2,3],[4,5,6]],\"list\":[\"first\",7,false],\"object\":{\"a\":1,\"b\":\"two\"}}"

__attribute__((unused)) static hsp_report *all_kinds(void) {
    hsp_json j = {0};
    add_all_kinds(&j);
    return taken(&j);
}

#endif
