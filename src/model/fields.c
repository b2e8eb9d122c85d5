/* hsp_model_field: options and report members by name, as text. Training and loading store all of them as "name NUL text
 * NUL ...", so that the caller can borrow the result and a lookup cannot fail. */
#include "base/error.h"
#include "base/report.h"
#include "base/text.h"
#include "model/model.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static void add_text(hsp_text *t, const char *name, const char *value) {
    hsp_text_add(t, name);
    hsp_text_char(t, '\0');
    hsp_text_add(t, value);
    hsp_text_char(t, '\0');
}

static void add_member(hsp_text *t, const char *name, const hsp_report *v) {
    char number[32];
    switch (hsp_report_kind(v, NULL)) {
    case HSP_REPORT_TEXT:
        add_text(t, name, hsp_report_text(v, NULL));
        break;
    case HSP_REPORT_NUMBER:
        hsp_format_number(hsp_report_number(v, NULL), number);
        add_text(t, name, number);
        break;
    case HSP_REPORT_FLAG:
        add_text(t, name, hsp_report_flag(v, NULL) ? "yes" : "no");
        break;
    default:
        break;
    }
}

static void add_object(hsp_text *t, const hsp_report *object) {
    HSP_REPORT_EACH(member, object) add_member(t, hsp_report_name(member), member);
}

static const char *all_fields(const hsp_model *m) {
    hsp_model *owner = (hsp_model *)m; /* the cache does not change what callers can observe */
    char *fields = atomic_load(&owner->fields), *other = NULL;
    if (fields) return fields;
    /* A lookup returns the first entry of a name, so results precede options. */
    static const char *const links[] = {"none", "logistic", "softmax", "ovr"};
    hsp_text t = {0};
    char *out = NULL, rule[HSP_MODEL_DECISION];
    add_text(&t, "algorithm", m->algorithm);
    add_text(&t, "task", m->task);
    add_text(&t, "scale", m->prepare.scale ? m->prepare.scale : "none");
    add_text(&t, "link", links[m->link]);
    if (hsp_model_decision(m, rule)) add_text(&t, "decision", hsp_model_decision(m, rule));
    if (m->outputs == 1 && !m->prepare.regression && isfinite(hsp_model_score_threshold(m)))
        add_member(&t, "score_threshold", &(hsp_report){.kind = HSP_REPORT_NUMBER, .number = hsp_model_score_threshold(m)});
    if (m->calibration.method) add_text(&t, "calibration", m->calibration.method->name);
    add_object(&t, m->report);
    add_object(&t, m->options);
    hsp_text_char(&t, '\0'); /* terminates the list */
    fields = hsp_text_take(&t, &out, NULL) ? NULL : out;
    if (!fields) return NULL;
    if (!atomic_compare_exchange_strong(&owner->fields, &other, fields)) {
        hsp_free(fields);
        return other;
    }
    return fields;
}

int hsp_model_lay_out_fields(const hsp_model *m, hsp_error **err) {
    return all_fields(m) ? HSP_OK : hsp_fail_memory(err);
}

const char *hsp_model_field(const hsp_model *m, const char *name) {
    const char *at = all_fields(m);
    while (at && *at) {
        const char *value = at + strlen(at) + 1;
        if (strcmp(at, name) == 0) return value;
        at = value + strlen(value) + 1;
    }
    return NULL;
}
