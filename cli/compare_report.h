/* The report of a comparison as text: of `compare`, and of `train -a auto`. */
#ifndef HSP_CLI_COMPARE_REPORT_H
#define HSP_CLI_COMPARE_REPORT_H

#include "command.h"

/* The table, best first, the algorithms without a result, and the summary. 0 or an exit code. */
int hsp_cli_print_comparison(FILE *f, const hsp_report *report);
/* Warns of algorithms whose fits missed the tolerance. */
void hsp_cli_warn_comparison(const hsp_cli_call *call, const hsp_report *report);

#endif
