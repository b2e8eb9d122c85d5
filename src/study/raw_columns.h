/* The numeric columns of the data as they were read, and the model as a function of them alone. A model may be linear in its
 * features and not in its columns: products of --degree 2, random Fourier features, transformed columns, hidden layers. */
#ifndef HSP_STUDY_RAW_COLUMNS_H
#define HSP_STUDY_RAW_COLUMNS_H

#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "halfspace.h"
#include "model/model.h"
#include "table/encoding.h"

typedef struct hsp_raw_columns {
    const hsp_model *m;
    const hsp_encoding *e; /* of the table; NULL: the columns are the features of the model */
    int threads;
    int64_t width;   /* cells of a row */
    int64_t count;   /* numeric columns */
    int64_t *column; /* count, owned: their places in a row */
    double *least;   /* count, owned: the smallest number of each */
    hsp_data *data;  /* owned: n x count numbers, a missing one as the mean, with names and labels */
    /* A typical row: the means of the numeric columns, the most frequent cells of the others. */
    double *number;   /* width, owned; NaN: a word, or missing */
    char **word;      /* width, owned, each too: the word, or how a number is spelt; NULL: none */
    hsp_schema table; /* the columns of the table; owned */
    hsp_block rows;   /* scratch; owned */
} hsp_raw_columns;

/* data: as they were read for the model, a table with its frame. Clear *out in any case. HSP_EINPUT: they are not, no column
 * is numeric, or there are no rows. */
int hsp_raw_columns_open(const hsp_model *m, const hsp_data *data, int threads, hsp_raw_columns *out, hsp_error **err);
void hsp_raw_columns_clear(hsp_raw_columns *r);
/* The scores (rows x outputs, or NULL) and classes (rows, or NULL) of the model for rows of `count` numbers, the other columns
 * as in the typical row. */
int hsp_raw_columns_score(hsp_raw_columns *r, const double *x, int64_t rows, double *scores, int32_t *classes,
                          hsp_error **err);
/* How far, on average, the scores move when a column is replaced by its mean: `count` numbers, measured on a part of the
 * rows. */
int hsp_raw_columns_influence(hsp_raw_columns *r, double *influence, hsp_error **err);

#endif
