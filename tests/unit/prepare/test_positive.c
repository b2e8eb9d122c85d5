/* --positive: one of two classes, or some of many against the rest; with weights, and for regression. */
#include "option/option_text.h"
#include "prepare/prepare_memory.h"

#include <stdio.h>

static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Fits rows of one feature with these labels (NULL: none) under "name=value;..." options. */
static int fit(const char *const *labels, int64_t n, const double *weights, const double *targets, const char *spec,
               hsp_prepare *p, hsp_error **err) {
    hsp_data *data = handmade_data(x, n, 1, labels, NULL);
    hsp_options *o = options_from(spec, ';');
    if (weights) assert_int_equal(hsp_data_set_weights(data, weights, NULL), 0);
    if (targets) assert_int_equal(hsp_data_set_targets(data, targets, NULL), 0);
    int status = hsp_prepare_fit(data, o, p, err);
    hsp_options_free(o);
    hsp_data_free(data);
    return status;
}

/* The two classes after merging, the positive one, and the class of each label, as digits. */
static void merges(const char *const *labels, int64_t n, const char *positive, const char *first, const char *second,
                   int64_t index, const char *merged) {
    hsp_prepare p;
    hsp_error *err = NULL;
    char spec[128];
    snprintf(spec, sizeof spec, "positive=%s", positive);
    int status = fit(labels, n, NULL, NULL, spec, &p, &err);
    handmade_ok(status, err);
    assert_int_equal(p.classes.count, 2);
    assert_string_equal(p.classes.name[0], first);
    assert_string_equal(p.classes.name[1], second);
    assert_int_equal(p.positive, index);
    assert_ptr_equal(hsp_prepare_labels(&p), &p.source);
    assert_int_equal(p.source.count, strlen(merged));
    for (int64_t k = 0; k < p.source.count; k++) {
        assert_int_equal(p.merged[k], merged[k] - '0');
        const char *label = p.source.name[k];
        assert_int_equal(hsp_prepare_class(&p, label, (int64_t)strlen(label)), merged[k] - '0');
    }
    assert_int_equal(hsp_prepare_class(&p, "nobody", 6), -1);
    assert_int_equal(hsp_prepare_class(&p, first, (int64_t)strlen(first)),
                     hsp_classes_find(&p.source, first, (int64_t)strlen(first)) < 0 ? -1 : 0);
    hsp_prepare_clear(&p);
}

static const char *const letters[] = {"a", "b", "c", "a", "b", "c"};
static const char *const digits[] = {"10", "9", "+1", "1.0", "10", "9"};

static void against_the_rest(void **state) {
    (void)state;
    merges(letters, 6, "a", "a", "rest", 0, "011");
    merges(letters, 6, "c", "c", "rest", 0, "110");
    merges(letters, 6, "c,a", "a,c", "rest", 0, "010");
    merges(letters, 6, "a,a", "a", "rest", 0, "011");
    merges(letters, 6, " b , a ", "a,b", "rest", 0, "001");
    merges(digits, 6, "1", "1", "rest", 0, "011");
    merges(digits, 6, "10.0,1e0", "1,10", "rest", 0, "010");
    const char *const late[] = {"x", "y", "z"};
    merges(late, 3, "x", "rest", "x", 1, "100");
    merges(late, 3, "y,z", "rest", "y,z", 1, "011");
}

/* Labels with commas, and a label "rest". */
static void names_of_the_rest(void **state) {
    (void)state;
    const char *const some[] = {"rest", "b", "b,c", "c"}; /* sorted: b | b,c | c | rest */
    merges(some, 4, "b,c", "b,c", "not b,c", 0, "1011");
    merges(some, 4, "c,b,c", "b,c,c", "not b,c,c", 0, "1001"); /* the longest label at each place */
    merges(some, 4, "rest", "not rest", "rest", 1, "0001");
    merges(some, 4, "b,c,rest", "b,c,rest", "not b,c,rest", 0, "1010");
    const char *const more[] = {"rest", "b", "not b", "c"}; /* b | c | not b | rest */
    merges(more, 4, "b", "b", "not not b", 0, "0111");
}

static void expect(const char *const *labels, int64_t n, const double *weights, const double *targets, const char *spec,
                   int code, const char *words) {
    hsp_prepare p;
    hsp_error *err = NULL;
    int status = fit(labels, n, weights, targets, spec, &p, &err);
    handmade_fails(status, code, &err, words);
    assert_true(!p.classes.name && !p.source.name && !p.merged);
}

static void refused(void **state) {
    (void)state;
    const char *const two[] = {"p", "q", "p"};
    expect(two, 3, NULL, NULL, "positive=r", HSP_EUSAGE,
           "--positive: 'r' is not a class of the data: choose from 'p' and 'q'");
    expect(two, 3, NULL, NULL, "positive=p,q", HSP_EUSAGE, "--positive names both classes: name one of them");
    expect(two, 3, NULL, NULL, "positive=p,", HSP_EUSAGE, "--positive: '' is not a class");
    expect(two, 3, NULL, NULL, "positive=,p", HSP_EUSAGE, "--positive: '' is not a class");
    expect(two, 3, NULL, NULL, "positive=p,r", HSP_EUSAGE, "--positive: 'r' is not a class");
    expect(letters, 6, NULL, NULL, "positive=d", HSP_EUSAGE,
           "--positive: 'd' is not a class of the data: choose from 'a', 'b' and 'c'");
    expect(letters, 6, NULL, NULL, "positive=a,d,b", HSP_EUSAGE, "--positive: 'd' is not a class");
    expect(letters, 6, NULL, NULL, "positive=b,c,a", HSP_EUSAGE, "--positive names all classes: leave at least one out");
    expect(letters, 6, NULL, NULL, "positive=rest", HSP_EUSAGE, "--positive: 'rest' is not a class");
    const char *const many[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    expect(many, 8, NULL, NULL, "positive=9", HSP_EUSAGE, "choose from '1', '2', '3', '4', '5', '6', ... (8 in all)");
    const char *const one[] = {"p", "p"};
    expect(one, 2, NULL, NULL, "positive=p", HSP_EINPUT, "only one class ('p')");
}

/* Classes whose rows all have weight 0 do not exist. */
static void with_weights(void **state) {
    (void)state;
    const char *const two[] = {"p", "q", "p", "q"};
    expect(two, 4, (const double[]){0, 1, 0, 2}, NULL, NULL, HSP_EINPUT,
           "only one class ('q') has rows with a positive weight, a classifier needs two: check");
    expect(letters, 6, (const double[]){1, 0, 0, 1, 0, 0}, NULL, "positive=a", HSP_EINPUT, "only one class ('a')");
    expect(letters, 6, (const double[]){0, 1, 1, 0, 1, 1}, NULL, "positive=a", HSP_EINPUT, "only one class ('rest')");
    hsp_prepare p;
    assert_int_equal(fit(letters, 6, (const double[]){1, 0, 1, 0, 0, 0}, NULL, NULL, &p, NULL), 0);
    assert_int_equal(p.classes.count, 3);
    hsp_prepare_clear(&p);
    assert_int_equal(fit(letters, 6, (const double[]){1, 0, 1, 0, 0, 0}, NULL, "positive=a", &p, NULL), 0);
    hsp_prepare_clear(&p);
    /* A part of the rows may have no weight at all. */
    hsp_data *data = handmade_data(x, 4, 1, two, NULL), *part = NULL;
    hsp_error *err = NULL;
    assert_int_equal(hsp_data_set_weights(data, (const double[]){0, 0, 1, 1}, NULL), 0);
    assert_int_equal(hsp_data_take(data, (const int64_t[]){0, 1}, 2, &part, NULL), 0);
    handmade_fails(hsp_prepare_fit(part, NULL, &p, &err), HSP_EINPUT, &err, "no row has a positive weight");
    assert_int_equal(hsp_data_set_targets(part, x, NULL), 0);
    handmade_fails(hsp_prepare_fit(part, NULL, &p, &err), HSP_EINPUT, &err, "no row has a positive weight");
    hsp_data_free(part);
    assert_int_equal(hsp_data_set_targets(data, x, NULL), 0);
    assert_int_equal(hsp_data_take(data, NULL, 0, &part, NULL), 0);
    handmade_fails(hsp_prepare_fit(part, NULL, &p, &err), HSP_EINPUT, &err, "no rows");
    hsp_data_free(part);
    hsp_data_free(data);
}

static void regression(void **state) {
    (void)state;
    const char *const two[] = {"1", "2", "1"};
    hsp_prepare p;
    for (int asked = 0; asked < 2; asked++) {
        assert_int_equal(fit(NULL, 3, NULL, x, asked ? "task=regression;scale=standard" : NULL, &p, NULL), 0);
        assert_true(p.regression && p.positive == -1 && p.classes.count == 0 && !p.merged);
        assert_int_equal(hsp_prepare_class(&p, "1", 1), -1);
        assert_int_equal(hsp_prepare_labels(&p)->count, 0);
        hsp_prepare_clear(&p);
    }
    assert_int_equal(fit(NULL, 1, NULL, x, NULL, &p, NULL), 0); /* one row, one target */
    hsp_prepare_clear(&p);
    assert_int_equal(fit(two, 3, NULL, NULL, "task=classification", &p, NULL), 0);
    assert_false(p.regression);
    hsp_prepare_clear(&p);
    expect(two, 3, NULL, NULL, "task=regression", HSP_EINPUT, "read with labels, not with a numeric target");
    expect(NULL, 3, NULL, NULL, "task=regression", HSP_EINPUT, "no target");
    expect(NULL, 3, NULL, x, "task=classification", HSP_EINPUT, "numeric target, not labels");
    expect(NULL, 3, NULL, x, "positive=1", HSP_EUSAGE, "--positive is for classification");
}

/* Points and scatters of scaled columns, back in original units. */
static void unscaled(void **state) {
    (void)state;
    const double rows[] = {1, 7, -4, 3, 7, 2, 5, 7, 0};
    const char *const labels[] = {"a", "b", "a"}, *const kinds[] = {"none", "standard", "maxabs", "minmax"};
    hsp_data *data = handmade_data(rows, 3, 3, labels, NULL);
    for (int kind = 0; kind < 4; kind++) {
        hsp_options *o = NULL;
        hsp_prepare p;
        assert_int_equal(hsp_options_new(&o, NULL), 0);
        assert_int_equal(hsp_options_set(o, "scale", kinds[kind], NULL), 0);
        assert_int_equal(hsp_prepare_fit(data, o, &p, NULL), 0);
        double mean[3] = {0}, scaled[9], S[9] = {0}, T[9] = {0}, centre[3] = {0};
        for (int i = 0; i < 9; i++) {
            int j = i % 3;
            scaled[i] = (rows[i] - (p.shift ? p.shift[j] : 0)) * (p.factor ? p.factor[j] : 1);
            mean[j] += scaled[i] / 3;
            centre[j] += rows[i] / 3;
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) {
                    S[3 * j + k] += (scaled[3 * i + j] - mean[j]) * (scaled[3 * i + k] - mean[k]);
                    T[3 * j + k] += (rows[3 * i + j] - centre[j]) * (rows[3 * i + k] - centre[k]);
                }
        hsp_prepare_unscale_point(&p, mean);
        hsp_prepare_unscale_scatter(&p, S);
        for (int j = 0; j < 3; j++) assert_true(fabs(mean[j] - centre[j]) < 1e-12);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(S[k] - T[k]) < 1e-12);
            assert_true(S[k] == S[k % 3 * 3 + k / 3]);
        }
        hsp_prepare_clear(&p);
        hsp_options_free(o);
    }
    hsp_data_free(data);
}

static void memory_runs_out(void **state) {
    (void)state;
    hsp_data *data = handmade_data(x, 6, 1, letters, NULL);
    hsp_options *o = NULL;
    assert_int_equal(hsp_options_new(&o, NULL), 0);
    for (int bad = 0; bad < 2; bad++) {
        assert_int_equal(hsp_options_set(o, "positive", bad ? "a,z" : "a,b", NULL), 0);
        fit_short_of_memory(data, o, bad ? HSP_EUSAGE : HSP_OK);
    }
    hsp_options_free(o);
    hsp_data_free(data);
}

int main(void) {
    const struct CMUnitTest t[] = {
        cmocka_unit_test(against_the_rest), cmocka_unit_test(names_of_the_rest), cmocka_unit_test(refused),
        cmocka_unit_test(with_weights),     cmocka_unit_test(regression),        cmocka_unit_test(unscaled),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(t, NULL, NULL);
}
