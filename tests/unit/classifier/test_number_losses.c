/* Losses of numbers to predict, whatever they are: solvers agree, gaps are proven, verify agrees, and no multipliers give a
 * bound above the optimum. */
#include "classifier/proven_objective.h"
#include "data/data.h"
#include "loss/loss.h"
#include "model/model.h"

/* A line with noise, and every tenth target far off. */
static hsp_data *numbers(void) {
    hsp_options *o = options_of(PAIRS("rows", "120", "features", "4", "noise", "2"));
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate("linear", o, &data, NULL), HSP_OK);
    for (int64_t i = 0; i < data->x.n; i += 10) data->target[i] += i % 20 ? 40 : 90;
    hsp_options_free(o);
    return data;
}

static void unlike_solvers_agree(void **unused) {
    (void)unused;
    const char *const solvers[] = {"newton", "newton-cg"}, *const intercepts[] = {"free", "none", "penalised"};
    const char *const deltas[] = {"0.1", "1.35", "1000"};
    hsp_data *data = numbers();
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
        if (!((*l)->traits & HSP_LOSS_NUMBERS)) continue;
        for (int c = 0; c < 9; c++) {
            const char *b = intercepts[c / 3], *delta = deltas[c % 3];
            const char *option = (*l)->option ? "delta" : NULL; /* the last pair; refused by losses without it */
            double first = proven_objective(data, PAIRS("algorithm", "ridge", "task", "regression", "loss", (*l)->name,
                                                        "intercept", b, "tol", "1e-9", option, delta));
            for (int s = 0; s < 2; s++) {
                double found = proven_objective(data, PAIRS("algorithm", "gradient-descent", "task", "regression", "loss",
                                                            (*l)->name, "intercept", b, "penalty", "l2", "solver",
                                                            solvers[s], "tol", "1e-9", option, delta));
                assert_true(fabs(found - first) <= 2e-8 * first);
            }
        }
        proven_objective(data, PAIRS("algorithm", "gradient-descent", "task", "regression", "loss", (*l)->name, "penalty",
                                     "l1", "solver", "prox-newton", "tol", "1e-8"));
    }
    hsp_data_free(data);
}

/* From delta to infinity the losses grow, up to least squares; and a wide delta is least squares. */
static void a_wide_delta_is_least_squares(void **unused) {
    (void)unused;
    hsp_data *data = numbers();
    const char *const deltas[] = {"0.1", "1.35", "10", "100000"};
    double squares = proven_objective(data, PAIRS("algorithm", "ridge", "task", "regression", "tol", "1e-9")), before = 0;
    for (int k = 0; k < 4; k++) {
        double found = proven_objective(
            data, PAIRS("algorithm", "ridge", "task", "regression", "loss", "huber", "delta", deltas[k], "tol", "1e-9"));
        assert_true(found > before && found <= squares * (1 + 1e-9));
        before = found;
    }
    assert_true(fabs(before - squares) <= 1e-8 * squares);
    hsp_data_free(data);
}

/* The claims are those of the delta of the report: with another one they are false. */
static void another_delta_is_another_claim(void **unused) {
    (void)unused;
    hsp_data *data = numbers();
    trained t = train(data, PAIRS("algorithm", "ridge", "task", "regression", "loss", "huber", "delta", "2"));
    assert_true(hsp_report_number(t.report, "delta") == 2);
    assert_true(hsp_report_number(t.model->options, "delta") == 2);
    hsp_objective s = {.loss = "huber", .penalty = "l2", .intercept = "free", .C = 1, .parameter = 3};
    hsp_verified_problem found;
    hsp_report *claims = NULL;
    assert_int_equal(hsp_verify_certify(t.model, &s, data, NULL, 1, NULL, &found, &claims, NULL), HSP_OK);
    assert_true(found.objective > hsp_report_number(t.report, "objective"));
    hsp_report_free(claims);
    trained_free(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlike_solvers_agree),
        cmocka_unit_test(a_wide_delta_is_least_squares),
        cmocka_unit_test(another_delta_is_another_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
