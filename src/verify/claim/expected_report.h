/* The expected report, certificate and options of a model, given its data and the recomputed claims. */
#ifndef HSP_VERIFY_CLAIM_EXPECTED_REPORT_H
#define HSP_VERIFY_CLAIM_EXPECTED_REPORT_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/checks.h"

/* Checks all members that follow from the data, the weights and `found`, the recomputed claims. Lists the others as
 * unchecked. */
int hsp_expected_report_check(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_report *found,
                              int threads, hsp_error **err);
/* Checks the proofs of separability in the report, if any. Returns HSP_OK, or an error that is not about the proofs. */
int hsp_report_proof(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_options *o, hsp_error **err);

#endif
