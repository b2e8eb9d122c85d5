/* Small integer data against an oracle in whole numbers. The planes that have no row on the wrong side are a cone; the sum
 * of its extreme rays is strict on every row that any of them is strict on. Extreme rays are found by trying all sets of
 * rows that they may go through. */
#include "side_fixture.h"

#include "base/rng.h"

enum { MOST_P = 5, MOST_N = 12 };

#ifndef ROUNDS
#define ROUNDS 6000
#endif

static int64_t gcd(int64_t a, int64_t b) {
    while (b) {
        int64_t t = a % b;
        a = b, b = t;
    }
    return a < 0 ? -a : a;
}

static void shorten(int64_t *v, int p) {
    int64_t g = 0;
    for (int j = 0; j < p; j++) g = gcd(g, v[j]);
    for (int j = 0; g > 1 && j < p; j++) v[j] /= g;
}

/* Row echelon form in place; the rank, and the column of each pivot. */
static int echelon(int64_t M[][MOST_P], int rows, int p, int *pivot) {
    int rank = 0;
    for (int j = 0; j < p && rank < rows; j++) {
        int k = rank;
        while (k < rows && M[k][j] == 0) k++;
        if (k == rows) continue;
        for (int a = 0; a < p; a++) {
            int64_t t = M[k][a];
            M[k][a] = M[rank][a], M[rank][a] = t;
        }
        for (int i = 0; i < rows; i++) {
            if (i == rank || M[i][j] == 0) continue;
            int64_t f = M[i][j], g = M[rank][j];
            for (int a = 0; a < p; a++) M[i][a] = M[i][a] * g - M[rank][a] * f;
            shorten(M[i], p);
        }
        pivot[rank++] = j;
    }
    return rank;
}

/* A basis of the orthogonal complement of all rows; its size. */
static int orthogonal(int64_t M[][MOST_P], int rows, int p, int64_t out[][MOST_P]) {
    int pivot[MOST_P], rank = echelon(M, rows, p, pivot), count = 0;
    for (int j = 0; j < p; j++) {
        bool is_pivot = false;
        for (int k = 0; k < rank; k++) is_pivot |= pivot[k] == j;
        if (is_pivot) continue;
        int64_t scale = 1;
        for (int k = 0; k < rank; k++) {
            int64_t g = M[k][pivot[k]];
            scale = scale / gcd(scale, g) * (g < 0 ? -g : g);
        }
        memset(out[count], 0, sizeof out[count]);
        out[count][j] = scale;
        for (int k = 0; k < rank; k++) out[count][pivot[k]] = -M[k][j] * (scale / M[k][pivot[k]]);
        shorten(out[count++], p);
    }
    return count;
}

static int64_t product(const int64_t *a, const int64_t *v, int p) {
    int64_t s = 0;
    for (int j = 0; j < p; j++) s += a[j] * v[j];
    return s;
}

typedef struct oracle {
    int n, p, rank, lines;
    int64_t a[MOST_N][MOST_P], line[MOST_P][MOST_P];
    int64_t sum[MOST_N]; /* a_i times the sum of the extreme rays */
} oracle;

static void try_set(oracle *o, const int *set, int count) {
    int64_t M[2 * MOST_P][MOST_P], v[MOST_P][MOST_P];
    for (int k = 0; k < count; k++) memcpy(M[k], o->a[set[k]], sizeof M[k]);
    for (int k = 0; k < o->lines; k++) memcpy(M[count + k], o->line[k], sizeof M[k]);
    if (orthogonal(M, count + o->lines, o->p, v) != 1) return;
    for (int sign = 1; sign >= -1; sign -= 2) {
        bool fits = true;
        for (int i = 0; i < o->n; i++) fits &= sign * product(o->a[i], v[0], o->p) >= 0;
        for (int i = 0; fits && i < o->n; i++) o->sum[i] += sign * product(o->a[i], v[0], o->p) > 0;
    }
}

static void try_sets(oracle *o, int *set, int count, int from) {
    if (count == o->rank - 1) {
        try_set(o, set, count);
        return;
    }
    for (int i = from; i < o->n; i++) {
        set[count] = i;
        try_sets(o, set, count + 1, i + 1);
    }
}

/* *freed: rows that some plane with none on the wrong side has strictly on the right one. */
static hsp_verdict oracle_verdict(const double *x, const int8_t *y, int n, int d, bool origin, int *freed) {
    oracle o = {.n = n, .p = d + !origin};
    int64_t M[MOST_N][MOST_P];
    int set[MOST_P], pivot[MOST_P];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < d; j++) o.a[i][j] = y[i] * (int64_t)x[i * d + j];
        if (!origin) o.a[i][d] = y[i];
    }
    memcpy(M, o.a, sizeof M);
    o.rank = echelon(M, n, o.p, pivot);
    memcpy(M, o.a, sizeof M);
    o.lines = orthogonal(M, n, o.p, o.line);
    if (o.rank > 0) try_sets(&o, set, 0, 0);
    int strict = 0;
    for (int i = 0; i < n; i++) strict += o.sum[i] > 0;
    *freed = strict;
    return strict == n ? HSP_SEPARABLE : strict > 0 ? HSP_TOUCHING : HSP_NOT_SEPARABLE;
}

static int counts[4];

typedef enum change {
    AS_IT_IS,
    COLUMNS_SCALED, /* by powers of two from 2^-30 to 2^30, */
    COLUMNS_WILD,   /* to 2^400: */
    ROWS_SCALED,    /* likewise, for planes through the origin: */
    SHEARED,        /* columns plus many times others: a tiny margin, and the same verdict */
    CHANGES
} change;

static double power(hsp_rng *r, int most) {
    return ldexp(1, (int)hsp_rng_below(r, 2 * most + 1) - most);
}

/* What the oracle does not need. */
static void alter(hsp_rng *r, double *x, int n, int d, change how) {
    for (int j = 0; (how == COLUMNS_SCALED || how == COLUMNS_WILD) && j < d; j++) {
        double times = power(r, how == COLUMNS_WILD ? 400 : 30);
        for (int i = 0; i < n; i++) x[i * d + j] *= times;
    }
    for (int i = 0; how == ROWS_SCALED && i < n; i++) {
        double times = power(r, 300);
        for (int j = 0; j < d; j++) x[i * d + j] *= times;
    }
    for (int j = 0; how == SHEARED && j + 1 < d; j++) {
        double times = 1e4 + (double)hsp_rng_below(r, 10000);
        for (int i = 0; i < n; i++) x[i * d + j + 1] += times * x[i * d + j];
    }
}

static void complain(const double *x, const int8_t *y, int n, int d, bool origin, const hsp_proof *p,
                     hsp_verdict expected) {
    print_error("expected %s, got %s (%s): n %d d %d origin %d\n", hsp_verdict_names[expected],
                hsp_verdict_names[p->verdict], p->reason ? p->reason : p->method, n, d, origin);
    for (int i = 0; i < n; i++) {
        print_error("%d:", y[i]);
        for (int j = 0; j < d; j++) print_error(" %.17g", x[i * d + j]);
        print_error("\n");
    }
    fail();
}

static void compare(hsp_rng *r, int n, int d, int range, bool origin, change how, layout laid_out) {
    double x[MOST_N * MOST_P];
    int8_t y[MOST_N];
    int freed;
    for (int i = 0; i < n; i++) {
        y[i] = hsp_rng_below(r, 2) ? 1 : -1;
        for (int j = 0; j < d; j++)
            x[i * d + j] = (double)(hsp_rng_below(r, 2 * range + 1) - range + y[i] * (j == 0) * range / 2);
    }
    hsp_verdict expected = oracle_verdict(x, y, n, d, origin, &freed);
    alter(r, x, n, d, how);
    hsp_matrix m = laid(x, n, d, laid_out);
    hsp_proof p = asked(&m, y, origin, false);
    counts[expected]++;
    if (p.verdict != expected) complain(x, y, n, d, origin, &p, expected);
    assert_null(p.reason); /* it is decided whether they only touch */
    if (expected == HSP_NOT_SEPARABLE) assert_true(p.count <= d + 2 - origin);
    if (expected == HSP_TOUCHING) { /* the plane frees every row that can be freed, and names the columns that do so */
        hsp_rows_by_side q = {.x = &m, .y = y, .origin = origin, .threads = 1};
        hsp_proof_kind kind;
        int64_t strict, named = 0;
        assert_int_equal(hsp_proof_check_touching(&q, p.w, p.row, p.count, &kind, &strict, NULL, NULL, NULL), 0);
        if (strict != freed) print_error("%d rows of %d are freed\n", (int)strict, freed);
        if (strict != freed) complain(x, y, n, d, origin, &p, expected);
        for (int j = 0; j < d; j++) named += p.w[j] != 0;
        for (int i = 0; how == AS_IT_IS && i < n; i++) { /* small numbers: the doubles are the plane itself */
            long double g = p.b;
            for (int j = 0; j < d; j++) g += (long double)p.w[j] * x[i * d + j];
            assert_true(y[i] * g >= 0);
        }
        assert_int_equal(p.column_count, named);
    }
    hsp_proof_clear(&p);
    unlaid(&m);
}

static void test_whole_numbers(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 1);
    memset(counts, 0, sizeof counts);
    for (int k = 0; k < ROUNDS; k++) {
        bool origin = k % 2;
        change how = k % 3 == 0 ? COLUMNS_SCALED : AS_IT_IS;
        int d = 1 + (int)hsp_rng_below(&r, 4), n = 2 + (int)hsp_rng_below(&r, 9);
        compare(&r, n, d, 1 + (int)hsp_rng_below(&r, 3), origin, how, (layout)(k / 2 % LAYOUTS));
    }
    for (int v = 0; v < 3; v++) assert_true(counts[v] > 300); /* all verdicts occurred */
}

/* Numbers that floating point cannot separate. */
static void test_hard_numbers(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 2);
    memset(counts, 0, sizeof counts);
    for (int k = 0; k < ROUNDS / 2; k++) {
        change how = (change)(COLUMNS_WILD + k % 3);
        bool origin = how == ROWS_SCALED || k % 2;
        int d = 1 + (int)hsp_rng_below(&r, 4), n = 2 + (int)hsp_rng_below(&r, 9);
        compare(&r, n, d, 1 + (int)hsp_rng_below(&r, 3), origin, how, k % 4 ? DENSE64 : SPARSE64);
    }
    for (int v = 0; v < 3; v++) assert_true(counts[v] > 150);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_hard_numbers)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
