/* The results of `inspect` as text. */
#ifndef HSP_CLI_INSPECT_REPORT_H
#define HSP_CLI_INSPECT_REPORT_H

#include "halfspace.h"
#include <stdio.h>

/* Prints the figures, the verdict on separability and its proof. fill: how missing values were filled, as in --missing. 0 or
 * an exit code. */
int hsp_cli_print_inspection(FILE *f, const hsp_report *report, const hsp_data *data, const char *fill);

#endif
