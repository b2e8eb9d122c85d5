/* The lambda at which the L1 penalty leaves no weight. */
#ifndef HSP_SELECT_LARGEST_LAMBDA_H
#define HSP_SELECT_LARGEST_LAMBDA_H

#include "data/data.h"
#include "halfspace.h"

/* For the squared loss with a free intercept and a penalty of which rho > 0 is L1: the smallest lambda at which all weights are
 * 0, for these rows, scaled as the options say. 1 where every lambda does. */
int hsp_largest_lambda(const hsp_data *data, const hsp_options *o, double rho, double *out, hsp_error **err);

#endif
