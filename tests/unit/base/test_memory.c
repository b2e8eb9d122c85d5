/* The allocator: overflow, empty blocks, growth, and the hook that makes it fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "halfspace.h"

#include <string.h>

static void sizes(void **state) {
    (void)state;
    void *a = hsp_alloc(0, 8), *b = hsp_alloc(8, 0), *c = hsp_alloc_zero(0, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    HSP_FREE(a, b, c);
    unsigned char *zero = hsp_alloc_zero(1000, 3);
    for (int i = 0; i < 3000; i++) assert_int_equal(zero[i], 0);
    HSP_FREE(zero, NULL);
}

static void several_arrays(void **state) {
    (void)state;
    double *a = NULL, *b = NULL, *none = NULL;
    assert_true(HSP_ALLOC_DOUBLES(5, &a, &b));
    assert_true(HSP_ALLOC_DOUBLES(-1, &none));
    assert_null(none);
    assert_ptr_not_equal(a, b);
    for (int i = 0; i < 5; i++) assert_true(a[i] == 0 && b[i] == 0);
    HSP_FREE(a, b);
    a = b = NULL;
    hsp_memory_fail_after(1);
    assert_false(HSP_ALLOC_DOUBLES(5, &a, &b));
    hsp_memory_fail_after(-1);
    assert_non_null(a);
    assert_null(b);
    hsp_free(a);
    assert_true(HSP_ALLOC_DOUBLES(0, &a));
    assert_non_null(a);
    hsp_free(a);
}

static void impossible_sizes(void **state) {
    (void)state;
    assert_null(hsp_alloc(-1, 1));
    assert_null(hsp_alloc(INT64_MIN, 1));
    assert_null(hsp_alloc_zero(-1, 0));
    assert_null(hsp_alloc(INT64_MAX, 8));
    assert_null(hsp_alloc(INT64_C(1) << 62, 4));
    assert_null(hsp_alloc(2, SIZE_MAX));
    assert_null(hsp_alloc(1, SIZE_MAX));
    assert_null(hsp_alloc_zero(INT64_C(1) << 61, 8));
    char *kept = hsp_strdup("kept");
    assert_null(hsp_resize(kept, -1, 1));
    assert_null(hsp_resize(kept, INT64_MAX, 16));
    assert_string_equal(kept, "kept");
    hsp_free(kept);
}

static void strings(void **state) {
    (void)state;
    assert_null(hsp_strdup(NULL));
    assert_null(hsp_strndup(NULL, 3));
    char *a = hsp_strndup("abcdef", 3), *b = hsp_strndup("ab", 100), *c = hsp_strdup("");
    assert_string_equal(a, "abc");
    assert_string_equal(b, "ab");
    assert_string_equal(c, "");
    HSP_FREE(a, b, c);
}

static void growth(void **state) {
    (void)state;
    double *v = NULL;
    int64_t capacity = 0, steps = 0;
    for (int64_t n = 1; n <= 100000; n++) {
        int64_t before = capacity;
        assert_int_equal(hsp_reserve((void **)&v, &capacity, n, sizeof *v), HSP_OK);
        assert_true(capacity >= n);
        steps += capacity != before;
        v[n - 1] = (double)n;
    }
    assert_in_range(steps, 5, 30);
    for (int64_t n = 1; n <= 100000; n++) assert_true(v[n - 1] == (double)n);
    int64_t before = capacity;
    assert_int_equal(hsp_reserve((void **)&v, &capacity, INT64_MAX, sizeof *v), HSP_EMEMORY);
    hsp_memory_fail_after(0);
    assert_int_equal(hsp_reserve((void **)&v, &capacity, capacity + 1, sizeof *v), HSP_EMEMORY);
    assert_int_equal(hsp_reserve((void **)&v, &capacity, capacity, sizeof *v), HSP_OK);
    hsp_memory_fail_after(-1);
    assert_int_equal(capacity, before);
    assert_true(v[99999] == 100000);
    hsp_free(v);
}

static void failing_on_order(void **state) {
    (void)state;
    hsp_memory_fail_after(2);
    void *a = hsp_alloc(1, 1), *b = hsp_strdup("x");
    assert_non_null(a);
    assert_non_null(b);
    assert_null(hsp_alloc(1, 1));
    assert_null(hsp_alloc_zero(1, 1));
    assert_null(hsp_resize(a, 2, 1));
    assert_null(hsp_strdup("x"));
    assert_int_equal(hsp_memory_calls(), 6);
    hsp_memory_fail_after(-1);
    assert_int_equal(hsp_memory_calls(), 0);
    void *c = hsp_alloc(1, 1);
    assert_non_null(c);
    HSP_FREE(a, b, c);
}

static void failing_once(void **state) {
    (void)state;
    hsp_memory_fail_once(1);
    void *a = hsp_alloc(1, 1), *b = hsp_strdup("x"), *c = hsp_alloc_zero(1, 1);
    assert_non_null(a);
    assert_null(b);
    assert_non_null(c);
    assert_int_equal(hsp_memory_calls(), 3);
    hsp_memory_fail_after(0);
    assert_null(hsp_alloc(1, 1));
    assert_null(hsp_alloc(1, 1));
    hsp_memory_fail_once(-1);
    void *d = hsp_alloc(1, 1);
    assert_non_null(d);
    hsp_memory_fail_after(-1);
    HSP_FREE(a, c, d);
}

static void limit(void **state) {
    (void)state;
    assert_true(hsp_memory_limit() > 16 << 20);
    assert_true(hsp_memory_limit() < INT64_C(1) << 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),        cmocka_unit_test(several_arrays), cmocka_unit_test(impossible_sizes),
        cmocka_unit_test(strings),      cmocka_unit_test(growth),         cmocka_unit_test(failing_on_order),
        cmocka_unit_test(failing_once), cmocka_unit_test(limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
