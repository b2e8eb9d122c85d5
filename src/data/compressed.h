/* The three arrays of CSR or CSC, as the caller has them. */
#ifndef HSP_DATA_COMPRESSED_H
#define HSP_DATA_COMPRESSED_H

#include "data/matrix.h"
#include "halfspace.h"

/* Offsets begin at 0: what lies before the first entry is cut off the other two. */
typedef struct hsp_compressed {
    int64_t lines;        /* rows of CSR, columns of CSC */
    const int64_t *begin; /* lines + 1; the caller's, or `own` */
    int64_t *own;         /* owned, or NULL: the caller's are used */
    hsp_array index, value;
} hsp_compressed;

/* Their names in messages. */
typedef struct hsp_compressed_words {
    const char *line, *begin, *index;
} hsp_compressed_words;

/* Checks form, lengths and offsets. The caller frees c->own, also after a failure. */
int hsp_compressed_open(const hsp_array *begin, const hsp_array *index, const hsp_array *value,
                        const hsp_compressed_words *say, hsp_compressed *c, hsp_error **err);
/* A sparse matrix without its arrays. dtype: HSP_FLOAT32 or HSP_FLOAT64. */
hsp_matrix hsp_compressed_matrix(int64_t n, int64_t d, int64_t stored, int32_t dtype);

#endif
