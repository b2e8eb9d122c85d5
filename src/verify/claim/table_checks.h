/* Checks of the layout and encoding that training derived from the columns of a file or table. */
#ifndef HSP_VERIFY_CLAIM_TABLE_CHECKS_H
#define HSP_VERIFY_CLAIM_TABLE_CHECKS_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "verify/claim/checks.h"

/* `data`: the training rows, read for the model. */
int hsp_table_check(hsp_checks *c, const hsp_model *m, const hsp_data *data, int threads, hsp_error **err);

#endif
