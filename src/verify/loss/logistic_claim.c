/* Logistic loss: log(1 + exp(-m)); dual k h(alpha / k), with h(q) the entropy of (q, 1 - q). */
#include "verify/loss/claim_chains.h"
#include "verify/loss/claim_rows.h"
#include "verify/loss/exp_log_lanes.h"

/* m = y g, and exp(-|m|). */
INLINE hsp_dd_lanes margin_at(const some_rows *r, int64_t i, flags *right, hsp_dd_lanes *e) {
    lanes y = load(r->y + i);
    hsp_dd_lanes m = {y * load(r->hi + i), y * load(r->lo + i)};
    *right = m.hi > 0;
    *e = lanes_exp(lanes_choose(*right, lanes_negative(m), m));
    return m;
}

static hsp_dd losses(const hsp_rows_part *p, const hsp_dd *g) {
    dd_chains sum = {0};
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_scored(p, g, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            flags right;
            hsp_dd_lanes e, m = margin_at(&r, i, &right, &e), s = lanes_log1p(e);
            s = lanes_choose(right, s, lanes_subtract(s, m));
            lanes c = load(r.c + i);
            chains_add(&sum, i, lanes_where(c != 0, lanes_scale(s, c)));
        }
    }
    return chains_total(&sum);
}

/* -loss'(m) = 1 / (1 + exp(m)) */
static void derive(const hsp_rows_part *p, const hsp_dd *g) {
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_scored(p, g, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            flags right;
            hsp_dd_lanes e;
            (void)margin_at(&r, i, &right, &e);
            lanes c = load(r.c + i), slope = choose(right, e.hi, all(1)) / (1 + e.hi), y = load(r.y + i);
            hsp_dd_lanes k = lanes_two_product(all(p->C), c),
                         one = lanes_multiply(k, (hsp_dd_lanes){slope * y, all(0) * y});
            store(r.a + i, choose(c == 0, all(0), one.hi + one.lo + 0.0));
        }
        for (int64_t i = 0; i < r.count; i++) p->a[from + i] = r.a[i];
    }
}

HSP_CLAIM_BOXED(1, 0)

/* k h(q) with u = k q and rest = k (1 - q). log1p gives the logarithm of the larger share without cancellation. */
INLINE hsp_dd_lanes entropy(hsp_dd_lanes u, hsp_dd_lanes rest, lanes k) {
    flags less = u.hi < rest.hi;
    hsp_dd_lanes small = lanes_choose(less, u, rest), large = lanes_choose(less, rest, u);
    lanes share = small.hi / k, none = choose(small.hi <= 0, all(0), all((double)NAN));
    hsp_dd_lanes s = lanes_multiply(small, lanes_log((hsp_dd_lanes){share, all(0)}));
    s = lanes_add(s, lanes_multiply(large, lanes_log1p((hsp_dd_lanes){-share, all(0)})));
    return lanes_choose(small.hi > 0, lanes_negative(s), (hsp_dd_lanes){none, all(0)});
}

static hsp_dd entropies(const hsp_rows_part *p, const hsp_dd t[2]) {
    const hsp_dd_lanes up = {all(t[0].hi), all(t[0].lo)}, down = {all(t[1].hi), all(t[1].lo)};
    dd_chains sum = {0};
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_multiplied(p, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            lanes ai = load(r.a + i);
            hsp_dd_lanes k = lanes_two_product(all(p->C), load(r.c + i));
            hsp_dd_lanes u = lanes_scale(lanes_choose(ai < 0, down, up), absolute(ai));
            hsp_dd_lanes one = entropy(u, lanes_subtract(k, u), k.hi);
            chains_add(&sum, i, lanes_where((u.hi > 1e-280) & (ai != 0), one));
        }
    }
    return chains_total(&sum);
}

const hsp_claim_loss HSP_CLAIM_ENTRY(logistic) = {.name = "logistic",
                                                  .shape = HSP_CLAIM_ENTROPY,
                                                  .high = 1,
                                                  .endless = true,
                                                  .losses = losses,
                                                  .derive = derive,
                                                  .confine = confine,
                                                  .sums = sums,
                                                  .entropies = entropies};
