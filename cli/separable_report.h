/* The verdict on separability for people: in words, with its plane or its witness. */
#ifndef HSP_CLI_SEPARABLE_REPORT_H
#define HSP_CLI_SEPARABLE_REPORT_H

#include "halfspace.h"
#include "text_table.h"
#include <stdio.h>

/* `separable` is the object of hsp_separability, or what a report of training has: an object, or one for each class. */

/* "yes, by a plane ...", to be freed; NULL when memory runs out. */
char *hsp_cli_separable_words(const hsp_report *separable);
/* A line "separable  yes, ..." of a table of two columns; nothing when there is no verdict. */
void hsp_cli_separable_line(hsp_cli_table *t, const hsp_report *separable);
/* The same for the report of a fit: the margin of the plane in the proof is left to the fit where that has its own. */
void hsp_cli_fit_separable_line(hsp_cli_table *t, const hsp_report *report);
/* What the verdict rests on: a plane, the rows of a witness, columns that would run off; of more than two classes one line
 * each. `data` has the names and labels. 0 or an exit code. */
int hsp_cli_print_separable(FILE *f, const hsp_report *separable, const hsp_data *data);

#endif
