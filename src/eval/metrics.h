/* How good a model is on rows whose truth is known: counts, rankings, probabilities, residuals. Rows count with their
 * weights where the data have such. What is not defined (0/0, a class without rows) is NaN here and null in reports. */
#ifndef HSP_EVAL_METRICS_H
#define HSP_EVAL_METRICS_H

#include "base/advance.h"
#include "data/data.h"
#include "halfspace.h"
#include "model/model.h"

typedef struct hsp_metrics {
    int64_t rows;
    bool weighted;
    double mass;       /* sum of the weights; rows where there are none */
    int64_t classes;   /* K, those of the model; 0 for regression, whose figures are at the end */
    double *confusion; /* K x K sums of weights: row the true class, column the predicted one */
    double correct;    /* sum of its diagonal */
    double accuracy;
    double balanced_accuracy; /* mean recall of the classes that have rows */
    double log_loss;          /* mean of -log p of the true class, p at least HSP_LEAST_PROBABILITY; NaN without them */
    double brier;             /* two classes: mean (p - 1[positive])^2; K: mean sum_k (p_k - 1[y = k])^2 */
    double auc;               /* two classes: of the positive one's score; K: mean of each class against the rest */
    double average_precision; /* likewise */
    double rmse, mae, r2, max_error; /* regression; r2 is NaN when all targets are equal */
    int64_t unseen_values;           /* values in columns that the model does not have */
} hsp_metrics;

/* A probability of 0 for what happened has no logarithm: it is taken for this. */
#define HSP_LEAST_PROBABILITY 1e-15

/* Labels are matched by name: those of the data must be classes of the model, or labels that it merged. For a model of
 * regression the data have targets. `advance` is told of the rows, and may be NULL; HSP_ECANCELLED when it stops the work. */
int hsp_metrics_compute(const hsp_model *m, const hsp_data *data, hsp_advance *advance, hsp_metrics *out, hsp_error **err);
/* Its passes over the rows: one for the predictions, and one for each ranking. */
int64_t hsp_metrics_passes(const hsp_model *m);
/* Called at each row i of a pass: whether to stop. Asks every few thousand rows. */
static inline bool hsp_metrics_stopped(hsp_advance *advance, int64_t i) {
    enum { ROWS = 4096 };
    return i % ROWS == ROWS - 1 && hsp_advance_rows(advance, ROWS);
}
void hsp_metrics_clear(hsp_metrics *x);
/* The same checks alone: that there are rows, in the model's columns, and truth to compare with. */
int hsp_metrics_check(const hsp_model *m, const hsp_data *data, hsp_error **err);
/* The class of the model of every row of labelled data into truth[n]; HSP_EINPUT for a label that is none. */
int hsp_metrics_truth(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err);
/* The figures of regression into a struct whose rows and mass are there: called by the one above. */
void hsp_metrics_regression(const hsp_model *m, const hsp_data *data, hsp_advance *advance, hsp_metrics *x);

/* Of the k-th class. NaN: precision when nothing was predicted k, recall when nothing is k, f1 when either. */
double hsp_metrics_support(const hsp_metrics *x, int64_t k);
double hsp_metrics_precision(const hsp_metrics *x, int64_t k);
double hsp_metrics_recall(const hsp_metrics *x, int64_t k);
double hsp_metrics_f1(const hsp_metrics *x, int64_t k);

/* A score, and the weight of its row among those of the class that is ranked, or among the rest: the other is 0. */
typedef struct hsp_ranked {
    double score;
    double positive, negative;
} hsp_ranked;

/* Sorts by score, ascending; `spare` has room for n as well. O(n log n). */
void hsp_rank_sort(hsp_ranked *v, hsp_ranked *spare, int64_t n);
/* Of sorted scores. Area under the ROC curve, NaN without positives or negatives. */
double hsp_rank_auc(const hsp_ranked *v, int64_t n);
/* NaN without positives. */
double hsp_rank_average_precision(const hsp_ranked *v, int64_t n);

#endif
