/* See line_search.h. */
#include "solve/newton/line_search.h"

#include <math.h>
#include <stdbool.h>

enum { MOST_TRIALS = 60 };

double hsp_line_search(hsp_line_at *at, const void *line, double value, double slope) {
    double flat = HSP_LINE_FLAT * -slope, low = 0, high = INFINITY, t = 1, slope_low = slope, slope_high = 0;
    int side = 0;
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        double here, F = at(line, t, &here);
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
