/* The losses against the margin: values, slopes and kinks. */
#include "loss/loss.h"

#include "studied.h"

static hsp_report *losses_study(void) {
    hsp_report *s = NULL;
    assert_int_equal(hsp_study_run("losses", NULL, NULL, NULL, NULL, &s, NULL), 0);
    return s;
}

static hsp_array array(const hsp_report *s, const char *name) {
    hsp_array a = {.size = sizeof a};
    assert_int_equal(hsp_report_array(s, name, &a, NULL), 0);
    return a;
}

static void every_loss_of_the_margin_is_there(void **state) {
    (void)state;
    hsp_report *s = losses_study();
    hsp_array m = array(s, "margin"), v = array(s, "value"), g = array(s, "slope");
    const double *margin = m.data, *value = v.data, *slope = g.data;
    int64_t n = m.shape[0], k = 0;
    assert_true(v.shape[1] == n && g.shape[0] == v.shape[0]);
    assert_true(margin[0] == -2.5 && margin[n - 1] == 2.5 && margin[n / 2] == 0);
    for (const hsp_loss *const *l = hsp_loss_table; *l; l++) {
        if (!(*l)->at || !((*l)->traits & HSP_LOSS_CLASSES)) continue;
        assert_string_equal(hsp_report_text_at(s, "losses", k), (*l)->name);
        assert_string_equal(hsp_report_text_at(s, "formulas", k), (*l)->formula);
        for (int64_t i = 0; i < n; i++) {
            hsp_loss_at at = (*l)->at((*l), 1, margin[i], HSP_KINK_OPEN);
            assert_true(value[k * n + i] == at.value && slope[k * n + i] == at.slope);
        }
        k++;
    }
    assert_int_equal(k, v.shape[0]);
    assert_null(hsp_report_text_at(s, "losses", k));
    hsp_report_free(s);
}

/* Perceptron at 0 and hinge at 1, between -1 and 0; no other. Every line between touches the loss from below. */
static void kinks_have_subgradients_on_both_sides(void **state) {
    (void)state;
    hsp_report *s = losses_study();
    hsp_array m = array(s, "margin"), v = array(s, "value"), at = array(s, "kink_margin");
    const double *margin = m.data, *value = v.data, *place = at.data, *height = array(s, "kink_value").data;
    const double *left = array(s, "kink_left").data, *right = array(s, "kink_right").data,
                 *loss = array(s, "kink_loss").data;
    assert_int_equal(at.shape[0], 2);
    assert_string_equal(hsp_report_text_at(s, "losses", (int64_t)loss[0]), "perceptron");
    assert_string_equal(hsp_report_text_at(s, "losses", (int64_t)loss[1]), "hinge");
    assert_true(place[0] == 0 && place[1] == 1);
    for (int i = 0; i < 2; i++) {
        assert_true(left[i] == -1 && right[i] == 0 && height[i] == 0);
        for (double t = 0; t <= 1; t += 0.25)
            for (int64_t j = 0; j < m.shape[0]; j++)
                assert_true(value[(int64_t)loss[i] * m.shape[0] + j] >=
                            height[i] + (left[i] + t * (right[i] - left[i])) * (margin[j] - place[i]) - 1e-12);
    }
    hsp_report_free(s);
}

static void there_is_nothing_else(void **state) {
    (void)state;
    hsp_report *s = losses_study();
    hsp_array a = {.size = sizeof a};
    hsp_error *err = NULL;
    assert_int_equal(hsp_report_array(s, "curvature", &a, &err), HSP_EUSAGE);
    assert_non_null(err);
    assert_true(isnan(hsp_report_number(s, "rows")));
    hsp_error_free(err);
    hsp_report_free(s);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    made_short_of_memory(run_study, &(study_inputs){.kind = "losses"});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_of_the_margin_is_there),
        cmocka_unit_test(kinks_have_subgradients_on_both_sides),
        cmocka_unit_test(there_is_nothing_else),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
