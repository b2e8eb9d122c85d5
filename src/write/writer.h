/* Writers: CSV/TSV and svmlight, with numbers in the shortest form that reads back to the same bits; .npy and .hsd. */
#ifndef HSP_WRITE_WRITER_H
#define HSP_WRITE_WRITER_H

#include "base/file.h"
#include "base/text.h"
#include "data/data.h"
#include "halfspace.h"

/* One new format is one function and one line in writer.c. */
typedef struct hsp_writer {
    const char *name;
    const char *suffixes;
    char delimiter; /* of the CSV family */
    int (*write)(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
} hsp_writer;

/* Names (when there are any) and rows, the label and the weight where they stood in the file they came from, else the label
 * last and the weight before it. HSP_EUSAGE when a sparse set would take more than 2e9 cells. */
int hsp_write_csv(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
/* Base as in the data when it came from svmlight, else 1; the first row names the first and the last feature, with value 0
 * if need be, so that base and d can be found again. HSP_EUSAGE when rows have weights: they would become a feature. */
int hsp_write_svmlight(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);

/* The data as they lie in memory: see hsd.h. Everything is kept. */
int hsp_write_hsd(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);
/* One array of n rows, the features and then the label: float32 when everything is exact in it, else float64. HSP_EUSAGE
 * when labels are words, or when rows have weights; the same limit as for CSV. Names are lost. */
int hsp_write_npy(const hsp_data *data, hsp_out *out, char delimiter, hsp_error **err);

/* Appends one CSV cell, quoted when RFC 4180 asks for it, or when it could be taken for something else on reading. */
void hsp_csv_cell(hsp_text *t, const char *s, int64_t n, char delimiter);
/* Passes the text on to `out` once there is enough of it (`all`: in any case), and empties it. */
int hsp_write_flush(hsp_text *t, hsp_out *out, bool all, hsp_error **err);

#endif
