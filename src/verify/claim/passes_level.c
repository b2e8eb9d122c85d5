/* Chooses the row passes: those with the widest vectors and fused multiply-add instructions that the processor has. */
#include "verify/claim/row_passes.h"
#include "verify/loss/loss_claim.h"

#include <stddef.h>

extern const hsp_passes hsp_passes_plain;
#ifdef __x86_64__
extern const hsp_passes hsp_passes_fused, hsp_passes_wide;
#endif

const hsp_passes *hsp_passes_of_level(int level) {
    if (level > hsp_claim_level()) return NULL;
#ifdef __x86_64__
    if (level == 1) return &hsp_passes_fused;
    if (level == 2) return &hsp_passes_wide;
#endif
    return &hsp_passes_plain;
}

const hsp_passes *hsp_passes_now(void) {
    return hsp_passes_of_level(hsp_claim_level());
}
