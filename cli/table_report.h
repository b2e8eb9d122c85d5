/* How a model makes features of a table, for people. */
#ifndef HSP_CLI_TABLE_REPORT_H
#define HSP_CLI_TABLE_REPORT_H

#include "halfspace.h"
#include <stdbool.h>
#include <stdio.h>

/* The member `table` of hsp_model_report: its columns, 40 of them or `all`, and the rules. Nothing when it is null. 0 or an
 * exit code. */
int hsp_cli_print_table(FILE *f, const hsp_report *table, bool all);

#endif
