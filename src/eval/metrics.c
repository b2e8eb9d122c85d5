/* The outputs are gone through one at a time, so that the memory is a few numbers a row, however many classes there are:
 * once for the best two of every row, and with more than two classes once more to rank the rows of each class. The rank is
 * by the lead g_k - max of the others: scores of one class need not be comparable between rows (nearest-mean leaves out
 * |x|^2 / 2), leads are. */
#include "eval/metrics.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct metrics_work {
    int32_t *truth; /* class of the model, of each row */
    double *best;   /* the largest score so far */
    double *second; /* and the next */
    int32_t *predicted;
    hsp_ranked *ranked, *spare;
} metrics_work;

static int check_data(const hsp_model *m, const hsp_data *data, hsp_error **err) {
    if (!data->y)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "has no labels to compare with: name their column with --target");
    if (data->x.n < 1)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "has no rows: there is nothing to evaluate");
    /* The columns of an svmlight file are those that happen to occur in it; elsewhere their number is a fact. */
    const char *format = data->schema.format;
    bool open = format && strcmp(format, "svmlight") == 0;
    if (open || data->x.d == m->prepare.schema.d) return 0;
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "has %lld features, the model %lld: read it for the model",
                       (long long)data->x.d, (long long)m->prepare.schema.d);
}

/* The class of every row as the model counts them. */
static int match_labels(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err) {
    const hsp_classes *classes = &data->classes;
    int32_t *map = hsp_alloc(classes->count > 0 ? classes->count : 1, sizeof *map);
    if (!map) return hsp_fail_memory(err);
    for (int64_t k = 0; k < classes->count; k++) {
        map[k] = (int32_t)hsp_classes_find(&m->prepare.classes, classes->name[k], (int64_t)strlen(classes->name[k]));
    }
    int status = 0;
    for (int64_t i = 0; i < data->x.n && !status; i++) {
        truth[i] = map[data->y[i]];
        if (truth[i] < 0) {
            status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                                 "label '%s' is not a class of the model: map it with --map-label or leave its rows out",
                                 classes->name[data->y[i]]);
        }
    }
    hsp_free(map);
    return status;
}

/* The greatest output of every row wins, the first of equals. */
static void predict_rows(const hsp_model *m, const hsp_matrix *x, metrics_work *work) {
    for (int64_t k = 0; k < m->outputs; k++)
        for (int64_t i = 0; i < x->n; i++) {
            double score = hsp_model_score_output(m, k, hsp_matrix_row(x, i));
            if (k == 0 || score > work->best[i]) {
                work->second[i] = k == 0 ? -INFINITY : work->best[i];
                work->best[i] = score;
                work->predicted[i] = (int32_t)k;
            } else if (score > work->second[i]) {
                work->second[i] = score;
            }
        }
    if (m->outputs > 1) return;
    for (int64_t i = 0; i < x->n; i++) work->predicted[i] = (int32_t)hsp_model_decide(m, &work->best[i]);
}

/* What the rows are ranked by for class k of more than two. */
static double lead(const hsp_model *m, hsp_row x, int64_t i, int64_t k, const metrics_work *work) {
    if (work->predicted[i] == k) return work->best[i] - work->second[i];
    return hsp_model_score_output(m, k, x) - work->best[i];
}

static void fill_ranks(const hsp_model *m, const hsp_matrix *x, int64_t k, metrics_work *work) {
    for (int64_t i = 0; i < x->n; i++) {
        double by = m->outputs == 1 ? work->best[i] : lead(m, hsp_matrix_row(x, i), i, k, work);
        work->ranked[i] = (hsp_ranked){by, work->truth[i] == (m->outputs == 1 ? m->prepare.positive : k)};
    }
}

/* The mean over the outputs for which each figure exists. */
static void rank_outputs(const hsp_model *m, const hsp_matrix *x, metrics_work *work, hsp_metrics *out) {
    double auc = 0, precision = 0, aucs = 0, precisions = 0;
    for (int64_t k = 0; k < m->outputs; k++) {
        fill_ranks(m, x, k, work);
        hsp_rank_sort(work->ranked, work->spare, x->n);
        double a = hsp_rank_auc(work->ranked, x->n), p = hsp_rank_average_precision(work->ranked, x->n);
        if (!isnan(a)) auc += a, aucs++;
        if (!isnan(p)) precision += p, precisions++;
    }
    out->auc = aucs > 0 ? auc / aucs : (double)NAN;
    out->average_precision = precisions > 0 ? precision / precisions : (double)NAN;
}

static void count_outcomes(const hsp_matrix *x, const metrics_work *work, hsp_metrics *out) {
    for (int64_t i = 0; i < x->n; i++) {
        out->confusion[work->truth[i] * out->classes + work->predicted[i]]++;
        out->correct += work->truth[i] == work->predicted[i];
    }
    out->accuracy = (double)out->correct / (double)out->rows;
    double recalls = 0, present = 0;
    for (int64_t k = 0; k < out->classes; k++) {
        double recall = hsp_metrics_recall(out, k);
        if (!isnan(recall)) recalls += recall, present++;
    }
    out->balanced_accuracy = recalls / present;
}

static int64_t count_unseen(const hsp_model *m, const hsp_matrix *x) {
    int64_t d = m->prepare.schema.d, unseen = 0;
    if (x->d <= d) return 0;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = r.count - 1; t >= 0 && (r.id ? (int64_t)r.id[t] : t) >= d; t--) unseen += hsp_row_value(r, t) != 0;
    }
    return unseen;
}

int hsp_metrics_compute(const hsp_model *m, const hsp_data *data, hsp_metrics *out, hsp_error **err) {
    hsp_metrics x = {0};
    metrics_work work = {0};
    *out = x;
    int status = check_data(m, data, err);
    if (status) return status;
    x.rows = data->x.n;
    x.classes = m->prepare.classes.count;
    x.confusion = hsp_alloc_zero(x.classes * x.classes, sizeof *x.confusion);
    work.truth = hsp_alloc(x.rows, sizeof *work.truth);
    work.best = hsp_alloc(x.rows, sizeof *work.best);
    work.second = hsp_alloc(x.rows, sizeof *work.second);
    work.predicted = hsp_alloc(x.rows, sizeof *work.predicted);
    work.ranked = hsp_alloc(x.rows, sizeof *work.ranked);
    work.spare = hsp_alloc(x.rows, sizeof *work.spare);
    if (!x.confusion || !work.truth || !work.best || !work.second || !work.predicted || !work.ranked || !work.spare) {
        status = hsp_fail_memory(err);
        goto done;
    }
    status = match_labels(m, data, work.truth, err);
    if (status) goto done;
    predict_rows(m, &data->x, &work);
    rank_outputs(m, &data->x, &work, &x);
    count_outcomes(&data->x, &work, &x);
    x.unseen_values = count_unseen(m, &data->x);
done:
    hsp_free(work.truth);
    hsp_free(work.best);
    hsp_free(work.second);
    hsp_free(work.predicted);
    hsp_free(work.ranked);
    hsp_free(work.spare);
    if (status) hsp_metrics_clear(&x);
    *out = x;
    return status;
}

void hsp_metrics_clear(hsp_metrics *x) {
    hsp_free(x->confusion);
    *x = (hsp_metrics){0};
}

static double ratio(double a, double b) {
    return b > 0 ? a / b : (double)NAN;
}

static double hits(const hsp_metrics *x, int64_t k) {
    return (double)x->confusion[k * x->classes + k];
}

int64_t hsp_metrics_support(const hsp_metrics *x, int64_t k) {
    int64_t sum = 0;
    for (int64_t l = 0; l < x->classes; l++) sum += x->confusion[k * x->classes + l];
    return sum;
}

double hsp_metrics_precision(const hsp_metrics *x, int64_t k) {
    int64_t predicted = 0;
    for (int64_t l = 0; l < x->classes; l++) predicted += x->confusion[l * x->classes + k];
    return ratio(hits(x, k), (double)predicted);
}

double hsp_metrics_recall(const hsp_metrics *x, int64_t k) {
    return ratio(hits(x, k), (double)hsp_metrics_support(x, k));
}

/* 2 TP / (2 TP + FP + FN); 0 when nothing was hit, NaN when one of precision and recall does not exist. */
double hsp_metrics_f1(const hsp_metrics *x, int64_t k) {
    double p = hsp_metrics_precision(x, k), r = hsp_metrics_recall(x, k);
    if (isnan(p) || isnan(r)) return (double)NAN;
    return p + r > 0 ? 2 * p * r / (p + r) : 0;
}
