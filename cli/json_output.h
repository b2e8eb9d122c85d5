/* Reports, and the one JSON object that --json prints. */
#ifndef HSP_CLI_JSON_OUTPUT_H
#define HSP_CLI_JSON_OUTPUT_H

#include "halfspace_internal.h"

bool hsp_cli_is(const hsp_report *r, const char *name, int kind); /* of hsp_report_kinds */
/* Whether it is a list or an array of numbers. */
bool hsp_cli_is_list(const hsp_report *r, const char *name);
/* The one object of --json, on a line: begun, filled through the writer (hsp_json_number and so on), and printed to
 * stdout. What goes wrong is reported by hsp_cli_flush. */
typedef struct hsp_cli_object {
    hsp_text line; /* owned */
    hsp_json j;
} hsp_cli_object;
void hsp_cli_object_begin(hsp_cli_object *o);
void hsp_cli_object_print(hsp_cli_object *o);
/* A whole report likewise. */
void hsp_cli_print_json(const hsp_report *report);
/* Seconds for a report: whole microseconds, more digits would be noise; null for NaN. */
void hsp_cli_json_seconds(hsp_json *j, const char *key, double seconds);
double hsp_cli_microseconds(double seconds);
/* Copies the members with these keys (NULL-ended) that are there. */
void hsp_cli_json_copy(hsp_json *j, const hsp_report *from, const char *const *keys);

/* Seconds on a clock that only goes forward. */
double hsp_cli_now(void);

#endif
