/* The results of `verify` as text. */
#ifndef HSP_CLI_CHECKS_REPORT_H
#define HSP_CLI_CHECKS_REPORT_H

#include "halfspace.h"
#include <stdio.h>

/* Prints one line for each group of checks, and "verified: ..." when all hold. `proof`: the checked verdict on
 * separability; NULL when a model was checked. 0 or an exit code. */
int hsp_cli_print_checks(FILE *f, const hsp_report *report, const hsp_report *proof);

#endif
