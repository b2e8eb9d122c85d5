/* Metrics for people: the report of hsp_evaluate as tables. */
#ifndef HSP_CLI_METRICS_REPORT_H
#define HSP_CLI_METRICS_REPORT_H

#include "report.h"

/* "0.9333 (28 of 30 rows)", with `of` for the rows, into buf of at least 4 * HSP_CLI_NUMBER bytes. */
const char *hsp_cli_accuracy(double accuracy, double rows, const char *of, char *buf);
/* Everything that the report has. 0 or an exit code. */
int hsp_cli_print_metrics(FILE *f, const json_t *metrics);

#endif
