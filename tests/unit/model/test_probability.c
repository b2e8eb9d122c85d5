/* Probabilities: against their definitions, at the ends of the range, and with class weights removed again. */
#include "handmade.h"

#include "base/rng.h"

#include <float.h>

static const char *const two[] = {"no", "yes"};
static const char *const three[] = {"a", "b", "c"};

static hsp_model *linked(const char *const *classes, int64_t count, hsp_link link) {
    hsp_model *m = handmade_model(2, classes, count, NULL, "none");
    m->link = link;
    return m;
}

static void weigh(hsp_model *m, const double *weight) {
    int64_t count = m->prepare.classes.count;
    hsp_free(m->class_weight);
    m->class_weight = hsp_alloc(count, sizeof(double));
    memcpy(m->class_weight, weight, (size_t)count * sizeof(double));
}

static void check_sound(const double *p, int64_t count) {
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        assert_true(p[k] >= 0 && p[k] <= 1);
        sum += p[k];
    }
    assert_true(fabs(sum - 1) <= 4 * DBL_EPSILON);
}

static void test_definitions(void **state) {
    (void)state;
    hsp_rng r = hsp_rng_new(5, 1);
    hsp_model *one = linked(two, 2, HSP_LINK_LOGISTIC), *soft = linked(three, 3, HSP_LINK_SOFTMAX);
    hsp_model *ovr = linked(three, 3, HSP_LINK_OVR);
    for (int trial = 0; trial < 1000; trial++) {
        double g[3], p[3], e[3], sum = 0, odds = 0;
        for (int k = 0; k < 3; k++) g[k] = 12 * hsp_rng_uniform(&r) - 6;
        one->prepare.positive = trial % 2;
        assert_true(hsp_model_probabilities(one, g, p));
        assert_true(fabs(p[trial % 2] - 1 / (1 + exp(-g[0]))) < 1e-15);
        check_sound(p, 2);
        for (int k = 0; k < 3; k++) e[k] = exp(g[k]), sum += e[k], odds += 1 / (1 + exp(-g[k]));
        assert_true(hsp_model_probabilities(soft, g, p));
        for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - e[k] / sum) < 1e-15);
        check_sound(p, 3);
        assert_true(hsp_model_probabilities(ovr, g, p));
        for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - 1 / (1 + exp(-g[k])) / odds) < 1e-15);
        check_sound(p, 3);
        memcpy(p, g, sizeof p); /* in place: the same */
        assert_true(hsp_model_probabilities(soft, p, p));
        for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - e[k] / sum) < 1e-15);
    }
    hsp_model_free(one);
    hsp_model_free(soft);
    hsp_model_free(ovr);
}

static void test_extremes(void **state) {
    (void)state;
    const double ends[] = {0, 1e-300, 1, 30, 40, 700, 710, 750, 1e5, 1e300, DBL_MAX};
    enum { N = 2 * sizeof ends / sizeof ends[0] };
    double v[N];
    for (int i = 0; i < N; i++) v[i] = ends[i / 2] * (i % 2 ? -1 : 1);
    hsp_model *models[] = {linked(two, 2, HSP_LINK_LOGISTIC), linked(three, 3, HSP_LINK_SOFTMAX),
                           linked(three, 3, HSP_LINK_OVR)};
    for (int m = 0; m < 3; m++) {
        for (int trial = 0; trial < 3; trial++) {
            const double weights[][3] = {{1, 1, 1}, {1e-300, 1e300, 1}, {0, 5e-324, DBL_MAX}};
            weigh(models[m], weights[trial]);
            int64_t outputs = models[m]->outputs;
            for (int i = 0; i < N * N * N; i++) {
                double g[] = {v[i % N], v[i / N % N], v[i / N / N]}, p[3];
                if (outputs == 1 && i >= N) break;
                assert_true(hsp_model_probabilities(models[m], g, p));
                check_sound(p, outputs == 1 ? 2 : 3);
                if (trial > 0) continue;
                int64_t best = hsp_model_decide(models[m], g);
                for (int64_t k = 0; k < (outputs == 1 ? 2 : 3); k++) assert_true(p[k] <= p[best]);
            }
        }
        hsp_model_free(models[m]);
    }
}

/* A tail keeps its relative accuracy: exp(-700) is a probability, not 0. */
static void test_tails(void **state) {
    (void)state;
    hsp_model *m = linked(two, 2, HSP_LINK_LOGISTIC);
    double p[2];
    hsp_model_probabilities(m, (double[]){-700}, p);
    assert_true(fabs(p[1] / exp(-700) - 1) < 1e-12 && p[0] == 1);
    hsp_model_probabilities(m, (double[]){700}, p);
    assert_true(fabs(p[0] / exp(-700) - 1) < 1e-12 && p[1] == 1);
    hsp_model_free(m);
    m = linked(three, 3, HSP_LINK_OVR); /* every logistic underflows: their ratios do not */
    double q[3];
    hsp_model_probabilities(m, (double[]){-1000, -1000, -1001}, q);
    assert_true(fabs(q[0] - 1 / (2 + exp(-1))) < 1e-12 && q[0] == q[1]);
    hsp_model_free(m);
}

/* A fit with weights c has the posterior c_k p_k / sum_l c_l p_l: the result is p. */
static void test_class_weights(void **state) {
    (void)state;
    const double truth[] = {0.2, 0.5, 0.3}, weight[] = {10, 0.25, 3}, pair[] = {0.7, 0.3};
    double g[3], p[3], sum = 0;
    for (int k = 0; k < 3; k++) sum += weight[k] * truth[k];
    hsp_model *m = linked(three, 3, HSP_LINK_SOFTMAX);
    weigh(m, weight);
    for (int k = 0; k < 3; k++) g[k] = log(weight[k] * truth[k] / sum) + 5;
    assert_true(hsp_model_probabilities(m, g, p));
    for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - truth[k]) < 1e-14);
    assert_int_equal(hsp_model_decide(m, g), 0); /* the decision keeps the weights */
    hsp_model_free(m);
    m = linked(three, 3, HSP_LINK_OVR);
    weigh(m, weight);
    for (int k = 0; k < 3; k++) {
        double q = weight[k] * truth[k] / sum;
        g[k] = log(q / (1 - q));
    }
    assert_true(hsp_model_probabilities(m, g, p));
    for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - truth[k]) < 1e-14);
    hsp_model_free(m);
    for (int64_t positive = 0; positive < 2; positive++) {
        m = linked(two, 2, HSP_LINK_LOGISTIC);
        m->prepare.positive = positive;
        weigh(m, weight);
        g[0] = log(weight[positive] * pair[positive] / (weight[1 - positive] * pair[1 - positive]));
        assert_true(hsp_model_probabilities(m, g, p));
        assert_true(fabs(p[0] - 0.7) < 1e-14 && fabs(p[1] - 0.3) < 1e-14);
        hsp_model_free(m);
    }
}

static void test_public(void **state) {
    (void)state;
    hsp_model *m = linked(three, 3, HSP_LINK_SOFTMAX);
    const double x[] = {0.5, -2};
    double p[3], g[3], q[3];
    hsp_error *err = NULL;
    handmade_ok(hsp_model_probability(m, x, p, &err), err);
    hsp_model_classify(m, x, g);
    hsp_model_probabilities(m, g, q);
    assert_memory_equal(p, q, sizeof p);
    m->link = HSP_LINK_NONE;
    assert_false(hsp_model_probabilities(m, g, q));
    int status = hsp_model_probability(m, x, p, &err);
    handmade_fails(status, HSP_EUSAGE, &err, "logistic");
    hsp_model_free(m);
}

/* A link that the outputs cannot have, which is never written. */
static void test_misfits(void **state) {
    (void)state;
    hsp_error *err = NULL;
    hsp_model *m = linked(two, 2, HSP_LINK_SOFTMAX);
    handmade_fails(hsp_model_check(m, &err), HSP_EINTERNAL, &err, "probabilities");
    m->link = HSP_LINK_OVR;
    assert_false(hsp_model_link_fits(m));
    m->link = HSP_LINK_LOGISTIC;
    assert_true(hsp_model_link_fits(m));
    const double bad[][2] = {{-1, 1}, {1, NAN}, {INFINITY, 1}};
    for (int i = 0; i < 3; i++) {
        weigh(m, bad[i]);
        handmade_fails(hsp_model_check(m, &err), HSP_EINTERNAL, &err, "probabilities");
    }
    weigh(m, (const double[]){0, 1});
    handmade_ok(hsp_model_check(m, &err), err);
    hsp_model_free(m);
    m = linked(three, 3, HSP_LINK_LOGISTIC);
    assert_false(hsp_model_link_fits(m));
    hsp_model_free(m);
    m = handmade_regression(2, NULL, "none");
    assert_true(hsp_model_link_fits(m));
    m->link = HSP_LINK_LOGISTIC;
    assert_false(hsp_model_link_fits(m));
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_definitions),   cmocka_unit_test(test_extremes), cmocka_unit_test(test_tails),
        cmocka_unit_test(test_class_weights), cmocka_unit_test(test_public),   cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
