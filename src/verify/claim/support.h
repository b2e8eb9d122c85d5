/* Support vectors: rows classified by their margin, slacks, and both conditions of complementary slackness. */
#ifndef HSP_VERIFY_CLAIM_SUPPORT_H
#define HSP_VERIFY_CLAIM_SUPPORT_H

#include "verify/claim/audit.h"

typedef enum hsp_support_kind { HSP_NON_SUPPORT, HSP_ON_MARGIN, HSP_BOUND } hsp_support_kind;
extern const char *const hsp_support_names[]; /* "non-support", "on-margin", "bound" */

typedef struct hsp_support {
    double tolerance; /* of the margin 1 */
    int64_t count[3]; /* rows with weight of each kind */
    int64_t vectors;  /* rows with alpha > 0; -1: no multipliers */
    double slack_sum, slack_max;
    double alpha_sum; /* NaN without multipliers, like the next two */
    double slackness, slackness_bound;
} hsp_support;

/* How close to 1 a margin must be to count as 1, given the relative gap (NaN: unknown). If the relative error of the
 * objective is e, that of the weights is about sqrt(e). */
double hsp_support_tolerance(double gap);
static inline hsp_support_kind hsp_support_of(double margin, double tolerance) {
    return margin > 1 + tolerance ? HSP_NON_SUPPORT : margin < 1 - tolerance ? HSP_BOUND : HSP_ON_MARGIN;
}
static inline double hsp_support_slack(double margin) {
    return margin < 1 ? 1 - margin : margin >= 1 ? 0 : (double)NAN;
}
/* Counts in the current problem of an audit, after hsp_audit_finish. */
void hsp_support_count(const hsp_audit *u, double gap, hsp_support *out);

#endif
