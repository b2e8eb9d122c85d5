/* Training in one line, for the tests: options as a list of name, value, ..., NULL. */
#ifndef HSP_TESTS_TRAINED_H
#define HSP_TESTS_TRAINED_H

#include "base/memory.h"
#include "model/model.h"
#include "option/options.h"

#include <stdarg.h>
#include <string.h>

typedef struct trained {
    int status;
    hsp_model *model;
    hsp_report *report;
    hsp_error *error;
} trained;

static inline hsp_options *options_of(const char *const *pairs) {
    hsp_options *o = NULL;
    if (hsp_options_new(&o, NULL)) return NULL;
    for (; pairs && pairs[0]; pairs += 2)
        if (hsp_options_set(o, pairs[0], pairs[1], NULL)) {
            hsp_options_free(o);
            return NULL;
        }
    return o;
}

static inline trained train_with_hooks(const hsp_data *data, const hsp_hooks *hooks, const char *const *pairs) {
    trained t = {0};
    hsp_options *o = options_of(pairs);
    t.status = o ? hsp_train(data, o, hooks, &t.model, &t.report, &t.error) : HSP_EMEMORY;
    hsp_options_free(o);
    return t;
}

static inline trained train(const hsp_data *data, const char *const *pairs) {
    return train_with_hooks(data, NULL, pairs);
}

static inline void trained_free(trained *t) {
    hsp_model_free(t->model);
    hsp_report_free(t->report);
    hsp_error_free(t->error);
}

/* Trains with the first allocation failing, then the second, and so on until none fails: each time the failure is
 * reported and no model is returned. The last status. */
__attribute__((unused)) static int train_short_of_memory(const hsp_data *data, const char *const *pairs) {
    hsp_options *o = options_of(pairs);
    int status = HSP_EMEMORY;
    for (int64_t calls = 0; o && status == HSP_EMEMORY && calls < 10000; calls++) {
        hsp_model *m = NULL;
        hsp_error *err = NULL;
        hsp_memory_fail_after(calls);
        status = hsp_train(data, o, NULL, &m, NULL, &err);
        hsp_memory_fail_after(-1);
        bool whole = (status == 0) == (m != NULL) && (status == 0) == (err == NULL);
        hsp_error_free(err);
        hsp_model_free(m);
        if (!whole) status = HSP_EINTERNAL;
    }
    hsp_options_free(o);
    return status;
}

static inline double figure(const trained *t, const char *key) {
    return hsp_report_number(t->report, key);
}

static inline const char *word(const trained *t, const char *key) {
    const char *s = hsp_report_text(t->report, key);
    return s ? s : "";
}

/* hsp_data_generate with options. */
static inline hsp_data *generated(const char *kind, const char *const *pairs) {
    hsp_data *data = NULL;
    hsp_options *o = options_of(pairs);
    if (!o || hsp_data_generate(kind, o, &data, NULL)) data = NULL;
    hsp_options_free(o);
    return data;
}

#define PAIRS(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
