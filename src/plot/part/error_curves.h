/* Errors of models as charts show them: error rates in percent, or mean squared errors. */
#ifndef HSP_PLOT_PART_ERROR_CURVES_H
#define HSP_PLOT_PART_ERROR_CURVES_H

#include "plot/draw/canvas.h"
#include "plot/part/curve.h"

/* The name of the axis of errors, and the factor from errors to that axis: 100 for rates, 1 for squares. */
const char *hsp_errors_name(bool squared);
double hsp_errors_factor(bool squared);
/* The range of n such errors: from 0, or logarithmic for squares that differ by orders of magnitude. */
hsp_range hsp_errors_range(const double *v, int64_t n, bool squared);
/* Curves of errors, with or without dots, and their names at their ends. 0 or HSP_EMEMORY. */
int hsp_errors_curves(const hsp_panel *p, hsp_canvas *c, const hsp_curve *curve, int count, bool dots);
/* An error as text: "2.3 %", or the mean square itself; returns out, which holds HSP_NUMERAL. */
const char *hsp_errors_write(double error, bool squared, char *out);

#endif
