/* Crammer-Singer loss of K scores: the maximum over l of g_l + [l != own], less g_own; dual: the mass of the other classes. */
#include "verify/loss/claim_rows.h"

static hsp_dd many(int64_t K, int64_t own, hsp_dd *g, hsp_dd k, double *u) {
    hsp_dd most = {0, 0};
    (void)k;
    (void)u; /* never wanted: the loss has a kink */
    for (int64_t l = 0; l < K; l++) {
        if (l == own) continue;
        hsp_dd ahead = hsp_dd_add_double(hsp_dd_subtract(g[l], g[own]), 1);
        if (isnan(ahead.hi)) return hsp_dd_of(NAN);
        if (hsp_dd_compare(ahead, most) > 0) most = ahead;
    }
    return most;
}

static hsp_dd mixture(int64_t K, int64_t own, const hsp_dd *u, hsp_dd k) {
    hsp_dd sum = {0, 0};
    (void)k;
    for (int64_t l = 0; l < K; l++)
        if (l != own) sum = hsp_dd_add(sum, u[l]);
    return sum;
}

const hsp_claim_loss HSP_CLAIM_ENTRY(crammer_singer) = {
    .name = "crammer-singer", .shape = HSP_CLAIM_SIMPLEX, .kinked = true, .many = many, .mixture = mixture};
