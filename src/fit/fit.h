/* The fit: what a classifier is to the engine, and everything that training has and gives. A classifier's `fit` sets loss,
 * penalty and solver and calls hsp_fit_solve (fit_solve.h), or computes its weights by itself; the engine poses the
 * problems, chooses the solver, has the claims certified (fit_certify.h) and reports (fit_report.h). A fit is made by
 * hsp_train, is passed by pointer and never copied. */
#ifndef HSP_FIT_FIT_H
#define HSP_FIT_FIT_H

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

/* What was asked for, and the rows as solvers see them. */
typedef struct hsp_fit_job {
    const struct hsp_classifier *classifier;
    const hsp_data *data;
    hsp_options *options; /* owned: the user's, with the classifier's defaults filled in */
    const hsp_hooks *hooks;
    bool path;               /* one of several fits for falling lambda */
    const hsp_model *before; /* the one before: where a run with an L1 part begins; or NULL */
    const hsp_prepare *prepare;
    hsp_design *design; /* owned, but for the time between hsp_fit_recentre and hsp_fit_restore */
    double begun;       /* hsp_clock_seconds() at the start */
} hsp_fit_job;

/* What the rows are to be fitted to, and how much each of them counts (class_weight.h). */
typedef struct hsp_fit_rows {
    const int32_t *y;     /* class of each row as the model counts them; NULL for regression */
    const double *target; /* regression: the number to predict; else NULL */
    const double *c;      /* weight of each row: row weight x class weight; NULL: all 1 */
    double *class_weight; /* K, owned until the model takes it over; or NULL: all 1 */
    double *row_weight;   /* owned: what c points to when the fit made it; else NULL */
    int32_t *classes;     /* owned: what y points to when classes were merged; else NULL */
    int64_t count;        /* those with weight */
    bool *absent;         /* K, owned: the classes without such rows; NULL for regression */
} hsp_fit_rows;

struct hsp_fit;

/* The objective, and how it is minimised. */
typedef struct hsp_formulation {
    const hsp_loss *loss; /* of the table, or `own`; NULL where there is none */
    hsp_loss own;         /* a loss with its parameter */
    const hsp_penalty *penalty;
    const hsp_solver *solver;
    hsp_rules rules;
    double C, lambda;       /* NaN without a penalty */
    const char *multiclass; /* "ovr", "softmax" or NULL */
    bool certified;         /* the tolerance counts even when it was not asked for by name */
    /* Called for each problem after its run, with the point that was kept and its multipliers r; or NULL. */
    int (*refine)(struct hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *out, hsp_error **err);
} hsp_formulation;

/* What one problem of a fit came to. */
typedef struct hsp_fit_result {
    hsp_outcome outcome;
    const char *label; /* the class, for one-vs-rest */
    /* perceptron; NaN where unknown */
    double margin, radius, bound;
} hsp_fit_result;

/* What the fit gives. */
typedef struct hsp_solution {
    int64_t outputs;         /* 1 for two classes or regression, else K */
    double *w;               /* outputs x d, in the design's units; owned until the model takes it over */
    double *b;               /* outputs, owned */
    hsp_link link;           /* how scores become probabilities */
    hsp_fit_result *results; /* owned; one for each problem: of each output, or the one of all outputs together */
    int64_t problems;
    hsp_extra extras[8]; /* arrays for the model, in original units, by the names of model.h; ... */
    int64_t extra_count; /* ... owned until the model takes them over */
    double *dual;        /* n x outputs, owned: the multipliers C c_i r_ik of the best bounds; NULL: none are known */
    hsp_proof *proofs;   /* owned; one for each output: whether its classes are separable; NULL: was not asked */
    bool infeasible;     /* there is no such model: a hard margin that does not exist */
} hsp_solution;

/* What the report says besides. */
typedef struct hsp_fit_notes {
    bool solved;              /* results have objective, bound and gap */
    bool iterative;           /* and epochs, updates, stop reasons */
    bool margins;             /* the report has the member "svm" */
    const char *method;       /* closed forms: how it was computed, for the report's `solver`; or NULL */
    const char *details_name; /* member of the report for what only this algorithm has, e.g. "fisher"; or NULL */
    hsp_report *details;      /* owned: its value, an object */
    hsp_text warnings;        /* owned: lines, each ended by '\n' */
    double certify_seconds;   /* that took; NaN: nothing was certified */
} hsp_fit_notes;

typedef struct hsp_fit {
    hsp_fit_job job;
    hsp_fit_rows rows;
    hsp_formulation form;
    hsp_solution out;
    hsp_fit_notes notes;
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
    bool only_l2;                /* of the values of --penalty it takes l2 alone */
    int (*fit)(hsp_fit *f, hsp_error **err);
} hsp_classifier;

/* True when the blank-separated list has the name. */
bool hsp_classifier_takes(const hsp_classifier *c, const char *option);

/* The options of every classifier. */
#define HSP_OPTIONS_ANY "positive class-weight scale no-certificate"
/* Those of every iterative one. */
#define HSP_OPTIONS_RUN HSP_OPTIONS_ANY " intercept init keep max-epochs max-updates max-steps max-seconds learning-rate"
/* Those of the descent family besides. */
#define HSP_OPTIONS_DESCENT HSP_OPTIONS_RUN " loss penalty C lambda l1-ratio solver kink decay schedule tol delta"

#endif
