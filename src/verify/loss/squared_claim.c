/* Squared loss: (y - g)^2 / 2; dual a y - a^2 / (2 k) for every a. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_times_power(hsp_dd_square(hsp_dd_add_double(g, -y)), 0.5);
}

static inline hsp_dd multiplier(double y, hsp_dd g, double parameter) {
    (void)parameter;
    return hsp_dd_add_double(hsp_dd_negative(g), y);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_DERIVE(multiplier)

static void confine(const hsp_rows_part *p) {
    for (int64_t i = 0; i < p->count; i++)
        if (p->c[i] == 0) p->a[i] = 0;
}

static void sums(const hsp_rows_part *p, hsp_dual_sums *out) {
    hsp_dual_sums s = {0};
    for (int64_t i = 0; i < p->count; i++) {
        double y = p->y[i], a = p->a[i];
        if (p->c[i] == 0) continue;
        hsp_dd k = hsp_two_product(p->C, p->c[i]);
        s.mass = hsp_dd_add(s.mass, k);
        s.labels = hsp_dd_add(s.labels, hsp_dd_scale(k, y));
        s.linear[0] = hsp_dd_add(s.linear[0], hsp_two_product(a, y));
        s.total[0] = hsp_dd_add_double(s.total[0], a);
        s.quadratic[0] = hsp_dd_add(s.quadratic[0], hsp_claim_dual_square(a, k, 1));
        s.size += fabs(a * y) + fabs(a);
        s.labels_size += k.hi * fabs(y);
    }
    *out = s;
}

const hsp_claim_loss HSP_CLAIM_ENTRY(squared) = {.name = "squared",
                                                 .shape = HSP_CLAIM_LINE,
                                                 .high = INFINITY,
                                                 .ridge = 1,
                                                 .numbers = true,
                                                 .losses = losses,
                                                 .derive = derive,
                                                 .confine = confine,
                                                 .sums = sums};
