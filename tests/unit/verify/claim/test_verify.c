/* The verifier itself, against figures worked out by hand, and against models that lie. */
#include "trained.h"
#include "verify/claim/verify.h"
#include "verify/loss_value.h"

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void losses_by_hand(void **unused) {
    (void)unused;
    assert_true(verified_loss("hinge", NAN, 1, -1) == 2 && verified_loss("hinge", NAN, -1, -1) == 0);
    assert_true(verified_loss("squared-hinge", NAN, 1, -1) == 4);
    assert_true(verified_loss("squared", NAN, 1, 3) == 2);
    assert_true(verified_loss("perceptron", NAN, -1, 0.5) == 0.5 && verified_loss("perceptron", NAN, 1, 0.5) == 0);
    assert_true(fabs(verified_loss("logistic", NAN, 1, 0) - log(2)) < 1e-16);
    assert_true(verified_loss("logistic", NAN, 1, -1000) == 1000 && verified_loss("logistic", NAN, 1, 1000) == 0);
    assert_true(verified_loss("zero-one", NAN, 1, 0) == 1 && verified_loss("zero-one", NAN, -1, 0) == 0);
    assert_true(isnan(verified_loss("", NAN, 1, 0)) && isnan(verified_loss("Hinge", NAN, 1, 0)));
}

static hsp_data *two_rows(void) {
    const double x[] = {1, 3};
    const char *labels[] = {"-1", "1"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 2, 1, 1, labels, NULL, &data, NULL), 0);
    return data;
}

/* w = 0.5, b = 0: margins -0.5 and 1.5, hinge losses 1.5 and 0; P = 0.125 + 2 * 1.5. */
static void an_objective_by_hand(void **unused) {
    (void)unused;
    hsp_data *data = two_rows();
    trained t = train(data, PAIRS("algorithm", "sgd", "penalty", "l2", "C", "2", "max-epochs", "1"));
    hsp_verified v;
    t.model->w[0] = 0.5;
    t.model->b[0] = 0;
    assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
    assert_true(v.objective == 3.125 && v.loss_sum == 1.5 && v.penalty == 0.125 && v.accuracy == 0.5);
    trained_free(&t);
    hsp_data_free(data);
}

static void a_changed_weight_changes_the_objective(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "100", "noise", "3"));
    trained t =
        train(data, PAIRS("algorithm", "gradient-descent", "loss", "logistic", "penalty", "l2", "scale", "standard"));
    hsp_verified v;
    double P = figure(&t, "objective");
    assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
    assert_true(fabs(v.objective - P) < 1e-10 * P);
    t.model->w[0] += 1;
    assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
    assert_true(v.objective > P * 1.001);
    trained_free(&t);
    hsp_data_free(data);
}

static void what_cannot_be_verified_is_refused(void **unused) {
    (void)unused;
    hsp_data *data = two_rows(), *three = generated("blobs", PAIRS("rows", "30", "classes", "3", "features", "1"));
    trained mean = train(data, PAIRS("algorithm", "nearest-mean"));
    trained sgd = train(data, PAIRS("algorithm", "sgd", "max-epochs", "1"));
    hsp_verified v;
    assert_int_equal(hsp_verify_model(mean.model, data, &v, NULL), HSP_EINPUT);
    assert_int_equal(hsp_verify_model(sgd.model, three, &v, NULL), HSP_EINPUT);
    hsp_report_free(sgd.model->report);
    sgd.model->report = NULL;
    hsp_free(sgd.model->objective.endless);
    assert_int_equal(hsp_objective_read(sgd.model, &sgd.model->objective, NULL), 0);
    assert_int_equal(hsp_verify_model(sgd.model, data, &v, NULL), HSP_EINPUT);
    trained_free(&mean);
    trained_free(&sgd);
    hsp_data_free(data);
    hsp_data_free(three);
}

/* The report of verify without its seconds, as JSON. */
static char *verify_text(const hsp_model *m, const hsp_data *data) {
    static const char *const members[] = {"verified", "first_false", "checks", "unchecked"};
    hsp_report *report = NULL, *whole = NULL;
    char *json = NULL;
    hsp_json j = {0};
    assert_int_equal(hsp_verify(m, data, NULL, NULL, NULL, &report, NULL), HSP_OK);
    hsp_json_object(&j, NULL);
    for (int i = 0; i < 4; i++) hsp_json_report(&j, members[i], hsp_report_member(report, members[i]));
    hsp_json_object_end(&j);
    assert_int_equal(hsp_json_take(&j, &whole, NULL), HSP_OK);
    assert_int_equal(hsp_report_json(whole, &json, NULL), HSP_OK);
    hsp_report_free(report);
    hsp_report_free(whole);
    return json;
}

/* A model and its saved copy state the same objective: also where no bound can be proven, as columns are equal. */
static void a_model_is_verified_like_its_copy(void **unused) {
    (void)unused;
    static const char *const algorithms[] = {"logistic", "svm", "ridge", "sgd", "gradient-descent"};
    static const char *const penalties[] = {"none", "l2", "l1", "elastic"}, *const labels[] = {"a", "b", "c"};
    for (int classes = 2; classes <= 3; classes++) {
        double x[60];
        const char *label[30];
        for (int i = 0; i < 30; i++) {
            x[2 * i] = x[2 * i + 1] = (i * 7) % 11 - 5;
            label[i] = labels[i * i % 7 % classes];
        }
        hsp_data *data = NULL;
        assert_int_equal(hsp_data_from_dense(x, 30, 2, 2, label, NULL, &data, NULL), HSP_OK);
        for (int a = 0; a < 5; a++)
            for (int p = 0; p < 4; p++) {
                trained t = train(data, PAIRS("algorithm", algorithms[a], "penalty", penalties[p], "max-epochs", "50"));
                if (t.status == HSP_OK) {
                    void *bytes = NULL;
                    size_t size = 0;
                    hsp_model *copy = NULL;
                    assert_int_equal(hsp_model_save_memory(t.model, &bytes, &size, NULL), HSP_OK);
                    assert_int_equal(hsp_model_load_memory(bytes, size, &copy, NULL), HSP_OK);
                    char *here = verify_text(t.model, data), *there = verify_text(copy, data);
                    assert_string_equal(here, there);
                    assert_non_null(strstr(here, "\"verified\":true"));
                    HSP_FREE(here, there, bytes);
                    hsp_model_free(copy);
                } else {
                    assert_int_equal(t.status, HSP_EUSAGE); /* svm and ridge do not take every penalty */
                }
                trained_free(&t);
            }
        hsp_data_free(data);
    }
}

static int stop_at_second_problem(void *user, const hsp_progress *p) {
    (void)user;
    return p->problem > 0;
}

/* Classes that were not reached have no figures, and the sums of the report have none either: that is not a false claim. */
static void a_cancelled_fit_may_omit_figures(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "classes", "3"));
    const hsp_hooks hooks = {.size = sizeof hooks, .progress = stop_at_second_problem};
    trained t = train_with_hooks(data, &hooks, PAIRS("algorithm", "svm", "loss", "squared-hinge"));
    assert_int_equal(t.status, HSP_OK);
    assert_string_equal(hsp_report_text(t.report, "stop_reason"), "cancelled");
    assert_int_equal(hsp_report_kind(t.report, "objective"), HSP_REPORT_NULL);
    char *text = verify_text(t.model, data);
    assert_non_null(strstr(text, "\"verified\":true"));
    hsp_free(text);
    t.model->certificate.objective = 1; /* a figure that is stated must hold */
    text = verify_text(t.model, data);
    assert_non_null(strstr(text, "certificate.objective is claimed to be 1"));
    hsp_free(text);
    trained_free(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_by_hand),
        cmocka_unit_test(an_objective_by_hand),
        cmocka_unit_test(a_changed_weight_changes_the_objective),
        cmocka_unit_test(what_cannot_be_verified_is_refused),
        cmocka_unit_test(a_model_is_verified_like_its_copy),
        cmocka_unit_test(a_cancelled_fit_may_omit_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
