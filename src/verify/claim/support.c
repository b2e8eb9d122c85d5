#include "verify/claim/support.h"

#include "verify/loss/double_double.h"

const char *const hsp_support_names[] = {"non-support", "on-margin", "bound"};

double hsp_support_tolerance(double gap) {
    if (isnan(gap)) return 1e-2;
    return fmin(1e-2, fmax(1e-8, sqrt(fmax(gap, 0))));
}

/* Complementary slackness:
 *
 *     alpha (1 - xi - m) = 0,   xi (C c r(xi) - alpha) = 0,
 *
 * where -r is the slope of the loss: r = 1 for the hinge, 2 xi for the squared hinge. The hard margin has no slack. */
static void slackness(const hsp_audit *u, int64_t i, double margin, double slack, hsp_support *out) {
    double alpha = fabs(u->a[i]);
    hsp_dd k = hsp_claim_weight(&u->c, i);
    double first = fabs(alpha * (1 - slack - margin)), second = 0;
    double ridge = u->c.loss->ridge, r = ridge > 0 ? fmin(slack / ridge, u->c.loss->high) : u->c.loss->high;
    if (!u->c.hard) second = slack * hsp_dd_value(hsp_dd_add_double(hsp_dd_scale(k, r), -alpha));
    if (u->c.hard) first = fabs(alpha * (1 - margin));
    if (!(first <= out->slackness)) out->slackness = first;
    if (!(fabs(second) <= out->slackness_bound)) out->slackness_bound = fabs(second);
    out->vectors += alpha > 0;
}

void hsp_support_count(const hsp_audit *u, double gap, hsp_support *out) {
    hsp_dd slacks = {0, 0}, alphas = {0, 0};
    *out = (hsp_support){.tolerance = hsp_support_tolerance(gap)};
    for (int64_t i = 0; i < u->c.n; i++) {
        if (u->c.c[i] == 0) continue;
        double margin = u->y[i] * u->g[i], slack = hsp_support_slack(margin);
        out->count[hsp_support_of(margin, out->tolerance)]++;
        slacks = hsp_dd_add_double(slacks, slack);
        if (!(slack <= out->slack_max)) out->slack_max = slack;
        if (!u->a) continue;
        alphas = hsp_dd_add_double(alphas, fabs(u->a[i]));
        slackness(u, i, margin, slack, out);
    }
    out->slack_sum = hsp_dd_value(slacks);
    out->alpha_sum = hsp_dd_value(alphas);
    if (u->a) return;
    out->vectors = -1;
    out->alpha_sum = out->slackness = out->slackness_bound = NAN;
}
