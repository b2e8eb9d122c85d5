/* Margins and support vectors as text: the member "svm" of a report, and the dual vector of a model. */
#ifndef HSP_CLI_SVM_REPORT_H
#define HSP_CLI_SVM_REPORT_H

#include "halfspace.h"
#include "text_table.h"
#include <stdio.h>

/* Adds lines to a table of two columns: margin, support vectors, slacks; with `all` also the sums and residuals of the
 * optimality conditions. `svm` is one object; a list (use the table below) or null adds nothing. */
void hsp_cli_svm_lines(hsp_cli_table *t, const hsp_report *svm, bool all);
/* Prints one line per class, for a list. 0 or an exit code. */
int hsp_cli_print_svm_classes(FILE *f, const hsp_report *svm, const hsp_report *classes);

enum { HSP_CLI_SUPPORT_SHOWN = 20 };
/* Checks that the model has a dual vector. 0, or an exit code after printing where it may be. */
int hsp_cli_check_support(const hsp_model *m);
/* Prints the rows with non-zero multipliers (the largest, or all in row order). 0 or an exit code. */
int hsp_cli_print_support(FILE *f, const hsp_model *m, bool all);

#endif
