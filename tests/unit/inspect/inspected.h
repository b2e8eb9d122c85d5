/* The report of hsp_inspect for the tests, and its findings. */
#ifndef TESTS_INSPECTED_H
#define TESTS_INSPECTED_H

#include "model/handmade.h"
#include "trained.h"

/* The caller's to free. */
static inline hsp_report *inspect(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    assert_non_null(o);
    handmade_ok(hsp_inspect(data, o, NULL, &report, &err), err);
    assert_non_null(report);
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
        hsp_report *report = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_inspect(data, o, NULL, &report, &err);
        hsp_memory_fail_after(-1);
        assert_true((status == 0) == (report != NULL) && (status == 0) == (err == NULL));
        hsp_report_free(report);
        hsp_error_free(err);
    }
    assert_int_equal(status, 0);
    hsp_options_free(o);
    return calls;
}

static inline double number_of(const hsp_report *object, const char *key) {
    const hsp_report *value = hsp_report_member(object, key);
    assert_true(hsp_report_kind(value, NULL) == HSP_REPORT_NUMBER);
    return hsp_report_number(value, NULL);
}

/* "" when there is no such text. */
static inline const char *text_of(const hsp_report *object, const char *key) {
    const char *s = hsp_report_text(object, key);
    return s ? s : "";
}

/* The finding of that kind, with that column first unless it is NULL; NULL when there is none. */
static inline const hsp_report *find_finding(const hsp_report *report, const char *what, const char *column) {
    const hsp_report *findings = hsp_report_member(report, "findings");
    assert_true(hsp_report_kind(findings, NULL) == HSP_REPORT_LIST);
    for (int64_t i = 0; i < hsp_report_count(findings, NULL); i++) {
        const hsp_report *f = hsp_report_item(findings, NULL, i);
        const char *first = hsp_report_text_at(f, "columns", 0);
        if (strcmp(text_of(f, "what"), what) == 0 && (!column || (first && strcmp(first, column) == 0))) return f;
    }
    return NULL;
}

/* words: a part of its text. */
static inline void expect_finding(const hsp_report *report, const char *what, const char *column, const char *severity,
                                  const char *words, const char *fix) {
    const hsp_report *f = find_finding(report, what, column);
    if (!f) fail_msg("no finding '%s' on %s", what, column ? column : "-");
    assert_string_equal(text_of(f, "severity"), severity);
    if (!strstr(text_of(f, "text"), words)) fail_msg("'%s' is not in: %s", words, text_of(f, "text"));
    assert_string_equal(text_of(f, "fix"), fix);
}

/* As many findings as that, and no more. */
static inline void expect_findings(const hsp_report *report, int64_t count) {
    const hsp_report *findings = hsp_report_member(report, "findings");
    for (int64_t i = 0; hsp_report_count(findings, NULL) != count && i < hsp_report_count(findings, NULL); i++)
        print_error("%s\n", text_of(hsp_report_item(findings, NULL, i), "text"));
    assert_int_equal(hsp_report_count(findings, NULL), count);
}

#endif
