/* Contributions: dense and sparse rows alike, sums that are the score, without means, extremes, and memory that runs out. */
#include "model/handmade.h"

#include "data/block.h"
#include "predict/explain.h"

static const char *const two[] = {"no", "yes"};

/* Two features with weights 3 and -1, intercept 2 and, if wanted, means 1 and 4. */
static hsp_model *make_model(bool means) {
    hsp_model *m = handmade_model(2, two, 2, NULL, "none");
    hsp_error *err = NULL;
    m->w[0] = 3, m->w[1] = -1, m->b[0] = 2;
    double *mean = hsp_alloc(2, sizeof *mean);
    mean[0] = 1, mean[1] = 4;
    if (means)
        handmade_ok(hsp_model_add_extra(m, "feature-means", 2, 1, mean, &err), err);
    else
        hsp_free(mean);
    return m;
}

static void test_by_hand(void **state) {
    (void)state;
    for (int means = 0; means < 2; means++) {
        hsp_model *m = make_model(means == 1);
        hsp_explainer x;
        hsp_error *err = NULL;
        handmade_ok(hsp_explainer_init(&x, m, 2, &err), err);
        assert_true(x.baseline[0] == (means ? 1 : 2)); /* 2 + 3 - 4 */
        double dense[] = {0, 10}, value[] = {10};
        uint32_t id[] = {1};
        int64_t row[] = {0, 1};
        hsp_block a = {.rows = 1, .dense = true, .d = 2, .value = dense};
        hsp_block b = {.rows = 1, .row = row, .id = id, .value = value};
        hsp_contribution p[2], q[2];
        int64_t n = hsp_explainer_find(&x, &a, 0, 0, p);
        assert_int_equal(n, hsp_explainer_find(&x, &b, 0, 0, q));
        assert_int_equal(n, means ? 2 : 1); /* the first feature is 0: its contribution is -3 or nothing */
        double sum = x.baseline[0];
        for (int64_t k = 0; k < n; k++) {
            assert_true(p[k].feature == q[k].feature && p[k].value == q[k].value);
            sum += p[k].value;
        }
        assert_true(p[0].feature == 1 && p[0].value == (means ? -6 : -10) && sum == -8);
        hsp_explainer_clear(&x);
        hsp_model_free(m);
    }
}

static void test_extremes(void **state) {
    (void)state;
    hsp_model *m = make_model(true);
    hsp_explainer x;
    hsp_error *err = NULL;
    handmade_ok(hsp_explainer_init(&x, m, 1, &err), err);
    double dense[] = {1e308, 4};
    hsp_block a = {.rows = 1, .dense = true, .d = 2, .value = dense};
    hsp_contribution p[1];
    assert_int_equal(hsp_explainer_find(&x, &a, 0, 0, p), 1);
    assert_true(p[0].feature == 0 && isfinite(p[0].value));
    hsp_explainer_clear(&x);
    handmade_fails(hsp_explainer_init(&x, m, HSP_EXPLAIN_MOST + 1, &err), HSP_EUSAGE, &err, "1 to 100");
    hsp_explainer_clear(&x);
    hsp_model_free(m);
}

static void test_memory(void **state) {
    (void)state;
    hsp_model *m = make_model(true);
    for (int64_t k = 0;; k++) {
        hsp_explainer x;
        hsp_error *err = NULL;
        hsp_memory_fail_after(k);
        int status = hsp_explainer_init(&x, m, 3, &err);
        hsp_memory_fail_after(-1);
        hsp_explainer_clear(&x);
        hsp_error_free(err);
        if (!status) break;
        assert_int_equal(status, HSP_EMEMORY);
        assert_true(k < 20);
    }
    hsp_model_free(m);
}

int main(void) {
    const struct CMUnitTest t[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_extremes),
                                   cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(t, NULL, NULL);
}
