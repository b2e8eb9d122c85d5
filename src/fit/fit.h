/* The fit: the interface of a classifier to the engine, and all inputs and results of training. A classifier's `fit` sets
 * loss, penalty and solver and calls hsp_fit_solve (fit_solve.h), or computes the weights itself. The engine poses the
 * problems, chooses the solver, certifies the claims (fit_certify.h) and writes the report (fit_report.h). hsp_train
 * creates a fit; it is passed by pointer and never copied. */
#ifndef HSP_FIT_FIT_H
#define HSP_FIT_FIT_H

#include "base/text.h"
#include "data/data.h"
#include "design/design.h"
#include "halfspace.h"
#include "loss/loss.h"
#include "model/model.h"
#include "moments/class_moments.h"
#include "network/network.h"
#include "penalty/penalty.h"
#include "prepare/prepare.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "verify/proof/proof.h"

/* What is known of a plain fit, whose model has no claims, report, hash or training error. */
typedef struct hsp_plain_fit {
    double relative_gap;     /* as the solver measured it; NaN: unknown */
    bool missed;             /* the tolerance */
    const char *stop_reason; /* static */
} hsp_plain_fit;

/* The request, and the rows as solvers see them. */
typedef struct hsp_fit_job {
    const struct hsp_classifier *classifier;
    const hsp_data *data;
    hsp_options *options; /* owned: the user's, with the classifier's defaults filled in */
    const hsp_hooks *hooks;
    hsp_plain_fit *plain;    /* borrowed: only a model to score with is wanted; NULL: all of it */
    bool fold;               /* a fit of one fold, whose model gets no calibration and no decision rule */
    void *context;           /* borrowed: of hsp_train_special, else NULL */
    bool path;               /* one of several fits with decreasing lambda */
    const hsp_model *before; /* the previous fit of the path, the warm start with an L1 penalty; or NULL */
    const hsp_model *start;  /* of a warm start (fit_warm.h); or NULL */
    bool same_rows;          /* its multipliers are of these rows */
    bool update;             /* one pass of an update rule, which continues the start (fit_update.h) */
    struct hsp_running_average *average; /* borrowed: of the weights of all passes; NULL: the last ones are kept alone */
    const hsp_prepare *prepare;
    const struct hsp_given_moments *moments; /* of a fit over parts: in place of the rows; NULL: the rows are here */
    hsp_design *design; /* owned, except between hsp_fit_recentre and hsp_fit_restore */
    double begun;       /* hsp_clock_seconds() at the start */
} hsp_fit_job;

/* Targets and weights of the rows (class_weight.h). */
typedef struct hsp_fit_rows {
    const int32_t *y;     /* class of each row, in the model's numbering; NULL for regression */
    const double *target; /* regression: the target values; else NULL */
    const double *c;      /* weight of each row: row weight x class weight; NULL: all 1 */
    double *class_weight; /* K, owned until the model takes it; or NULL: all 1 */
    double *row_weight;   /* owned: the array behind c if the fit made it; else NULL */
    int32_t *classes;     /* owned: the array behind y if classes were merged; else NULL */
    int64_t count;        /* rows of positive weight */
    bool *absent;         /* K, owned: true for classes without such rows; NULL for regression */
} hsp_fit_rows;

struct hsp_fit;

/* The objective and the method that minimises it. */
typedef struct hsp_formulation {
    const hsp_loss *loss; /* from the table, or &own; NULL: no loss */
    hsp_loss own;         /* a loss with its parameter set */
    const hsp_penalty *penalty;
    const hsp_solver *solver;
    hsp_rules rules;
    double *start;          /* owned: the numbers of --init behind rules.given; or NULL */
    double C, lambda;       /* NaN without a penalty */
    const char *multiclass; /* "ovr", "softmax", "crammer-singer" or NULL */
    bool certified;         /* the tolerance applies even if the user did not set it */
    /* Called for each problem after its run, with the point that was kept and its multipliers r; or NULL. */
    int (*refine)(struct hsp_fit *f, hsp_problem *p, hsp_point *point, hsp_outcome *out, hsp_error **err);
} hsp_formulation;

/* The result of one problem of a fit. */
typedef struct hsp_fit_result {
    hsp_outcome outcome;
    const char *label; /* the class, for one-vs-rest */
    /* perceptron only; NaN where unknown */
    double margin, geometric, radius, bound;
} hsp_fit_result;

/* The result of the fit. */
typedef struct hsp_solution {
    int64_t outputs;         /* 1 for two classes or regression, else K */
    double *w;               /* outputs x d, in the design's units; owned until the model takes it */
    double *b;               /* outputs, owned */
    hsp_network *network;    /* over the stored columns, owned until the model takes it; NULL: w and b are the result */
    hsp_link link;           /* maps scores to probabilities */
    hsp_fit_result *results; /* owned; one for each problem: one for each output, or a single joint one */
    int64_t problems;
    hsp_extra extras[8];    /* arrays for the model, in original units, with the names of model.h; ... */
    int64_t extra_count;    /* ... owned until the model takes them */
    double *dual;           /* n x outputs, owned: the multipliers C c_i r_ik of the best bounds; NULL: unknown */
    hsp_proof *proofs;      /* owned; one for each output: are its classes separable? NULL: not tested */
    bool infeasible;        /* no such model exists: the classes have no hard margin */
    hsp_counters *counters; /* outputs, owned: of an update, else NULL */
} hsp_solution;

/* Further content of the report. */
typedef struct hsp_fit_notes {
    bool solved;              /* results have objective, bound and gap */
    bool iterative;           /* results have epochs, updates and stop reasons */
    bool margins;             /* the report has the member "svm" */
    const char *method;       /* closed forms: the method, for the report's `solver`; or NULL */
    bool settled;             /* the tolerance is of the fall of the objective, as no dual is known */
    const char *details_name; /* member of the report with the figures of this algorithm alone, e.g. "fisher"; or NULL */
    hsp_report *details;      /* owned: the value of that member, an object */
    hsp_text warnings;        /* owned: lines, each ending in '\n' */
    hsp_report *calibration;   /* owned: the member of the report; NULL: none */
    hsp_report *decision_rule; /* likewise */
    bool interrupted;          /* after the fit: what follows it is not complete */
    double certify_seconds;   /* time spent on certifying; NaN: nothing was certified */
    int64_t unfitted;         /* problems that an interrupt left far from their optimum; -1: the fit was not interrupted */
} hsp_fit_notes;

typedef struct hsp_fit {
    hsp_fit_job job;
    hsp_fit_rows rows;
    hsp_formulation form;
    hsp_solution out;
    hsp_fit_notes notes;
} hsp_fit;

/* Whether the fit is by a rule that counts mistakes and has no objective (perceptron). */
static inline bool hsp_fit_counts_mistakes(const hsp_fit *f) {
    return f->form.solver && f->form.solver->counts_mistakes;
}

typedef struct hsp_classifier {
    const char *name;
    const char *help;
    const char *options;         /* the options of the groups train and run that it accepts, separated by blanks */
    const char *const *defaults; /* option, value, option, value, ..., NULL; or NULL */
    /* Defaults that depend on other options; or NULL. */
    int (*complete)(hsp_options *o, hsp_error **err);
    const char *automatic;    /* the meaning of `auto`, for `list`; or NULL */
    const hsp_solver *solver; /* for --solver auto; NULL if it needs none */
    bool two_classes;         /* at most two classes */
    bool regression;          /* supports regression too */
    bool only_numbers;        /* supports nothing but regression */
    bool probabilities;       /* its scores can be mapped to probabilities */
    bool odds;                /* so with --loss logistic alone */
    bool lambda_auto;         /* can choose lambda by leave-one-out */
    bool only_l2;             /* accepts no --penalty but l2 */
    bool iterates;            /* from initial weights, which a model can give (fit_warm.h) */
    bool layers;              /* its models are networks, without a weight for each feature */
    bool one_vs_rest;         /* more than two classes are one-vs-rest, and --multiclass may say so */
    int (*fit)(hsp_fit *f, hsp_error **err);
} hsp_classifier;

/* Whether the classifier accepts the option. */
bool hsp_classifier_takes(const hsp_classifier *c, const char *option);

/* Options of every algorithm that predicts only numbers. */
#define HSP_OPTIONS_NUMBERS "scale scale-all no-certificate"
/* Options of most classifiers. */
#define HSP_OPTIONS_ANY "positive class-weight calibrate calibrate-folds decide " HSP_OPTIONS_NUMBERS
/* Options of every iterative classifier. */
#define HSP_OPTIONS_RUN HSP_OPTIONS_ANY " intercept init keep max-epochs max-updates max-steps max-seconds learning-rate"
/* Options of gradient-descent, sgd and minibatch. */
#define HSP_OPTIONS_DESCENT HSP_OPTIONS_RUN " loss penalty C lambda l1-ratio kink decay schedule tol delta"

#endif
