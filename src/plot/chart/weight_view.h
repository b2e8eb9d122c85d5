/* The two ways to draw the weights of a model. */
#ifndef HSP_PLOT_CHART_WEIGHT_VIEW_H
#define HSP_PLOT_CHART_WEIGHT_VIEW_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"

typedef struct hsp_weights {
    const hsp_chart_input *in;
    const hsp_model *m;
    const double *w; /* outputs x d */
    const double *b; /* outputs */
    int64_t outputs, d;
    double sign; /* 1, or -1 where positive weights speak for the class whose colour is that of negative ones */
    /* of images */
    int64_t width, height;
    int64_t first; /* the number of the feature that is the first pixel; -1: they are taken as they come */
} hsp_weights;

/* The largest weights as bars; first and second stand under the title. */
int hsp_weights_bars(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second, hsp_error **err);

/* Sets width, height and first from "WxH"; HSP_EUSAGE when the features are not so many. Fewer are taken when they are
 * numbers: those that never occurred in an svmlight file count as 0. */
int hsp_weights_lay_image(hsp_weights *w, const char *size, hsp_error **err);
/* All weights as images, one for each class, with one scale of colours. */
int hsp_weights_images(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second, hsp_error **err);

/* The colour of a weight, t in [-1, 1] being its share of the largest. */
hsp_colour hsp_weights_colour(const hsp_weights *w, const hsp_style *s, double t);
/* The outputs to draw when there is room for `most` only: those of the longest weights, in their order. Returns how many.
 */
int64_t hsp_weights_choose(const hsp_weights *w, int64_t *output, int64_t most, hsp_error **err);

#endif
