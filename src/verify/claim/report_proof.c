/* The proofs of separability that a training reported (hard-svm, logistic without a penalty), checked as those of a file.
 */
#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/data.h"
#include "model/model.h"
#include "verify/claim/report_copies.h"

#include <string.h>

/* The proof as hsp_separability would have written it: which side is positive, and of which data. */
static void write_whole(hsp_text *t, const json_t *proof, const char *positive, uint64_t hash) {
    char hex[17];
    hsp_json j = {.out = t};
    json_t *object = (json_t *)(uintptr_t)proof; /* Jansson walks only what is not const */
    hsp_hex(hash, hex);
    hsp_json_object(&j, NULL);
    for (void *it = json_object_iter(object); it; it = json_object_iter_next(object, it))
        if (strcmp(json_object_iter_key(it), "class") != 0)
            hsp_json_value(&j, json_object_iter_key(it), json_object_iter_value(it));
    hsp_json_string(&j, "positive", positive);
    hsp_json_string(&j, "data_hash", hex);
    hsp_json_object_end(&j);
}

/* One of them; `name` is its place in the report. */
static int check_proof(hsp_checks *c, const char *name, const char *text, const hsp_data *data, const hsp_options *o,
                       hsp_error **err) {
    char *report = NULL;
    hsp_error *inner = NULL;
    int status = hsp_verify_separability(text, data, o, &report, &inner);
    if (status == HSP_EINPUT) { /* it is not even a proof */
        hsp_checks_add(c, name, NULL, NULL, false, hsp_error_message(inner));
        status = HSP_OK;
    } else if (!status) {
        json_t *tree;
        if (hsp_json_parse_own(report, &tree)) c->failed = true;
        const char *fault = json_string_value(json_object_get(tree, "first_false"));
        hsp_text line = {0};
        hsp_text_format(&line, "%s: %s", name, fault ? fault : "");
        hsp_checks_add(c, name, NULL, NULL, json_is_true(json_object_get(tree, "verified")), line.s);
        if (line.failed) c->failed = true;
        hsp_text_free(&line);
        json_decref(tree);
    } else if (err && !*err) {
        *err = inner;
        inner = NULL;
    }
    hsp_error_free(inner);
    hsp_free(report);
    return status;
}

int hsp_report_proof(hsp_checks *c, const hsp_model *m, const hsp_data *data, const json_t *report, const hsp_options *o,
                     hsp_error **err) {
    const json_t *list = json_object_get(report, "separable");
    size_t count = json_is_array(list) ? json_array_size(list) : list && !json_is_null(list) ? 1 : 0;
    int status = HSP_OK;
    for (size_t k = 0; !status && k < count; k++) {
        const json_t *proof = json_is_array(list) ? json_array_get(list, k) : list;
        const char *label = json_is_array(list)        ? json_string_value(json_object_get(proof, "class"))
                            : m->prepare.positive >= 0 ? m->prepare.classes.name[m->prepare.positive]
                                                       : NULL;
        hsp_text name = {0}, text = {0};
        hsp_text_add(&name, "separability");
        if (json_is_array(list)) hsp_text_format(&name, "[%zu]", k);
        bool known = json_is_object(proof) && label;
        if (known) write_whole(&text, proof, label, hsp_data_hash(data));
        if (name.failed || text.failed)
            status = hsp_fail_memory(err);
        else if (known)
            status = check_proof(c, name.s, text.s, data, o, err);
        else
            hsp_checks_add(c, name.s, NULL, NULL, false,
                           "what the report says of separability is no proof for these classes");
        hsp_text_free(&text);
        hsp_text_free(&name);
    }
    return status;
}
