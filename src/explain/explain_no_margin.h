/* hard-svm without a solution. */
#ifndef HSP_EXPLAIN_EXPLAIN_NO_MARGIN_H
#define HSP_EXPLAIN_EXPLAIN_NO_MARGIN_H

#include "explain/derivation.h"
#include "halfspace.h"

/* Explains why there is no hard margin; v has no model. */
int hsp_explain_no_margin(hsp_derivation *v, hsp_error **err);

#endif
