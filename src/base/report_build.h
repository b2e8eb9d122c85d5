/* Builds a report node by node: the backend of an hsp_json that has no text to write to. */
#ifndef HSP_BASE_REPORT_BUILD_H
#define HSP_BASE_REPORT_BUILD_H

#include "halfspace_internal.h"

void hsp_report_add_number(hsp_json *j, const char *key, double value, bool whole); /* not finite: null */
void hsp_report_add_text(hsp_json *j, const char *key, const char *text);           /* NULL: null */
void hsp_report_add_flag(hsp_json *j, const char *key, bool value);
void hsp_report_add_null(hsp_json *j, const char *key);
/* Copies rows x columns numbers (columns 0: a vector); values that are not finite are null in the JSON. */
void hsp_report_add_values(hsp_json *j, const char *key, const double *v, int64_t rows, int64_t columns);
/* Omits the value that was added last from the JSON. */
void hsp_report_hide(hsp_json *j);
/* Opens and closes a container; values added in between are its contents. A list of numbers, or of vectors of one length,
 * becomes an array when it is closed. */
void hsp_report_open(hsp_json *j, const char *key, int kind);
void hsp_report_close(hsp_json *j);

#endif
