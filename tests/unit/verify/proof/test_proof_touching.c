#include "verify/proof/test_proof.h"

static void points_on_a_line(void **unused) {
    (void)unused;
    double x[] = {0, 1, 1, 3};
    const int8_t y[] = {-1, -1, 1, 1};
    const int64_t meet[] = {1, 2}, wrong[] = {0, 2};
    double w = 1, minus = -1, zero = 0;
    int64_t strict;
    sided *s = dense_rows(x, y, 4, 1);
    assert_int_equal(touching_kind(s, &w, meet, 2, &strict), HSP_PROOF_EXACT);
    assert_int_equal(strict, 2);
    assert_int_equal(touching_kind(s, &minus, meet, 2, &strict), HSP_PROOF_NONE);
    assert_int_equal(touching_kind(s, &zero, meet, 2, &strict), HSP_PROOF_NONE);
    assert_int_equal(touching_kind(s, &w, wrong, 2, &strict), HSP_PROOF_NONE); /* w' = 0 there */
    x[0] = 1.5;
    assert_int_equal(touching_kind(s, &w, meet, 2, &strict), HSP_PROOF_NONE);
    free(s);
}

/* Two squares with a common edge: the component of the plane along the edge must be removed. */
static void squares_with_a_common_edge(void **unused) {
    (void)unused;
    double x[] = {0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 0, 2, 1};
    const int8_t y[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    const int64_t edge[] = {2, 3, 4, 5}, corner[] = {3, 5};
    const double plain[] = {1, 0}, slanted[] = {1, 0.3}, back[] = {-1, 0.3};
    int64_t strict;
    sided *s = dense_rows(x, y, 8, 2);
    assert_int_equal(touching_kind(s, plain, edge, 4, &strict), HSP_PROOF_EXACT);
    assert_int_equal(strict, 4);
    assert_int_equal(touching_kind(s, slanted, edge, 4, &strict), HSP_PROOF_EXACT); /* projected */
    assert_int_equal(strict, 4);
    assert_int_equal(touching_kind(s, back, edge, 4, &strict), HSP_PROOF_NONE);
    assert_int_equal(touching_kind(s, slanted, corner, 2, &strict), HSP_PROOF_NONE); /* unprojected, it cuts */
    x[12] = nextafter(1, 0), x[14] = nextafter(1, 0);
    assert_int_equal(touching_kind(s, slanted, edge, 4, &strict), HSP_PROOF_NONE);
    x[12] = nextafter(1, 2), x[14] = nextafter(1, 2);
    assert_int_equal(touching_kind(s, slanted, edge, 4, &strict), HSP_PROOF_EXACT);
    free(s);
}

static void through_the_origin(void **unused) {
    (void)unused;
    double x[] = {1, 1, -1, -1, 3, 1, 3, -7};
    const int8_t y[] = {1, 1, 1, 1};
    const int64_t rows[] = {0, 1};
    const double w[] = {1, -0.9};
    int64_t strict;
    sided *s = dense_rows(x, y, 4, 2);
    s->q.origin = true;
    assert_int_equal(touching_kind(s, w, rows, 2, &strict), HSP_PROOF_EXACT);
    assert_int_equal(strict, 2);
    x[5] = 3;
    assert_int_equal(touching_kind(s, w, rows, 2, &strict), HSP_PROOF_EXACT);
    assert_int_equal(strict, 1);
    x[5] = nextafter(3, 4);
    assert_int_equal(touching_kind(s, w, rows, 2, &strict), HSP_PROOF_NONE);
    free(s);
}

/* Points on a slanted plane v.x = c on both sides, in doubles exactly (small integers), others off it; w about v. */
static void random_planes(void **unused) {
    (void)unused;
    enum { N = 40, D = 5 };
    hsp_rng r = hsp_rng_new(4, 1);
    for (int go = 0; go < 40; go++) {
        double x[N * D], v[D], w[D];
        int8_t y[N];
        int64_t rows[N], k = 0, strict, off = 0, d = 2 + hsp_rng_below(&r, D - 1);
        v[0] = 1;
        for (int64_t j = 1; j < d; j++) v[j] = (double)(hsp_rng_below(&r, 19) - 9);
        for (int64_t j = 0; j < d; j++) w[j] = v[j] * (1 + 1e-9 * hsp_rng_normal(&r));
        for (int64_t i = 0; i < N; i++) {
            double sum = 0, away = (double)(i % 2 ? hsp_rng_below(&r, 3) : 0);
            y[i] = hsp_rng_below(&r, 2) ? 1 : -1;
            for (int64_t j = 1; j < d; j++) sum += v[j] * (x[i * d + j] = (double)(hsp_rng_below(&r, 41) - 20));
            x[i * d] = 17 - sum + y[i] * away; /* v.x = 17 + y away */
            if (i % 2 == 0) rows[k++] = i;
            off += away > 0;
        }
        sided *s = go % 2 ? dense_rows(x, y, N, d) : sparse_rows(x, y, N, d, true);
        assert_int_equal(touching_kind(s, w, rows, k, &strict), HSP_PROOF_EXACT);
        assert_int_equal(strict, off);
        s->x.stored = 1LL << 40; /* as if there were many: error bounds for the rows off the plane */
        assert_int_equal(touching_kind(s, w, rows, k, &strict), HSP_PROOF_BOUNDED);
        assert_int_equal(strict, off);
        y[0] = (int8_t)-y[0]; /* on the plane: no matter */
        assert_int_equal(touching_kind(s, w, rows, k, &strict), HSP_PROOF_BOUNDED);
        for (int64_t i = 1; i < N; i += 2) y[i] = (int8_t)-y[i];
        assert_int_equal(touching_kind(s, w, rows, k, &strict), HSP_PROOF_NONE);
        rows[0] = 1; /* not ascending, or not on the plane */
        assert_int_equal(touching_kind(s, w, rows, k, &strict), HSP_PROOF_NONE);
        if (go % 2)
            free(s);
        else
            sparse_free(s);
    }
}

/* The result is the plane itself: in integers where it has them, else to the last bit. */
static void the_plane_is_given_as_it_is(void **unused) {
    (void)unused;
    double x[] = {0, 0, 2, 1, 0, 0, 4, 2, 5, 5, 1, -3}, plane[2], b = 7;
    const int8_t y[] = {-1, -1, 1, 1, 1, -1};
    const int64_t line[] = {0, 1, 2, 3};
    const double slanted[] = {-1.03, 2.01};
    hsp_proof_kind kind;
    int64_t strict;
    sided *s = dense_rows(x, y, 6, 2);
    assert_int_equal(hsp_proof_check_touching(&s->q, slanted, line, 4, &kind, &strict, plane, &b, NULL), HSP_OK);
    assert_int_equal(kind, HSP_PROOF_EXACT);
    assert_int_equal(strict, 2);
    assert_true(plane[0] == -1 && plane[1] == 2 && b == 0);
    for (int i = 0; i < 12; i++) x[i] = (x[i] + 3) / 8; /* exact; off the origin */
    assert_int_equal(hsp_proof_check_touching(&s->q, slanted, line, 4, &kind, &strict, plane, &b, NULL), HSP_OK);
    assert_true(plane[0] == -1 && plane[1] == 2 && b == -0.375);
    free(s);
    /* a plane of thirds in space, through two points only: what is left of w is rounded once */
    double z[] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 2, 4, 0, 0}, wide[3];
    const int8_t sides[] = {-1, -1, 1, 1, 1};
    const int64_t two[] = {0, 1, 2, 3};
    const double w[] = {1, 0x1p-60, 0};
    s = dense_rows(z, sides, 5, 3);
    assert_int_equal(hsp_proof_check_touching(&s->q, w, two, 4, &kind, &strict, wide, &b, NULL), HSP_OK);
    assert_int_equal(kind, HSP_PROOF_EXACT);
    assert_true(b == 0 && wide[0] == 2.0 / 3 && wide[1] == -1.0 / 3 && wide[2] == -1.0 / 3);
    free(s);
}

static void what_is_not_sound_proves_nothing(void **unused) {
    (void)unused;
    double x[] = {0, 1, 1, 3}, w = 1, nan = NAN;
    const int8_t y[] = {-1, -1, 1, 1};
    const int64_t meet[] = {1, 2}, out[] = {1, 4}, back[] = {2, 1};
    int64_t strict;
    sided *s = dense_rows(x, y, 4, 1);
    assert_int_equal(touching_kind(s, &nan, meet, 2, &strict), HSP_PROOF_NONE);
    assert_int_equal(touching_kind(s, &w, out, 2, &strict), HSP_PROOF_NONE);
    assert_int_equal(touching_kind(s, &w, back, 2, &strict), HSP_PROOF_NONE);
    assert_int_equal(touching_kind(s, &w, meet, 0, &strict), HSP_PROOF_NONE);
    free(s);
}

static void without_memory_it_says_so(void **unused) {
    (void)unused;
    double x[] = {0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 0, 2, 1};
    const int8_t y[] = {-1, -1, -1, -1, 1, 1, 1, 1};
    const int64_t edge[] = {2, 3, 4, 5};
    const double slanted[] = {1, 0.3};
    sided *s = dense_rows(x, y, 8, 2);
    int status = HSP_EMEMORY;
    hsp_proof_kind kind = HSP_PROOF_NONE;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 1000; calls++) {
        hsp_error *err = NULL;
        int64_t strict;
        hsp_memory_fail_after(calls);
        status = hsp_proof_check_touching(&s->q, slanted, edge, 4, &kind, &strict, NULL, NULL, &err);
        hsp_memory_fail_after(-1);
        assert_int_equal(status == HSP_OK, err == NULL);
        assert_int_equal(status == HSP_OK, kind == HSP_PROOF_EXACT);
        hsp_error_free(err);
    }
    assert_int_equal(status, HSP_OK);
    bool reached = true; /* one failure, after which the numbers are wrong: no verdict is left */
    for (int64_t call = 0; reached; call++) {
        int64_t strict;
        hsp_memory_fail_once(call);
        status = hsp_proof_check_touching(&s->q, slanted, edge, 4, &kind, &strict, NULL, NULL, NULL);
        reached = hsp_memory_calls() > call;
        hsp_memory_fail_once(-1);
        assert_int_equal(status, reached ? HSP_EMEMORY : HSP_OK);
        assert_true(reached ? kind == HSP_PROOF_NONE && strict == 0 : kind == HSP_PROOF_EXACT && strict == 4);
    }
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_on_a_line),
        cmocka_unit_test(squares_with_a_common_edge),
        cmocka_unit_test(through_the_origin),
        cmocka_unit_test(random_planes),
        cmocka_unit_test(the_plane_is_given_as_it_is),
        cmocka_unit_test(what_is_not_sound_proves_nothing),
        cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
