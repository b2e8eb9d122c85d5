/* halfspace_plot.h: pictures of data and models. A library of its own (libhalfspace_plot), over halfspace.h. */
#ifndef HALFSPACE_PLOT_H
#define HALFSPACE_PLOT_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Draws the chart `kind` to path, whose ending says how: .png (twice as dense as the 960 x 640 CSS pixels of the others), .svg
 * or .pdf. The same input gives the same bytes; the file appears whole or not at all. m and data may be NULL for charts that do
 * not need them.
 *
 * "boundary": the points, coloured by class (the model's answer, when they have no labels), the misclassified ones marked; the
 * region of each class; the boundary. Of more than two features the two that matter most are drawn, the others as
 * predicted from them (least squares); a single one is drawn as a strip.
 *
 * HSP_EUSAGE: no such chart or ending, or the model or the data are missing. HSP_EINPUT: the data do not fit the model. */
HSP_API int hsp_plot(const char *kind, const hsp_model *m, const hsp_data *data, const char *path, hsp_error **err);
/* The charts as a JSON list of {name, help}; free it with hsp_free. */
HSP_API int hsp_plot_list(char **json, hsp_error **err);

#ifdef __cplusplus
}
#endif
#endif
