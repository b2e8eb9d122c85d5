/* How a model encodes the columns of a table, as text. */
#ifndef HSP_CLI_TABLE_REPORT_H
#define HSP_CLI_TABLE_REPORT_H

#include "halfspace.h"
#include <stdbool.h>
#include <stdio.h>

/* Prints the member `table` of hsp_model_report: 40 of its columns, or `all`, and the rules. Nothing when it is null. 0 or
 * an exit code. */
int hsp_cli_print_table(FILE *f, const hsp_report *table, bool all);

#endif
