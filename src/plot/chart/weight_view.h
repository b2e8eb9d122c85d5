/* The two forms of the chart `weights`: bars and images. */
#ifndef HSP_PLOT_CHART_WEIGHT_VIEW_H
#define HSP_PLOT_CHART_WEIGHT_VIEW_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"

/* Everything is borrowed. */
typedef struct hsp_weights {
    const hsp_chart_input *in;
    const hsp_model *m;
    const double *w;  /* outputs x d */
    const double *b;  /* outputs */
    const double *sd; /* d: standard deviations of the features; NULL: unknown */
    int64_t outputs, d;
    double sign; /* 1; -1: positive weights favour the class whose colour is that of negative ones */
    /* of images */
    int64_t width, height;
    int64_t first; /* the number of the feature at the first pixel; -1: features are in the order of pixels */
} hsp_weights;

/* Draws the largest weights as bars; first and second: the lines below the title. 0 or HSP_EMEMORY. */
int hsp_weights_bars(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second);

/* Sets width, height and first from "WxH". Fewer features than pixels are accepted if they are called by numbers: those that
 * never occurred in an svmlight file are 0. HSP_EUSAGE: another number of features, or not a size. */
int hsp_weights_lay_image(hsp_weights *w, const char *size, hsp_error **err);
/* Draws all weights as images, one for each class, with one scale of colours. 0 or HSP_EMEMORY. */
int hsp_weights_images(const hsp_weights *w, hsp_canvas *c, const char *first, const char *second);

/* The colour of a weight that is t times the largest, -1 <= t <= 1. */
hsp_colour hsp_weights_colour(const hsp_weights *w, const hsp_style *s, double t);
/* Chooses at most `most` outputs to draw, those with the largest norms of weights, into output[most], ascending. Returns their
 * number or HSP_EMEMORY. */
int64_t hsp_weights_choose(const hsp_weights *w, int64_t *output, int64_t most);

#endif
