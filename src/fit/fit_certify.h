/* What is proven of a fit: the claims of its model, made by verify, and whether its classes are separable. */
#ifndef HSP_FIT_FIT_CERTIFY_H
#define HSP_FIT_FIT_CERTIFY_H

#include "base/json.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "model/model.h"

/* The claims of the model, made by verify; the figures of the results become those that it found. */
int hsp_fit_certify(hsp_fit *f, hsp_model *m, hsp_error **err);
/* Objective, bound and gap of the whole fit: sums over its problems. */
hsp_certificate hsp_fit_certificate(const hsp_fit *f);

/* Whether output k can be told from the rest, in f->out.proofs. */
int hsp_fit_separate(hsp_fit *f, int64_t k, double deadline, hsp_error **err);
bool hsp_fit_asked(const hsp_fit *f, int64_t k); /* whether that was done */
/* The member "separable" of a report; nothing when it was not asked. */
void hsp_fit_write_separable(const hsp_fit *f, hsp_json *j);

#endif
