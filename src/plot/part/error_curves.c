#include "plot/part/error_curves.h"

#include "halfspace_internal.h"
#include "plot/draw/numeral.h"
#include "plot/draw/style.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FEW = 1e-8; /* of the greatest square: what is less is as good as none */

const char *hsp_errors_name(bool squared) {
    return squared ? "mean squared error" : "error (%)";
}

double hsp_errors_factor(bool squared) {
    return squared ? 1 : 100;
}

hsp_range hsp_errors_range(const double *v, int64_t n, bool squared) {
    hsp_range log = hsp_range_of(v, n, HSP_SPREAD_LOG);
    if (squared && log.hi > 100 * log.lo) return (hsp_range){fmax(log.lo, FEW * log.hi), log.hi, HSP_SPREAD_LOG};
    return hsp_range_of(v, n, HSP_SPREAD_ZERO);
}

int hsp_errors_dots(const hsp_panel *p, hsp_canvas *c, const hsp_curve *v) {
    hsp_place2 *place = hsp_alloc_zero(v->n, sizeof *place);
    int64_t n = 0;
    if (!place) return HSP_EMEMORY;
    for (int64_t i = 0; i < v->n; i++)
        if (isfinite(v->y[i])) place[n++] = hsp_panel_place(p, v->x[i], v->y[i]);
    hsp_mark mark = {.marker = HSP_MARKER_CIRCLE, .radius = 1.4 * v->pen.width, .fill = v->pen.colour, .alpha = 1};
    hsp_canvas_marks(c, place, n, &mark);
    hsp_free(place);
    return HSP_OK;
}

int hsp_errors_curves(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int count, bool dots) {
    int status = HSP_OK;
    for (int a = 0; !status && a < count; a++) status = hsp_curve_draw(p, c, &curve[a]);
    for (int a = 0; !status && dots && a < count; a++) status = hsp_errors_dots(p, c, &curve[a]);
    return status ? status : hsp_curve_name_ends(p, c, curve, count);
}

void hsp_errors_say(double error, bool squared, char *out) {
    if (!isfinite(error)) {
        snprintf(out, HSP_NUMERAL, "none");
        return;
    }
    hsp_numeral_round(squared ? error : 100 * error, squared ? 3 : error < 0.1 ? 2 : 3, out);
    if (!squared) snprintf(out + strlen(out), HSP_NUMERAL - strlen(out), "\xE2\x80\xAF%%");
}
