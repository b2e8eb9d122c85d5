/* The report of a training over parts: that of a training in memory, and the member `parts`. */
#ifndef HSP_DRIVE_PARTS_REPORT_H
#define HSP_DRIVE_PARTS_REPORT_H

#include "base/json.h"
#include "drive/drive.h"
#include "fit/fit_report.h"
#include "halfspace.h"
#include "model/model.h"

int hsp_parts_report(const hsp_drive *d, const hsp_model *m, const hsp_training_figures *figures, double seconds,
                     hsp_report **out, hsp_error **err);
/* Writes the member `parts`. */
void hsp_parts_write(const hsp_drive *d, hsp_json *j);

#endif
