/* Sums of double-doubles over the rows of a part. One addition takes longer than the next can wait for, so there are eight
 * chains side by side, of the terms l, l + 8, l + 16, ..., which are joined in pairs at the end: the same bits with vectors of
 * any width. Terms are computed some rows at a time. For files that are compiled once for each level. */
#ifndef HSP_VERIFY_LOSS_CLAIM_CHAINS_H
#define HSP_VERIFY_LOSS_CLAIM_CHAINS_H

#include "verify/loss/claim_lanes.h"
#include "verify/loss/double_double.h"
#include "verify/loss/loss_claim.h"

enum { ROWS = 64, CHAINS = 8, CHAIN_VECTORS = CHAINS / WIDTH }; /* ROWS: at a time */

typedef struct dd_chains {
    hsp_dd_lanes v[CHAIN_VECTORS];
} dd_chains;

typedef struct double_chains {
    lanes v[CHAIN_VECTORS];
} double_chains;

/* The rows i to i + WIDTH of those at a time. */
INLINE void chains_add(dd_chains *s, int64_t i, hsp_dd_lanes term) {
    hsp_dd_lanes *to = &s->v[i / WIDTH % CHAIN_VECTORS];
    *to = lanes_add(*to, term);
}

INLINE void chains_add_double(dd_chains *s, int64_t i, lanes term) {
    hsp_dd_lanes *to = &s->v[i / WIDTH % CHAIN_VECTORS];
    *to = lanes_add_double(*to, term);
}

static inline hsp_dd chains_total(const dd_chains *s) {
    double hi[CHAINS], lo[CHAINS];
    for (int v = 0; v < CHAIN_VECTORS; v++) store(hi + v * WIDTH, s->v[v].hi), store(lo + v * WIDTH, s->v[v].lo);
    for (int half = CHAINS / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) {
            hsp_dd both = hsp_dd_add((hsp_dd){hi[l], lo[l]}, (hsp_dd){hi[l + half], lo[l + half]});
            hi[l] = both.hi, lo[l] = both.lo;
        }
    return (hsp_dd){hi[0], lo[0]};
}

static inline double double_chains_total(const double_chains *s) {
    double sum[CHAINS];
    for (int v = 0; v < CHAIN_VECTORS; v++) store(sum + v * WIDTH, s->v[v]);
    for (int half = CHAINS / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

/* Terms of rows whose formula is that of one row. */
typedef struct dd_terms {
    double hi[ROWS], lo[ROWS];
} dd_terms;

static inline void chains_add_terms(dd_chains *s, dd_terms *t, int64_t count) {
    for (int64_t i = count; i % WIDTH != 0; i++) t->hi[i] = t->lo[i] = 0;
    for (int64_t i = 0; i < count; i += WIDTH) chains_add(s, i, (hsp_dd_lanes){load(t->hi + i), load(t->lo + i)});
}

/* Copies of some rows, with zeros behind them up to a whole vector: rows of weight 0. */
typedef struct some_rows {
    int64_t count;
    double hi[ROWS], lo[ROWS], y[ROWS], c[ROWS], a[ROWS];
} some_rows;

static inline void copy_padded(const double *from, int64_t count, double *to) {
    for (int64_t i = 0; i < count; i++) to[i] = from[i];
    for (int64_t i = count; i % WIDTH != 0; i++) to[i] = 0;
}

/* The scores of the rows from `from` on, their labels and weights. */
static inline void copy_scored(const hsp_rows_part *p, const hsp_dd *g, int64_t from, some_rows *r) {
    r->count = p->count - from < ROWS ? p->count - from : ROWS;
    for (int64_t i = 0; i < r->count; i++) r->hi[i] = g[from + i].hi, r->lo[i] = g[from + i].lo;
    for (int64_t i = r->count; i % WIDTH != 0; i++) r->hi[i] = r->lo[i] = 0;
    copy_padded(p->y + from, r->count, r->y);
    copy_padded(p->c + from, r->count, r->c);
}

/* Their multipliers instead of scores. */
static inline void copy_multiplied(const hsp_rows_part *p, int64_t from, some_rows *r) {
    r->count = p->count - from < ROWS ? p->count - from : ROWS;
    copy_padded(p->y + from, r->count, r->y);
    copy_padded(p->c + from, r->count, r->c);
    copy_padded(p->a + from, r->count, r->a);
}

/* hsp_dd_divide of vectors. */
INLINE hsp_dd_lanes lanes_divide(hsp_dd_lanes a, hsp_dd_lanes b) {
    lanes first = a.hi / b.hi;
    hsp_dd_lanes r = lanes_subtract(a, lanes_scale(b, first));
    lanes second = r.hi / b.hi;
    r = lanes_subtract(r, lanes_scale(b, second));
    return lanes_add_double(lanes_quick_sum(first, second), r.hi / b.hi);
}

/* The term where `which` is set, else 0. */
INLINE hsp_dd_lanes lanes_where(flags which, hsp_dd_lanes a) {
    return (hsp_dd_lanes){choose(which, a.hi, all(0)), choose(which, a.lo, all(0))};
}

#endif
