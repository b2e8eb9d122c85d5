/* Which rows of a data set or of a file are test rows: the same for the same seed and number of rows (or rows of each class),
 * wherever the rows come from. */
#ifndef HSP_DATA_DRAW_H
#define HSP_DATA_DRAW_H

#include "base/rng.h"
#include "halfspace.h"

#include <stdbool.h>

typedef struct hsp_draw {
    hsp_rng rng;
    int64_t test;    /* test rows in all */
    int64_t *open;   /* owned: rows of each group that are still to come ... */
    int64_t *wanted; /* ... and how many of them are to be test rows; in the memory of `open` */
} hsp_draw;          /* {0} can be ended */

/* Options: test, seed. count: the rows of each of `groups` groups, of which each gets its share of test rows, n in all; one
 * group: any rows. HSP_EUSAGE when a part would have no rows. */
int hsp_draw_begin(hsp_draw *d, const hsp_options *o, const int64_t *count, int64_t groups, hsp_error **err);
/* Whether the next row, of that group, is a test row. */
bool hsp_draw_row(hsp_draw *d, int64_t group);
void hsp_draw_end(hsp_draw *d);

#endif
