/* The working copy with columns by frequency: products of rows are those of the source, squares too once the columns of single
 * entries are added; codings and widths of ids are kept. */
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/frequent.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "design/coded_matrix.h"

enum { N = 40, D = 90 };

static void expand(const hsp_matrix *x, int64_t i, double *out) {
    hsp_row r = hsp_matrix_row(x, i);
    memset(out, 0, (size_t)x->d * sizeof *out);
    for (int64_t t = 0; t < r.count; t++) out[hsp_row_id(r, t)] += hsp_row_value(r, t);
}

static double product(const hsp_matrix *x, int64_t i, int64_t k) {
    double *a = calloc((size_t)x->d, sizeof *a), *b = calloc((size_t)x->d, sizeof *b), sum = 0;
    expand(x, i, a);
    expand(x, k, b);
    for (int64_t j = 0; j < x->d; j++) sum += a[j] * b[j];
    free(a);
    free(b);
    return sum;
}

static void check_copy(const hsp_matrix *x) {
    hsp_frequent f;
    assert_int_equal(hsp_frequent_new(x, 2, &f, NULL), 0);
    assert_int_equal(f.x.n, x->n);
    assert_int_equal(f.x.coding, x->coding);
    int64_t *count = calloc((size_t)f.x.d + 1, sizeof *count), last = INT64_MAX, stored = 0;
    for (int64_t i = 0; i < f.x.n; i++) {
        hsp_row r = hsp_matrix_row(&f.x, i);
        stored += r.count;
        for (int64_t t = 0; t < r.count; t++) count[hsp_row_id(r, t)]++;
        for (int64_t k = 0; k < f.x.n; k++) {
            double here = product(&f.x, i, k) + (i == k ? f.own[i] : 0), there = product(x, i, k);
            assert_true(fabs(here - there) <= 1e-12 * (1 + fabs(there)));
        }
    }
    assert_int_equal(stored, f.x.stored);
    for (int64_t j = 0; j < f.x.d; j++) {
        assert_true(count[j] >= 2 && count[j] <= last);
        last = count[j];
    }
    free(count);
    hsp_frequent_free(&f);
}

static void every_coding_keeps_its_products(void **unused) {
    (void)unused;
    const hsp_ids widths[] = {HSP_IDS_16, HSP_IDS_32};
    for (int coding = 0; coding < HSP_CODINGS; coding++)
        for (int w = 0; w < 2; w++)
            for (int dense = 0; dense < 2; dense++) {
                double *x = table_for(coding, N, D, dense ? 0.3 : 0.03);
                hsp_matrix m = sparse_as(x, N, D, coding, widths[w]);
                check_copy(&m);
                hsp_matrix_clear(&m);
                hsp_free(x);
            }
}

static void no_column_may_be_left(void **unused) {
    (void)unused;
    double x[4 * 4] = {0};
    for (int k = 0; k < 4; k++) x[5 * k] = k + 1; /* a diagonal */
    hsp_matrix m = sparse_as(x, 4, 4, HSP_CODING_F64, HSP_IDS_32);
    hsp_frequent f;
    assert_int_equal(hsp_frequent_new(&m, 1, &f, NULL), 0);
    assert_int_equal(f.x.d, 0);
    assert_int_equal(f.x.stored, 0);
    for (int k = 0; k < 4; k++) assert_true(f.own[k] == (k + 1) * (k + 1));
    hsp_frequent_free(&f);
    hsp_matrix_clear(&m);
}

static void failed_allocations_are_reported(void **unused) {
    (void)unused;
    double *x = table_for(HSP_CODING_CODE8, N, D, 0.1);
    hsp_matrix m = sparse_as(x, N, D, HSP_CODING_CODE8, HSP_IDS_32);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 100; calls++) {
        hsp_frequent f;
        hsp_memory_fail_after(calls);
        status = hsp_frequent_new(&m, 1, &f, NULL);
        hsp_memory_fail_after(-1);
        hsp_frequent_free(&f);
    }
    assert_int_equal(status, 0);
    hsp_matrix_clear(&m);
    hsp_free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coding_keeps_its_products),
        cmocka_unit_test(no_column_may_be_left),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
