/* The rows of a text file as the bytes that they are, for commands that copy rows. Records are found by the cursor of the CSV
 * reader; cells are not converted. A file can be read twice: a regular one from the disk, a pipe from a copy in memory. */
#ifndef HSP_READ_RAW_FILE_H
#define HSP_READ_RAW_FILE_H

#include "base/text.h"
#include "halfspace.h"
#include "read/chunks.h"
#include "read/csv.h"
#include "read/reader.h"

/* A row; all pointers are borrowed until the next one is fetched. */
typedef struct hsp_raw_row {
    const char *begin, *stop; /* without its line end */
    const char *next;         /* after its line end; equal to `stop`: it has none */
    hsp_csv_view label;       /* s NULL: none */
    hsp_csv_view weight;      /* s NULL: none */
    bool unlabelled;          /* the label is absent or spelt like a missing value */
} hsp_raw_row;

typedef struct hsp_raw_file {
    const char *path;        /* borrowed */
    hsp_stream *stream;      /* owned */
    hsp_options *options;    /* owned: the user's, changed when quotes turn out to be plain characters */
    hsp_text copy;           /* owned: all bytes of a stream that cannot be read twice */
    bool copied;             /* `copy` holds them */
    hsp_stream *translation; /* owned: of JSON lines to CSV; NULL: none */
    const struct hsp_raw_kind *kind;
    hsp_csv_table table; /* marks, first record; schema and layout if the columns have roles */
    bool checked;        /* rows need no further check: they were read before */
    bool quote_met;      /* after a fault: quotes may be plain characters */
    hsp_chunks chunks;
    hsp_chunk chunk;
    hsp_csv_cursor cursor;
    hsp_text head;      /* owned: what precedes the first row: byte order mark and header line; without blank lines */
    int64_t head_lines; /* lines of the file before the first row that is searched for */
    char line_end[3];   /* the last one met */
} hsp_raw_file;

/* What formats do differently. */
typedef struct hsp_raw_kind {
    /* Determines marks, head and roles of the columns; leaves the chunks at the first row. */
    int (*open)(hsp_raw_file *f, hsp_error **err);
    /* Checks the record of the cursor and finds its label: 1, or 0 when it is not a row, or a negative status. */
    int (*take)(hsp_raw_file *f, hsp_raw_row *row, hsp_error **err);
    /* Adds what was assumed, except the number of rows. */
    void (*describe)(const hsp_raw_file *f, hsp_text *t);
} hsp_raw_kind;
extern const hsp_raw_kind hsp_raw_csv, hsp_raw_svmlight;

/* Opens the file of the stream, which was opened for `path`, and takes the stream over, also after a failure. */
int hsp_raw_open(hsp_stream *stream, const char *path, const hsp_reader_kind *kind, const hsp_options *o,
                 hsp_raw_file **out, hsp_error **err);
/* The next row: 1, or 0 at the end, or a negative status. */
int hsp_raw_next(hsp_raw_file *f, hsp_raw_row *row, hsp_error **err);
/* Another stream over the same bytes; the caller closes it. */
int hsp_raw_open_again(const hsp_raw_file *f, hsp_stream **out, hsp_error **err);
/* Back to the first row. The rows before it were all good: they are not checked again. */
int hsp_raw_rewind(hsp_raw_file *f, hsp_error **err);
/* After a fault: 1 when the file must be read again from the first row with quotes as plain characters; 0: the fault
 * stands; or a negative status. */
int hsp_raw_try_plain(hsp_raw_file *f, hsp_error **err);
/* The label of a row is missing and must not be: HSP_EINPUT. need: what needs it, as "--stratify". */
int hsp_raw_fail_label(const hsp_raw_file *f, const hsp_raw_row *row, const char *need, hsp_error **err);
void hsp_raw_close(hsp_raw_file *f); /* NULL is allowed */

#endif
