#include "select/contender_trial.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/features.h"
#include "eval/metrics.h"
#include "fit/fit.h"
#include "model/model.h"
#include "option/options.h"
#include "select/baseline.h"
#include "select/cv.h"
#include "select/grid.h"
#include "select/largest_lambda.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

/* ---- options ---- */

int hsp_contender_options(const hsp_contender *c, const hsp_trial_rules *rules, hsp_options **out, hsp_error **err) {
    static const char *const shared[] = {"task", "positive", "class-weight", "seed", "threads"};
    int status = hsp_options_new(out, err);
    for (size_t i = 0; !status && i < sizeof shared / sizeof *shared; i++)
        if (hsp_options_is_set(rules->o, shared[i]))
            status = hsp_options_set(*out, shared[i], hsp_options_text(rules->o, shared[i]), err);
    if (!status && c->algorithm) status = hsp_options_set(*out, "algorithm", c->algorithm, err);
    const char *scale = hsp_contender_scale(c, rules->o, rules->scaled);
    if (!status && scale) status = hsp_options_set(*out, "scale", scale, err);
    for (const char *const *s = c->settings; !status && s && s[0]; s += 2) status = hsp_options_set(*out, s[0], s[1], err);
    const hsp_classifier *k = c->algorithm ? hsp_classifier_find(c->algorithm) : NULL;
    if (!status && k && hsp_classifier_takes(k, "loo")) status = hsp_options_set(*out, "loo", "no", err); /* it is not used */
    if (status) {
        hsp_options_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- rows ---- */

int hsp_trial_rows(const hsp_data *data, const int64_t *rows, int64_t count, const hsp_data *like, hsp_data **out,
                   hsp_error **err) {
    hsp_data *part = NULL, *own = NULL;
    *out = NULL;
    int status = hsp_data_take(data, rows, count, &part, err);
    if (!status && !like) status = hsp_data_learn_again(part, 1, &own, err);
    if (!status && like && like->features && part->frame) status = hsp_data_encode_by(part, like->features, 1, &own, err);
    if (own) {
        own->whole_rows = part->whole_rows;
        hsp_data_free(part);
        part = own;
    }
    if (status)
        hsp_data_free(part);
    else
        *out = part;
    return status;
}

/* ---- fits ---- */

static int fit(const hsp_contender *c, const hsp_data *train, const hsp_options *o, hsp_model **out, hsp_plain_fit *fitted,
               hsp_error **err) {
    *out = NULL;
    *fitted = (hsp_plain_fit){.relative_gap = NAN};
    if (!c->algorithm) return hsp_baseline_fit(train, o, out, err);
    int status = hsp_train_plain(train, o, NULL, out, fitted, err);
    const char *stop = status ? NULL : fitted->stop_reason;
    if (stop && strcmp(stop, "cancelled") == 0) status = hsp_fail(err, HSP_ECANCELLED, "interrupted");
    if (!status && !*out)
        status = hsp_fail(err, HSP_EINPUT, "no hard margin: the classes of the training rows are not separable");
    if (status) {
        hsp_model_free(*out);
        *out = NULL;
    }
    return status;
}

static int evaluate(const hsp_model *m, const hsp_data *test, hsp_metrics *x, hsp_error **err) {
    hsp_data *own = NULL;
    int status = hsp_model_encode(m, test, 1, &own, err);
    if (!status) status = hsp_metrics_compute(m, own ? own : test, NULL, x, err);
    hsp_data_free(own);
    return status;
}

/* ---- the inner choice ---- */

/* The standard deviation of the targets; 1 if they are all equal. */
static double target_spread(const hsp_data *data) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < data->x.n; i++) mean += data->target[i] / (double)data->x.n;
    for (int64_t i = 0; i < data->x.n; i++) squares += (data->target[i] - mean) * (data->target[i] - mean);
    double sd = sqrt(squares / (double)data->x.n);
    return sd > 0 && isfinite(sd) ? sd : 1;
}

/* For elastic-net: the part of L1 grows with the unit of the target, the part of L2 does not. So that the same shares of the
 * largest lambda give the same weights in any unit, with `top` the largest lambda of L1 alone,
 *     rho = top / (top + 1),   lambda = share (top + 1):
 * L1 has the weight share top, L2 the weight share. */
static int set_ratio(hsp_options *o, double *unit, hsp_error **err) {
    double top = *unit;
    *unit = top + 1;
    return hsp_options_set_double(o, "l1-ratio", top / (top + 1), err);
}

static int find_unit(const hsp_contender *c, const hsp_data *data, hsp_options *o, double *unit, hsp_error **err) {
    *unit = 1;
    if (c->unit == HSP_UNIT_TARGET) *unit = 1 / target_spread(data);
    int status = c->unit == HSP_UNIT_LAMBDA ? hsp_largest_lambda(data, o, 1, unit, err) : HSP_OK;
    bool mixed = !status && c->unit == HSP_UNIT_LAMBDA && strcmp(c->algorithm, "elastic-net") == 0;
    return mixed ? set_ratio(o, unit, err) : status;
}

/* Options of an inner cross-validation: those of the fits, and "C=0.01,0.1,1". */
static int inner_options(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *data, hsp_options *o,
                         hsp_options **out, hsp_error **err) {
    hsp_text values = {0};
    double unit;
    int status = find_unit(c, data, o, &unit, err);
    if (!status) status = hsp_options_copy(o, out, err);
    hsp_text_format(&values, "%s=", c->option);
    for (int64_t v = 0; v < c->count; v++) {
        hsp_text_add(&values, v > 0 ? "," : "");
        hsp_text_number(&values, c->values[v] * unit);
    }
    if (!status && values.failed) status = hsp_fail_memory(err);
    if (!status) status = hsp_options_set(*out, "grid", values.s, err);
    if (!status) status = hsp_options_set_int(*out, "folds", HSP_CONTENDER_FOLDS, err);
    if (!status) status = hsp_options_set(*out, "metric", rules->metric->name, err);
    hsp_text_free(&values);
    return status;
}

/* The chosen point of the grid. HSP_ECANCELLED: a request came first. */
static int choose_point(const hsp_grid *grid, const hsp_data *data, const hsp_options *o, int64_t *point, hsp_error **err) {
    hsp_cv_course course = {.caller = pthread_self(), .begun = hsp_clock_seconds(), .end = (double)INFINITY};
    hsp_cv inner = {0};
    int status = hsp_cv_begin(&inner, data, o, grid, &course, err);
    if (!status) status = hsp_cv_run(&inner, err);
    if (!status && hsp_cv_over(&course)) status = hsp_fail(err, HSP_ECANCELLED, "interrupted");
    if (!status) *point = hsp_cv_choose(&inner, o).chosen;
    if (!status && *point < 0)
        status = hsp_fail(err, HSP_EINPUT, "no value of the grid has a result in all inner folds: use fewer --folds");
    if (inner.grid) hsp_cv_end(&inner);
    return status;
}

int hsp_contender_choose(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *train, hsp_options *o,
                         double *value, hsp_error **err) {
    hsp_options *own = NULL;
    hsp_grid grid = {0};
    int64_t point = -1;
    *value = NAN;
    if (!c->option) return HSP_OK;
    int status = inner_options(c, rules, train, o, &own, err);
    if (!status) status = hsp_grid_new(own, c->regression, &grid, err);
    if (!status) status = choose_point(&grid, train, own, &point, err);
    if (!status) status = hsp_grid_set(&grid, point, o, err);
    if (!status) *value = hsp_grid_number(&grid, point, 0);
    hsp_grid_clear(&grid);
    hsp_options_free(own);
    return status;
}

/* ---- the trial ---- */

static int check_figure(const hsp_metric *metric, const hsp_trial *t, hsp_error **err) {
    if (!isnan(t->figure[metric - hsp_metric_table])) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "%s is undefined in a fold: use fewer --folds, or another --metric", metric->title);
}

/* Whether a fit is worth its time. */
static int check_fit(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *train, hsp_error **err) {
    const hsp_classifier *k = c->algorithm ? hsp_classifier_find(c->algorithm) : NULL;
    if (rules->metric->probabilities && k && !k->probabilities && !k->odds)
        return hsp_fail(err, HSP_EINPUT, "no probabilities, which --metric %s needs", rules->metric->name);
    if (rules->named || c->widest == 0 || train->x.d <= c->widest) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "left out, as %lld columns are more than %lld: name it in --only to fit it all the same",
                    (long long)train->x.d, (long long)c->widest);
}

static int fit_and_evaluate(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *train,
                            const hsp_data *test, hsp_trial *t, hsp_error **err) {
    hsp_options *o = NULL;
    hsp_model *m = NULL;
    hsp_plain_fit fitted;
    hsp_metrics x;
    int status = check_fit(c, rules, train, err);
    if (!status) status = hsp_contender_options(c, rules, &o, err);
    if (!status) status = hsp_contender_choose(c, rules, train, o, &t->chosen, err);
    if (!status) t->ratio = hsp_options_is_set(o, "l1-ratio") ? hsp_options_real(o, "l1-ratio", 0) : NAN;
    if (!status) status = fit(c, train, o, &m, &fitted, err);
    if (!status) status = evaluate(m, test, &x, err);
    if (!status) {
        for (int i = 0; hsp_metric_table[i].name; i++)
            t->figure[i] = hsp_metric_table[i].regression == c->regression ? hsp_metric_table[i].value(&x) : NAN;
        hsp_metrics_clear(&x);
        status = check_figure(rules->metric, t, err);
        t->gap = fitted.relative_gap;
        t->missed = fitted.missed;
    }
    hsp_model_free(m);
    hsp_options_free(o);
    return status;
}

/* An allocation failed. That a fit would need more memory than there is, is a message of its own, and the trial's. */
static bool is_out_of_memory(int status, const hsp_error *e) {
    static const char start[] = "out of memory";
    return status == HSP_EMEMORY && strncmp(hsp_error_message(e), start, sizeof start - 1) == 0;
}

int hsp_trial_run(const hsp_contender *c, const hsp_trial_rules *rules, const hsp_data *train, const hsp_data *test,
                  hsp_trial *t, hsp_error **err) {
    hsp_error *own = NULL;
    double begun = hsp_clock_thread_seconds();
    t->gap = t->chosen = t->ratio = NAN;
    int status = fit_and_evaluate(c, rules, train, test, t, &own);
    t->seconds = hsp_clock_thread_seconds() - begun;
    if (status == HSP_ECANCELLED || is_out_of_memory(status, own)) {
        hsp_error_pass(err, own);
        return status;
    }
    if (status) t->error = hsp_strdup(hsp_error_message(own));
    hsp_error_free(own);
    if (status && !t->error) return hsp_fail_memory(err);
    atomic_store(&t->done, true);
    return HSP_OK;
}
