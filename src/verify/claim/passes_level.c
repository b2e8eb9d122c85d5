/* Chooses the row passes: those with the widest vectors and fused multiply-add instructions that the processor has. */
#include "verify/claim/row_passes.h"
#include "verify/loss/loss_claim.h"

#include <stddef.h>

extern const hsp_passes hsp_passes_plain;
#ifdef __x86_64__
extern const hsp_passes hsp_passes_fused, hsp_passes_wide;
#endif

const hsp_passes *hsp_passes_of_level(int level) {
#ifdef __x86_64__
    if (level == 1) return hsp_claim_fused() ? &hsp_passes_fused : NULL;
    if (level == 2) return hsp_claim_fused() && __builtin_cpu_supports("avx512f") ? &hsp_passes_wide : NULL;
#endif
    return level == 0 ? &hsp_passes_plain : NULL;
}

const hsp_passes *hsp_passes_now(void) {
    for (int level = 2; level > 0; level--)
        if (hsp_passes_of_level(level)) return hsp_passes_of_level(level);
    return &hsp_passes_plain;
}
