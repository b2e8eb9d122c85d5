/* The layers of a network, for people. */
#ifndef HSP_CLI_LAYERS_REPORT_H
#define HSP_CLI_LAYERS_REPORT_H

#include "halfspace.h"

#include <stdbool.h>
#include <stdio.h>

/* Whether the model is a network. */
bool hsp_cli_is_network(const hsp_model *m);
/* Weights and intercepts of every layer that is small enough, or of all. 0 or an exit code. */
int hsp_cli_print_layers(FILE *f, const hsp_model *m, bool all);

#endif
