/* Classifiers: one file for each name in `halfspace list algorithms`, one line in classifier_table.c. Most are a loss, a
 * penalty and a solver, and three lines. */
#ifndef HSP_CLASSIFIER_CLASSIFIER_H
#define HSP_CLASSIFIER_CLASSIFIER_H

#include "base/options.h"
#include "base/text.h"
#include "model/model.h"
#include "solve/run.h"

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
    const hsp_prepare *prepare;
    hsp_design *design;
    double begun; /* hsp_clock_seconds() at the start */
    /* given */
    int64_t outputs;         /* 1 for two classes, else K */
    double *w, *b;           /* outputs x d and outputs, in the design's units; the fit fills them */
    hsp_fit_result *results; /* one for each output, when solved iteratively */
    bool iterative;          /* results are filled */
    const hsp_loss *loss;    /* NULL where there is none */
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
    int (*fit)(hsp_fit *f, hsp_error **err);
} hsp_classifier;

extern const hsp_classifier *const hsp_classifier_table[]; /* NULL-terminated */
const hsp_classifier *hsp_classifier_find(const char *name);
extern const hsp_classifier hsp_classifier_nearest_mean, hsp_classifier_perceptron, hsp_classifier_gradient_descent,
    hsp_classifier_sgd, hsp_classifier_minibatch;

/* True when the blank-separated list has the name. */
bool hsp_classifier_takes(const hsp_classifier *c, const char *option);

/* The options of every iterative classifier. */
#define HSP_OPTIONS_RUN "positive intercept scale init keep max-epochs max-updates max-steps max-seconds learning-rate"
/* Those of the descent family besides. */
#define HSP_OPTIONS_DESCENT HSP_OPTIONS_RUN " loss penalty C lambda l1-ratio solver kink decay schedule tol"

/* Solves one problem for each output with f->loss, f->penalty, f->solver and f->rules. */
int hsp_fit_solve(hsp_fit *f, hsp_error **err);
/* The rules from the options (the rate, decay and batch stay NaN or 0 where they are `auto`). */
void hsp_fit_rules(hsp_fit *f);
/* The loss, penalty and solver by name, with an explanation when there is none or when they do not fit. */
int hsp_fit_choose(hsp_fit *f, hsp_error **err);
/* gradient-descent, sgd and minibatch: rates decided, then solved. */
int hsp_fit_descent(hsp_fit *f, hsp_error **err);

/* The report of a fit as JSON. */
int hsp_fit_report(const hsp_fit *f, const hsp_model *m, double accuracy, double seconds, char **json, hsp_error **err);
/* The options in force as a JSON object, autos decided. */
int hsp_fit_options(const hsp_fit *f, char **json, hsp_error **err);
/* Objective, bound and gap of the whole fit: sums over its problems. */
hsp_certificate hsp_fit_certificate(const hsp_fit *f);
/* Appends the warnings that the outcome calls for. */
int hsp_fit_warn(hsp_fit *f, hsp_error **err);
bool hsp_fit_converged(const hsp_fit *f);
/* The reason of the first problem that did not converge, else of the first. */
const char *hsp_fit_stop(const hsp_fit *f);

#endif
