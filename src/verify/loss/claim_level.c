/* Chooses the table of losses for this processor: the one compiled with fused multiply-add instructions if it has them. */
#include "verify/loss/loss_claim.h"

#include <string.h>

extern const hsp_claim_loss *const hsp_claim_table_plain[], *const hsp_claim_table_fused[];

bool hsp_claim_fused(void) {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* The hard margin, then the losses, then NULL. */
static const hsp_claim_loss *const *entries(void) {
#ifdef __x86_64__
    if (hsp_claim_fused()) return hsp_claim_table_fused;
#endif
    return hsp_claim_table_plain;
}

const hsp_claim_loss *hsp_claim_loss_find(const char *name) {
    for (const hsp_claim_loss *const *l = entries() + 1; name && *l; l++)
        if (strcmp((*l)->name, name) == 0) return *l;
    return NULL;
}

const hsp_claim_loss *hsp_claim_loss_hard(void) {
    return entries()[0];
}
