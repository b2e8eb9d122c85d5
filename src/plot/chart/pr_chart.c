#include "plot/chart/rank_curves.h"
#include "plot/draw/canvas.h"
#include "plot/part/chart.h"

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    static const hsp_rank_view view = {
        .title = "Precision-recall curve",
        .x = "recall",
        .y = "precision",
        .area = "average_precision",
        .model_x = "model_recall",
        .model_y = "model_precision",
        .x_name = "recall",
        .y_name = "precision",
        .area_name = "AP",
        .area_words = "average precision",
        .steps = true,
    };
    return hsp_rank_curves_draw(in, c, &view, err);
}

const hsp_chart hsp_chart_pr = {
    .name = "pr",
    .help = "precision against recall at every threshold, with the average precision",
    .takes = "MODEL... DATA",
    .study = "pr",
    .draw = draw,
};
