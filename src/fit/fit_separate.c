/* Tests the separability of the outputs of a fit and reports the verdicts. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema.h"
#include "fit/fit.h"
#include "fit/fit_certify.h"
#include "option/options.h"
#include "separate/separate.h"
#include "verify/proof/proof.h"

#include <math.h>

/* Separates output k from the rest, by planes through the origin or by all planes. */
static int search_proof(const hsp_fit *f, int64_t k, bool origin, double deadline, hsp_proof *out, hsp_error **err) {
    int64_t n = f->job.data->x.n, plus = f->out.outputs == 1 ? f->job.prepare->positive : k;
    int8_t *y = hsp_alloc(n, sizeof *y);
    if (!y) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) y[i] = f->rows.c && f->rows.c[i] == 0 ? 0 : f->rows.y[i] == plus ? 1 : -1;
    hsp_rows_by_side q = {&f->job.data->x, y, origin, f->job.design->threads};
    hsp_separate_limits limits = {.deadline = deadline, .seed = f->form.rules.seed, .hooks = f->job.hooks};
    int status = hsp_separate(&q, &limits, out, err);
    hsp_free(y);
    return status;
}

int hsp_fit_verdict(const hsp_fit *f, int64_t k, bool origin, double deadline, hsp_verdict *out, hsp_error **err) {
    hsp_proof proof = {.verdict = HSP_UNDECIDED};
    int status = search_proof(f, k, origin, deadline, &proof, err);
    *out = proof.verdict;
    hsp_proof_clear(&proof);
    return status;
}

int hsp_fit_separate(hsp_fit *f, int64_t k, double deadline, hsp_error **err) {
    bool first = !f->out.proofs;
    if (first) f->out.proofs = hsp_alloc_zero(f->out.outputs, sizeof *f->out.proofs);
    for (int64_t o = 0; first && f->out.proofs && o < f->out.outputs; o++)
        f->out.proofs[o] = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = NAN, .upper = NAN};
    if (!f->out.proofs) return hsp_fail_memory(err);
    if (f->job.prepare->shift && hsp_options_is(f->job.options, "intercept", "none")) {
        /* The planes of the fit contain the point that the columns are shifted by, and that point is rounded. */
        f->out.proofs[k].reason = hsp_strdup(
            "--intercept none cannot be combined with a scaling that shifts the columns: use --scale none or maxabs");
        return f->out.proofs[k].reason ? HSP_OK : hsp_fail_memory(err);
    }
    bool origin = hsp_options_is(f->job.options, "intercept", "none");
    return search_proof(f, k, origin, deadline, &f->out.proofs[k], err);
}

bool hsp_fit_asked(const hsp_fit *f, int64_t k) {
    return f->out.proofs && (f->out.proofs[k].method || f->out.proofs[k].reason);
}

static const char *feature_name(const void *ctx, int64_t j, char *buf) {
    const hsp_fit *f = ctx;
    return hsp_schema_feature(&f->job.prepare->schema, j, buf);
}

void hsp_fit_write_separable(const hsp_fit *f, hsp_json *j) {
    bool origin = hsp_options_is(f->job.options, "intercept", "none");
    if (!f->out.proofs) return;
    if (f->out.outputs == 1) {
        hsp_json_object(j, "separable");
        hsp_proof_write(&f->out.proofs[0], origin, feature_name, f, f->job.data->x.d, j);
        hsp_json_object_end(j);
        return;
    }
    hsp_json_array(j, "separable");
    for (int64_t k = 0; k < f->out.outputs; k++) {
        if (!hsp_fit_asked(f, k)) continue;
        hsp_json_object(j, NULL);
        hsp_json_string(j, "class", f->job.prepare->classes.name[k]);
        hsp_proof_write(&f->out.proofs[k], origin, feature_name, f, f->job.data->x.d, j);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}
