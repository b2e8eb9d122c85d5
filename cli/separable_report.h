/* The verdict on separability as text, with its hyperplane or its witness. */
#ifndef HSP_CLI_SEPARABLE_REPORT_H
#define HSP_CLI_SEPARABLE_REPORT_H

#include "halfspace.h"
#include "text_table.h"
#include <stdio.h>

/* `separable` is the object of hsp_separability, or that of a report of training: an object, or one for each class. */

/* "yes, by a hyperplane ..."; the caller frees it. NULL when memory runs out. */
char *hsp_cli_separable_words(const hsp_report *separable);
/* Adds a line "separable  yes, ..." to a table of two columns; nothing without a verdict. fill: how missing
 * values were filled, as in --missing; NULL: there are none. */
void hsp_cli_separable_line(hsp_cli_table *t, const hsp_report *separable, const char *fill);
/* The same for the report of a fit. Leaves out the margin of the proof's hyperplane if the fit reports its own margin. */
void hsp_cli_fit_separable_line(hsp_cli_table *t, const hsp_report *report);
/* Prints the proof of the verdict: a hyperplane, the rows of a witness, columns whose weights diverge; with more than two
 * classes one line each. `data` has the names and labels. 0 or an exit code. */
int hsp_cli_print_separable(FILE *f, const hsp_report *separable, const hsp_data *data);

#endif
