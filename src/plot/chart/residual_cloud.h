/* What the charts `predicted` and `residuals` share: a cloud of points over the predictions of a regression, and a line where
 * the model would make no error. */
#ifndef HSP_PLOT_CHART_RESIDUAL_CLOUD_H
#define HSP_PLOT_CHART_RESIDUAL_CLOUD_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/part/chart.h"

typedef struct hsp_residual_view {
    const char *title;
    const char *array;  /* of the study: the heights of the points */
    const char *y_name; /* of the axis */
    bool diagonal;      /* no error means y = x, and both axes have the same range; else y = 0 */
} hsp_residual_view;

int hsp_residual_cloud_draw(const hsp_chart_input *in, hsp_canvas *c, const hsp_residual_view *view, hsp_error **err);

#endif
