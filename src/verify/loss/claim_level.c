/* Which of the tables counts: that with fused multiply-adds in one instruction, where there are any. */
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

/* The hard margin, the losses, NULL. */
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
