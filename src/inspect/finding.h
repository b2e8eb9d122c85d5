/* The findings of the data checks: a list filled by one check after the other and written by descending severity. */
#ifndef HSP_INSPECT_FINDING_H
#define HSP_INSPECT_FINDING_H

#include "base/json.h"
#include "base/text.h"
#include "data/schema.h"

typedef enum hsp_severity {
    HSP_SEVERITY_ERROR,   /* training will refuse the data */
    HSP_SEVERITY_WARNING, /* training works, but the result is likely to be poor or misleading */
    HSP_SEVERITY_NOTE     /* for information */
} hsp_severity;

typedef struct hsp_finding {
    hsp_severity severity;
    const char *what; /* its kind, as one word */
    int64_t *column;  /* owned: the columns concerned */
    int64_t columns, column_capacity;
    hsp_text text, fix; /* a sentence with figures; how to fix it, or empty */
} hsp_finding;

typedef struct hsp_findings {
    const hsp_schema *schema; /* borrowed: the names of the columns */
    hsp_finding *item;
    int64_t count, capacity;
    hsp_finding lost; /* takes the place of a finding for which there is no memory */
    bool failed;      /* memory ran out: the list is incomplete */
} hsp_findings;

/* Adds an empty finding. Never NULL; valid until the next call. */
hsp_finding *hsp_findings_add(hsp_findings *l, hsp_severity severity, const char *what);
/* Adds column j to the newest finding. */
void hsp_findings_column(hsp_findings *l, int64_t j);
/* Appends the columns of the newest finding to its text: "column 'a'", "columns 'a', 'b'"; beyond eight: "... (12)". */
void hsp_findings_say_columns(hsp_findings *l);
/* Sets its fix to "--ignore a,b", as far as the names can be given that way; not for files whose columns cannot be
 * ignored. */
void hsp_findings_ignore(hsp_findings *l);
/* Writes the member "findings" by descending severity, in the order added within one severity. Returns HSP_OK, or
 * HSP_EMEMORY if the list is incomplete. */
int hsp_findings_write(const hsp_findings *l, hsp_json *j);
void hsp_findings_clear(hsp_findings *l);

/* Appends v with `digits` significant digits. */
void hsp_finding_number(hsp_text *t, double v, int digits);
/* Appends a share from 0 to 1 as a percentage with at most two decimals: "4.21 %"; 0 and 100 only if exact. */
void hsp_finding_percent(hsp_text *t, double share);
/* Appends "3 rows" or "1 row". */
void hsp_finding_count(hsp_text *t, int64_t count, const char *one, const char *many);

#endif
