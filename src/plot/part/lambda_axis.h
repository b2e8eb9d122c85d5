/* What charts over lambda share: a logarithmic axis that falls to the right, where the penalty lets go and models become
 * freer; errors as they are shown; the place of the best. */
#ifndef HSP_PLOT_PART_LAMBDA_AXIS_H
#define HSP_PLOT_PART_LAMBDA_AXIS_H

#include "plot/draw/canvas.h"
#include "plot/part/curve.h"

#include <stdbool.h>
#include <stdint.h>

enum { HSP_LAMBDA_FEW = 10 }; /* so few lambdas are seen as dots on their curves */

/* Name and range of x. */
void hsp_lambda_axis_set(hsp_panel *p, const double *lambda, int64_t n);
/* The x of the panel at which lambda stands: mirrored within the range. */
double hsp_lambda_axis_at(const hsp_panel *p, double lambda);
/* The same of n values into x. */
void hsp_lambda_axis_places(const hsp_panel *p, const double *lambda, int64_t n, double *x);
/* In place of hsp_panel_axes. */
void hsp_lambda_axis_draw(const hsp_panel *p, hsp_canvas *c);
/* A dashed line down to (lambda, y), a ring there, and words over the frame, where there must be a line of room. */
void hsp_lambda_axis_mark(const hsp_panel *p, hsp_canvas *c, double lambda, double y, const char *words);

/* ---- errors ---- */

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
