/* The interner: numbers in order of first appearance, any bytes, any count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void in_order(void **state) {
    (void)state;
    hsp_intern *t;
    assert_int_equal(hsp_intern_new(&t, NULL), HSP_OK);
    assert_int_equal(hsp_intern_count(t), 0);
    assert_int_equal(hsp_intern_find(t, "a", 1), -1);
    assert_int_equal(hsp_intern_find(t, "", 0), -1);
    assert_int_equal(hsp_intern_add(t, "abc", 1, NULL), 0);
    assert_int_equal(hsp_intern_add(t, "", 0, NULL), 1);
    assert_int_equal(hsp_intern_add(t, NULL, 0, NULL), 1);
    assert_int_equal(hsp_intern_add(t, "abc", 3, NULL), 2);
    assert_int_equal(hsp_intern_add(t, "a", 1, NULL), 0);
    assert_int_equal(hsp_intern_add(t, "a\0b", 3, NULL), 3); /* not "a", nor "a" and NUL */
    assert_int_equal(hsp_intern_add(t, "a\0", 2, NULL), 4);
    assert_int_equal(hsp_intern_find(t, "a\0b", 3), 3);
    assert_int_equal(hsp_intern_count(t), 5);
    assert_string_equal(hsp_intern_text(t, 0), "a");
    assert_string_equal(hsp_intern_text(t, 1), "");
    assert_string_equal(hsp_intern_text(t, 2), "abc");
    assert_null(hsp_intern_text(t, 5));
    assert_null(hsp_intern_text(t, -1));
    hsp_intern_free(t);
    hsp_intern_free(NULL);
}

static void many(void **state) {
    (void)state;
    enum { N = 100000 };
    hsp_intern *t;
    assert_int_equal(hsp_intern_new(&t, NULL), HSP_OK);
    char text[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++) {
            int n = snprintf(text, sizeof text, "%x", i * 7);
            assert_int_equal(hsp_intern_add(t, text, n, NULL), i);
        }
    assert_int_equal(hsp_intern_count(t), N);
    for (int i = 0; i < N; i++) {
        int n = snprintf(text, sizeof text, "%x", i * 7);
        assert_string_equal(hsp_intern_text(t, i), text);
        assert_int_equal(hsp_intern_find(t, text, n), i);
        n = snprintf(text, sizeof text, "-%x", i);
        assert_int_equal(hsp_intern_find(t, text, n), -1);
    }
    hsp_intern_free(t);
}

static void long_texts(void **state) {
    (void)state;
    enum { N = 300000 };
    char *text = malloc(N);
    memset(text, 'x', N);
    hsp_intern *t;
    assert_int_equal(hsp_intern_new(&t, NULL), HSP_OK);
    assert_int_equal(hsp_intern_add(t, text, N, NULL), 0);
    assert_int_equal(hsp_intern_add(t, text, N - 1, NULL), 1);
    assert_int_equal(hsp_intern_find(t, text, N), 0);
    assert_int_equal(hsp_intern_find(t, text, N - 2), -1);
    assert_int_equal(strlen(hsp_intern_text(t, 0)), N);
    hsp_intern_free(t);
    free(text);
}

/* A failed add changes nothing. */
static void failing_allocator(void **state) {
    (void)state;
    int64_t added = 0;
    for (int64_t allowed = 0; added < 500; allowed++) {
        hsp_intern *t = (hsp_intern *)1;
        hsp_error *e = NULL;
        hsp_memory_fail_after(allowed);
        int status = hsp_intern_new(&t, &e);
        char text[32];
        int64_t got = 0;
        for (added = 0; status == HSP_OK && added < 500; added++) {
            int n = snprintf(text, sizeof text, "text %d", (int)added);
            got = hsp_intern_add(t, text, n, &e);
            if (got != added) break;
        }
        hsp_memory_fail_after(-1);
        if (status != HSP_OK) {
            assert_null(t);
            assert_int_equal(status, HSP_EMEMORY);
        } else if (added < 500) {
            assert_int_equal(got, HSP_EMEMORY);
            assert_int_equal(hsp_error_code(e), HSP_EMEMORY);
            assert_int_equal(hsp_intern_count(t), added);
            assert_int_equal(hsp_intern_find(t, text, (int64_t)strlen(text)), -1);
            if (added > 0) assert_int_equal(hsp_intern_find(t, "text 0", 6), 0);
            assert_int_equal(hsp_intern_add(t, text, (int64_t)strlen(text), NULL), added);
        }
        hsp_error_free(e);
        hsp_intern_free(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(many), cmocka_unit_test(long_texts),
                                       cmocka_unit_test(failing_allocator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
