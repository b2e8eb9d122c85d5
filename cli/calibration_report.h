/* Calibration and decision rule as text: the members "calibration" and "decision_rule" of the reports of train and show. */
#ifndef HSP_CLI_CALIBRATION_REPORT_H
#define HSP_CLI_CALIBRATION_REPORT_H

#include "halfspace.h"
#include "text_table.h"

/* Adds lines to a table of two columns, of the report of training: how the map and the threshold were chosen, and their figures
 * on rows that were not trained on. Nothing where they are absent. */
void hsp_cli_calibration_lines(hsp_cli_table *t, const hsp_report *report);
/* Adds the line "probabilities" of a calibrated model, from the report of the model. False: it has no calibration. */
bool hsp_cli_calibration_line(hsp_cli_table *t, const hsp_report *model);
/* Adds the line "decision": the rule in words and, where it was chosen, how. */
void hsp_cli_decision_line(hsp_cli_table *t, const hsp_report *model);

#endif
