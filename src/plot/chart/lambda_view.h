/* What the two panels of the chart `lambda` share. */
#ifndef HSP_PLOT_CHART_LAMBDA_VIEW_H
#define HSP_PLOT_CHART_LAMBDA_VIEW_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/draw/style.h"
#include "plot/part/chart.h"

enum { HSP_LAMBDA_CHOSEN = 5 };

typedef struct hsp_lambda_view {
    const hsp_report *s;
    int64_t L, outputs, F, best; /* lambdas; outputs; features in `weights`; the lambda of the least test error */
    bool squared, scaled;
    /* arrays of the study */
    const double *lambda, *train, *test; /* L, lambda ascending */
    const double *weights;               /* L x outputs F, original units */
    const double *intercepts;            /* L x outputs */
    const double *scale;                 /* F: weights times this are those that were penalised */
    double above;                        /* height above the frames of both panels */
    int64_t chosen[HSP_LAMBDA_CHOSEN];   /* the lambdas whose boundaries are drawn, ascending */
    int64_t chosen_count;
} hsp_lambda_view;

/* The colour of the k-th chosen lambda. */
hsp_colour hsp_lambda_colour(const hsp_lambda_view *v, const hsp_style *s, int64_t k);

/* Draws the title of a panel in f, from x on. */
void hsp_lambda_title(hsp_canvas *c, hsp_area f, double x, const char *title);

/* The chosen lambdas in their colours, after these words, in the line above a frame. */
void hsp_lambda_key(const hsp_lambda_view *v, hsp_canvas *c, hsp_area frame, const char *words);

/* Draws the points and the lines of a few lambdas of a regression on one feature, as hsp_lambda_boundaries does. */
int hsp_lambda_lines(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_lambda_view *v, hsp_error **err);

/* Draws the points of two features and the boundaries of a few lambdas, which it puts into v->chosen. The data are those of
 * the study. 0, HSP_EMEMORY, or what hsp_data_row returns. */
int hsp_lambda_boundaries(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_lambda_view *v, hsp_error **err);

#endif
