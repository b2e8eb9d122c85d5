/* One pass computes decisions and probabilities and needs the scores of one row at a time. With more than two classes, a
 * second one ranks the rows for each class, a few classes at a time, so that memory stays at a few numbers per row for any
 * number of classes. Rows are ranked twice: by the probability of the class (its score, if the model has no probabilities),
 * as scikit-learn does, and by the lead
 *
 *     g_k - max of the other scores,
 *
 * because scores of one class need not be comparable between rows (nearest-mean omits |x|^2 / 2), but leads are. */
#include "eval/metrics.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "prepare/prepare.h"

#include <math.h>
#include <string.h>

enum { GROUP = 8 }; /* classes ranked in one pass */

typedef struct metrics_work {
    const hsp_matrix *x;   /* of the rows; NULL: their scores are given */
    hsp_scored_rows given; /* truth, weights, and what else is known of the rows */
    double *best;          /* the largest score of each row */
    double *second;        /* the second largest; with one output the probability of the positive class */
    int32_t *predicted;
    hsp_normaliser *by; /* of each row; NULL with one output or without probabilities */
    double *level,
        *lead; /* n x GROUP: probabilities or scores, and leads, of the classes being ranked; NULL with one output */
    hsp_ranked *ranked, *spare;
    double *score, *p; /* of one row: scores (outputs) and probabilities (K) */
} metrics_work;

static int check_truth(const hsp_model *m, const hsp_data *data, hsp_error **err) {
    hsp_place where = hsp_data_place(data);
    if (m->prepare.regression) {
        if (data->target) return 0;
        return hsp_fail_at(err, HSP_EINPUT, where, "no target column: give it with --target");
    }
    if (data->y) return 0;
    if (data->target) {
        return hsp_fail_at(err, HSP_EINPUT, where,
                           "the data have a numeric target, but the model is a classifier: leave --task out");
    }
    return hsp_fail_at(err, HSP_EINPUT, where, "no label column: give it with --target");
}

int hsp_metrics_check(const hsp_model *m, const hsp_data *data, hsp_error **err) {
    int status = check_truth(m, data, err);
    if (status) return status;
    if (data->x.n < 1)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "no rows to evaluate: give a file with data");
    return hsp_model_check_features(m, data, err);
}

static double weight_of(const metrics_work *work, int64_t i) {
    return work->given.weight ? work->given.weight[i] : 1;
}

/* The scores of a row: those given, or computed in the scratch. */
static const double *scores_of(const hsp_model *m, const metrics_work *work, int64_t i) {
    if (work->given.score) return work->given.score + i * m->outputs;
    hsp_model_score_row(m, hsp_matrix_row(work->x, i), work->score);
    return work->score;
}

int hsp_metrics_truth(const hsp_model *m, const hsp_data *data, int32_t *truth, hsp_error **err) {
    const hsp_classes *classes = &data->classes;
    int32_t *map = hsp_alloc(classes->count > 0 ? classes->count : 1, sizeof *map);
    if (!map) return hsp_fail_memory(err);
    for (int64_t k = 0; k < classes->count; k++) {
        map[k] = (int32_t)hsp_prepare_class(&m->prepare, classes->name[k], (int64_t)strlen(classes->name[k]));
    }
    int status = 0;
    for (int64_t i = 0; i < data->x.n && !status; i++) {
        truth[i] = map[data->y[i]];
        if (truth[i] < 0) {
            status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                                 "label '%s' is not a class of the model: map it with --map-label, or remove its rows",
                                 classes->name[data->y[i]]);
        }
    }
    hsp_free(map);
    return status;
}

/* Predicts the class and keeps the two largest scores. */
static void decide_row(const hsp_model *m, int64_t i, const double *scores, metrics_work *work) {
    double best = scores[0], second = -INFINITY;
    for (int64_t k = 1; k < m->outputs; k++) {
        double score = scores[k];
        if (score > best) {
            second = best;
            best = score;
        } else if (score > second) {
            second = score;
        }
    }
    work->best[i] = best;
    work->second[i] = second;
    work->predicted[i] = work->given.predicted ? work->given.predicted[i] : (int32_t)hsp_model_decide(m, scores);
}

/* Adds the log loss and the Brier score of a row: -log p of the true class, and the squared distance of the probabilities
 * to it. */
static void evaluate_row(const hsp_model *m, int64_t i, const double *scores, metrics_work *work, hsp_metrics *out) {
    const double *p = work->given.probability ? work->given.probability + i * out->classes : work->p;
    if (!hsp_model_has_probabilities(m)) return;
    if (!work->given.probability) hsp_model_probabilities(m, scores, work->p);
    int64_t truth = work->given.truth[i];
    double square = 0, weight = weight_of(work, i);
    if (m->outputs == 1) work->second[i] = p[m->prepare.positive];
    for (int64_t k = 0; k < out->classes; k++) {
        if (m->outputs == 1 && k != m->prepare.positive) continue;
        double distance = p[k] - (truth == k ? 1 : 0);
        square += distance * distance;
    }
    out->brier += weight * square;
    out->log_loss -= weight * log(fmax(p[truth], HSP_LEAST_PROBABILITY));
}

static void predict_rows(const hsp_model *m, metrics_work *work, hsp_advance *advance, hsp_metrics *out) {
    for (int64_t i = 0; i < work->given.n; i++) {
        if (hsp_metrics_stopped(advance, i)) return;
        double weight = weight_of(work, i);
        int64_t truth = work->given.truth[i];
        const double *scores = scores_of(m, work, i);
        decide_row(m, i, scores, work);
        if (work->by) work->by[i] = hsp_model_normaliser(m, scores);
        evaluate_row(m, i, scores, work, out);
        if (m->outputs == 1) hsp_loss_sums_add(&out->losses, weight, truth == m->prepare.positive ? 1 : -1, scores[0]);
        out->confusion[truth * out->classes + work->predicted[i]] += weight;
    }
    bool has_probabilities = hsp_model_has_probabilities(m);
    out->brier = has_probabilities ? out->brier / out->mass : (double)NAN;
    out->log_loss = has_probabilities ? out->log_loss / out->mass : (double)NAN;
}

/* Computes what ranks the rows for `count` classes from `first` on: the probability or score of the class, and its score
 * minus the largest of the others. */
static void find_levels(const hsp_model *m, int64_t first, int64_t count, metrics_work *work) {
    for (int64_t i = 0; i < work->given.n; i++) {
        double *lead = work->lead + i * GROUP, *level = work->level + i * GROUP;
        const double *p = work->given.probability ? work->given.probability + i * m->outputs + first : NULL;
        if (work->given.score)
            memcpy(lead, work->given.score + i * m->outputs + first, (size_t)count * sizeof *lead);
        else
            hsp_model_score_outputs(m, first, count, hsp_matrix_row(work->x, i), lead);
        for (int64_t k = 0; k < count; k++) {
            bool won = lead[k] == work->best[i]; /* or tied with the winner, which is the second then */
            level[k] = p ? p[k] : work->by ? hsp_model_probability_of(m, first + k, lead[k], work->by[i]) : lead[k];
            lead[k] -= won ? work->second[i] : work->best[i];
        }
    }
}

/* Sorts the rows by what they have for the class. */
static void sort_rows(int64_t class, const double *by, int64_t stride, metrics_work *work) {
    int64_t n = work->given.n;
    for (int64_t i = 0; i < n; i++) {
        double weight = weight_of(work, i);
        bool positive = work->given.truth[i] == class;
        work->ranked[i] = (hsp_ranked){by[i * stride], positive ? weight : 0, positive ? 0 : weight};
    }
    hsp_rank_sort(work->ranked, work->spare, n);
}

static void rank_class(int64_t class, const double *by, int64_t stride, metrics_work *work, double *auc,
                       double *precision) {
    int64_t n = work->given.n;
    sort_rows(class, by, stride, work);
    *auc = hsp_rank_auc(work->ranked, n);
    *precision = hsp_rank_average_precision(work->ranked, n);
}

/* A mean over the classes for which a metric is defined. */
typedef struct class_mean {
    double sum, count;
} class_mean;

static void add_class(class_mean *mean, double value) {
    if (isnan(value)) return;
    mean->sum += value;
    mean->count++;
}

static double mean_of(const class_mean *mean) {
    return mean->count > 0 ? mean->sum / mean->count : (double)NAN;
}

static void rank_rows(const hsp_model *m, metrics_work *work, hsp_advance *advance, hsp_metrics *out) {
    int64_t n = work->given.n;
    bool probable = hsp_model_has_probabilities(m);
    out->lead_auc = out->lead_average_precision = out->calibration_error = (double)NAN;
    if (m->outputs == 1) {
        rank_class(m->prepare.positive, work->best, 1, work, &out->auc, &out->average_precision);
        if (probable) sort_rows(m->prepare.positive, work->second, 1, work);
        if (probable) out->calibration_error = hsp_rank_calibration_error(work->ranked, n);
        return;
    }
    double error = 0;
    class_mean auc[2] = {{0}}, precision[2] = {{0}};
    for (int64_t k = 0; k < m->outputs && !hsp_advance_rows(advance, k > 0 ? work->given.n : 0); k++) {
        int64_t rest = m->outputs - k;
        if (k % GROUP == 0) find_levels(m, k, rest < GROUP ? rest : GROUP, work);
        for (int by_lead = 0; by_lead < 2; by_lead++) {
            double a, p;
            rank_class(k, (by_lead ? work->lead : work->level) + k % GROUP, GROUP, work, &a, &p);
            add_class(&auc[by_lead], a);
            add_class(&precision[by_lead], p);
            if (!by_lead) error += hsp_rank_calibration_error(work->ranked, n) / (double)m->outputs;
        }
        hsp_advance_pass(advance);
    }
    out->auc = mean_of(&auc[0]);
    out->average_precision = mean_of(&precision[0]);
    out->lead_auc = mean_of(&auc[1]);
    out->lead_average_precision = mean_of(&precision[1]);
    if (probable) out->calibration_error = error;
}

static int64_t count_unseen(const hsp_model *m, const hsp_matrix *x) {
    int64_t d = m->prepare.schema.d, unseen = 0;
    if (x->d <= d) return 0;
    for (int64_t i = 0; i < x->n; i++) {
        hsp_row r = hsp_matrix_row(x, i);
        for (int64_t t = r.count - 1; t >= 0 && hsp_row_id(r, t) >= d; t--) unseen += hsp_row_value(r, t) != 0;
    }
    return unseen;
}

static bool make_room(const hsp_model *m, int64_t n, int64_t classes, metrics_work *work) {
    work->best = hsp_alloc(n, sizeof *work->best);
    work->second = hsp_alloc(n, sizeof *work->second);
    work->predicted = hsp_alloc(n, sizeof *work->predicted);
    work->ranked = hsp_alloc(n, sizeof *work->ranked);
    work->spare = hsp_alloc(n, sizeof *work->spare);
    work->score = hsp_alloc(m->outputs, sizeof *work->score);
    work->p = hsp_alloc(classes, sizeof *work->p);
    bool many = m->outputs > 1, probable = many && hsp_model_has_probabilities(m) && !work->given.probability;
    if (many) work->lead = hsp_alloc(n, GROUP * sizeof *work->lead);
    if (many) work->level = hsp_alloc(n, GROUP * sizeof *work->level);
    if (probable) work->by = hsp_alloc(n, sizeof *work->by);
    return work->best && work->second && work->predicted && work->ranked && work->spare && work->score && work->p &&
           (!many || (work->lead && work->level)) && (!probable || work->by);
}

static int evaluate_classes(const hsp_model *m, const hsp_matrix *matrix, const hsp_scored_rows *rows, hsp_advance *advance,
                            hsp_metrics *x, hsp_error **err) {
    metrics_work work = {.x = matrix, .given = *rows};
    x->classes = m->prepare.classes.count;
    x->positive = m->outputs == 1 ? m->prepare.positive : -1;
    x->confusion = hsp_alloc_zero(x->classes * x->classes, sizeof *x->confusion);
    int status = x->confusion && make_room(m, x->rows, x->classes, &work) ? 0 : hsp_fail_memory(err);
    if (!status) {
        predict_rows(m, &work, advance, x);
        hsp_advance_pass(advance);
        rank_rows(m, &work, advance, x);
        for (int64_t k = 0; k < x->classes; k++) x->correct += x->confusion[k * x->classes + k];
        x->accuracy = x->correct / x->mass;
        double recalls = 0, present = 0;
        for (int64_t k = 0; k < x->classes; k++) {
            double recall = hsp_metrics_recall(x, k);
            if (!isnan(recall)) recalls += recall, present++;
        }
        x->balanced_accuracy = recalls / present;
    }
    HSP_FREE(work.best, work.second, work.predicted, work.lead, work.level, work.by, work.ranked, work.spare, work.score,
             work.p);
    return status;
}

/* Metrics of the rows; matrix: scored where the rows have no scores. */
static int evaluate_rows(const hsp_model *m, const hsp_matrix *matrix, const hsp_scored_rows *rows, const char *file,
                         hsp_advance *advance, hsp_metrics *x, hsp_error **err) {
    *x = (hsp_metrics){.rows = rows->n, .weighted = rows->weight != NULL, .positive = -1};
    for (int64_t i = 0; i < x->rows; i++) x->mass += rows->weight ? rows->weight[i] : 1;
    if (!(x->mass > 0))
        return hsp_fail_at(err, HSP_EINPUT, (hsp_place){.file = file},
                           "all rows have weight 0: give at least one row a positive weight");
    int status = 0;
    if (m->prepare.regression)
        hsp_metrics_regression(m, matrix, rows, advance, x);
    else
        status = evaluate_classes(m, matrix, rows, advance, x, err);
    if (!status && hsp_advance_rows(advance, 0))
        status = hsp_fail(err, HSP_ECANCELLED, "interrupted before all rows were evaluated");
    if (status) hsp_metrics_clear(x);
    return status;
}

int hsp_metrics_of_scores(const hsp_model *m, const hsp_scored_rows *rows, hsp_metrics *out, hsp_error **err) {
    return evaluate_rows(m, NULL, rows, NULL, NULL, out, err);
}

int64_t hsp_metrics_passes(const hsp_model *m) {
    return m->prepare.regression ? 1 : 1 + m->outputs;
}

int hsp_metrics_compute(const hsp_model *m, const hsp_data *data, hsp_advance *advance, hsp_metrics *out, hsp_error **err) {
    int32_t *truth = NULL;
    *out = (hsp_metrics){.positive = -1};
    int status = hsp_metrics_check(m, data, err);
    if (status) return status;
    if (!m->prepare.regression) {
        if (HSP_ALLOC(truth, data->x.n))
            status = hsp_metrics_truth(m, data, truth, err);
        else
            status = hsp_fail_memory(err);
    }
    const hsp_scored_rows rows = {.n = data->x.n, .truth = truth, .target = data->target, .weight = data->weight};
    if (!status) status = evaluate_rows(m, &data->x, &rows, hsp_data_place(data).file, advance, out, err);
    if (!status) out->unseen_values = count_unseen(m, &data->x);
    hsp_free(truth);
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
    return x->confusion[k * x->classes + k];
}

double hsp_metrics_support(const hsp_metrics *x, int64_t k) {
    double sum = 0;
    for (int64_t l = 0; l < x->classes; l++) sum += x->confusion[k * x->classes + l];
    return sum;
}

double hsp_metrics_precision(const hsp_metrics *x, int64_t k) {
    double predicted = 0;
    for (int64_t l = 0; l < x->classes; l++) predicted += x->confusion[l * x->classes + k];
    return ratio(hits(x, k), predicted);
}

double hsp_metrics_recall(const hsp_metrics *x, int64_t k) {
    return ratio(hits(x, k), hsp_metrics_support(x, k));
}

/* 2 TP / (2 TP + FP + FN); 0 without true positives, NaN if precision or recall is undefined. */
double hsp_metrics_f1(const hsp_metrics *x, int64_t k) {
    double p = hsp_metrics_precision(x, k), r = hsp_metrics_recall(x, k);
    if (isnan(p) || isnan(r)) return (double)NAN;
    return p + r > 0 ? 2 * p * r / (p + r) : 0;
}

double hsp_metrics_mean_f1(const hsp_metrics *x) {
    double sum = 0, count = 0;
    for (int64_t k = 0; k < x->classes; k++) {
        double of_class = hsp_metrics_support(x, k), predicted = 0;
        for (int64_t l = 0; l < x->classes; l++) predicted += x->confusion[l * x->classes + k];
        bool counts = x->positive >= 0 ? k == x->positive : true;
        if (!counts || !(of_class + predicted > 0)) continue;
        sum += 2 * hits(x, k) / (of_class + predicted);
        count++;
    }
    return ratio(sum, count);
}

double hsp_metrics_mcc(const hsp_metrics *x) {
    double n = x->mass, both = 0, predictions = 0, truths = 0;
    for (int64_t k = 0; k < x->classes; k++) {
        double of_class = hsp_metrics_support(x, k), predicted = 0;
        for (int64_t l = 0; l < x->classes; l++) predicted += x->confusion[l * x->classes + k];
        both += predicted * of_class;
        predictions += predicted * predicted;
        truths += of_class * of_class;
    }
    double square = (n * n - predictions) * (n * n - truths);
    return square > 0 ? (x->correct * n - both) / sqrt(square) : 0;
}
