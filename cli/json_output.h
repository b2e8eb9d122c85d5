/* Helpers for reports, and the JSON object that --json prints. */
#ifndef HSP_CLI_JSON_OUTPUT_H
#define HSP_CLI_JSON_OUTPUT_H

#include "halfspace_internal.h"

bool hsp_cli_is(const hsp_report *r, const char *name, int kind); /* kind: one of hsp_report_kinds */
/* Whether the member is a list or an array of numbers. */
bool hsp_cli_is_list(const hsp_report *r, const char *name);
/* The object of --json, on one line: begin it, fill it through the writer (hsp_json_number etc.), and print it to stdout.
 * hsp_cli_flush reports errors. */
typedef struct hsp_cli_object {
    hsp_text line; /* owned */
    hsp_json j;
} hsp_cli_object;
void hsp_cli_object_begin(hsp_cli_object *o);
void hsp_cli_object_print(hsp_cli_object *o);
/* Prints a whole report in the same way. */
void hsp_cli_print_json(const hsp_report *report);
/* Adds seconds, rounded to microseconds because further digits are noise; null for NaN. */
void hsp_cli_json_seconds(hsp_json *j, const char *key, double seconds);
double hsp_cli_microseconds(double seconds);
/* Copies those members with these keys (NULL-ended) that exist. */
void hsp_cli_json_copy(hsp_json *j, const hsp_report *from, const char *const *keys);

/* Seconds on a monotonic clock. */
double hsp_cli_now(void);

#endif
