/* The first records of a CSV file, peeked at before it is cut into pieces, and the lines before them that are skipped. */
#ifndef HSP_READ_CSV_OPENING_H
#define HSP_READ_CSV_OPENING_H

#include "base/text.h"
#include "halfspace.h"
#include "read/chunks.h"
#include "read/csv.h"
#include "read/stream.h"

enum { HSP_CSV_SAMPLE = 65536 }; /* bytes peeked at */

typedef struct hsp_csv_opening {
    hsp_stream *stream; /* borrowed */
    hsp_chunks *chunks; /* borrowed */
    hsp_csv_cursor cursor;
    const char *bytes; /* borrowed from the stream */
    int64_t wanted, size;
    int64_t lines; /* skipped before the bytes */
    hsp_text head; /* owned: these lines, without blank ones before records */
    bool over;     /* the bytes are the rest of the file */
} hsp_csv_opening;

hsp_csv_opening hsp_csv_opening_of(hsp_stream *stream, hsp_chunks *chunks);
void hsp_csv_opening_clear(hsp_csv_opening *f);
/* Moves the cursor to record n (from 1): 1, or 0 when there are fewer, or a negative status. */
int hsp_csv_opening_seek(hsp_csv_opening *f, int n, hsp_csv_marks m, hsp_error **err);
/* Skips that many lines of the file. HSP_EINPUT: it has no more than these. */
int hsp_csv_opening_skip_lines(hsp_csv_opening *f, int64_t lines, hsp_error **err);
/* Skips the records before the cursor's next one. */
int hsp_csv_opening_skip_records(hsp_csv_opening *f, hsp_error **err);
/* Skips a title: first lines of one cell, or that begin with '#', above records of more cells; or a first cell alone above
 * column names. The number of lines, or a negative status. note: a warning that names them is added. */
int64_t hsp_csv_opening_skip_title(hsp_csv_opening *f, hsp_csv_marks m, hsp_text *note, hsp_error **err);

#endif
