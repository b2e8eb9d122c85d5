/* The study `cv`: K-fold cross-validation. Every row is predicted once, by a model trained without its fold: encoding,
 * scaling and all other parameters come from the other folds. With --lambdas, all lambdas use the same folds. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/text.h"
#include "data/data.h"
#include "eval/metrics.h"
#include "fit/fit_report.h"
#include "model/model.h"
#include "option/options.h"
#include "problem/problem.h"
#include "solve/loop/progress_line.h"
#include "solve/loop/run.h"
#include "study/sweep_lambdas.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static const uint64_t FOLD_STREAM = UINT64_C(0x666f6c6473); /* "folds" */
static const hsp_study_range RANGE = {0, 8, 12, 25};

enum { MOST_FIGURES = 6 };
static const char *const of_classes[MOST_FIGURES] = {"accuracy", "balanced_accuracy", "log_loss", "brier",
                                                     "auc",      "average_precision"};
static const char *const of_numbers[MOST_FIGURES] = {"rmse", "mae", "r2"};

typedef struct fold_fits {
    const hsp_study_input *in;
    hsp_options *o;
    const char *const *figure; /* names of the figures; the first selects the best lambda */
    int64_t folds;             /* K */
    int32_t *fold;             /* n: fold of each row */
    int64_t *rows;             /* K: rows in each fold */
    double *grid;              /* L, ascending */
    int64_t L;                 /* 1 when lambda is fixed; then grid[0] is NaN */
    double *value;             /* L x K x MOST_FIGURES */
    double begun, end; /* the time of the start, and that at which --max-seconds ends all fits; INFINITY: no limit */
    pthread_t caller;  /* the thread that may call hooks */
    hsp_hooks watch;   /* of the fits on that thread */
    atomic_int_least64_t fits; /* done */
    atomic_int_least64_t late; /* fits that --max-seconds stopped */
    atomic_int_least64_t missed; /* other fits that missed the tolerance */
} fold_fits;

/* ---- folds ---- */

/* Assigns shuffled rows to the folds class by class. The sizes of two folds, in total and by class, differ by at most 1. */
static int deal_folds(fold_fits *w, hsp_error **err) {
    const hsp_data *data = w->in->data;
    int64_t n = data->x.n, classes = data->y ? data->classes.count : 1;
    int64_t *order = hsp_alloc(n, sizeof *order), *next = hsp_alloc_zero(classes, sizeof *next);
    w->fold = hsp_alloc(n, sizeof *w->fold);
    w->rows = hsp_alloc_zero(w->folds, sizeof *w->rows);
    int status = order && next && w->fold && w->rows ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        hsp_rng rng = hsp_rng_new((uint64_t)hsp_options_int(w->o, "seed", 1), FOLD_STREAM);
        for (int64_t i = 0; i < n; i++) order[i] = i;
        hsp_rng_shuffle(&rng, order, n);
        /* The first index of each class: the number of rows in the classes before it. */
        for (int64_t i = 0; data->y && i < data->x.n; i++)
            if (data->y[i] + 1 < classes) next[data->y[i] + 1]++;
        for (int64_t k = 1; k < classes; k++) next[k] += next[k - 1];
        for (int64_t i = 0; i < n; i++) {
            int64_t fold = next[data->y ? data->y[order[i]] : 0]++ % w->folds;
            w->fold[order[i]] = (int32_t)fold;
            w->rows[fold]++;
        }
    }
    HSP_FREE(order, next);
    return status;
}

/* A fold of weight 0 has no error, so the mean over the folds would be undefined. */
static int check_folds(const fold_fits *w, hsp_error **err) {
    const hsp_data *data = w->in->data;
    double *mass = hsp_alloc_zero(w->folds, sizeof *mass);
    if (!mass) return hsp_fail_memory(err);
    for (int64_t i = 0; i < data->x.n; i++) mass[w->fold[i]] += data->weight ? data->weight[i] : 1;
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < w->folds; k++)
        if (!(mass[k] > 0))
            status = hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                                 "all %lld rows of a fold have weight 0: remove such rows, or use fewer --folds",
                                 (long long)w->rows[k]);
    hsp_free(mass);
    return status;
}

/* Warns of classes with fewer rows than there are folds: some folds then measure nothing of them. */
static int warn_rare(const fold_fits *w, hsp_error **err) {
    enum { SHOWN = 5 };
    const hsp_data *data = w->in->data;
    if (!data->y || hsp_options_text(w->in->o, "positive")) return HSP_OK;
    int64_t *count = hsp_alloc(data->classes.count + 1, sizeof *count), rare = 0;
    hsp_text t = {0};
    if (!count) return hsp_fail_memory(err);
    hsp_data_class_counts(data, count);
    for (int64_t k = 0; k < data->classes.count; k++) {
        char piece[HSP_EXCERPT];
        if (count[k] == 0 || count[k] >= w->folds || ++rare > SHOWN) continue;
        hsp_text_format(&t, "%s'%s' (%lld)", rare > 1 ? ", " : "classes with fewer rows than folds: ",
                        hsp_excerpt(piece, data->classes.name[k], (int64_t)strlen(data->classes.name[k])),
                        (long long)count[k]);
    }
    if (rare > SHOWN) hsp_text_format(&t, " and %lld more", (long long)(rare - SHOWN));
    if (rare > 0)
        hsp_text_format(&t,
                        ": not every one of the %lld folds has rows of them; use fewer --folds, or join classes with "
                        "--map-label",
                        (long long)w->folds);
    hsp_warnings_log(&t, w->in->hooks);
    int status = t.failed ? hsp_fail_memory(err) : HSP_OK;
    hsp_text_free(&t);
    hsp_free(count);
    return status;
}

/* Selects the rows of a fold, or all others. */
static int take_fold(const fold_fits *w, int64_t fold, bool others, hsp_data **out, hsp_error **err) {
    int64_t n = w->in->data->x.n, count = 0, *rows = hsp_alloc(n, sizeof *rows);
    *out = NULL;
    if (!rows) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++)
        if ((w->fold[i] == fold) != others) rows[count++] = i;
    int status = hsp_data_take(w->in->data, rows, count, out, err);
    hsp_free(rows);
    return status;
}

/* ---- fits ---- */

static int evaluate_fold(const fold_fits *w, const hsp_model *m, const hsp_data *test, double *value, hsp_error **err) {
    hsp_data *own = NULL;
    hsp_metrics x;
    int status = hsp_model_encode(m, test, w->in->threads, &own, err);
    if (!status) status = hsp_metrics_compute(m, own ? own : test, NULL, &x, err);
    hsp_data_free(own);
    if (status) return status;
    const double classes[] = {x.accuracy, x.balanced_accuracy, x.log_loss, x.brier, x.auc, x.average_precision};
    const double numbers[] = {x.rmse, x.mae, x.r2};
    if (m->prepare.regression)
        memcpy(value, numbers, sizeof numbers);
    else
        memcpy(value, classes, sizeof classes);
    hsp_metrics_clear(&x);
    return HSP_OK;
}

/* Progress of the fit on the calling thread, as that of the whole study. */
static int report_fit(void *user, const hsp_progress *of_fit) {
    const fold_fits *w = user;
    hsp_run_place place = {atomic_load(&w->fits), w->folds * w->L, "fits"};
    hsp_outcome at = {.epochs = of_fit ? of_fit->epoch : 0, .dual_bound = NAN, .gap = NAN};
    const hsp_progress line = hsp_progress_line(place, of_fit ? of_fit->max_epochs : 0, &at,
                                                (hsp_evaluation){NAN, NAN, NAN, NAN}, w->begun, "study");
    return w->in->hooks->progress(w->in->hooks->user, &line);
}

static bool watches(const fold_fits *w) {
    const hsp_hooks *hooks = w->in->hooks;
    bool known = hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress;
    return known && hooks->progress && pthread_equal(w->caller, pthread_self());
}

/* Gives a fit its share of the time that --max-seconds leaves: as many fits run at a time as there are threads. */
static int limit_seconds(const fold_fits *w, hsp_options *o, hsp_error **err) {
    if (isinf(w->end)) return HSP_OK;
    int64_t left = w->folds * w->L - atomic_load(&w->fits), workers = w->in->threads < left ? w->in->threads : left;
    double seconds = fmax(w->end - hsp_clock_seconds(), 0) * (double)workers / (double)left;
    return hsp_options_set_double(o, "max-seconds", seconds, err);
}

static int fit_and_evaluate(fold_fits *w, const hsp_data *train, const hsp_data *test, int64_t k, int64_t i,
                            hsp_error **err) {
    hsp_model *m = NULL;
    hsp_options *o = NULL;
    int status = hsp_options_copy(w->o, &o, err);
    if (!status) status = limit_seconds(w, o, err);
    if (!status) status = hsp_study_train_watched(train, o, w->grid[i], watches(w) ? &w->watch : NULL, &m, err);
    const char *stop = status ? NULL : hsp_model_field(m, "stop_reason");
    if (stop && strcmp(stop, "max-seconds") == 0)
        atomic_fetch_add(&w->late, 1);
    else if (!status && hsp_report_flag(m->report, "tolerance_missed") == 1)
        atomic_fetch_add(&w->missed, 1);
    if (!status) status = evaluate_fold(w, m, test, w->value + (i * w->folds + k) * MOST_FIGURES, err);
    atomic_fetch_add(&w->fits, 1);
    if (!status && watches(w) && report_fit(w, NULL))
        status = hsp_fail(err, HSP_ECANCELLED, "cancelled before the first result");
    hsp_model_free(m);
    hsp_options_free(o);
    return status;
}

static int fit_fold(void *ctx, int64_t k, hsp_error **err) {
    fold_fits *w = ctx;
    hsp_data *train = NULL, *test = NULL;
    int status = take_fold(w, k, true, &train, err);
    if (!status) status = take_fold(w, k, false, &test, err);
    for (int64_t i = 0; !status && i < w->L; i++) status = fit_and_evaluate(w, train, test, k, i, err);
    hsp_data_free(train);
    hsp_data_free(test);
    return status;
}

/* ---- the study ---- */

static int choose_lambdas(fold_fits *w, hsp_error **err) {
    if (hsp_options_is_set(w->in->o, "lambdas"))
        return hsp_study_grid(w->in->data, w->o, w->in->threads, RANGE, &w->grid, &w->L, err);
    w->L = 1;
    w->grid = hsp_alloc(1, sizeof *w->grid);
    if (!w->grid) return hsp_fail_memory(err);
    w->grid[0] = NAN;
    return HSP_OK;
}

static int prepare_folds(fold_fits *w, hsp_error **err) {
    const hsp_data *data = w->in->data;
    bool vary = hsp_options_is_set(w->in->o, "lambdas");
    int status = vary ? hsp_study_options_lambda(w->in, "l2", &w->o, err) : hsp_study_options(w->in, &w->o, err);
    if (status) return status;
    w->folds = hsp_options_int(w->o, "folds", 5);
    w->figure = data->target ? of_numbers : of_classes;
    if (data->x.n < w->folds)
        return hsp_fail_at(err, HSP_EINPUT, hsp_data_place(data),
                           "%lld rows are too few for %lld folds: give more rows, or a smaller --folds",
                           (long long)data->x.n, (long long)w->folds);
    status = choose_lambdas(w, err);
    if (!status) status = deal_folds(w, err);
    if (!status) status = check_folds(w, err);
    if (!status) status = warn_rare(w, err);
    if (status) return status;
    w->value = hsp_alloc_zero(w->L * w->folds * MOST_FIGURES, sizeof *w->value);
    return w->value ? HSP_OK : hsp_fail_memory(err);
}

/* Mean and standard deviation (divisor K - 1) of figure f over the folds, for the i-th lambda. */
static void describe_folds(const fold_fits *w, int64_t i, int f, double *mean, double *sd) {
    const double *v = w->value + i * w->folds * MOST_FIGURES + f;
    double sum = 0, square = 0;
    for (int64_t k = 0; k < w->folds; k++) sum += v[k * MOST_FIGURES];
    *mean = sum / (double)w->folds;
    for (int64_t k = 0; k < w->folds; k++) square += (v[k * MOST_FIGURES] - *mean) * (v[k * MOST_FIGURES] - *mean);
    *sd = sqrt(square / (double)(w->folds - 1));
}

/* Adds the means for each lambda. Of equally good lambdas the largest is the best: it gives the simplest model. */
static int add_means(const fold_fits *w, hsp_study *s, int64_t *best, hsp_error **err) {
    static const char *const names[] = {"lambda", "mean", "sd"};
    double *v[3];
    int status = hsp_study_add_vectors(s, w->L, names, 3, v, err);
    if (status) return status;
    double *mean = v[1], *sd = v[2];
    memcpy(v[0], w->grid, (size_t)w->L * sizeof *v[0]);
    *best = 0;
    for (int64_t i = 0; i < w->L; i++) {
        describe_folds(w, i, 0, &mean[i], &sd[i]);
        if (w->figure == of_classes ? mean[i] >= mean[*best] : mean[i] <= mean[*best]) *best = i;
    }
    return HSP_OK;
}

static int64_t figures_of(const fold_fits *w) {
    int64_t count = 0;
    while (count < MOST_FIGURES && w->figure[count]) count++;
    return count;
}

/* Adds for each lambda the deciding figure by fold, and the means of all figures. */
static int add_tried(const fold_fits *w, hsp_study *s, hsp_error **err) {
    int64_t figures = figures_of(w);
    double *folds = hsp_study_add(s, "tried_folds", w->L, w->folds, err), sd;
    double *means = folds ? hsp_study_add(s, "tried_means", w->L, figures, err) : NULL;
    if (!means) return HSP_EMEMORY;
    for (int64_t i = 0; i < w->L; i++) {
        for (int64_t k = 0; k < w->folds; k++) folds[i * w->folds + k] = w->value[(i * w->folds + k) * MOST_FIGURES];
        for (int f = 0; f < figures; f++) describe_folds(w, i, f, &means[i * figures + f], &sd);
    }
    return HSP_OK;
}

/* Adds the figures of the best lambda, by fold and over all folds. */
static int add_folds(const fold_fits *w, hsp_study *s, int64_t best, hsp_error **err) {
    const double *v = w->value + best * w->folds * MOST_FIGURES;
    double *rows = hsp_study_add(s, "fold_rows", w->folds, 0, err);
    double *mean = rows ? hsp_study_add(s, "figure_mean", figures_of(w), 0, err) : NULL;
    double *sd = mean ? hsp_study_add(s, "figure_sd", figures_of(w), 0, err) : NULL;
    if (!sd) return HSP_EMEMORY;
    for (int64_t k = 0; k < w->folds; k++) rows[k] = (double)w->rows[k];
    for (int f = 0; f < figures_of(w); f++) {
        double *out = hsp_study_add(s, w->figure[f], w->folds, 0, err);
        if (!out) return HSP_EMEMORY;
        for (int64_t k = 0; k < w->folds; k++) out[k] = v[k * MOST_FIGURES + f];
        describe_folds(w, best, f, &mean[f], &sd[f]);
    }
    return HSP_OK;
}

static int study_cv(const hsp_study_input *in, hsp_study *s, hsp_error **err) {
    fold_fits w = {.in = in, .begun = hsp_clock_seconds(), .caller = pthread_self()};
    double most = hsp_options_real(in->o, "max-seconds", -1);
    w.end = most >= 0 ? w.begun + most : INFINITY;
    w.watch = (hsp_hooks){.size = sizeof w.watch, .user = &w, .progress = report_fit};
    int status = prepare_folds(&w, err);
    if (!status) status = hsp_study_side_by_side(in, w.folds, fit_fold, &w, NULL, err);
    int64_t best = 0;
    if (!status) status = add_means(&w, s, &best, err);
    if (!status) status = add_folds(&w, s, best, err);
    if (!status) status = add_tried(&w, s, err);
    if (!status) status = hsp_study_set(s, "unfinished", (double)atomic_load(&w.late), err);
    if (!status) status = hsp_study_set(s, "missed", (double)atomic_load(&w.missed), err);
    if (!status) status = hsp_study_set(s, "best", (double)best, err);
    if (!status) status = hsp_study_set(s, "folds", (double)w.folds, err);
    if (!status) status = hsp_study_set(s, "rows", (double)w.in->data->x.n, err);
    for (int f = 0; !status && f < figures_of(&w); f++) status = hsp_study_add_text(s, "figures", w.figure[f], err);
    if (!status) status = hsp_study_add_text(s, "algorithm", hsp_options_text(w.o, "algorithm"), err);
    HSP_FREE(w.value, w.grid, w.rows, w.fold);
    hsp_options_free(w.o);
    return status;
}

const hsp_study_entry hsp_study_cv = {
    .name = "cv",
    .help = "metrics on new data, estimated by cross-validation",
    .needs_data = true,
    .reports = true,
    .run = study_cv,
};
