#include "plot/part/scatter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const hsp_area frame = {100, 50, 700, 450};

static void test_same_place(void **state) {
    (void)state;
    hsp_scatter_point p[] = {{{300, 200}, 0, 0, 0}, {{300, 200}, 0, 0, 0}, {{300, 200}, 1, 0, 0},
                             {{300, 200}, 0, 1, 0}, {{400, 200}, 0, 0, 0}, {{300, 200}, 0, 0, 0}};
    assert_int_equal(hsp_scatter_thin(p, 6, frame), 4);
    assert_int_equal(p[0].count, 3); /* class and mark keep points apart */
    assert_int_equal(p[1].group, 1);
    assert_int_equal(p[2].marked, 1);
    assert_true(p[3].at.x == 400);
}

static void test_many(void **state) {
    (void)state;
    enum { N = 300000 };
    hsp_scatter_point *p = calloc(N, sizeof *p);
    assert_non_null(p);
    for (int64_t i = 0; i < N; i++) {
        p[i].at = (hsp_place2){100 + 700 * hsp_scatter_jitter(2 * i), 50 + 450 * hsp_scatter_jitter(2 * i + 1)};
        p[i].group = (int32_t)(i & 1);
    }
    int64_t kept = hsp_scatter_thin(p, N, frame), sum = 0;
    assert_in_range(kept, 50000, 220000);
    for (int64_t i = 0; i < kept; i++) sum += p[i].count;
    assert_int_equal(sum, N);
    free(p);
}

static void test_marks(void **state) {
    (void)state;
    double last = 1e9;
    for (int64_t n = 1; n < INT64_C(1000000000000); n *= 3) {
        hsp_mark m = hsp_scatter_mark(&hsp_style_light, n, 0, false),
                 wrong = hsp_scatter_mark(&hsp_style_light, n, 0, true);
        assert_true(m.radius <= last && m.radius > 1);
        assert_true(m.fill != wrong.fill || m.edge_colour != wrong.edge_colour);
        last = m.radius;
    }
}

/* Sixty-four classes differ in colour or marker, and neighbours in both. */
static void test_classes_differ(void **state) {
    (void)state;
    for (int64_t j = 0; j < 64; j++)
        for (int64_t k = 0; k < j; k++) {
            bool colour = hsp_style_class_colour(&hsp_style_light, j) != hsp_style_class_colour(&hsp_style_light, k);
            bool marker = hsp_style_class_marker(j) != hsp_style_class_marker(k);
            assert_true(colour || marker);
            if (j < 8) assert_true(colour && marker);
        }
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_same_place), cmocka_unit_test(test_many),
                                   cmocka_unit_test(test_marks), cmocka_unit_test(test_classes_differ)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
