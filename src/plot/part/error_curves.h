/* Errors of models as charts show them: shares of mistakes in percent, or mean squares. */
#ifndef HSP_PLOT_PART_ERROR_CURVES_H
#define HSP_PLOT_PART_ERROR_CURVES_H

#include "plot/draw/canvas.h"
#include "plot/part/curve.h"

/* What the axis of errors is called, and what they are multiplied by to stand there: percent, or squares as they are. */
const char *hsp_errors_name(bool squared);
double hsp_errors_factor(bool squared);
/* The range of such errors, from 0; squares that differ by orders of magnitude on a logarithmic scale. */
hsp_range hsp_errors_range(const double *v, int64_t n, bool squared);
/* Dots at the points of a curve, whole also on the edge of the frame. 0 or HSP_EMEMORY. */
int hsp_errors_dots(const hsp_panel *p, hsp_canvas *c, const hsp_curve *v);
/* Curves of errors, with dots or without, and their names at their ends. 0 or HSP_EMEMORY. */
int hsp_errors_curves(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int count, bool dots);
/* An error in words: "2.3 %", or the mean square itself; out holds HSP_NUMERAL. */
void hsp_errors_say(double error, bool squared, char *out);

#endif
