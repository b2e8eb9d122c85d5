/* Names beside curves, within the panel, each where it is farthest from all other curves. */
#ifndef HSP_PLOT_CHART_LOSSES_NAMES_H
#define HSP_PLOT_CHART_LOSSES_NAMES_H

#include "plot/draw/canvas.h"
#include "plot/part/curve.h"
#include "plot/part/panel.h"

enum { HSP_CURVE_NAMES = 16 };

/* Draws the names of n curves (HSP_CURVE_NAMES at most) in the colours of their pens. */
void hsp_curve_names_within(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int64_t n);

#endif
