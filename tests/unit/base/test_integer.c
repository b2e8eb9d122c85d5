/* Integers of any size against GMP, operation by operation, at sizes and bit patterns where carries, borrows and estimates go
 * wrong; results that are operands; and lack of memory, which marks the computation and ends it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/integer.h"
#include "base/memory.h"
#include "base/rng.h"

#include <stdio.h> /* before GMP, which then declares its printing */

#include <gmp.h>
#include <string.h>

static hsp_integer_memory memory;

/* A number of up to `limbs` limbs: random, or runs of ones and zeros, which make long carries. */
static void choose(hsp_rng *r, int64_t limbs, mpz_t out) {
    mpz_set_ui(out, 0);
    int64_t n = hsp_rng_below(r, limbs + 1);
    int way = (int)hsp_rng_below(r, 4);
    for (int64_t i = 0; i < n; i++) {
        uint64_t v = hsp_rng_next(r);
        if (way == 1) v = hsp_rng_below(r, 2) ? UINT64_MAX : 0;
        if (way == 2) v = (uint64_t)1 << hsp_rng_below(r, 64);
        if (way == 3) v = UINT64_MAX - (uint64_t)hsp_rng_below(r, 3);
        mpz_mul_2exp(out, out, 64);
        mpz_add_ui(out, out, v);
    }
    if (hsp_rng_below(r, 3) == 0) mpz_tdiv_q_2exp(out, out, (mp_bitcnt_t)hsp_rng_below(r, 64));
    if (hsp_rng_below(r, 2)) mpz_neg(out, out);
}

static void from_gmp(hsp_integer out, const mpz_t v) {
    hsp_integer_set_int(out, 0);
    for (size_t i = mpz_size(v); i-- > 0;) {
        hsp_integer_shift_up(out, out, 64);
        hsp_integer_add_unsigned(out, out, mpz_getlimbn(v, (mp_size_t)i));
    }
    if (mpz_sgn(v) < 0) hsp_integer_negate(out);
}

static void same(hsp_integer_const v, const mpz_t right, const char *what) {
    bool equal = (size_t)(v->size < 0 ? -v->size : v->size) == mpz_size(right) && hsp_integer_sign(v) == mpz_sgn(right);
    for (size_t i = 0; equal && i < mpz_size(right); i++) equal = v->limb[i] == mpz_getlimbn(right, (mp_size_t)i);
    if (!equal) {
        gmp_fprintf(stderr, "%s: right is %Zx\n", what, right);
        fail_msg("%s", what);
    }
}

typedef struct trial {
    mpz_t a, b, c, right, rest;
    hsp_integer x, y, z, out, other;
} trial;

static void trial_begin(trial *t) {
    mpz_inits(t->a, t->b, t->c, t->right, t->rest, NULL);
    HSP_INTEGERS_INIT(&memory, t->x, t->y, t->z, t->out, t->other);
}

static void trial_end(trial *t) {
    mpz_clears(t->a, t->b, t->c, t->right, t->rest, NULL);
    HSP_INTEGERS_FREE(t->x, t->y, t->z, t->out, t->other);
    assert_false(memory.failed);
    hsp_integer_memory_free(&memory);
}

static void trial_choose(trial *t, hsp_rng *r, int64_t n, int64_t m) {
    choose(r, n, t->a);
    choose(r, m, t->b);
    from_gmp(t->x, t->a);
    from_gmp(t->y, t->b);
    same(t->x, t->a, "set");
}

/* ---- sums and products ---- */

typedef void binary(hsp_integer out, hsp_integer_const a, hsp_integer_const b);

/* out apart, out = a, out = b, and all the same. */
static void check_binary(trial *t, binary *f, void (*right)(mpz_ptr, mpz_srcptr, mpz_srcptr), const char *what) {
    right(t->right, t->a, t->b);
    f(t->out, t->x, t->y);
    same(t->out, t->right, what);
    hsp_integer_set(t->out, t->x);
    f(t->out, t->out, t->y);
    same(t->out, t->right, what);
    hsp_integer_set(t->out, t->y);
    f(t->out, t->x, t->out);
    same(t->out, t->right, what);
    right(t->right, t->a, t->a);
    hsp_integer_set(t->out, t->x);
    f(t->out, t->out, t->out);
    same(t->out, t->right, what);
}

static void check_add_product(trial *t, hsp_rng *r) {
    for (int way = 0; way < 2; way++) {
        binary *f = way ? hsp_integer_sub_product : hsp_integer_add_product;
        void (*right)(mpz_ptr, mpz_srcptr, mpz_srcptr) = way ? mpz_submul : mpz_addmul;
        choose(r, 9, t->c);
        if (hsp_rng_below(r, 4) == 0) { /* nearly or exactly 0 comes out */
            mpz_mul(t->c, t->a, t->b);
            if (!way) mpz_neg(t->c, t->c);
            if (hsp_rng_below(r, 2)) mpz_add_ui(t->c, t->c, 1);
        }
        from_gmp(t->out, t->c);
        mpz_set(t->right, t->c);
        right(t->right, t->a, t->b);
        f(t->out, t->x, t->y);
        same(t->out, t->right, "add or subtract a product");
        mpz_set(t->right, t->a);
        right(t->right, t->right, t->b);
        hsp_integer_set(t->out, t->x);
        f(t->out, t->out, t->y);
        same(t->out, t->right, "of the result itself");
        mpz_set(t->right, t->a);
        right(t->right, t->b, t->right);
        hsp_integer_set(t->out, t->x);
        f(t->out, t->y, t->out);
        same(t->out, t->right, "by the result itself");
    }
}

static void sums_and_products(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(1, 0);
    trial t;
    trial_begin(&t);
    for (int i = 0; i < 20000; i++) {
        trial_choose(&t, &r, 1 + i % 7, 1 + i % 11 % 5);
        check_binary(&t, hsp_integer_add, mpz_add, "add");
        check_binary(&t, hsp_integer_sub, mpz_sub, "sub");
        check_binary(&t, hsp_integer_mul, mpz_mul, "mul");
        check_add_product(&t, &r);
        int64_t v = (int64_t)hsp_rng_next(&r) >> hsp_rng_below(&r, 64);
        if (i % 50 == 0) v = INT64_MIN;
        mpz_mul_si(t.right, t.a, v);
        hsp_integer_mul_int(t.out, t.x, v);
        same(t.out, t.right, "mul_int");
        mpz_mul_ui(t.right, t.a, (uint64_t)v);
        hsp_integer_mul_unsigned(t.out, t.x, (uint64_t)v);
        same(t.out, t.right, "mul_unsigned");
        mpz_add_ui(t.right, t.a, (uint64_t)v);
        hsp_integer_add_unsigned(t.out, t.x, (uint64_t)v);
        same(t.out, t.right, "add_unsigned");
        mpz_set_si(t.right, v);
        hsp_integer_set_int(t.out, v);
        same(t.out, t.right, "set_int");
        assert_int_equal(hsp_integer_compare(t.x, t.y), (mpz_cmp(t.a, t.b) > 0) - (mpz_cmp(t.a, t.b) < 0));
        assert_int_equal(hsp_integer_compare_magnitudes(t.x, t.y), (mpz_cmpabs(t.a, t.b) > 0) - (mpz_cmpabs(t.a, t.b) < 0));
        assert_int_equal(hsp_integer_bits(t.x), mpz_sizeinbase(t.a, 2));
        assert_true(hsp_integer_low(t.x) == mpz_get_ui(t.a) && hsp_integer_is_one(t.x) == (mpz_cmp_ui(t.a, 1) == 0));
    }
    trial_end(&t);
}

static void shifts_and_powers(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(2, 0);
    trial t;
    trial_begin(&t);
    for (int i = 0; i < 5000; i++) {
        trial_choose(&t, &r, 5, 1);
        int64_t k = hsp_rng_below(&r, i % 2 ? 400 : 6) * (i % 3 ? 1 : 64);
        mpz_mul_2exp(t.right, t.a, (mp_bitcnt_t)k);
        hsp_integer_shift_up(t.out, t.x, k);
        same(t.out, t.right, "shift_up");
        hsp_integer_set(t.out, t.x);
        hsp_integer_shift_up(t.out, t.out, k);
        same(t.out, t.right, "shift_up of itself");
        mpz_tdiv_q_2exp(t.right, t.a, (mp_bitcnt_t)k);
        hsp_integer_shift_down(t.out, t.x, k);
        same(t.out, t.right, "shift_down");
        hsp_integer_set(t.out, t.x);
        hsp_integer_shift_down(t.out, t.out, k);
        same(t.out, t.right, "shift_down of itself");
        mpz_tdiv_r_2exp(t.right, t.a, (mp_bitcnt_t)k);
        hsp_integer_low_bits(t.out, t.x, k);
        same(t.out, t.right, "low_bits");
        uint64_t base = hsp_rng_next(&r) >> hsp_rng_below(&r, 64);
        mpz_ui_pow_ui(t.right, base, (unsigned long)k % 40);
        hsp_integer_power(t.out, base, k % 40);
        same(t.out, t.right, "power");
    }
    trial_end(&t);
}

/* ---- division ---- */

static void check_division(trial *t) {
    mpz_tdiv_qr(t->right, t->rest, t->a, t->b);
    hsp_integer_divide(t->out, t->other, t->x, t->y);
    same(t->out, t->right, "quotient");
    same(t->other, t->rest, "rest");
    hsp_integer_set(t->out, t->x);
    hsp_integer_set(t->other, t->y);
    hsp_integer_divide(t->out, t->other, t->out, t->other);
    same(t->out, t->right, "quotient in place");
    same(t->other, t->rest, "rest in place");
    hsp_integer_set(t->other, t->x);
    hsp_integer_divide(t->out, t->other, t->other, t->y);
    same(t->out, t->right, "quotient beside");
    same(t->other, t->rest, "rest of itself");
    hsp_integer_divide(NULL, t->other, t->x, t->y);
    same(t->other, t->rest, "rest alone");
    hsp_integer_divide(t->out, NULL, t->x, t->y);
    same(t->out, t->right, "quotient alone");
}

static void division(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 0);
    trial t;
    trial_begin(&t);
    for (int i = 0; i < 30000; i++) {
        trial_choose(&t, &r, 1 + i % 9, 1 + i % 7);
        if (mpz_sgn(t.b) == 0) continue;
        check_division(&t);
        uint64_t p = (hsp_rng_next(&r) >> hsp_rng_below(&r, 64)) | 1;
        assert_true(hsp_integer_mod_of(t.x, p) == mpz_fdiv_ui(t.a, p));
        assert_true(hsp_integer_mod_of(t.x, p - (p > 1)) == mpz_fdiv_ui(t.a, p - (p > 1)));
        mpz_mul(t.c, t.a, t.b); /* exactly */
        from_gmp(t.z, t.c);
        hsp_integer_divide_exactly(t.out, t.z, t.y);
        same(t.out, t.a, "exactly");
        hsp_integer_set(t.out, t.y);
        hsp_integer_divide_exactly(t.out, t.z, t.out);
        same(t.out, t.a, "exactly, by itself");
        hsp_integer_divide_exactly(t.z, t.z, t.y);
        same(t.z, t.a, "exactly, of itself");
        mpz_mul_ui(t.c, t.a, p);
        from_gmp(t.z, t.c);
        hsp_integer_divide_exactly_by(t.z, t.z, p);
        same(t.z, t.a, "exactly by a limb");
        mpz_abs(t.b, t.b);
        from_gmp(t.y, t.b);
        mpz_mod(t.right, t.a, t.b);
        hsp_integer_mod(t.out, t.x, t.y);
        same(t.out, t.right, "mod");
    }
    trial_end(&t);
}

static void common_divisors(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(4, 0);
    trial t;
    trial_begin(&t);
    for (int i = 0; i < 6000; i++) {
        trial_choose(&t, &r, 1 + i % 13, 1 + i % 8);
        choose(&r, i % 5, t.c);
        mpz_mul(t.a, t.a, t.c);
        mpz_mul(t.b, t.b, t.c);
        if (i % 40 == 0) { /* neighbours in Fibonacci's sequence: the longest way */
            mpz_fib2_ui(t.a, t.b, (unsigned long)i);
        }
        from_gmp(t.x, t.a);
        from_gmp(t.y, t.b);
        check_binary(&t, hsp_integer_gcd, mpz_gcd, "gcd");
    }
    trial_end(&t);
}

/* ---- doubles ---- */

static void doubles(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 0);
    trial t;
    trial_begin(&t);
    for (int i = 0; i < 10000; i++) {
        trial_choose(&t, &r, 6, 4);
        signed long e;
        int64_t mine;
        double right = mpz_get_d_2exp(&e, t.a), found = hsp_integer_split(t.x, &mine);
        assert_true(right == found && mine == e);
        if (mpz_sgn(t.a) == 0 || mpz_sgn(t.b) == 0) continue;
        int64_t shift = 63 - (int64_t)mpz_sizeinbase(t.a, 2) + (int64_t)mpz_sizeinbase(t.b, 2);
        bool more;
        uint64_t q = hsp_integer_quotient(t.x, t.y, shift, t.out, t.other, &more);
        mpz_abs(t.right, t.a);
        mpz_abs(t.rest, t.b);
        if (shift > 0) mpz_mul_2exp(t.right, t.right, (mp_bitcnt_t)shift);
        if (shift < 0) mpz_mul_2exp(t.rest, t.rest, (mp_bitcnt_t)-shift);
        mpz_tdiv_qr(t.right, t.rest, t.right, t.rest);
        assert_true(q == mpz_get_ui(t.right) && more == (mpz_sgn(t.rest) != 0));
    }
    trial_end(&t);
}

/* Sizes as in large proofs, once. */
static void large(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(6, 0);
    trial t;
    trial_begin(&t);
    for (int i = 0; i < 40; i++) {
        trial_choose(&t, &r, 400, 200);
        if (mpz_sgn(t.b) == 0) continue;
        check_binary(&t, hsp_integer_mul, mpz_mul, "mul");
        check_division(&t);
        check_binary(&t, hsp_integer_gcd, mpz_gcd, "gcd");
    }
    trial_end(&t);
}

/* ---- memory ---- */

/* A computation whose memory runs out at any allocation ends, marked, and its integers can be freed. */
static void no_memory(void **state) {
    (void)state;
    for (int64_t allowed = 0;; allowed++) {
        hsp_integer_memory m = {0};
        hsp_integer a, b, c;
        HSP_INTEGERS_INIT(&m, a, b, c);
        hsp_memory_fail_after(allowed);
        hsp_integer *list = hsp_integers_new(&m, 3);
        hsp_integer_power(a, 12345678901234567891u, 30);
        hsp_integer_power(b, 9876543210987654321u, 20);
        hsp_integer_gcd(c, a, b);
        hsp_integer_mul(c, a, b);
        hsp_integer_divide(a, b, c, b);
        hsp_integer_sub_product(c, a, a);
        if (list) hsp_integer_shift_up(list[1], c, 1000);
        hsp_integer_divide_exactly(c, c, a);
        hsp_memory_fail_after(-1);
        hsp_integers_free(list, 3);
        HSP_INTEGERS_FREE(a, b, c);
        hsp_integer_memory_free(&m);
        bool failed = m.failed;
        if (!failed) {
            assert_true(allowed > 5);
            return;
        }
    }
}

static void too_long(void **state) {
    (void)state;
    hsp_integer_memory m = {0};
    hsp_integer a;
    hsp_integer_init(a, &m);
    hsp_integer_set_int(a, 1);
    hsp_integer_shift_up(a, a, INT64_MAX);
    assert_true(m.failed && hsp_integer_sign(a) == 0);
    hsp_integer_free(a);
    hsp_integer_memory_free(&m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(sums_and_products), cmocka_unit_test(shifts_and_powers), cmocka_unit_test(division),
        cmocka_unit_test(common_divisors),   cmocka_unit_test(doubles),           cmocka_unit_test(large),
        cmocka_unit_test(no_memory),         cmocka_unit_test(too_long),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
