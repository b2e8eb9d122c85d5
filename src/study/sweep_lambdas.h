/* Experiments that train again and again: the options that all their fits share, the values of lambda to try, fits side by
 * side, and what the models say of rows. */
#ifndef HSP_STUDY_SWEEP_LAMBDAS_H
#define HSP_STUDY_SWEEP_LAMBDAS_H

#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"
#include "study/study.h"

/* ---- options ---- */

/* A copy of the user's options for the fits of a study: numbers to predict are for ridge when nobody chose. HSP_EINPUT
 * when the rows have neither labels nor targets. */
int hsp_study_options(const hsp_study_input *in, hsp_options **out, hsp_error **err);
/* The same for one that varies lambda: the algorithm must have one and nobody may have set it; `penalty` is the default
 * where the algorithm leaves the choice. */
int hsp_study_options_lambda(const hsp_study_input *in, const char *penalty, hsp_options **out, hsp_error **err);
/* A smaller tolerance, where nobody chose and the solver stops at it: for weights that are looked at, and those that are 0.
 */
int hsp_study_options_sharp(hsp_options *o, hsp_error **err);
/* The sum of the weights. */
double hsp_study_mass(const hsp_data *data);
/* A test part as --test says, by classes where there are such; `seed` in place of the option's when it is not negative.
 * HSP_EINPUT when a part has weight 0, or one class is left to learn from. */
int hsp_study_split(const hsp_data *data, const hsp_options *o, int64_t seed, hsp_data **train, hsp_data **test,
                    hsp_error **err);

/* ---- values of lambda ---- */

/* The lambda at which the penalty has all but silenced the data, for these rows and options. With an L1 part the least at
 * which every weight is 0, exactly; else one at which the scores spread by a tenth. Trains once. *uneven: the largest
 * standard deviation of the columns over the smallest, where they are dense and were not scaled; else 1. */
int hsp_study_top(const hsp_data *train, const hsp_options *o, int threads, double *top, double *uneven, hsp_error **err);
/* --lambdas, else `steps` of them, evenly on a logarithmic scale, from `skip` decades below the top to `decades` below it,
 * and as many more as the columns are uneven, up to `most`. Ascending, to be freed. */
typedef struct hsp_study_range {
    double skip, decades, most;
    int64_t steps;
} hsp_study_range;
int hsp_study_grid(const hsp_data *train, const hsp_options *o, int threads, hsp_study_range range, double **lambda,
                   int64_t *count, hsp_error **err);

/* ---- fits ---- */

/* Trains with this lambda, or with the options as they are when it is NaN. HSP_ECANCELLED when that was cut short, and
 * HSP_EINPUT when there is no such model: *out is then NULL. May be called by tasks of the pool. */
int hsp_study_train(const hsp_data *train, const hsp_options *o, double lambda, hsp_model **out, hsp_error **err);
/* How far a study is that calls for tasks more than once: of `all` fits so many are done. Zero but for `all` at first. */
typedef struct hsp_study_course {
    int64_t done, all;
    double begun; /* on the clock */
} hsp_study_course;
/* Calls task(ctx, i) for each i, side by side, and tells the progress hook between them. course: NULL when these are all.
 * The error of the first, by i, that failed; then the later ones may not have been called. */
int hsp_study_side_by_side(const hsp_study_input *in, int64_t tasks, int (*task)(void *ctx, int64_t i, hsp_error **err),
                           void *ctx, hsp_study_course *course, hsp_error **err);

/* ---- answers ---- */

/* What the model says of each row, and what is true: classes as the model counts them, or numbers; n each, truth may
 * be NULL. */
int hsp_study_answers(const hsp_model *m, const hsp_data *data, double *answer, double *truth, hsp_error **err);
/* The error of the model on the rows: the mean, by their weights, of squared distances, or of whether the answer is wrong.
 * HSP_EINPUT when they have weight 0. */
int hsp_study_judge(const hsp_model *m, const hsp_data *data, double *error, hsp_error **err);

/* ---- weights of many models ---- */

/* The weights of a model, of all outputs: those that are not 0, at place k d + j; or all of them, when most are not. */
typedef struct hsp_study_weights {
    int64_t outputs, d;
    int64_t count;     /* of values */
    int64_t nonzeros;  /* of weights that are not 0 */
    int64_t *place;    /* count, ascending; NULL: all of them, in order */
    double *value;     /* count */
    double *intercept; /* outputs */
    double norm;       /* |w|, of the columns as they were penalised */
    double gap;        /* relative; NaN: not known */
} hsp_study_weights;

int hsp_study_keep(const hsp_model *m, hsp_study_weights *out, hsp_error **err);
void hsp_study_forget(hsp_study_weights *w);

/* The same rows fitted for many lambdas, side by side. */
typedef struct hsp_study_sweep {
    /* to be set */
    hsp_options *o;                 /* owned */
    const hsp_data *train, *test;   /* borrowed; test: NULL when there is none */
    hsp_data *own_train, *own_test; /* owned; NULL, or the same */
    bool falling;                   /* lambda descends */
    bool chained;                   /* each fit begins where the one before ended */
    /* by hsp_study_sweep_run */
    int64_t L;
    const double *lambda;             /* L: an array of the study */
    double *train_error, *test_error; /* L each, arrays of the study; test_error: NULL without test rows */
    hsp_study_weights *kept;          /* L, owned */
    hsp_model *model;                 /* the first, for its names and units; owned */
    hsp_model *last;                  /* while it runs, of a chain; owned unless it is the first */
} hsp_study_sweep;

/* Chooses the lambdas, fits, and adds the arrays lambda, train_error and test_error to the study. Clear it in any case. */
int hsp_study_sweep_run(const hsp_study_input *in, hsp_study_sweep *w, hsp_study_range range, hsp_study *s,
                        hsp_error **err);
void hsp_study_sweep_clear(hsp_study_sweep *w);
/* Adds the arrays norm and relative_gap of the fits. */
int hsp_study_sweep_add_norms(const hsp_study_sweep *w, hsp_study *s, hsp_error **err);
/* Adds `weights` (rows x columns zeros, returned in *weights), `scale`, the units of these features, and their names. */
int hsp_study_sweep_add_features(const hsp_study_sweep *w, const int64_t *feature, int64_t count, int64_t rows,
                                 int64_t columns, hsp_study *s, double **weights, hsp_error **err);
/* The unit of feature j, 1 / factor_j: a weight times this is the weight of the scaled column. */
double hsp_study_unit(const hsp_model *m, int64_t j);
/* The `most` features of the largest weights, in units of the columns as they were penalised, over all models, the largest
 * first and of equals the first; those that are 0 throughout are left out. feature: room for `most`. Returns how many in
 * *count. m: one of the models. */
int hsp_study_largest(const hsp_study_weights *w, int64_t models, const hsp_model *m, int64_t most, int64_t *feature,
                      int64_t *count, hsp_error **err);
/* The weights of output k for these features, out[count]: 0 where none is kept. */
void hsp_study_pick(const hsp_study_weights *w, int64_t k, const int64_t *feature, int64_t count, double *out);

#endif
