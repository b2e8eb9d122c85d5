/* The copy in floats never says less than the truth, and not much more. */
#include "base/rng.h"
#include "data/matrix.h"
#include "design/design.h"
#include "solve/prox/single_screen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { COLUMNS = 33, ROWS = 100 };

typedef struct sample {
    double x[ROWS * COLUMNS], shift[COLUMNS], factor[COLUMNS], raw[ROWS * COLUMNS]; /* x: transformed */
    hsp_matrix m;
    hsp_design *design;
} sample;

static sample *make(int64_t n, double size, bool scaled, uint64_t seed) {
    sample *s = calloc(1, sizeof *s);
    hsp_rng g = hsp_rng_new(seed, 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < COLUMNS; j++) { /* some far from 0, some constant, some tiny */
            int64_t t = i * COLUMNS + j;
            s->raw[t] = j % 5 == 4 ? 3.1 : (j % 3 ? 0 : 1e6) + (j % 4 == 1 ? 1e-44 : size) * hsp_rng_normal(&g);
            s->shift[j] = 0.1 * (double)(j % 7);
            s->factor[j] = 1 + 0.2 * (double)(j % 4);
            s->x[t] = scaled ? (s->raw[t] - s->shift[j]) * s->factor[j] : s->raw[t];
        }
    s->m = (hsp_matrix){.n = n, .d = COLUMNS, .dense = true, .dtype = HSP_FLOAT64, .value = s->raw};
    s->m.stored = s->m.nonzeros = n * COLUMNS;
    assert_int_equal(hsp_design_new(&s->m, scaled ? s->shift : NULL, scaled ? s->factor : NULL, 1, &s->design, NULL), 0);
    return s;
}

static void free_sample(sample *s) {
    hsp_design_free(s->design);
    free(s);
}

static void bounds_the_truth(void **state) {
    (void)state;
    for (int c = 0; c < 8; c++) {
        int64_t n = 40 + 7 * c, d = COLUMNS;
        sample *s = make(n, c < 4 ? 1 : 1e5, c % 2, 3 + (uint64_t)c);
        hsp_single_screen *screen = NULL;
        double *r = calloc((size_t)n, sizeof *r), *out = calloc((size_t)d, sizeof *out);
        hsp_rng g = hsp_rng_new(99, (uint64_t)c);
        for (int64_t i = 0; i < n; i++) r[i] = hsp_rng_normal(&g);
        assert_int_equal(hsp_single_screen_new(s->design, &screen, NULL), 0);
        assert_non_null(screen);
        hsp_single_screen_adjoint(screen, r, out);
        for (int64_t j = 0; j < d; j++) {
            long double sum = 0, size = 0, mean = 0, spread = 0;
            for (int64_t i = 0; i < n; i++) {
                sum += (long double)r[i] * s->x[i * d + j];
                size += (long double)r[i] * r[i];
                mean += s->x[i * d + j] / (long double)n;
            }
            for (int64_t i = 0; i < n; i++) spread += (s->x[i * d + j] - mean) * (s->x[i * d + j] - mean);
            double rounding = 1e-13 * (double)(fabsl(mean) * sqrtl(size * (long double)n)), truth = fabs((double)sum);
            assert_true(fabs(out[j]) >= truth * (1 - 1e-12) - rounding);
            assert_true(fabs(out[j]) <= truth + 2.1 * 0x1p-24 * sqrt((double)(size * spread)) + rounding + 1e-40);
        }
        hsp_single_screen_free(screen);
        free_sample(s);
        free(r);
        free(out);
    }
}

/* No copy of numbers beyond the range of floats. */
static void beyond_floats(void **state) {
    (void)state;
    sample *s = make(20, 1e300, false, 1);
    hsp_single_screen *screen = (hsp_single_screen *)1;
    assert_int_equal(hsp_single_screen_new(s->design, &screen, NULL), 0);
    assert_null(screen);
    assert_false(hsp_single_screen_suits(s->design)); /* and so few gain nothing */
    free_sample(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_the_truth), cmocka_unit_test(beyond_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
