/* What the report, the certificate and the options of a model must say, given its data and the claims made again. */
#ifndef HSP_VERIFY_CLAIM_EXPECTED_REPORT_H
#define HSP_VERIFY_CLAIM_EXPECTED_REPORT_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/checks.h"

/* Checks all members that follow from the data, the weights and `found`, the claims as they were made again; the others are
 * listed as unchecked. */
int hsp_expected_report_check(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_report *found,
                              hsp_error **err);
/* The proofs of separability in the report, if any. HSP_OK, or a failure that says nothing about them. */
int hsp_report_proof(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_options *o, hsp_error **err);

#endif
