/* Writers: CSV, TSV and svmlight, with numbers in the shortest form that parses to the same bits; .npy and .hsd. */
#ifndef HSP_WRITE_WRITER_H
#define HSP_WRITE_WRITER_H

#include "base/file.h"
#include "base/text.h"
#include "data/data.h"
#include "halfspace.h"

/* A new format is one function and one line in writer.c. */
typedef struct hsp_writer {
    const char *name;
    const char *suffixes;
    char delimiter; /* of CSV and TSV; else 0 */
    bool text;
    int (*write)(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
} hsp_writer;

/* By option to-format, else by the ending of the path, else (no ending, or stdout) svmlight if `format` is that, else CSV.
 * HSP_EUSAGE for an unknown ending. */
int hsp_writer_choose(const char *path, const hsp_options *o, const char *format, const hsp_writer **out, hsp_error **err);

#define HSP_CELL_LIMIT 2000000000 /* cells of sparse data written as a dense table */

/* Names (if any) and rows; label and weight are where they were in the source file, else the label is last and the weight
 * before it. HSP_EUSAGE when sparse data exceeds HSP_CELL_LIMIT. */
int hsp_write_csv(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
/* Base as in the source if that was svmlight, else 1. The first row has the first and the last feature, with the value 0 if
 * necessary, so that a reader finds base and d. HSP_EUSAGE when rows have weights: they would become a feature. */
int hsp_write_svmlight(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);

/* The data in its memory layout (hsd.h); nothing is lost. */
int hsp_write_hsd(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
/* One array of n rows, features and then label: float32 if that is exact, else float64. HSP_EUSAGE when labels are words,
 * when rows have weights, or above HSP_CELL_LIMIT. Names are lost. */
int hsp_write_npy(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);

/* Appends a CSV cell, quoted if RFC 4180 requires it or a reader could misinterpret it. */
void hsp_csv_cell(hsp_text *t, const char *s, int64_t n, char delimiter);
/* Writes the text to `out` if it is long enough (all: in any case) and clears it. */
int hsp_write_flush(hsp_text *t, hsp_out *out, bool all, hsp_error **err);

#endif
