#include "plot/chart/residual_cloud.h"
#include "plot/draw/canvas.h"
#include "plot/part/chart.h"

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    static const hsp_residual_view view = {"Residuals", "residual", "target minus prediction", false};
    return hsp_residual_cloud_draw(in, c, &view, err);
}

const hsp_chart hsp_chart_residuals = {
    .name = "residuals",
    .help = "errors of a regression against its predictions",
    .takes = "MODEL DATA",
    .study = "residuals",
    .draw = draw,
};
