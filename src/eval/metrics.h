/* How good a model is on labelled rows: counts and rankings. What is not defined (0/0, a class without rows) is NaN here
 * and null in reports. */
#ifndef HSP_EVAL_METRICS_H
#define HSP_EVAL_METRICS_H

#include "model/model.h"

typedef struct hsp_metrics {
    int64_t rows;
    int64_t correct;
    int64_t classes;    /* K, those of the model */
    int64_t *confusion; /* K x K: row the true class, column the predicted one */
    double accuracy;
    double balanced_accuracy; /* mean recall of the classes that have rows */
    double auc;               /* two classes: of the positive one's score; K: mean of each class against the rest */
    double average_precision; /* likewise */
    int64_t unseen_values;    /* values in columns that the model does not have */
} hsp_metrics;

/* Labels are matched by name: those of the data must be classes of the model. */
int hsp_metrics_compute(const hsp_model *m, const hsp_data *data, hsp_metrics *out, hsp_error **err);
void hsp_metrics_clear(hsp_metrics *x);

/* Of the k-th class. NaN: precision when nothing was predicted k, recall when nothing is k, f1 when either. */
int64_t hsp_metrics_support(const hsp_metrics *x, int64_t k);
double hsp_metrics_precision(const hsp_metrics *x, int64_t k);
double hsp_metrics_recall(const hsp_metrics *x, int64_t k);
double hsp_metrics_f1(const hsp_metrics *x, int64_t k);

/* A score and whether its row is of the class that is ranked. */
typedef struct hsp_ranked {
    double score;
    int64_t positive; /* 0 or 1 */
} hsp_ranked;

/* Sorts by score, ascending; `spare` has room for n as well. O(n log n). */
void hsp_rank_sort(hsp_ranked *v, hsp_ranked *spare, int64_t n);
/* Of sorted scores. Area under the ROC curve, NaN without positives or negatives. */
double hsp_rank_auc(const hsp_ranked *v, int64_t n);
/* NaN without positives. */
double hsp_rank_average_precision(const hsp_ranked *v, int64_t n);

#endif
