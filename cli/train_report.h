/* The report of a training run as text. */
#ifndef HSP_CLI_TRAIN_REPORT_H
#define HSP_CLI_TRAIN_REPORT_H

#include "course.h"
#include "halfspace.h"
#include <stdio.h>

/* `report` is the object of `train --json`, `data` the report of the data. path NULL: the lines about the data are left out.
 * course may be NULL; it is drawn on terminals that support it. verbose: with the losses on the training rows. 0 or an exit
 * code. */
int hsp_cli_print_training(FILE *f, const char *path, const hsp_report *data, const hsp_report *report,
                           const hsp_cli_course *course, bool verbose, const hsp_model *m);

#endif
