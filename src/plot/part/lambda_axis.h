/* The axis of lambda: logarithmic and descending, so that the penalty weakens to the right; and the mark of the best value. */
#ifndef HSP_PLOT_PART_LAMBDA_AXIS_H
#define HSP_PLOT_PART_LAMBDA_AXIS_H

#include "plot/draw/canvas.h"
#include "plot/part/curve.h"

enum { HSP_LAMBDA_FEW = 10 }; /* up to this many values of lambda are drawn as dots on their curves */

/* Sets the name and the range of x from n values. */
void hsp_lambda_axis_set(hsp_panel *p, const double *lambda, int64_t n);
/* The x of the panel at which lambda is drawn: mirrored within the range. */
double hsp_lambda_axis_at(const hsp_panel *p, double lambda);
/* The same for n values, into x. */
void hsp_lambda_axis_places(const hsp_panel *p, const double *lambda, int64_t n, double *x);
/* In place of hsp_panel_axes. */
void hsp_lambda_axis_draw(const hsp_panel *p, hsp_canvas *c);
/* A dashed line down to (lambda, y), a ring there, and words above the frame, where the caller leaves space for a line. */
void hsp_lambda_axis_mark(const hsp_panel *p, hsp_canvas *c, double lambda, double y, const char *words);

#endif
