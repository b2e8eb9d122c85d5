/* Logistic loss: log(1 + exp(-m)); dual k h(alpha / k), with h(q) the entropy of (q, 1 - q). */
#include "verify/loss/claim_rows.h"
#include "verify/loss/exp_log.h"

static inline hsp_dd value(hsp_dd m) {
    hsp_dd s = hsp_dd_log1p(hsp_dd_exp(m.hi > 0 ? hsp_dd_negative(m) : m));
    return m.hi > 0 ? s : hsp_dd_subtract(s, m);
}

static inline hsp_dd multiplier(hsp_dd m) {
    double z = hsp_dd_exp(m.hi > 0 ? hsp_dd_negative(m) : m).hi;
    return hsp_dd_of((m.hi > 0 ? z : 1) / (1 + z));
}

HSP_CLAIM_MARGIN_LOSSES(value)
HSP_CLAIM_MARGIN_DERIVE(multiplier)
HSP_CLAIM_BOXED(1, 0)

/* k h(q) with u = k q and rest = k (1 - q). log1p gives the logarithm of the larger share without cancellation. */
static inline hsp_dd entropy(hsp_dd u, hsp_dd rest, double k) {
    hsp_dd small = u.hi < rest.hi ? u : rest, large = u.hi < rest.hi ? rest : u;
    if (!(small.hi > 0)) return hsp_dd_of(small.hi <= 0 ? 0 : NAN);
    double share = small.hi / k;
    hsp_dd s = hsp_dd_multiply(small, hsp_dd_log(hsp_dd_of(share)));
    return hsp_dd_negative(hsp_dd_add(s, hsp_dd_multiply(large, hsp_dd_log1p(hsp_dd_of(-share)))));
}

static hsp_dd entropies(const hsp_rows_part *p, const hsp_dd t[2]) {
    hsp_dd sum = {0, 0};
    for (int64_t i = 0; i < p->count; i++) {
        if (p->a[i] == 0) continue;
        hsp_dd k = hsp_two_product(p->C, p->c[i]), u = hsp_dd_scale(t[p->a[i] < 0], fabs(p->a[i]));
        if (u.hi > 1e-280) sum = hsp_dd_add(sum, entropy(u, hsp_dd_subtract(k, u), k.hi));
    }
    return sum;
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
