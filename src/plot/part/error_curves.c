#include "plot/part/error_curves.h"

#include "halfspace_internal.h"
#include "plot/draw/numeral.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double negligible = 1e-8; /* share of the greatest square below which the axis does not go */

const char *hsp_errors_name(bool squared) {
    return squared ? "mean squared error" : "error (%)";
}

double hsp_errors_factor(bool squared) {
    return squared ? 1 : 100;
}

hsp_range hsp_errors_range(const double *v, int64_t n, bool squared) {
    hsp_range log = hsp_range_of(v, n, HSP_SPREAD_LOG);
    if (squared && log.hi > 100 * log.lo) return (hsp_range){fmax(log.lo, negligible * log.hi), log.hi, HSP_SPREAD_LOG};
    return hsp_range_of(v, n, HSP_SPREAD_ZERO);
}

int hsp_errors_curves(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int count, bool dots) {
    int status = HSP_OK;
    for (int a = 0; !status && a < count; a++) status = hsp_curve_draw(p, c, &curve[a]);
    for (int a = 0; !status && dots && a < count; a++) status = hsp_curve_dots(p, c, &curve[a]);
    return status ? status : hsp_curve_name_ends(p, c, curve, count);
}

const char *hsp_errors_write(double error, bool squared, char *out) {
    if (!isfinite(error)) {
        snprintf(out, HSP_NUMERAL, "none");
        return out;
    }
    hsp_numeral_round(squared ? error : 100 * error, squared ? 3 : error < 0.1 ? 2 : 3, out);
    if (!squared) snprintf(out + strlen(out), HSP_NUMERAL - strlen(out), "\xE2\x80\xAF%%");
    return out;
}
