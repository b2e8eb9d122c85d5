/* A model that lies in one place, however little, is found out: every weight, multiplier, figure and value in turn. */
#include "base/report.h"
#include "base/rng.h"
#include "trained.h"
#include "verify/claim/verify.h"

#include <math.h>
#include <stdio.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Whether the model is verified; what is false first, when it is not. */
static bool holds(const hsp_model *m, const hsp_data *data, char first[256]) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    if (hsp_verify(m, data, NULL, NULL, NULL, &r, &err)) fail_msg("%s", hsp_error_message(err));
    bool verified = hsp_report_flag(r, "verified") == 1, all = true;
    const char *said = hsp_report_text(r, "first_false");
    assert_true(verified == (said == NULL));
    if (first) snprintf(first, 256, "%s", said ? said : "");
    HSP_REPORT_EACH(check, hsp_report_member(r, "checks")) all = all && hsp_report_flag(check, "holds") == 1;
    assert_true(all == verified);
    hsp_report_free(r);
    return verified;
}

static void assert_lie(const hsp_model *m, const hsp_data *data, const char *what) {
    if (holds(m, data, NULL)) fail_msg("%s was changed and nobody noticed", what);
}

/* ---- leaves of a report ---- */

/* The smallest change of a value. */
static hsp_report changed(const hsp_report *leaf) {
    static char other[] = "else";
    hsp_report c = *leaf;
    if (leaf->kind == HSP_REPORT_NUMBER && leaf->whole) {
        c.number++;
    } else if (leaf->kind == HSP_REPORT_NUMBER) {
        c.number = c.number == 0 ? 1e-300 : nextafter(c.number, 1e300);
    } else if (leaf->kind == HSP_REPORT_TEXT) {
        c.text = other;
    } else if (leaf->kind == HSP_REPORT_FLAG) {
        c.number = c.number == 0;
    } else {
        c.kind = HSP_REPORT_NUMBER, c.number = 0.5;
    }
    return c;
}

static int64_t change_array(const hsp_model *m, const hsp_data *data, hsp_report_values *a, const char *what) {
    int64_t count = a->columns ? a->rows * a->columns : a->rows;
    for (int64_t i = 0; i < count; i++) {
        double old = a->v[i];
        a->v[i] = isnan(old) ? 0.5 : old == 0 ? 1e-300 : nextafter(old, 1e300);
        assert_lie(m, data, what);
        a->v[i] = old;
    }
    return count;
}

static bool is_listed(const char *const *names, const char *name) {
    for (; names && *names && name; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

/* Reads the objective from the report and the options, as loading the model from a file does. */
static void read_objective(hsp_model *m) {
    hsp_free(m->objective.endless);
    assert_int_equal(hsp_objective_read(m, &m->objective, NULL), 0);
}

/* Changes every value of the model's own report in turn, but for the members in `skip`. */
static void change_leaves(hsp_model *m, const hsp_data *data, hsp_report *report, const char *const *skip) {
    int64_t count = 0;
    for (hsp_report *at = report, *next; at < report + report->size; at = next) {
        const char *what = at->name ? at->name : "an element of a list";
        bool container = at->kind == HSP_REPORT_LIST || at->kind == HSP_REPORT_OBJECT, skipped = is_listed(skip, at->name);
        next = at + (skipped ? at->size : 1);
        if (container || skipped) continue;
        if (at->kind == HSP_REPORT_ARRAY) {
            count += change_array(m, data, at->values, what);
            continue;
        }
        hsp_report old = *at;
        *at = changed(at);
        read_objective(m);
        assert_lie(m, data, what);
        *at = old;
        read_objective(m);
        count++;
    }
    assert_true(count > 5);
    assert_true(holds(m, data, NULL));
}

/* ---- all places of a model ---- */

static void change_number(const hsp_model *m, const hsp_data *data, double *v, double factor, const char *what) {
    double old = *v;
    *v = old == 0 ? factor - 1 : old * factor;
    assert_lie(m, data, what);
    *v = old;
}

static void change_numbers(hsp_model *m, const hsp_data *data) {
    const double factors[] = {1 + 1e-12, 1 - 1e-9, 1.001, -1};
    int64_t size = m->outputs * m->prepare.schema.d;
    for (size_t f = 0; f < 4; f++) {
        for (int64_t j = 0; j < size; j++) change_number(m, data, &m->w[j], factors[f], "a weight");
        for (int64_t k = 0; k < m->outputs; k++)
            if (m->b[k] != 0 || f == 0) change_number(m, data, &m->b[k], factors[f], "an intercept");
        for (int64_t t = 0; m->dual && t < m->dual->begin[m->outputs]; t++)
            change_number(m, data, &m->dual->value[t], factors[f], "a multiplier");
    }
    double *certificate[] = {&m->certificate.objective, &m->certificate.dual_bound, &m->certificate.relative_gap,
                             &m->certificate.tolerance};
    for (int i = 0; i < 4; i++) {
        double old = *certificate[i];
        *certificate[i] = isnan(old) ? 1 : nextafter(old, 1e300);
        assert_lie(m, data, "a figure of the certificate");
        *certificate[i] = old;
    }
    for (int64_t j = 0; m->prepare.factor && j < m->prepare.schema.d; j++) {
        change_number(m, data, &m->prepare.factor[j], 1 + 1e-15, "a factor of the scaling");
        if (m->prepare.shift) change_number(m, data, &m->prepare.shift[j], 1 + 1e-15, "a shift of the scaling");
    }
    for (int64_t k = 0; m->class_weight && k < m->prepare.classes.count; k++)
        change_number(m, data, &m->class_weight[k], 1 + 1e-15, "a class weight");
    for (int64_t i = 0; i < m->extra_count; i++)
        for (int64_t j = 0; strncmp(m->extras[i].name, "feature-", 8) == 0 && j < m->prepare.schema.d; j++)
            change_number(m, data, &m->extras[i].data[j], 1 + 1e-15, m->extras[i].name);
    assert_true(holds(m, data, NULL));
}

static void change_data(const hsp_model *m, hsp_data *data) {
    char said[256];
    for (int64_t t = 0; t < data->x.stored; t += 1 + data->x.stored / 100) {
        hsp_coding coding = hsp_matrix_coding(&data->x);
        if (coding >= HSP_CODING_CODE8) {
            int code = coding == HSP_CODING_CODE8 ? ((const uint8_t *)data->x.value)[t] : 0;
            change_number(m, data, &data->x.table[code], 1 + 1e-15, "a value");
        } else if (coding == HSP_CODING_F32) {
            float *v = (float *)data->x.value + t, old = *v;
            *v = nextafterf(old, 1e30f);
            assert_lie(m, data, "a value");
            *v = old;
        } else {
            change_number(m, data, (double *)data->x.value + t, 1 + 1e-15, "a value");
        }
    }
    for (int64_t i = 0; data->y && i < data->x.n; i += 7) {
        data->y[i] = (data->y[i] + 1) % (int32_t)data->classes.count;
        assert_false(holds(m, data, said));
        assert_string_equal(said, "the data are not the training data (content hash differs): give the training file, read "
                                  "with the same options");
        data->y[i] = (data->y[i] + (int32_t)data->classes.count - 1) % (int32_t)data->classes.count;
    }
    for (int64_t i = 0; data->weight && i < data->x.n; i += 7)
        change_number(m, data, &data->weight[i], 1 + 1e-15, "the weight of a row");
    for (int64_t i = 0; data->target && i < data->x.n; i += 7)
        change_number(m, data, &data->target[i], 1 + 1e-15, "a target");
    assert_true(holds(m, data, NULL));
}

/* What the report tells of how it went, or repeats of others' figures. */
static const char *const history[] = {
    "objective_start", "epochs",          "updates",          "steps",     "learning_rate", "decay",
    "ridge",           "least_squares",   "separable",        "warnings",  "solver",        "solver_chosen",
    "stages",          "schedule",        "multiclass",       "error",     "perceptron",    "stop_reason",
    "train_seconds",   "certify_seconds", "tolerance_missed", "converged", "problems",      NULL};

static void find_every_lie(hsp_data *data, const char *const *pairs) {
    trained t = train(data, pairs);
    assert_int_equal(t.status, 0);
    char said[256];
    if (!holds(t.model, data, said)) fail_msg("%s: %s", pairs[1], said);
    change_numbers(t.model, data);
    change_data(t.model, data);
    change_leaves(t.model, data, t.model->claims, NULL);
    change_leaves(t.model, data, t.model->report, history);
    trained_free(&t);
}

static hsp_data *weighted(hsp_data *data) {
    double c[400];
    for (int64_t i = 0; i < data->x.n; i++) c[i] = (double)(i % 5) * 0.3;
    assert_int_equal(hsp_data_set_weights(data, c, NULL), 0);
    return data;
}

static void every_lie_about_margins(void **unused) {
    (void)unused;
    hsp_data *two = generated("blobs", PAIRS("rows", "60", "noise", "3", "features", "3"));
    hsp_data *three = weighted(generated("blobs", PAIRS("rows", "60", "noise", "3", "classes", "3")));
    find_every_lie(two, PAIRS("algorithm", "svm"));
    find_every_lie(two, PAIRS("algorithm", "svm", "loss", "squared-hinge", "scale", "standard"));
    find_every_lie(three, PAIRS("algorithm", "svm", "C", "0.1", "class-weight", "balanced"));
    find_every_lie(two, PAIRS("algorithm", "sgd", "penalty", "l2", "max-epochs", "30"));
    hsp_data_free(two);
    hsp_data_free(three);
}

static void every_lie_about_smooth_losses(void **unused) {
    (void)unused;
    hsp_data *two = weighted(generated("blobs", PAIRS("rows", "60", "noise", "3", "features", "3")));
    hsp_data *three = generated("blobs", PAIRS("rows", "60", "noise", "3", "classes", "3"));
    find_every_lie(two, PAIRS("algorithm", "logistic", "scale", "minmax"));
    find_every_lie(two, PAIRS("algorithm", "logistic", "penalty", "l1", "intercept", "none"));
    find_every_lie(two, PAIRS("algorithm", "logistic", "penalty", "elastic", "intercept", "penalised", "scale", "maxabs"));
    find_every_lie(three, PAIRS("algorithm", "logistic"));
    find_every_lie(three, PAIRS("algorithm", "logistic", "multiclass", "ovr", "C", "3"));
    find_every_lie(three, PAIRS("algorithm", "ridge", "lambda", "0.3"));
    find_every_lie(two, PAIRS("algorithm", "logistic", "penalty", "none"));
    hsp_data_free(two);
    hsp_data_free(three);
}

static void every_lie_about_numbers(void **unused) {
    (void)unused;
    hsp_data *data = generated("linear", PAIRS("rows", "60", "features", "3"));
    if (!data->target) {
        double target[60];
        for (int i = 0; i < 60; i++) target[i] = sin(i) * 3 + 10;
        assert_int_equal(hsp_data_set_targets(data, target, NULL), 0);
    }
    find_every_lie(data, PAIRS("algorithm", "ridge", "scale", "standard"));
    find_every_lie(data, PAIRS("algorithm", "least-squares"));
    hsp_data_free(data);
}

/* Sparse rows, and the perceptron, which has no bound. */
static void every_lie_where_nothing_is_proven(void **unused) {
    (void)unused;
    hsp_data *data = generated("sparse", PAIRS("rows", "60", "features", "30"));
    find_every_lie(data, PAIRS("algorithm", "perceptron", "max-epochs", "3"));
    find_every_lie(data, PAIRS("algorithm", "sgd", "loss", "hinge", "max-epochs", "3"));
    hsp_data_free(data);
}

/* Merged classes, and a class that is there by name only. */
static void classes_of_all_kinds_are_verified(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "90", "noise", "2", "classes", "3"));
    find_every_lie(data, PAIRS("algorithm", "svm", "positive", data->classes.name[1]));
    double c[90];
    for (int64_t i = 0; i < 90; i++) c[i] = data->y[i] == 2 ? 0 : 1;
    assert_int_equal(hsp_data_set_weights(data, c, NULL), 0);
    find_every_lie(data, PAIRS("algorithm", "svm"));
    find_every_lie(data, PAIRS("algorithm", "logistic"));
    find_every_lie(data, PAIRS("algorithm", "ridge"));
    hsp_data_free(data);
}

/* ---- what is said ---- */

static void messages_tell_what_to_do(void **unused) {
    (void)unused;
    char said[256];
    hsp_data *data = weighted(generated("blobs", PAIRS("rows", "60", "noise", "3")));
    trained t = train(data, PAIRS("algorithm", "svm"));
    assert_int_equal(t.status, 0);
    hsp_data *bare = generated("blobs", PAIRS("rows", "60", "noise", "3"));
    assert_false(holds(t.model, bare, said));
    assert_string_equal(
        said, "the data are not the training data (content hash differs): the training rows had weights, give --weight");
    hsp_data *less = generated("blobs", PAIRS("rows", "59", "noise", "3"));
    assert_false(holds(t.model, less, said));
    hsp_data *other = generated("blobs", PAIRS("rows", "60", "classes", "5"));
    assert_false(holds(t.model, other, said));
    t.model->certificate.objective *= 2;
    assert_false(holds(t.model, data, said));
    assert_non_null(strstr(said, "certificate.objective is claimed to be "));
    t.model->certificate.objective /= 2;
    hsp_model_drop_dual(t.model);
    assert_false(holds(t.model, data, said));
    assert_string_equal(said, "the dual bound cannot be checked, as the model holds no dual vector: give the file of "
                              "--certificate, or train again without --no-certificate");
    trained_free(&t);
    hsp_data_free(data);
    hsp_data_free(bare);
    hsp_data_free(less);
    hsp_data_free(other);
}

/* Two models of the same rows must not contradict each other: where columns all but depend on each other nothing is bounded
 * from below without a penalty. */
static void no_false_bound_without_a_penalty(void **unused) {
    (void)unused;
    enum { N = 40 };
    double x[N][2], y[N];
    hsp_rng r = hsp_rng_new(5, 5);
    for (int i = 0; i < N; i++) {
        double z = hsp_rng_normal(&r);
        x[i][0] = hsp_rng_normal(&r);
        x[i][1] = x[i][0] + 1e-12 * z;
        y[i] = z + 0.1 * hsp_rng_normal(&r); /* what only the difference of the columns tells */
    }
    hsp_data *data = NULL;
    assert_int_equal(hsp_data_from_dense(x[0], N, 2, 2, NULL, NULL, &data, NULL), 0);
    assert_int_equal(hsp_data_set_targets(data, y, NULL), 0);
    trained t = train(data, PAIRS("algorithm", "least-squares"));
    assert_int_equal(t.status, 0);
    double bound = t.model->certificate.dual_bound; /* the optimum is near N * 0.1^2 / 2 */
    assert_true(isnan(bound) || bound <= N * 0.01);
    trained_free(&t);
    hsp_data_free(data);
}

/* The offset must be that of the objective. */
static void an_intercept_that_is_none(void **unused) {
    (void)unused;
    char said[256];
    hsp_data *data = generated("blobs", PAIRS("rows", "40", "noise", "3"));
    trained t = train(data, PAIRS("algorithm", "svm"));
    assert_true(holds(t.model, data, said));
    char *intercept = (char *)(uintptr_t)hsp_report_text(t.model->options, "intercept");
    assert_string_equal(intercept, "free");
    memcpy(intercept, "none", 4);
    read_objective(t.model);
    assert_false(holds(t.model, data, said));
    memcpy(intercept, "frea", 4);
    read_objective(t.model);
    assert_false(holds(t.model, data, said));
    trained_free(&t);
    hsp_data_free(data);
}

/* Models of older formats have a certificate and no claims. */
static void models_without_claims_are_verified_as_far_as_can_be(void **unused) {
    (void)unused;
    char said[256];
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "3"));
    trained t = train(data, PAIRS("algorithm", "logistic"));
    hsp_report_free(t.model->claims);
    t.model->claims = NULL;
    assert_false(holds(t.model, data, said)); /* the present format has claims */
    t.model->origin.format = 2;
    assert_true(holds(t.model, data, said));
    t.model->certificate.objective *= 1 + 1e-6;
    assert_false(holds(t.model, data, said));
    t.model->certificate.objective /= 1 + 1e-6;
    t.model->certificate.dual_bound = t.model->certificate.objective * 1.01;
    assert_false(holds(t.model, data, said));
    trained mean = train(data, PAIRS("algorithm", "nearest-mean"));
    hsp_report *report = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_verify(mean.model, data, NULL, NULL, NULL, &report, &err), HSP_EINPUT);
    assert_null(report);
    assert_non_null(err);
    hsp_error_free(err);
    trained_free(&t);
    trained_free(&mean);
    hsp_data_free(data);
}

static void verify_runs_out_of_memory_cleanly(void **unused) {
    (void)unused;
    hsp_data *data = generated("blobs", PAIRS("rows", "60", "noise", "3", "classes", "3"));
    trained t = train(data, PAIRS("algorithm", "logistic", "scale", "standard"));
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 5000; calls++) {
        hsp_report *report = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_verify(t.model, data, NULL, NULL, NULL, &report, NULL);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (report != NULL));
        if (report) assert_int_equal(hsp_report_flag(report, "verified"), 1);
        hsp_report_free(report);
    }
    assert_int_equal(status, 0);
    trained_free(&t);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lie_about_margins),
        cmocka_unit_test(every_lie_about_smooth_losses),
        cmocka_unit_test(every_lie_about_numbers),
        cmocka_unit_test(every_lie_where_nothing_is_proven),
        cmocka_unit_test(classes_of_all_kinds_are_verified),
        cmocka_unit_test(messages_tell_what_to_do),
        cmocka_unit_test(models_without_claims_are_verified_as_far_as_can_be),
        cmocka_unit_test(no_false_bound_without_a_penalty),
        cmocka_unit_test(an_intercept_that_is_none),
        cmocka_unit_test(verify_runs_out_of_memory_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
