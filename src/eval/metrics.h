/* Metrics of a model on labelled rows: counts, rankings, probabilities, residuals. Rows count by their weights if the data
 * have weights. Undefined metrics (0/0, a class without rows) are NaN here and null in reports. */
#ifndef HSP_EVAL_METRICS_H
#define HSP_EVAL_METRICS_H

#include "base/advance.h"
#include "data/data.h"
#include "data/matrix.h"
#include "halfspace.h"
#include "loss/loss_sums.h"
#include "model/model.h"

typedef struct hsp_metrics {
    int64_t rows;
    bool weighted;
    double mass;       /* sum of the weights; without weights, the number of rows */
    int64_t classes;   /* K classes of the model; 0 for regression, whose metrics are at the end */
    int64_t positive;  /* the class of positive scores; -1: more than two classes, or regression */
    double *confusion; /* K x K sums of weights: rows are true classes, columns predicted ones */
    double correct;    /* sum of the diagonal */
    double accuracy;
    double balanced_accuracy; /* mean recall of the classes that have rows */
    double log_loss; /* mean of -log p of the true class, p at least HSP_LEAST_PROBABILITY; NaN: no probabilities */
    double brier;    /* binary: mean (p - 1[positive])^2; K classes: mean sum_k (p_k - 1[y = k])^2 */
    double calibration_error; /* calibrate/calibration.h; NaN: no probabilities */
    /* Binary: of the positive class. K classes: the mean of each class against the rest, ranked by probability, or by score
     * if the model has no probabilities: as scikit-learn's one-vs-rest, macro average. */
    double auc, average_precision;
    double lead_auc, lead_average_precision; /* K classes: the same, ranked by lead; NaN for two classes */
    hsp_loss_sums losses;                    /* two classes */
    double mse, rmse, mae, r2, max_error;    /* regression; r2 is NaN if all targets are equal */
    int64_t unseen_values;                   /* values in columns that the model does not have */
} hsp_metrics;

/* Lower limit of a probability in the log loss, because log 0 is infinite. */
#define HSP_LEAST_PROBABILITY 1e-15

/* Labels are matched by name: those of the data must be classes of the model, or labels that it merged. For a regression
 * model the data have targets. `advance` (may be NULL) gets the progress over the rows; returns HSP_ECANCELLED if it stops
 * the work. */
int hsp_metrics_compute(const hsp_model *m, const hsp_data *data, hsp_advance *advance, hsp_metrics *out, hsp_error **err);
/* Rows whose scores are known already, such as those that cross-validation has tested. All arrays are borrowed. */
typedef struct hsp_scored_rows {
    int64_t n;
    const double *score;       /* n x outputs of the model */
    const double *probability; /* n x classes; NULL: as the model maps the scores */
    const int32_t *predicted;  /* n: the class of each row; NULL: as the model decides by the scores */
    const int32_t *truth;      /* n: the class of each row, as the model numbers them; NULL: regression */
    const double *target;      /* n: the number of each row (regression); else NULL */
    const double *weight;      /* n; NULL: all 1 */
} hsp_scored_rows;
/* The same metrics from scores; of the model only what scores mean is used. HSP_EINPUT: all rows have weight 0. */
int hsp_metrics_of_scores(const hsp_model *m, const hsp_scored_rows *rows, hsp_metrics *out, hsp_error **err);
/* Number of passes over the rows: one for the predictions, and one for each ranking. */
int64_t hsp_metrics_passes(const hsp_model *m);
/* Whether to stop; call it at each row i of a pass. Asks `advance` every 4096 rows. */
static inline bool hsp_metrics_stopped(hsp_advance *advance, int64_t i) {
    enum { ROWS = 4096 };
    return i % ROWS == ROWS - 1 && hsp_advance_rows(advance, ROWS);
}
void hsp_metrics_clear(hsp_metrics *x);
/* Only checks that there are rows, with the model's columns, and labels or targets. */
int hsp_metrics_check(const hsp_model *m, const hsp_data *data, hsp_error **err);
/* Writes the class of every labelled row, as the model numbers them, to truth[n]. Returns HSP_EINPUT for a label that is
 * not a class of the model. */
int hsp_metrics_truth(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err);
/* The nearest double; sums of finite numbers may exceed the largest. */
double hsp_metrics_clamp(long double v);
/* Computes the metrics of regression in x, whose rows and mass are set. matrix: scored where the rows have no scores. The
 * functions above call it. */
void hsp_metrics_regression(const hsp_model *m, const hsp_matrix *matrix, const hsp_scored_rows *rows, hsp_advance *advance,
                            hsp_metrics *x);

/* Of class k. Precision is NaN if no row was predicted k, recall if no row is k, f1 if either is. */
double hsp_metrics_support(const hsp_metrics *x, int64_t k);
double hsp_metrics_precision(const hsp_metrics *x, int64_t k);
double hsp_metrics_recall(const hsp_metrics *x, int64_t k);
double hsp_metrics_f1(const hsp_metrics *x, int64_t k);

/* Of all classes, as scikit-learn's f1_score and matthews_corrcoef. F1 of the positive class,
 *     2 TP / (2 TP + FP + FN),
 * or with more than two classes its mean over the classes that have rows or predictions; NaN if there are none. */
double hsp_metrics_mean_f1(const hsp_metrics *x);
/* Matthews' correlation coefficient, or with K classes Gorodkin's R_K: of n rows, t_k of class k, p_k predicted k, c right,
 *     (c n - sum p_k t_k) / sqrt((n^2 - sum p_k^2) (n^2 - sum t_k^2)),
 * and 0 where the denominator is 0. */
double hsp_metrics_mcc(const hsp_metrics *x);

/* A score and the weight of its row: `positive` if the row is of the ranked class, else `negative`; the other is 0. */
typedef struct hsp_ranked {
    double score;
    double positive, negative;
} hsp_ranked;

/* Sorts by score, ascending; `spare` has room for n items. O(n log n). */
void hsp_rank_sort(hsp_ranked *v, hsp_ranked *spare, int64_t n);
/* Of sorted scores: the area under the ROC curve; NaN without positives or negatives. */
double hsp_rank_auc(const hsp_ranked *v, int64_t n);
/* Of sorted probabilities; NaN without rows of positive weight. */
double hsp_rank_calibration_error(const hsp_ranked *v, int64_t n);
/* Of sorted scores; NaN without positives. */
double hsp_rank_average_precision(const hsp_ranked *v, int64_t n);

#endif
