/* Cells of a file that are passed through as they are spelt. */
#ifndef HSP_READ_KEPT_H
#define HSP_READ_KEPT_H

#include "base/text.h"

#include <stdint.h>

/* Of the rows of a piece: row by row, the cells of the kept columns. */
typedef struct hsp_kept {
    hsp_text text;
    int64_t *start; /* owned: cells + 1 offsets */
    int64_t cells, capacity;
} hsp_kept; /* {0} can be freed */

void hsp_kept_free(hsp_kept *k);

#endif
