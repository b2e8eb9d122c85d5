/* The report of hsp_inspect for the tests, and its findings. */
#ifndef TESTS_INSPECTED_H
#define TESTS_INSPECTED_H

#include "model/handmade.h"
#include "trained.h"

/* The caller's to free by json_decref. */
static inline json_t *inspect(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_error *err = NULL;
    char *text = NULL;
    assert_non_null(o);
    handmade_ok(hsp_inspect(data, o, NULL, &text, &err), err);
    json_t *report = json_loads(text, 0, NULL);
    assert_non_null(report);
    hsp_free(text);
    hsp_options_free(o);
    return report;
}

/* Inspects with the first allocation failing, then the second, and so on until none fails: each failure is reported and
 * leaves no report. The number of allocations. */
static inline int64_t inspect_short_of_memory(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    int status = HSP_EMEMORY;
    int64_t calls = 0;
    for (; status == HSP_EMEMORY && calls < 5000; calls++) {
        hsp_error *err = NULL;
        char *text = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_inspect(data, o, NULL, &text, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (text != NULL) && (status == 0) == (err == NULL));
        hsp_free(text);
        hsp_error_free(err);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
    return calls;
}

static inline double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* "" when there is no such text. */
static inline const char *text_of(const json_t *object, const char *key) {
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

/* The finding of that kind, with that column first unless it is NULL; NULL when there is none. */
static inline const json_t *find_finding(const json_t *report, const char *what, const char *column) {
    const json_t *findings = json_object_get(report, "findings");
    assert_true(json_is_array(findings));
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        const char *first = json_string_value(json_array_get(json_object_get(f, "columns"), 0));
        if (strcmp(text_of(f, "what"), what) == 0 && (!column || (first && strcmp(first, column) == 0))) return f;
    }
    return NULL;
}

/* words: a part of its text. */
static inline void expect_finding(const json_t *report, const char *what, const char *column, const char *severity,
                                  const char *words, const char *fix) {
    const json_t *f = find_finding(report, what, column);
    if (!f) fail_msg("no finding '%s' on %s", what, column ? column : "-");
    assert_string_equal(text_of(f, "severity"), severity);
    if (!strstr(text_of(f, "text"), words)) fail_msg("'%s' is not in: %s", words, text_of(f, "text"));
    assert_string_equal(text_of(f, "fix"), fix);
}

/* As many findings as that, and no more. */
static inline void expect_findings(const json_t *report, size_t count) {
    const json_t *findings = json_object_get(report, "findings");
    for (size_t i = 0; json_array_size(findings) != count && i < json_array_size(findings); i++)
        print_error("%s\n", text_of(json_array_get(findings, i), "text"));
    assert_int_equal(json_array_size(findings), count);
}

#endif
