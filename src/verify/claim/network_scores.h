/* The scores and the penalty of a network in double-double, by loops of their own over its layers. */
#ifndef HSP_VERIFY_CLAIM_NETWORK_SCORES_H
#define HSP_VERIFY_CLAIM_NETWORK_SCORES_H

#include "network/network.h"
#include "verify/claim/audit.h"
#include "verify/loss/double_double.h"

/* Double-doubles of scratch for `rows` rows. */
int64_t hsp_audit_network_scratch(const hsp_network *net, int64_t rows);
/* The scores of rows first .. first + count - 1, output by output: score k of row i is g[k * step + i]. */
void hsp_audit_network(const hsp_audit *u, int64_t first, int64_t count, int64_t step, hsp_dd *g, hsp_dd *scratch);
/* Adds R = |W|^2 / 2 and |W|^2, in the units of the transformed columns. */
void hsp_audit_network_penalty(const hsp_claim *c, hsp_dd *R, hsp_dd *norm);

#endif
