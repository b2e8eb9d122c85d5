/* Huber loss of the residual r = y - g:
 *     r^2 / 2                       for |r| <= delta
 *     delta |r| - delta^2 / 2       beyond
 * Dual: a y - a^2 / (2 k) for |a| <= delta k. */
#include "verify/loss/claim_rows.h"

static inline hsp_dd value(double y, hsp_dd g, double delta) {
    hsp_dd size = hsp_dd_absolute(hsp_dd_add_double(g, -y));
    if (hsp_dd_compare(size, hsp_dd_of(delta)) <= 0) return hsp_dd_times_power(hsp_dd_square(size), 0.5);
    hsp_dd half = hsp_dd_times_power(hsp_two_product(delta, delta), 0.5);
    return hsp_dd_subtract(hsp_dd_scale(size, delta), half);
}

static inline hsp_dd multiplier(double y, hsp_dd g, double delta) {
    hsp_dd r = hsp_dd_add_double(hsp_dd_negative(g), y);
    return r.hi < 0 ? hsp_dd_negative(hsp_dd_at_most(hsp_dd_negative(r), delta)) : hsp_dd_at_most(r, delta);
}

HSP_CLAIM_LOSSES(value)
HSP_CLAIM_DERIVE(multiplier)

/* A NaN becomes 0. */
static void confine(const hsp_rows_part *p) {
    for (int64_t i = 0; i < p->count; i++) {
        double a = p->a[i], most = hsp_dd_floor(hsp_dd_scale(hsp_two_product(p->C, p->c[i]), p->parameter));
        most = nextafter(most, 0); /* k delta was rounded */
        p->a[i] = p->c[i] == 0 || isnan(a) ? 0 : a > most ? most : a < -most ? -most : a;
    }
}

static void sums(const hsp_rows_part *p, hsp_dual_sums *out) {
    hsp_dual_sums s = {0};
    for (int64_t i = 0; i < p->count; i++) {
        double a = p->a[i];
        if (p->c[i] == 0 || a == 0) continue;
        int side = a < 0;
        s.total[side] = hsp_dd_add_double(s.total[side], fabs(a));
        s.linear[side] = hsp_dd_add(s.linear[side], hsp_two_product(a, p->y[i]));
        hsp_dd square = hsp_claim_dual_square(a, hsp_two_product(p->C, p->c[i]), 1);
        s.quadratic[side] = hsp_dd_add(s.quadratic[side], square);
        s.size += fabs(a * p->y[i]) + fabs(a);
    }
    *out = s;
}

const hsp_claim_loss HSP_CLAIM_ENTRY(huber) = {.name = "huber",
                                               .shape = HSP_CLAIM_RANGE,
                                               .numbers = true,
                                               .parameter = "delta",
                                               .losses = losses,
                                               .derive = derive,
                                               .confine = confine,
                                               .sums = sums};
