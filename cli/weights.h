/* Weights and intercepts of a model, or of any hyperplane, as a text table. */
#ifndef HSP_CLI_WEIGHTS_H
#define HSP_CLI_WEIGHTS_H

#include "command.h"
#include <stdio.h>

typedef enum hsp_cli_weight_order { HSP_CLI_AS_READ, HSP_CLI_BY_SIZE } hsp_cli_weight_order;

/* Linear functions of the features. */
typedef struct hsp_cli_linear {
    hsp_array w, b;   /* outputs x features, outputs; doubles */
    hsp_array sd;     /* standard deviations of the features; data NULL: unknown */
    bool odds;        /* one output, the log-odds of a class */
    bool homogeneous; /* there is no intercept: no line for it */
    int64_t outputs, features;
    const char *(*feature)(const void *of, int64_t j, char *buf); /* the name of a feature; buf has 32 bytes */
    const char *(*output)(const void *of, int64_t k);             /* the name of an output, when there are several */
    const void *of;
} hsp_cli_linear;

/* Prints one line per feature (at most `limit`, by size the largest first), with a column for each output, and the
 * intercepts, if there are any, in the last line. The size of a feature is the largest |w| sd over the outputs, or the
 * largest |w| without sds. With one output and sds further columns have w sd and, of log-odds, the odds ratios exp(w) and
 * exp(w sd); with several outputs the last column is the sd. 0 or an exit code. */
int hsp_cli_print_linear(FILE *f, const hsp_cli_linear *l, int64_t limit, hsp_cli_weight_order order);
/* The same for a model. */
int hsp_cli_print_weights(FILE *f, const hsp_model *m, int64_t limit, hsp_cli_weight_order order);

/* Prints a blank line and a title like
 *     weights (positive scores mean LABEL), the 5 largest of 30 by |weight x sd|
 * with `hint` in brackets if not all are listed. */
void hsp_cli_print_weights_title(FILE *f, const hsp_model *m, int64_t limit, const char *hint);

#endif
