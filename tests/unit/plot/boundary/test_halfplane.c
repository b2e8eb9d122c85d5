#include "plot/boundary/halfplane.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double area(const hsp_polygon *p) {
    double twice = 0;
    for (int64_t i = 0; i < p->count; i++) {
        hsp_place2 a = p->corner[i], b = p->corner[(i + 1) % p->count];
        twice += a.x * b.y - b.x * a.y;
    }
    return twice / 2;
}

static int64_t sides_named(const hsp_polygon *p, int64_t name) {
    int64_t count = 0;
    for (int64_t i = 0; i < p->count; i++) count += p->side[i] == name;
    return count;
}

static double cut_area(hsp_halfplane h, int64_t sides) {
    hsp_polygon p;
    assert_int_equal(hsp_polygon_new(&p, 5), 0);
    hsp_polygon_square(&p);
    hsp_polygon_cut(&p, h, 7);
    double a = area(&p);
    assert_int_equal(sides_named(&p, 7), sides);
    hsp_polygon_clear(&p);
    return a;
}

static void expect_area(hsp_halfplane h, double want, int64_t sides) {
    assert_true(fabs(cut_area(h, sides) - want) < 1e-12);
}

static void test_cut(void **state) {
    (void)state;
    expect_area((hsp_halfplane){1, 0, -0.25}, 0.75, 1);
    expect_area((hsp_halfplane){-1, 0, 0.25}, 0.25, 1);
    expect_area((hsp_halfplane){1, 1, -0.5}, 0.875, 1); /* a corner is cut off: five sides */
    expect_area((hsp_halfplane){-1, -1, 0.5}, 0.125, 1);
    expect_area((hsp_halfplane){1, -1, 0}, 0.5, 1); /* through two corners */
    expect_area((hsp_halfplane){-1, 1, 0}, 0.5, 1);
    expect_area((hsp_halfplane){0, 0, 1}, 1, 0);
    expect_area((hsp_halfplane){0, 0, -1}, 0, 0);
    expect_area((hsp_halfplane){1, 0, 5}, 1, 0); /* the line is outside */
    expect_area((hsp_halfplane){1, 0, -5}, 0, 0);
    expect_area((hsp_halfplane){1, 0, 0}, 1, 0);  /* along a side, inside */
    expect_area((hsp_halfplane){-1, 0, 0}, 0, 0); /* along a side, outside */
    expect_area((hsp_halfplane){1, 1, 0}, 1, 0);  /* touches a corner */
    expect_area((hsp_halfplane){-1, -1, 0}, 0, 0);
}

/* Regions of the largest of K affine functions cover the square once. */
static void test_regions_partition(void **state) {
    (void)state;
    enum { K = 12 };
    double s[K][3];
    uint32_t seed = 1;
    for (int trial = 0; trial < 50; trial++) {
        for (int k = 0; k < K; k++)
            for (int j = 0; j < 3; j++) s[k][j] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 0x1p24 - 0.5;
        double sum = 0;
        hsp_polygon p;
        assert_int_equal(hsp_polygon_new(&p, 4 + K), 0);
        for (int k = 0; k < K; k++) {
            hsp_polygon_square(&p);
            for (int j = 0; j < K; j++)
                if (j != k)
                    hsp_polygon_cut(&p, (hsp_halfplane){s[k][0] - s[j][0], s[k][1] - s[j][1], s[k][2] - s[j][2]}, j);
            assert_true(area(&p) >= -1e-12);
            assert_int_equal(sides_named(&p, k), 0);
            sum += area(&p);
        }
        hsp_polygon_clear(&p);
        assert_true(fabs(sum - 1) < 1e-9);
    }
}

static void test_cut_of_nothing(void **state) {
    (void)state;
    hsp_polygon p;
    assert_int_equal(hsp_polygon_new(&p, 6), 0);
    hsp_polygon_square(&p);
    hsp_polygon_cut(&p, (hsp_halfplane){0, 0, -1}, 0);
    hsp_polygon_cut(&p, (hsp_halfplane){1, 0, 0}, 1);
    assert_int_equal(p.count, 0);
    hsp_polygon_clear(&p);
    hsp_polygon_clear(&p);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_cut), cmocka_unit_test(test_regions_partition),
                                   cmocka_unit_test(test_cut_of_nothing)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
