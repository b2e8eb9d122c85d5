/* A data file that is copied: row by row as it is spelt where the formats allow it, else read as data. */
#ifndef HSP_WRITE_FILE_SOURCE_H
#define HSP_WRITE_FILE_SOURCE_H

#include "base/error.h"
#include "base/json.h"
#include "halfspace.h"
#include "read/raw_file.h"
#include "read/reader.h"
#include "read/stream.h"
#include "write/label_tally.h"
#include "write/number_tally.h"
#include "write/writer.h"

typedef struct hsp_file_source {
    const char *path;            /* borrowed */
    const hsp_options *o;        /* borrowed */
    const hsp_hooks *hooks;      /* borrowed */
    hsp_stream *stream;          /* owned: only peeked at; NULL: in use by `raw`, or read */
    const hsp_reader_kind *kind; /* of the file */
    hsp_raw_file *raw;           /* owned: its rows, after hsp_file_source_scan */
    hsp_label_tally labels;      /* likewise, of all rows */
    hsp_number_tally numbers;    /* likewise */
    int64_t rows, dropped;       /* likewise; dropped: those that --missing drop leaves out */
    int64_t *kept; /* owned: lines of the rows that --missing drop keeps, ascending; NULL: all rows are kept */
    int64_t kept_count, kept_at; /* how many, and the next one of this pass */
    hsp_text assumed;            /* owned, likewise */
    bool warned;                 /* of a title */
    double began, read;          /* on the clock: when it was opened, and when all of it had been read */
} hsp_file_source;               /* {0} can be closed */

int hsp_file_source_open(hsp_file_source *s, const char *path, const hsp_options *o, const hsp_hooks *hooks,
                         hsp_error **err);
/* Finds and checks all rows, then goes back to the first. Rows that --missing drop leaves out are not among them. strict:
 * targets and weights that were asked for must be numbers. */
int hsp_file_source_scan(hsp_file_source *s, bool strict, hsp_error **err);
/* The next row of the second pass: 1; HSP_EINPUT when the file has fewer rows than before. */
int hsp_file_source_next(hsp_file_source *s, hsp_raw_row *row, hsp_error **err);
/* Reads the file as data; after a scan only a regular file, again from the start. */
int hsp_file_source_data(hsp_file_source *s, hsp_data **out, hsp_error **err);
/* The members rows, features, nonzeros, classes, targets, weights and assumed: those of the data's report, or of copied rows
 * if it is NULL. */
void hsp_file_source_report(const hsp_file_source *s, const hsp_report *tree, hsp_json *j);
/* The member seconds: of reading, and of what has happened since. */
void hsp_file_source_seconds(const hsp_file_source *s, const hsp_report *tree, hsp_json *j);
void hsp_file_source_close(hsp_file_source *s);

/* Copies members with these names (NULL-ended) of a report. */
void hsp_copy_members(const hsp_report *tree, const char *const *names, hsp_json *j);

#endif
