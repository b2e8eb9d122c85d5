/* The curves of every level: against the C library in long double, over all magnitudes, and bit for bit against the plain
 * level, for every length around the widths of vectors and blocks. */
#include "base/rng.h"
#include "kernel/level.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const NAMES[] = {"plain", "v3", "v4"};
enum { COUNT = 20000 };
static double y[COUNT], x[COUNT], out[3][COUNT];

/* The error of `got` in units of the last place of `right`; for subnormal numbers of the least one. */
static double units(double got, long double right) {
    if ((long double)got == right) return 0;
    int e;
    frexpl(right, &e);
    return (double)(fabsl((long double)got - right) / ldexpl(1, e - 53 < -1074 ? -1074 : e - 53));
}

static double sign(hsp_rng *r) {
    return hsp_rng_below(r, 2) ? 1 : -1;
}

/* A number of any size up to `high`, down to high 2^-depth. */
static double of_any_size(hsp_rng *r, double high, int64_t depth) {
    return ldexp(high * hsp_rng_uniform(r), -(int)hsp_rng_below(r, depth));
}

static void each_level(void (*check)(const hsp_level *)) {
    int found = 0;
    for (int k = 0; k < 3; k++)
        if (hsp_level_choose(NAMES[k])) {
            check(hsp_level_now());
            found++;
        }
    assert_true(found >= 1);
    assert_true(hsp_level_choose(NULL));
}

/* ---- the logistic loss ---- */

static void right_logistic(double m, long double *right) {
    long double e = expl(-fabsl((long double)m));
    right[0] = log1pl(e) + (m < 0 ? -(long double)m : 0);
    right[1] = -(m >= 0 ? e / (1 + e) : 1 / (1 + e));
    right[2] = e / ((1 + e) * (1 + e));
}

static void check_logistic(const hsp_level *level) {
    static const double size[] = {1, 5, 40, 800};
    const double most[3] = {3.5, 3.5, 5.5};
    hsp_rng r = hsp_rng_new(1, 0);
    for (int64_t i = 0; i < COUNT; i++) {
        y[i] = sign(&r);
        x[i] = i % 5 == 4 ? sign(&r) * of_any_size(&r, 1, 1060) : size[i % 5] * (2 * hsp_rng_uniform(&r) - 1);
    }
    level->logistic(y, x, COUNT, out[0], out[1], out[2]);
    for (int64_t i = 0; i < COUNT; i++) {
        long double right[3];
        right_logistic(y[i] * x[i], right);
        right[1] *= y[i];
        for (int k = 0; k < 3; k++) assert_true(units(out[k][i], right[k]) <= most[k]);
    }
}

static void the_logistic_loss_loses_no_digits(void **unused) {
    (void)unused;
    each_level(check_logistic);
}

static void check_logistic_ends(const hsp_level *level) {
    const double g[] = {INFINITY, -INFINITY, 1e300, -1e300, 750, -750, 746, 745.2, -745.2, 0, -0.0, DBL_MIN, 5e-324, NAN};
    enum { ENDS = sizeof g / sizeof *g };
    for (int i = 0; i < ENDS; i++) y[i] = 1;
    level->logistic(y, g, ENDS, out[0], out[1], out[2]);
    for (int i = 0; i < ENDS - 1; i++) {
        long double right[3];
        right_logistic(g[i], right);
        for (int k = 0; k < 3; k++) assert_true(out[k][i] == (double)right[k] || units(out[k][i], right[k]) <= 1);
        assert_true(out[0][i] >= 0 && out[1][i] >= -1 && out[1][i] <= 0 && out[2][i] >= 0 && out[2][i] <= 0.25);
    }
    for (int k = 0; k < 3; k++) assert_true(isnan(out[k][ENDS - 1]));
}

static void the_logistic_loss_keeps_to_its_range(void **unused) {
    (void)unused;
    each_level(check_logistic_ends);
}

/* Each output alone, two of them, and written over the inputs: the same bits. */
static void check_logistic_parts(const hsp_level *level) {
    enum { N = 777 };
    double alone[N], over_y[N], over_g[N];
    hsp_rng r = hsp_rng_new(2, 0);
    for (int i = 0; i < N; i++) y[i] = sign(&r), x[i] = 20 * hsp_rng_normal(&r);
    level->logistic(y, x, N, out[0], out[1], out[2]);
    for (int wanted = 0; wanted < 8; wanted++) {
        double *part[3];
        for (int k = 0; k < 3; k++) {
            part[k] = !(wanted >> k & 1) ? NULL : wanted == 1 << k ? alone : k == 0 ? alone : k == 1 ? over_y : over_g;
        }
        memcpy(over_y, y, sizeof over_y);
        memcpy(over_g, x, sizeof over_g);
        level->logistic(over_y, over_g, N, part[0], part[1], part[2]);
        for (int k = 0; k < 3; k++)
            if (part[k]) assert_memory_equal(part[k], out[k], sizeof alone);
    }
}

static void outputs_do_not_depend_on_one_another(void **unused) {
    (void)unused;
    each_level(check_logistic_parts);
}

/* ---- the others ---- */

static long double right_entropy(long double a) {
    return -((a > 0 ? a * logl(a) : 0) + (a < 1 ? (1 - a) * log1pl(-a) : 0));
}

static void check_entropy(const hsp_level *level) {
    hsp_rng r = hsp_rng_new(3, 0);
    for (int64_t i = 0; i < COUNT; i++) {
        double a = i % 3 == 0 ? hsp_rng_uniform(&r) : i % 3 == 1 ? of_any_size(&r, 1, 1074) : 1 - of_any_size(&r, 1, 53);
        y[i] = sign(&r);
        x[i] = y[i] * a;
    }
    level->entropy(y, x, COUNT, out[0]);
    for (int64_t i = 0; i < COUNT; i++) assert_true(units(out[0][i], right_entropy(y[i] * x[i])) <= 3);
    const double end[] = {0, -0.0, 1, 0.5, 5e-324, 1 - 0x1p-53, -5e-324, 1 + 0x1p-52, -3, 4, NAN};
    for (int i = 0; i < 11; i++) y[i] = 1;
    level->entropy(y, end, 11, out[0]);
    assert_true(out[0][0] == 0 && out[0][1] == 0 && out[0][2] == 0 && isnan(out[0][10]));
    for (int i = 3; i < 6; i++) assert_true(units(out[0][i], right_entropy(end[i])) <= 3);
    for (int i = 6; i < 10; i++) assert_true(out[0][i] < 0); /* outside of the domain there is nothing to compute */
}

static void the_entropy_is_good_at_both_ends(void **unused) {
    (void)unused;
    each_level(check_entropy);
}

static void check_exp_and_log(const hsp_level *level) {
    hsp_rng r = hsp_rng_new(4, 0);
    for (int64_t i = 0; i < COUNT; i++) x[i] = i % 2 ? -of_any_size(&r, 750, 60) : -750 * hsp_rng_uniform(&r);
    level->exps(COUNT, x, out[0]);
    for (int64_t i = 0; i < COUNT; i++) assert_true(units(out[0][i], expl(x[i])) <= 1.5);
    for (int64_t i = 0; i < COUNT; i++) x[i] = i % 2 ? of_any_size(&r, 1, 1074) : of_any_size(&r, 1e6, 24);
    level->log1ps(COUNT, x, out[0]);
    for (int64_t i = 0; i < COUNT; i++) assert_true(units(out[0][i], log1pl(x[i])) <= 2.5);
    const double end[] = {0, -0.0, -INFINITY, -1e300, -746, NAN}, right[] = {1, 1, 0, 0, 0};
    level->exps(6, end, out[0]);
    for (int i = 0; i < 5; i++) assert_true(out[0][i] == right[i]);
    assert_true(isnan(out[0][5]));
    const double low[] = {0, NAN};
    level->log1ps(2, low, out[0]);
    assert_true(out[0][0] == 0 && isnan(out[0][1]));
}

static void exp_and_log_are_good(void **unused) {
    (void)unused;
    each_level(check_exp_and_log);
}

/* exp never decreases, also from one power of 2 to the next. */
static void check_order(const hsp_level *level) {
    for (int k = 1; k < 1000; k += 13) {
        double middle = -(k - 0.5) * 0.69314718055994530942;
        for (int i = 0; i < 64; i++) x[i] = middle * (1 + (32 - i) * 0x1p-52);
        level->exps(64, x, out[0]);
        for (int i = 1; i < 64; i++) assert_true(out[0][i] >= out[0][i - 1] * (1 - 0x1p-52));
    }
}

static void there_are_no_jumps(void **unused) {
    (void)unused;
    each_level(check_order);
}

/* ---- the same bits ---- */

static int64_t everything(int64_t n, double *all) {
    const hsp_level *level = hsp_level_now();
    hsp_rng r = hsp_rng_new(5, (uint64_t)n);
    for (int64_t i = 0; i < n; i++) y[i] = sign(&r), x[i] = sign(&r) * of_any_size(&r, 800, 20);
    level->logistic(y, x, n, all, all + n, all + 2 * n);
    for (int64_t i = 0; i < n; i++) x[i] = y[i] * (i % 2 ? hsp_rng_uniform(&r) : of_any_size(&r, 1, 1074));
    level->entropy(y, x, n, all + 3 * n);
    for (int64_t i = 0; i < n; i++) x[i] = -of_any_size(&r, 800, 20);
    level->exps(n, x, all + 4 * n);
    for (int64_t i = 0; i < n; i++) x[i] = of_any_size(&r, 1e4, 30);
    level->log1ps(n, x, all + 5 * n);

    return 6 * n;
}

static void every_level_gives_the_same_bits(void **unused) {
    (void)unused;
    static double plain[6 * 2000], other[6 * 2000];
    for (int64_t n = 0; n < 1100; n += n < 70 ? 1 : 103) {
        assert_true(hsp_level_choose("plain"));
        int64_t count = everything(n, plain);
        for (int k = 1; k < 3; k++)
            if (hsp_level_choose(NAMES[k])) {
                everything(n, other);
                assert_memory_equal(plain, other, (size_t)count * sizeof *plain);
            }
    }
    assert_true(hsp_level_choose(NULL));
}

/* A number's result does not depend on its place in a block: the tail uses other instructions. */
static void a_block_is_its_numbers(void **unused) {
    (void)unused;
    enum { N = 300 };
    hsp_rng r = hsp_rng_new(6, 0);
    for (int i = 0; i < N; i++) y[i] = sign(&r), x[i] = 10 * hsp_rng_normal(&r);
    hsp_level_now()->logistic(y, x, N, out[0], out[1], out[2]);
    for (int i = 0; i < N; i++) {
        double one[3];
        hsp_level_now()->logistic(y + i, x + i, 1, one, one + 1, one + 2);
        for (int k = 0; k < 3; k++) assert_true(one[k] == out[k][i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_logistic_loss_loses_no_digits),
        cmocka_unit_test(the_logistic_loss_keeps_to_its_range),
        cmocka_unit_test(outputs_do_not_depend_on_one_another),
        cmocka_unit_test(the_entropy_is_good_at_both_ends),
        cmocka_unit_test(exp_and_log_are_good),
        cmocka_unit_test(there_are_no_jumps),
        cmocka_unit_test(every_level_gives_the_same_bits),
        cmocka_unit_test(a_block_is_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
