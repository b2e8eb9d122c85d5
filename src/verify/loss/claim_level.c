/* Chooses the table of losses for this processor: the one with the widest vectors and fused multiply-add instructions that it
 * has. */
#include "verify/loss/loss_claim.h"

#include <string.h>

extern const hsp_claim_loss *const hsp_claim_table_plain[], *const hsp_claim_table_fused[],
    *const hsp_claim_table_wide[];

int hsp_claim_level(void) {
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
    return __builtin_cpu_supports("avx512f") ? 2 : 1;
#else
    return 0;
#endif
}

const hsp_claim_loss *const *hsp_claim_losses_of_level(int level) {
    if (level > hsp_claim_level()) return NULL;
#ifdef __x86_64__
    if (level == 1) return hsp_claim_table_fused;
    if (level == 2) return hsp_claim_table_wide;
#endif
    return hsp_claim_table_plain;
}

static const hsp_claim_loss *const *entries(void) {
    return hsp_claim_losses_of_level(hsp_claim_level());
}

const hsp_claim_loss *hsp_claim_loss_find(const char *name) {
    for (const hsp_claim_loss *const *l = entries() + 1; name && *l; l++)
        if (strcmp((*l)->name, name) == 0) return *l;
    return NULL;
}

const hsp_claim_loss *hsp_claim_loss_hard(void) {
    return entries()[0];
}
