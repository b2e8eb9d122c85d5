/* What charts over lambda share: a logarithmic axis that falls to the right, where the penalty lets go and models become
 * freer; the place of the best. */
#ifndef HSP_PLOT_PART_LAMBDA_AXIS_H
#define HSP_PLOT_PART_LAMBDA_AXIS_H

#include "plot/draw/canvas.h"
#include "plot/part/curve.h"

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

#endif
