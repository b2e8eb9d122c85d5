/* Checks the proofs of separability in a training report (hard-svm, logistic without a penalty) like those of a file. */
#include "base/error.h"
#include "base/json.h"
#include "base/report.h"
#include "base/text.h"
#include "data/data.h"
#include "model/model.h"
#include "verify/claim/expected_report.h"

#include <string.h>

/* Adds what hsp_separability reports with a proof: the positive class and the hash of the data. */
static int complete_proof(const hsp_report *proof, const char *positive, uint64_t hash, hsp_report **out, hsp_error **err) {
    char hex[17];
    hsp_json j = {0};
    hsp_hex(hash, hex);
    hsp_json_object(&j, NULL);
    HSP_REPORT_EACH(member, proof)
    if (strcmp(hsp_report_name(member), "class") != 0) hsp_json_report(&j, hsp_report_name(member), member);
    hsp_json_string(&j, "positive", positive);
    hsp_json_string(&j, "data_hash", hex);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* Checks one proof; `name` is its path in the report. */
static int check_proof(hsp_checks *c, const char *name, const hsp_report *proof, const hsp_data *data, const hsp_options *o,
                       hsp_error **err) {
    hsp_report *report = NULL;
    hsp_error *inner = NULL;
    int status = hsp_verify_separability(proof, data, o, &report, &inner);
    if (status == HSP_EINPUT) { /* not a valid proof */
        hsp_checks_add(c, name, NULL, NULL, false, hsp_error_message(inner));
        status = HSP_OK;
    } else if (!status) {
        const char *fault = hsp_report_text(report, "first_false");
        hsp_text line = {0};
        hsp_text_format(&line, "%s: %s", name, fault ? fault : "");
        hsp_checks_add(c, name, NULL, NULL, hsp_report_flag(report, "verified") == 1, line.s);
        if (line.failed) c->failed = true;
        hsp_text_free(&line);
    } else if (err && !*err) {
        *err = inner;
        inner = NULL;
    }
    hsp_error_free(inner);
    hsp_report_free(report);
    return status;
}

int hsp_report_proof(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_options *o, hsp_error **err) {
    const hsp_report *list = hsp_report_member(m->report, "separable");
    int kind = hsp_report_kind(list, NULL);
    bool each = kind == HSP_REPORT_LIST;
    int64_t count = each ? hsp_report_count(list, NULL) : kind > HSP_REPORT_NULL ? 1 : 0;
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < count; k++) {
        const hsp_report *proof = each ? hsp_report_item(list, NULL, k) : list;
        const char *label = each                       ? hsp_report_text(proof, "class")
                            : m->prepare.positive >= 0 ? m->prepare.classes.name[m->prepare.positive]
                                                       : NULL;
        hsp_report *whole = NULL;
        hsp_text name = {0};
        hsp_text_add(&name, "separability");
        if (each) hsp_text_format(&name, "[%lld]", (long long)k);
        bool known = hsp_report_kind(proof, NULL) == HSP_REPORT_OBJECT && label;
        if (known) status = complete_proof(proof, label, hsp_data_hash(data), &whole, err);
        if (!status && name.failed) status = hsp_fail_memory(err);
        if (!status && known) status = check_proof(c, name.s, whole, data, o, err);
        if (!status && !known)
            hsp_checks_add(c, name.s, NULL, NULL, false,
                           "the proof of separability in the report does not hold for these classes");
        hsp_report_free(whole);
        hsp_text_free(&name);
    }
    return status;
}
