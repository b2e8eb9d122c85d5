/* Chooses the row passes: those with fused multiply-add instructions, where the processor has them. */
#include "verify/claim/row_passes.h"
#include "verify/loss/loss_claim.h"

extern const hsp_passes hsp_passes_plain;
#ifdef __x86_64__
extern const hsp_passes hsp_passes_fused;
#endif

const hsp_passes *hsp_passes_now(void) {
#ifdef __x86_64__
    if (hsp_claim_fused()) return &hsp_passes_fused;
#endif
    return &hsp_passes_plain;
}
