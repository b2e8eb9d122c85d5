/* The fitted model: the preparation of rows, the weights in original units, and their origin. It does not depend on any
 * solver. */
#ifndef HSP_MODEL_MODEL_H
#define HSP_MODEL_MODEL_H

#include "base/advance.h"
#include "calibrate/calibration.h"
#include "calibrate/decision_rule.h"
#include "data/data.h"
#include "data/matrix.h"
#include "halfspace.h"
#include "model/objective.h"
#include "network/network.h"
#include "prepare/prepare.h"

typedef struct hsp_certificate {
    double objective, dual_bound, relative_gap, tolerance; /* NaN where unknown */
} hsp_certificate;

/* The map from scores to probabilities. */
typedef enum hsp_link {
    HSP_LINK_NONE,     /* no probabilities */
    HSP_LINK_LOGISTIC, /* one output: P(positive) = 1 / (1 + exp(-g)) */
    HSP_LINK_SOFTMAX,  /* K outputs: P(k) = exp(g_k) / sum_l exp(g_l) */
    HSP_LINK_OVR       /* K outputs, one-vs-rest: the logistic of each, divided by their sum */
} hsp_link;

/* An optional array of the model, in original units. The names are:
 *   class-mass          K x 1            sum of the row weights of each class
 *   class-means         K x d
 *   class-covariances   K*d x d          stacked, divisor (sum of weights) - 1
 *   second-moment       d x d            E[x x']
 *   cross-moment        outputs x d      E[x y]
 *   directions          r x d            discriminant directions: projection j of a row is directions_j . x + offset_j
 *   direction-offsets   r x 1
 *   feature-means       d x 1            of the training rows, without their weights
 *   feature-sds         d x 1            their standard deviations, divisor n
 *   update-state        outputs x 4      of a partial fit: updates, rows visited, random numbers drawn, next step */
typedef struct hsp_extra {
    const char *name; /* static */
    int64_t rows, columns;
    double *data;
} hsp_extra;

/* The dual vector: for each output in turn, the nonzero multipliers
 *     a_ik = C c_i r_ik
 * of the rows (problem.h defines r; for margins a_i = y_i alpha_i). */
typedef struct hsp_dual {
    int64_t outputs;
    int64_t *begin; /* outputs + 1: the entries of output k are begin[k] .. begin[k+1]-1 */
    uint32_t *row;  /* ascending for each output */
    double *value;  /* finite, not 0 */
} hsp_dual;

/* From a dense n x outputs array. HSP_EMEMORY; HSP_EUSAGE if the row numbers exceed 32 bits. */
int hsp_dual_new(const double *dense, int64_t n, int64_t outputs, hsp_dual **out, hsp_error **err);
void hsp_dual_free(hsp_dual *a);
/* Writes output k as a dense vector of n numbers. */
void hsp_dual_spread(const hsp_dual *a, int64_t k, int64_t n, double *out);
/* Copies the three arrays, aligned or not, of `count` entries; HSP_EINPUT (err is not set) if they are not a dual vector of
 * n rows. */
int hsp_dual_load(const void *begin, const void *row, const void *value, int64_t outputs, int64_t count, int64_t n,
                  hsp_dual **out, hsp_error **err);
/* Whether a is valid for these outputs and rows. */
bool hsp_dual_fits(const hsp_dual *a, int64_t outputs, int64_t n);

/* Who made a model, and when. */
typedef struct hsp_origin {
    int format;      /* version of the file it was loaded from; 0: not loaded */
    char when[21];   /* UTC */
    char *halfspace; /* owned: version of Halfspace */
} hsp_origin;

struct hsp_model {
    hsp_prepare prepare;
    char *algorithm;
    char *task;      /* "classification" or "regression" */
    int64_t outputs; /* 1 for two classes or regression, else K */
    double *w;       /* outputs x d, original units, finite; NULL for a network */
    double *b;       /* outputs; NULL for a network */
    hsp_network *network; /* layers over the columns in original units, ready for scores; NULL: the model is linear */
    hsp_link link;
    /* K, or NULL. The weight of a class shifts its log-odds by the log of the weight. Decisions keep the shift, which is
     * its purpose; probabilities remove it, so that they describe the unweighted data. */
    double *class_weight;
    /* The map from scores to probabilities in place of the link, fitted to the rows by their own weights: its probabilities
     * describe the unweighted data too. method NULL: none. */
    hsp_calibration calibration;
    hsp_decision decision; /* when the positive class is predicted; rule NULL: by the scores or probabilities alone */
    hsp_extra *extras;
    int64_t extra_count;
    hsp_objective objective; /* the objective that was minimised */
    hsp_certificate certificate;
    hsp_report *claims;     /* all claims about the training data (verify/claim/verify.h); NULL: none */
    hsp_dual *dual;         /* or NULL: in a separate file, or computable from the weights */
    hsp_report *options;    /* the options of the fit, including defaults */
    hsp_report *report;     /* the report of the fit, without times */
    int64_t rows, nonzeros; /* of the training data */
    uint64_t data_hash;
    hsp_origin origin;
    _Atomic(char *) fields; /* owned; for hsp_model_field: made by hsp_model_lay_out_fields, or on first use */
};

/* A model with zero weights, the current time and version, and an unknown certificate; options and report are NULL. prepare
 * is taken over (and zeroed for the caller) unless this fails. With prepare->regression the task is regression, which has
 * one output. */
int hsp_model_new(hsp_prepare *prepare, const char *algorithm, int64_t outputs, hsp_model **out, hsp_error **err);
/* Makes the model a network, which is always taken over, in place of the weights. 0 or HSP_EMEMORY. */
int hsp_model_take_network(hsp_model *m, hsp_network *network, hsp_error **err);
/* Sets the error of a request for weights that a network does not have; returns its code. */
int hsp_model_no_weights(const hsp_model *m, hsp_error **err);
/* Makes the text that hsp_model_field returns; the model must be complete. */
int hsp_model_lay_out_fields(const hsp_model *m, hsp_error **err);
/* HSP_EINTERNAL if a number is not finite, or link and outputs do not match: such a model is never written. */
int hsp_model_check(const hsp_model *m, hsp_error **err);
/* Encodes the data as the model's features: *own is NULL if they already are, else the caller's. Needed for a table with a
 * different encoding, for instance a part that was held out of training. */
int hsp_model_encode(const hsp_model *m, const hsp_data *data, int threads, hsp_data **own, hsp_error **err);
/* Checks that the encoded data have the features of the model: HSP_EINPUT if their number or, where both have names, the
 * names differ. */
int hsp_model_check_features(const hsp_model *m, const hsp_data *data, hsp_error **err);
/* The scores of one row: out[outputs]. Skips ids at or beyond d and returns their number. */
int64_t hsp_model_score_row(const hsp_model *m, hsp_row x, double *out);
/* The scores of `outputs` outputs, starting at `first`, and of output k alone: the same bits. */
void hsp_model_score_outputs(const hsp_model *m, int64_t first, int64_t outputs, hsp_row x, double *out);
double hsp_model_score_output(const hsp_model *m, int64_t k, hsp_row x);
/* The number of leading entries of a row whose columns the model has: ids ascend, so unknown ones are at the end. */
int64_t hsp_model_known(const hsp_model *m, hsp_row x);
/* Rows of a piece that is worth a thread. */
int64_t hsp_model_piece_rows(const hsp_matrix *x);
/* Calls `take`, on all threads, with the scores (or, with `project`, projections) of groups of rows until all had their turn
 * or `advance`, which may be NULL, has stopped. 0 or HSP_EMEMORY. */
typedef void hsp_take_scores(void *ctx, int64_t first, int64_t rows, const double *scores);
int hsp_model_each_scores(const hsp_model *m, const hsp_matrix *x, bool project, int threads, hsp_advance *advance,
                          hsp_take_scores *take, void *ctx, hsp_error **err);
/* The scores of all rows (n x outputs, or NULL) and the predicted classes (n, or NULL). 0 or HSP_EMEMORY. */
int hsp_model_score_matrix(const hsp_model *m, const hsp_matrix *x, int threads, double *scores, int32_t *classes,
                           hsp_error **err);
/* The projection of a row on each discriminant direction: one number for each row of the array "directions", which the
 * model must have. */
void hsp_model_project(const hsp_model *m, hsp_row x, double *z);
/* Sets the error of a request for projections that the model does not have; returns its code. */
int hsp_model_no_directions(const hsp_model *m, hsp_error **err);
/* The class of a row from its scores, by the rule of the model. Regression: -1. */
int64_t hsp_model_decide(const hsp_model *m, const double *scores);
/* With K outputs: what the class with the largest is predicted by, of one class at a time, for callers that do not hold all
 * scores: of two equal ones the larger score decides, then the first. */
double hsp_model_rank(const hsp_model *m, int64_t k, double g);
static inline bool hsp_model_beats(double rank, double g, double best_rank, double best_g) {
    return rank > best_rank || (rank == best_rank && g > best_g);
}
/* Whether calibration and decision rule are possible for this model, and their numbers in range. */
bool hsp_model_decision_fits(const hsp_model *m);
/* Whether the model gives probabilities, by its link or its calibration. */
static inline bool hsp_model_has_probabilities(const hsp_model *m) {
    return m->link != HSP_LINK_NONE || m->calibration.method;
}
/* The scores as the calibration takes them: as they are, or for a joint method as logarithms of the probabilities that the
 * model has itself, up to a term of all classes. out: outputs; may be scores. */
void hsp_model_calibration_scores(const hsp_model *m, const hsp_calibration_method *method, const double *scores,
                                  double *out);
/* With one output: the level that the decision rule compares: the probability of the positive class, or the score. */
double hsp_model_level(const hsp_model *m, bool of_probability, const double *scores);
/* A copy of the model, borrowed from it, that decides by the text of --decide; NULL, or the rule of the model: as it does.
 * HSP_EUSAGE: it is no rule, or one that needs the rows of training. Not to be freed. */
int hsp_model_decide_by(const hsp_model *m, const char *rule, hsp_model *copy, hsp_error **err);
/* With one output: the score above which the positive class is predicted; NaN: there is no such score, as one class is always
 * predicted, or a map descends. */
double hsp_model_score_threshold(const hsp_model *m);
/* HSP_EUSAGE if the model cannot have this rule: it has no positive class. */
int hsp_model_can_decide(const hsp_model *m, const hsp_decision_rule *rule, hsp_error **err);
/* Probabilities of the K classes, in their order, from the scores, which may share the memory of p; false if the model has
 * none. For any scores, all are in [0, 1] and sum to 1 up to rounding. */
bool hsp_model_probabilities(const hsp_model *m, const double *scores, double *p);
/* The same for one class at a time, of a model with K outputs and probabilities, with the same bits: first what all classes
 * of a row share, then the probability of class k, whose score is g. */
typedef struct hsp_normaliser {
    double most, sum; /* the largest logarithm, and the sum of the exponentials after subtracting it */
} hsp_normaliser;
hsp_normaliser hsp_model_normaliser(const hsp_model *m, const double *scores);
double hsp_model_probability_of(const hsp_model *m, int64_t k, double g, hsp_normaliser by);
/* How a label follows from the scores, as stored in the model and shown: "largest probability"; "largest class weight x
 * probability" if the class weights differ; without probabilities "score above 0" or "largest score"; by a decision rule
 * "probability above X" or "score above X", written to buf. NULL: regression. */
#define HSP_MODEL_DECISION 64
const char *hsp_model_decision(const hsp_model *m, char buf[HSP_MODEL_DECISION]);
/* Sets the error of a request for probabilities that the model does not have; returns its code. */
int hsp_model_no_probabilities(const hsp_model *m, hsp_error **err);
/* Whether link, outputs and class weights are consistent. */
bool hsp_model_link_fits(const hsp_model *m);
/* Adds an array, which is always taken over. HSP_EINTERNAL for an unknown name, a wrong shape, or a number that is not
 * finite. */
int hsp_model_add_extra(hsp_model *m, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err);
/* Whether the array would be accepted: a known name that the model does not have yet, and the right shape. */
bool hsp_model_extra_fits(const hsp_model *m, const char *name, int64_t rows, int64_t columns);
const hsp_extra *hsp_model_extra(const hsp_model *m, const char *name); /* NULL if the model does not have it */
bool hsp_model_extra_is_vector(const hsp_extra *x);                     /* one number for each row, for any data */
/* XXH3-64 of weights and intercepts (of a network: of all layers): the same fit always gives the same checksum. */
uint64_t hsp_model_checksum(const hsp_model *m);

#endif
