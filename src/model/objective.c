#include "model/objective.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/report.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static bool is(const char *text, const char *word) {
    return text && strcmp(text, word) == 0;
}

/* Not separable, and the proof gives no reason, such as that the convex hulls may only touch. */
static bool is_overlap(const hsp_report *proof) {
    return is(hsp_report_text(proof, "verdict"), "not-separable") && !hsp_report_text(proof, "reason");
}

/* Whether the report proves that the classes of output k are not separable. */
static bool is_inseparable(const hsp_model *m, int64_t k) {
    const hsp_report *separable = hsp_report_member(m->report, "separable");
    if (hsp_report_kind(separable, NULL) == HSP_REPORT_OBJECT) return is_overlap(separable);
    HSP_REPORT_EACH(one, separable)
    if (is(hsp_report_text(one, "class"), m->prepare.classes.name[k])) return is_overlap(one);
    return false;
}

/* Whether the method for several classes is one problem of all of them. */
static bool is_joint(const char *multiclass) {
    return is(multiclass, "softmax") || is(multiclass, "crammer-singer");
}

int hsp_objective_read(const hsp_model *m, hsp_objective *out, hsp_error **err) {
    const char *penalty = hsp_report_text(m->report, "penalty"), *loss = hsp_report_text(m->report, "loss");
    double C = hsp_report_number(m->report, "C");
    *out = (hsp_objective){.loss = loss,
                           .penalty = penalty,
                           .intercept = hsp_report_text(m->options, "intercept"),
                           .hard = !loss && is(m->algorithm, "hard-svm"),
                           .joint = is_joint(hsp_report_text(m->report, "multiclass")) && m->outputs > 1,
                           .C = isnan(C) ? 1 : C,
                           .l1_share = is(penalty, "l1")        ? 1
                                       : is(penalty, "elastic") ? hsp_report_number(m->options, "l1-ratio")
                                                                : 0,
                           .parameter = hsp_report_number(m->report, "delta")};
    if (!is(penalty, "none") || m->prepare.regression) return HSP_OK;
    out->endless = hsp_alloc(m->outputs, sizeof *out->endless);
    if (!out->endless) return hsp_fail_memory(err);
    for (int64_t k = 0; k < m->outputs; k++) out->endless[k] = !is_inseparable(m, k);
    return HSP_OK;
}
