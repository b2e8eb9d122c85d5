/* A report as text, for the tests. */
#ifndef HSP_TESTS_REPORT_JSON_H
#define HSP_TESTS_REPORT_JSON_H

#include "halfspace.h"

#include <stddef.h>

/* The JSON of a report, which is freed; free the text with hsp_free. NULL when there is no report or no memory. */
__attribute__((noinline, unused)) static char *take_json(hsp_report *r) {
    char *json = NULL;
    if (r) hsp_report_json(r, &json, NULL);
    hsp_report_free(r);
    return json;
}

#endif
