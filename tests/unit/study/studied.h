/* Studies in one line, for the tests: options as a list of name, value, ..., NULL. */
#ifndef HSP_TESTS_STUDIED_H
#define HSP_TESTS_STUDIED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trained.h"

#include <math.h>
#include <stdlib.h>

typedef struct studied {
    int status;
    hsp_report *s;
    hsp_error *error;
} studied;

static inline studied study(const char *kind, const hsp_data *data, const char *const *pairs) {
    studied t = {0};
    hsp_options *o = options_of(pairs);
    assert_non_null(o);
    t.status = hsp_study_run(kind, NULL, data, o, NULL, &t.s, &t.error);
    hsp_options_free(o);
    return t;
}

static inline void studied_free(studied *t) {
    hsp_report_free(t->s);
    hsp_error_free(t->error);
}

/* One that must succeed. */
__attribute__((unused)) static studied study_well(const char *kind, const hsp_data *data, const char *const *pairs) {
    studied t = study(kind, data, pairs);
    if (t.status) fail_msg("%s", hsp_error_message(t.error));
    return t;
}

/* One that must fail, with one line that has these words. */
__attribute__((unused)) static void study_fails(const char *kind, const hsp_data *data, int status, const char *words,
                                                const char *const *pairs) {
    studied t = study(kind, data, pairs);
    if (t.status == HSP_OK || t.s || !t.error) fail_msg("a failure without an error, or with a study");
    const char *message = hsp_error_message(t.error);
    if (t.status != status) fail_msg("status %d, not %d: %s", t.status, status, message);
    if (!strstr(message, words)) fail_msg("'%s' lacks '%s'", message, words);
    if (strchr(message, '\n')) fail_msg("more than one line: %s", message);
    studied_free(&t);
}

static inline double number(const studied *t, const char *name) {
    return hsp_report_number(t->s, name);
}

/* The same report as text from one thread and from several. */
__attribute__((unused)) static void same_for_any_threads(const char *kind, const hsp_data *data, const char *const *pairs) {
    static const char *const threads[] = {"1", "2", "5"};
    char *first = NULL;
    for (int i = 0; i < 3; i++) {
        hsp_options *o = options_of(pairs);
        hsp_report *s = NULL;
        char *json = NULL;
        assert_non_null(o);
        assert_int_equal(hsp_options_set(o, "threads", threads[i], NULL), HSP_OK);
        assert_int_equal(hsp_study_run(kind, NULL, data, o, NULL, &s, NULL), HSP_OK);
        assert_int_equal(hsp_report_json(s, &json, NULL), HSP_OK);
        if (first) assert_string_equal(json, first);
        if (first)
            hsp_free(json);
        else
            first = json;
        hsp_report_free(s);
        hsp_options_free(o);
    }
    hsp_free(first);
}

/* An array of the study; rows and columns may be NULL. */
static inline const double *numbers(const studied *t, const char *name, int64_t *rows, int64_t *columns) {
    hsp_array a = {.size = sizeof a};
    if (hsp_report_array(t->s, name, &a, NULL)) fail_msg("no array '%s'", name);
    if (rows) *rows = a.shape[0];
    if (columns) *columns = a.shape[1];
    return a.data;
}

/* n rows of d numbers; class: 0, 1, ... of each row, or NULL for rows without labels. */
__attribute__((unused)) static hsp_data *table_of(const double *x, int64_t n, int64_t d, const int *class) {
    static const char *const names[] = {"a", "b", "c", "d"};
    const char **labels = malloc((size_t)n * sizeof *labels);
    hsp_data *data = NULL;
    assert_non_null(labels);
    for (int64_t i = 0; i < n && class; i++) labels[i] = names[class[i]];
    assert_int_equal(hsp_data_from_dense(x, n, d, d, class ? labels : NULL, NULL, &data, NULL), HSP_OK);
    free(labels);
    return data;
}

/* Rows of one class, and rows without labels, are nothing to learn from. */
__attribute__((unused)) static void study_needs_classes(const char *kind, const char *const *pairs) {
    const double x[] = {0, 1, 2, 3};
    hsp_data *one = table_of(x, 4, 1, (const int[]){0, 0, 0, 0}), *none = table_of(x, 4, 1, NULL);
    study_fails(kind, one, HSP_EINPUT, "one class", pairs);
    study_fails(kind, none, HSP_EINPUT, "no labels", pairs);
    hsp_data_free(one);
    hsp_data_free(none);
}

/* The split that a study makes of its data when nobody says otherwise. */
__attribute__((unused)) static void split_for_study(const hsp_data *data, const char *seed, hsp_data **train,
                                                    hsp_data **test) {
    hsp_options *o = options_of(PAIRS("test", "0.3", "stratify", hsp_data_classes(data) > 0 ? "yes" : "no", "seed", seed));
    assert_non_null(o);
    assert_int_equal(hsp_data_split(data, o, train, test, NULL), HSP_OK);
    hsp_options_free(o);
}

/* The share of mistakes, or the mean square, by rows and their weights. */
__attribute__((unused)) static double error_by_hand(const hsp_model *m, const hsp_data *data) {
    hsp_array y = {.size = sizeof y}, c = {.size = sizeof c};
    bool classes = hsp_data_classes(data) > 0;
    double *x = malloc((size_t)hsp_data_features(data) * sizeof *x), sum = 0, mass = 0;
    assert_non_null(x);
    assert_int_equal(hsp_data_array(data, classes ? "labels" : "targets", &y, NULL), HSP_OK);
    bool weighted = hsp_data_array(data, "weights", &c, NULL) == HSP_OK;
    for (int64_t i = 0; i < hsp_data_rows(data); i++) {
        double weight = weighted ? ((const double *)c.data)[i] : 1, g[8];
        assert_int_equal(hsp_data_row(data, i, x, NULL), HSP_OK);
        int64_t answer = hsp_model_classify(m, x, g);
        mass += weight;
        if (classes) {
            const char *label = hsp_data_class_name(data, ((const int32_t *)y.data)[i]);
            sum += answer == hsp_model_class_of(m, label) ? 0 : weight;
        } else {
            double apart = g[0] - ((const double *)y.data)[i];
            sum += weight * apart * apart;
        }
    }
    free(x);
    return sum / mass;
}

/* Makes a study with the first allocation failing, then the second, and so on until none does. */
typedef int study_maker(const void *ctx, hsp_report **out, hsp_error **err);
__attribute__((unused)) static void made_short_of_memory(study_maker *make, const void *ctx) {
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; status == HSP_EMEMORY && calls < 20000; calls++) {
        hsp_report *s = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = make(ctx, &s, &err);
        hsp_memory_fail_after(-1);
        if ((status == HSP_OK) != (s != NULL) || (status == HSP_OK) != (err == NULL)) fail_msg("half a failure");
        hsp_report_free(s);
        hsp_error_free(err);
    }
    assert_int_equal(status, HSP_OK);
}

/* What a study is made of, for those that run it. */
typedef struct study_inputs {
    const char *kind;
    const hsp_model *model;
    const hsp_data *data;
    const hsp_options *o;
} study_inputs;

__attribute__((unused)) static int run_study(const void *ctx, hsp_report **out, hsp_error **err) {
    const study_inputs *in = ctx;
    return hsp_study_run(in->kind, in->model, in->data, in->o, NULL, out, err);
}

__attribute__((unused)) static void study_short_of_memory(const char *kind, const hsp_data *data,
                                                          const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    assert_non_null(o);
    made_short_of_memory(run_study, &(study_inputs){kind, NULL, data, o});
    hsp_options_free(o);
}

/* The algorithms that train on any rows of two classes. */
__attribute__((unused)) static const char *const all_algorithms[] = {
    "nearest-mean", "perceptron", "gradient-descent", "sgd", "minibatch", "least-squares", "ridge",
    "fisher",       "lda",        "logistic",         "svm", NULL};

#endif
