/* What `verify` checked, for people. */
#ifndef HSP_CLI_CHECKS_REPORT_H
#define HSP_CLI_CHECKS_REPORT_H

#include "halfspace.h"
#include <stdio.h>

/* One line for each group of checks, and "verified: ..." when all of them hold. `proof`: the verdict on separability that
 * was checked; NULL: it was a model. 0 or an exit code. */
int hsp_cli_print_checks(FILE *f, const hsp_report *report, const hsp_report *proof);

#endif
