/* What is learnt from training rows: the positive class and the scaling; and data that cannot be learnt from. */
#include "option/option_text.h"
#include "prepare/prepare_memory.h"

#include <float.h>

static const double square[] = {0, 0, 1, 10, 2, 20, 3, 30};
static const char *const two[] = {"-1", "+1", "1", "-1"};

/* Fits and expects success. */
static hsp_prepare fit(const hsp_data *data, const char *spec) {
    hsp_options *o = options_from(spec, ';');
    hsp_prepare p;
    hsp_error *err = NULL;
    int status = hsp_prepare_fit(data, o, &p, &err);
    handmade_ok(status, err);
    hsp_options_free(o);
    return p;
}

static void expect(const hsp_data *data, const char *spec, int code, const char *words) {
    hsp_options *o = options_from(spec, ';');
    hsp_prepare p;
    hsp_error *err = NULL;
    int status = hsp_prepare_fit(data, o, &p, &err);
    handmade_fails(status, code, &err, words);
    assert_int_equal(hsp_prepare_fit(data, o, &p, NULL), code);
    assert_null(p.scale);
    hsp_options_free(o);
}

static void test_positive(void **state) {
    (void)state;
    hsp_data *data = handmade_data(square, 4, 2, two, NULL);
    hsp_prepare p = fit(data, NULL);
    assert_int_equal(p.positive, 1);
    assert_string_equal(p.classes.name[1], "1");
    assert_string_equal(p.scale, "none");
    assert_true(!p.shift && !p.factor);
    hsp_prepare_clear(&p);
    p = fit(data, "positive=-1.0");
    assert_int_equal(p.positive, 0);
    hsp_prepare_clear(&p);
    p = fit(data, "positive=+1");
    assert_int_equal(p.positive, 1);
    hsp_prepare_clear(&p);
    expect(data, "positive=2", HSP_EUSAGE, "'2' is not a class");
    hsp_data_free(data);
    const char *const three[] = {"a", "b", "c", "a"};
    data = handmade_data(square, 4, 2, three, NULL);
    p = fit(data, NULL);
    assert_int_equal(p.positive, -1);
    hsp_prepare_clear(&p);
    hsp_data_free(data);
}

static void test_unusable(void **state) {
    (void)state;
    const char *const one[] = {"1", "+1", "1.0", "1"};
    hsp_data *data = handmade_data(square, 4, 2, one, NULL);
    expect(data, NULL, HSP_EINPUT, "only one class ('1') in the training data, a classifier needs two: check --target");
    hsp_data_free(data);
    data = handmade_data(square, 4, 2, NULL, NULL);
    expect(data, NULL, HSP_EINPUT, "no labels");
    hsp_data_free(data);
    /* Two classes are known, but the chosen rows are of one. */
    data = handmade_data(square, 4, 2, two, NULL);
    hsp_data *part = NULL;
    hsp_error *err = NULL;
    int status = hsp_data_take(data, (int64_t[]){1, 2}, 2, &part, &err);
    handmade_ok(status, err);
    expect(part, NULL, HSP_EINPUT, "only one class ('1')");
    hsp_data_free(part);
    data->x.d = 0;
    expect(data, NULL, HSP_EINPUT, "no features");
    data->x.d = 2;
    hsp_data_free(data);
}

static void test_not_utf8(void **state) {
    (void)state;
    const char *const labels[] = {"caf\xe9", "th\xe9", "caf\xe9", "th\xe9"}, *const names[] = {"a", "\xff"};
    hsp_data *data = handmade_data(square, 4, 2, labels, NULL);
    expect(data, NULL, HSP_EINPUT, "is not UTF-8");
    hsp_data_free(data);
    data = handmade_data(square, 4, 2, two, names);
    expect(data, NULL, HSP_EINPUT, "column name");
    hsp_data_free(data);
    const char *const good[] = {"caf\xc3\xa9", "x", "x", "x"};
    data = handmade_data(square, 4, 2, good, NULL);
    hsp_prepare p = fit(data, NULL);
    hsp_prepare_clear(&p);
    hsp_data_free(data);
}

static void test_scales(void **state) {
    (void)state;
    const double x[] = {1, 7, -4, 3, 7, 2, 5, 7, 0};
    const char *const labels[] = {"a", "b", "a"};
    hsp_data *data = handmade_data(x, 3, 3, labels, NULL);
    hsp_prepare p = fit(data, "scale=standard");
    assert_true(p.shift[0] == 3 && fabs(p.factor[0] - 1 / sqrt(8.0 / 3)) < 1e-15);
    assert_true(p.shift[1] == 7 && p.factor[1] == 1);
    hsp_prepare_clear(&p);
    p = fit(data, "scale=minmax");
    assert_true(p.shift[0] == 1 && p.factor[0] == 0.25 && p.shift[1] == 7 && p.factor[1] == 1);
    assert_true(p.shift[2] == -4 && fabs(p.factor[2] - 1.0 / 6) < 1e-16);
    hsp_prepare_clear(&p);
    p = fit(data, "scale=maxabs");
    assert_null(p.shift);
    assert_true(p.factor[0] == 0.2 && fabs(p.factor[1] - 1.0 / 7) < 1e-16 && p.factor[2] == 0.25);
    hsp_prepare_clear(&p);
    hsp_data_free(data);
}

/* w.(x - shift)*factor + b is the same number as unscaled w.x + b. */
static void test_unscale(void **state) {
    (void)state;
    const double x[] = {1, 7, -4, 3, 7, 2, 5, 7, 0};
    const char *const labels[] = {"a", "b", "a"}, *const kinds[] = {"scale=none", "scale=standard", "scale=maxabs",
                                                                    "scale=minmax"};
    hsp_data *data = handmade_data(x, 3, 3, labels, NULL);
    for (int kind = 0; kind < 4; kind++) {
        hsp_prepare p = fit(data, kinds[kind]);
        double w[] = {0.5, -2, 3}, b = 0.7, v[] = {0.5, -2, 3}, c = 0.7;
        hsp_prepare_unscale(&p, w, &b);
        for (int i = 0; i < 3; i++) {
            double inside = c, outside = b;
            for (int j = 0; j < 3; j++) {
                inside += v[j] * (x[3 * i + j] - (p.shift ? p.shift[j] : 0)) * (p.factor ? p.factor[j] : 1);
                outside += w[j] * x[3 * i + j];
            }
            assert_true(fabs(inside - outside) < 1e-12);
        }
        hsp_prepare_clear(&p);
    }
    hsp_data_free(data);
}

static void test_extreme_scales(void **state) {
    (void)state;
    const double x[] = {DBL_MAX, 5e-324, 1e300, 1e-310, -DBL_MAX, 0, -1e300, 0, 0, 5e-324, 1, 2e-310};
    const char *const labels[] = {"a", "b", "a"}, *const kinds[] = {"scale=standard", "scale=maxabs", "scale=minmax"};
    hsp_data *data = handmade_data(x, 3, 4, labels, NULL);
    for (int kind = 0; kind < 3; kind++) {
        hsp_prepare p = fit(data, kinds[kind]);
        double w[] = {1000, -1000, 1000, -1000}, b = 1;
        for (int j = 0; j < 4; j++) {
            assert_true(isfinite(p.factor[j]) && p.factor[j] > 0);
            assert_true(!p.shift || isfinite(p.shift[j]));
        }
        hsp_prepare_unscale(&p, w, &b);
        for (int j = 0; j < 4; j++) assert_true(isfinite(w[j]));
        assert_true(isfinite(b));
        hsp_prepare_clear(&p);
    }
    hsp_data_free(data);
}

static void test_memory(void **state) {
    (void)state;
    const char *const names[] = {"first", "second"};
    hsp_data *data = handmade_data(square, 4, 2, two, names);
    hsp_options *o = options_from("scale=standard", ';');
    fit_short_of_memory(data, o, HSP_OK);
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(test_positive), cmocka_unit_test(test_unusable), cmocka_unit_test(test_not_utf8),
        cmocka_unit_test(test_scales),   cmocka_unit_test(test_unscale),  cmocka_unit_test(test_extreme_scales),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
