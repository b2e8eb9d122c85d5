/* Curves of a ranking (ROC, precision and recall) in a square with a key beside it: one for each class against the rest, or
 * one for each model. */
#ifndef HSP_PLOT_CHART_RANK_CURVES_H
#define HSP_PLOT_CHART_RANK_CURVES_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/part/chart.h"

/* How ROC differs from precision and recall. */
typedef struct hsp_rank_view {
    const char *title;
    const char *x, *y;             /* arrays of the study: points of the curves, */
    const char *area;              /* their figures, */
    const char *model_x, *model_y; /* and the points of the model's own threshold */
    const char *x_name, *y_name;   /* of the axes */
    const char *area_name;         /* short, for the key */
    const char *area_words;        /* in full */
    bool steps;                    /* y holds from the previous x to its own */
    bool roc; /* chance is the diagonal and the best corner (0, 1); else a horizontal line and (1, 1) */
} hsp_rank_view;

/* 0, HSP_EUSAGE or HSP_EMEMORY. */
int hsp_rank_curves_draw(const hsp_chart_input *in, hsp_canvas *c, const hsp_rank_view *v, hsp_error **err);

#endif
