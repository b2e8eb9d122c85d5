/* What is said of a fit: lines while it runs, its figures on the training rows, warnings, and the report. */
#ifndef HSP_FIT_FIT_REPORT_H
#define HSP_FIT_FIT_REPORT_H

#include "base/text.h"
#include "data/data.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "model/model.h"
#include "solve/loop/stop.h"

/* A line for --verbose (log hook, level 1). */
void hsp_fit_say(const hsp_fit *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* On the training rows, by their own weights; NaN where it does not exist. */
typedef struct hsp_training_figures {
    double accuracy;
    double rmse, r2; /* regression */
} hsp_training_figures;
int hsp_fit_metrics(const hsp_fit *f, const hsp_model *m, hsp_training_figures *out, hsp_error **err);

/* The report of a fit; m NULL: there is no model. */
int hsp_fit_report(const hsp_fit *f, const hsp_model *m, const hsp_training_figures *figures, double seconds,
                   hsp_report **out, hsp_error **err);
/* The options in force, autos decided. */
int hsp_fit_options(const hsp_fit *f, hsp_report **out, hsp_error **err);
bool hsp_fit_converged(const hsp_fit *f);
/* The reason of the first problem that did not converge, else of the first. */
hsp_stop hsp_fit_stop(const hsp_fit *f);

/* What is to be said of data before anything is learnt from it, each line ended by '\n': the notes of its reading, and that
 * it has too many classes. `classes`: as the model counts them. */
void hsp_data_warn(const hsp_data *data, int64_t classes, hsp_text *t);
/* The lines, one by one, as warnings to who listens. */
void hsp_warnings_say(const hsp_text *t, const hsp_hooks *hooks);
/* Appends the warnings that the outcome calls for. */
int hsp_fit_warn(hsp_fit *f, hsp_error **err);

#endif
