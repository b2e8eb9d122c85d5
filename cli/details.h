/* What only one algorithm has to say (fisher, lda, ridge, ...): an object in the report of a training, as lines. */
#ifndef HSP_CLI_DETAILS_H
#define HSP_CLI_DETAILS_H

#include "halfspace.h"
#include "text_table.h"

/* Adds a line of key and value for each member of such objects that fits on one. */
void hsp_cli_detail_lines(hsp_cli_table *t, const hsp_report *report);

#endif
