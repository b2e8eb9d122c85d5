/* The proofs about a fit: the claims of its model, made by src/verify, and the separability of its classes. */
#ifndef HSP_FIT_FIT_CERTIFY_H
#define HSP_FIT_FIT_CERTIFY_H

#include "base/json.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/verify.h"
#include "verify/proof/proof.h"

/* Makes the claims of the model by src/verify and replaces the figures of the results by those of the audit. visitor: NULL, or
 * visited by the first audit, if there is one. */
int hsp_fit_certify(hsp_fit *f, hsp_model *m, hsp_rows_visitor *visitor, hsp_error **err);
/* Objective, bound and gap of the whole fit: the sums over its problems. */
hsp_certificate hsp_fit_certificate(const hsp_fit *f);

/* Tests whether output k is separable from the rest; stores the proof in f->out.proofs. */
int hsp_fit_separate(hsp_fit *f, int64_t k, double deadline, hsp_error **err);
/* Only the verdict on output k, by planes through the origin or by all planes. HSP_OK or HSP_EMEMORY. */
int hsp_fit_verdict(const hsp_fit *f, int64_t k, bool origin, double deadline, hsp_verdict *out, hsp_error **err);
bool hsp_fit_asked(const hsp_fit *f, int64_t k); /* whether output k was tested */
/* Writes the member "separable" of a report; nothing if separability was not tested. */
void hsp_fit_write_separable(const hsp_fit *f, hsp_json *j);

#endif
