/* The report of hsp_evaluate as text tables. */
#ifndef HSP_CLI_METRICS_REPORT_H
#define HSP_CLI_METRICS_REPORT_H

#include "halfspace.h"
#include "short_number.h"
#include <stdbool.h>
#include <stdio.h>

/* "0.9333 (28 of 30 rows)", with `of` in place of "rows". buf has at least 4 * HSP_CLI_NUMBER bytes. With weights the
 * accuracy is not a share of the rows: "0.9333 (by weight, 30 rows)". */
const char *hsp_cli_accuracy(double accuracy, double rows, bool weighted, const char *of, char *buf);
/* "0.8712 (MSE 5.499, RMSE 2.345, 30 rows)" for regression; R^2 may be missing. buf has at least 5 * HSP_CLI_NUMBER bytes. */
const char *hsp_cli_fit_quality(double r2, double mse, double rows, const char *of, char *buf);
/* Prints mean and sum of every loss, if the report has them. 0 or an exit code. */
int hsp_cli_print_losses(FILE *f, const hsp_report *metrics, const char *of);
/* Prints the whole report; verbose: with the losses. 0 or an exit code. */
int hsp_cli_print_metrics(FILE *f, const hsp_report *metrics, bool verbose);

#endif
