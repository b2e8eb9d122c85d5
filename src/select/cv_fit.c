/* One fold, and one fit of cross-validation. What is learnt from rows, encoding and scaling included, is learnt from the
 * training part alone. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "data/features.h"
#include "data/folds.h"
#include "eval/metrics.h"
#include "fit/fit.h"
#include "model/model.h"
#include "option/options.h"
#include "problem/problem.h"
#include "select/cv.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- the parts of the data ---- */

/* The number of classes with positive weight, counted up to 2; *first: one of them. */
static int64_t classes_with_rows(const hsp_data *data, int64_t *first) {
    *first = -1;
    for (int64_t i = 0; i < data->x.n; i++) {
        if (data->weight && data->weight[i] == 0) continue;
        if (*first < 0) *first = data->y[i];
        if (data->y[i] != *first) return 2;
    }
    return *first < 0 ? 0 : 1;
}

static int check_training(const hsp_cv *cv, const hsp_cv_part *p, hsp_error **err) {
    int64_t only, any;
    if (!cv->data->y || classes_with_rows(p->train, &only) > 1 || classes_with_rows(cv->data, &any) < 2) return HSP_OK;
    return hsp_cv_fail_training(cv, p->job, only, err);
}

int hsp_cv_fail_training(const hsp_cv *cv, int64_t job, int64_t class, hsp_error **err) {
    char piece[HSP_EXCERPT];
    long long fold = (long long)(job % cv->folds.count) + 1, folds = (long long)cv->folds.count;
    const char *name = class >= 0 ? cv->data->classes.name[class] : "none";
    return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(cv->data),
                       "the models of fold %lld of %lld would be trained on one class alone ('%s'): %s", fold, folds,
                       hsp_excerpt(piece, name, (int64_t)strlen(name)),
                       cv->folds.by_time ? "use fewer --folds, so that the first rows in time have all classes"
                                         : "use more or fewer --folds, or other groups");
}

/* Encodes both parts of a table by what the training part teaches. */
static int encode_parts(hsp_cv_part *p, hsp_error **err) {
    hsp_data *own = NULL;
    int status = hsp_data_learn_again(p->train, 1, &own, err);
    if (status || !own) return status;
    own->whole_rows = p->train->whole_rows;
    hsp_data_free(p->train);
    p->train = own;
    status = hsp_data_encode_by(p->test, own->features, 1, &own, err);
    if (status) return status;
    hsp_data_free(p->test);
    p->test = own;
    return HSP_OK;
}

int hsp_cv_part_make(const hsp_cv *cv, int64_t job, hsp_cv_part *out, hsp_error **err) {
    int64_t n = cv->data->x.n, r = job / cv->folds.count, k = job % cv->folds.count;
    *out = (hsp_cv_part){.job = job};
    int64_t *rows = hsp_alloc(n, sizeof *rows);
    out->rows = hsp_alloc(n, sizeof *out->rows);
    int status = rows && out->rows ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        int64_t trained = hsp_folds_trained(&cv->folds, r, k, rows);
        out->count = hsp_folds_tested(&cv->folds, r, k, out->rows);
        cv->trained[job] = trained;
        cv->tested[job] = out->count;
        status = hsp_data_take(cv->data, rows, trained, &out->train, err);
    }
    hsp_free(rows);
    if (!status) status = hsp_data_take(cv->data, out->rows, out->count, &out->test, err);
    if (!status) status = check_training(cv, out, err);
    if (!status) status = encode_parts(out, err);
    return status;
}

void hsp_cv_part_clear(hsp_cv_part *p) {
    hsp_data_free(p->train);
    hsp_data_free(p->test);
    hsp_free(p->rows);
    p->train = p->test = NULL;
    p->rows = NULL;
}

/* ---- progress and limits ---- */

int hsp_cv_report_fit(void *user, const hsp_progress *of_fit) {
    const hsp_cv_course *c = user;
    hsp_run_place place = {atomic_load(&c->fits), c->all, "fits"};
    hsp_outcome at = {.epochs = of_fit ? of_fit->epoch : 0, .dual_bound = NAN, .gap = NAN};
    const hsp_progress line = hsp_progress_line(place, of_fit ? of_fit->max_epochs : 0, &at,
                                                (hsp_evaluation){NAN, NAN, NAN, NAN}, c->begun, "study");
    return c->hooks->progress(c->hooks->user, &line);
}

static bool watches(const hsp_cv_course *c) {
    const hsp_hooks *hooks = c->hooks;
    bool known = hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress;
    return known && hooks->progress && pthread_equal(c->caller, pthread_self());
}

/* Gives a fit its share of the time that --max-seconds leaves: as many fits run at a time as there are threads. */
static int limit_seconds(const hsp_cv *cv, hsp_options *o, hsp_error **err) {
    const hsp_cv_course *c = cv->course;
    const hsp_classifier *classifier = hsp_classifier_find(hsp_options_text(o, "algorithm"));
    if (isinf(c->end) || !classifier || !hsp_classifier_takes(classifier, "max-seconds")) return HSP_OK;
    int64_t left = c->all - atomic_load(&c->fits), workers = cv->threads < left ? cv->threads : left;
    if (left < 1) left = workers = 1;
    double seconds = fmax(c->end - hsp_clock_seconds(), 0) * (double)workers / (double)left;
    return hsp_options_set_double(o, "max-seconds", seconds, err);
}

/* ---- evaluation ---- */

int hsp_cv_evaluate(const hsp_cv *cv, const hsp_model *m, const hsp_scored_rows *rows, double *value, hsp_error **err) {
    hsp_metrics x;
    int status = hsp_metrics_of_scores(m, rows, &x, err);
    for (int f = 0; !status && f < cv->metrics; f++) value[f] = cv->metric[f].value(&x);
    if (!status) hsp_metrics_clear(&x);
    return status;
}

int hsp_cv_fail_undefined(const hsp_cv *cv, int64_t job, hsp_error **err) {
    long long fold = (long long)(job % cv->folds.count) + 1, folds = (long long)cv->folds.count;
    if (cv->pooled)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(cv->data),
                           "%s is undefined for these rows: use another --metric", cv->by->name);
    return hsp_fail_at(
        err, HSP_EINPUT, hsp_data_place(cv->data),
        "%s is undefined in fold %lld of %lld, whose rows all have the same %s: use fewer --folds, or another "
        "--metric",
        cv->by->name, fold, folds, cv->data->target ? "target" : "class");
}

int hsp_cv_check_value(const hsp_cv *cv, const hsp_model *m, int64_t job, const double *value, hsp_error **err) {
    if (!isnan(value[cv->by - cv->metric])) return HSP_OK;
    if (!cv->by->probabilities || hsp_model_has_probabilities(m)) return hsp_cv_fail_undefined(cv, job, err);
    return hsp_fail(err, HSP_EUSAGE,
                    "%s has no probabilities, so --metric %s cannot decide: use --calibrate, -a logistic or lda, or another "
                    "--metric",
                    m->algorithm, cv->by->name);
}

/* ---- scores that are kept ---- */

void hsp_cv_scores_clear(hsp_cv_scores *s) {
    hsp_model_free(s->m);
    HSP_FREE(s->score, s->probability, s->predicted, s->truth);
    *s = (hsp_cv_scores){0};
}

/* Copies what the model says of rows of a repeat to their places. All models of a point have the same outputs. */
static void place_scores(const hsp_cv *cv, int64_t job, const int64_t *row, int64_t count, const hsp_model *m,
                         const double *score, const int32_t *truth, hsp_cv_scores *s) {
    int64_t n = cv->data->x.n, base = job / cv->folds.count * n, K = m->prepare.classes.count;
    for (int64_t t = 0; t < count; t++) {
        int64_t at = base + row[t];
        memcpy(s->score + at * m->outputs, score + t * m->outputs, (size_t)m->outputs * sizeof *score);
        if (!s->predicted) continue;
        s->predicted[at] = (int32_t)hsp_model_decide(m, score + t * m->outputs);
        s->truth[at] = truth[t];
        if (s->probability) hsp_model_probabilities(m, score + t * m->outputs, s->probability + at * K);
    }
}

/* Room for the scores of a point, whose models are like m. */
static int reserve_scores(const hsp_cv *cv, const hsp_model *m, hsp_cv_scores *s) {
    int64_t rows = cv->data->x.n * cv->folds.repeats, K = m->prepare.classes.count;
    bool classes = !m->prepare.regression, probable = classes && hsp_model_has_probabilities(m);
    s->score = hsp_alloc(rows * m->outputs, sizeof *s->score);
    if (classes) s->predicted = hsp_alloc(rows, sizeof *s->predicted);
    if (classes) s->truth = hsp_alloc(rows, sizeof *s->truth);
    if (probable) s->probability = hsp_alloc(rows * K, sizeof *s->probability);
    if (!s->score || (classes && (!s->predicted || !s->truth)) || (probable && !s->probability)) return HSP_EMEMORY;
    for (int64_t i = 0; i < rows * m->outputs; i++) s->score[i] = NAN; /* rows that no fold tests */
    for (int64_t i = 0; classes && i < rows; i++) s->predicted[i] = s->truth[i] = -1;
    return HSP_OK;
}

int hsp_cv_keep(hsp_cv *cv, int64_t job, const int64_t *row, int64_t count, int64_t point, const hsp_model *m,
                const double *score, const int32_t *truth, hsp_error **err) {
    hsp_cv_scores *s = &cv->kept[point];
    pthread_mutex_lock(&cv->lock);
    int status = s->score || reserve_scores(cv, m, s) == HSP_OK ? HSP_OK : hsp_fail_memory(err);
    if (!status) place_scores(cv, job, row, count, m, score, truth, s);
    pthread_mutex_unlock(&cv->lock);
    return status;
}

void hsp_cv_keep_model(hsp_cv *cv, int64_t point, hsp_model **m) {
    hsp_cv_scores *s = &cv->kept[point];
    pthread_mutex_lock(&cv->lock);
    if (!s->m) {
        s->m = *m;
        *m = NULL;
        hsp_free(s->m->w); /* only what scores mean is wanted */
        s->m->w = NULL;
        for (int64_t i = 0; i < s->m->extra_count; i++) hsp_free(s->m->extras[i].data);
        s->m->extra_count = 0;
    }
    pthread_mutex_unlock(&cv->lock);
}

int hsp_cv_pool(hsp_cv *cv, int64_t point, hsp_error **err) {
    const hsp_cv_scores *s = &cv->kept[point];
    const hsp_scored_rows rows = {.n = cv->data->x.n,
                                  .score = s->score,
                                  .probability = s->probability,
                                  .predicted = s->predicted,
                                  .truth = s->truth,
                                  .target = cv->data->target,
                                  .weight = cv->data->weight};
    double *value = cv->value + point * cv->metrics;
    int status = hsp_cv_evaluate(cv, s->m, &rows, value, err);
    return status ? status : hsp_cv_check_value(cv, s->m, 0, value, err);
}

/* ---- a fit ---- */

/* Scores the test part, evaluates it, and keeps the scores where they are wanted. */
static int test_model(hsp_cv *cv, hsp_cv_part *p, int64_t point, hsp_model **m, hsp_error **err) {
    int64_t n = p->count > 0 ? p->count : 1;
    double *score = hsp_alloc(n * (*m)->outputs, sizeof *score);
    int32_t *truth = p->test->y ? hsp_alloc(n, sizeof *truth) : NULL;
    double *value = cv->value + (p->job * cv->grid->points + point) * cv->metrics;
    int status = score && (truth || !p->test->y) ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_model_score_matrix(*m, &p->test->x, 1, score, NULL, err);
    if (!status && truth) status = hsp_metrics_truth(*m, p->test, truth, err);
    const hsp_scored_rows rows = {
        .n = p->count, .score = score, .truth = truth, .target = p->test->target, .weight = p->test->weight};
    if (!status && !cv->pooled) status = hsp_cv_evaluate(cv, *m, &rows, value, err);
    if (!status && !cv->pooled) status = hsp_cv_check_value(cv, *m, p->job, value, err);
    if (!status && cv->kept) status = hsp_cv_keep(cv, p->job, p->rows, p->count, point, *m, score, truth, err);
    if (!status && cv->kept) hsp_cv_keep_model(cv, point, m);
    HSP_FREE(score, truth);
    return status;
}

/* Counts a fit that has ended. */
static void count_fit(hsp_cv_course *c, const hsp_plain_fit *fit) {
    bool late = fit->stop_reason && strcmp(fit->stop_reason, "max-seconds") == 0;
    if (late)
        atomic_fetch_add(&c->late, 1);
    else if (fit->missed)
        atomic_fetch_add(&c->missed, 1);
    atomic_fetch_add(&c->fits, 1);
}

/* Trains; *stopped: a request ended it. A request stops one fit: each that it stopped passes it on, until none is left. */
static int train_fold(hsp_cv *cv, const hsp_cv_part *p, const hsp_options *o, hsp_model **m, hsp_plain_fit *fit,
                      bool *stopped, hsp_error **err) {
    hsp_cv_course *c = cv->course;
    hsp_error *inner = NULL;
    atomic_fetch_add(&c->running, 1);
    int status = hsp_train_plain(p->train, o, watches(c) ? &c->watch : NULL, m, fit, &inner);
    *stopped = status == HSP_ECANCELLED || (!status && fit->stop_reason && strcmp(fit->stop_reason, "cancelled") == 0);
    if (*stopped) atomic_store(&c->stopped, true);
    if (atomic_fetch_sub(&c->running, 1) > 1 && *stopped) hsp_cancel_pass_on();
    if (*stopped) {
        hsp_error_free(inner);
        hsp_model_free(*m);
        *m = NULL;
        return HSP_OK;
    }
    if (inner) hsp_error_pass(err, inner);
    if (!status && !*m)
        status = hsp_fail(err, HSP_EINPUT,
                          "the training rows are not separable, so hard-svm has no solution: use another algorithm");
    return status;
}

int hsp_cv_fit(hsp_cv *cv, hsp_cv_part *p, int64_t point, hsp_error **err) {
    hsp_cv_course *c = cv->course;
    hsp_options *o = NULL;
    hsp_model *m = NULL;
    hsp_plain_fit fit;
    bool stopped = false;
    if (hsp_cancel_pending()) atomic_store(&c->stopped, true);
    if (hsp_clock_seconds() > c->end) atomic_store(&c->out_of_time, true);
    if (hsp_cv_over(c)) return HSP_OK;
    int status = hsp_cv_options(cv, point, &o, err);
    if (!status) status = limit_seconds(cv, o, err);
    if (!status) status = train_fold(cv, p, o, &m, &fit, &stopped, err);
    hsp_options_free(o);
    if (status || stopped) return status;
    cv->gap[p->job * cv->grid->points + point] = fit.relative_gap;
    status = test_model(cv, p, point, &m, err);
    hsp_model_free(m);
    count_fit(c, &fit);
    cv->fitted[p->job * cv->grid->points + point] = !status;
    if (!status && watches(c) && hsp_cv_report_fit(c, NULL)) atomic_store(&c->stopped, true);
    return status;
}
