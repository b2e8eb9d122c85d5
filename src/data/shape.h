/* What a data set would be, learnt from blocks that were counted and not kept. Rows that are read again can then be written to
 * their places: one pass more, and no memory that grows with the rows. */
#ifndef HSP_DATA_SHAPE_H
#define HSP_DATA_SHAPE_H

#include "data/data.h"
#include "data/digest_codes.h"
#include "data/matrix.h"
#include "halfspace.h"
#include "kernel/form.h"

typedef struct hsp_shape {
    int64_t n, d, stored, nonzeros;
    bool dense;
    hsp_ids ids;
    hsp_coding coding;
    int32_t dtype;
    int base;        /* the id of the first column in sparse blocks */
    hsp_codes codes; /* of the values, for HSP_CODING_CODE8 */
    double *table;   /* owned: HSP_TABLE numbers if the coding has a table, else NULL */
    bool labelled, regression, weighted;
    hsp_classes classes;
    int64_t *class_rows;    /* owned: of each class; NULL: none */
    double least, greatest, mean; /* of the targets */
    double weight_sum;
    int64_t weight_zero; /* rows with weight 0 */
} hsp_shape;             /* {0} can be cleared */

/* Counts a block that has its digest, in the order of the rows, instead of placing and writing it. */
int hsp_builder_count(hsp_builder *b, const hsp_block *block, hsp_digest *g, hsp_error **err);
/* The file of the next blocks, for messages. 0 or HSP_EMEMORY. */
int hsp_builder_set_file(hsp_builder *b, const char *file);
/* The rows that were counted; d and base of the schema are final. Frees the builder, also after a failure. Fails as
 * hsp_builder_finish does. */
int hsp_builder_shape(hsp_builder *b, const hsp_schema *schema, hsp_shape *out, hsp_error **err);
void hsp_shape_clear(hsp_shape *s);

/* Bytes of the rows `from` to `to` in this shape, of which `stored` values are stored. */
int64_t hsp_shape_bytes(const hsp_shape *s, int64_t rows, int64_t stored);

#endif
