/* A file to which rows of a text file are copied: byte by byte, or cell by cell with another delimiter. */
#ifndef HSP_WRITE_ROW_OUTPUT_H
#define HSP_WRITE_ROW_OUTPUT_H

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "halfspace.h"
#include "read/raw_file.h"
#include "write/label_tally.h"

typedef struct hsp_row_output {
    const hsp_raw_file *from; /* borrowed */
    hsp_out *out;             /* owned */
    hsp_text text;            /* owned: not yet written */
    char delimiter;           /* between the cells; 0: rows are copied byte by byte */
    bool verbatim;            /* cells between the delimiters keep every byte */
    hsp_label_tally *labels;  /* borrowed: whose --map-label is applied to cells; NULL: none */
    hsp_text sample;          /* owned: the first rows, as much as a reader looks at */
    int64_t rows;
} hsp_row_output; /* {0} can be abandoned */

/* Opens the file and writes what precedes the rows. With a delimiter, columns of the role HSP_ROLE_SKIP are left out, line
 * ends are LF, and there is no byte order mark. */
int hsp_row_output_open(hsp_row_output *w, const char *path, const hsp_raw_file *from, char delimiter,
                        hsp_label_tally *labels, hsp_error **err);
int hsp_row_output_add(hsp_row_output *w, const hsp_raw_row *row, hsp_error **err);
/* Why a reader without options would misread the first lines of the file, and which option helps: appended to `note`, nothing
 * if it would not. Of rows that were copied byte by byte. */
int hsp_row_output_doubt(const hsp_row_output *w, const char *path, hsp_text *note, hsp_error **err);
/* Completes the file. */
int hsp_row_output_commit(hsp_row_output *w, hsp_error **err);
/* Leaves no file behind; does nothing after a commit. */
void hsp_row_output_abandon(hsp_row_output *w);

#endif
