/* Known configurations, margins down to 0, scales, limits, and allocations that fail. */
#include "side_fixture.h"

#include "base/memory.h"
#include "base/rng.h"

#define COUNT(a) ((int64_t)(sizeof(a) / sizeof *(a)))

typedef struct known {
    const char *name;
    int64_t n, d;
    double x[24];
    int8_t y[12];
    hsp_verdict free, origin;
} known;

static const known cases[] = {
    {"two points", 2, 1, {0, 1}, {-1, 1}, HSP_SEPARABLE, HSP_TOUCHING},
    {"two points off the origin", 2, 1, {-1, 1}, {-1, 1}, HSP_SEPARABLE, HSP_SEPARABLE},
    {"intervals that touch", 4, 1, {0, 1, 1, 2}, {-1, -1, 1, 1}, HSP_TOUCHING, HSP_NOT_SEPARABLE},
    {"intervals that overlap", 4, 1, {0, 2, 1, 3}, {-1, -1, 1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"one inside the other", 4, 1, {0, 3, 1, 2}, {-1, -1, 1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"xor", 4, 2, {0, 0, 1, 1, 0, 1, 1, 0}, {1, 1, -1, -1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"squares",
     8,
     2,
     {0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1, 3, 0, 3, 1},
     {-1, -1, -1, -1, 1, 1, 1, 1},
     HSP_SEPARABLE,
     HSP_NOT_SEPARABLE},
    {"squares with a shared edge",
     8,
     2,
     {0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 2, 0, 2, 1},
     {-1, -1, -1, -1, 1, 1, 1, 1},
     HSP_TOUCHING,
     HSP_NOT_SEPARABLE},
    {"squares with a shared vertex",
     8,
     2,
     {0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1, 2, 2, 1, 2, 2},
     {-1, -1, -1, -1, 1, 1, 1, 1},
     HSP_TOUCHING,
     HSP_NOT_SEPARABLE},
    {"edges that touch in part", 4, 2, {0, 0, 2, 2, 1, 1, 3, 3}, {-1, -1, 1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"a vertex on an edge", 6, 2, {0, 0, 2, 2, 0, 2, 1, 1, 3, 1, 3, -1}, {-1, -1, -1, 1, 1, 1}, HSP_TOUCHING, HSP_TOUCHING},
    {"segments that cross", 4, 2, {-1, 0, 1, 0, 0, -1, 0, 1}, {-1, -1, 1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"collinear", 4, 2, {0, 0, 1, 2, 2, 4, 3, 6}, {-1, -1, 1, 1}, HSP_SEPARABLE, HSP_NOT_SEPARABLE},
    {"collinear, mixed", 4, 2, {0, 0, 1, 2, 2, 4, 3, 6}, {-1, 1, -1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"equal points", 3, 2, {5, 5, 5, 5, 5, 5}, {-1, 1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"zeros", 2, 2, {0, 0, 0, 0}, {-1, 1}, HSP_NOT_SEPARABLE, HSP_NOT_SEPARABLE},
    {"a duplicate off the rest", 4, 2, {0, 0, 0, 0, 1, 3, -1, -3}, {-1, 1, 1, -1}, HSP_TOUCHING, HSP_TOUCHING},
    {"constant columns", 4, 3, {7, 0, 1, 7, 1, 1, 7, 2, 1, 7, 3, 1}, {-1, -1, 1, 1}, HSP_SEPARABLE, HSP_SEPARABLE},
    {"one class", 2, 2, {1, 0, 0, 1}, {1, 1}, HSP_SEPARABLE, HSP_SEPARABLE},
    {"one class around the origin", 3, 2, {1, 0, -1, 1, -1, -1}, {-1, -1, -1}, HSP_SEPARABLE, HSP_NOT_SEPARABLE},
    {"one class, opposite points", 3, 2, {1, 0, -1, 0, 0, 1}, {1, 1, 1}, HSP_SEPARABLE, HSP_TOUCHING},
    {"more columns than rows", 2, 4, {1, 2, 3, 4, 2, 2, 3, 5}, {-1, 1}, HSP_SEPARABLE, HSP_SEPARABLE},
    {"no row counts", 2, 1, {1, 2}, {0, 0}, HSP_SEPARABLE, HSP_SEPARABLE},
};

static void expect(const known *c, bool origin, const double *x, layout how) {
    hsp_verdict got = verdict_in(x, c->y, c->n, c->d, origin, how), right = origin ? c->origin : c->free;
    if (got != right)
        print_error("%s, origin %d, layout %d: %s, expected %s\n", c->name, origin, how, hsp_verdict_names[got],
                    hsp_verdict_names[right]);
    assert_int_equal(got, right);
}

static void test_known(void **state) {
    (void)state;
    for (int64_t k = 0; k < COUNT(cases); k++)
        for (int how = 0; how < LAYOUTS; how++)
            for (int origin = 0; origin < 2; origin++) expect(&cases[k], origin, cases[k].x, (layout)how);
}

/* Powers of two keep the numbers exact; powers of ten do not always, but scale all of a column by the same factor. */
static void test_known_scaled(void **state) {
    (void)state;
    static const double times[] = {0x1p-900, 1e-9, 1e-6, 1e6, 1e9, 0x1p900};
    for (int64_t k = 0; k < COUNT(cases); k++)
        for (int64_t t = 0; t < COUNT(times); t++)
            for (int64_t column = 0; column <= cases[k].d; column++) {
                double x[24];
                bool exact = true;
                for (int64_t i = 0; i < cases[k].n * cases[k].d; i++) {
                    x[i] = cases[k].x[i] * (i % cases[k].d == column || column == cases[k].d ? times[t] : 1);
                    exact &= fma(cases[k].x[i], times[t], -cases[k].x[i] * times[t]) == 0;
                }
                if (!exact) continue; /* 3e-9 is not three times 1e-9 */
                for (int origin = 0; origin < 2; origin++) expect(&cases[k], origin, x, DENSE64);
            }
}

/* ---- margins ---- */

/* Points at least `margin` off a random plane, and values about `scale`; half of them on each side. Returns the plane's b.
 */
static void with_margin(hsp_rng *r, double *x, int8_t *y, int64_t n, int64_t d, double scale, double margin, bool origin) {
    double w[64], norm = 0;
    for (int64_t j = 0; j < d; j++) {
        w[j] = hsp_rng_normal(r);
        norm += w[j] * w[j];
    }
    for (int64_t j = 0; j < d; j++) w[j] /= sqrt(norm);
    double b = origin ? 0 : scale * hsp_rng_uniform(r);
    for (int64_t i = 0; i < n; i++) {
        long double g = b;
        y[i] = i % 2 ? 1 : -1;
        for (int64_t j = 0; j < d; j++) g += (long double)(x[i * d + j] = scale * hsp_rng_normal(r)) * w[j];
        long double off = y[i] * (i < 2 * d ? margin : margin + scale * hsp_rng_uniform(r)) - g;
        for (int64_t j = 0; j < d; j++) x[i * d + j] = (double)(x[i * d + j] + off * w[j]);
    }
}

static void test_margins(void **state) {
    (void)state;
    enum { N = 80, D = 12 };
    static const double margins[] = {1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15}, scales[] = {1, 1e6, 1e-6, 1e100};
    hsp_rng r = hsp_rng_new(11, 2);
    double x[N * D];
    int8_t y[N];
    for (int64_t k = 0; k < COUNT(margins) * COUNT(scales) * 6; k++) {
        double margin = margins[k % COUNT(margins)], scale = scales[k / COUNT(margins) % COUNT(scales)];
        bool origin = k % 2;
        int64_t d = 1 + hsp_rng_below(&r, D);
        with_margin(&r, x, y, N, d, scale, margin * scale, origin);
        hsp_matrix m = laid(x, N, d, DENSE64);
        hsp_proof p = asked(&m, y, origin, false);
        if (margin >= 1e-11 && p.verdict != HSP_SEPARABLE)
            print_error("margin %.17g, scale %.17g, d %d\n", margin, scale, (int)d);
        if (margin >= 1e-11) assert_int_equal(p.verdict, HSP_SEPARABLE);
        if (p.verdict == HSP_SEPARABLE && d == 1 && !origin)
            assert_true(p.margin <= margin * scale * (1 + 1e-3) + 1e-13 * scale);
        hsp_proof_clear(&p);
        unlaid(&m);
    }
}

/* Values of 1e6 and a true margin of 1e-12, in a column of its own. */
static void test_tiny_beside_huge(void **state) {
    (void)state;
    enum { N = 40 };
    hsp_rng r = hsp_rng_new(5, 9);
    double x[N * 3];
    int8_t y[N];
    for (int i = 0; i < N; i++) {
        y[i] = i % 2 ? 1 : -1;
        x[3 * i] = 1e6 * hsp_rng_normal(&r);
        x[3 * i + 1] = 1e6 * hsp_rng_normal(&r);
        x[3 * i + 2] = y[i] * 1e-12 * (1 + hsp_rng_uniform(&r));
    }
    assert_int_equal(verdict_in(x, y, N, 3, false, DENSE64), HSP_SEPARABLE);
    for (int i = 0; i < N; i++) x[3 * i] += x[3 * i + 2] * 1e18, x[3 * i + 1] -= x[3 * i]; /* no column alone */
    assert_int_equal(verdict_in(x, y, N, 3, false, DENSE64), HSP_SEPARABLE);
}

/* ---- faces, in more dimensions and not along the columns ---- */

/* Whole numbers: both classes are mixed in the first `face` coordinates and 0 in the rest, but for `off` rows that are on
 * their side in coordinate `face`; then sheared, which changes nothing. */
static void make_face(hsp_rng *r, double *x, int8_t *y, int64_t n, int64_t d, int64_t face, int64_t off) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % 2 ? 1 : -1;
        for (int64_t j = 0; j < d; j++) x[i * d + j] = j < face || i < off ? (double)(hsp_rng_below(r, 7) - 3) : 0;
        if (i < off) x[i * d + face] = y[i] * (double)(1 + hsp_rng_below(r, 3));
    }
    for (int64_t k = 0; k < 3 * d; k++) {
        int64_t a = hsp_rng_below(r, d), b = hsp_rng_below(r, d), times = hsp_rng_below(r, 3) - 1;
        for (int64_t i = 0; a != b && i < n; i++) x[i * d + a] += (double)times * x[i * d + b];
    }
}

static void test_faces(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(17, 4);
    for (int k = 0; k < 60; k++) {
        int64_t d = 3 + hsp_rng_below(&r, 12), face = 1 + hsp_rng_below(&r, d - 1), n = 12 * d;
        double *x = calloc((size_t)(n * d), sizeof *x);
        int8_t *y = calloc((size_t)n, 1);
        make_face(&r, x, y, n, d, face, 2 + hsp_rng_below(&r, n / 2));
        hsp_verdict v = verdict_in(x, y, n, d, false, (layout)(k % LAYOUTS));
        if (v != HSP_TOUCHING) print_error("%d: d %d face %d: %s\n", k, (int)d, (int)face, hsp_verdict_names[v]);
        assert_int_equal(v, HSP_TOUCHING);
        free(x);
        free(y);
    }
}

/* Rows with both labels, more of them than a witness of d + 2 rows can hold, beside rows on their right sides. */
static void test_many_conflicts(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(19, 4);
    for (int k = 0; k < 20; k++) {
        int64_t d = 6 + hsp_rng_below(&r, 6), pairs = d - 1, n = 2 * pairs + 10;
        double *x = calloc((size_t)(n * d), sizeof *x);
        int8_t *y = calloc((size_t)n, 1);
        make_face(&r, x, y, n, d, d - 1, 10);
        for (int64_t i = 10; i < n; i += 2) memcpy(x + (i + 1) * d, x + i * d, (size_t)d * sizeof *x);
        assert_int_equal(verdict_in(x, y, n, d, false, (layout)(k % LAYOUTS)), HSP_TOUCHING);
        free(x);
        free(y);
    }
}

/* Random labels: not separable when there are many rows, separable when there are more columns than rows. */
static void test_random_labels(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(23, 4);
    for (int k = 0; k < 24; k++) {
        int64_t d = 2 + hsp_rng_below(&r, 30), n = k % 2 ? 8 * d : 1 + d / 2;
        double *x = calloc((size_t)(n * d), sizeof *x);
        int8_t *y = calloc((size_t)n, 1);
        for (int64_t i = 0; i < n * d; i++) x[i] = (double)(float)(hsp_rng_uniform(&r) < 0.5 ? hsp_rng_normal(&r) : 1e3);
        for (int64_t i = 0; i < n; i++) y[i] = hsp_rng_below(&r, 2) ? 1 : -1;
        for (int origin = 0; origin < 2; origin++)
            assert_int_equal(verdict_in(x, y, n, d, origin, (layout)(k % LAYOUTS)),
                             k % 2 ? HSP_NOT_SEPARABLE : HSP_SEPARABLE);
        free(x);
        free(y);
    }
}

/* More columns than the linear program takes, sparse; with and without a plane, and few rows. */
static void test_wide(void **state) {
    (void)state;
    enum { D = 1500 };
    hsp_rng r = hsp_rng_new(29, 4);
    for (int k = 0; k < 6; k++) {
        int64_t n = k < 3 ? 200 : 1400;
        double *x = calloc((size_t)(n * D), sizeof *x), w[D];
        int8_t *y = calloc((size_t)n, 1);
        for (int64_t j = 0; j < D; j++) w[j] = hsp_rng_normal(&r);
        for (int64_t i = 0; i < n; i++) {
            double g = 0;
            for (int t = 0; t < 12; t++) {
                int64_t j = hsp_rng_below(&r, k % 3 == 1 ? 20 : D);
                x[i * D + j] = 1 + (double)hsp_rng_below(&r, 3);
            }
            for (int64_t j = 0; j < D; j++) g += w[j] * x[i * D + j];
            y[i] = k % 3 == 0 ? (g > 0 ? 1 : -1) : hsp_rng_below(&r, 2) ? 1 : -1;
        }
        hsp_verdict v = verdict_in(x, y, n, D, false, SPARSE64);
        if (k % 3 == 0) assert_int_equal(v, HSP_SEPARABLE);
        if (k % 3 == 1) assert_int_equal(v, HSP_NOT_SEPARABLE);
        free(x);
        free(y);
    }
}

/* ---- limits ---- */

static void test_rows_that_do_not_count(void **state) {
    (void)state;
    const double x[] = {0, 1, 5, 2, 3, -4};
    const int8_t y[] = {-1, -1, 0, 1, 1, 0};
    assert_int_equal(verdict_in(x, y, 6, 1, false, DENSE64), HSP_SEPARABLE);
}

static void test_columns_named(void **state) {
    (void)state;
    const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 2, 0, -3, 1};
    const int8_t y[] = {-1, 1, 1, -1, 1, -1};
    hsp_matrix m = laid(x, 6, 2, DENSE64);
    hsp_proof p = asked(&m, y, false, true);
    assert_int_equal(p.verdict, HSP_TOUCHING);
    assert_int_equal(p.count, 2);
    assert_int_equal(p.column_count, 1);
    assert_int_equal(p.columns[0], 0);
    assert_true(p.margin == 0);
    hsp_proof_clear(&p);
    unlaid(&m);
}

static void test_limits(void **state) {
    (void)state;
    enum { N = 60, D = 8 };
    hsp_rng r = hsp_rng_new(31, 4);
    double x[N * D];
    int8_t y[N];
    for (int i = 0; i < N * D; i++) x[i] = hsp_rng_normal(&r);
    for (int i = 0; i < N; i++) y[i] = i % 2 ? 1 : -1;
    hsp_matrix m = laid(x, N, D, DENSE64);
    hsp_proof p = asked(&m, y, false, true);
    assert_int_equal(p.verdict, HSP_UNDECIDED);
    assert_true(p.lower == 0 && p.upper > 0 && isfinite(p.upper));
    hsp_proof_clear(&p);
    hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1};
    hsp_separate_limits late = {.deadline = hsp_clock_seconds() - 1, .seed = 1};
    assert_int_equal(hsp_separate(&q, &late, &p, NULL), 0);
    assert_int_equal(p.verdict, HSP_UNDECIDED);
    assert_non_null(p.reason);
    hsp_proof_clear(&p);
    late.deadline = INFINITY;
    hsp_cancel();
    assert_int_equal(hsp_separate(&q, &late, &p, NULL), 0);
    assert_int_equal(p.verdict, HSP_UNDECIDED);
    assert_string_equal(p.reason, "cancelled");
    assert_true(hsp_cancel_take()); /* not consumed */
    hsp_proof_clear(&p);
    unlaid(&m);
}

/* A witness is found at once, but whether the hulls only touch takes time. */
static void test_open_question(void **state) {
    (void)state;
    const double x[] = {0, 1, 1, 2};
    const int8_t y[] = {-1, -1, 1, 1};
    hsp_matrix m = laid(x, 4, 1, DENSE64);
    hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1};
    hsp_separate_limits late = {.deadline = hsp_clock_seconds() - 1, .seed = 1};
    hsp_proof_kind kind;
    const char *what;
    hsp_proof p;
    assert_int_equal(hsp_separate(&q, &late, &p, NULL), 0);
    assert_int_equal(p.verdict, HSP_NOT_SEPARABLE);
    assert_string_equal(p.reason, HSP_PROOF_OPEN "time limit reached");
    assert_int_equal(hsp_proof_check(&q, &p, &kind, &what, NULL), 0);
    assert_null(what);
    hsp_proof_clear(&p);
    late.deadline = INFINITY;
    assert_int_equal(hsp_separate(&q, &late, &p, NULL), 0);
    assert_int_equal(p.verdict, HSP_TOUCHING);
    assert_null(p.reason);
    hsp_proof_clear(&p);
    unlaid(&m);
}

/* Neighbouring doubles, the least of them included: either a plane of doubles, or the true verdict. */
static void test_neighbours(void **state) {
    (void)state;
    static const double from[] = {0, 5e-324, 1e-320, 0x1p-1022, 1e-300, 1, 1.5, 1.9999, 471268.58139807265, 1e300};
    int open = 0;
    for (int64_t k = 0; k < COUNT(from) * 4; k++) {
        double a = from[k / 4] * (k % 2 ? -1 : 1), x[] = {a, nextafter(a, k % 4 < 2 ? INFINITY : -INFINITY)};
        const int8_t y[] = {-1, 1};
        hsp_matrix m = laid(x, 2, 1, DENSE64);
        hsp_proof p = asked(&m, y, false, false);
        double half = fabs(x[1] - x[0]) / 2;
        assert_true(p.verdict == HSP_SEPARABLE || p.verdict == HSP_UNDECIDED);
        if (p.verdict == HSP_SEPARABLE) assert_true(isnan(p.margin) || (p.margin > 0 && p.margin <= half));
        if (p.verdict == HSP_UNDECIDED) assert_true(isnan(p.upper) || (p.lower == 0 && p.upper >= half));
        if (fabs(a) < 1e-300) assert_int_equal(p.verdict, HSP_SEPARABLE);
        open += p.verdict == HSP_UNDECIDED;
        hsp_proof_clear(&p);
        unlaid(&m);
    }
    assert_true(open <= 10); /* next to powers of two there is none */
}

/* Bounds hold for all numbers. */
static void test_bounds(void **state) {
    (void)state;
    enum { N = 30, D = 4 };
    hsp_rng r = hsp_rng_new(53, 4);
    int met = 0;
    for (int k = 0; k < 200; k++) {
        double x[N * D], scale = ldexp(1, (int)hsp_rng_below(&r, 1800) - 1000), margin = k % 2 ? 1e-6 : 1e-3;
        int8_t y[N];
        with_margin(&r, x, y, N, D, 1, margin, k % 3 == 0);
        for (int i = 0; i < N * D; i++) x[i] *= scale;
        hsp_matrix m = laid(x, N, D, DENSE64);
        hsp_proof p = asked(&m, y, k % 3 == 0, true);
        if (p.verdict == HSP_UNDECIDED && !isnan(p.upper)) {
            assert_true(p.lower == 0 && p.upper >= margin * scale * (1 - 1e-9));
            met++;
        }
        hsp_proof_clear(&p);
        unlaid(&m);
    }
    assert_true(met > 20);
}

static void test_same_bits(void **state) {
    (void)state;
    enum { N = 3000, D = 10 };
    hsp_rng r = hsp_rng_new(37, 4);
    double *x = calloc(N * D, sizeof *x);
    int8_t *y = calloc(N, 1);
    for (int far = 0; far < 2; far++) {
        with_margin(&r, x, y, N, D, 1, far ? 1e-7 : -0.3, false);
        hsp_matrix m = laid(x, N, D, DENSE64);
        hsp_proof p[2];
        for (int k = 0; k < 2; k++) {
            hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1 + k};
            hsp_separate_limits limits = {.deadline = INFINITY, .seed = 1};
            assert_int_equal(hsp_separate(&q, &limits, &p[k], NULL), 0);
        }
        assert_int_equal(p[0].verdict, far ? HSP_SEPARABLE : HSP_NOT_SEPARABLE);
        assert_int_equal(p[0].verdict, p[1].verdict);
        assert_int_equal(p[0].count, p[1].count);
        if (far) assert_memory_equal(p[0].w, p[1].w, D * sizeof(double));
        if (!far) assert_memory_equal(p[0].multiplier, p[1].multiplier, (size_t)p[0].count * sizeof(double));
        hsp_proof_clear(&p[0]);
        hsp_proof_clear(&p[1]);
        unlaid(&m);
    }
    free(x);
    free(y);
}

/* Each allocation fails once. */
static void sweep(const double *x, const int8_t *y, int64_t n, int64_t d, layout how, hsp_verdict expected) {
    hsp_matrix m = laid(x, n, d, how);
    hsp_rows_by_side q = {.x = &m, .y = y, .threads = 1};
    hsp_separate_limits limits = {.deadline = INFINITY, .seed = 1};
    int status = HSP_EMEMORY;
    hsp_proof p;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 5000; calls++) {
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_separate(&q, &limits, &p, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (err == NULL));
        if (status) assert_int_equal(status, HSP_EMEMORY);
        if (status) hsp_proof_clear(&p);
        hsp_error_free(err);
    }
    assert_int_equal(status, 0);
    assert_int_equal(p.verdict, expected);
    hsp_proof_clear(&p);
    bool reached = true; /* one failure: no memory, or the same verdict */
    for (int64_t call = 0; reached; call++) {
        hsp_memory_fail_once(call);
        status = hsp_separate(&q, &limits, &p, NULL);
        reached = hsp_memory_calls() > call;
        hsp_memory_fail_once(-1);
        if (status != HSP_EMEMORY && (status || p.verdict != expected))
            fail_msg("call %lld: status %d, verdict %d", (long long)call, status, (int)p.verdict);
        hsp_proof_clear(&p);
    }
    unlaid(&m);
}

static void test_memory(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(41, 4);
    double x[40 * 6];
    int8_t y[40];
    sweep((const double[]){0, 0, 1, 1, 0, 1, 1, 0}, (const int8_t[]){1, 1, -1, -1}, 4, 2, SPARSE64, HSP_NOT_SEPARABLE);
    sweep((const double[]){1, 2, 3, 4, 2, 2, 3, 4}, (const int8_t[]){1, -1}, 2, 4, DENSE64, HSP_SEPARABLE);
    sweep((const double[]){0, 1, 1, 2}, (const int8_t[]){-1, -1, 1, 1}, 4, 1, DENSE64, HSP_TOUCHING);
    make_face(&r, x, y, 40, 5, 3, 7);
    sweep(x, y, 40, 5, DENSE64, HSP_TOUCHING);
    with_margin(&r, x, y, 40, 6, 1, 1e-9, false);
    sweep(x, y, 40, 6, DENSE64, HSP_SEPARABLE);
    /* in integers */
    const double tiny[] = {-221402.88113401807, -17108.72570475073, 840.8450288140243,   -623378.5469275061,
                           218531.61951448928,  -71608.58239646006, -240926.21996470465, 99971.77603189676,
                           -733039.0745809281,  -79873.52153369942, -96263.01209040893,  0.06304549684136584,
                           -233835.41035725508, -10057.31317202409, 235.96072532324874};
    sweep(tiny, (const int8_t[]){1, 1, -1, -1, -1}, 5, 3, DENSE64, HSP_SEPARABLE);
    const double wild[] = {0,        0,         0x1p149, -0x1p70, 0,       0,        -0x1p-21, -0x1p-21, 0,
                           0x1p-241, -0x1p-241, 0,       0,       0x1p-60, -0x1p-60, 0,        0,        0};
    sweep(wild, (const int8_t[]){-1, 1, 1, -1, 1, 1}, 6, 3, DENSE64, HSP_SEPARABLE);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_known_scaled),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_tiny_beside_huge),
        cmocka_unit_test(test_faces),
        cmocka_unit_test(test_many_conflicts),
        cmocka_unit_test(test_random_labels),
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_rows_that_do_not_count),
        cmocka_unit_test(test_columns_named),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_open_question),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
