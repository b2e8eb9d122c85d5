/* Rows of a design on their way into panels: decoded, transformed, centred. Sparse rows are spread out. */
#ifndef HSP_DESIGN_FEED_H
#define HSP_DESIGN_FEED_H

#include "design/design.h"
#include "kernel/level.h"

/* Columns `from` to `from + q.d` of every row. */
typedef struct hsp_feed {
    const hsp_design *D;
    const hsp_level *level;
    int64_t from;
    const double *centres; /* groups x d, or NULL */
    const int32_t *group;  /* of each row; NULL: 0 */
    hsp_decode q;
} hsp_feed;

hsp_feed hsp_feed_new(const hsp_design *D, int64_t from, int64_t columns, const double *centres, const int32_t *group);
/* Numbers of scratch that a thread needs; 0 for dense rows. hsp_feed_prepare fills it once before the first row. */
int64_t hsp_feed_scratch(const hsp_feed *f);
void hsp_feed_prepare(const hsp_feed *f, double *scratch);
/* Row i into panels that are `step` apart (level.h), and c times it when `weighted` is not NULL. */
void hsp_feed_row(const hsp_feed *f, int64_t i, int64_t step, double *out, double c, double *weighted, double *scratch);

#endif
