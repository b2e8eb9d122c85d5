/* Results of a single algorithm (fisher, lda, ridge, ...): an object in the report of training, as lines. */
#ifndef HSP_CLI_DETAILS_H
#define HSP_CLI_DETAILS_H

#include "halfspace.h"
#include "text_table.h"

/* Adds a line of key and value for each member of these objects that fits on a line. */
void hsp_cli_detail_lines(hsp_cli_table *t, const hsp_report *report);

#endif
