/* Random numbers: the same in every version, uniform, unbiased, with independent streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model must be reproducible from its seed in later versions: these numbers may never change. */
static void fixed(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 0);
    assert_true(hsp_rng_next(&r) == UINT64_C(0xc20b37740195e3cd));
    assert_true(hsp_rng_next(&r) == UINT64_C(0x11c57a221beb9bb1));
    assert_true(hsp_rng_normal(&r) == 0x1.aa93ad12c8a11p-7);
    assert_true(hsp_rng_below(&r, 1000000) == 942799);
}

static void state_is_two_words(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(9, 3);
    for (int i = 0; i < 100; i++) hsp_rng_normal(&r);
    hsp_rng again = {r.key, r.counter};
    for (int i = 0; i < 100; i++) assert_true(hsp_rng_normal(&r) == hsp_rng_normal(&again));
    hsp_rng tenth = {hsp_rng_new(9, 3).key, 10}, walk = hsp_rng_new(9, 3);
    for (int i = 0; i < 10; i++) hsp_rng_next(&walk);
    assert_true(hsp_rng_next(&walk) == hsp_rng_next(&tenth));
}

/* Every bit is set half the time, and every pair of neighbouring draws differs in half of the bits. */
static void check_bits(hsp_rng *a, hsp_rng *b) {
    enum { N = 40000 };
    int set[64] = {0}, differ[64] = {0};
    for (int i = 0; i < N; i++) {
        uint64_t x = hsp_rng_next(a), y = hsp_rng_next(b);
        for (int k = 0; k < 64; k++) {
            set[k] += (int)(x >> k & 1);
            differ[k] += (int)((x ^ y) >> k & 1);
        }
    }
    for (int k = 0; k < 64; k++) { /* 6 sigma = 600 */
        assert_in_range(set[k], N / 2 - 600, N / 2 + 600);
        assert_in_range(differ[k], N / 2 - 600, N / 2 + 600);
    }
}

static void streams(void **state) {
    (void)state;
    for (uint64_t s = 0; s < 4; s++) {
        hsp_rng a = hsp_rng_new(s, 0), b = hsp_rng_new(s, 1), c = hsp_rng_new(s + 1, 0), d = hsp_rng_new(s, 0);
        check_bits(&a, &b);
        check_bits(&c, &a);
        d.counter = 1;
        c = hsp_rng_new(s, 0);
        check_bits(&c, &d);
        a = hsp_rng_new(UINT64_MAX - s, s), b = hsp_rng_new(s, UINT64_MAX - s);
        check_bits(&a, &b);
    }
}

static void uniform(void **state) {
    (void)state;
    enum { N = 200000, CELLS = 100 };
    hsp_rng r = hsp_rng_new(2, 0);
    int count[CELLS] = {0};
    double chi = 0;
    for (int i = 0; i < N; i++) {
        double u = hsp_rng_uniform(&r);
        assert_true(u >= 0 && u < 1);
        count[(int)(u * CELLS)]++;
    }
    for (int k = 0; k < CELLS; k++) chi += pow(count[k] - N / CELLS, 2) / (N / CELLS);
    assert_true(chi > 50 && chi < 170); /* 99 degrees of freedom, 5 sigma */
}

static void normal(void **state) {
    (void)state;
    enum { N = 300000 };
    hsp_rng r = hsp_rng_new(3, 0);
    double moment[5] = {0}, beyond = 0;
    for (int i = 0; i < N; i++) {
        double z = hsp_rng_normal(&r);
        assert_true(isfinite(z));
        for (int k = 1; k <= 4; k++) moment[k] += pow(z, k) / N;
        beyond += fabs(z) > 1.959963984540054;
    }
    assert_true(fabs(moment[1]) < 0.01);
    assert_true(fabs(moment[2] - 1) < 0.015);
    assert_true(fabs(moment[3]) < 0.03);
    assert_true(fabs(moment[4] - 3) < 0.1);
    assert_true(fabs(beyond / N - 0.05) < 0.0025);
}

static void below(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(4, 0);
    int count[7] = {0};
    for (int i = 0; i < 70000; i++) count[hsp_rng_below(&r, 7)]++;
    for (int k = 0; k < 7; k++) assert_in_range(count[k], 9500, 10500);
    for (int i = 0; i < 100; i++) assert_int_equal(hsp_rng_below(&r, 1), 0);
    /* 3/8 of 2^64: eight draws for three results, so that without rejection every third one would be too rare. */
    int64_t range = INT64_C(3) << 61, third = 0;
    for (int i = 0; i < 30000; i++) {
        int64_t k = hsp_rng_below(&r, range);
        assert_true(k >= 0 && k < range);
        third += k % 3 == 2;
    }
    assert_in_range(third, 9500, 10500);
    for (int i = 0; i < 100; i++) assert_true(hsp_rng_below(&r, INT64_MAX) >= 0);
    assert_int_equal(hsp_rng_below(&r, 0), 0);
    assert_int_equal(hsp_rng_below(&r, -5), 0);
}

static void shuffle(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 0);
    int count[24] = {0};
    for (int i = 0; i < 48000; i++) {
        int64_t v[4] = {0, 1, 2, 3};
        hsp_rng_shuffle(&r, v, 4);
        int64_t smaller[3] = {0};
        for (int a = 0; a < 3; a++)
            for (int b = a + 1; b < 4; b++) smaller[a] += v[b] < v[a];
        assert_int_equal(v[0] + v[1] + v[2] + v[3], 6);
        count[smaller[0] * 6 + smaller[1] * 2 + smaller[2]]++;
    }
    for (int k = 0; k < 24; k++) assert_in_range(count[k], 1750, 2250);
    int64_t one = 7;
    hsp_rng_shuffle(&r, &one, 1);
    hsp_rng_shuffle(&r, NULL, 0);
    assert_int_equal(one, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed),   cmocka_unit_test(state_is_two_words),
        cmocka_unit_test(streams), cmocka_unit_test(uniform),
        cmocka_unit_test(normal),  cmocka_unit_test(below),
        cmocka_unit_test(shuffle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
