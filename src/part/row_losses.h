/* The losses of rows, as answers sum them. */
#ifndef HSP_PART_ROW_LOSSES_H
#define HSP_PART_ROW_LOSSES_H

#include "loss/loss.h"

/* Of scores of one output: the loss, that of the objective (another only with a barrier), the dual of r = -slope, the slope,
 * and the curvature unless NULL. */
void hsp_row_losses(const hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value, double *exact,
                    double *dual, double *slope, double *curve);

/* The multipliers that a step predicts, of a loss of margins: at the scores g - step, where it began, minus the slope less the
 * curvature times the step, within their bounds. slope: minus them; dual: their dual. */
void hsp_row_predicted(const hsp_loss *loss, const double *y, const double *g, const double *step, int64_t rows, double *dual,
                       double *slope);
/* The curvature of the parabola that touches a loss of the margin m = y g there and has its least value at 1, in place of
 * smaller curvatures: -loss'(m) / (1 - m). Steps by it do not overshoot where a loss is straight and has none. */
void hsp_row_majorants(const double *y, const double *g, const double *slope, int64_t rows, double *curve);

#endif
