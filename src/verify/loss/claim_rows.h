/* Building blocks of the NAME_claim.c files: loops over rows around the formulas of one row, and the common duals. Only for
 * files that are compiled once for each level. */
#ifndef HSP_VERIFY_LOSS_CLAIM_ROWS_H
#define HSP_VERIFY_LOSS_CLAIM_ROWS_H

#include "loss/loss_list.h"
#include "verify/loss/claim_chains.h"
#include "verify/loss/loss_claim.h"

#include <math.h>

#define HSP_CLAIM_JOIN(a, b) a##_##b
#define HSP_CLAIM_NAME(name, level) HSP_CLAIM_JOIN(name, level)
/* The entry of a loss at this level: hsp_claim_loss_hinge_plain. */
#define HSP_CLAIM_ENTRY(name) HSP_CLAIM_NAME(hsp_claim_loss_##name, HSP_LEVEL)

#define HSP_CLAIM_DECLARED(name) extern const hsp_claim_loss HSP_CLAIM_ENTRY(name);
HSP_EACH_LOSS(HSP_CLAIM_DECLARED)
HSP_CLAIM_DECLARED(hard)

static inline hsp_dd hsp_positive_part(hsp_dd a) {
    return a.hi > 0 ? a : hsp_dd_of(a.hi <= 0 ? 0 : NAN);
}

/* m = y g for y = -1, +1. */
static inline hsp_dd hsp_margin_at(double y, hsp_dd g) {
    return (hsp_dd){y * g.hi, y * g.lo};
}

/* max(0, 1 - m) */
static inline hsp_dd hsp_slack_at(hsp_dd m) {
    return hsp_positive_part(hsp_dd_add_double(hsp_dd_negative(m), 1));
}

/* min(a, most); NaN if a is NaN. */
static inline hsp_dd hsp_dd_at_most(hsp_dd a, double most) {
    return a.hi > most || (a.hi == most && a.lo > 0) ? hsp_dd_of(most) : a;
}

/* Defines `losses` from value(y, g, parameter). */
#define HSP_CLAIM_LOSSES(value)                                                     \
    static hsp_dd losses(const hsp_rows_part *p, const hsp_dd *g) {                 \
        dd_chains sum = {0};                                                        \
        dd_terms t;                                                                 \
        for (int64_t from = 0, count; from < p->count; from += count) {             \
            count = p->count - from < ROWS ? p->count - from : ROWS;                \
            for (int64_t i = 0; i < count; i++) {                                   \
                double c = p->c[from + i];                                          \
                hsp_dd one = {0, 0};                                                \
                if (c != 0) one = value(p->y[from + i], g[from + i], p->parameter); \
                if (one.hi != 0) one = hsp_dd_scale(one, c);                        \
                t.hi[i] = one.hi, t.lo[i] = one.lo;                                 \
            }                                                                       \
            chains_add_terms(&sum, &t, count);                                      \
        }                                                                           \
        return chains_total(&sum);                                                  \
    }

/* Defines `derive` from multiplier(y, g, parameter), minus the derivative in g. */
#define HSP_CLAIM_DERIVE(multiplier)                                                                \
    static void derive(const hsp_rows_part *p, const hsp_dd *g) {                                   \
        for (int64_t i = 0; i < p->count; i++) {                                                    \
            if (p->c[i] == 0) {                                                                     \
                p->a[i] = 0;                                                                        \
                continue;                                                                           \
            }                                                                                       \
            hsp_dd k = hsp_two_product(p->C, p->c[i]), r = multiplier(p->y[i], g[i], p->parameter); \
            p->a[i] = hsp_dd_value(hsp_dd_multiply(k, r));                                          \
        }                                                                                           \
    }

/* Defines `losses` from value(m), for a loss of the margin m. */
#define HSP_CLAIM_MARGIN_LOSSES(value)                                    \
    static inline hsp_dd value_at(double y, hsp_dd g, double parameter) { \
        (void)parameter;                                                  \
        return value(hsp_margin_at(y, g));                                \
    }                                                                     \
    HSP_CLAIM_LOSSES(value_at)

/* Defines `derive` from multiplier(m), minus the derivative in m. */
#define HSP_CLAIM_MARGIN_DERIVE(multiplier)                                    \
    static inline hsp_dd multiplier_at(double y, hsp_dd g, double parameter) { \
        (void)parameter;                                                       \
        return hsp_dd_times_power(multiplier(hsp_margin_at(y, g)), y);         \
    }                                                                          \
    HSP_CLAIM_DERIVE(multiplier_at)

/* ridge a^2 / (2 k); ridge is a power of two. */
static inline hsp_dd hsp_claim_dual_square(double a, hsp_dd k, double ridge) {
    return hsp_dd_divide(hsp_two_product(a, a), hsp_dd_times_power(k, 2 / ridge));
}

/* ---- alpha = y a in [0, high k] ---- */

static inline void hsp_claim_confine_box(const hsp_rows_part *p, double high) {
    for (int64_t i = 0; i < p->count; i++) {
        double alpha = p->y[i] * p->a[i];
        if (p->c[i] == 0) {
            p->a[i] = 0;
            continue;
        }
        double most = INFINITY;
        if (high < INFINITY) most = hsp_dd_floor(hsp_dd_times_power(hsp_two_product(p->C, p->c[i]), high));
        p->a[i] = !(alpha > 0) ? 0 : p->y[i] * (alpha < most ? alpha : most);
    }
}

static inline void hsp_claim_sum_box(const hsp_rows_part *p, double ridge, hsp_dual_sums *out) {
    dd_chains total[2] = {0}, quadratic[2] = {0};
    double_chains size = {0};
    some_rows r;
    for (int64_t from = 0; from < p->count; from += ROWS) {
        copy_multiplied(p, from, &r);
        for (int64_t i = 0; i < r.count; i += WIDTH) {
            lanes c = load(r.c + i), a = load(r.a + i), alpha = absolute(a);
            flags counts = (c != 0) & (a != 0), side[2] = {counts & ~(a < 0), counts & (a < 0)};
            hsp_dd_lanes k = lanes_two_product(all(p->C), c), square = {all(0), all(0)};
            if (ridge != 0) /* as hsp_claim_dual_square */
                square = lanes_divide(lanes_two_product(a, a), (hsp_dd_lanes){k.hi * (2 / ridge), k.lo * (2 / ridge)});
            for (int s = 0; s < 2; s++) {
                chains_add_double(&total[s], i, choose(side[s], alpha, all(0)));
                if (ridge != 0) chains_add(&quadratic[s], i, lanes_where(side[s], square));
            }
            size.v[i / WIDTH % CHAIN_VECTORS] += choose(counts, alpha, all(0));
        }
    }
    *out = (hsp_dual_sums){.size = double_chains_total(&size)};
    for (int s = 0; s < 2; s++) {
        out->total[s] = chains_total(&total[s]);
        out->quadratic[s] = chains_total(&quadratic[s]);
    }
}

/* Defines `confine` and `sums` of a box with constant `high` and `ridge`. */
#define HSP_CLAIM_BOXED(high, ridge)                               \
    static void confine(const hsp_rows_part *p) {                  \
        hsp_claim_confine_box(p, high);                            \
    }                                                              \
    static void sums(const hsp_rows_part *p, hsp_dual_sums *out) { \
        hsp_claim_sum_box(p, ridge, out);                          \
    }

/* Defines all functions and the entry of a smooth loss of the margin whose dual domain is a box, from value(m) and
 * multiplier(m). id is its name in loss/loss_list.h, option_name the one that users type. */
#define HSP_CLAIM_SMOOTH_BOX(id, option_name, dual_high, dual_ridge)    \
    HSP_CLAIM_MARGIN_LOSSES(value)                                      \
    HSP_CLAIM_MARGIN_DERIVE(multiplier)                                 \
    HSP_CLAIM_BOXED(dual_high, dual_ridge)                              \
    const hsp_claim_loss HSP_CLAIM_ENTRY(id) = {.name = option_name,    \
                                                .shape = HSP_CLAIM_BOX, \
                                                .high = dual_high,      \
                                                .ridge = dual_ridge,    \
                                                .losses = losses,       \
                                                .derive = derive,       \
                                                .confine = confine,     \
                                                .sums = sums};

#endif
