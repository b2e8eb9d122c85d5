/* The fitted model: what a row must go through (prepare), the weights in original units, and where they came from. It
 * never sees a solver. */
#ifndef HSP_MODEL_MODEL_H
#define HSP_MODEL_MODEL_H

#include "data/data.h"
#include "data/matrix.h"
#include "halfspace.h"
#include "model/objective.h"
#include "prepare/prepare.h"

typedef struct hsp_certificate {
    double objective, dual_bound, relative_gap, tolerance; /* NaN where unknown */
} hsp_certificate;

/* How scores become probabilities. */
typedef enum hsp_link {
    HSP_LINK_NONE,     /* they do not */
    HSP_LINK_LOGISTIC, /* one output: P(positive) = 1 / (1 + exp(-g)) */
    HSP_LINK_SOFTMAX,  /* K outputs: P(k) = exp(g_k) / sum_l exp(g_l) */
    HSP_LINK_OVR       /* K outputs, one-vs-rest: the logistic of each, divided by their sum */
} hsp_link;

/* A further array of the model, in original units. The names that there are:
 *   class-mass          K x 1            sum of the row weights of each class
 *   class-means         K x d
 *   class-covariances   K*d x d          one below the other, divisor (sum of weights) - 1
 *   second-moment       d x d            E[x x']
 *   cross-moment        outputs x d      E[x y]
 *   directions          r x d            discriminant directions: projection j of a row is directions_j . x + offset_j
 *   direction-offsets   r x 1 */
typedef struct hsp_extra {
    const char *name; /* static */
    int64_t rows, columns;
    double *data;
} hsp_extra;

/* The dual vector: the multipliers a_ik = C c_i r_ik of the rows where they are not 0 (problem.h has r; for margins
 * a_i = y_i alpha_i), for each output in turn. */
typedef struct hsp_dual {
    int64_t outputs;
    int64_t *begin; /* outputs + 1: the entries of output k are begin[k] .. begin[k+1]-1 */
    uint32_t *row;  /* ascending for each output */
    double *value;  /* finite, not 0 */
} hsp_dual;

/* From a dense n x outputs array. HSP_EMEMORY; HSP_EUSAGE when there are more rows than 32 bits count. */
int hsp_dual_new(const double *dense, int64_t n, int64_t outputs, hsp_dual **out, hsp_error **err);
void hsp_dual_free(hsp_dual *a);
/* Writes output k as n numbers. */
void hsp_dual_spread(const hsp_dual *a, int64_t k, int64_t n, double *out);
/* Copies the three arrays, aligned or not, of `count` entries; HSP_EINPUT (err is left alone) when they are no dual vector
 * of n rows. */
int hsp_dual_load(const void *begin, const void *row, const void *value, int64_t outputs, int64_t count, int64_t n,
                  hsp_dual **out, hsp_error **err);
/* Whether it is one, of these outputs and rows. */
bool hsp_dual_fits(const hsp_dual *a, int64_t outputs, int64_t n);

struct hsp_model {
    hsp_prepare prepare;
    char *algorithm;
    char *task;      /* "classification" or "regression" */
    int64_t outputs; /* 1 for two classes or regression, else K */
    double *w;       /* outputs x d, original units, finite */
    double *b;       /* outputs */
    hsp_link link;
    /* K, or NULL. Weighting a class shifts its log-odds by the log of its weight: decisions keep the shift, which is what
     * the weights are for; probabilities take it out, so that they speak of the data as they are. */
    double *class_weight;
    hsp_extra *extras;
    int64_t extra_count;
    hsp_objective objective; /* what was minimised */
    hsp_certificate certificate;
    hsp_report *claims;     /* all that is claimed of the training data (verify/claim/verify.h); NULL: nothing */
    hsp_dual *dual;         /* or NULL: it is in a file of its own, or can be had from the weights */
    hsp_report *options;    /* what the fit was asked for, defaults included */
    hsp_report *report;     /* what the fit reported, times left out */
    int64_t rows, nonzeros; /* of the training data */
    uint64_t data_hash;
    int format;             /* version of the file it was loaded from; 0: made now */
    char when[21];          /* UTC */
    char *halfspace;        /* version that made it */
    _Atomic(char *) fields; /* owned; for hsp_model_field: made by hsp_model_lay_out_fields, or on first demand */
};

/* A model with room for the weights, all zero, made now by this version, its certificate unknown; options and report are
 * NULL. prepare is taken over (and zeroed in the caller's hands), unless this fails; with prepare->regression the task is
 * regression, which has one output. */
int hsp_model_new(hsp_prepare *prepare, const char *algorithm, int64_t outputs, hsp_model **out, hsp_error **err);
/* For a model that is whole: makes what hsp_model_field returns. */
int hsp_model_lay_out_fields(const hsp_model *m, hsp_error **err);
/* HSP_EINTERNAL when any number is not finite, or link and outputs do not agree: such a thing is never written. */
int hsp_model_check(const hsp_model *m, hsp_error **err);
/* The data as the model's features: *own is NULL when they are that already, else the caller's. Of a table that was encoded
 * otherwise, as when it was a part that was not trained on. */
int hsp_model_encode(const hsp_model *m, const hsp_data *data, int threads, hsp_data **own, hsp_error **err);
/* Whether the data, encoded, have the features of the model: HSP_EINPUT when their number or, where both have them, names
 * differ. */
int hsp_model_check_features(const hsp_model *m, const hsp_data *data, hsp_error **err);
/* The scores of one row: out[outputs]. Ids at or beyond d are skipped; returns how many were. */
int64_t hsp_model_score_row(const hsp_model *m, hsp_row x, double *out);
/* Those of `outputs` of them, from the `first` on, and the k-th alone: the same bits. */
void hsp_model_score_outputs(const hsp_model *m, int64_t first, int64_t outputs, hsp_row x, double *out);
double hsp_model_score_output(const hsp_model *m, int64_t k, hsp_row x);
/* Those of all rows (n x outputs, or NULL) and the classes decided (n, or NULL), on so many threads. 0 or HSP_EMEMORY. */
int hsp_model_score_matrix(const hsp_model *m, const hsp_matrix *x, int threads, double *scores, int32_t *classes,
                           hsp_error **err);
/* The place of a row on each discriminant direction: a number for each row of the array "directions", which the model must
 * have. */
void hsp_model_project(const hsp_model *m, hsp_row x, double *z);
/* The class of a row from its scores: positive when the one score is > 0; the first of the largest for K. Regression: -1.
 */
int64_t hsp_model_decide(const hsp_model *m, const double *scores);
/* Probabilities of the K classes, in their order, from the scores, which may stand in p; false when the model has none. All
 * are in [0, 1] and their sum is 1 but for rounding, whatever the scores. */
bool hsp_model_probabilities(const hsp_model *m, const double *scores, double *p);
/* The error for one who asks for them all the same; returns its code. */
int hsp_model_no_probabilities(const hsp_model *m, hsp_error **err);
/* Whether the link can be that of the outputs, and the class weights be such. */
bool hsp_model_link_fits(const hsp_model *m);
/* Adds an array, which is taken over (also on failure). HSP_EINTERNAL for a name that is not in the list, for a wrong
 * shape, for a number that is not finite. */
int hsp_model_add_extra(hsp_model *m, const char *name, int64_t rows, int64_t columns, double *data, hsp_error **err);
/* Whether it would be taken: a name of the list that is not there yet, in its shape. */
bool hsp_model_extra_fits(const hsp_model *m, const char *name, int64_t rows, int64_t columns);
const hsp_extra *hsp_model_extra(const hsp_model *m, const char *name); /* NULL when the model has none */
bool hsp_model_extra_is_vector(const hsp_extra *x);                     /* one number a row, whatever the data */
/* XXH3-64 of weights and intercepts: the same fit gives the same checksum whenever it was made. */
uint64_t hsp_model_checksum(const hsp_model *m);

#endif
