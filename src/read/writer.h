/* Writers: CSV/TSV and svmlight. Numbers in the shortest form that reads back to the same bits. */
#ifndef HSP_READ_WRITER_H
#define HSP_READ_WRITER_H

#include "base/file.h"
#include "base/text.h"
#include "base/options.h"
#include "data/data.h"

/* One new format is one function and one line in writer.c. */
typedef struct hsp_writer {
    const char *name;
    const char *suffixes;
    int (*write)(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
} hsp_writer;

/* Appends one CSV cell, quoted when RFC 4180 asks for it. */
void hsp_csv_cell(hsp_text *t, const char *s, int64_t n, char delimiter);

#endif
