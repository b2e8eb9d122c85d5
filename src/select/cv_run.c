/* Runs the fits. With many points one fold is in memory at a time and its points are fitted side by side; with few, several
 * folds are. The results are the same, and so are they for any number of threads: a fit depends on its fold and point alone. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "select/cv.h"

bool hsp_cv_over(const hsp_cv_course *c) {
    return atomic_load(&c->stopped) || atomic_load(&c->out_of_time);
}

/* Some folds, and the fits of points on them. */
typedef struct fold_window {
    hsp_cv *cv;
    const int64_t *point; /* points: those to be fitted */
    int64_t points;
    int64_t first, count; /* jobs */
    hsp_cv_part *part;    /* count */
    int *status;          /* count x points, or count while the parts are made */
    hsp_error **error;
    atomic_bool failed;
} fold_window;

/* Tasks start in order: when one fails, all before it have started, so the first error is the same for any number of
 * threads. */
static void make_part(void *ctx, int64_t i) {
    fold_window *w = ctx;
    if (atomic_load(&w->failed) || hsp_cv_over(w->cv->course)) return;
    w->status[i] = hsp_cv_part_make(w->cv, w->first + i, &w->part[i], &w->error[i]);
    if (w->status[i]) atomic_store(&w->failed, true);
}

static void fit_point(void *ctx, int64_t i) {
    fold_window *w = ctx;
    hsp_cv_part *p = &w->part[i / w->points];
    if (atomic_load(&w->failed) || !p->test) return;
    w->status[i] = hsp_cv_fit(w->cv, p, w->point[i % w->points], &w->error[i]);
    if (w->status[i]) atomic_store(&w->failed, true);
}

/* Passes on the first error, frees the others. */
static int first_error(fold_window *w, int64_t count, hsp_error **err) {
    int status = HSP_OK;
    for (int64_t i = 0; i < count; i++) {
        if (!status && w->status[i]) {
            status = w->status[i];
            hsp_error_pass(err, w->error[i]);
        } else {
            hsp_error_free(w->error[i]);
        }
        w->status[i] = HSP_OK;
        w->error[i] = NULL;
    }
    return status;
}

static int run_window(fold_window *w, hsp_error **err) {
    hsp_cv *cv = w->cv;
    for (int64_t i = 0; i < w->count; i++) w->part[i] = (hsp_cv_part){0};
    hsp_pool_run(w->count, cv->threads, make_part, w);
    int status = first_error(w, w->count, err);
    if (!status) hsp_pool_run(w->count * w->points, cv->threads, fit_point, w);
    if (!status) status = first_error(w, w->count * w->points, err);
    for (int64_t i = 0; i < w->count; i++) hsp_cv_part_clear(&w->part[i]);
    return status;
}

/* How many folds are in memory at a time. */
static int64_t choose_width(const hsp_cv *cv, int64_t points) {
    enum { MOST = 1 << 26 }; /* stored values of all copies, but for one for each thread */
    int64_t threads = cv->threads, width = MOST / (cv->data->x.stored + 1);
    if (width < threads) width = threads;
    if (width > 8 * threads) width = 8 * threads;
    if (points >= 2 * threads) width = 1;
    return width < cv->jobs ? width : cv->jobs;
}

/* Fits points one by one. */
static int run_fits(hsp_cv *cv, const int64_t *point, int64_t points, hsp_error **err) {
    int64_t width = choose_width(cv, points), tasks = width * points;
    if (points == 0) return HSP_OK;
    fold_window w = {.cv = cv,
                     .point = point,
                     .points = points,
                     .part = hsp_alloc_zero(width, sizeof *w.part),
                     .status = hsp_alloc_zero(tasks, sizeof *w.status),
                     .error = hsp_alloc_zero(tasks, sizeof *w.error)};
    int status = w.part && w.status && w.error ? HSP_OK : hsp_fail_memory(err);
    for (int64_t first = 0; !status && first < cv->jobs && !hsp_cv_over(cv->course); first += width) {
        w.first = first;
        w.count = cv->jobs - first < width ? cv->jobs - first : width;
        status = run_window(&w, err);
    }
    HSP_FREE(w.part, w.status, w.error);
    return status;
}

static int run_points(hsp_cv *cv, hsp_error **err) {
    int64_t points = cv->grid->points, left = 0, *point = hsp_alloc(points, sizeof *point);
    bool *shared = hsp_alloc_zero(points, sizeof *shared);
    int status = point && shared ? hsp_cv_run_shared(cv, shared, err) : hsp_fail_memory(err);
    for (int64_t p = 0; !status && p < points; p++)
        if (!shared[p]) point[left++] = p;
    if (!status) status = run_fits(cv, point, left, err);
    HSP_FREE(point, shared);
    return status;
}

/* Marks the jobs of which all points are fitted; whether all jobs are. */
static bool mark_complete(hsp_cv *cv) {
    bool whole = true;
    for (int64_t i = 0; i < cv->jobs; i++) {
        cv->complete[i] = true;
        for (int64_t p = 0; p < cv->grid->points; p++)
            cv->complete[i] = cv->complete[i] && cv->fitted[i * cv->grid->points + p];
        whole = whole && cv->complete[i];
    }
    return whole;
}

/* Leave-one-out without a closed form is for few rows. */
static int check_count(const hsp_cv *cv, hsp_error **err) {
    enum { MOST = 10000 };
    int64_t fits = cv->jobs * cv->grid->points;
    if (!cv->pooled || fits <= MOST) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE,
                    "--folds loo would need %lld fits, as there is no closed form here: use --folds 10%s, or fewer rows",
                    (long long)fits, cv->grid->points > 1 ? ", fewer values of --grid" : "");
}

int hsp_cv_run(hsp_cv *cv, hsp_error **err) {
    int status = cv->pooled ? hsp_cv_run_exact(cv, err) : 0;
    if (status == 0) status = check_count(cv, err);
    if (status < 0) return status;
    cv->exact = status > 0;
    status = cv->exact ? HSP_OK : run_points(cv, err);
    bool whole = mark_complete(cv);
    for (int64_t p = 0; !status && cv->pooled && whole && p < cv->grid->points; p++) status = hsp_cv_pool(cv, p, err);
    return status;
}
