/* Leave-one-out without n fits. The score of a row by the fit of least squares or ridge without it follows from the fit to all
 * rows and the leverage of the row (squares/). That is exact where the fit of n - 1 rows differs from that of n in the row
 * alone: no scaling, no encoding and no class weights that are learnt from the rows. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "eval/metrics.h"
#include "fit/fit.h"
#include "model/model.h"
#include "option/options.h"
#include "select/cv.h"

#include <math.h>
#include <string.h>

/* Every class needs a row besides the one that is left out. */
static bool has_two_of_each(const hsp_data *data) {
    int64_t *count = data->y ? hsp_alloc(data->classes.count + 1, sizeof *count) : NULL;
    if (!data->y) return true;
    if (!count) return false;
    hsp_data_class_counts(data, count);
    bool two = true;
    for (int64_t k = 0; k < data->classes.count; k++) two = two && count[k] != 1;
    hsp_free(count);
    return two;
}

static bool is_exact(const hsp_cv *cv, const hsp_options *o) {
    static const char *const others[] = {"class-weight", "loss", "delta", "tol", "positive"};
    const hsp_classifier *c = hsp_classifier_find(hsp_options_text(o, "algorithm"));
    if (!c || !hsp_classifier_takes(c, "loo") || cv->data->features || cv->data->weight || cv->data->group) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hsp_options_is_set(o, others[i])) return false;
    bool scaled = !hsp_options_is(o, "scale", "none");
    return !scaled && !hsp_options_is(o, "lambda", "auto") && has_two_of_each(cv->data);
}

/* C is the same for n - 1 rows; lambda = 1 / (n C) is not. */
static int set_penalty(const hsp_cv *cv, hsp_options *o, hsp_options **out, hsp_error **err) {
    double lambda = hsp_options_is_set(o, "lambda") ? hsp_options_real(o, "lambda", NAN) : (double)NAN;
    *out = NULL;
    if (!(lambda > 0)) return hsp_options_copy(o, out, err);
    int status = hsp_options_new(out, err);
    for (int64_t i = 0; !status && i < hsp_option_table_size; i++) {
        const char *name = hsp_option_table[i].name;
        if (hsp_options_is_set(o, name) && strcmp(name, "lambda") != 0)
            status = hsp_options_set(*out, name, hsp_options_text(o, name), err);
    }
    if (!status) status = hsp_options_set_double(*out, "C", 1 / (lambda * (double)(cv->data->x.n - 1)), err);
    return status;
}

/* Moves the scores of the report to the place of the point: 1, or 0 if some are undefined. */
static int take_scores(hsp_cv *cv, int64_t point, hsp_model **m, const hsp_report *report, hsp_error **err) {
    const char *details = hsp_report_member(report, "ridge") ? "ridge" : "least_squares";
    hsp_array a = {.size = sizeof a};
    int64_t n = cv->data->x.n, outputs = (*m)->outputs;
    if (hsp_report_array(hsp_report_member(report, details), "loo_scores", &a, NULL)) return 0;
    const double *score = a.data;
    for (int64_t i = 0; i < n * outputs; i++)
        if (isnan(score[i])) return 0;
    hsp_cv_scores *s = &cv->kept[point];
    int32_t *truth = cv->data->y ? hsp_alloc(n, sizeof *truth) : NULL;
    s->score = hsp_alloc(n * outputs, sizeof *s->score);
    if (cv->data->y) s->predicted = hsp_alloc(n, sizeof *s->predicted);
    s->truth = truth;
    if (!s->score || (cv->data->y && (!s->predicted || !truth))) return hsp_fail_memory(err);
    memcpy(s->score, score, (size_t)(n * outputs) * sizeof *score);
    for (int64_t i = 0; s->predicted && i < n; i++) s->predicted[i] = (int32_t)hsp_model_decide(*m, score + i * outputs);
    int status = truth ? hsp_metrics_truth(*m, cv->data, truth, err) : HSP_OK;
    s->m = *m;
    *m = NULL;
    return status ? status : 1;
}

static int run_point(hsp_cv *cv, int64_t point, hsp_error **err) {
    hsp_options *o = NULL, *own = NULL;
    hsp_model *m = NULL;
    hsp_report *report = NULL;
    int status = hsp_cv_options(cv, point, &o, err), done = 0;
    if (!status && is_exact(cv, o)) {
        status = set_penalty(cv, o, &own, err);
        if (!status) status = hsp_options_set(own, "loo", "yes", err);
        if (!status) status = hsp_train(cv->data, own, NULL, &m, &report, err);
        if (!status) done = take_scores(cv, point, &m, report, err);
    }
    hsp_report_free(report);
    hsp_model_free(m);
    hsp_options_free(o);
    hsp_options_free(own);
    return status ? status : done;
}

int hsp_cv_run_exact(hsp_cv *cv, hsp_error **err) {
    int status = 1;
    for (int64_t p = 0; status > 0 && p < cv->grid->points; p++) {
        status = run_point(cv, p, err);
        if (hsp_cancel_pending()) atomic_store(&cv->course->stopped, true);
        if (status > 0 && hsp_cv_over(cv->course)) status = 0;
    }
    for (int64_t p = 0; status <= 0 && p < cv->grid->points; p++) hsp_cv_scores_clear(&cv->kept[p]);
    for (int64_t i = 0; status > 0 && i < cv->jobs; i++) {
        for (int64_t p = 0; p < cv->grid->points; p++) cv->fitted[i * cv->grid->points + p] = true;
        cv->tested[i] = 1;
        cv->trained[i] = cv->data->x.n - 1;
    }
    if (status > 0) cv->course->all = cv->grid->points;
    if (status > 0) atomic_store(&cv->course->fits, cv->grid->points);
    return status;
}
