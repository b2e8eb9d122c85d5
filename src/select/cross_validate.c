/* hsp_cross_validate: folds x grid -> metrics -> the choice -> predictions, nested estimate, model of all rows, report. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "data/folds.h"
#include "fit/fit.h"
#include "fit/fit_report.h"
#include "option/options.h"
#include "prepare/target_check.h"
#include "select/cv.h"

#include <math.h>
#include <string.h>

/* ---- the options of a fit ---- */

static const hsp_classifier *classifier_of(const hsp_cv *cv, int64_t point) {
    int64_t axis = hsp_grid_axis_of(cv->grid, "algorithm");
    return hsp_classifier_find(axis >= 0 ? hsp_grid_text(cv->grid, point, axis) : hsp_options_text(cv->o, "algorithm"));
}

static bool is_training(const hsp_option *p) {
    return strcmp(p->group, "train") == 0 || strcmp(p->group, "run") == 0;
}

static bool takes(const hsp_classifier *c, const char *option) {
    return !c || strcmp(option, "algorithm") == 0 || hsp_classifier_takes(c, option) ||
           (c->one_vs_rest && strcmp(option, "multiclass") == 0);
}

/* An option that some algorithm of the grid does not take is one of the others alone. Without such a grid training refuses
 * it, unless it limits the time, which is a limit on all fits. */
static bool is_left_out(const hsp_cv *cv, const hsp_classifier *c, const hsp_option *p) {
    if (!is_training(p) || takes(c, p->name)) return false;
    return strcmp(p->name, "max-seconds") == 0 || hsp_grid_axis_of(cv->grid, "algorithm") >= 0;
}

/* A penalty to vary: of algorithms that have none unless they are asked to. */
static int set_penalty(const hsp_cv *cv, const hsp_classifier *c, hsp_options *o, hsp_error **err) {
    bool varied = hsp_grid_axis_of(cv->grid, "lambda") >= 0 || hsp_grid_axis_of(cv->grid, "C") >= 0;
    if (!varied || !c || !hsp_classifier_takes(c, "penalty") || c->only_l2 || hsp_options_is_set(o, "penalty"))
        return HSP_OK;
    const char *usual = hsp_classifier_default(c, "penalty");
    return usual && strcmp(usual, "none") == 0 ? hsp_options_set(o, "penalty", "l2", err) : HSP_OK;
}

int hsp_cv_options(const hsp_cv *cv, int64_t point, hsp_options **out, hsp_error **err) {
    const hsp_classifier *c = classifier_of(cv, point);
    int status = hsp_options_new(out, err);
    for (int64_t i = 0; !status && i < hsp_option_table_size; i++) {
        const hsp_option *p = &hsp_option_table[i];
        if (!hsp_options_is_set(cv->o, p->name) || is_left_out(cv, c, p)) continue;
        status = hsp_options_set(*out, p->name, hsp_options_text(cv->o, p->name), err);
    }
    if (!status) status = hsp_grid_set(cv->grid, point, *out, err);
    if (!status) status = set_penalty(cv, c, *out, err);
    /* The leave-one-out error of a fit is not used. */
    if (!status && c && hsp_classifier_takes(c, "loo") && !hsp_options_is_set(*out, "loo") &&
        !hsp_options_is(*out, "lambda", "auto"))
        status = hsp_options_set(*out, "loo", "no", err);
    if (status) {
        hsp_options_free(*out);
        *out = NULL;
    }
    return status;
}

/* With several algorithms, an option that none of them takes. */
static int check_idle(const hsp_cv *cv, hsp_error **err) {
    int64_t axis = hsp_grid_axis_of(cv->grid, "algorithm");
    for (int64_t i = 0; axis >= 0 && i < hsp_option_table_size; i++) {
        const hsp_option *p = &hsp_option_table[i];
        if (!is_training(p) || !hsp_options_is_set(cv->o, p->name) || strcmp(p->name, "max-seconds") == 0) continue;
        bool taken = false;
        for (int64_t a = 0; a < cv->grid->axis[axis].count; a++)
            taken = taken || takes(hsp_classifier_find(cv->grid->axis[axis].text[a]), p->name);
        if (!taken)
            return hsp_fail(err, HSP_EUSAGE, "no algorithm of --grid uses %s%s: leave it out", hsp_option_dashes(p->name),
                            p->name);
    }
    return HSP_OK;
}

/* ---- a run ---- */

static int reserve_results(hsp_cv *cv, hsp_error **err) {
    int64_t points = cv->grid->points;
    cv->jobs = cv->folds.repeats * cv->folds.count;
    cv->parts = cv->pooled ? 1 : cv->jobs;
    cv->value = hsp_alloc_zero(cv->parts * points * cv->metrics, sizeof *cv->value);
    cv->gap = hsp_alloc(cv->jobs * points, sizeof *cv->gap);
    cv->tested = hsp_alloc_zero(cv->jobs, sizeof *cv->tested);
    cv->trained = hsp_alloc_zero(cv->jobs, sizeof *cv->trained);
    cv->fitted = hsp_alloc_zero(cv->jobs * points, sizeof *cv->fitted);
    cv->complete = hsp_alloc_zero(cv->jobs, sizeof *cv->complete);
    if (!cv->value || !cv->gap || !cv->tested || !cv->trained || !cv->fitted || !cv->complete) return hsp_fail_memory(err);
    for (int64_t i = 0; i < cv->jobs * points; i++) cv->gap[i] = NAN;
    return cv->pooled ? hsp_cv_keep_scores(cv, err) : HSP_OK;
}

int hsp_cv_keep_scores(hsp_cv *cv, hsp_error **err) {
    cv->kept = hsp_alloc_zero(cv->grid->points, sizeof *cv->kept);
    return cv->kept ? HSP_OK : hsp_fail_memory(err);
}

int hsp_cv_begin(hsp_cv *cv, const hsp_data *data, const hsp_options *o, const hsp_grid *grid, hsp_cv_course *course,
                 hsp_error **err) {
    *cv = (hsp_cv){.data = data, .grid = grid, .course = course, .lock = PTHREAD_MUTEX_INITIALIZER};
    cv->threads = hsp_pool_threads(hsp_options_int(o, "threads", 0));
    cv->metrics = hsp_metrics_of_task(data->target != NULL, &cv->metric);
    int status = hsp_metric_choose(o, data->target != NULL, &cv->by, err);
    if (!status) status = hsp_options_copy(o, &cv->o, err);
    if (!status && hsp_grid_axis_of(grid, "algorithm") < 0)
        status = hsp_options_set(cv->o, "algorithm", hsp_classifier_chosen(o, data->target != NULL), err);
    if (!status) status = check_idle(cv, err);
    if (!status) status = hsp_folds_new(data, o, &cv->folds, err);
    cv->pooled = !data->group && hsp_options_is(o, "folds", "loo");
    return status ? status : reserve_results(cv, err);
}

void hsp_cv_end(hsp_cv *cv) {
    for (int64_t p = 0; cv->kept && p < cv->grid->points; p++) hsp_cv_scores_clear(&cv->kept[p]);
    HSP_FREE(cv->kept, cv->value, cv->gap, cv->tested, cv->trained, cv->fitted, cv->complete);
    hsp_folds_clear(&cv->folds);
    hsp_options_free(cv->o);
    *cv = (hsp_cv){0};
}

/* ---- checks before the fits ---- */

/* What training refuses, before the first fold. */
static int check_data(const hsp_data *data, const hsp_options *o, hsp_error **err) {
    const hsp_classifier *c = hsp_classifier_find(hsp_classifier_chosen(o, true));
    if (data->refusal) return hsp_fail(err, HSP_EINPUT, "%s", data->refusal);
    if (!data->y && !data->target)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data), "no labels: give their column with --target");
    return hsp_target_check(data, o, c && c->regression, err);
}

static int check_options(const hsp_options *o, const hsp_grid *g, hsp_error **err) {
    bool penalty = hsp_grid_axis_of(g, "lambda") >= 0 || hsp_grid_axis_of(g, "C") >= 0;
    if (hsp_options_is(o, "choose", "one-se") && !penalty)
        return hsp_fail(err, HSP_EUSAGE,
                        "--choose one-se takes the strongest penalty, and none is varied: add --grid C=0.01:100:log9, or "
                        "leave it out");
    if (hsp_options_is(o, "choose", "one-se") && hsp_options_is(o, "folds", "loo"))
        return hsp_fail(err, HSP_EUSAGE,
                        "--choose one-se needs the standard error of several folds, and --folds loo gives one value: use "
                        "--folds 10");
    if (hsp_options_text(o, "nested") && g->axes == 0)
        return hsp_fail(
            err, HSP_EUSAGE,
            "--nested estimates a choice, and there is none to make: add --grid C=0.01:100:log9, or leave it out");
    return HSP_OK;
}

/* Rows of positive weight of each class that fold k tests: count[k x classes]. Of one repeat. */
static void count_classes(const hsp_cv *cv, int64_t repeat, int64_t *count, int64_t *all) {
    int64_t n = cv->data->x.n, classes = cv->data->classes.count;
    const int32_t *fold = cv->folds.fold + repeat * n;
    for (int64_t i = 0; i < n; i++) {
        if (cv->data->weight && cv->data->weight[i] == 0) continue;
        if (fold[i] >= 0) count[fold[i] * classes + cv->data->y[i]]++;
        all[cv->data->y[i]]++;
    }
}

/* Whether more than one class has rows; one: a class that has. */
static bool has_two(const int64_t *count, int64_t classes, int64_t *one) {
    int64_t present = 0;
    for (int64_t k = 0; k < classes; k++) {
        if (count[k] > 0) *one = k;
        present += count[k] > 0;
    }
    return present > 1;
}

static int check_fold(const hsp_cv *cv, int64_t k, const int64_t *tested, const int64_t *trained, hsp_error **err) {
    int64_t classes = cv->data->classes.count, one = 0;
    bool ranking = strcmp(cv->by->name, "auc") == 0;
    if (!has_two(trained, classes, &one)) return hsp_cv_fail_training(cv, k, one, err);
    return ranking && !has_two(tested, classes, &one) ? hsp_cv_fail_undefined(cv, k, err) : HSP_OK;
}

/* What is known to fail before the first fit: models of one class alone, and folds without an AUC. */
static int check_classes(const hsp_cv *cv, hsp_error **err) {
    enum { MOST = 1 << 24 };
    int64_t classes = cv->data->classes.count, folds = cv->folds.count, one = 0;
    if (!cv->data->y || cv->pooled || classes < 2 || folds > MOST / classes) return HSP_OK;
    int64_t *count = hsp_alloc((folds + 2) * classes, sizeof *count), *all = count + folds * classes,
            *trained = all + classes;
    int status = count ? HSP_OK : hsp_fail_memory(err);
    for (int64_t r = 0; !status && r < cv->folds.repeats; r++) {
        memset(count, 0, (size_t)((folds + 2) * classes) * sizeof *count);
        count_classes(cv, r, count, all);
        if (!has_two(all, classes, &one)) break; /* training says so */
        for (int64_t c = 0; cv->folds.by_time && c < classes; c++) {
            trained[c] = all[c];
            for (int64_t k = 0; k < folds; k++) trained[c] -= count[k * classes + c];
        }
        for (int64_t k = 0; !status && k < folds; k++) {
            for (int64_t c = 0; !cv->folds.by_time && c < classes; c++) trained[c] = all[c] - count[k * classes + c];
            status = check_fold(cv, k, count + k * classes, trained, err);
            for (int64_t c = 0; cv->folds.by_time && c < classes; c++) trained[c] += count[k * classes + c];
        }
    }
    hsp_free(count);
    return status;
}

/* Warns of classes with fewer rows than there are folds: some folds then measure nothing of them. */
static int warn_rare(const hsp_cv *cv, const hsp_options *o, hsp_text *t, hsp_error **err) {
    enum { SHOWN = 5 };
    const hsp_data *data = cv->data;
    if (!data->y || hsp_options_text(o, "positive") || data->group || cv->folds.by_time || cv->pooled) return HSP_OK;
    int64_t *count = hsp_alloc(data->classes.count + 1, sizeof *count), rare = 0;
    if (!count) return hsp_fail_memory(err);
    hsp_data_class_counts(data, count);
    for (int64_t k = 0; k < data->classes.count; k++) {
        char piece[HSP_EXCERPT];
        if (count[k] == 0 || count[k] >= cv->folds.count || ++rare > SHOWN) continue;
        hsp_text_format(t, "%s'%s' (%lld)", rare > 1 ? ", " : "classes with fewer rows than folds: ",
                        hsp_excerpt(piece, data->classes.name[k], (int64_t)strlen(data->classes.name[k])),
                        (long long)count[k]);
    }
    if (rare > SHOWN) hsp_text_format(t, " and %lld more", (long long)(rare - SHOWN));
    if (rare > 0)
        hsp_text_format(t,
                        ": not every one of the %lld folds has rows of them; use fewer --folds, or join classes with "
                        "--map-label\n",
                        (long long)cv->folds.count);
    hsp_free(count);
    return t->failed ? hsp_fail_memory(err) : HSP_OK;
}

static void warn_fits(const hsp_cv_course *c, hsp_text *t) {
    long long late = (long long)atomic_load(&c->late), missed = (long long)atomic_load(&c->missed),
              fits = (long long)atomic_load(&c->fits);
    if (late > 0)
        hsp_text_format(t, "--max-seconds stopped %lld of %lld fits before they converged: use a larger limit\n", late,
                        fits);
    if (atomic_load(&c->out_of_time))
        hsp_text_format(t,
                        "--max-seconds ended the work after %lld of %lld fits: use a larger limit, fewer values or fewer "
                        "folds\n",
                        fits, (long long)c->all);
    if (missed > 0)
        hsp_text_format(t, "%lld of %lld fits missed the tolerance: use a larger --max-epochs or --tol\n", missed, fits);
}

/* ---- the whole ---- */

/* The work of a call. */
typedef struct validation {
    const hsp_data *data;
    const hsp_options *o;
    hsp_cv_course course;
    hsp_grid grid;
    hsp_cv cv;
    hsp_cv_choice choice;
    hsp_cv_nested nested;
    hsp_text warnings;
    hsp_report *refit;
    const char *predictions; /* borrowed: the file that was written; NULL: none */
} validation;

static void plan_fits(validation *v, bool refit) {
    int64_t points = v->grid.points, outer = hsp_options_int(v->o, "nested", 0);
    v->course.all = v->cv.jobs * points + (hsp_options_text(v->o, "predictions") && !v->cv.kept ? v->cv.jobs : 0) + refit;
    v->course.all += outer * (v->cv.folds.count * points + 1);
}

/* Whether the scores of all points are kept for --predictions; else those of the chosen one are found again. */
static bool keeps_all(const validation *v) {
    const double MOST = 1 << 25; /* numbers */
    double classes = (double)v->data->classes.count, rows = (double)v->data->x.n * (double)v->cv.folds.repeats;
    return v->grid.points == 1 || (double)v->grid.points * rows * (2 * classes + 2) <= MOST;
}

static int prepare_run(validation *v, const hsp_hooks *hooks, bool refit, hsp_error **err) {
    double most = hsp_options_real(v->o, "max-seconds", -1);
    v->course.hooks = hooks;
    v->course.caller = pthread_self();
    v->course.begun = hsp_clock_seconds();
    v->course.end = most >= 0 ? v->course.begun + most : (double)INFINITY;
    v->course.watch = (hsp_hooks){.size = sizeof v->course.watch, .user = &v->course, .progress = hsp_cv_report_fit};
    v->choice = (hsp_cv_choice){-1, -1, -1};
    int status = check_data(v->data, v->o, err);
    if (!status) status = hsp_grid_new(v->o, v->data->target != NULL, &v->grid, err);
    if (!status) status = check_options(v->o, &v->grid, err);
    if (!status) status = hsp_cv_begin(&v->cv, v->data, v->o, &v->grid, &v->course, err);
    if (!status && hsp_options_text(v->o, "predictions") && !v->cv.kept && keeps_all(v))
        status = hsp_cv_keep_scores(&v->cv, err);
    if (!status && !hsp_options_text(v->o, "positive")) status = check_classes(&v->cv, err);
    if (status) return status;
    plan_fits(v, refit);
    hsp_data_warn(v->data, hsp_options_text(v->o, "positive"), &v->warnings);
    status = warn_rare(&v->cv, v->o, &v->warnings, err);
    hsp_warnings_log(&v->warnings, hooks);
    return status;
}

/* Whether the caller has asked to stop; out of time, what there is so far is still of use. */
static bool is_stopped(const validation *v) {
    return atomic_load(&v->course.stopped);
}

/* The scores of the chosen point: those that were kept, or those of another run of it alone. */
static int write_predictions(validation *v, hsp_error **err) {
    const char *path = hsp_options_text(v->o, "predictions");
    hsp_grid one = {.points = 1};
    hsp_options *o = NULL;
    hsp_cv again = {0};
    if (!path || v->choice.chosen < 0 || is_stopped(v)) return HSP_OK;
    int status = HSP_OK;
    if (v->cv.kept) {
        status = hsp_cv_write_predictions(&v->cv, &v->cv.kept[v->choice.chosen], path, err);
    } else if (!hsp_cv_over(&v->course)) {
        status = hsp_cv_options(&v->cv, v->choice.chosen, &o, err);
        if (!status) status = hsp_cv_begin(&again, v->data, o, &one, &v->course, err);
        if (!status) status = hsp_cv_keep_scores(&again, err);
        if (!status) status = hsp_cv_run(&again, err);
        if (status || hsp_cv_over(&v->course)) path = NULL;
        if (path) status = hsp_cv_write_predictions(&again, &again.kept[0], path, err);
    } else {
        path = NULL;
    }
    v->predictions = status ? NULL : path;
    if (again.grid) hsp_cv_end(&again);
    hsp_options_free(o);
    return status;
}

/* Fits the chosen point on all rows. */
static int fit_model(validation *v, const hsp_hooks *hooks, hsp_model **model, hsp_error **err) {
    hsp_options *o = NULL;
    if (!model || v->choice.chosen < 0 || is_stopped(v)) return HSP_OK;
    int status = hsp_cv_options(&v->cv, v->choice.chosen, &o, err);
    if (!status) status = hsp_train(v->data, o, hooks, model, &v->refit, err);
    hsp_options_free(o);
    if (status) return status;
    const char *stop = hsp_report_text(v->refit, "stop_reason");
    if (stop && strcmp(stop, "cancelled") == 0) {
        atomic_store(&v->course.stopped, true);
        hsp_model_free(*model);
        *model = NULL;
    }
    atomic_fetch_add(&v->course.fits, 1);
    return HSP_OK;
}

static int validate(validation *v, const hsp_hooks *hooks, hsp_model **model, hsp_error **err) {
    int64_t classes = v->data->classes.count;
    int status = hsp_data_check_columns(v->data, v->o, classes > 2 ? classes : 1, err);
    if (!status) status = prepare_run(v, hooks, model != NULL, err);
    if (!status) status = hsp_cv_run(&v->cv, err);
    if (status) return status;
    v->choice = hsp_cv_choose(&v->cv, v->o);
    hsp_cv_warn_ends(&v->cv, v->choice.best, &v->warnings);
    status = write_predictions(v, err);
    if (!status && hsp_options_text(v->o, "nested") && !hsp_cv_over(&v->course))
        status = hsp_cv_nested_run(&v->cv, v->o, &v->nested, err);
    if (!status) status = fit_model(v, hooks, model, err);
    if (!status) warn_fits(&v->course, &v->warnings);
    return status;
}

int hsp_cross_validate(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, hsp_model **model,
                       hsp_report **report, hsp_error **err) {
    hsp_options *none = NULL;
    hsp_report *unwanted = NULL;
    if (model) *model = NULL;
    if (!report) report = &unwanted;
    *report = NULL;
    int status = o ? HSP_OK : hsp_options_new(&none, err);
    validation v = {.data = data, .o = o ? o : none};
    if (!status) status = validate(&v, hooks, model, err);
    if (status == HSP_ECANCELLED || atomic_load(&v.course.stopped)) hsp_cancel_take(); /* whichever function noticed it */
    const hsp_cv_result result = {.cv = &v.cv,
                                  .o = v.o,
                                  .choice = v.choice,
                                  .nested = v.nested.fold ? &v.nested : NULL,
                                  .refit = v.refit,
                                  .predictions = v.predictions,
                                  .warnings = &v.warnings};
    if (!status) status = hsp_cv_write_report(&result, report, err);
    if (status && model) {
        hsp_model_free(*model);
        *model = NULL;
    }
    if (v.cv.grid) hsp_cv_end(&v.cv);
    hsp_grid_clear(&v.grid);
    hsp_cv_nested_clear(&v.nested);
    hsp_text_free(&v.warnings);
    hsp_report_free(v.refit);
    hsp_report_free(unwanted);
    hsp_options_free(none);
    return status;
}
