/* What can be checked of the calibration and the decision rule of a model without its folds. */
#ifndef HSP_VERIFY_CLAIM_CALIBRATION_CHECKS_H
#define HSP_VERIFY_CLAIM_CALIBRATION_CHECKS_H

#include "model/model.h"
#include "verify/claim/checks.h"

/* Of the report the members calibration and decision_rule, of the options calibrate and decide. */
void hsp_calibration_check(hsp_checks *c, const hsp_model *m);

#endif
