/* The losses of rows, as answers sum them. */
#ifndef HSP_PART_ROW_LOSSES_H
#define HSP_PART_ROW_LOSSES_H

#include "loss/loss.h"

/* Of scores of one output: the loss, that of the objective (another only with a barrier), the dual of r = -slope, the slope,
 * and the curvature unless NULL. */
void hsp_row_losses(const hsp_loss *loss, const double *y, const double *g, int64_t rows, double *value, double *exact,
                    double *dual, double *slope, double *curve);

#endif
