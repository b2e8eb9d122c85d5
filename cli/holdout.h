/* --holdout: the rows that training leaves out. train evaluates on them; verify leaves out the same ones. */
#ifndef HSP_CLI_HOLDOUT_H
#define HSP_CLI_HOLDOUT_H

#include "command.h"

/* Checks --holdout, and that --stratify is not given without it. 0, or an exit code after printing an error. */
int hsp_cli_holdout_check(const hsp_cli_call *call);
/* Splits the data as --holdout, --stratify and --seed say; without --holdout both parts stay NULL. The caller frees the parts.
 * 0, or an exit code after printing an error. */
int hsp_cli_holdout_split(const hsp_cli_call *call, const hsp_data *data, hsp_data **fit, hsp_data **held);

#endif
