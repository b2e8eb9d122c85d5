/* Weights and targets that are attached to data, and what happens to them later. */
#include "data_fixture.h"

#include "option/options.h"
#include "report_json.h"

static const double x[] = {1, 2, 3, 4, 5, 6, 7, 8};
static const char *const labels[] = {"a", "b", "a", "b"};
static const double weights[] = {1, 0, 2.5, 1e-300};
static const double targets[] = {-1, 0.5, 1e300, 2};

static hsp_data *four_rows(bool labelled) {
    hsp_data *data;
    assert_int_equal(hsp_data_from_dense(x, 4, 2, 2, labelled ? labels : NULL, NULL, &data, NULL), 0);
    return data;
}

static void given_weights(void **state) {
    (void)state;
    hsp_data *data = four_rows(true);
    hsp_array view = {.size = sizeof view};
    hsp_error *err = NULL;
    uint64_t plain = hsp_data_hash(data);
    assert_null(data->weight);
    assert_fails(hsp_data_array(data, "weights", &view, &err), &err, HSP_EUSAGE, "no weights");
    assert_int_equal(hsp_data_set_weights(data, weights, NULL), 0);
    assert_int_equal(hsp_data_array(data, "weights", &view, NULL), 0);
    assert_int_equal(view.dtype, HSP_FLOAT64);
    assert_int_equal(view.shape[0], 4);
    assert_memory_equal(view.data, weights, sizeof weights);
    assert_true(view.data != weights);
    assert_true(hsp_data_hash(data) != plain);
    assert_int_equal(hsp_data_set_weights(data, (const double[]){2, 2, 2, 2}, NULL), 0);
    assert_true(data->weight[3] == 2);
    assert_int_equal(hsp_data_set_weights(data, NULL, NULL), 0);
    assert_null(data->weight);
    assert_true(hsp_data_hash(data) == plain);
    hsp_data_free(data);
}

static void refused_weights(void **state) {
    (void)state;
    hsp_data *data = four_rows(true);
    hsp_error *err = NULL;
    assert_int_equal(hsp_data_set_weights(data, weights, NULL), 0);
    assert_fails(hsp_data_set_weights(data, (const double[]){1, 1, -1, 1}, &err), &err, HSP_EINPUT,
                 "the weight of row 2 (from 0) is negative");
    assert_fails(hsp_data_set_weights(data, (const double[]){1, NAN, 1, 1}, &err), &err, HSP_EINPUT,
                 "row 1 (from 0) is not finite");
    assert_fails(hsp_data_set_weights(data, (const double[]){INFINITY, 1, 1, 1}, &err), &err, HSP_EINPUT, "not finite");
    assert_fails(hsp_data_set_weights(data, (const double[]){-INFINITY, 1, 1, 1}, &err), &err, HSP_EINPUT, "not finite");
    assert_fails(hsp_data_set_weights(data, (const double[]){0, 0, -0.0, 0}, &err), &err, HSP_EINPUT, "all weights are 0");
    assert_memory_equal(data->weight, weights, sizeof weights); /* the old ones stay */
    hsp_memory_fail_after(0);
    assert_int_equal(hsp_data_set_weights(data, x, NULL), HSP_EMEMORY);
    hsp_memory_fail_after(-1);
    assert_memory_equal(data->weight, weights, sizeof weights);
    hsp_data_free(data);
}

static void given_targets(void **state) {
    (void)state;
    for (int labelled = 0; labelled < 2; labelled++) {
        hsp_data *data = four_rows(labelled);
        hsp_array view = {.size = sizeof view};
        hsp_error *err = NULL;
        assert_int_equal(hsp_data_classes(data), labelled ? 2 : 0);
        assert_fails(hsp_data_array(data, "targets", &view, &err), &err, HSP_EUSAGE, "no targets");
        assert_int_equal(hsp_data_set_targets(data, targets, NULL), 0);
        assert_null(data->y);
        assert_int_equal(hsp_data_classes(data), 0);
        assert_int_equal(hsp_data_array(data, "targets", &view, NULL), 0);
        assert_memory_equal(view.data, targets, sizeof targets);
        assert_fails(hsp_data_array(data, "labels", &view, &err), &err, HSP_EUSAGE, "no labels");
        hsp_data_free(data);
    }
}

static void refused_targets(void **state) {
    (void)state;
    hsp_data *data = four_rows(true);
    hsp_error *err = NULL;
    assert_fails(hsp_data_set_targets(data, NULL, &err), &err, HSP_EUSAGE, "no targets were given");
    assert_fails(hsp_data_set_targets(data, (const double[]){1, NAN, 1, 1}, &err), &err, HSP_EINPUT, "row 1 (from 0)");
    assert_fails(hsp_data_set_targets(data, (const double[]){1, 1, 1, INFINITY}, &err), &err, HSP_EINPUT, "row 3 (from 0)");
    hsp_memory_fail_after(0);
    assert_int_equal(hsp_data_set_targets(data, targets, NULL), HSP_EMEMORY);
    hsp_memory_fail_after(-1);
    assert_non_null(data->y); /* the labels stay */
    assert_int_equal(hsp_data_classes(data), 2);
    hsp_data_free(data);
}

static hsp_data *full(void) {
    hsp_data *data = four_rows(false);
    assert_int_equal(hsp_data_set_targets(data, targets, NULL), 0);
    assert_int_equal(hsp_data_set_weights(data, weights, NULL), 0);
    return data;
}

static int take_rows(void *user, hsp_error **err) {
    hsp_data *part;
    int status = hsp_data_take(user, (const int64_t[]){3, 0}, 2, &part, err);
    if (status == 0) assert_true(part->target[0] == 2 && part->target[1] == -1 && part->weight[0] == 1e-300);
    hsp_data_free(part);
    return status;
}

static void parts_keep_them(void **state) {
    (void)state;
    hsp_data *data = full(), *train, *test;
    sweep_memory(take_rows, data);
    hsp_options *o;
    hsp_error *err = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    assert_int_equal(hsp_options_set(o, "test", "1", NULL), 0);
    assert_int_equal(hsp_data_split(data, o, &train, &test, NULL), 0);
    for (int64_t i = 0; i < 3; i++) {
        double row[2];
        assert_int_equal(hsp_data_row(train, i, row, NULL), 0);
        int64_t from = (int64_t)(row[0] - 1) / 2;
        assert_true(train->target[i] == targets[from] && train->weight[i] == weights[from]);
    }
    assert_int_equal(test->x.n, 1);
    assert_true(test->target && test->weight && !test->y);
    hsp_data_free(train);
    hsp_data_free(test);
    assert_int_equal(hsp_options_set(o, "stratify", "yes", NULL), 0);
    assert_fails(hsp_data_split(data, o, &train, &test, &err), &err, HSP_EUSAGE, "--stratify needs classes");
    assert_true(!train && !test);
    hsp_options_free(o);
    hsp_data_free(data);
}

/* Every number changes the hash; the hash of plain data is unchanged. */
static void the_hash(void **state) {
    (void)state;
    hsp_data *data = full();
    uint64_t whole = hsp_data_hash(data);
    data->target[1] = 0.25;
    assert_true(hsp_data_hash(data) != whole);
    data->target[1] = 0.5;
    data->weight[2] = 2;
    assert_true(hsp_data_hash(data) != whole);
    data->weight[2] = 2.5;
    assert_true(hsp_data_hash(data) == whole);
    hsp_data_free(data);
    /* The same numbers as weights and as targets are not the same data. */
    hsp_data *a = four_rows(false), *b = four_rows(false);
    assert_true(hsp_data_hash(a) == hsp_data_hash(b));
    assert_int_equal(hsp_data_set_weights(a, weights, NULL), 0);
    assert_int_equal(hsp_data_set_targets(b, weights, NULL), 0);
    assert_true(hsp_data_hash(a) != hsp_data_hash(b));
    hsp_data_free(a);
    hsp_data_free(b);
    data = four_rows(true);
    assert_true(hsp_data_hash(data) == UINT64_C(0xddb4ce213a696f56));
    hsp_data_free(data);
}

static void the_report(void **state) {
    (void)state;
    hsp_data *data = full();
    hsp_report *r;
    assert_int_equal(hsp_data_report(data, &r, NULL), 0);
    char *json = take_json(r);
    assert_non_null(strstr(json, "\"classes\":null,\"targets\":{\"min\":-1,\"max\":1e300,\"mean\":"));
    assert_non_null(strstr(json, "\"weights\":{\"column\":null,\"sum\":3.5,\"zero\":1}"));
    hsp_free(json);
    /* The mean of two numbers whose difference overflows. */
    assert_int_equal(hsp_data_set_targets(data, (const double[]){1.7e308, -1.7e308, 1.7e308, -1.7e308}, NULL), 0);
    assert_int_equal(hsp_data_report(data, &r, NULL), 0);
    json = take_json(r);
    assert_null(strstr(json, "\"mean\":null"));
    hsp_free(json);
    hsp_data_free(data);
    data = four_rows(true);
    assert_int_equal(hsp_data_report(data, &r, NULL), 0);
    json = take_json(r);
    assert_non_null(strstr(json, "\"targets\":null,\"weights\":null"));
    hsp_free(json);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(given_weights),   cmocka_unit_test(refused_weights), cmocka_unit_test(given_targets),
        cmocka_unit_test(refused_targets), cmocka_unit_test(parts_keep_them), cmocka_unit_test(the_hash),
        cmocka_unit_test(the_report),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
