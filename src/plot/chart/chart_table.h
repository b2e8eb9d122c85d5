/* The charts, one file each; `boundary` is a folder beside. */
#ifndef HSP_PLOT_CHART_CHART_TABLE_H
#define HSP_PLOT_CHART_CHART_TABLE_H

#include "plot/part/chart.h"

extern const hsp_chart hsp_chart_projection, hsp_chart_descent, hsp_chart_losses, hsp_chart_trace, hsp_chart_lambda,
    hsp_chart_bias_variance, hsp_chart_learning_curve, hsp_chart_path, hsp_chart_roc, hsp_chart_pr,
    hsp_chart_calibration, hsp_chart_confusion, hsp_chart_predicted, hsp_chart_residuals, hsp_chart_scores, hsp_chart_weights;

/* All charts, ended by NULL. */
extern const hsp_chart *const hsp_chart_table[];

#endif
