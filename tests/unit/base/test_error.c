/* Errors: what a message contains, and that reporting a failure cannot fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

static void check(hsp_error *e, int code, const char *message) {
    assert_non_null(e);
    assert_int_equal(hsp_error_code(e), code);
    assert_string_equal(hsp_error_message(e), message);
    hsp_error_free(e);
}

static void plain(void **state) {
    (void)state;
    hsp_error *e = NULL;
    assert_int_equal(hsp_fail(&e, HSP_EUSAGE, "no %s: give %d", "rows", 7), HSP_EUSAGE);
    assert_null(hsp_error_file(e));
    assert_int_equal(hsp_error_line(e), 0);
    assert_int_equal(hsp_error_column(e), 0);
    check(e, HSP_EUSAGE, "no rows: give 7");
    assert_int_equal(hsp_fail(NULL, HSP_EIO, "x"), HSP_EIO);
    e = NULL;
    assert_int_equal(hsp_error_new(&e, HSP_EINPUT, "100%s: leave as it is"), HSP_EINPUT);
    check(e, HSP_EINPUT, "100%s: leave as it is");
}

static void places(void **state) {
    (void)state;
    hsp_error *e = NULL;
    hsp_fail_at(&e, HSP_EINPUT, (hsp_place){"a.csv", 3, 5}, "bad");
    assert_string_equal(hsp_error_file(e), "a.csv");
    assert_int_equal(hsp_error_line(e), 3);
    assert_int_equal(hsp_error_column(e), 5);
    check(e, HSP_EINPUT, "a.csv:3:5: bad");
    e = NULL;
    hsp_fail_at(&e, HSP_EINPUT, (hsp_place){"a.csv", 3, 0}, "bad");
    check(e, HSP_EINPUT, "a.csv:3: bad");
    e = NULL;
    hsp_fail_at(&e, HSP_EINPUT, (hsp_place){"a.csv", 0, 0}, "bad");
    check(e, HSP_EINPUT, "a.csv: bad");
    e = NULL;
    assert_int_equal(hsp_fail_file(&e, "a.csv", "has %d rows", 0), HSP_EINPUT);
    assert_string_equal(hsp_error_file(e), "a.csv");
    assert_int_equal(hsp_error_line(e), 0);
    check(e, HSP_EINPUT, "a.csv: has 0 rows");
    e = NULL;
    hsp_fail_at(&e, HSP_EINPUT, (hsp_place){NULL, 3, 5}, "bad");
    check(e, HSP_EINPUT, "bad");
    e = NULL;
    hsp_fail_at(&e, HSP_EINPUT, (hsp_place){"%s%n\n", INT64_MAX, 1}, "bad");
    assert_string_equal(hsp_error_file(e), "%s%n\n");
    check(e, HSP_EINPUT, "%s%n?:9223372036854775807:1: bad");
}

static void the_first_is_kept(void **state) {
    (void)state;
    hsp_error *e = NULL;
    hsp_fail(&e, HSP_EUSAGE, "first");
    assert_int_equal(hsp_fail(&e, HSP_EIO, "second"), HSP_EIO);
    assert_int_equal(hsp_fail_memory(&e), HSP_EMEMORY);
    check(e, HSP_EUSAGE, "first");
}

static void nothing_that_a_terminal_obeys(void **state) {
    (void)state;
    hsp_error *e = NULL;
    hsp_fail(&e, HSP_EINPUT,
             "a\nb\tc\x1b[31m\x7f\xc2\x9b"
             "d\xff\xc3(\xe2\x82 \xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82\xc3");
    check(e, HSP_EINPUT,
          "a?b?c?[31m???d??"
          "(?? \xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82?");
}

static void long_messages(void **state) {
    (void)state;
    enum { N = 100001 };
    static char text[N + 1];
    for (int first = 0; first < 3; first++) { /* boundaries fall on each byte of a character */
        for (int i = 0; i < N - 2; i += 3) memcpy(text + i, "\xe2\x82\xac", 3);
        text[N - 2] = '\0';
        hsp_error *e = NULL;
        hsp_fail_at(&e, HSP_EINPUT, (hsp_place){"f", 0, 0}, "%.*s%s: the remedy", first, "ab", text);
        const char *m = hsp_error_message(e);
        size_t n = strlen(m);
        assert_in_range(n, 900, 1003);
        assert_string_equal(m + n - 12, ": the remedy");
        assert_non_null(strstr(m, " ... "));
        assert_null(strchr(m, '?'));
        for (size_t i = 0; i < n;) {
            int length = hsp_text_utf8(m + i, (int64_t)(n - i));
            assert_in_range(length, 1, 4);
            i += (size_t)length;
        }
        hsp_error_free(e);
    }
}

static void no_memory(void **state) {
    (void)state;
    hsp_error *e = NULL;
    assert_int_equal(hsp_fail_memory(&e), HSP_EMEMORY);
    assert_int_equal(hsp_error_code(e), HSP_EMEMORY);
    assert_non_null(strstr(hsp_error_message(e), "out of memory: "));
    assert_null(hsp_error_file(e));
    hsp_error_free(e);
    hsp_error_free(e); /* not an allocation: nothing happens */
    assert_int_equal(hsp_fail_memory(NULL), HSP_EMEMORY);
    e = NULL;
    hsp_memory_fail_after(0);
    int status = hsp_fail(&e, HSP_EINPUT, "bad");
    hsp_memory_fail_after(-1);
    assert_int_equal(status, HSP_EMEMORY);
    assert_int_equal(hsp_error_code(e), HSP_EMEMORY);
    hsp_error_free(e);
}

static void no_error(void **state) {
    (void)state;
    assert_int_equal(hsp_error_code(NULL), HSP_OK);
    assert_string_equal(hsp_error_message(NULL), "");
    assert_null(hsp_error_file(NULL));
    hsp_error_free(NULL);
    hsp_error *e = NULL;
    assert_int_equal(hsp_fail(&e, 5, "a code that is none"), HSP_EINTERNAL);
    check(e, HSP_EINTERNAL, "a code that is none");
}

static void system_errors(void **state) {
    (void)state;
    hsp_error *e = NULL;
    assert_int_equal(hsp_fail_errno(&e, "x.csv", "cannot open", ENOENT), HSP_EINPUT);
    check(e, HSP_EINPUT, "x.csv: cannot open: No such file or directory: check the name and the folder");
    e = NULL;
    assert_int_equal(hsp_fail_errno(&e, "x", "cannot read", EISDIR), HSP_EINPUT);
    check(e, HSP_EINPUT, "x: cannot read: Is a directory: name a file, not a folder");
    e = NULL;
    assert_int_equal(hsp_fail_errno(&e, NULL, "cannot write", ENOSPC), HSP_EIO);
    check(e, HSP_EIO, "cannot write: No space left on device: free some space or choose another disk");
    for (int errnum = -1; errnum < 200; errnum++) {
        e = NULL;
        assert_true(hsp_fail_errno(&e, "x", "cannot read", errnum) < 0);
        assert_true(strncmp(hsp_error_message(e), "x: cannot read: ", 16) == 0);
        assert_non_null(strchr(hsp_error_message(e) + 16, ':'));
        hsp_error_free(e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(places),
        cmocka_unit_test(the_first_is_kept),
        cmocka_unit_test(nothing_that_a_terminal_obeys),
        cmocka_unit_test(long_messages),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(no_error),
        cmocka_unit_test(system_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
