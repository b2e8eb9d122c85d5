/* Points that differ only in C, or only in lambda, are fitted together on all folds, over one copy of the data, where
 * shared_fits.h can do that. It gives the scores of the held-out rows; what these mean (classes, probabilities) a model says
 * that is trained on a few rows with the same options. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "classifier/classifier.h"
#include "data/data.h"
#include "data/folds.h"
#include "eval/metrics.h"
#include "fit/fit.h"
#include "model/model.h"
#include "option/options.h"
#include "select/cv.h"
#include "select/shared_fits.h"
#include "select/shared_setup.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The points that are fitted together, on the folds of a repeat. */
typedef struct point_sharing {
    hsp_cv *cv;
    int64_t *point; /* owned: count */
    double *number; /* owned: C or lambda of each */
    int64_t count;
    hsp_options *o; /* owned: of the fits */
    hsp_model *m;   /* owned: of a few rows */
    double *weight; /* owned: folds x classes, the class weights of each fold if they are balanced; or NULL */
    int32_t *truth; /* owned: n */
    double *score;  /* owned: count x n x outputs */
    double *gap;    /* owned: count x folds */
    int64_t fits_before, repeat;
    hsp_shared_fits fits;
    int *status; /* owned: of the evaluation of each fold */
    hsp_error **error;
} point_sharing;

static void clear_sharing(point_sharing *g) {
    HSP_FREE(g->point, g->number, g->weight, g->truth, g->score, g->gap, g->status, g->error);
    hsp_options_free(g->o);
    hsp_model_free(g->m);
}

/* ---- the points ---- */

static int64_t penalty_axis(const hsp_grid *g) {
    int64_t lambda = hsp_grid_axis_of(g, "lambda");
    return lambda >= 0 ? lambda : hsp_grid_axis_of(g, "C");
}

/* Collects the points that differ from `first` only in the penalty. Without such an axis it is alone, with its C or lambda. */
static int collect_points(point_sharing *g, int64_t first, hsp_error **err) {
    const hsp_grid *grid = g->cv->grid;
    int64_t axis = penalty_axis(grid);
    g->point = hsp_alloc(grid->points, sizeof *g->point);
    g->number = hsp_alloc(grid->points, sizeof *g->number);
    if (!g->point || !g->number) return hsp_fail_memory(err);
    bool by_lambda = axis >= 0 ? strcmp(grid->axis[axis].option->name, "lambda") == 0 : hsp_options_is_set(g->o, "lambda");
    for (int64_t p = axis >= 0 ? 0 : first; p < (axis >= 0 ? grid->points : first + 1); p++) {
        if (axis >= 0 && !hsp_grid_alike(grid, p, first, axis)) continue;
        g->number[g->count] = axis >= 0   ? hsp_grid_number(grid, p, axis)
                              : by_lambda ? hsp_options_real(g->o, "lambda", NAN)
                                          : hsp_options_real(g->o, "C", 1);
        g->point[g->count++] = p;
    }
    g->fits.C = by_lambda ? NULL : g->number;
    g->fits.lambda = by_lambda ? g->number : NULL;
    g->fits.count = g->count;
    return HSP_OK;
}

static bool are_positive(const point_sharing *g) {
    for (int64_t i = 0; i < g->count; i++)
        if (!(g->number[i] > 0)) return false;
    return true;
}

/* ---- progress ---- */

/* Of the fits on the caller's thread, as that of the whole work. */
static int report_shared(void *user, const hsp_progress *p) {
    const point_sharing *g = user;
    hsp_cv_course *c = g->cv->course;
    atomic_store(&c->fits, g->fits_before + p->problem);
    return hsp_cv_report_fit(c, NULL);
}

static bool is_watched(const hsp_hooks *hooks) {
    return hooks && hooks->size >= offsetof(hsp_hooks, progress) + sizeof hooks->progress && hooks->progress;
}

/* ---- the model that says what scores mean ---- */

/* Two rows of each class, of positive weight. */
static int64_t pick_rows(const hsp_data *data, int64_t *rows, int64_t *seen) {
    int64_t count = 0;
    for (int64_t i = 0; i < data->x.n; i++) {
        if ((data->weight && data->weight[i] == 0) || seen[data->y[i]] == 2) continue;
        seen[data->y[i]]++;
        rows[count++] = i;
    }
    return count;
}

static int make_model(point_sharing *g, hsp_error **err) {
    const hsp_data *data = g->cv->data;
    int64_t *rows = hsp_alloc(2 * data->classes.count + 1, sizeof *rows),
            *seen = hsp_alloc_zero(data->classes.count, sizeof *seen);
    hsp_data *few = NULL;
    hsp_plain_fit fit;
    int status = rows && seen ? HSP_OK : hsp_fail_memory(err);
    if (!status) status = hsp_data_take(data, rows, pick_rows(data, rows, seen), &few, err);
    if (!status) status = hsp_train_plain(few, g->o, NULL, &g->m, &fit, err);
    hsp_data_free(few);
    HSP_FREE(rows, seen);
    return status;
}

/* Balanced class weights of a fold, as training has them: the same total for every class that has rows. */
static void balance_fold(const point_sharing *g, const int64_t *rows, int64_t count, double *weight) {
    int64_t classes = g->m->prepare.classes.count, present = 0;
    const double *own = g->cv->data->weight;
    double total = 0;
    for (int64_t k = 0; k < classes; k++) weight[k] = 0;
    for (int64_t t = 0; t < count; t++) weight[g->truth[rows[t]]] += own ? own[rows[t]] : 1;
    for (int64_t k = 0; k < classes; k++) total += weight[k], present += weight[k] > 0;
    for (int64_t k = 0; k < classes; k++) weight[k] = weight[k] > 0 ? total / ((double)present * weight[k]) : 1;
}

/* ---- evaluation ---- */

/* Arrays of the rows of a fold. */
typedef struct tested_fold {
    int64_t *row, *trained;
    int32_t *truth;
    double *weight, *score;
    int64_t count;
} tested_fold;

static int reserve_fold(const point_sharing *g, tested_fold *r) {
    int64_t n = g->cv->data->x.n;
    r->row = hsp_alloc(n, sizeof *r->row);
    r->trained = hsp_alloc(n, sizeof *r->trained);
    r->truth = hsp_alloc(n, sizeof *r->truth);
    r->score = hsp_alloc(n * g->m->outputs, sizeof *r->score);
    if (g->cv->data->weight) r->weight = hsp_alloc(n, sizeof *r->weight);
    return r->row && r->trained && r->truth && r->score && (r->weight || !g->cv->data->weight) ? HSP_OK : HSP_EMEMORY;
}

static void free_fold(tested_fold *r) {
    HSP_FREE(r->row, r->trained, r->truth, r->weight, r->score);
}

/* Evaluates point i on the rows of a fold. */
static int evaluate_point(const point_sharing *g, int64_t k, int64_t i, const hsp_model *m, tested_fold *r,
                          hsp_error **err) {
    hsp_cv *cv = g->cv;
    int64_t job = g->repeat * cv->folds.count + k, K = m->outputs, at = job * cv->grid->points + g->point[i];
    const double *score = g->score + i * cv->data->x.n * K;
    if (isnan(g->gap[i * cv->folds.count + k])) return HSP_OK; /* not fitted */
    for (int64_t t = 0; t < r->count; t++) memcpy(r->score + t * K, score + r->row[t] * K, (size_t)K * sizeof *score);
    const hsp_scored_rows rows = {.n = r->count, .score = r->score, .truth = r->truth, .weight = r->weight};
    int status = hsp_cv_evaluate(cv, m, &rows, cv->value + at * cv->metrics, err);
    if (!status) status = hsp_cv_check_value(cv, m, job, cv->value + at * cv->metrics, err);
    if (!status && cv->kept) status = hsp_cv_keep(cv, job, r->row, r->count, g->point[i], m, r->score, r->truth, err);
    cv->gap[at] = g->gap[i * cv->folds.count + k];
    cv->fitted[at] = !status;
    if (!(cv->gap[at] <= g->fits.tol)) atomic_fetch_add(&cv->course->missed, 1);
    return status;
}

static int evaluate_fold(const point_sharing *g, int64_t k, tested_fold *r, hsp_error **err) {
    const hsp_cv *cv = g->cv;
    hsp_model m = *g->m; /* borrowed: with the class weights of the fold */
    int64_t job = g->repeat * cv->folds.count + k, classes = m.prepare.classes.count;
    int status = reserve_fold(g, r) ? hsp_fail_memory(err) : HSP_OK;
    if (status) return status;
    cv->trained[job] = hsp_folds_trained(&cv->folds, g->repeat, k, r->trained);
    r->count = cv->tested[job] = hsp_folds_tested(&cv->folds, g->repeat, k, r->row);
    if (g->weight) {
        m.class_weight = g->weight + k * classes;
        balance_fold(g, r->trained, cv->trained[job], m.class_weight);
    }
    for (int64_t t = 0; t < r->count; t++) {
        r->truth[t] = g->truth[r->row[t]];
        if (r->weight) r->weight[t] = cv->data->weight[r->row[t]];
    }
    for (int64_t i = 0; !status && i < g->count; i++) status = evaluate_point(g, k, i, &m, r, err);
    return status;
}

static void evaluate_task(void *ctx, int64_t k) {
    point_sharing *g = ctx;
    tested_fold r = {0};
    g->status[k] = evaluate_fold(g, k, &r, &g->error[k]);
    free_fold(&r);
}

static int evaluate_folds(point_sharing *g, hsp_error **err) {
    int64_t folds = g->cv->folds.count;
    int status = HSP_OK;
    for (int64_t k = 0; k < folds; k++) {
        g->status[k] = HSP_OK;
        g->error[k] = NULL;
    }
    hsp_pool_run(folds, g->cv->threads, evaluate_task, g);
    for (int64_t k = 0; k < folds; k++) {
        if (!status && g->status[k]) {
            status = g->status[k];
            hsp_error_pass(err, g->error[k]);
        } else {
            hsp_error_free(g->error[k]);
        }
    }
    return status;
}

/* ---- all ---- */

/* The models of kept scores: each is its point's own. */
static int keep_models(point_sharing *g, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; !status && g->cv->kept && i < g->count; i++) {
        hsp_cv_keep_model(g->cv, g->point[i], &g->m);
        if (!g->m) status = make_model(g, err);
    }
    return status;
}

static int run_repeat(point_sharing *g, hsp_error **err) {
    hsp_cv_course *c = g->cv->course;
    int64_t done = 0;
    hsp_error *inner = NULL;
    g->fits.repeat = g->repeat;
    g->fits_before = atomic_load(&c->fits);
    int status = hsp_shared_fits_run(&g->fits, g->score, g->gap, &done, &inner);
    atomic_store(&c->fits, g->fits_before + done);
    if (status == HSP_ECANCELLED) {
        atomic_store(&c->stopped, true);
        hsp_error_free(inner);
        status = HSP_OK;
    } else if (inner) {
        hsp_error_pass(err, inner);
    }
    return status ? status : evaluate_folds(g, err);
}

/* What the scores need, and arrays for them. */
static int prepare_sharing(point_sharing *g, hsp_error **err) {
    const hsp_cv *cv = g->cv;
    int64_t n = cv->data->x.n, folds = cv->folds.count;
    int status = make_model(g, err);
    if (status) return status;
    g->truth = hsp_alloc(n, sizeof *g->truth);
    g->score = hsp_alloc(g->count * n, (size_t)g->m->outputs * sizeof *g->score);
    g->gap = hsp_alloc(g->count * folds, sizeof *g->gap);
    g->status = hsp_alloc(folds, sizeof *g->status);
    g->error = hsp_alloc(folds, sizeof *g->error);
    bool balanced = hsp_options_is(g->o, "class-weight", "balanced");
    if (balanced) g->weight = hsp_alloc(folds * g->m->prepare.classes.count, sizeof *g->weight);
    if (!g->truth || !g->score || !g->gap || !g->status || !g->error || (balanced && !g->weight))
        return hsp_fail_memory(err);
    return hsp_metrics_truth(g->m, cv->data, g->truth, err);
}

/* The default. Few data cost nothing, so that figures are right to their last printed digit; a smooth loss costs little; else a
 * gap at which estimates are the same. */
static double choose_tol(const point_sharing *g) {
    static const double FEW = 2e7, FINE = 1e-6, USUAL = 3e-4; /* FEW: stored values times fits */
    const hsp_cv *cv = g->cv;
    double work = (double)cv->data->x.stored * (double)cv->jobs * (double)g->count;
    if (hsp_options_is_set(g->o, "tol")) return hsp_options_real(g->o, "tol", USUAL);
    return work <= FEW ? FINE : hsp_options_is(g->o, "algorithm", "logistic") ? USUAL : HSP_SHARED_TOL;
}

/* hsp_shared_fits_apply, but without memory it fails: another way of fitting would give other last digits. */
static int ask_sharing(const point_sharing *g, bool *applies, int64_t *outputs, hsp_error **err) {
    hsp_shared_setup u;
    *applies = false;
    if (!are_positive(g)) return HSP_OK;
    int status = hsp_shared_setup_init(&u, &g->fits, applies, err);
    *outputs = u.outputs;
    hsp_shared_setup_free(&u);
    return status;
}

static int share_points(point_sharing *g, int64_t first, bool *applies, hsp_error **err) {
    enum { MOST = 1 << 27 }; /* scores that are held at a time */
    hsp_cv *cv = g->cv;
    int status = hsp_cv_options(cv, first, &g->o, err);
    int64_t outputs = 0;
    *applies = false;
    if (!status) status = collect_points(g, first, err);
    if (status) return status;
    g->fits = (hsp_shared_fits){cv->data,       g->o,     &cv->folds,    0,           g->fits.C,
                                g->fits.lambda, g->count, choose_tol(g), cv->threads, NULL};
    status = ask_sharing(g, applies, &outputs, err);
    if (status || !*applies) return status;
    *applies = outputs * g->count <= MOST / cv->data->x.n;
    if (!*applies) return HSP_OK;
    const hsp_hooks hooks = {.size = sizeof hooks, .user = g, .progress = report_shared};
    g->fits.hooks = is_watched(cv->course->hooks) ? &hooks : NULL;
    status = prepare_sharing(g, err);
    *applies = !status;
    for (g->repeat = 0; !status && g->repeat < cv->folds.repeats && !hsp_cv_over(cv->course); g->repeat++)
        status = run_repeat(g, err);
    return status ? status : keep_models(g, err);
}

int hsp_cv_run_shared(hsp_cv *cv, bool *shared, hsp_error **err) {
    const hsp_grid *grid = cv->grid;
    int64_t axis = penalty_axis(grid);
    int status = HSP_OK;
    if (cv->pooled || !isinf(cv->course->end) || !cv->data->y) return HSP_OK;
    for (int64_t first = 0; !status && first < grid->points && !hsp_cv_over(cv->course); first++) {
        bool seen = shared[first], applies = false;
        for (int64_t p = 0; axis >= 0 && p < first; p++) seen = seen || hsp_grid_alike(grid, p, first, axis);
        if (seen) continue;
        point_sharing g = {.cv = cv};
        status = share_points(&g, first, &applies, err);
        for (int64_t i = 0; applies && i < g.count; i++) shared[g.point[i]] = true;
        clear_sharing(&g);
    }
    return status;
}
