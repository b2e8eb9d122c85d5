/* --bad-rows: what happens to rows that cannot be parsed or encoded. */
#ifndef HSP_PREDICT_BAD_OUTPUT_H
#define HSP_PREDICT_BAD_OUTPUT_H

#include "base/file.h"
#include "base/text.h"
#include "data/bad_rows.h"
#include "halfspace.h"

typedef struct hsp_bad_output {
    bool skips;     /* such rows are left out; else the first ends the prediction */
    hsp_out *out;   /* owned: a line for each of them; NULL: they are only counted */
    int64_t count;  /* rows left out so far */
    hsp_text first; /* the first one: "FILE:LINE:COLUMN: message" */
} hsp_bad_output;   /* {0} can be closed */

/* Reads the option bad-rows and opens the file that it names. */
int hsp_bad_output_open(hsp_bad_output *b, const hsp_options *o, hsp_error **err);
/* Adds the rows of a piece whose first line is that after `line_base` lines of `file`. */
int hsp_bad_output_add(hsp_bad_output *b, hsp_bad_rows *rows, const char *file, int64_t line_base, hsp_error **err);
/* Completes the file, or removes it after a failure. Returns the status, which was passed or is that of writing. */
int hsp_bad_output_close(hsp_bad_output *b, int status, hsp_error **err);

#endif
