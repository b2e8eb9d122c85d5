/* The output of a fit: progress lines, training error, warnings and the report. */
#ifndef HSP_FIT_FIT_REPORT_H
#define HSP_FIT_FIT_REPORT_H

#include "base/text.h"
#include "data/data.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "loss/loss_sums.h"
#include "model/model.h"
#include "solve/loop/stop.h"

/* Logs a line for --verbose (log hook, level 1). */
void hsp_fit_log(const hsp_fit *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Figures on the training set, weighted by the row weights; NaN where undefined. */
typedef struct hsp_training_figures {
    double accuracy;
    double mass;          /* sum of the row weights */
    hsp_loss_sums losses; /* two classes */
    double mse, rmse, r2; /* regression */
} hsp_training_figures;
/* They are computed in three steps: the rows are scored in any number of parts, in their order, or all at once. */
typedef struct hsp_fit_scoring hsp_fit_scoring;
int hsp_fit_scoring_new(const hsp_fit *f, const hsp_model *m, hsp_fit_scoring **out, hsp_error **err);
void hsp_fit_scoring_rows(hsp_fit_scoring *s, int64_t from, int64_t to);
void hsp_fit_scoring_all(hsp_fit_scoring *s); /* on all threads */
void hsp_fit_scoring_end(hsp_fit_scoring *s, hsp_training_figures *out);
void hsp_fit_scoring_free(hsp_fit_scoring *s); /* NULL is allowed; after a failure of the first, too */

/* The report of a fit; m NULL: there is no model. seconds NaN: for a model file, without times and losses. */
int hsp_fit_report(const hsp_fit *f, const hsp_model *m, const hsp_training_figures *figures, double seconds,
                   hsp_report **out, hsp_error **err);
/* The options in force, with `auto` replaced by the value chosen. */
int hsp_fit_options(const hsp_fit *f, hsp_report **out, hsp_error **err);
bool hsp_fit_converged(const hsp_fit *f);
/* The stop reason of the first problem that did not converge, an interrupted one before others; else of the first problem. */
hsp_stop hsp_fit_stop(const hsp_fit *f);
/* After an interrupt: the number of problems whose gap is unknown or above ten times the tolerance. -1: no interrupt. */
int64_t hsp_fit_unfitted(const hsp_fit *f);

/* Appends the warnings about the data, each ending in '\n', before the fit starts: the notes of the reader, and labels that
 * differ only in case, unless the options have merged the classes. */
void hsp_data_warn(const hsp_data *data, bool merged, hsp_text *t);
/* Passes the lines to the hooks, one by one, as warnings. */
void hsp_warnings_log(const hsp_text *t, const hsp_hooks *hooks);
/* Appends the warnings that the outcome requires. */
int hsp_fit_warn(hsp_fit *f, hsp_error **err);

#endif
