/* Whatever the coding of values and ids, every pass over the rows gives the bits that it gives with doubles and 32-bit
 * ids; and dense rows need not be contiguous. */
#include "design/coded_matrix.h"
#include "design/columns.h"
#include "design/gram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { OUTPUTS = 19, SCALES = 3, PADDING = 3 };

/* All results of the passes, one after another. */
typedef struct results {
    int64_t count;
    double number[1 << 17];
} results;

static double *more(results *r, int64_t count) {
    assert_true(r->count + count <= (int64_t)(sizeof r->number / sizeof *r->number));
    double *at = r->number + r->count;
    for (int64_t t = 0; t < count; t++) at[t] = 0;
    r->count += count;
    return at;
}

static void run_columns(const hsp_design *D, const double *h, results *r) {
    hsp_columns *C;
    assert_int_equal(hsp_columns_new(D, D->x->dense, &C, NULL), 0);
    double *dots = more(r, 3 * D->d), *sum = more(r, D->n);
    for (int64_t j = 0; j < D->d; j++) {
        dots[3 * j] = hsp_column_dot(C, j, h);
        hsp_column_moments(C, j, h, &dots[3 * j + 1], &dots[3 * j + 2]);
        hsp_column_axpy(C, h[j % D->n], j, sum);
    }
    hsp_columns_free(C);
}

static void run_passes(const hsp_matrix *x, int scale, int threads, results *r) {
    int64_t n = x->n, d = x->d;
    double *w = values_for(F64_FORM, OUTPUTS * d, 41), *R = values_for(F64_FORM, OUTPUTS * n, 42);
    double *shift = values_for(F64_FORM, d, 43), *factor = values_for(F64_FORM, d, 44), *c = values_for(F64_FORM, n, 45);
    int32_t *group = hsp_alloc(n, sizeof *group);
    for (int64_t i = 0; i < n; i++) {
        c[i] = i % 5 == 3 ? 0 : fabs(c[i]);
        group[i] = (int32_t)(i % 2);
    }
    hsp_design *D;
    assert_int_equal(hsp_design_new(x, scale == 2 ? shift : NULL, scale ? factor : NULL, threads, &D, NULL), 0);
    r->count = 0;
    hsp_design_scores(D, w, 0.5, more(r, n));
    hsp_design_adjoint(D, R, more(r, d));
    double *norms = more(r, 2);
    hsp_design_norms(D, c, norms, norms + 1);
    assert_int_equal(hsp_design_gram(D, c, NULL, NULL, 0, more(r, d * d), NULL), 0);
    assert_int_equal(hsp_design_gram(D, NULL, w, group, 2, more(r, d * d), NULL), 0);
    assert_int_equal(hsp_design_group_sums(D, c, group, 2, more(r, 2), more(r, 2 * d), NULL), 0);
    assert_int_equal(hsp_design_scores_many(D, w, NULL, OUTPUTS, more(r, n * OUTPUTS), NULL), 0);
    assert_int_equal(hsp_design_adjoint_many(D, R, OUTPUTS, more(r, d * OUTPUTS), NULL), 0);
    assert_int_equal(hsp_design_outer(D, w, more(r, n * n), NULL), 0);
    run_columns(D, R, r);
    hsp_design_free(D);
    hsp_free(group);
    double *all[] = {w, R, shift, factor, c};
    for (int k = 0; k < 5; k++) hsp_free(all[k]);
}

static results first, other;

/* All scales, one thread and three, against the matrix of doubles. */
static void compare(hsp_matrix *plain, hsp_matrix *coded_one) {
    for (int scale = 0; scale < SCALES; scale++) {
        run_passes(plain, scale, 1, &first);
        for (int threads = 1; threads <= 3; threads += 2) {
            run_passes(coded_one, scale, threads, &other);
            assert_int_equal(first.count, other.count);
            assert_memory_equal(first.number, other.number, (size_t)first.count * sizeof *first.number);
        }
    }
    hsp_matrix_clear(plain);
    hsp_matrix_clear(coded_one);
}

static void sparse_rows_of_every_form(void **unused) {
    (void)unused;
    const double densities[] = {0.02, 0.3, 0.95}; /* pairs of entries; spread out; nearly full */
    for (int form = HSP_DENSE_CODINGS; form < HSP_FORMS; form++)
        for (int k = 0; k < 3; k++) {
            int coding = coding_in(form);
            double *x = table_for(coding, 150, 83, densities[k]);
            hsp_matrix plain = sparse_as(x, 150, 83, F64_FORM, HSP_IDS_32);
            hsp_matrix m = sparse_as(x, 150, 83, coding, ids_in(form));
            compare(&plain, &m);
            hsp_free(x);
        }
}

static void dense_rows_of_every_coding_and_stride(void **unused) {
    (void)unused;
    for (int coding = 0; coding < HSP_DENSE_CODINGS; coding++)
        for (int padded = 0; padded < 2; padded++) {
            if (coding == ONE_FORM) continue; /* dense rows store their values */
            double *x = table_for(coding, 120, 61, 0.8);
            hsp_matrix plain = dense_as(x, 120, 61, F64_FORM, 61);
            hsp_matrix m = dense_as(x, 120, 61, coding, padded ? 61 + PADDING : 61);
            compare(&plain, &m);
            hsp_free(x);
        }
}

/* Rows without entries may have no arrays at all. */
static void nothing_stored(void **unused) {
    (void)unused;
    for (int form = HSP_DENSE_CODINGS; form < HSP_FORMS; form++) {
        hsp_matrix plain = {.n = 40, .d = 30, .row = hsp_alloc_zero(41, sizeof(int64_t))};
        hsp_matrix m = {.n = 40, .d = 30, .row = hsp_alloc_zero(41, sizeof(int64_t))};
        m.ids = ids_in(form);
        m.coding = (hsp_coding)coding_in(form);
        m.table = hsp_alloc_zero(TABLE, sizeof *m.table);
        compare(&plain, &m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_rows_of_every_form),
        cmocka_unit_test(dense_rows_of_every_coding_and_stride),
        cmocka_unit_test(nothing_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
