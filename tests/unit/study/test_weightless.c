/* Rows of weight 0 where a study splits its data: a part without weight is refused, and nothing is not a number. */
#include "studied.h"

enum { N = 30 };

static const char *const kinds[] = {"lambda", "bias-variance", "learning-curve"};
static const char *const errors[] = {"test_error", "error", "test_mean"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Row i is the number i; classes in turn, or numbers to predict. */
static hsp_data *counted(bool classes) {
    double x[N];
    int class[N];
    for (int i = 0; i < N; i++) x[i] = i, class[i] = i % 2;
    hsp_data *data = table_of(x, N, 1, classes ? class : NULL);
    if (!classes) assert_int_equal(hsp_data_set_targets(data, x, NULL), HSP_OK);
    return data;
}

static studied study_briefly(const char *kind, const hsp_data *data) {
    bool varied = strcmp(kind, "lambda") == 0 || strcmp(kind, "bias-variance") == 0;
    return study(
        kind, data,
        PAIRS("seed", "1", "repeats", "3", "bootstraps", "4", varied ? "lambdas" : "folds", varied ? "0.1,1" : "6"));
}

static void refused(const char *kind, const hsp_data *data, const char *words) {
    studied t = study_briefly(kind, data);
    if (t.status != HSP_EINPUT || t.s || !t.error) fail_msg("%s: status %d", kind, t.status);
    if (!strstr(hsp_error_message(t.error), words)) fail_msg("%s: %s", kind, hsp_error_message(t.error));
    studied_free(&t);
}

/* Weight 0 for all rows of one part of the split that the studies begin with. */
static void empty_part(hsp_data *data, bool test_part) {
    hsp_data *train = NULL, *test = NULL;
    double weight[N], x;
    split_for_study(data, "1", &train, &test);
    for (int i = 0; i < N; i++) weight[i] = test_part;
    for (int64_t i = 0; i < hsp_data_rows(test); i++) {
        assert_int_equal(hsp_data_row(test, i, &x, NULL), HSP_OK);
        weight[(int)x] = !test_part;
    }
    assert_int_equal(hsp_data_set_weights(data, weight, NULL), HSP_OK);
    hsp_data_free(train);
    hsp_data_free(test);
}

static void test_parts(void **state) {
    (void)state;
    for (int classes = 0; classes < 2; classes++)
        for (int k = 0; k < 3; k++) {
            hsp_data *data = counted(classes);
            empty_part(data, true);
            refused(kinds[k], data, "rows that are in the test set have weight 0: remove such rows");
            empty_part(data, false);
            refused(kinds[k], data, classes ? "one class is left for training" : "left for training have weight 0");
            hsp_data_free(data);
        }
}

/* Whichever few rows have weight: numbers throughout, or one line that says why not. */
static void test_any(void **state) {
    (void)state;
    int made = 0, failed = 0;
    uint32_t seed = 3;
    for (int turn = 0; turn < 40; turn++) {
        hsp_data *data = counted(turn % 2);
        double weight[N];
        for (int i = 0; i < N; i++) weight[i] = (seed = seed * 1664525u + 1013904223u) >> 29 < (turn % 5 ? 1 : 4);
        weight[turn % N] = 1;
        assert_int_equal(hsp_data_set_weights(data, weight, NULL), HSP_OK);
        for (int k = 0; k < KINDS; k++) {
            studied t = study_briefly(kinds[k], data);
            int64_t n = 0;
            if ((t.status == HSP_OK) == (t.error != NULL)) fail_msg("%s: a status without an error", kinds[k]);
            const double *v = t.status ? NULL : numbers(&t, errors[k], &n, NULL);
            bool curve = strcmp(kinds[k], "learning-curve") == 0; /* its first sizes may fail, not the last */
            for (int64_t i = curve ? n - 1 : 0; v && i < n; i++) assert_true(isfinite(v[i]));
            made += v != NULL;
            failed += v == NULL;
            studied_free(&t);
        }
        hsp_data_free(data);
    }
    assert_true(made > 10 && failed > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
