/* Plans: the blocks of files, and their division into parts. */
#ifndef HSP_SOURCE_PLAN_H
#define HSP_SOURCE_PLAN_H

#include "base/json.h"
#include "data/data.h"
#include "data/schema.h"
#include "halfspace.h"
#include "spool/file_list.h"
#include "spool/scan.h"

/* What a plan knows of a file. */
typedef struct hsp_plan_file {
    const char *path; /* borrowed */
    int64_t bytes;    /* of the file */
    int64_t rows, blocks;
    int64_t row_bytes; /* of its rows, in memory */
} hsp_plan_file;

typedef struct hsp_plan {
    hsp_file_list list;
    hsp_plan_file *file; /* owned: one for each */
    hsp_scan scan;       /* of text */
    bool stored;         /* data files instead; then the members below hold */
    hsp_schema schema;
    hsp_classes classes;
    int64_t *class_rows; /* owned */
    bool labelled, regression, weighted;
    int64_t features, nonzeros;
    double least, greatest, mean; /* of the targets */
    double weight_sum;
    int64_t weight_zero;
    char *assumed; /* owned */
    int64_t rows, blocks, row_bytes;
} hsp_plan; /* {0} can be cleared */

void hsp_plan_clear(hsp_plan *p);
/* Reads the headers and the labels of data files (plan_stored.c), or scans text. */
int hsp_plan_make(const char *const *paths, int64_t count, const hsp_options *o, const hsp_hooks *hooks, hsp_plan *out,
                  hsp_error **err);
int hsp_plan_stored(hsp_plan *p, const hsp_options *o, hsp_error **err);
/* The members of the report on the data, as in hsp_data_report. */
void hsp_plan_report(const hsp_plan *p, hsp_json *j);

#endif
