/* The bound for losses of K scores. The multipliers divide the mass k_i = C c_i of row i into parts u_il >= 0 of the classes l:
 *
 *     sum_l u_il = k_i,
 *     a_il = -u_il                     for classes l other than the row's own,
 *     a_il = sum of the other u_im     for the row's own class.
 *
 * A free intercept requires that each class receives the total mass of its rows. A class that receives too much returns
 * the same share of each part. The mass that a row gets back goes to the classes that received too little, in proportion
 * to their deficits. */
#include "base/error.h"
#include "base/memory.h"
#include "verify/claim/audit.h"
#include "verify/loss/double_double.h"
#include "verify/loss/exp_log.h"
#include "verify/loss/loss_claim.h"

typedef struct joint_spreading {
    hsp_dd *excess, *down, *gain; /* K: excess of class l; the share it returns; its share of the returned mass */
    double *back_hi, *back_lo;    /* n: mass that a row gets back; NULL: nothing is moved */
    hsp_dd share;                 /* of all multipliers, for L1 */
} joint_spreading;

/* ---- into the domain ---- */

static void confine_row(hsp_audit *u, int64_t i) {
    int64_t n = u->c.n, K = u->c.K, own = u->c.class[i];
    hsp_dd k = hsp_claim_weight(&u->c, i), others = {0, 0};
    double most = hsp_dd_floor(k), *a = u->a + i;
    for (int round = 0; round < 2; round++) {
        others = hsp_dd_of(0);
        for (int64_t l = 0; l < K; l++) {
            double part = -a[l * n];
            if (l == own) continue;
            part = part > 0 ? fmin(part, most) : 0;
            a[l * n] = -part;
            others = hsp_dd_add_double(others, part);
        }
        if (hsp_dd_compare(others, k) <= 0) break;
        double less = (1 - 0x1p-48) * (k.hi / others.hi); /* slightly more than the rounding of the products */
        for (int64_t l = 0; l < K; l++)
            if (l != own) a[l * n] *= less;
    }
    a[own * n] = others.hi;
    u->low[i] = others.lo;
}

static void confine_part(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    int64_t first;
    (void)ctx;
    (void)scratch;
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    for (int64_t i = 0; i < rows.count; i++) confine_row(u, first + i);
}

/* a_ik, and u_ik. */
static inline hsp_dd multiplier(const hsp_audit *u, int64_t i, int64_t k) {
    return (hsp_dd){u->a[k * u->c.n + i], u->c.class[i] == k ? u->low[i] : 0};
}
static inline hsp_dd mass(const hsp_audit *u, int64_t i, int64_t k) {
    hsp_dd a = multiplier(u, i, k);
    return u->c.class[i] == k ? hsp_dd_subtract(hsp_claim_weight(&u->c, i), a) : hsp_dd_negative(a);
}

/* ---- balance ---- */

/* The excess of class k, and (in down, temporarily) its total. */
static void weigh_class(hsp_audit *u, void *ctx, int64_t k, void *scratch) {
    joint_spreading *q = ctx;
    (void)scratch;
    hsp_dd excess = {0, 0}, all = {0, 0};
    for (int64_t i = 0; i < u->c.n; i++) {
        excess = hsp_dd_subtract(excess, multiplier(u, i, k));
        if (u->c.class[i] == k) all = hsp_dd_add(all, hsp_claim_weight(&u->c, i));
    }
    q->excess[k] = excess;
    q->down[k] = hsp_dd_add(all, excess);
}

static void find_back(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    joint_spreading *q = ctx;
    int64_t first;
    (void)scratch;
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    for (int64_t i = first; i < first + rows.count; i++) {
        hsp_dd back = {0, 0};
        for (int64_t k = 0; k < u->c.K; k++)
            if (q->down[k].hi > 0) back = hsp_dd_add(back, hsp_dd_multiply(q->down[k], mass(u, i, k)));
        q->back_hi[i] = back.hi;
        q->back_lo[i] = back.lo;
    }
}

static void balance(hsp_audit *u, joint_spreading *q) {
    hsp_dd lack = {0, 0};
    bool moved = u->c.intercept == HSP_CLAIM_FREE;
    hsp_audit_run(u, u->c.K, weigh_class, q);
    for (int64_t k = 0; k < u->c.K; k++)
        if (q->excess[k].hi < 0) lack = hsp_dd_subtract(lack, q->excess[k]);
    for (int64_t k = 0; k < u->c.K; k++) {
        bool over = moved && q->excess[k].hi > 0 && q->down[k].hi > 0;
        q->gain[k] = moved && q->excess[k].hi < 0 ? hsp_dd_divide(hsp_dd_negative(q->excess[k]), lack) : hsp_dd_of(0);
        q->down[k] = over ? hsp_dd_divide(q->excess[k], q->down[k]) : hsp_dd_of(0);
    }
    hsp_audit_run(u, u->parts, find_back, q);
}

/* The balanced a_ik. */
static hsp_dd balanced(const hsp_audit *u, const joint_spreading *q, int64_t i, int64_t k) {
    hsp_dd a = multiplier(u, i, k);
    if (q->down[k].hi > 0) return hsp_dd_add(a, hsp_dd_multiply(q->down[k], mass(u, i, k)));
    if (!(q->gain[k].hi > 0)) return a;
    return hsp_dd_subtract(a, hsp_dd_multiply(q->gain[k], (hsp_dd){q->back_hi[i], q->back_lo[i]}));
}

static void fill_balanced(const hsp_audit *u, const void *ctx, int64_t k, int64_t first, int64_t count, double *hi,
                          double *lo) {
    for (int64_t i = 0; i < count; i++) {
        hsp_dd a = u->c.c[first + i] == 0 ? hsp_dd_of(0) : balanced(u, ctx, first + i, k);
        hi[i] = a.hi;
        lo[i] = a.lo;
    }
}

/* ---- the value ---- */

static void entropy_part(hsp_audit *u, void *ctx, int64_t part, void *scratch) {
    const joint_spreading *q = ctx;
    int64_t first, K = u->c.K;
    hsp_dd *row = scratch, sum = {0, 0};
    hsp_rows_part rows = hsp_audit_rows(u, part, &first);
    for (int64_t i = first; i < first + rows.count; i++) {
        if (u->c.c[i] == 0) continue;
        hsp_dd k = hsp_claim_weight(&u->c, i);
        for (int64_t l = 0; l < K; l++) {
            hsp_dd a = hsp_dd_multiply(q->share, balanced(u, q, i, l));
            row[l] = u->c.class[i] == l ? hsp_dd_subtract(k, a) : hsp_dd_negative(a);
        }
        sum = hsp_dd_add(sum, u->c.loss->mixture(K, u->c.class[i], row, k));
    }
    u->sum[part] = sum;
}

int hsp_audit_bound_joint(hsp_audit *u, hsp_figures *out, hsp_error **err) {
    int64_t K = u->c.K, n = u->c.n > 0 ? u->c.n : 1;
    hsp_dd *sums = hsp_alloc_zero(3 * K, sizeof *sums);
    double *back = hsp_alloc_zero(2 * n, sizeof *back);
    hsp_pull pull = {.vanishes = true};
    int status = sums && back ? HSP_OK : hsp_fail_memory(err);
    joint_spreading q = {.excess = sums, .back_hi = back, .share = {1, 0}};
    if (!status) {
        q.down = sums + K;
        q.gain = sums + 2 * K;
        q.back_lo = back + n;
        status = HSP_OK;
        hsp_audit_run(u, u->parts, confine_part, NULL);
        balance(u, &q);
        for (int64_t k = 0; !status && k < u->c.K; k++) {
            hsp_dd tilt = u->c.intercept == HSP_CLAIM_FREE ? hsp_dd_of(0) : hsp_dd_negative(q.excess[k]);
            hsp_audit_combine(u, fill_balanced, &q, k);
            status = hsp_audit_pull(u, fill_balanced, &q, k, tilt, &pull, err);
        }
    }
    if (!status) {
        q.share = hsp_audit_share(u, &pull);
        hsp_audit_run(u, u->parts, entropy_part, &q);
        hsp_dd value = hsp_audit_total(u);
        double size = value.hi;
        for (int64_t i = 0; i < u->c.n; i++) size += 2 * u->a[u->c.class[i] * u -> c.n + i];
        hsp_audit_set_bound(u, value, (HSP_SERIES_UNIT + hsp_audit_unit(u)) * size, &pull, q.share, out);
    }
    HSP_FREE(sums, back);
    return status;
}
