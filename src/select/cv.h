/* Cross-validation: the parts of hsp_cross_validate (cross_validate.c). A run fits every point of a grid on every fold
 * (cv_run.c, cv_fit.c; leave-one-out in closed form: cv_exact.c); a choice compares the points (cv_choose.c); a report and a
 * file tell the result (cv_result.c, cv_predictions.c); an outer cross-validation repeats run and choice (cv_nested.c). */
#ifndef HSP_SELECT_CV_H
#define HSP_SELECT_CV_H

#include "base/text.h"
#include "data/data.h"
#include "data/folds.h"
#include "eval/metrics.h"
#include "halfspace.h"
#include "model/model.h"
#include "select/grid.h"
#include "select/interval.h"
#include "select/metric.h"

#include <pthread.h>
#include <stdatomic.h>

/* Predictions of held-out rows by the models of one point, in the order of the rows of the data, repeat after repeat. */
typedef struct hsp_cv_scores {
    hsp_model *m;        /* owned: of one fold, for what scores mean; NULL: nothing is kept yet */
    double *score;       /* rows x outputs */
    double *probability; /* rows x classes; NULL: no probabilities */
    int32_t *predicted;  /* rows; NULL: regression */
    int32_t *truth;      /* rows: the classes; NULL: regression */
} hsp_cv_scores;

/* The work of the whole call, nested runs included. */
typedef struct hsp_cv_course {
    const hsp_hooks *hooks; /* of the caller */
    hsp_hooks watch;        /* of the fits on the caller's thread */
    pthread_t caller;
    double begun, end;                /* end: when --max-seconds is over; INFINITY: no limit */
    int64_t all;                      /* fits that are planned */
    atomic_int_least64_t fits;        /* that have ended */
    atomic_int_least64_t late;        /* that --max-seconds ended before they converged */
    atomic_int_least64_t missed;      /* others that missed the tolerance */
    atomic_bool stopped, out_of_time; /* by the caller; by the limit */
    atomic_int running;
} hsp_cv_course;

/* One run: folds x points. A job is a fold of a repeat. */
typedef struct hsp_cv {
    const hsp_data *data;
    hsp_options *o; /* owned: of the fits, without the values of the grid */
    int threads;
    const hsp_metric *metric, *by; /* of the task; that decides */
    int metrics;
    const hsp_grid *grid; /* borrowed */
    hsp_folds folds;
    bool pooled; /* folds of single rows: their scores are put together before they are evaluated */
    bool exact;  /* set by the run: in closed form */
    /* results */
    int64_t jobs;          /* repeats x folds */
    int64_t parts;         /* jobs; pooled: 1 */
    double *value;         /* parts x points x metrics */
    double *gap;           /* jobs x points: relative, as the solvers measured it; NaN: unknown */
    int64_t *tested;       /* jobs: rows */
    int64_t *trained;      /* jobs: rows */
    bool *fitted;          /* jobs x points: the fit has ended, and is evaluated */
    bool *complete;        /* jobs: all points are fitted; set by the run */
    hsp_cv_scores *kept;   /* points, or NULL: scores are not kept */
    pthread_mutex_t lock;  /* of kept */
    hsp_cv_course *course; /* borrowed */
} hsp_cv;

/* The point that is best, and the one by the rule of one standard error. */
typedef struct hsp_cv_choice {
    int64_t best;
    int64_t one_se; /* -1: the grid has neither C nor lambda */
    int64_t chosen; /* -1: no fold is complete */
} hsp_cv_choice;

/* ---- cross_validate.c ---- */

/* Prepares a run over these rows: checks the options, makes the folds, and what the run fills. */
int hsp_cv_begin(hsp_cv *cv, const hsp_data *data, const hsp_options *o, const hsp_grid *grid, hsp_cv_course *course,
                 hsp_error **err);
void hsp_cv_end(hsp_cv *cv);
/* The options of a point, for training on all rows of the run. */
int hsp_cv_options(const hsp_cv *cv, int64_t point, hsp_options **out, hsp_error **err);
/* Room for the scores of all points, before the run. 0 or HSP_EMEMORY. */
int hsp_cv_keep_scores(hsp_cv *cv, hsp_error **err);
void hsp_cv_scores_clear(hsp_cv_scores *s);

/* ---- cv_run.c ---- */

/* Fits all points on all folds. Stopped by the caller or by the limit of time: HSP_OK, and some jobs are not complete. */
int hsp_cv_run(hsp_cv *cv, hsp_error **err);
bool hsp_cv_over(const hsp_cv_course *c); /* stopped, or out of time */

/* ---- cv_fit.c ---- */

/* A fold: its parts of the data, encoded by what the training part has taught. */
typedef struct hsp_cv_part {
    int64_t job;
    hsp_data *train, *test; /* owned */
    int64_t *rows;          /* owned: of the test part, in the data */
    int64_t count;
} hsp_cv_part;

int hsp_cv_part_make(const hsp_cv *cv, int64_t job, hsp_cv_part *out, hsp_error **err);
void hsp_cv_part_clear(hsp_cv_part *p);
/* Fits a point on the training part and evaluates it on the test part. Stopped: HSP_OK, and it is not among
 * those that are fitted. */
int hsp_cv_fit(hsp_cv *cv, hsp_cv_part *p, int64_t point, hsp_error **err);
/* Keeps the scores of rows of a job, and what the model says of them. */
int hsp_cv_keep(hsp_cv *cv, int64_t job, const int64_t *row, int64_t count, int64_t point, const hsp_model *m,
                const double *score, const int32_t *truth, hsp_error **err);
/* Takes the first model of a point over, without its weights. */
void hsp_cv_keep_model(hsp_cv *cv, int64_t point, hsp_model **m);
/* Fails if the metric that decides is undefined. */
int hsp_cv_check_value(const hsp_cv *cv, const hsp_model *m, int64_t job, const double *value, hsp_error **err);
/* Evaluates scores that are put together, once all of them are there. */
int hsp_cv_pool(hsp_cv *cv, int64_t point, hsp_error **err);
/* Writes the metrics of rows with scores. */
int hsp_cv_evaluate(const hsp_cv *cv, const hsp_model *m, const hsp_scored_rows *rows, double *value, hsp_error **err);
/* The errors for a fold whose training rows are all of one class (-1: there are none), and for a metric without a value. */
int hsp_cv_fail_training(const hsp_cv *cv, int64_t job, int64_t class, hsp_error **err);
int hsp_cv_fail_undefined(const hsp_cv *cv, int64_t job, hsp_error **err);
/* The progress of the fits, to the caller's hook; non-zero: stop. */
int hsp_cv_report_fit(void *user, const hsp_progress *of_fit);

/* ---- cv_shared.c ---- */

/* Fits points that differ only in C or lambda together, and sets shared[point]. */
int hsp_cv_run_shared(hsp_cv *cv, bool *shared, hsp_error **err);

/* ---- cv_exact.c ---- */

/* Leave-one-out scores of all points from one factorisation each. 1: done; 0: these options have no closed form. */
int hsp_cv_run_exact(hsp_cv *cv, hsp_error **err);

/* ---- cv_choose.c ---- */

/* A metric of a point over the complete jobs. */
hsp_fold_summary hsp_cv_summary(const hsp_cv *cv, int64_t point, int metric);
int hsp_cv_by(const hsp_cv *cv); /* the number of the metric that decides */
hsp_cv_choice hsp_cv_choose(const hsp_cv *cv, const hsp_options *o);
/* Appends a warning, a line each, for every varied number whose best value is the least or the greatest that was tried. */
void hsp_cv_warn_ends(const hsp_cv *cv, int64_t best, hsp_text *t);

/* ---- cv_nested.c ---- */

/* The result of an outer fold. */
typedef struct hsp_cv_outer {
    int64_t tested, trained, point;
    bool complete;
} hsp_cv_outer;

typedef struct hsp_cv_nested {
    int64_t folds, complete;
    hsp_cv_outer *fold; /* owned */
    double *value;      /* owned: folds x metrics */
} hsp_cv_nested;        /* {0} can be cleared */

int hsp_cv_nested_run(const hsp_cv *whole, const hsp_options *o, hsp_cv_nested *out, hsp_error **err);
void hsp_cv_nested_clear(hsp_cv_nested *n);

/* ---- cv_predictions.c ---- */

/* Writes the predictions of the held-out rows. s: of the chosen point, all repeats one after the other. */
int hsp_cv_write_predictions(const hsp_cv *cv, const hsp_cv_scores *s, const char *path, hsp_error **err);

/* ---- cv_result.c ---- */

typedef struct hsp_cv_result {
    const hsp_cv *cv;
    const hsp_options *o; /* the caller's */
    hsp_cv_choice choice;
    const hsp_cv_nested *nested; /* NULL: not asked for */
    const hsp_report *refit;     /* of training on all rows; NULL: not asked for */
    const char *predictions;     /* file that was written; NULL: none */
    const hsp_text *warnings;    /* lines */
} hsp_cv_result;

int hsp_cv_write_report(const hsp_cv_result *r, hsp_report **out, hsp_error **err);

#endif
