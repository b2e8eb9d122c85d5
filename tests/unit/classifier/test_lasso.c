/* lasso and elastic-net: the optimality conditions, a plain coordinate descent, closed forms, and what is refused. */
#include "classifier/proven_objective.h"
#include "data/data.h"
#include "model/model.h"

#include <stdlib.h>

enum { N = 60, D = 6 };

/* Columns of different sizes and means, two of them correlated, and weights of 0 to 2 for the rows. */
typedef struct sample {
    double x[N * D], y[N], c[N];
    hsp_data *data;
} sample;

static sample make_sample(bool weighted) {
    sample s = {0};
    uint64_t state = 12345;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < D; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            double u = (double)(state >> 33) / (double)(1u << 31) - 0.5;
            s.x[i * D + j] = j == 3 ? s.x[i * D] + 0.1 * u : (j == 1 ? 10 * u + 100 : u);
        }
        s.y[i] = 3 * s.x[i * D] - 0.2 * s.x[i * D + 1] + (double)(i % 5) / 10;
        s.c[i] = weighted ? (double)(i % 3) : 1;
    }
    assert_int_equal(hsp_data_from_dense(s.x, N, D, D, NULL, NULL, &s.data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(s.data, s.y, NULL), 0);
    if (weighted) assert_int_equal(hsp_data_set_weights(s.data, s.c, NULL), 0);
    return s;
}

/* G_j = C sum c_i (y_i - g_i) x_ij; column D is the intercept. */
static void gradient_of_losses(const sample *s, const hsp_model *m, double C, double *G) {
    for (int j = 0; j <= D; j++) G[j] = 0;
    for (int i = 0; i < N; i++) {
        double g = m->b[0];
        for (int j = 0; j < D; j++) g += m->w[j] * s->x[i * D + j];
        for (int j = 0; j <= D; j++) G[j] += C * s->c[i] * (s->y[i] - g) * (j < D ? s->x[i * D + j] : 1);
    }
}

/* At the optimum G_j - (1 - rho) w_j is rho sign(w_j), and within [-rho, rho] where w_j is 0. */
static void check_conditions(const sample *s, const trained *t, double C, double rho, int intercept) {
    double G[D + 1];
    gradient_of_losses(s, t->model, C, G);
    for (int j = 0; j < D; j++) {
        double w = t->model->w[j], pull = G[j] - (1 - rho) * w, size = 1e-4 * (1 + fabs(w));
        if (w == 0) assert_true(fabs(pull) <= rho + size);
        if (w != 0) assert_true(fabs(pull - (w > 0 ? rho : -rho)) <= size);
    }
    double b = t->model->b[0];
    if (intercept == 0) assert_true(fabs(G[D]) <= 1e-4);
    if (intercept == 1) assert_true(b == 0);
    if (intercept == 2) assert_true(fabs(G[D] - b) <= 1e-4 * (1 + fabs(b)));
}

static void optima_meet_their_conditions(void **unused) {
    (void)unused;
    static const char *const intercepts[] = {"free", "none", "penalised"}, *const Cs[] = {"0.01", "1", "30"};
    static const char *const ratios[] = {"0", "0.3", "0.9", "1"};
    for (int weighted = 0; weighted < 2; weighted++) {
        sample s = make_sample(weighted);
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 3; c++)
                for (int r = -1; r < 4; r++) {
                    trained t = r < 0 ? train(s.data, PAIRS("algorithm", "lasso", "C", Cs[c], "intercept", intercepts[b],
                                                            "tol", "1e-11"))
                                      : train(s.data, PAIRS("algorithm", "elastic-net", "C", Cs[c], "intercept",
                                                            intercepts[b], "l1-ratio", ratios[r], "tol", "1e-11"));
                    assert_int_equal(t.status, 0);
                    assert_string_equal(word(&t, "penalty"), r < 0 ? "l1" : "elastic");
                    assert_string_equal(word(&t, "loss"), "squared");
                    assert_true(figure(&t, "relative_gap") <= 1e-10); /* what rounding allows */
                    check_conditions(&s, &t, strtod(Cs[c], NULL), r < 0 ? 1 : strtod(ratios[r], NULL), b);
                    trained_free(&t);
                }
        hsp_data_free(s.data);
    }
}

/* Coordinate descent in its textbook form, for centred rows. Returns P. */
static double plain_descent(const sample *s, double C, double rho) {
    double mass = 0, mean[D] = {0}, target = 0, w[D] = {0}, r[N], P = 0;
    for (int i = 0; i < N; i++) mass += s->c[i];
    for (int i = 0; i < N; i++) {
        target += s->c[i] * s->y[i] / mass;
        for (int j = 0; j < D; j++) mean[j] += s->c[i] * s->x[i * D + j] / mass;
    }
    for (int i = 0; i < N; i++) r[i] = s->y[i] - target;
    for (int sweep = 0; sweep < 50000; sweep++)
        for (int j = 0; j < D; j++) {
            double G = 0, H = 0;
            for (int i = 0; i < N; i++) {
                double x = s->x[i * D + j] - mean[j];
                G += C * s->c[i] * r[i] * x;
                H += C * s->c[i] * x * x;
            }
            double z = G + H * w[j], next = fabs(z) <= rho ? 0 : (z - (z > 0 ? rho : -rho)) / (H + 1 - rho);
            for (int i = 0; i < N; i++) r[i] -= (next - w[j]) * (s->x[i * D + j] - mean[j]);
            w[j] = next;
        }
    for (int i = 0; i < N; i++) P += C * s->c[i] * r[i] * r[i] / 2;
    for (int j = 0; j < D; j++) P += rho * fabs(w[j]) + (1 - rho) * w[j] * w[j] / 2;
    return P;
}

static void an_unlike_method_finds_the_same_objective(void **unused) {
    (void)unused;
    sample s = make_sample(true);
    double lasso = proven_objective(s.data, PAIRS("algorithm", "lasso", "task", "regression", "tol", "1e-11"));
    assert_true(fabs(lasso - plain_descent(&s, 1, 1)) <= 1e-9 * lasso);
    double elastic = proven_objective(s.data, PAIRS("algorithm", "elastic-net", "task", "regression", "tol", "1e-11"));
    assert_true(fabs(elastic - plain_descent(&s, 1, 0.5)) <= 1e-9 * elastic);
    hsp_data_free(s.data);
}

/* Without L1 elastic-net is ridge, without L2 lasso. */
static void the_ends_of_the_mixture_are_ridge_and_lasso(void **unused) {
    (void)unused;
    sample s = make_sample(false);
    double ridge = proven_objective(s.data, PAIRS("algorithm", "ridge", "task", "regression", "tol", "1e-10"));
    double lasso = proven_objective(s.data, PAIRS("algorithm", "lasso", "task", "regression", "tol", "1e-10"));
    double none =
        proven_objective(s.data, PAIRS("algorithm", "elastic-net", "task", "regression", "l1-ratio", "0", "tol", "1e-10"));
    double all =
        proven_objective(s.data, PAIRS("algorithm", "elastic-net", "task", "regression", "l1-ratio", "1", "tol", "1e-10"));
    assert_true(fabs(none - ridge) <= 1e-8 * ridge && fabs(all - lasso) <= 1e-8 * lasso);
    hsp_data_free(s.data);
}

/* One column with mean 0: w = sign(xy) max(|C xy| - 1, 0) / (C xx). From the largest lambda on all weights are 0. */
static void one_column_has_a_closed_form(void **unused) {
    (void)unused;
    const double x[] = {-1, 1, -2, 2}, y[] = {9, 12, 8.5, 12.5}; /* xy = 11, xx = 10, mean of y 10.5 */
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 4, 1, 1, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, y, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "lasso", "tol", "1e-14"));
    assert_true(fabs(t.model->w[0] - 1) < 1e-12 && fabs(t.model->b[0] - 10.5) < 1e-12);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "lasso", "lambda", "2.75", "tol", "1e-14")); /* xy / n */
    assert_true(t.model->w[0] == 0 && fabs(t.model->b[0] - 10.5) < 1e-12);
    trained_free(&t);
    t = train(data, PAIRS("algorithm", "elastic-net", "tol", "1e-14")); /* (11 - 0.5) / (10 + 0.5) */
    assert_true(fabs(t.model->w[0] - 1) < 1e-12);
    trained_free(&t);
    hsp_data_free(data);
}

static void what_does_not_fit_is_refused(void **unused) {
    (void)unused;
    static const char *const bad[][3] = {{"penalty", "l2", "lasso does not use --penalty"},
                                         {"l1-ratio", "0.5", "lasso does not use --l1-ratio"},
                                         {"class-weight", "balanced", "--class-weight is for classification"},
                                         {"multiclass", "softmax", "--multiclass is for classification"},
                                         {"loss", "hinge", "lasso does not use --loss"},
                                         {"lambda", "auto", "--lambda auto needs leave-one-out errors"},
                                         {"task", "classification", "numeric target"}};
    sample s = make_sample(false);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        trained t = train(s.data, PAIRS("algorithm", "lasso", bad[k][0], bad[k][1]));
        assert_int_equal(t.status, HSP_EUSAGE);
        if (!strstr(hsp_error_message(t.error), bad[k][2])) fail_msg("%s", hsp_error_message(t.error));
        trained_free(&t);
    }
    hsp_data_free(s.data);
    hsp_data *classes = NULL;
    assert_int_equal(hsp_data_generate("squares", NULL, &classes, NULL), 0);
    for (int k = 0; k < 2; k++) {
        trained t = train(classes, PAIRS("algorithm", k ? "elastic-net" : "lasso"));
        assert_int_equal(t.status, HSP_EUSAGE);
        assert_non_null(strstr(hsp_error_message(t.error), k ? "use -a logistic --penalty elastic" : "--task regression"));
        trained_free(&t);
    }
    hsp_data_free(classes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optima_meet_their_conditions),
        cmocka_unit_test(an_unlike_method_finds_the_same_objective),
        cmocka_unit_test(the_ends_of_the_mixture_are_ridge_and_lasso),
        cmocka_unit_test(one_column_has_a_closed_form),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
