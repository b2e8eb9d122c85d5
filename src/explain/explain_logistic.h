/* Newton's method on the objective of a fit, for logistic and for ridge with other losses than the squared one. */
#ifndef HSP_EXPLAIN_EXPLAIN_LOGISTIC_H
#define HSP_EXPLAIN_EXPLAIN_LOGISTIC_H

#include "explain/derivation.h"
#include "halfspace.h"

int hsp_explain_newton(hsp_derivation *v, hsp_error **err);

#endif
