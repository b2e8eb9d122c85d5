/* Counts of unseen levels: joined in any division they are the same, and memory is bounded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/unseen_levels.h"

static void add(hsp_unseen_levels **u, int64_t column, const char *level, const char *like, int64_t count) {
    const hsp_unseen_level l = {column, level, like, count};
    assert_int_equal(hsp_unseen_levels_add(u, &l, (int64_t)strlen(level)), 0);
}

static void check_most(const hsp_unseen_levels *u, int64_t n, const hsp_unseen_level *expected) {
    hsp_unseen_level most[HSP_UNSEEN_SHOWN];
    assert_int_equal(hsp_unseen_levels_most(u, most), n);
    for (int64_t k = 0; k < n; k++) {
        assert_int_equal(most[k].column, expected[k].column);
        assert_int_equal(most[k].count, expected[k].count);
        assert_string_equal(most[k].level, expected[k].level);
        assert_true(!most[k].like == !expected[k].like);
        if (most[k].like) assert_string_equal(most[k].like, expected[k].like);
    }
}

static void none(void **state) {
    (void)state;
    hsp_unseen_levels *u = NULL;
    assert_int_equal(hsp_unseen_levels_join(&u, NULL), 0);
    assert_null(u);
    check_most(NULL, 0, NULL);
    hsp_unseen_levels_free(NULL);
}

static void order(void **state) {
    (void)state;
    hsp_unseen_levels *u = NULL;
    add(&u, 1, "b", NULL, 1);
    add(&u, 1, "a", NULL, 1);
    add(&u, 0, "1.0", "1", 1);
    add(&u, 11, "x", NULL, 2); /* not column 1 with "1:x" */
    add(&u, 1, "1:x", NULL, 1);
    add(&u, 1, "", NULL, 1);
    add(&u, 1, "b", NULL, 2);
    const hsp_unseen_level expected[] = {{1, "b", NULL, 3}, {11, "x", NULL, 2},  {0, "1.0", "1", 1},
                                         {1, "", NULL, 1},  {1, "1:x", NULL, 1}, {1, "a", NULL, 1}};
    check_most(u, 6, expected);
    hsp_unseen_levels_free(u);
}

/* Rows divided at any place give the same counts as one part. */
static void divisions(void **state) {
    (void)state;
    enum { ROWS = 400 };
    for (int cut = 0; cut <= ROWS; cut += 37) {
        hsp_unseen_levels *whole = NULL, *part[2] = {NULL, NULL}, *joined = NULL;
        hsp_unseen_level a[HSP_UNSEEN_SHOWN];
        for (int i = 0; i < ROWS; i++) {
            char level[16];
            snprintf(level, sizeof level, "%d", i * i % 83);
            add(&whole, i % 3, level, NULL, 1);
            add(&part[i >= cut], i % 3, level, NULL, 1);
        }
        for (int k = 0; k < 2; k++) assert_int_equal(hsp_unseen_levels_join(&joined, part[k]), 0);
        assert_int_equal(hsp_unseen_levels_most(whole, a), HSP_UNSEEN_SHOWN);
        check_most(joined, HSP_UNSEEN_SHOWN, a);
        hsp_unseen_levels_free(whole);
        hsp_unseen_levels_free(part[0]);
        hsp_unseen_levels_free(part[1]);
        hsp_unseen_levels_free(joined);
    }
}

/* The first 100,000 levels are counted; later ones are not, however frequent. */
static void bounded(void **state) {
    (void)state;
    hsp_unseen_levels *u = NULL;
    char level[16];
    for (int i = 0; i < 100001; i++) {
        snprintf(level, sizeof level, "%d", i);
        add(&u, 0, level, NULL, 1);
    }
    add(&u, 0, "late", NULL, 50);
    add(&u, 0, "7", NULL, 1);
    hsp_unseen_level most[HSP_UNSEEN_SHOWN];
    assert_int_equal(hsp_unseen_levels_most(u, most), HSP_UNSEEN_SHOWN);
    assert_string_equal(most[0].level, "7");
    assert_int_equal(most[1].count, 1);
    hsp_unseen_levels_free(u);
}

static void memory_runs_out(void **state) {
    (void)state;
    for (int64_t k = 0;; k++) {
        hsp_unseen_levels *u = NULL, *sum = NULL;
        const hsp_unseen_level a = {0, "1.0", "1", 1},
                               b = {1, "a level that is long enough for memory of its own", NULL, 2};
        hsp_memory_fail_after(k);
        int status = hsp_unseen_levels_add(&u, &a, 3);
        if (!status) status = hsp_unseen_levels_add(&u, &b, (int64_t)strlen(b.level));
        if (!status) status = hsp_unseen_levels_join(&sum, u);
        hsp_memory_fail_after(-1);
        hsp_unseen_levels_free(u);
        hsp_unseen_levels_free(sum);
        if (status == 0) break;
        assert_true(status == HSP_EMEMORY && k < 100);
    }
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(none), cmocka_unit_test(order), cmocka_unit_test(divisions),
                                   cmocka_unit_test(bounded), cmocka_unit_test(memory_runs_out)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
