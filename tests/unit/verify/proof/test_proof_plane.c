#include "verify/proof/exact.h"
#include "verify/proof/test_proof.h"

#include <gmp.h>

/* A double of any size, denormal ones included. */
static double wild(hsp_rng *r) {
    double v = hsp_rng_normal(r);
    int64_t kind = hsp_rng_below(r, 6);
    if (kind == 0) return 0;
    if (kind == 1) return ldexp(v, (int)hsp_rng_below(r, 1900) - 1000);
    if (kind == 2) return (double)(hsp_rng_below(r, 7) - 3);
    if (kind == 3) return DBL_TRUE_MIN * (double)(hsp_rng_below(r, 100) + 1);
    return v;
}

static void sums_are_exact(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(3, 1);
    mpq_t sum, a, b;
    mpq_inits(sum, a, b, NULL);
    for (int go = 0; go < 3000; go++) {
        hsp_exact s;
        hsp_exact_clear(&s);
        mpq_set_ui(sum, 0, 1);
        double last[2] = {0, 0};
        for (int64_t t = 0, n = hsp_rng_below(&r, 20); t < n; t++) {
            double u = wild(&r), v = wild(&r);
            if (t > 0 && hsp_rng_below(&r, 3) == 0) u = -last[0], v = last[1]; /* cancels */
            last[0] = u, last[1] = v;
            hsp_exact_add_product(&s, u, v);
            mpq_set_d(a, u);
            mpq_set_d(b, v);
            mpq_mul(a, a, b);
            mpq_add(sum, sum, a);
        }
        assert_int_equal(hsp_exact_sign(&s), mpq_sgn(sum));
        mpq_abs(sum, sum);
        double down = hsp_exact_round(&s, false), up = hsp_exact_round(&s, true);
        mpq_set_d(a, down);
        assert_true(mpq_cmp(a, sum) <= 0);
        if (isfinite(up)) {
            mpq_set_d(a, up);
            assert_true(mpq_cmp(a, sum) >= 0);
            assert_true(up <= down * (1 + DBL_EPSILON) || up <= DBL_MIN);
        }
        assert_int_equal(hsp_exact_sign(&s) != 0, mpq_sgn(sum) != 0); /* still the same */
    }
    mpq_clears(sum, a, b, NULL);
}

static void splitting_is_exact(void **unused) {
    (void)unused;
    const double v[] = {1, -3, 0.1, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, -1e-310, 1e300};
    int e;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
        int64_t m = hsp_exact_split(v[i], &e);
        assert_true(m % 2 != 0);
        assert_true(ldexp((double)m, e) == v[i]);
    }
    assert_int_equal(hsp_exact_split(0, &e), 0);
    assert_int_equal(hsp_exact_split(-0.0, &e), 0);
}

/* Two points on a line, the plane between them, moved by an ulp onto a point and past it. */
static void a_plane_that_misses_by_an_ulp(void **unused) {
    (void)unused;
    double x[] = {0.1, 0.3};
    const int8_t y[] = {-1, 1};
    sided *s = dense_rows(x, y, 2, 1);
    double w = 1, margin;
    assert_int_equal(plane_kind(s, &w, -0.2, &margin), HSP_PROOF_EXACT);
    assert_true(margin > 0.0999999 && margin < 0.1000001);
    assert_int_equal(plane_kind(s, &w, -0.3, &margin), HSP_PROOF_NONE);
    assert_true(isnan(margin));
    assert_int_equal(plane_kind(s, &w, nextafter(-0.3, 0), &margin), HSP_PROOF_EXACT);
    assert_true(margin > 0 && margin <= 0.3 - nextafter(0.3, 0));
    assert_int_equal(plane_kind(s, &w, nextafter(-0.3, -1), NULL), HSP_PROOF_NONE);
    assert_int_equal(plane_kind(s, &w, -0.1, NULL), HSP_PROOF_NONE);
    assert_int_equal(plane_kind(s, &w, nextafter(-0.1, -1), NULL), HSP_PROOF_EXACT);
    w = NAN;
    assert_int_equal(plane_kind(s, &w, -0.2, NULL), HSP_PROOF_NONE);
    w = 1;
    assert_int_equal(plane_kind(s, &w, INFINITY, NULL), HSP_PROOF_NONE);
    free(s);
}

static void huge_and_tiny_numbers(void **unused) {
    (void)unused;
    double x[] = {1e300, -1e300, 1e300, -1.0000000000000002e300, 1e-300, DBL_TRUE_MIN};
    const int8_t y[] = {1, 0, 0};
    double w[] = {1e300, 1e300}, margin;
    sided *s = dense_rows(x, y, 1, 2);
    /* 1e600 - 1e600 + b */
    assert_int_equal(plane_kind(s, w, DBL_TRUE_MIN, &margin), HSP_PROOF_EXACT);
    assert_true(margin >= 0 && margin < DBL_MIN);
    assert_int_equal(plane_kind(s, w, 0, NULL), HSP_PROOF_NONE);
    assert_int_equal(plane_kind(s, w, -DBL_TRUE_MIN, NULL), HSP_PROOF_NONE);
    free(s);
    s = dense_rows(x + 2, y, 1, 2);
    assert_int_equal(plane_kind(s, w, 1e300, NULL), HSP_PROOF_NONE); /* -2e584 or so */
    free(s);
    s = dense_rows(x + 4, y, 1, 2);
    double tiny[] = {1e-300, -1e-300};
    assert_int_equal(plane_kind(s, tiny, 0, &margin), HSP_PROOF_EXACT); /* 1e-600, all of it below any double */
    assert_true(margin > 7.0e-301 && margin < 7.0711e-301);
    tiny[0] = 0;
    assert_int_equal(plane_kind(s, tiny, 0, NULL), HSP_PROOF_NONE);
    free(s);
}

static void rows_without_a_side_do_not_count(void **unused) {
    (void)unused;
    double x[] = {1, -1, 5}, w = 1, zero = 0, margin;
    const int8_t y[] = {1, -1, 0}, none[] = {0, 0, 0}, one[] = {1, 1, 1};
    sided *s = dense_rows(x, y, 3, 1);
    assert_int_equal(plane_kind(s, &w, 0, &margin), HSP_PROOF_EXACT);
    assert_true(margin <= 1 && margin > 1 - 1e-14);
    s->q.y = none;
    assert_int_equal(plane_kind(s, &zero, 0, &margin), HSP_PROOF_EXACT);
    assert_true(margin == INFINITY);
    s->q.y = one;
    assert_int_equal(plane_kind(s, &zero, 1, &margin), HSP_PROOF_EXACT);
    assert_true(margin == INFINITY);
    assert_int_equal(plane_kind(s, &zero, 0, &margin), HSP_PROOF_NONE);
    s->q.origin = true;
    assert_int_equal(plane_kind(s, &zero, 1, &margin), HSP_PROOF_NONE); /* no b there */
    free(s);
}

/* The smallest y g as a rational, with the sign of the answer. */
static int least_by_rationals(const double *x, const int8_t *y, int64_t n, int64_t d, const double *w, double b,
                              mpq_t least) {
    mpq_t g, u, v;
    mpq_inits(g, u, v, NULL);
    bool any = false;
    for (int64_t i = 0; i < n; i++) {
        if (y[i] == 0) continue;
        mpq_set_d(g, b);
        for (int64_t j = 0; j < d; j++) {
            mpq_set_d(u, w[j]);
            mpq_set_d(v, x[i * d + j]);
            mpq_mul(u, u, v);
            mpq_add(g, g, u);
        }
        if (y[i] < 0) mpq_neg(g, g);
        if (!any || mpq_cmp(g, least) < 0) mpq_set(least, g);
        any = true;
    }
    mpq_clears(g, u, v, NULL);
    return mpq_sgn(least);
}

/* margin^2 |w|^2 <= least^2, as rationals, and not far below. */
static void margin_is_a_bound(double margin, const double *w, int64_t d, mpq_t least) {
    mpq_t m, norm, v;
    mpq_inits(m, norm, v, NULL);
    for (int64_t j = 0; j < d; j++) {
        mpq_set_d(v, w[j]);
        mpq_mul(v, v, v);
        mpq_add(norm, norm, v);
    }
    mpq_set_d(m, margin);
    mpq_mul(m, m, m);
    mpq_mul(m, m, norm);
    mpq_mul(v, least, least);
    assert_true(mpq_cmp(m, v) <= 0);
    if (margin > 1e-290 && margin < DBL_MAX) {
        mpq_set_d(norm, 1 + 1e-10);
        mpq_mul(m, m, norm);
        assert_true(mpq_cmp(m, v) >= 0);
    }
    mpq_clears(m, norm, v, NULL);
}

/* Sides given by a plane, then one coordinate of a row changed by about an ulp: in every layout the verdict of
 * rationals. */
static void random_planes_against_rationals(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(11, 1);
    mpq_t least;
    mpq_init(least);
    int right = 0, wrong = 0;
    for (int go = 0; go < 400; go++) {
        int64_t n = 1 + hsp_rng_below(&r, 6), d = 1 + hsp_rng_below(&r, 11);
        double x[6 * 11], w[11], b = hsp_rng_below(&r, 2) ? wild(&r) : hsp_rng_normal(&r), margin;
        int8_t y[6];
        bool single = hsp_rng_below(&r, 2);
        for (int64_t j = 0; j < d; j++) w[j] = go % 2 ? wild(&r) : hsp_rng_normal(&r);
        for (int64_t i = 0; i < n; i++) {
            double g = b;
            for (int64_t j = 0; j < d; j++) {
                x[i * d + j] = single ? (float)hsp_rng_normal(&r) : go % 3 ? hsp_rng_normal(&r) : wild(&r);
                g += x[i * d + j] * w[j];
            }
            y[i] = g > 0 ? 1 : -1;
            if (!single && go % 2 == 0 && w[d - 1] != 0) { /* onto the plane, nearly */
                x[i * d + d - 1] -= g / w[d - 1];
                if (!isfinite(x[i * d + d - 1])) x[i * d + d - 1] = 0;
            }
        }
        int sign = least_by_rationals(x, y, n, d, w, b, least);
        sided *dense = dense_rows(x, y, n, d), *sparse = sparse_rows(x, y, n, d, single);
        hsp_proof_kind kind = plane_kind(dense, w, b, &margin);
        assert_int_equal(kind, sign > 0 ? HSP_PROOF_EXACT : HSP_PROOF_NONE);
        assert_int_equal(plane_kind(sparse, w, b, NULL), kind);
        if (sign > 0 && isfinite(margin)) margin_is_a_bound(margin, w, d, least);
        dense->x.stored = sparse->x.stored = 1 << 21; /* as if there were many: error bounds now */
        kind = plane_kind(dense, w, b, &margin);
        assert_int_equal(kind != HSP_PROOF_NONE, sign > 0);
        if (sign > 0 && kind == HSP_PROOF_EXACT && isfinite(margin)) margin_is_a_bound(margin, w, d, least);
        assert_int_equal(plane_kind(sparse, w, b, NULL) != HSP_PROOF_NONE, sign > 0);
        right += sign > 0, wrong += sign <= 0;
        free(dense);
        sparse_free(sparse);
    }
    assert_true(right > 50 && wrong > 50);
    mpq_clear(least);
}

/* Well-conditioned rows of every layout are checked by error bounds, with the same margin for any number of threads. */
static void many_rows_are_bounded(void **unused) {
    (void)unused;
    enum { N = 5000, D = 19 };
    hsp_rng r = hsp_rng_new(5, 1);
    double *x = calloc(N * D, sizeof *x), w[D], one, two, exact;
    int8_t *y = calloc(N, sizeof *y);
    for (int j = 0; j < D; j++) w[j] = hsp_rng_normal(&r);
    for (int i = 0; i < N; i++) {
        double g = 0.25;
        for (int j = 0; j < D; j++) g += w[j] * (x[i * D + j] = (float)hsp_rng_normal(&r));
        y[i] = (int8_t)(g > 0 ? 1 : -1);
    }
    for (int layout = 0; layout < 3; layout++) {
        sided *s = layout == 0 ? dense_rows(x, y, N, D) : sparse_rows(x, y, N, D, layout == 2);
        assert_int_equal(plane_kind(s, w, 0.25, &exact), HSP_PROOF_EXACT);
        s->x.stored = 1 << 21;
        assert_int_equal(plane_kind(s, w, 0.25, &one), HSP_PROOF_BOUNDED);
        s->q.threads = 2;
        assert_int_equal(plane_kind(s, w, 0.25, &two), HSP_PROOF_BOUNDED);
        assert_true(one == two && one <= exact && one > exact * (1 - 1e-9) - 1e-13);
        y[N / 2] = (int8_t)-y[N / 2];
        assert_int_equal(plane_kind(s, w, 0.25, &one), HSP_PROOF_NONE);
        y[N / 2] = (int8_t)-y[N / 2];
        if (layout == 0)
            free(s);
        else
            sparse_free(s);
    }
    free(x);
    free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(splitting_is_exact),
        cmocka_unit_test(a_plane_that_misses_by_an_ulp),
        cmocka_unit_test(huge_and_tiny_numbers),
        cmocka_unit_test(rows_without_a_side_do_not_count),
        cmocka_unit_test(random_planes_against_rationals),
        cmocka_unit_test(many_rows_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
