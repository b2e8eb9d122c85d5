/* The simplex method in integers, whose results are checked in rationals. */
#include "side_fixture.h"

#include "base/memory.h"
#include "base/rng.h"
#include "from_integer.h"
#include "separate/rational.h"

static double seconds_of(const hsp_rows_by_side *q) {
    double seconds = 0;
    assert_int_equal(hsp_rational_estimate(q, &seconds, NULL), 0);
    return seconds;
}

static bool never(const void *unused) {
    (void)unused;
    return false;
}

static bool always(const void *unused) {
    (void)unused;
    return true;
}

/* sum m_i a_i = 0, m >= 0 where required, not all 0 on rows that count; and few. */
static void check_witness(hsp_rational *l) {
    mpz_t sum, m, a;
    int64_t support = 0, counted = 0;
    mpz_inits(sum, m, a, NULL);
    for (int64_t j = 0; j < l->p; j++) {
        mpz_set_ui(sum, 0);
        for (int64_t i = 0; i < l->n; i++) {
            from_integer(m, l->m[i]);
            from_integer(a, l->A[i * l->p + j]);
            mpz_addmul(sum, m, a);
        }
        assert_int_equal(mpz_sgn(sum), 0);
    }
    for (int64_t i = 0; i < l->n; i++) {
        if (l->role[i] != HSP_ROLE_FREE_SIGN) assert_true(hsp_integer_sign(l->m[i]) >= 0);
        if (l->role[i] == HSP_ROLE_OUT) assert_int_equal(hsp_integer_sign(l->m[i]), 0);
        counted += l->role[i] == HSP_ROLE_COUNTS && hsp_integer_sign(l->m[i]) > 0;
        support += hsp_integer_sign(l->m[i]) != 0;
    }
    assert_true(counted > 0 && support <= l->p + 1);
    mpz_clears(sum, m, a, NULL);
}

/* a_i.v > 0 for rows that count, = 0 for those of free sign. */
static void check_plane(hsp_rational *l) {
    mpz_t sum, v, a;
    mpz_inits(sum, v, a, NULL);
    for (int64_t i = 0; i < l->n; i++) {
        mpz_set_ui(sum, 0);
        for (int64_t j = 0; j < l->p; j++) {
            from_integer(v, l->price[j]);
            from_integer(a, l->A[i * l->p + j]);
            mpz_submul(sum, v, a);
        }
        if (l->role[i] == HSP_ROLE_COUNTS) assert_true(mpz_sgn(sum) > 0);
        if (l->role[i] == HSP_ROLE_FREE_SIGN) assert_int_equal(mpz_sgn(sum), 0);
    }
    mpz_clears(sum, v, a, NULL);
}

static void test_every_end_is_exact(void **state) {
    (void)state;
    enum { N = 14, D = 5 };
    hsp_rng r = hsp_rng_new(8, 1);
    int planes = 0, witnesses = 0, faces = 0;
    for (int go = 0; go < 600; go++) {
        double x[N * D];
        int8_t y[N];
        int64_t n = 2 + hsp_rng_below(&r, N - 1), d = 1 + hsp_rng_below(&r, D);
        for (int64_t i = 0; i < n * d; i++) {
            x[i] = (double)(hsp_rng_below(&r, 7) - 3);
            if (go % 3 == 1) x[i] = hsp_rng_normal(&r);
            if (go % 3 == 2) x[i] = ldexp(x[i], (int)hsp_rng_below(&r, 200) - 100);
        }
        for (int64_t i = 0; i < n; i++) y[i] = (int8_t)(hsp_rng_below(&r, 3) - 1);
        y[0] = 1;
        hsp_matrix m = laid(x, n, d, go % 2 ? DENSE64 : SPARSE64);
        hsp_rows_by_side q = {.x = &m, .y = y, .origin = go % 5 == 0, .threads = 1};
        hsp_rational l;
        assert_true(isfinite(seconds_of(&q)));
        assert_int_equal(hsp_rational_new(&l, &q, 100, NULL), 0);
        for (int turn = 0; turn < 3; turn++) {
            hsp_rational_end end = hsp_rational_solve(&l, never, NULL);
            assert_int_not_equal(end, HSP_RATIONAL_STOPPED);
            planes += end == HSP_RATIONAL_PLANE, witnesses += end == HSP_RATIONAL_WITNESS;
            if (end == HSP_RATIONAL_PLANE) {
                check_plane(&l);
                faces += turn > 0 && l.role[0] == HSP_ROLE_FREE_SIGN;
                hsp_rational_reweigh(&l);
            } else {
                check_witness(&l);
            }
            if (turn == 0) l.role[0] = HSP_ROLE_FREE_SIGN;
            bool any = false;
            for (int64_t i = 0; i < n; i++) any |= l.role[i] == HSP_ROLE_COUNTS;
            if (!any) break;
        }
        hsp_rational_free(&l);
        unlaid(&m);
    }
    assert_true(planes > 100 && witnesses > 100 && faces > 20);
}

static void test_limits(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 1, 0, 1, 1, 0};
    const int8_t y[] = {1, 1, -1, -1};
    hsp_matrix m = laid(x, 4, 2, DENSE64);
    hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1};
    hsp_rational l;
    assert_int_equal(hsp_rational_new(&l, &q, 100, NULL), 0);
    assert_int_equal(hsp_rational_solve(&l, always, NULL), HSP_RATIONAL_STOPPED);
    l.most = 0;
    assert_int_equal(hsp_rational_solve(&l, never, NULL), HSP_RATIONAL_STOPPED);
    l.most = 100;
    assert_int_equal(hsp_rational_solve(&l, never, NULL), HSP_RATIONAL_WITNESS);
    hsp_rational_free(&l);
    ((double *)m.value)[3] = INFINITY;
    assert_true(isinf(seconds_of(&q)));
    unlaid(&m);
}

/* A plane that separates by less than the rounding of its weights: rounding one weight after the other finds doubles
 * that separate. */
static void test_rounding_in_turn(void **state) {
    (void)state;
    enum { N = 8, D = 3 };
    hsp_rng r = hsp_rng_new(8, 2);
    int found = 0, tried = 0;
    for (int go = 0; go < 60; go++) {
        double x[N * D], w[D], b, left = 10;
        int8_t y[N];
        for (int i = 0; i < N; i++) {
            y[i] = i % 2 ? 1 : -1;
            double u = hsp_rng_normal(&r), v = hsp_rng_normal(&r);
            x[i * D] = 1e3 * u, x[i * D + 1] = 1e3 * v, x[i * D + 2] = 700 * u - 300 * v + 1e5 + y[i] * 4e-11;
        }
        hsp_matrix m = laid(x, N, D, DENSE64);
        hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1};
        hsp_rational l;
        bool fits = false;
        assert_int_equal(hsp_rational_new(&l, &q, 100, NULL), 0);
        if (hsp_rational_solve(&l, never, NULL) == HSP_RATIONAL_PLANE) {
            assert_int_equal(hsp_rational_round_in_turn(&q, &left, 0, never, NULL, w, &b, &fits, NULL), 0);
            assert_true(left < 10);
            tried++;
        }
        if (fits) {
            hsp_proof_kind kind;
            double margin;
            kind = hsp_proof_check_plane(&q, w, b, &margin);
            assert_int_equal(kind, HSP_PROOF_EXACT);
            found++;
        }
        hsp_rational_free(&l);
        unlaid(&m);
    }
    assert_true(tried > 30 && 10 * found > 9 * tried);
}

static void test_memory(void **state) {
    (void)state;
    const double x[] = {0, 0, 1, 1, 0.1, 1, 1, 7};
    const int8_t y[] = {1, 1, -1, 1};
    hsp_matrix m = laid(x, 4, 2, DENSE64);
    hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1};
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 100; calls++) {
        hsp_error *err = NULL;
        double w[2], b, left = 10;
        bool fits;
        hsp_memory_fail_after(calls);
        status = hsp_rational_round_in_turn(&q, &left, 0, never, NULL, w, &b, &fits, &err);
        hsp_memory_fail_after(-1);
        assert_int_equal(status == 0, err == NULL);
        assert_int_equal(status == 0, fits);
        hsp_error_free(err);
    }
    assert_int_equal(status, 0);
    unlaid(&m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_every_end_is_exact),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_rounding_in_turn),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
