/* Means, covariances and second moments for people: the report of hsp_model_moments as tables. */
#ifndef HSP_CLI_MOMENTS_REPORT_H
#define HSP_CLI_MOMENTS_REPORT_H

#include "halfspace.h"
#include <stdio.h>

/* Everything that the report has; of tables too wide for a screen their size alone. 0 or an exit code. */
int hsp_cli_print_moments(FILE *f, const hsp_model *m, const hsp_report *moments);

#endif
