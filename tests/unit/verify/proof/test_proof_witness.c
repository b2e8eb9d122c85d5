#include "verify/proof/test_proof.h"
#include "verify/proof/witness.h"

static void known_configurations(void **unused) {
    (void)unused;
    const int64_t rows[] = {0, 1, 2, 3};
    double xor_x[] = {0, 0, 1, 1, 0, 1, 1, 0}, half[] = {0.5, 0.5, 0.5, 0.5};
    const int8_t xor_y[] = {1, 1, -1, -1}, same[] = {1, 1, 1, 1};
    sided *s = dense_rows(xor_x, xor_y, 4, 2);
    assert_int_equal(witness_kind(s, rows, half, 4), HSP_PROOF_EXACT);
    assert_int_equal(witness_kind(s, rows, half, 3), HSP_PROOF_NONE); /* a row removed */
    const double poor[] = {0.1, 0.9, 0.3, 0.2};
    assert_int_equal(witness_kind(s, rows, poor, 4), HSP_PROOF_EXACT); /* they exist all the same */
    s->q.y = same;
    assert_int_equal(witness_kind(s, rows, half, 4), HSP_PROOF_NONE);
    free(s);

    double line[] = {0, 2, 1, 2};
    const int8_t line_y[] = {1, 1, -1, -1};
    const double m[] = {0.5, 0.5, 1}, two[] = {1, 1};
    const int64_t touching[] = {1, 3}, apart[] = {0, 3};
    s = dense_rows(line, line_y, 4, 1);
    assert_int_equal(witness_kind(s, rows, m, 3), HSP_PROOF_EXACT);
    assert_int_equal(witness_kind(s, touching, two, 2), HSP_PROOF_EXACT); /* one point, both labels */
    assert_int_equal(witness_kind(s, apart, two, 2), HSP_PROOF_NONE);
    line[1] = nextafter(1, 0);
    assert_int_equal(witness_kind(s, rows, m, 3), HSP_PROOF_NONE); /* 1 is not between 0 and 1 - eps */
    line[1] = nextafter(1, 2);
    assert_int_equal(witness_kind(s, rows, m, 3), HSP_PROOF_EXACT);
    free(s);
}

static void what_is_not_sound_proves_nothing(void **unused) {
    (void)unused;
    double x[] = {0, 2, 1};
    const int8_t y[] = {1, 1, -1}, absent[] = {1, 0, -1};
    sided *s = dense_rows(x, y, 3, 1);
    const int64_t rows[] = {0, 1, 2}, twice[] = {0, 0, 2}, back[] = {1, 0, 2}, out[] = {0, 1, 3}, minus[] = {-1, 1, 2};
    const double m[] = {0.5, 0.5, 1};
    assert_int_equal(witness_kind(s, rows, m, 3), HSP_PROOF_EXACT);
    assert_int_equal(witness_kind(s, twice, m, 3), HSP_PROOF_NONE);
    assert_int_equal(witness_kind(s, back, m, 3), HSP_PROOF_NONE);
    assert_int_equal(witness_kind(s, out, m, 3), HSP_PROOF_NONE);
    assert_int_equal(witness_kind(s, minus, m, 3), HSP_PROOF_NONE);
    assert_int_equal(witness_kind(s, rows, m, 0), HSP_PROOF_NONE);
    const double bad[][3] = {{-0.5, 0.5, 1}, {NAN, 0.5, 1}, {INFINITY, 0.5, 1}, {0, 0, 0}, {-0.5, -0.5, -1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(witness_kind(s, rows, bad[i], 3), HSP_PROOF_NONE);
    s->q.y = absent;
    assert_int_equal(witness_kind(s, rows, m, 3), HSP_PROOF_NONE);
    free(s);
}

static void through_the_origin(void **unused) {
    (void)unused;
    double x[] = {1, 0, 2, 0, 0, 0, -1, 0};
    const int8_t y[] = {1, -1, 1, 1};
    sided *s = dense_rows(x, y, 4, 2);
    const int64_t opposite[] = {0, 1}, zero[] = {2}, mirrored[] = {0, 3};
    const double m[] = {2.0 / 3, 1.0 / 3};
    assert_int_equal(witness_kind(s, opposite, m, 2), HSP_PROOF_NONE); /* with an offset they are apart */
    s->q.origin = true;
    assert_int_equal(witness_kind(s, opposite, m, 2), HSP_PROOF_EXACT);
    assert_int_equal(witness_kind(s, zero, m, 1), HSP_PROOF_EXACT);     /* the origin itself is on no side */
    assert_int_equal(witness_kind(s, mirrored, m, 2), HSP_PROOF_EXACT); /* one class, around the origin */
    free(s);
}

static void huge_and_tiny_values(void **unused) {
    (void)unused;
    const double unit[] = {1e300, 1e-300, DBL_TRUE_MIN, DBL_MIN, 1};
    const int64_t rows[] = {0, 1, 2, 3};
    const double half[] = {0.5, 0.5, 0.5, 0.5};
    const int8_t y[] = {1, 1, -1, -1};
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < 5; b++) {
            double x[] = {0, 0, unit[a], unit[b], 0, unit[b], unit[a], 0};
            sided *s = dense_rows(x, y, 4, 2);
            assert_int_equal(witness_kind(s, rows, half, 4), HSP_PROOF_EXACT);
            x[3] = nextafter(unit[b], INFINITY); /* still crossed */
            assert_int_equal(witness_kind(s, rows, half, 4), HSP_PROOF_EXACT);
            x[3] = -unit[b];
            assert_int_equal(witness_kind(s, rows, half, 4), HSP_PROOF_NONE);
            free(s);
        }
}

/* Any d + 2 points have one partition whose hulls meet (Radon): the null vector of the points, by elimination with
 * pivoting. */
static void radon(const double *x, int64_t d, int8_t *y, double *m) {
    int64_t k = d + 2;
    long double *a = calloc((size_t)((d + 1) * k), sizeof *a), *z = calloc((size_t)k, sizeof *z);
    for (int64_t s = 0; s < k; s++) {
        a[s] = 1;
        for (int64_t j = 0; j < d; j++) a[(j + 1) * k + s] = x[s * d + j];
    }
    for (int64_t c = 0; c <= d; c++) {
        int64_t top = c;
        for (int64_t i = c; i <= d; i++)
            if (fabsl(a[i * k + c]) > fabsl(a[top * k + c])) top = i;
        for (int64_t t = 0; t < k; t++) {
            long double v = a[c * k + t];
            a[c * k + t] = a[top * k + t];
            a[top * k + t] = v;
        }
        for (int64_t i = 0; i <= d; i++) {
            if (i == c) continue;
            long double f = a[i * k + c] / a[c * k + c];
            for (int64_t t = c; t < k; t++) a[i * k + t] -= f * a[c * k + t];
        }
    }
    long double plus = 0;
    z[k - 1] = 1;
    for (int64_t c = 0; c <= d; c++) z[c] = -a[c * k + k - 1] / a[c * k + c];
    for (int64_t s = 0; s < k; s++) plus += z[s] > 0 ? z[s] : 0;
    for (int64_t s = 0; s < k; s++) y[s] = z[s] > 0 ? 1 : -1, m[s] = (double)(fabsl(z[s]) / plus);
    free(a);
    free(z);
}

static double furthest(const double *a, const double *b, int64_t n) {
    double far = 0;
    for (int64_t s = 0; s < n; s++) far = fmax(far, fabs(a[s] - b[s]));
    return far;
}

static void random_partitions(void **unused) {
    (void)unused;
    enum { D = 24, K = D + 2 };
    hsp_rng r = hsp_rng_new(9, 1);
    double x[D * K], m[K], near[K];
    int8_t y[K];
    int64_t rows[K];
    for (int64_t s = 0; s < K; s++) rows[s] = s;
    for (int go = 0; go < 60; go++) {
        int64_t d = 1 + hsp_rng_below(&r, D), k = d + 2;
        for (int64_t t = 0; t < d * k; t++)
            x[t] = go % 3 == 0 ? (double)hsp_rng_below(&r, 1000)
                               : ldexp(hsp_rng_normal(&r), go % 3 == 1 ? 0 : (int)(t % d) * 9);
        radon(x, d, y, m);
        sided *s = go % 2 ? dense_rows(x, y, k, d) : sparse_rows(x, y, k, d, false);
        assert_int_equal(witness_kind(s, rows, m, k), HSP_PROOF_EXACT);
        hsp_proof_kind kind;
        memcpy(near, m, sizeof m);
        assert_int_equal(hsp_proof_check_witness(&s->q, rows, near, k, near, &kind, NULL), HSP_OK);
        assert_int_equal(kind, HSP_PROOF_EXACT);
        assert_true(furthest(near, m, k) < 1e-6);
        bool proven, unique;
        hsp_witness w = {&s->q, rows, m, k};
        memset(near, 0, sizeof near);
        assert_int_equal(hsp_witness_bounded(&w, near, &unique, &proven, NULL), HSP_OK);
        assert_true(proven && furthest(near, m, k) < 1e-6);
        int64_t at = hsp_rng_below(&r, k);
        y[at] = (int8_t)-y[at]; /* a row exchanged */
        assert_int_equal(witness_kind(s, rows, m, k), HSP_PROOF_NONE);
        assert_int_equal(hsp_witness_bounded(&w, near, &unique, &proven, NULL), HSP_OK);
        assert_false(proven);
        y[at] = (int8_t)-y[at];
        for (int64_t t = at; t + 1 < k; t++) rows[t] = t + 1; /* a row removed */
        assert_int_equal(witness_kind(s, rows, m, k - 1), HSP_PROOF_NONE);
        w.k = k - 1;
        assert_int_equal(hsp_witness_bounded(&w, near, &unique, &proven, NULL), HSP_OK);
        assert_false(proven);
        for (int64_t t = 0; t < k; t++) rows[t] = t;
        if (go % 2)
            free(s);
        else
            sparse_free(s);
    }
}

/* More rows than needed, on a lattice: dependent equations and rows. */
static void degenerate_rows(void **unused) {
    (void)unused;
    enum { K = 12 };
    /* The same segment on both sides, twice over; the second column is twice the first, the third constant. */
    double x[K * 3], m[K];
    int8_t y[K];
    int64_t rows[K];
    for (int s = 0; s < K; s++) {
        x[s * 3] = s / 2, x[s * 3 + 1] = 2 * (s / 2), x[s * 3 + 2] = 7;
        y[s] = s % 2 ? 1 : -1;
        m[s] = 1.0 / 6;
        rows[s] = s;
    }
    sided *s = dense_rows(x, y, K, 3);
    assert_int_equal(witness_kind(s, rows, m, K), HSP_PROOF_EXACT);
    m[3] = 0, m[4] = 1e-17, m[7] = 0.3; /* far from a solution: some choice of the rest still is one */
    double near[K];
    memcpy(near, m, sizeof m);
    hsp_proof_kind kind;
    assert_int_equal(hsp_proof_check_witness(&s->q, rows, near, K, near, &kind, NULL), HSP_OK);
    assert_int_equal(witness_kind(s, rows, near, K), kind);
    for (int i = 0; i < K; i++) y[i] = i < 6 ? 1 : -1; /* two halves: apart */
    for (int i = 0; i < K; i++) m[i] = 1.0 / 6;
    assert_int_equal(witness_kind(s, rows, m, K), HSP_PROOF_NONE);
    free(s);
}

static void bounds_find_a_choice(void **unused) {
    (void)unused;
    enum { D = 10, K = 30 };
    hsp_rng r = hsp_rng_new(21, 1);
    double x[D * K], m[K], near[K], sum;
    int8_t y[K];
    int64_t rows[K];
    bool proven, unique;
    /* 29 points, the first where it balances the others, to rounding; the last is not needed. */
    for (int s = 0; s < K; s++) rows[s] = s, y[s] = s % 2 ? 1 : -1, m[s] = s % 2 ? 1.0 / 14 : 1.0 / 15;
    for (int t = 0; t < D * K; t++) x[t] = hsp_rng_normal(&r);
    for (int j = 0; j < D; j++) {
        sum = 0;
        for (int s = 0; s < K - 1; s++) sum += y[s] * m[s] * x[s * D + j];
        x[j] += sum / m[0];
    }
    sided *q = dense_rows(x, y, K, D);
    hsp_witness w = {&q->q, rows, m, K - 1};
    assert_int_equal(hsp_witness_bounded(&w, near, &unique, &proven, NULL), HSP_OK);
    bool exact, dear;
    assert_int_equal(hsp_witness_exact(&w, 10, near, &unique, &exact, &dear, NULL), HSP_OK);
    assert_false(dear);
    assert_true(proven && exact);
    assert_true(furthest(near, m, K - 1) < 1e-9);
    free(q);
}

static void without_memory_it_says_so(void **unused) {
    (void)unused;
    enum { D = 6, K = D + 2 };
    hsp_rng r = hsp_rng_new(2, 1);
    double x[D * K], m[K], near[K];
    int8_t y[K];
    int64_t rows[K];
    for (int t = 0; t < D * K; t++) x[t] = hsp_rng_normal(&r);
    for (int s = 0; s < K; s++) rows[s] = s;
    radon(x, D, y, m);
    sided *s = dense_rows(x, y, K, D);
    hsp_witness w = {&s->q, rows, m, K};
    for (int which = 0; which < 2; which++) {
        int status = HSP_EMEMORY;
        hsp_proof_kind kind;
        bool proven = false, unique;
        for (int64_t calls = 0; status == HSP_EMEMORY && calls < 1000; calls++) {
            hsp_error *err = NULL;
            hsp_memory_fail_after(calls);
            if (which == 0)
                status = hsp_proof_check_witness(&s->q, rows, m, K, m, &kind, &err);
            else
                status = hsp_witness_bounded(&w, near, &unique, &proven, &err);
            hsp_memory_fail_after(-1);
            assert_int_equal(status == HSP_OK, err == NULL);
            assert_true(status == HSP_OK || !proven);
            hsp_error_free(err);
        }
        assert_int_equal(status, HSP_OK);
        assert_true(which == 0 ? kind == HSP_PROOF_EXACT : proven);
    }
    bool reached = true; /* one failure, after which the numbers are wrong: no verdict is left */
    for (int64_t call = 0; reached; call++) {
        hsp_proof_kind kind;
        hsp_memory_fail_once(call);
        int status = hsp_proof_check_witness(&s->q, rows, m, K, m, &kind, NULL);
        reached = hsp_memory_calls() > call;
        hsp_memory_fail_once(-1);
        assert_int_equal(status, reached ? HSP_EMEMORY : HSP_OK);
        assert_int_equal(kind == HSP_PROOF_EXACT, !reached);
    }
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_configurations), cmocka_unit_test(what_is_not_sound_proves_nothing),
        cmocka_unit_test(through_the_origin),   cmocka_unit_test(huge_and_tiny_values),
        cmocka_unit_test(random_partitions),    cmocka_unit_test(degenerate_rows),
        cmocka_unit_test(bounds_find_a_choice), cmocka_unit_test(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
