/* The losses at one level (HSP_LEVEL); claim_level.c chooses between the levels. */
#include "loss/loss_list.h"
#include "verify/loss/claim_rows.h"

#include <stddef.h>

#define ENTRY(name) &HSP_CLAIM_ENTRY(name),

extern const hsp_claim_loss *const HSP_CLAIM_NAME(hsp_claim_table, HSP_LEVEL)[];
const hsp_claim_loss *const HSP_CLAIM_NAME(hsp_claim_table, HSP_LEVEL)[] = {&HSP_CLAIM_ENTRY(hard),
                                                                            HSP_EACH_LOSS(ENTRY) NULL};
