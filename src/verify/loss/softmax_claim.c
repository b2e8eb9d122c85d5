/* Softmax loss of K scores: log sum_l exp(g_l) - g_own; dual k times the entropy of the shares u / k. */
#include "verify/loss/claim_rows.h"
#include "verify/loss/exp_log.h"

static hsp_dd many(int64_t K, int64_t own, hsp_dd *g, hsp_dd k, double *u) {
    hsp_dd base = g[own], top = {0, 0}, sum = {0, 0}, others = {0, 0};
    for (int64_t l = 0; l < K; l++) {
        g[l] = hsp_dd_subtract(g[l], base);
        if (g[l].hi > top.hi) top = g[l];
    }
    for (int64_t l = 0; l < K; l++) {
        g[l] = hsp_dd_exp(hsp_dd_subtract(g[l], top));
        sum = hsp_dd_add(sum, g[l]);
    }
    hsp_dd share = u ? hsp_dd_divide(k, sum) : sum;
    for (int64_t l = 0; u && l < K; l++) {
        if (l == own) continue;
        u[l] = hsp_dd_value(hsp_dd_multiply(share, g[l]));
        others = hsp_dd_add_double(others, u[l]);
    }
    if (u) u[own] = hsp_dd_value(others);
    return hsp_dd_add(top, hsp_dd_log(sum));
}

/* log(u / k); by log1p if u is more than half of k, which avoids cancellation. */
static inline hsp_dd share_log(hsp_dd u, hsp_dd k) {
    if (2 * u.hi < k.hi) return hsp_dd_log(hsp_dd_of(u.hi / k.hi));
    return hsp_dd_log1p(hsp_dd_of(-hsp_dd_subtract(k, u).hi / k.hi));
}

static hsp_dd mixture(int64_t K, int64_t own, const hsp_dd *u, hsp_dd k) {
    hsp_dd sum = {0, 0};
    (void)own;
    for (int64_t l = 0; l < K; l++)
        if (u[l].hi > 1e-280) sum = hsp_dd_subtract(sum, hsp_dd_multiply(u[l], share_log(u[l], k)));
    return sum;
}

const hsp_claim_loss HSP_CLAIM_ENTRY(softmax) = {
    .name = "softmax", .shape = HSP_CLAIM_SIMPLEX, .endless = true, .many = many, .mixture = mixture};
