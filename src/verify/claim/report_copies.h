/* The figures that a model's report, certificate and options repeat. */
#ifndef HSP_VERIFY_CLAIM_REPORT_COPIES_H
#define HSP_VERIFY_CLAIM_REPORT_COPIES_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/checks.h"
#include "verify/claim/claim.h"

/* `found`: the claims as they were made again. */
void hsp_report_copies(hsp_checks *c, const hsp_model *m, const hsp_data *data, const hsp_statement *s,
                       const json_t *found);
/* The proofs of separability in the report, if any. HSP_OK, or a failure that says nothing about them. */
int hsp_report_proof(hsp_checks *c, const hsp_model *m, const hsp_data *data, const json_t *report, const hsp_options *o,
                     hsp_error **err);

#endif
