#include "plot/chart/chart_table.h"

#include "plot/boundary/boundary.h"

const hsp_chart *const hsp_chart_table[] = {
    &hsp_chart_boundary,
    &hsp_chart_projection,
    &hsp_chart_scores,
    &hsp_chart_weights,
    &hsp_chart_confusion,
    &hsp_chart_roc,
    &hsp_chart_pr,
    &hsp_chart_calibration,
    &hsp_chart_predicted,
    &hsp_chart_residuals,
    &hsp_chart_lambda,
    &hsp_chart_bias_variance,
    &hsp_chart_learning_curve,
    &hsp_chart_path,
    &hsp_chart_descent,
    &hsp_chart_losses,
    &hsp_chart_trace,
    NULL,
};
