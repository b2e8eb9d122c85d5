/* Parts of the chart `projection`. */
#ifndef HSP_PLOT_CHART_PROJECTION_VIEW_H
#define HSP_PLOT_CHART_PROJECTION_VIEW_H

#include "halfspace.h"
#include "plot/draw/canvas.h"
#include "plot/part/chart.h"
#include "plot/part/panel.h"

/* ---- projection_plane.c ---- */

/* Whether the study has the plane of two features with the means of the classes. */
bool hsp_projection_has_plane(const hsp_chart_input *in);
/* Draws it into f. 0, HSP_EMEMORY, or what hsp_data_row returns. */
int hsp_projection_plane(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, hsp_error **err);

/* ---- projection_normals.c: of lda ---- */

bool hsp_projection_has_normals(const hsp_chart_input *in);
/* The density of each class over the bars of p, as the number of rows that it expects. 0 or HSP_EMEMORY. */
int hsp_projection_normals(const hsp_chart_input *in, hsp_canvas *c, const hsp_panel *p, hsp_error **err);
/* The posterior of each class in f, with the horizontal axis of `over`, which is drawn above it. */
int hsp_projection_posterior(const hsp_chart_input *in, hsp_canvas *c, hsp_area f, const hsp_panel *over, hsp_error **err);

#endif
