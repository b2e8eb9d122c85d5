/* The weights of a model as a table for people. */
#ifndef HSP_CLI_WEIGHTS_H
#define HSP_CLI_WEIGHTS_H

#include "command.h"

typedef enum hsp_cli_weight_order { HSP_CLI_AS_READ, HSP_CLI_BY_SIZE } hsp_cli_weight_order;

/* One line a feature (at most `limit` of them, the largest first when by size), a column for each output, and the
 * intercepts in the last line. 0 or an exit code. */
int hsp_cli_print_weights(FILE *f, const hsp_model *m, int64_t limit, hsp_cli_weight_order order);

/* A blank line and "weights (positive scores mean LABEL)", without the end of the line. */
void hsp_cli_print_weights_title(FILE *f, const hsp_model *m);

#endif
