/* Targets and weights of rows that are copied, as far as they are numbers. */
#ifndef HSP_WRITE_NUMBER_TALLY_H
#define HSP_WRITE_NUMBER_TALLY_H

#include "base/error.h"
#include "base/json.h"
#include "halfspace.h"
#include "read/raw_file.h"

typedef struct hsp_number_range {
    bool known; /* asked for, and so far a number in every row */
    int64_t n, zero;
    double least, greatest, mean, sum;
} hsp_number_range;

typedef struct hsp_number_tally {
    bool strict; /* a cell that is not a number is an error; else the numbers are not known */
    hsp_number_range targets, weights;
} hsp_number_tally;

/* Options: task (regression: there are targets), weight. Of svmlight the weights are not read. */
hsp_number_tally hsp_number_tally_begin(const hsp_options *o, const hsp_raw_file *f, bool strict);
int hsp_number_tally_add(hsp_number_tally *t, const hsp_raw_file *f, const hsp_raw_row *row, hsp_error **err);
/* After the last row: HSP_EINPUT when all weights are 0. */
int hsp_number_tally_finish(const hsp_number_tally *t, const hsp_raw_file *f, hsp_error **err);
/* The members targets and weights; null where they are not known. */
void hsp_number_tally_report(const hsp_number_tally *t, const hsp_raw_file *f, hsp_json *j);

#endif
