/* The report of hsp_cross_validate as text. */
#ifndef HSP_CLI_CV_REPORT_H
#define HSP_CLI_CV_REPORT_H

#include "command.h"

/* 0 or an exit code. */
int hsp_cli_print_cv(FILE *f, const hsp_report *report, bool verbose);

/* How text names the metric of a report ("log_loss": "log loss"). */
const char *hsp_cli_metric_title(const char *metric);

#endif
