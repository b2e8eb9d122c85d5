/* Separability as a part of a fit: asked for the problems of its outputs, told in its report. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/schema.h"
#include "fit/fit.h"
#include "option/options.h"
#include "separate/separate.h"
#include "verify/proof/proof.h"

#include <math.h>

int hsp_fit_separate(hsp_fit *f, int64_t k, double deadline, hsp_error **err) {
    int64_t n = f->data->x.n, plus = f->outputs == 1 ? f->prepare->positive : k;
    bool first = !f->proofs;
    if (first) f->proofs = hsp_alloc_zero(f->outputs, sizeof *f->proofs);
    for (int64_t o = 0; first && f->proofs && o < f->outputs; o++)
        f->proofs[o] = (hsp_proof){.verdict = HSP_UNDECIDED, .margin = NAN, .lower = NAN, .upper = NAN};
    int8_t *y = hsp_alloc(n, sizeof *y);
    int status = f->proofs && y ? HSP_OK : hsp_fail_memory(err);
    if (!status && f->prepare->shift && hsp_options_is(f->o, "intercept", "none")) {
        /* The planes of the fit contain the point that the columns are measured from, which is rounded. */
        f->proofs[k].reason = hsp_strdup("--intercept none with shifted columns asks for planes through their centre: use "
                                         "--scale none or maxabs");
        hsp_free(y);
        return f->proofs[k].reason ? HSP_OK : hsp_fail_memory(err);
    }
    for (int64_t i = 0; !status && i < n; i++) y[i] = f->c && f->c[i] == 0 ? 0 : f->y[i] == plus ? 1 : -1;
    if (!status) {
        hsp_rows_by_side q = {&f->data->x, y, hsp_options_is(f->o, "intercept", "none"), f->design->threads};
        hsp_separate_limits limits = {.deadline = deadline, .seed = f->rules.seed, .hooks = f->hooks};
        status = hsp_separate(&q, &limits, &f->proofs[k], err);
    }
    hsp_free(y);
    return status;
}

bool hsp_fit_asked(const hsp_fit *f, int64_t k) {
    return f->proofs && (f->proofs[k].method || f->proofs[k].reason);
}

static const char *feature_name(const void *ctx, int64_t j, char *buf) {
    const hsp_fit *f = ctx;
    return hsp_schema_feature(&f->prepare->schema, j, buf);
}

void hsp_fit_write_separable(const hsp_fit *f, hsp_json *j) {
    bool origin = hsp_options_is(f->o, "intercept", "none");
    if (!f->proofs) return;
    if (f->outputs == 1) {
        hsp_json_object(j, "separable");
        hsp_proof_write(&f->proofs[0], origin, feature_name, f, f->data->x.d, j);
        hsp_json_object_end(j);
        return;
    }
    hsp_json_array(j, "separable");
    for (int64_t k = 0; k < f->outputs; k++) {
        if (!hsp_fit_asked(f, k)) continue;
        hsp_json_object(j, NULL);
        hsp_json_string(j, "class", f->prepare->classes.name[k]);
        hsp_proof_write(&f->proofs[k], origin, feature_name, f, f->data->x.d, j);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}
