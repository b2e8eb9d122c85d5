/* The path as a CSV file: lambda, objective, relative_gap, nonzeros, [mean, sd,] intercept, and w:NAME for each feature that
 * has a weight at some lambda. */
#ifndef HSP_CLI_PATH_CSV_H
#define HSP_CLI_PATH_CSV_H

#include "halfspace.h"

/* Writes the report of hsp_path; "-" is stdout. 0, or an exit code after printing an error. */
int hsp_cli_path_csv(const char *path, const hsp_report *report);

#endif
