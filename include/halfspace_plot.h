/* halfspace_plot.h: pictures of data and models. A library of its own (libhalfspace_plot), over halfspace.h. */
#ifndef HALFSPACE_PLOT_H
#define HALFSPACE_PLOT_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws the chart `kind` ("boundary": points, regions and boundary of a model over data) to path, whose ending says how:
 * .png, .svg or .pdf. Two features are drawn: by default the first two; with more than two the others are held at their
 * means. The file appears whole or not at all. */
HSP_API int hsp_plot(const char *kind, const hsp_model *m, const hsp_data *data, const char *path, hsp_error **err);
/* The charts as a JSON list of {name, help}. */
HSP_API int hsp_plot_list(char **json, hsp_error **err);

#ifdef __cplusplus
}
#endif
#endif
