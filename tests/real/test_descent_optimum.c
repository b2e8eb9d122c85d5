/* The descent methods, with default schedules, against a certified reference optimum on real data. */
#include "option/options.h"
#include "prepare/prepare.h"
#include "reference.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const FAMILY[] = {"gradient-descent", "sgd", "minibatch"};

/* The maximum number of epochs, as text; NULL: the default. */
static const char *epochs;

static hsp_options *options(const char *algorithm, const char *loss, const char *scale) {
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "algorithm", algorithm, NULL), 0);
    assert_int_equal(hsp_options_set(o, "loss", loss, NULL), 0);
    assert_int_equal(hsp_options_set(o, "penalty", "l2", NULL), 0);
    assert_int_equal(hsp_options_set(o, "C", "1", NULL), 0);
    assert_int_equal(hsp_options_set(o, "scale", scale, NULL), 0);
    if (epochs) assert_int_equal(hsp_options_set(o, "max-epochs", epochs, NULL), 0);
    return o;
}

/* The optimum of the problem that training will solve, certified to 1e-3. */
static double optimum(const hsp_data *data, const char *loss, const char *scale) {
    hsp_options *o = options("sgd", loss, scale);
    hsp_prepare prepare;
    assert_int_equal(hsp_prepare_fit(data, o, &prepare, NULL), 0);
    int64_t n = data->x.n, d = data->x.d;
    double *x = calloc((size_t)(n * d), sizeof *x), *y = calloc((size_t)n, sizeof *y);
    assert_true(x && y);
    for (int64_t i = 0; i < n; i++) {
        hsp_data_row(data, i, x + i * d, NULL);
        for (int64_t j = 0; j < d; j++)
            if (prepare.factor) x[i * d + j] = (x[i * d + j] - (prepare.shift ? prepare.shift[j] : 0)) * prepare.factor[j];
        y[i] = data->y[i] == prepare.positive ? 1 : -1;
    }
    reference r = {0};
    assert_true(reference_solve(x, y, n, d, 1, strcmp(loss, "hinge") == 0, &r));
    assert_true(fabs(r.primal - r.dual) <= 1e-3 * r.primal);
    free(x);
    free(y);
    hsp_prepare_clear(&prepare);
    hsp_options_free(o);
    return r.primal;
}

/* Trains, and has the objective recomputed by src/verify. */
static double reached(const hsp_data *data, const char *algorithm, const char *loss, const char *scale, double best) {
    hsp_options *o = options(algorithm, loss, scale);
    hsp_model *m = NULL;
    hsp_report *report = NULL;
    hsp_verified v;
    assert_int_equal(hsp_train(data, o, NULL, &m, &report, NULL), 0);
    assert_int_equal(hsp_verify_model(m, data, &v, NULL), 0);
    double claimed = hsp_report_number(report, "objective");
    double dual = hsp_report_number(report, "dual_bound");
    print_message("# %s %s scale %s: %.6g against %.6g: +%.4f %%, %d epochs (%s), gap %.2g, %.2f s\n", algorithm, loss,
                  scale, v.objective, best, 100 * (v.objective / best - 1), (int)hsp_report_number(report, "epochs"),
                  hsp_report_text(report, "stop_reason"), hsp_report_number(report, "relative_gap"),
                  hsp_report_number(report, "train_seconds"));
    assert_true(v.objective - claimed <= 1e-9 * claimed && claimed - v.objective <= 1e-9 * claimed);
    assert_false(dual > best); /* the certificate is true */
    hsp_report_free(report);
    hsp_model_free(m);
    hsp_options_free(o);
    return v.objective;
}

static hsp_data *read_set(const char *file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("HALFSPACE_DATA"), file);
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_read(path, NULL, NULL, &data, NULL), 0);
    return data;
}

static void descend(const char *file, const char *scale) {
    hsp_data *data = read_set(file);
    const char *losses[] = {"logistic", "hinge"};
    for (int l = 0; l < 2; l++) {
        double best = optimum(data, losses[l], scale);
        for (int a = 0; a < 3; a++) assert_true(reached(data, FAMILY[a], losses[l], scale, best) <= 1.01 * best);
    }
    hsp_data_free(data);
}

static void on_heart_scale(void **unused) {
    (void)unused;
    descend("heart_scale/heart_scale", "none");
}

static void on_pima_standardised(void **unused) {
    (void)unused;
    descend("pima/pima-indians-diabetes.csv", "standard");
}

/* Under sanitizers the full run would take minutes: two epochs then, whose claims must be true too. */
static void on_a9a(void **unused) {
    (void)unused;
    if (!getenv("HALFSPACE_QUICK")) {
        descend("a9a/a9a.zst", "none");
        return;
    }
    epochs = "2";
    hsp_data *data = read_set("a9a/a9a.zst");
    for (int a = 0; a < 3; a++) reached(data, FAMILY[a], "hinge", "none", 11434); /* the optimum is 11433.4 */
    hsp_data_free(data);
    epochs = NULL;
}

int main(void) {
    const char *root = getenv("HALFSPACE_DATA");
    if (!root || access(root, R_OK) != 0) { /* printed before cmocka starts: its own skip is not valid TAP */
        puts("1..0 # SKIP no real data here (HALFSPACE_DATA)");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_heart_scale),
        cmocka_unit_test(on_pima_standardised),
        cmocka_unit_test(on_a9a),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
