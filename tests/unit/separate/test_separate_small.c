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

/* A basis of what is orthogonal to all rows; how many. */
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

static hsp_verdict told(const double *x, const int8_t *y, int n, int d, bool origin) {
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
    return strict == n ? HSP_SEPARABLE : strict > 0 ? HSP_TOUCHING : HSP_NOT_SEPARABLE;
}

static int counts[4];

/* scaled: columns times powers of two from 2^-30 to 2^30, which the oracle need not know. */
static void compare(hsp_rng *r, int n, int d, int range, bool origin, bool scaled, layout how) {
    double x[MOST_N * MOST_P];
    int8_t y[MOST_N];
    for (int i = 0; i < n; i++) {
        y[i] = hsp_rng_below(r, 2) ? 1 : -1;
        for (int j = 0; j < d; j++)
            x[i * d + j] = (double)(hsp_rng_below(r, 2 * range + 1) - range + y[i] * (j == 0) * range / 2);
    }
    hsp_verdict expected = told(x, y, n, d, origin);
    for (int j = 0; scaled && j < d; j++) {
        double times = ldexp(1, (int)hsp_rng_below(r, 61) - 30);
        for (int i = 0; i < n; i++) x[i * d + j] *= times;
    }
    hsp_verdict got = verdict_in(x, y, n, d, origin, how);
    counts[expected]++;
    if (got == expected) return;
    print_error("expected %s, got %s: n %d d %d origin %d layout %d\n", hsp_verdict_names[expected], hsp_verdict_names[got],
                n, d, origin, how);
    for (int i = 0; i < n; i++) {
        print_error("%d:", y[i]);
        for (int j = 0; j < d; j++) print_error(" %.17g", x[i * d + j]);
        print_error("\n");
    }
    fail();
}

static void test_whole_numbers(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(3, 1);
    memset(counts, 0, sizeof counts);
    for (int k = 0; k < ROUNDS; k++) {
        bool origin = k % 2;
        int d = 1 + (int)hsp_rng_below(&r, 4), n = 2 + (int)hsp_rng_below(&r, 9);
        compare(&r, n, d, 1 + (int)hsp_rng_below(&r, 3), origin, k % 3 == 0, (layout)(k / 2 % LAYOUTS));
    }
    for (int v = 0; v < 3; v++) assert_true(counts[v] > 300); /* all kinds were met */
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_whole_numbers)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
