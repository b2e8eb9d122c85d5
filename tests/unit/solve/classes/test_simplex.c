/* The projection onto a simplex: feasible, optimal, and as by sorting; with ties, extremes and one coordinate. */
#include "base/rng.h"
#include "solve/classes/simplex.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 40 };

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* By sorting (Held, Wolfe and Crowder 1974). */
static void project_by_sorting(const double *v, int64_t n, double total, double *u) {
    double sorted[MOST], sum = 0, theta = 0;
    memcpy(sorted, v, (size_t)n * sizeof *v);
    qsort(sorted, (size_t)n, sizeof *sorted, descending);
    for (int64_t k = 0; k < n; k++) {
        sum += sorted[k];
        if (sorted[k] * (double)(k + 1) > sum - total) theta = (sum - total) / (double)(k + 1);
    }
    for (int64_t k = 0; k < n; k++) u[k] = fmax(v[k] - theta, 0);
}

static void projections_are_those_by_sorting(void **unused) {
    (void)unused;
    hsp_rng r = hsp_rng_new(1, 0);
    for (int turn = 0; turn < 2000; turn++) {
        int64_t n = 1 + hsp_rng_below(&r, MOST);
        double v[MOST], u[MOST], total = turn % 3 ? 1 : 50 * hsp_rng_uniform(&r) + 1e-6, sum = 0;
        for (int64_t k = 0; k < n; k++) v[k] = turn % 2 ? 3 * hsp_rng_normal(&r) : (double)hsp_rng_below(&r, 4); /* ties */
        project_by_sorting(v, n, total, u);
        hsp_simplex_project(v, n, total);
        for (int64_t k = 0; k < n; k++) {
            assert_true(v[k] >= 0 && fabs(v[k] - u[k]) <= 1e-12 * (1 + total));
            sum += v[k];
        }
        assert_true(fabs(sum - total) <= 1e-13 * total * (double)n);
    }
}

static void a_point_of_the_simplex_stays(void **unused) {
    (void)unused;
    double v[] = {0, 0.25, 0.75, 0}, far[] = {1e15, 0, 1e15, -1e300}, one[] = {-5};
    hsp_simplex_project(v, 4, 1);
    assert_true(v[0] == 0 && fabs(v[1] - 0.25) < 1e-16 && fabs(v[2] - 0.75) < 1e-15 && v[3] == 0);
    hsp_simplex_project(far, 4, 2);
    assert_true(far[0] == 1 && far[1] == 0 && far[2] == 1 && far[3] == 0);
    hsp_simplex_project(one, 1, 3);
    assert_true(one[0] == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_are_those_by_sorting),
        cmocka_unit_test(a_point_of_the_simplex_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
