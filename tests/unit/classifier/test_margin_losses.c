/* The smooth losses of a margin, whatever they are: every solver that takes them finds the same optimum, proves it, and verify
 * agrees. */
#include "classifier/proven_objective.h"
#include "data/data.h"
#include "loss/loss.h"

static hsp_data *blobs(const char *classes) {
    hsp_options *o = options_of(PAIRS("rows", "150", "features", "5", "classes", classes, "noise", "4"));
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate("blobs", o, &data, NULL), HSP_OK);
    hsp_options_free(o);
    return data;
}

static bool is_smooth_margin(const hsp_loss *loss) {
    return loss->dual_shape == HSP_DUAL_BOX && (loss->traits & HSP_LOSS_SMOOTH);
}

static void unlike_solvers_agree(void **unused) {
    (void)unused;
    const char *const solvers[] = {"auto", "newton", "newton-cg", "dual", "interior-point", "proximal-point"};
    const char *const intercepts[] = {"free", "none", "penalised"};
    for (int many = 0; many < 2; many++) {
        hsp_data *data = blobs(many ? "3" : "2");
        for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
            if (!is_smooth_margin(*l)) continue;
            for (int b = 0; b < 3; b++) {
                double first = 0;
                for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
                    double found = proven_objective(data, PAIRS("algorithm", "svm", "loss", (*l)->name, "solver",
                                                                solvers[s], "tol", "1e-8", "intercept", intercepts[b]));
                    if (s == 0) first = found;
                    assert_true(fabs(found - first) <= 2e-8 * first);
                }
            }
        }
        hsp_data_free(data);
    }
}

/* With an L1 part: prox-newton's optimum is proven, and no descent falls below it. */
static void an_l1_part_is_solved(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2");
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
        if (!is_smooth_margin(*l)) continue;
        for (int mixed = 0; mixed < 2; mixed++) {
            const char *penalty = mixed ? "elastic" : "l1";
            double best =
                proven_objective(data, PAIRS("algorithm", "gradient-descent", "loss", (*l)->name, "penalty", penalty, "C",
                                             "0.1", "solver", "prox-newton", "tol", "1e-8", "keep", "best"));
            trained t =
                train(data, PAIRS("algorithm", "gradient-descent", "loss", (*l)->name, "penalty", penalty, "C", "0.1"));
            double found = hsp_report_number(t.report, "objective");
            assert_true(found >= best * (1 - 1e-8) && found <= best * 1.01);
            trained_free(&t);
        }
    }
    hsp_data_free(data);
}

/* Steps by rows come near what Newton proves. */
static void the_descent_family_comes_near(void **unused) {
    (void)unused;
    const char *const algorithms[] = {"gradient-descent", "sgd", "minibatch"};
    hsp_data *data = blobs("2");
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
        if (!is_smooth_margin(*l)) continue;
        const char *name = (*l)->name;
        double best = proven_objective(data, PAIRS("algorithm", "svm", "loss", name, "tol", "1e-8", "scale", "standard"));
        for (int a = 0; a < 3; a++) {
            trained t = train(data, PAIRS("algorithm", algorithms[a], "loss", name, "penalty", "l2", "scale", "standard"));
            double found = hsp_report_number(t.report, "objective");
            assert_true(found >= best * (1 - 1e-8) && found <= best * 1.02);
            trained_free(&t);
        }
    }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unlike_solvers_agree),
        cmocka_unit_test(an_l1_part_is_solved),
        cmocka_unit_test(the_descent_family_comes_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
