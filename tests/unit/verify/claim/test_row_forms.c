/* The checker reads rows of every form alike: the same bits as from doubles with 32-bit ids. */
#include "design/coded_matrix.h"
#include "verify/claim/row_passes.h"
#include "verify/proof/proof_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 60, COLUMNS = 45 };

typedef struct results {
    hsp_dd score[ROWS];
    double sums[3 * COLUMNS], bounded[ROWS], error[ROWS], exact[ROWS];
} results;

static void run(const hsp_matrix *x, results *r) {
    double *w = values_for(F64_FORM, COLUMNS, 51), *a = values_for(F64_FORM, ROWS, 52), low[ROWS];
    memset(r, 0, sizeof *r);
    for (int i = 0; i < ROWS; i++) low[i] = ldexp(a[(i + 1) % ROWS], -60);
    hsp_audit_columns to = {.base = r->sums, .d = COLUMNS, .step = x->dense ? 1 : 3, .offset = x->dense ? COLUMNS : 1};
    hsp_passes_now()->scores(x, 0, ROWS, w, 0.7, r->score);
    hsp_passes_now()->combine(x, 0, ROWS, a, low, &to);
    for (int64_t i = 0; i < ROWS; i++) {
        r->bounded[i] = hsp_rows_score(hsp_matrix_row(x, i), w, 0.7, &r->error[i]);
        r->exact[i] = 0;
        for (int64_t t = 0, n = hsp_matrix_row(x, i).count; t < n; t++)
            r->exact[i] += w[hsp_row_id(hsp_matrix_row(x, i), t)] * hsp_row_value(hsp_matrix_row(x, i), t);
        assert_true(fabs(r->bounded[i] - r->exact[i] - 0.7) < 1e-9);
        assert_true(fabs(r->score[i].hi - r->bounded[i]) <= 2 * r->error[i]);
    }
    hsp_free(w);
    hsp_free(a);
}

static void compare(hsp_matrix *plain, hsp_matrix *m) {
    static results first, other;
    run(plain, &first);
    run(m, &other);
    assert_memory_equal(&first, &other, sizeof first);
    hsp_matrix_clear(plain);
    hsp_matrix_clear(m);
}

static void sparse_rows_of_every_form(void **unused) {
    (void)unused;
    for (int form = HSP_DENSE_CODINGS; form < HSP_FORMS; form++) {
        double *x = table_for(coding_in(form), ROWS, COLUMNS, 0.4);
        hsp_matrix plain = sparse_as(x, ROWS, COLUMNS, F64_FORM, false);
        hsp_matrix m = sparse_as(x, ROWS, COLUMNS, coding_in(form), ids_in(form));
        compare(&plain, &m);
        hsp_free(x);
    }
}

static void dense_rows_of_every_coding_and_stride(void **unused) {
    (void)unused;
    for (int coding = 0; coding < ONE_FORM; coding++)
        for (int padding = 0; padding < 6; padding += 5) {
            double *x = table_for(coding, ROWS, COLUMNS, 0.8);
            hsp_matrix plain = dense_as(x, ROWS, COLUMNS, F64_FORM, COLUMNS);
            hsp_matrix m = dense_as(x, ROWS, COLUMNS, coding, COLUMNS + padding);
            compare(&plain, &m);
            hsp_free(x);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_rows_of_every_form),
        cmocka_unit_test(dense_rows_of_every_coding_and_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
