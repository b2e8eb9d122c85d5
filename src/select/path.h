/* Regularisation paths: the optima of one objective for a decreasing sequence of lambda, over one copy of the data, each
 * warm-started from the one before.
 *
 *     path_form.c    from the user's options to a loss, a penalty and the classifier that poses the problem
 *     path_grid.c    the largest lambda that matters, and the values of the sequence
 *     path_sweep.c   the optima on one set of rows
 *     path_folds.c   the same on the training rows of each fold, evaluated on the others
 *     path_report.c  the report */
#ifndef HSP_SELECT_PATH_H
#define HSP_SELECT_PATH_H

#include "data/data.h"
#include "data/folds.h"
#include "fit/fit.h"
#include "halfspace.h"
#include "model/model.h"
#include "problem/problem.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HSP_PATH_MOST = 1000, HSP_PATH_STEPS = 100 };

/* Optima in the units of the original columns. All arrays are owned. */
typedef struct hsp_path_points {
    int64_t count, capacity, d; /* points; room for so many; features */
    double *lambda, *objective, *gap, *intercept;
    int64_t *start;  /* capacity + 1: where the weights of a point begin */
    int64_t *column; /* of each weight that is not 0, ascending in a point */
    double *value;
    int64_t stored, room; /* weights, and room for so many */
} hsp_path_points;

int hsp_path_points_new(int64_t capacity, int64_t d, hsp_path_points *out, hsp_error **err);
void hsp_path_points_clear(hsp_path_points *p);
/* Writes d weights. */
void hsp_path_points_weights(const hsp_path_points *p, int64_t i, double *w);

/* One sweep: the job and the result of a fit by hsp_classifier_path, whose hsp_fit_job.context it is. */
typedef struct hsp_path_sweep {
    /* set by the caller */
    const double *lambda; /* count values, decreasing; NULL: chosen from these rows */
    int64_t count;
    double deadline;                                         /* hsp_clock_seconds() at which to stop; INFINITY: never */
    bool (*after)(void *ctx, const hsp_path_points *points); /* after each point; true: stop. NULL: nothing */
    void *ctx;
    /* set by the fit; the caller clears them */
    hsp_path_points points;
    double *chosen; /* owned: the values, when they were chosen */
    const char *loss, *penalty;
    double rho, tol;
    bool regression;
    bool interrupted, late; /* by a request, or by the deadline: fewer points than values */
} hsp_path_sweep;

void hsp_path_sweep_clear(hsp_path_sweep *w);
/* Runs a sweep over the rows. The model, which the caller frees, encodes and scores other rows: it has the last weights. */
int hsp_path_sweep_run(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_path_sweep *w,
                       hsp_model **model, hsp_error **err);
/* The classifier of the sweeps; it is not in the table. */
extern const hsp_classifier hsp_classifier_path;
/* The sweep itself, of a problem with its targets. */
int hsp_path_solve(hsp_path_sweep *w, hsp_fit *f, hsp_problem *p, hsp_error **err);

/* Copies the options, with loss and penalty set from the algorithm if one is given. HSP_EUSAGE for what does not fit. */
int hsp_path_options(const hsp_data *data, const hsp_options *o, hsp_options **out, hsp_error **err);

/* The values of --lambdas and --steps, decreasing, or those from the top of this problem down; the caller frees them. */
int hsp_path_grid(hsp_problem *p, const hsp_options *o, double **lambda, int64_t *count, hsp_error **err);
/* The largest lambda that matters: see path_grid.c. */
int hsp_path_top(hsp_problem *p, double *top, hsp_error **err);

/* Progress of all sweeps of a path: points done, on any thread. */
typedef struct hsp_path_meter {
    const hsp_hooks *hooks;
    pthread_t caller; /* the thread that may call hooks */
    atomic_int_least64_t done;
    int64_t all, folds;
    double begun;
} hsp_path_meter;
/* Counts a point; true: the hook asks to stop. */
bool hsp_path_meter_count(hsp_path_meter *m);

/* Cross-validation of the points. Arrays are owned. */
typedef struct hsp_path_scores {
    const char *metric, *title; /* in reports and in text; NULL: no folds, or they were not completed */
    int64_t folds;
    double *mean, *sd, *value; /* points, points, and points x folds */
    int64_t best, one_se;      /* indices of points */
    bool larger_is_better;
    bool late; /* stopped by the deadline */
} hsp_path_scores;
/* HSP_OK without a metric: interrupted. */
int hsp_path_validate(const hsp_data *data, const hsp_options *o, const hsp_path_sweep *whole, const hsp_folds *folds,
                      hsp_path_meter *meter, hsp_path_scores *out, hsp_error **err);
void hsp_path_scores_clear(hsp_path_scores *s);

/* The whole. */
typedef struct hsp_path_result {
    hsp_path_sweep sweep;
    hsp_path_scores scores;
    hsp_model *model; /* with the last weights */
    bool unfinished;  /* interrupted: fewer points, or no scores */
    double seconds;
} hsp_path_result;
int hsp_path_run(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_path_result *out, hsp_error **err);
void hsp_path_result_clear(hsp_path_result *r);
int hsp_path_report(const hsp_data *data, const hsp_path_result *r, hsp_report **report, hsp_error **err);

#endif
