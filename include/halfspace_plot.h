/* halfspace_plot.h: pictures of data, models and studies, films of training, and reports as pages. A library of its own
 * (libhalfspace_plot) over halfspace.h, so that a program that draws nothing does not load Cairo.
 *
 * Errors.   As in halfspace.h: 0 (HSP_OK) or a negative hsp_status, and a new hsp_error in *err, which may be NULL. Every
 *           function that can fail may return HSP_EMEMORY; what else it returns is said at the function. After a failure
 *           every `out` is NULL, and a figure is what it was before the call.
 * Memory.   A `T **out` is the caller's to free. A figure borrows its options, models and data: they must stay, unchanged,
 *           until it is freed. It copies names and paths. Other arguments are used during the call only.
 * Threads.  Different figures may be used at the same time in different threads, over the same models, data and options. One
 *           figure may be used by one thread at a time; only hsp_figure_report may run beside itself on the same figure.
 *           hsp_plot, hsp_plot_list and hsp_film may run at the same time in different threads, to different paths. Charts and
 *           films that train do so as hsp_train does, with its threads and its hooks; hsp_cancel stops one running call.
 * Files.    A file appears whole or not at all, in place of an older one. The same input gives the same bytes with the same
 *           versions of Cairo, Pango and the fonts.
 */
#ifndef HALFSPACE_PLOT_H
#define HALFSPACE_PLOT_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

/* A picture under construction: the kind of chart, its models, data or traces, and its options. More may be added after it was
 * drawn; the next drawing then runs its studies again. */
typedef struct hsp_figure hsp_figure;

/* A figure without models, data and traces. kind: a name of hsp_plot_list. o: theme, size, title, the options of the chart and,
 * for a chart that trains, those of hsp_train; borrowed; NULL: all defaults. *out: free it with hsp_figure_free. HSP_EUSAGE: no
 * such chart, or a size out of range. */
HSP_API int hsp_figure_new(const char *kind, const hsp_options *o, hsp_figure **out, hsp_error **err);
/* Adds a model (borrowed, not NULL), drawn in the order of adding; its rows are those of hsp_figure_set_data. name: for keys
 * and titles, copied without folder and ending (a path may be given); NULL: "". */
HSP_API int hsp_figure_add_model(hsp_figure *f, const hsp_model *m, const char *name, hsp_error **err);
/* The same with the rows as read for this model (hsp_data_read_for; borrowed): for models with different columns over one file.
 * All must have the same number of rows. data NULL: as hsp_figure_add_model. */
HSP_API int hsp_figure_add_model_data(hsp_figure *f, const hsp_model *m, const hsp_data *data, const char *name,
                                      hsp_error **err);
/* Sets the rows (borrowed) of charts without a model, and of the models that were added without rows; replaces those of an
 * earlier call; NULL: none. name: of the data in captions, copied as it is; NULL: "". */
HSP_API int hsp_figure_set_data(hsp_figure *f, const hsp_data *data, const char *name, hsp_error **err);
/* Reads a file that `train --trace` wrote and adds it; its name in keys is that of the file, without folder and ending. Returns
 * what hsp_study_read_trace does: HSP_EINPUT for a file that is not a trace, and the statuses of a file that cannot be read. */
HSP_API int hsp_figure_add_trace(hsp_figure *f, const char *path, hsp_error **err);
/* Runs the studies of the chart, unless an earlier call has, and draws them to path, whose ending chooses the kind of file:
 * .png (two pixels for each CSS pixel), .svg or .pdf. May be called again, for other files. hooks: of the studies; may be NULL.
 *
 *     HSP_EUSAGE      another ending or no path; models, data or traces are missing or too many; an option that the chart does
 *                     not use; models that cannot share a picture
 *     HSP_EINPUT      models, data or traces that do not fit together, or have nothing to draw
 *     HSP_EIO         the file cannot be written
 *     HSP_ECANCELLED  a hook or hsp_cancel stopped a study
 *     HSP_EINTERNAL   a bug, here or in Cairo
 */
HSP_API int hsp_figure_draw(hsp_figure *f, const char *path, const hsp_hooks *hooks, hsp_error **err);
/* The numbers behind the picture: a list of the studies that hsp_figure_draw has run (docs/studies.md), empty before it;
 * of the chart "trace" one for each trace that was added. Free *out with hsp_report_free. */
HSP_API int hsp_figure_report(const hsp_figure *f, hsp_report **out, hsp_error **err);
/* Frees the figure and what it copied, not what it borrowed. NULL is allowed. */
HSP_API void hsp_figure_free(hsp_figure *f);

/* hsp_figure_new, the model m (NULL: none), the data (NULL: none) and hsp_figure_draw in one call, without hooks. Returns what
 * they do; nothing is borrowed after it. */
HSP_API int hsp_plot(const char *kind, const hsp_model *m, const hsp_data *data, const hsp_options *o, const char *path,
                     hsp_error **err);
/* The charts: a list of {name, takes, options, help}, where takes is "MODEL... DATA", "MODEL DATA", "MODEL", "DATA", "TRACE..."
 * or "" (three dots: one or more), and options are those beyond reading and pictures: --NAME, or groups. Free *out with
 * hsp_report_free. */
HSP_API int hsp_plot_list(hsp_report **out, hsp_error **err);

/* ---- films ------------------------------------------------------------------------------------------------------- */

/* Trains on data of two classes as the options say, twice with the same result, and films it: the boundary after each update,
 * or after a choice of them, with the row that caused it. Options: algorithm (perceptron, sgd, minibatch, gradient-descent or
 * svm; default: perceptron), frames, fps, theme, size, title, x, y, plane and those of training.
 *
 * path: .gif, .png or .apng (both animated PNG), or a folder for frame-0001.png and so on, which is created if its parent
 * exists. A folder gets its pictures one by one: those that were written stay after a failure, and older ones of the same
 * names are replaced.
 *
 * hooks: progress and log are called during the first of the two runs, update never; may be NULL.
 *
 * *report: rows, features, frames, updates, format, width and height (pixels), train_seconds, and training, the report of
 * hsp_train; free it with hsp_report_free. report may be NULL.
 *
 *     HSP_EUSAGE      an algorithm or solver without single updates; more than two classes without the option positive, or
 *                     numbers to predict; a path without a known ending; a size out of range
 *     HSP_EINPUT      data that cannot be trained on
 *     HSP_EIO         a file or the folder cannot be written
 *     HSP_ECANCELLED  a hook or hsp_cancel stopped it: no film is written
 *     HSP_EINTERNAL   a bug
 */
HSP_API int hsp_film(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const char *path, hsp_report **report,
                     hsp_error **err);

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Inspects data, compares algorithms, trains the best one (or that of the option algorithm) and writes all of it as one HTML
 * page that needs no other file, no script and no network: what was read and assumed, findings with remedies, the model with
 * its certificate, metrics and charts, weights, commands to go on with. The rows are split once (options test and seed; classes
 * in equal proportions): everything is chosen and fitted on the training part, and all metrics and charts are of the rows
 * held out. Names are escaped, and what could not be seen in them is written out.
 *
 * o: title, test, model and those of reading and training; NULL: all defaults. model names a file for a model of all rows.
 * max-seconds bounds the whole. path: .html or .htm, or "-" for stdout. The same input gives the same bytes on the same day;
 * with SOURCE_DATE_EPOCH in the environment on every day (the times of fits are left out then).
 *
 * *report: rows, features, task, algorithm, findings, holdout (the metrics) and more: docs/reports.md; free it with
 * hsp_report_free. report may be NULL.
 *
 *     HSP_EUSAGE      no path or one with another ending; an option that does not suit the data; a split with an empty part
 *     HSP_EINPUT      data without a column to predict, or that cannot be trained on
 *     HSP_EIO         a file cannot be written
 *     HSP_ECANCELLED  a hook or hsp_cancel stopped it: no page is written
 *     HSP_EINTERNAL   a bug
 */
HSP_API int hsp_plot_page(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const char *path,
                          hsp_report **report, hsp_error **err);

#ifdef __cplusplus
}
#endif
#endif
