/* Weights and intercepts as a table for people: of a model, or of any plane. */
#ifndef HSP_CLI_WEIGHTS_H
#define HSP_CLI_WEIGHTS_H

#include "command.h"
#include <stdio.h>

typedef enum hsp_cli_weight_order { HSP_CLI_AS_READ, HSP_CLI_BY_SIZE } hsp_cli_weight_order;

/* Linear functions of the features. */
typedef struct hsp_cli_linear {
    hsp_array w, b; /* outputs x features, outputs; doubles */
    int64_t outputs, features;
    const char *(*feature)(const void *of, int64_t j, char *buf); /* what to call a feature; buf has 32 bytes */
    const char *(*output)(const void *of, int64_t k);             /* and an output, when there are several */
    const void *of;
} hsp_cli_linear;

/* One line a feature (at most `limit` of them, the largest first when by size), a column for each output, and the
 * intercepts in the last line. 0 or an exit code. */
int hsp_cli_print_linear(FILE *f, const hsp_cli_linear *l, int64_t limit, hsp_cli_weight_order order);
/* The same of a model. */
int hsp_cli_print_weights(FILE *f, const hsp_model *m, int64_t limit, hsp_cli_weight_order order);

/* A blank line and "weights (positive scores mean LABEL)", without the end of the line. */
void hsp_cli_print_weights_title(FILE *f, const hsp_model *m);

#endif
