/* The JSON writer, checked by the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

#include "json_tree.h"

static void everything(hsp_json *j) {
    const double v[] = {1, -0.5, NAN, 1e300, INFINITY};
    hsp_json_object(j, NULL);
    hsp_json_string(j, "s", "x");
    hsp_json_string(j, "nothing", NULL);
    hsp_json_number(j, "pi", 3.25);
    hsp_json_number(j, "nan", NAN);
    hsp_json_number(j, "inf", -INFINITY);
    hsp_json_int(j, "i", -7);
    hsp_json_bool(j, "t", true);
    hsp_json_bool(j, "f", false);
    hsp_json_null(j, "z");
    hsp_json_numbers(j, "v", v, 5);
    hsp_json_numbers(j, "none", NULL, 0);
    hsp_json_object(j, "o");
    hsp_json_object_end(j);
    hsp_json_array(j, "a");
    hsp_json_array(j, NULL);
    hsp_json_array_end(j);
    hsp_json_object(j, NULL);
    hsp_json_int(j, "k", 1);
    hsp_json_object_end(j);
    hsp_json_string(j, NULL, "last");
    hsp_json_array_end(j);
    hsp_json_object_end(j);
}

static void exact(void **state) {
    (void)state;
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    everything(&j);
    assert_string_equal(
        t.s, "{\"s\":\"x\",\"nothing\":null,\"pi\":3.25,\"nan\":null,\"inf\":null,\"i\":-7,\"t\":true,\"f\":false,"
             "\"z\":null,\"v\":[1,-0.5,null,1e300,null],\"none\":[],\"o\":{},"
             "\"a\":[[],{\"k\":1},\"last\"]}");
    hsp_free(json_tree(t.s));
    hsp_text_free(&t);
}

static void check_string(const char *value, const char *json) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    hsp_json_string(&j, NULL, value);
    assert_string_equal(t.s, json);
    hsp_text_free(&t);
}

static void escapes(void **state) {
    (void)state;
    check_string("", "\"\"");
    check_string("a\"b\\c/", "\"a\\\"b\\\\c/\"");
    check_string("\n\r\t\b\f", "\"\\n\\r\\t\\b\\f\"");
    check_string("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
    check_string("\xc3\xa9\xf0\x9f\x99\x82", "\"\xc3\xa9\xf0\x9f\x99\x82\"");
    check_string("\xff", "\"\xef\xbf\xbd\"");
    check_string("a\xc3", "\"a\xef\xbf\xbd\"");
    check_string("\xe2\x82z", "\"\xef\xbf\xbd\xef\xbf\xbdz\"");
    check_string("\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

/* Whatever the bytes, the text is JSON; and a valid string is read back unchanged. */
static void any_bytes(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 0);
    for (int i = 0; i < 20000; i++) {
        char key[16], value[16];
        int n = (int)hsp_rng_below(&r, 15);
        bool ascii = i % 2 == 0;
        for (int k = 0; k < n; k++) {
            key[k] = (char)(1 + hsp_rng_below(&r, ascii ? 127 : 255));
            value[k] = (char)(1 + hsp_rng_below(&r, ascii ? 127 : 255));
        }
        key[n] = value[n] = '\0';
        hsp_text t = {0};
        hsp_json j = {.out = &t};
        hsp_json_object(&j, NULL);
        hsp_json_string(&j, key, value);
        hsp_json_object_end(&j);
        hsp_json_value *parsed = json_tree(t.s);
        if (ascii) assert_string_equal(hsp_json_text(hsp_json_get(parsed, key)), value);
        hsp_free(parsed);
        hsp_text_free(&t);
    }
}

static void failing_allocator(void **state) {
    (void)state;
    for (int64_t allowed = 0;; allowed++) {
        hsp_text t = {0};
        hsp_json j = {.out = &t};
        char *s = NULL;
        hsp_memory_fail_after(allowed);
        everything(&j);
        int status = hsp_text_take(&t, &s, NULL);
        hsp_memory_fail_after(-1);
        assert_int_equal(status, s == NULL ? HSP_EMEMORY : HSP_OK);
        hsp_free(s);
        if (status == HSP_OK) return;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact), cmocka_unit_test(escapes), cmocka_unit_test(any_bytes),
                                       cmocka_unit_test(failing_allocator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
