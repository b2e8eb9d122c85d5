/* What `inspect` found, for people. */
#ifndef HSP_CLI_INSPECT_REPORT_H
#define HSP_CLI_INSPECT_REPORT_H

#include "report.h"

/* The figures, the verdict, and what it rests on. 0 or an exit code. */
int hsp_cli_print_inspection(FILE *f, const json_t *report, const hsp_data *data);

#endif
