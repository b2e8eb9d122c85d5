/* Models and data made by hand, for tests that need no training. */
#ifndef HSP_TESTS_HANDMADE_H
#define HSP_TESTS_HANDMADE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fails the test with the library's message. */
static inline void handmade_ok(int status, hsp_error *err) {
    if (status) fail_msg("status %d: %s", status, err ? hsp_error_message(err) : "no message");
    assert_null(err);
}

/* Checks that the call failed with that status and a message that contains `words`. */
static inline void handmade_fails(int status, int expected, hsp_error **err, const char *words) {
    assert_int_equal(status, expected);
    assert_non_null(*err);
    assert_int_equal(hsp_error_code(*err), expected);
    if (!strstr(hsp_error_message(*err), words)) fail_msg("'%s' is not in: %s", words, hsp_error_message(*err));
    assert_null(strchr(hsp_error_message(*err), '\n'));
    hsp_error_free(*err);
    *err = NULL;
}

/* n rows of d numbers with the class name of each row. */
static inline hsp_data *handmade_data(const double *x, int64_t n, int64_t d, const char *const *labels,
                                      const char *const *names) {
    hsp_data *data = NULL;
    hsp_error *err = NULL;
    int status = hsp_data_from_dense(x, n, d, d, labels, names, &data, &err);
    handmade_ok(status, err);
    return data;
}

/* A report of JSON text. */
static inline hsp_report *handmade_report(const char *json) {
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_report_parse(json, strlen(json), &r, &err), err);
    return r;
}

/* A model of d features for the classes named, prepared with the option `scale` on a few made-up rows. */
static inline hsp_model *handmade_model(int64_t d, const char *const *classes, int64_t count, const char *const *names,
                                        const char *scale) {
    int64_t n = 2 * count;
    double *x = calloc((size_t)(n * d), sizeof *x);
    const char **labels = calloc((size_t)n, sizeof *labels);
    for (int64_t i = 0; i < n; i++) {
        labels[i] = classes[i % count];
        for (int64_t j = 0; j < d; j++) x[i * d + j] = (double)(i * (j + 1)) / 3 - 1;
    }
    hsp_data *data = handmade_data(x, n, d, labels, names);
    hsp_options *o = NULL;
    hsp_error *err = NULL;
    handmade_ok(hsp_options_new(&o, &err), err);
    handmade_ok(hsp_options_set(o, "scale", scale, &err), err);
    hsp_prepare p;
    int status = hsp_prepare_fit(data, o, &p, &err);
    handmade_ok(status, err);
    hsp_model *m = NULL;
    status = hsp_model_new(&p, "by-hand", count == 2 ? 1 : count, &m, &err);
    handmade_ok(status, err);
    for (int64_t i = 0; i < m->outputs * d; i++) m->w[i] = (double)(i + 1) / 7 * (i % 2 ? -1 : 1);
    for (int64_t k = 0; k < m->outputs; k++) m->b[k] = 0.1 * (double)k - 0.3;
    m->rows = n;
    m->nonzeros = data->x.nonzeros;
    m->data_hash = 0x0123456789abcdefu;
    m->certificate = (hsp_certificate){1.0 / 3, 0.25, 1e-5, 1e-4};
    m->options = handmade_report("{\"C\":1,\"note\":\"a \\\"quoted\\\\\\\" , } word\",\"list\":[1,2,{\"x\":null}]}");
    m->report = handmade_report("{\"epochs\":12,\"big\":12345678901234567000,\"tiny\":5e-324}");
    hsp_options_free(o);
    hsp_data_free(data);
    free(x);
    free(labels);
    return m;
}

/* A model of d features that predicts a number. */
static inline hsp_model *handmade_regression(int64_t d, const char *const *names, const char *scale) {
    static const char *const classes[] = {"a", "b"};
    hsp_model *m = handmade_model(d, classes, 2, names, scale);
    hsp_classes_clear(&m->prepare.classes);
    m->prepare.positive = -1;
    m->prepare.regression = true;
    hsp_free(m->task);
    m->task = hsp_strdup("regression");
    return m;
}

/* Numbers to predict in place of labels. */
static inline hsp_data *handmade_targets(const double *x, int64_t n, int64_t d, const double *targets) {
    hsp_data *data = handmade_data(x, n, d, NULL, NULL);
    hsp_error *err = NULL;
    handmade_ok(hsp_data_set_targets(data, targets, &err), err);
    return data;
}

/* rows x columns varying numbers, allocated as hsp_model_add_extra takes them. */
static inline double *handmade_numbers(int64_t rows, int64_t columns) {
    double *v = hsp_alloc(rows * columns, sizeof *v);
    for (int64_t i = 0; i < rows * columns; i++) v[i] = (double)(i % 7) - 2.5;
    return v;
}

#endif
