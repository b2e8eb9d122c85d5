/* Rows of a stream as data sets of so many rows, one after the other, in constant memory: how they arrive does not matter. */
#ifndef HSP_ONEPASS_ARRIVING_ROWS_H
#define HSP_ONEPASS_ARRIVING_ROWS_H

#include "data/block.h"
#include "data/data.h"
#include "data/schema.h"
#include "halfspace.h"

enum { HSP_ARRIVING_ROWS = 16384 };

/* Takes a data set, which is freed after it: 0, 1 to end, or a negative status. */
typedef int hsp_arriving_take(void *ctx, hsp_data *data, hsp_error **err);

typedef struct hsp_arriving {
    const hsp_options *o;
    hsp_arriving_take *take;
    void *ctx;
    struct hsp_arriving_input *in; /* owned, as all that follows */
    char *assumed;       /* at the end: one line */
    hsp_block block;     /* rows for the next data set */
    hsp_classes classes; /* declared, or those of the first rows; empty for a regression */
    hsp_schema schema;   /* svmlight: with the features so far */
    int64_t rows;        /* taken */
    bool declared, regression;
} hsp_arriving; /* {0} can be cleared */

/* classes: "A,B,...", all labels that may occur; NULL: those of the first rows. Reads the whole stream. HSP_EINPUT names file
 * and line: a row is wrong, or a label was not declared. HSP_EUSAGE: columns that need all rows to be encoded. */
int hsp_arriving_read(hsp_arriving *a, const char *path, const char *classes, hsp_error **err);
void hsp_arriving_clear(hsp_arriving *a);

#endif
