/* Cross-validation in one line, for the tests: options as a list of name, value, ..., NULL. */
#ifndef HSP_TESTS_VALIDATED_H
#define HSP_TESTS_VALIDATED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trained.h"

#include <math.h>
#include <stdlib.h>

static inline hsp_report *validate(const hsp_data *data, hsp_model **model, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_report *r = NULL;
    hsp_error *err = NULL;
    assert_non_null(o);
    if (hsp_cross_validate(data, o, NULL, model, &r, &err)) fail_msg("%s", hsp_error_message(err));
    hsp_options_free(o);
    return r;
}

/* One that must fail, with one line that has these words. */
__attribute__((unused)) static void refused(const hsp_data *data, int status, const char *words, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_report *r = NULL;
    hsp_model *m = NULL;
    hsp_error *err = NULL;
    assert_non_null(o);
    int found = hsp_cross_validate(data, o, NULL, &m, &r, &err);
    if (found == HSP_OK || r || m || !err) fail_msg("no failure, but expected: %s", words);
    const char *message = hsp_error_message(err);
    if (found != status) fail_msg("status %d, not %d: %s", found, status, message);
    if (!strstr(message, words)) fail_msg("'%s' lacks '%s'", message, words);
    if (strchr(message, '\n')) fail_msg("more than one line: %s", message);
    hsp_error_free(err);
    hsp_options_free(o);
}

/* The value of a metric in fold k of the chosen model. */
static inline double fold_value(const hsp_report *r, int64_t k, const char *metric) {
    return hsp_report_number(hsp_report_item(r, "folds", k), metric);
}

static inline const hsp_report *tried(const hsp_report *r, int64_t i) {
    return hsp_report_item(r, "tried", i);
}

/* n rows of d numbers; class: 0, 1, ... of each row. */
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

__attribute__((unused)) static void set_groups(hsp_data *data, const int64_t *group) {
    int64_t n = hsp_data_rows(data);
    hsp_array g = {sizeof g, group, HSP_INT64, 1, {n, 1}, {8, 8}};
    assert_int_equal(hsp_data_set_groups(data, &g, NULL), 0);
}

#endif
