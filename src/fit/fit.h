/* The fit: what a classifier is to the engine, and everything that training has and gives. A classifier's `fit` sets loss,
 * penalty and solver and calls hsp_fit_solve, or computes its weights by itself; the engine poses the problems, chooses
 * the solver, has the claims certified and reports. */
#ifndef HSP_FIT_FIT_H
#define HSP_FIT_FIT_H

#include "base/json.h"
#include "base/text.h"
#include "data/data.h"
#include "design/design.h"
#include "halfspace.h"
#include "loss/loss.h"
#include "model/model.h"
#include "penalty/penalty.h"
#include "prepare/prepare.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "verify/proof/proof.h"

#include <stdbool.h>

/* What one problem of a fit came to. */
typedef struct hsp_fit_result {
    hsp_outcome outcome;
    const char *label; /* the class, for one-vs-rest */
    /* perceptron; NaN where unknown */
    double margin, radius, bound;
} hsp_fit_result;

/* Everything a fit has, and everything it gives. */
typedef struct hsp_fit {
    const struct hsp_classifier *classifier;
    const hsp_data *data;
    hsp_options *o; /* the user's, with the classifier's defaults filled in */
    const hsp_hooks *hooks;
    bool path;               /* one of several fits for falling lambda */
    const hsp_model *before; /* the one before: where a run with an L1 part begins; or NULL */
    const hsp_prepare *prepare;
    hsp_design *design;
    double begun;         /* hsp_clock_seconds() at the start */
    const int32_t *y;     /* class of each row as the model counts them; NULL for regression */
    const double *target; /* regression: the number to predict; else NULL */
    const double *c;      /* weight of each row: row weight x class weight; NULL: all 1 */
    double *class_weight; /* K, or NULL: all 1 */
    double *row_weight;   /* what c points to when the fit made it; else NULL */
    int32_t *classes;     /* what y points to when classes were merged; else NULL */
    int64_t rows;         /* those with weight */
    bool *absent;         /* K: the classes without such rows; NULL for regression */
    /* given */
    int64_t outputs;         /* 1 for two classes or regression, else K */
    double *w, *b;           /* outputs x d and outputs, in the design's units; the fit fills them */
    hsp_link link;           /* how scores become probabilities */
    hsp_fit_result *results; /* one for each problem: of each output, or the one of all outputs together */
    int64_t problems;
    bool solved;              /* results have objective, bound and gap */
    bool iterative;           /* and epochs, updates, stop reasons */
    bool certified;           /* the tolerance counts even when it was not asked for by name */
    const char *multiclass;   /* "ovr", "softmax" or NULL */
    const char *method;       /* closed forms: how it was computed, for the report's `solver`; or NULL */
    const char *details_name; /* member of the report for what only this algorithm has, e.g. "fisher"; or NULL */
    hsp_text details;         /* its value: a JSON object */
    hsp_extra extras[8];      /* arrays for the model, in original units, by the names of model.h; ... */
    int64_t extra_count;      /* ... taken over by the model */
    double *dual;             /* n x outputs: the multipliers C c_i r_ik of the best bounds; NULL: none are known */
    /* Called for each problem after its run, with the point that was kept and its multipliers r; or NULL. */
    int (*refine)(struct hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *out, hsp_error **err);
    hsp_proof *proofs;      /* one for each output: whether its classes are separable; NULL: was not asked */
    double certify_seconds; /* that took; NaN: nothing was */
    bool margins;           /* the report has the member "svm" */
    bool infeasible;        /* there is no such model: a hard margin that does not exist */
    const hsp_loss *loss;   /* NULL where there is none */
    const hsp_penalty *penalty;
    const hsp_solver *solver;
    hsp_rules rules;
    double C, lambda;  /* NaN without a penalty */
    hsp_text warnings; /* lines, each ended by '\n' */
} hsp_fit;

typedef struct hsp_classifier {
    const char *name;
    const char *help;
    const char *options;         /* the options of the groups train and run that it takes, separated by blanks */
    const char *const *defaults; /* option, value, option, value, ..., NULL; or NULL */
    const char *automatic;       /* what `auto` means here, for `list`; or NULL */
    const hsp_solver *solver;    /* for --solver auto; NULL when it needs none */
    bool two_classes;            /* no more than two */
    bool regression;             /* can predict a number, too */
    bool probabilities;          /* its scores become probabilities */
    bool lambda_auto;            /* can choose lambda by leave-one-out */
    int (*fit)(hsp_fit *f, hsp_error **err);
} hsp_classifier;

/* True when the blank-separated list has the name. */
bool hsp_classifier_takes(const hsp_classifier *c, const char *option);

/* The options of every classifier. */
#define HSP_OPTIONS_ANY "positive class-weight scale no-certificate"
/* Those of every iterative one. */
#define HSP_OPTIONS_RUN HSP_OPTIONS_ANY " intercept init keep max-epochs max-updates max-steps max-seconds learning-rate"
/* Those of the descent family besides. */
#define HSP_OPTIONS_DESCENT HSP_OPTIONS_RUN " loss penalty C lambda l1-ratio solver kink decay schedule tol"

/* The start and the end of output k of a fit that is one of several for falling lambda (fit_path.c); others are left as they
 * are. */
void hsp_fit_path_begin(const hsp_fit *f, const hsp_problem *p, int64_t k, hsp_point *point);
int hsp_fit_path_settle(const hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *o, hsp_error **err);

/* The targets of output k for the squared loss and all margins: -1 or +1, or the numbers to predict. */
void hsp_fit_targets(const hsp_fit *f, int64_t k, double *y);
/* Parses LABEL=X,... into number[classes], NaN where a class is not named; `like` shows how to write it. */
int hsp_class_numbers(const hsp_classes *classes, const char *option, const char *text, const char *like, double *number,
                      hsp_error **err);
/* Whether no row with weight is of class k: it is there by name only, and never predicted. */
bool hsp_fit_absent(const hsp_fit *f, int64_t k);
/* Sets class_weight, c, rows and absent. */
int hsp_fit_weigh(hsp_fit *f, hsp_error **err);
/* A line for --verbose (log hook, level 1). */
void hsp_fit_say(const hsp_fit *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Solves one problem for each output with f->loss, f->penalty, f->solver and f->rules. */
int hsp_fit_solve(hsp_fit *f, hsp_error **err);
/* The problem of f->loss and f->penalty with the options' intercept, C and lambda; the caller fills in y. */
int hsp_fit_pose(hsp_fit *f, int64_t outputs, hsp_problem **p, hsp_error **err);
/* Room for the multipliers of a run, in `point`, when its problem has a dual; and what they came to, as output `first` and
 * those after it of f->dual. */
int hsp_fit_dual_begin(const hsp_fit *f, const hsp_problem *p, hsp_point *point, hsp_error **err);
int hsp_fit_dual_keep(hsp_fit *f, const hsp_problem *p, hsp_point *point, int64_t first, hsp_error **err);
/* The claims of the model, made by verify; the figures of the results become those that it found. */
int hsp_fit_certify(hsp_fit *f, hsp_model *m, hsp_error **err);
/* Whether output k can be told from the rest, in f->proofs. */
int hsp_fit_separate(hsp_fit *f, int64_t k, double deadline, hsp_error **err);
bool hsp_fit_asked(const hsp_fit *f, int64_t k); /* whether that was done */
/* The member "separable" of a report; nothing when it was not asked. */
void hsp_fit_write_separable(const hsp_fit *f, hsp_json *j);
/* For --solver auto: sets f->solver and f->rules.next for problems of that many outputs, by f->loss, f->penalty, f->design
 * and f->rules.tol; and tells which (--verbose). One that was asked for may be refused. */
int hsp_fit_choose_solver(hsp_fit *f, int64_t outputs, hsp_error **err);
/* The design about its means, where dense columns lie far from 0 (else nothing is done); a free intercept does not notice.
 * Constant columns become 0, and so do their weights. hsp_fit_restore afterwards, in any case. */
typedef struct hsp_recentred {
    hsp_design *before, *design;
    double *shift, *factor;
    hsp_column_stats stats;
} hsp_recentred;
int hsp_fit_recentre(hsp_fit *f, hsp_recentred *c, hsp_error **err);
void hsp_fit_restore(hsp_fit *f, hsp_recentred *c);
/* Solves one problem of all outputs together (f->loss is of K scores). */
int hsp_fit_solve_joint(hsp_fit *f, hsp_error **err);
/* The rules from the options (the rate, decay and batch stay NaN or 0 where they are `auto`). */
void hsp_fit_rules(hsp_fit *f);
/* The loss, penalty and solver by name, with an explanation when there is none or when they do not fit. */
int hsp_fit_choose(hsp_fit *f, hsp_error **err);

/* On the training rows, by their own weights; NaN where it does not exist. */
typedef struct hsp_training_figures {
    double accuracy;
    double rmse, r2; /* regression */
} hsp_training_figures;
int hsp_fit_judge(const hsp_fit *f, const hsp_model *m, hsp_training_figures *out, hsp_error **err);
/* The report of a fit as JSON; m NULL: there is no model. */
int hsp_fit_report(const hsp_fit *f, const hsp_model *m, const hsp_training_figures *figures, double seconds, char **json,
                   hsp_error **err);
/* The options in force as a JSON object, autos decided. */
int hsp_fit_options(const hsp_fit *f, char **json, hsp_error **err);
/* Objective, bound and gap of the whole fit: sums over its problems. */
hsp_certificate hsp_fit_certificate(const hsp_fit *f);
/* What is to be said of data before anything is learnt from it, each line ended by '\n': the notes of its reading, and that
 * it has too many classes. `classes`: as the model counts them. */
void hsp_data_warn(const hsp_data *data, int64_t classes, hsp_text *t);
/* The lines, one by one, as warnings to who listens. */
void hsp_warnings_say(const hsp_text *t, const hsp_hooks *hooks);
/* Appends the warnings that the outcome calls for. */
int hsp_fit_warn(hsp_fit *f, hsp_error **err);
bool hsp_fit_converged(const hsp_fit *f);
/* The reason of the first problem that did not converge, else of the first. */
const char *hsp_fit_stop(const hsp_fit *f);

#endif
