/* halfspace_plot.h: pictures of data, models and studies. A library of its own (libhalfspace_plot), over halfspace.h. */
#ifndef HALFSPACE_PLOT_H
#define HALFSPACE_PLOT_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A picture in the making: the kind of chart, what it is drawn from, and how. Models, data and options are borrowed: they must
 * stay until the figure is freed. */
typedef struct hsp_figure hsp_figure;

/* kind: one of hsp_plot_list. Options: theme, size, title and those of the chart; of a chart that trains, those of training.
 * HSP_EUSAGE: no such chart. */
HSP_API int hsp_figure_new(const char *kind, const hsp_options *o, hsp_figure **out, hsp_error **err);
/* Models in the order in which they are drawn; name: what to call one (copied): of a file, the folder and the ending are left
 * out. */
HSP_API int hsp_figure_add_model(hsp_figure *f, const hsp_model *m, const char *name, hsp_error **err);
/* The same with the rows as they were read for this model (hsp_data_read_for): models of other columns over one file. All
 * must have the same rows. */
HSP_API int hsp_figure_add_model_data(hsp_figure *f, const hsp_model *m, const hsp_data *data, const char *name,
                                      hsp_error **err);
/* The rows of the models that have none of their own; name: what to call them all. */
HSP_API int hsp_figure_set_data(hsp_figure *f, const hsp_data *data, const char *name, hsp_error **err);
/* A file that `train --trace` wrote. */
HSP_API int hsp_figure_add_trace(hsp_figure *f, const char *path, hsp_error **err);
/* Computes what is shown and draws it to path, whose ending says how: .png (twice as dense as the CSS pixels of the others),
 * .svg or .pdf. The same input gives the same bytes; the file appears whole or not at all. HSP_EUSAGE: models, data or traces
 * are missing, or too many. HSP_EINPUT: they do not fit together. */
HSP_API int hsp_figure_draw(hsp_figure *f, const char *path, const hsp_hooks *hooks, hsp_error **err);
/* The numbers behind the picture that was drawn: a JSON list, one entry for each study. */
HSP_API int hsp_figure_report(const hsp_figure *f, char **json, hsp_error **err);
HSP_API void hsp_figure_free(hsp_figure *f); /* NULL is allowed */

/* All of that in one call, for one model (or NULL) and one data set (or NULL). */
HSP_API int hsp_plot(const char *kind, const hsp_model *m, const hsp_data *data, const hsp_options *o, const char *path,
                     hsp_error **err);
/* The charts as a JSON list of {name, takes, help}, takes being "MODEL... DATA", "MODEL DATA", "MODEL", "DATA", "TRACE..."
 * or ""; free it with hsp_free. */
HSP_API int hsp_plot_list(char **json, hsp_error **err);

/* Trains as the options say and films it: the boundary after every update, with the row that caused it. path: .gif, .png or
 * .apng (both animated PNG), or a folder for numbered PNGs (made when it is not there). *report, to be freed: frames, updates
 * and the report of training. Options: frames, fps, theme, size and those of training. Two classes only. */
HSP_API int hsp_film(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const char *path, char **report,
                     hsp_error **err);

#ifdef __cplusplus
}
#endif
#endif
