/* The report of hsp_model_moments (means, covariances and second moments) as text tables. */
#ifndef HSP_CLI_MOMENTS_REPORT_H
#define HSP_CLI_MOMENTS_REPORT_H

#include "halfspace.h"
#include <stdio.h>

/* Prints the whole report; for tables too wide for a screen, only their size. 0 or an exit code. */
int hsp_cli_print_moments(FILE *f, const hsp_model *m, const hsp_report *moments);

#endif
