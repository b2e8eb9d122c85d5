/* A penalised intercept by dual coordinate descent: held while the others move, or let go where that does not settle, the
 * objective is that of methods which know nothing of it. */
#include "base/rng.h"
#include "trained.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N = 700, D = 90, EACH = 6 };

/* Sparse rows, whose columns mean different things. */
typedef enum kind {
    WORDS,   /* positive numbers, some columns frequent */
    LEVELS,  /* one of each group of columns: their sum is the column of ones */
    SAME,    /* ten different rows */
    NOTHING, /* half of the rows are zeros */
    FEW,     /* three rows of one class */
    KINDS
} kind;

static void fill_row(kind of, int64_t i, hsp_rng *r, int64_t *column, double *value) {
    for (int64_t t = 0; t < EACH; t++) {
        int64_t group = D / EACH, within = hsp_rng_below(r, group), frequent = within * within / group;
        column[t] = t * group + (of == WORDS ? frequent : of == SAME ? i % 10 : within);
        value[t] = of == LEVELS ? 1 : of == NOTHING && i % 2 ? 1e-300 : 0.2 + hsp_rng_uniform(r);
        if (of == SAME) value[t] = 0.5;
    }
}

static hsp_data *sparse_rows(kind of) {
    static int64_t row[N + 1], column[N * EACH];
    static double value[N * EACH];
    static const char *label[N];
    hsp_rng r = hsp_rng_new(31, (uint64_t)of);
    for (int64_t i = 0; i < N; i++) {
        row[i + 1] = (i + 1) * EACH;
        fill_row(of, i, &r, column + i * EACH, value + i * EACH);
        bool plus = of == FEW ? i % 250 == 3 : (column[i * EACH] % 3 == 0) != (hsp_rng_below(&r, 6) == 0);
        label[i] = plus ? "yes" : "no";
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_csr(row, column, value, N, D, label, &data, NULL), 0);
    return data;
}

static double objective_by(const hsp_data *data, const char *solver, const char *loss, const char *C, const char *threads) {
    const char *const options[] = {"algorithm", "svm", "intercept", "penalised", "tol",     "1e-8",  "solver", solver,
                                   "loss",      loss,  "C",         C,           "threads", threads, NULL};
    trained t = train(data, options);
    if (t.status) fail_msg("%s: %s", solver, hsp_error_message(t.error));
    assert_true(hsp_report_flag(t.report, "converged") == 1);
    double P = hsp_report_number(t.report, "objective");
    trained_free(&t);
    return P;
}

static void the_objective_is_the_one_of_others(void **state) {
    (void)state;
    const char *const C[] = {"0.01", "0.7", "30"};
    for (int of = 0; of < KINDS; of++) {
        hsp_data *data = sparse_rows((kind)of);
        for (int k = 0; k < 3; k++) {
            double P = objective_by(data, "dual", "squared-hinge", C[k], "1");
            double other = objective_by(data, "newton", "squared-hinge", C[k], "1");
            assert_true(fabs(P - other) <= 2e-8 * P);
            P = objective_by(data, "dual", "hinge", C[k], "1");
            other = objective_by(data, "interior-point", "hinge", C[k], "1");
            assert_true(fabs(P - other) <= 2e-8 * P);
        }
        hsp_data_free(data);
    }
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    hsp_data *data = sparse_rows(WORDS);
    assert_true(objective_by(data, "dual", "hinge", "1", "1") == objective_by(data, "dual", "hinge", "1", "2"));
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(the_objective_is_the_one_of_others),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
