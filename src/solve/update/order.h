/* The order in which a pass visits the rows: as read, shuffled again each epoch, or drawn with replacement. */
#ifndef HSP_SOLVE_UPDATE_ORDER_H
#define HSP_SOLVE_UPDATE_ORDER_H

#include "base/rng.h"
#include "halfspace.h"
#include "solve/loop/solver.h"

typedef struct hsp_order {
    hsp_ordering kind;
    int64_t n, at;        /* rows, and how many of this epoch have been visited */
    int64_t *permutation; /* owned; NULL unless shuffled */
    hsp_rng rng;
} hsp_order;

int hsp_order_init(hsp_order *o, hsp_ordering kind, int64_t n, uint64_t seed, uint64_t stream, hsp_error **err);
/* The next row; call only while at < n. The first of an epoch shuffles. */
int64_t hsp_order_next(hsp_order *o);
/* The row to be visited `ahead` visits after the next; -1 when that is not known yet. */
int64_t hsp_order_ahead(const hsp_order *o, int64_t ahead);
/* True at the end of an epoch; starts the next one. */
bool hsp_order_wrap(hsp_order *o);
void hsp_order_free(hsp_order *o);

#endif
