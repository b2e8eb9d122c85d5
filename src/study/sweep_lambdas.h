/* Studies that train many models: the options that their fits share, the values of lambda, parallel fits, and the
 * predictions of the models. */
#ifndef HSP_STUDY_SWEEP_LAMBDAS_H
#define HSP_STUDY_SWEEP_LAMBDAS_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "study/study.h"

/* ---- options ---- */

/* Copies the user's options for the fits of a study. The default algorithm for regression is ridge. HSP_EINPUT when the
 * rows have neither labels nor targets. */
int hsp_study_options(const hsp_study_input *in, hsp_options **out, hsp_error **err);
/* The same for a study that varies lambda: the algorithm must take lambda, and the user must not have set it. `penalty` is
 * the default where the algorithm allows a choice. */
int hsp_study_options_lambda(const hsp_study_input *in, const char *penalty, hsp_options **out, hsp_error **err);
/* HSP_EUSAGE for an algorithm whose models have no weight for each feature. */
int hsp_study_needs_weights(const hsp_options *o, hsp_error **err);
/* Lowers the default tolerance of iterative solvers, for studies that show the weights and which of them are 0. */
int hsp_study_options_sharp(hsp_options *o, hsp_error **err);
/* The sum of the row weights. */
double hsp_study_mass(const hsp_data *data);
/* Splits off a test part as --test says, stratified by class. A `seed` that is not negative replaces that of the options.
 * HSP_EINPUT when a part has weight 0, or only one class is left for training. */
int hsp_study_split(const hsp_data *data, const hsp_options *o, int64_t seed, hsp_data **train, hsp_data **test,
                    hsp_error **err);

/* ---- values of lambda ---- */

/* The lambda at which the penalty dominates the loss, for these rows and options: with an L1 part exactly the smallest at
 * which every weight is 0; otherwise one at which the standard deviation of the scores is a tenth. Trains once. *uneven:
 * the ratio of the largest and the smallest standard deviation of dense columns that are not scaled; otherwise 1. */
int hsp_study_top(const hsp_data *train, const hsp_options *o, int threads, double *top, double *uneven, hsp_error **err);
/* The values of --lambdas; by default `steps` values, evenly spaced on a logarithmic scale, from `skip` to `decades`
 * decades below the top. Uneven columns extend the grid by as many decades as their scales differ, up to `most`. Ascending;
 * the caller frees them. */
typedef struct hsp_study_range {
    double skip, decades, most;
    int64_t steps;
} hsp_study_range;
int hsp_study_grid(const hsp_data *train, const hsp_options *o, int threads, hsp_study_range range, double **lambda,
                   int64_t *count, hsp_error **err);

/* ---- fits ---- */

/* Trains with this lambda, or with the options as they are when it is NaN. HSP_ECANCELLED when training was interrupted,
 * HSP_EINPUT when no such model exists; *out is then NULL. Tasks of the pool may call it. */
int hsp_study_train(const hsp_data *train, const hsp_options *o, double lambda, hsp_model **out, hsp_error **err);
/* The same with hooks, which the fit calls on the calling thread. */
int hsp_study_train_watched(const hsp_data *train, const hsp_options *o, double lambda, const hsp_hooks *hooks,
                            hsp_model **out, hsp_error **err);
/* The progress of a study that starts several batches of tasks: the number of fits done, of `all`. Starts at
 * zero except for `all`. */
typedef struct hsp_study_course {
    int64_t done, all;
    double begun; /* start time */
} hsp_study_course;
/* Calls task(ctx, i) for each i in parallel, and the progress hook in between. course: NULL when these are all fits.
 * Returns the error of the first task that failed, by i; later tasks may then not have run. */
int hsp_study_side_by_side(const hsp_study_input *in, int64_t tasks, int (*task)(void *ctx, int64_t i, hsp_error **err),
                           void *ctx, hsp_study_course *course, hsp_error **err);

/* ---- predictions ---- */

/* The prediction and the true value for each row: classes in the numbering of the model, or numbers; n each. truth may be
 * NULL. */
int hsp_study_answers(const hsp_model *m, const hsp_data *data, double *answer, double *truth, hsp_error **err);
/* The error of the model on the rows: the weighted mean squared error, or the weighted error rate. HSP_EINPUT when the rows
 * have weight 0. */
int hsp_study_evaluate(const hsp_model *m, const hsp_data *data, double *error, hsp_error **err);

/* ---- weights of many models ---- */

/* The weights of a model, for all outputs. Weight j of output k has index k d + j. Stores the non-zero weights, or all
 * weights when most are not 0. */
typedef struct hsp_study_weights {
    int64_t outputs, d;
    int64_t count;     /* stored values */
    int64_t nonzeros;  /* weights that are not 0 */
    int64_t *place;    /* count, ascending; NULL: all indices, in order */
    double *value;     /* count */
    double *intercept; /* outputs */
    double norm;       /* |w| in the units of the penalised columns */
    double gap;        /* relative; NaN: unknown */
} hsp_study_weights;

int hsp_study_keep(const hsp_model *m, hsp_study_weights *out, hsp_error **err);
void hsp_study_forget(hsp_study_weights *w);

/* Fits of the same rows for many lambdas. */
typedef struct hsp_study_sweep {
    /* set by the caller */
    hsp_options *o;                 /* owned */
    const hsp_data *train, *test;   /* borrowed; test: NULL when there is none */
    hsp_data *own_train, *own_test; /* owned; NULL, or the same as train and test */
    bool falling;                   /* lambda descends */
    bool chained;                   /* each fit is warm-started from the one before */
    /* set by hsp_study_sweep_run */
    int64_t L;
    const double *lambda;             /* L: array of the study */
    double *train_error, *test_error; /* L each, arrays of the study; test_error: NULL without test rows */
    hsp_study_weights *kept;          /* L, owned */
    hsp_model *model;                 /* the first, for its names and units; owned */
    hsp_model *last;                  /* during a warm-started run, the latest; owned unless it is the first */
} hsp_study_sweep;

/* Chooses the lambdas, trains, and adds the arrays lambda, train_error and test_error to the study. The caller clears *w in
 * any case. */
int hsp_study_sweep_run(const hsp_study_input *in, hsp_study_sweep *w, hsp_study_range range, hsp_study *s,
                        hsp_error **err);
void hsp_study_sweep_clear(hsp_study_sweep *w);
/* Adds the arrays norm and relative_gap of the fits. */
int hsp_study_sweep_add_norms(const hsp_study_sweep *w, hsp_study *s, hsp_error **err);
/* Adds `weights` (rows x columns zeros, returned in *weights), the units `scale` of these features, and their names. */
int hsp_study_sweep_add_features(const hsp_study_sweep *w, const int64_t *feature, int64_t count, int64_t rows,
                                 int64_t columns, hsp_study *s, double **weights, hsp_error **err);
/* The unit of feature j,
 *     unit_j = 1 / factor_j.
 * A weight times its unit is the weight of the scaled column. */
double hsp_study_unit(const hsp_model *m, int64_t j);
/* The `most` features with the largest weights over all models, in the units of the penalised columns. Sorted by size, then
 * by index; features whose weights are all 0 are left out. feature: capacity `most`. Returns the number in *count. m: one
 * of the models. */
int hsp_study_largest(const hsp_study_weights *w, int64_t models, const hsp_model *m, int64_t most, int64_t *feature,
                      int64_t *count, hsp_error **err);
/* Sets out[count] to the weights of output k for these features: 0 where none is stored. */
void hsp_study_pick(const hsp_study_weights *w, int64_t k, const int64_t *feature, int64_t count, double *out);

#endif
