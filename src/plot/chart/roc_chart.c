#include "plot/chart/rank_curves.h"
#include "plot/draw/canvas.h"
#include "plot/part/chart.h"

static int draw(const hsp_chart_input *in, hsp_canvas *c, hsp_error **err) {
    static const hsp_rank_view view = {
        .title = "ROC curve",
        .x = "fpr",
        .y = "tpr",
        .area = "auc",
        .model_x = "model_fpr",
        .model_y = "model_tpr",
        .x_name = "false positive rate",
        .y_name = "true positive rate",
        .area_name = "AUC",
        .area_words = "area under the curve",
        .roc = true,
    };
    return hsp_rank_curves_draw(in, c, &view, err);
}

const hsp_chart hsp_chart_roc = {
    .name = "roc",
    .help = "true against false positive rate at every threshold, with the area under the curve",
    .takes = "MODEL... DATA",
    .study = "roc",
    .draw = draw,
};
