/* What the doctor has to say: a list of findings, filled by the checks one after the other, written worst first. */
#ifndef HSP_INSPECT_FINDING_H
#define HSP_INSPECT_FINDING_H

#include "base/json.h"
#include "base/text.h"
#include "data/schema.h"

typedef enum hsp_severity {
    HSP_SEVERITY_ERROR,   /* training will refuse the data */
    HSP_SEVERITY_WARNING, /* it will not, but the result is likely to disappoint or to deceive */
    HSP_SEVERITY_NOTE     /* good to know */
} hsp_severity;

typedef struct hsp_finding {
    hsp_severity severity;
    const char *what; /* its kind, in a word */
    int64_t *column;  /* the columns that it is about */
    int64_t columns, column_capacity;
    hsp_text text, fix; /* a sentence, with figures; what mends it, or nothing */
} hsp_finding;

typedef struct hsp_findings {
    const hsp_schema *schema; /* has the names of the columns; borrowed */
    hsp_finding *item;
    int64_t count, capacity;
    hsp_finding lost; /* is filled in place of those for which there is no memory */
    bool failed;      /* memory ran out: the list is not complete */
} hsp_findings;

/* A new finding, to be filled; never NULL, and valid until the next one. */
hsp_finding *hsp_findings_add(hsp_findings *l, hsp_severity severity, const char *what);
/* Column j is one that the newest finding is about. */
void hsp_findings_column(hsp_findings *l, int64_t j);
/* Of the newest finding: "column 'a'", "columns 'a', 'b'", and from the ninth on "... (12)", added to its text. */
void hsp_findings_say_columns(hsp_findings *l);
/* Its fix: "--ignore a,b", as far as names can be given so; nothing for files whose columns cannot be ignored. */
void hsp_findings_ignore(hsp_findings *l);
/* The member "findings", worst first, those of one severity as they were added. HSP_OK, or HSP_EMEMORY when the list is not
 * complete. */
int hsp_findings_write(const hsp_findings *l, hsp_json *j);
void hsp_findings_clear(hsp_findings *l);

/* v with so many significant digits. */
void hsp_finding_number(hsp_text *t, double v, int digits);
/* A share from 0 to 1 in per cent, with at most two digits after the point: "4.21 %", never 0 or 100 unless it is. */
void hsp_finding_percent(hsp_text *t, double share);
/* "3 rows", "1 row". */
void hsp_finding_count(hsp_text *t, int64_t count, const char *one, const char *many);

#endif
