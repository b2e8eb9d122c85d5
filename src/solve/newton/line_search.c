/* See line_search.h. */
#include "solve/newton/line_search.h"

#include "kernel/kernel.h"

#include <math.h>

enum { MOST_TRIALS = 60 };

hsp_line hsp_line_along(const double *w, const double *v, int64_t size, double mu, hsp_line_loss *loss, void *state) {
    return (hsp_line){.loss = loss,
                      .state = state,
                      .mu = mu,
                      .ww = hsp_dot_f64(w, w, size),
                      .wv = hsp_dot_f64(w, v, size),
                      .vv = hsp_dot_f64(v, v, size)};
}

static double value_at(const hsp_line *l, double t, double *derivative) {
    double loss = l->loss(l->state, t, derivative);
    *derivative += l->mu * (l->wv + t * l->vv);
    return loss + l->mu / 2 * (l->ww + t * (2 * l->wv + t * l->vv));
}

double hsp_line_search(const hsp_line *line, double value, double slope) {
    double flat = HSP_LINE_FLAT * -slope, low = 0, high = INFINITY, t = 1, slope_low = slope, slope_high = 0;
    int side = 0;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double here, F = value_at(line, t, &here);
        bool sound = isfinite(F) && isfinite(here);
        if (sound && fabs(here) <= flat && (here <= 0 || F <= value)) return t;
        if (sound && here <= 0) {
            low = t;
            slope_low = here;
            if (side == -1) slope_high /= 2;
            side = -1;
        } else {
            high = t;
            if (side == 1) slope_low /= 2;
            slope_high = sound ? here : INFINITY;
            side = 1;
        }
        if (high == INFINITY)
            t *= 2;
        else if (!isfinite(slope_high))
            t = (low + high) / 2;
        else
            t = low + (high - low) * slope_low / (slope_low - slope_high);
        if (!(t > low && t < high)) t = (low + high) / 2;
    }
    return low;
}
