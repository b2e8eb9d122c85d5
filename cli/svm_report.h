/* Margins and support vectors for people: the member "svm" of a report, and the dual vector of a model. */
#ifndef HSP_CLI_SVM_REPORT_H
#define HSP_CLI_SVM_REPORT_H

#include "halfspace.h"
#include "text_table.h"
#include <stdio.h>

/* Lines of a table of two columns: margin, support vectors, slacks; with `all` also the sums and residuals that only a
 * learner asks for. `svm` is one object; nothing for a list (print the table below) or null. */
void hsp_cli_svm_lines(hsp_cli_table *t, const hsp_report *svm, bool all);
/* One line a class, for a list. 0 or an exit code. */
int hsp_cli_print_svm_classes(FILE *f, const hsp_report *svm, const hsp_report *classes);

enum { HSP_CLI_SUPPORT_SHOWN = 20 };
/* Has the model a dual vector? 0, or an exit code after saying where it may be. */
int hsp_cli_check_support(const hsp_model *m);
/* The rows with a multiplier (the largest, or all of them in the order of the rows). 0 or an exit code. */
int hsp_cli_print_support(FILE *f, const hsp_model *m, bool all);

#endif
