/* -a svm --multiclass crammer-singer: certified and verified for every intercept, scaling, weighting and number of threads,
 * and what is refused. */
#include "classifier/proven_objective.h"
#include "data/data.h"
#include "model/model.h"

#define CLASSES "algorithm", "svm", "multiclass", "crammer-singer"

static hsp_data *blobs(const char *classes, const char *rows) {
    hsp_options *o = options_of(PAIRS("rows", rows, "classes", classes, "noise", "3", "features", "3"));
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_generate("blobs", o, &data, NULL), 0);
    hsp_options_free(o);
    return data;
}

static void every_form_is_proven(void **unused) {
    (void)unused;
    static const char *const intercepts[] = {"free", "none", "penalised"}, *const scales[] = {"none", "standard"};
    hsp_data *data = blobs("4", "120");
    for (int c = 0; c < 12; c++) {
        const char *b = intercepts[c % 3], *scale = scales[c / 3 % 2], *C = c < 6 ? "1" : "0.01";
        trained t = train(data, PAIRS(CLASSES, "intercept", b, "scale", scale, "C", C));
        assert_int_equal(t.status, 0);
        assert_string_equal(word(&t, "loss"), "crammer-singer");
        assert_string_equal(word(&t, "multiclass"), "crammer-singer");
        assert_true(figure(&t, "relative_gap") <= 1e-4 && figure(&t, "dual_bound") <= figure(&t, "objective"));
        assert_true(hsp_report_kind(t.report, "problems") == HSP_REPORT_NULL);
        hsp_verified v;
        assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
        assert_true(fabs(v.objective - figure(&t, "objective")) <= 1e-12 * v.objective);
        assert_true(fabs(v.bound - figure(&t, "dual_bound")) <= 1e-12 * v.objective);
        trained_free(&t);
        double P = proven_objective(data, PAIRS(CLASSES, "intercept", b, "scale", scale, "C", C, "tol", "1e-9"));
        assert_true(P >= v.bound * (1 - 1e-12) && P <= v.objective * (1 + 1e-12));
    }
    hsp_data_free(data);
}

/* P from the definition, at the weights of the model. */
static double objective_by_definition(const hsp_data *data, const hsp_model *m, const double *c, double C) {
    int64_t d = data->x.d, K = m->outputs;
    double R = 0, sum = 0, x[8], g[8];
    for (int64_t j = 0; j < K * d; j++) R += m->w[j] * m->w[j] / 2;
    for (int64_t i = 0; i < data->x.n; i++) {
        double most = -INFINITY;
        hsp_data_row(data, i, x, NULL);
        for (int64_t k = 0; k < K; k++) {
            g[k] = m->b[k];
            for (int64_t j = 0; j < d; j++) g[k] += m->w[k * d + j] * x[j];
        }
        for (int64_t k = 0; k < K; k++) most = fmax(most, g[k] + (k != data->y[i]) - g[data->y[i]]);
        sum += (c ? c[i] : 1) * most;
    }
    return R + C * sum;
}

static void the_objective_is_the_definition(void **unused) {
    (void)unused;
    hsp_data *data = blobs("3", "60");
    double c[60];
    for (int i = 0; i < 60; i++) c[i] = (double)(i % 4);
    trained t = train(data, PAIRS(CLASSES, "C", "0.3"));
    assert_true(fabs(figure(&t, "objective") - objective_by_definition(data, t.model, NULL, 0.3)) < 1e-9);
    trained_free(&t);
    assert_int_equal(hsp_data_set_weights(data, c, NULL), 0);
    t = train(data, PAIRS(CLASSES, "C", "0.3"));
    assert_true(fabs(figure(&t, "objective") - objective_by_definition(data, t.model, c, 0.3)) < 1e-9);
    trained_free(&t);
    hsp_data_free(data);
}

/* A row of weight 2 is two rows; a class weight is that weight on its rows. */
static void weights_are_repeated_rows(void **unused) {
    (void)unused;
    enum { N = 40, D = 2 };
    double x[N * D], copies[2 * N * D], weight[N], class_weight[N];
    const char *labels[N], *copied[2 * N];
    static const char *const names[] = {"a", "b", "c"};
    int64_t m = 0;
    for (int i = 0; i < N; i++) {
        labels[i] = names[i % 3];
        for (int j = 0; j < D; j++) x[i * D + j] = (double)(i * (7 + 4 * j) % 13) + (j == i % 3 ? 4 : 0);
        weight[i] = (double)(i / 3 % 3);
        class_weight[i] = i % 3 == 2 ? 2.5 : 1;
        for (int t = 0; t < (int)weight[i]; t++, m++) {
            memcpy(copies + m * D, x + i * D, D * sizeof *x);
            copied[m] = labels[i];
        }
    }
    hsp_data *data = NULL, *repeated = NULL;
    assert_int_equal(hsp_data_from_dense(x, N, D, D, labels, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_from_dense(copies, m, D, D, copied, NULL, &repeated, NULL), 0);
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), 0);
    double a = proven_objective(data, PAIRS(CLASSES, "tol", "1e-9"));
    double b = proven_objective(repeated, PAIRS(CLASSES, "tol", "1e-9"));
    assert_true(fabs(a - b) <= 1e-8 * a);
    assert_int_equal(hsp_data_set_weights(data, class_weight, NULL), 0);
    a = proven_objective(data, PAIRS(CLASSES, "tol", "1e-9"));
    assert_int_equal(hsp_data_set_weights(data, NULL, NULL), 0);
    b = proven_objective(data, PAIRS(CLASSES, "tol", "1e-9", "class-weight", "c=2.5"));
    assert_true(fabs(a - b) <= 1e-8 * a);
    hsp_data_free(data);
    hsp_data_free(repeated);
}

static void a_class_without_weight_is_never_predicted(void **unused) {
    (void)unused;
    const double x[] = {0, 1, 4, 5, 2, 3, 9, 8}, weight[] = {1, 1, 1, 1, 0, 0, 2, 1};
    const char *labels[] = {"a", "a", "b", "b", "c", "c", "d", "d"};
    static const char *const solvers[] = {"auto", "class-dual", "class-interior"};
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x, 8, 1, 1, labels, NULL, &data, NULL), 0);
    for (int s = 0; s < 3; s++) {
        assert_int_equal(hsp_data_set_weights(data, weight, NULL), 0);
        trained t = train(data, PAIRS(CLASSES, "solver", solvers[s], "C", "0.1"));
        if (t.status) fail_msg("%s", hsp_error_message(t.error));
        assert_true(figure(&t, "relative_gap") <= 1e-4);
        for (double at = -100; at <= 100; at += 0.5) assert_true(hsp_model_classify(t.model, &at, NULL) != 2);
        hsp_verified v;
        assert_int_equal(hsp_verify_model(t.model, data, &v, NULL), 0);
        assert_true(fabs(v.objective - figure(&t, "objective")) <= 1e-9);
        trained_free(&t);
    }
    hsp_data_free(data);
}

static void the_same_bits_for_any_number_of_threads(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"class-dual", "class-interior"};
    hsp_data *data = blobs("5", "3000");
    for (int s = 0; s < 2; s++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads++) {
            char text[2] = {(char)('0' + threads), 0};
            trained t = train(data, PAIRS(CLASSES, "solver", solvers[s], "max-epochs", "12", "threads", text));
            assert_int_equal(t.status, 0);
            uint64_t sum = hsp_model_checksum(t.model);
            if (threads == 1) first = sum;
            assert_true(sum == first);
            trained_free(&t);
        }
    }
    hsp_data_free(data);
}

/* Two classes are the plain support vector machine, whatever the method for more. */
static void two_classes_are_plain(void **unused) {
    (void)unused;
    hsp_data *data = blobs("2", "80");
    trained a = train(data, PAIRS("algorithm", "svm")), b = train(data, PAIRS(CLASSES));
    assert_int_equal(b.status, 0);
    assert_true(hsp_model_checksum(a.model) == hsp_model_checksum(b.model));
    assert_string_equal(word(&b, "loss"), "hinge");
    trained_free(&a);
    trained_free(&b);
    hsp_data_free(data);
}

static void failed_allocations_are_reported(void **unused) {
    (void)unused;
    static const char *const solvers[] = {"class-dual", "class-interior"};
    hsp_data *data = blobs("3", "20");
    for (int s = 0; s < 2; s++)
        assert_int_equal(
            train_short_of_memory(data, PAIRS(CLASSES, "solver", solvers[s], "max-epochs", "3", "threads", "1")), 0);
    hsp_data_free(data);
}

static void what_does_not_fit_is_refused(void **unused) {
    (void)unused;
    static const char *const bad[][6] = {
        {"algorithm", "svm", "multiclass", "softmax", "use -a logistic, or --multiclass crammer-singer"},
        {"algorithm", "logistic", "multiclass", "crammer-singer", "use -a svm, or --multiclass softmax"},
        {"algorithm", "ridge", "multiclass", "crammer-singer", "ridge has only --multiclass ovr"},
        {"algorithm", "svm", "solver", "class-dual", "use it with -a svm --multiclass crammer-singer"},
        {"algorithm", "logistic", "solver", "class-interior", "use it with -a svm --multiclass crammer-singer"}};
    static const char *const worse[][3] = {{"loss", "squared-hinge", "leave --loss out"},
                                           {"loss", "hinge", "leave --loss out"},
                                           {"loss", "crammer-singer", "leave --loss out"},
                                           {"penalty", "l1", "svm needs --penalty l2"},
                                           {"solver", "dual", "use class-dual or class-interior"},
                                           {"solver", "newton", "use class-dual or class-interior"},
                                           {"solver", "nosuch", "unknown solver"},
                                           {"l1-ratio", "0.5", "svm does not use --l1-ratio"}};
    hsp_data *data = blobs("3", "30");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        trained t = train(data, PAIRS(bad[k][0], bad[k][1], bad[k][2], bad[k][3]));
        assert_int_equal(t.status, HSP_EUSAGE);
        if (!strstr(hsp_error_message(t.error), bad[k][4])) fail_msg("%s", hsp_error_message(t.error));
        trained_free(&t);
    }
    for (size_t k = 0; k < sizeof worse / sizeof *worse; k++) {
        trained t = train(data, PAIRS(CLASSES, worse[k][0], worse[k][1]));
        assert_int_equal(t.status, HSP_EUSAGE);
        if (!strstr(hsp_error_message(t.error), worse[k][2])) fail_msg("%s", hsp_error_message(t.error));
        trained_free(&t);
    }
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_proven),
        cmocka_unit_test(the_objective_is_the_definition),
        cmocka_unit_test(weights_are_repeated_rows),
        cmocka_unit_test(a_class_without_weight_is_never_predicted),
        cmocka_unit_test(the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(two_classes_are_plain),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
