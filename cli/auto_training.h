/* train -a auto: the algorithm is chosen by a comparison. */
#ifndef HSP_CLI_AUTO_TRAINING_H
#define HSP_CLI_AUTO_TRAINING_H

#include "command.h"

bool hsp_cli_auto_asked(const hsp_cli_call *call);
/* Options of the comparison without -a auto, and those that record one fit with it. 0 or an exit code after an error. */
int hsp_cli_auto_check(const hsp_cli_call *call);
/* hsp_compare with a model: *training is the report of the winner's fit, as hsp_train gives it, *comparison the whole. The
 * caller frees both. 0 or an exit code after an error. */
int hsp_cli_auto_train(const hsp_cli_call *call, const hsp_data *data, const hsp_hooks *hooks, hsp_model **model,
                       hsp_report **training, hsp_report **comparison);
/* Prints the data, the table of the comparison, and why the algorithm was chosen. 0 or an exit code. */
int hsp_cli_auto_print(const hsp_cli_call *call, const hsp_report *data, const hsp_report *comparison);

#endif
