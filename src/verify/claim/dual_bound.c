/* Weak duality, from the definitions: for every R with conjugate R* and all multipliers a_i = k_i r_i, k_i = C c_i,
 *
 *     min P  >=  sum_i k_i dual(r_i) - R*(v),    v = sum_i a_i x'_i,
 *
 * where
 *
 *     dual(r) = min over g of loss(g) + r g.
 *
 * A free intercept requires sum_i a_i = 0. A penalised one costs half the square of that sum. Given multipliers are
 * repaired: clipped to the domain, then scaled down on the side with the larger sum, or shifted where the domain is
 * unbounded. The repaired multipliers are real numbers, approximated by double-doubles. The error of that approximation is
 * part of the error subtracted at the end. */
#include "verify/claim/audit.h"
#include "verify/loss/double_double.h"
#include "verify/loss/exp_log.h"
#include "verify/loss/loss_claim.h"

#include <string.h>

typedef struct repair {
    hsp_dd t[2];  /* factors of the positive and the negative multipliers */
    hsp_dd shift; /* unbounded domain: a_i becomes a_i - shift k_i */
} repair;

static void fill_repaired(const hsp_audit *u, const void *ctx, int64_t k, int64_t first, int64_t count, double *hi,
                          double *lo) {
    const repair *q = ctx;
    const double *a = u->a + first;
    const hsp_dd *t = q->t;
    bool line = u->c.loss->shape == HSP_CLAIM_LINE;
    (void)k;
    if (line && q->shift.hi != 0) {
        u->pass->shift(count, a, u->c.c + first, u->c.C, q->shift, hi, lo);
    } else if (!line && (t[0].hi != 1 || t[0].lo != 0 || t[1].hi != 1 || t[1].lo != 0)) {
        u->pass->scale(count, a, t, hi, lo);
    } else {
        memcpy(hi, a, (size_t)count * sizeof *hi);
        memset(lo, 0, (size_t)count * sizeof *lo);
    }
}

static void prepare_part(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    int64_t first;
    (void)ctx;
    (void)scratch;
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    u->c.loss->confine(&rows);
    u->c.loss->sums(&rows, &u->sums[part]);
}

static hsp_dual_sums add_parts(const hsp_audit *u) {
    hsp_dual_sums s = {0};
    for (int64_t p = 0; p < u->parts; p++) {
        const hsp_dual_sums *more = &u->sums[p];
        for (int side = 0; side < 2; side++) {
            s.total[side] = hsp_dd_add(s.total[side], more->total[side]);
            s.linear[side] = hsp_dd_add(s.linear[side], more->linear[side]);
            s.quadratic[side] = hsp_dd_add(s.quadratic[side], more->quadratic[side]);
        }
        s.mass = hsp_dd_add(s.mass, more->mass);
        s.labels = hsp_dd_add(s.labels, more->labels);
        s.size += more->size;
        s.labels_size += more->labels_size;
    }
    return s;
}

/* The repair, in real numbers, that makes sum_i a_i = 0. */
static repair balance(const hsp_audit *u, const hsp_dual_sums *s) {
    repair r = {.t = {{1, 0}, {1, 0}}};
    if (u->c.intercept != HSP_CLAIM_FREE) return r;
    if (u->c.loss->shape == HSP_CLAIM_LINE) {
        if (s->mass.hi > 0) r.shift = hsp_dd_divide(s->total[0], s->mass);
        return r;
    }
    int order = hsp_dd_compare(s->total[0], s->total[1]);
    if (order == 0) return r;
    int heavy = order < 0;
    r.t[heavy] = s->total[1 - heavy].hi > 0 ? hsp_dd_divide(s->total[1 - heavy], s->total[heavy]) : hsp_dd_of(0);
    return r;
}

static void entropy_part(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    int64_t first;
    (void)scratch;
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    u->sum[part] = u->c.loss->entropies(&rows, ctx);
}

/* sum_i k_i dual(share r_i) of the repaired multipliers. *error: a bound of its error. */
static hsp_dd value(hsp_audit *u, const hsp_dual_sums *s, const repair *r, hsp_dd share, double *error) {
    if (u->c.loss->shape == HSP_CLAIM_ENTROPY) {
        hsp_dd t[2] = {hsp_dd_multiply(share, r->t[0]), hsp_dd_multiply(share, r->t[1])};
        hsp_audit_run(u, u->parts, entropy_part, t);
        hsp_dd sum = hsp_audit_total(u);
        *error = (HSP_SERIES_UNIT + hsp_audit_unit(u)) * (sum.hi + 2 * share.hi * s->size);
        return sum;
    }
    hsp_dd linear, quadratic;
    double size;
    if (u->c.loss->shape == HSP_CLAIM_LINE) {
        /* with a - shift k instead of a; shift sum k = sum a */
        linear = hsp_dd_subtract(s->linear[0], hsp_dd_multiply(r->shift, s->labels));
        quadratic = hsp_dd_multiply(r->shift, hsp_dd_times_power(s->total[0], 0.5));
        quadratic = hsp_dd_subtract(s->quadratic[0], quadratic);
        size = s->size * (1 + fabs(r->shift.hi)) + fabs(r->shift.hi) * s->labels_size + s->quadratic[0].hi;
    } else {
        bool range = u->c.loss->shape == HSP_CLAIM_RANGE;
        const hsp_dd *side = range ? s->linear : s->total; /* |a| = a y where y is -1 or +1 */
        linear = hsp_dd_add(hsp_dd_multiply(r->t[0], side[0]), hsp_dd_multiply(r->t[1], side[1]));
        quadratic = hsp_dd_add(hsp_dd_multiply(hsp_dd_square(r->t[0]), s->quadratic[0]),
                               hsp_dd_multiply(hsp_dd_square(r->t[1]), s->quadratic[1]));
        size = (range ? s->size : linear.hi) + quadratic.hi;
    }
    *error = 4 * size * hsp_audit_unit(u);
    quadratic = hsp_dd_multiply(hsp_dd_square(share), quadratic);
    return hsp_dd_subtract(hsp_dd_multiply(share, linear), quadratic);
}

int hsp_audit_bound(hsp_audit *u, int64_t k, hsp_figures *out, hsp_error **err) {
    hsp_audit_run(u, u->parts, prepare_part, NULL);
    hsp_dual_sums s = add_parts(u);
    repair r = balance(u, &s);
    hsp_dd tilt = {0, 0};
    if (u->c.intercept != HSP_CLAIM_FREE)
        tilt = u->c.loss->shape == HSP_CLAIM_LINE ? s.total[0] : hsp_dd_subtract(s.total[0], s.total[1]);
    hsp_audit_combine(u, fill_repaired, &r, k);
    hsp_pull pull = {.vanishes = true};
    int status = hsp_audit_pull(u, fill_repaired, &r, k, tilt, &pull, err);
    if (status) return status;
    /* The bound by slopes as multipliers is too low by half the squared residual. If that is too much, the spare
     * multipliers replace these, so their exact bound is not needed. */
    if (u->spare.dual && hsp_dd_value(pull.residual) > 4 * u->spare.enough * out->objective) return HSP_OK;
    double error = 0;
    hsp_dd share = hsp_audit_share(u, &pull), sum = value(u, &s, &r, share, &error);
    hsp_audit_set_bound(u, sum, error, &pull, share, out);
    return HSP_OK;
}
