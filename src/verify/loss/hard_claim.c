/* The hard margin: no loss, alpha >= 0. */
#include "verify/loss/claim_rows.h"

static hsp_dd losses(const hsp_rows_part *p, const hsp_dd *g) {
    (void)p, (void)g;
    return hsp_dd_of(0);
}

HSP_CLAIM_BOXED(INFINITY, 0)

const hsp_claim_loss HSP_CLAIM_ENTRY(hard) = {
    .name = "hard", .shape = HSP_CLAIM_BOX, .high = INFINITY, .losses = losses, .confine = confine, .sums = sums};
