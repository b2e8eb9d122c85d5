/* Fits a network: one problem of all outputs, which no solver of an hsp_problem can pose (docs/decisions). */
#ifndef HSP_FIT_FIT_NETWORK_H
#define HSP_FIT_FIT_NETWORK_H

#include "fit/fit.h"
#include "halfspace.h"

/* By the options hidden, activation, solver, restarts, C or lambda, and those of the run. */
int hsp_fit_network(hsp_fit *f, hsp_error **err);

#endif
