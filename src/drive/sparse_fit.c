/* Proximal Newton on working columns. The parts give the gradient of all columns and the Hessian of the working ones; the
 * driver minimises their quadratic model with the L1 norm. Columns whose slope exceeds the norm's enter. With few columns all
 * work, and a step costs one round. The bound scales the multipliers until no slope exceeds the norm (bound.c). */
#include "drive/sparse_fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "drive/sparse_model.h"
#include "drive/round_watch.h"
#include "problem/problem.h"
#include "solve/loop/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All columns work up to ALL; above, at most MOST do, and in one step at least FIRST may enter. */
enum { ALL = 1500, MOST = 3000, FIRST = 500 };
static const double KEPT = 1e-4, ROUNDING = 1e-14, METICULOUS = 0.1;

typedef struct sparse_run {
    hsp_drive_problem *p;
    int64_t figure;
    double *theta, *trial, *step; /* d + 1 each */
    double *slope;                /* d + 1: gradient of C sum c loss at theta; owned, as all arrays but theta */
    int64_t *columns, count;      /* the working ones, ascending */
    double *of_columns;           /* scratch of the model */
    int64_t *active;              /* likewise */
    hsp_sparse_model model;
    double objective, promise;
    hsp_measure at;
} sparse_run;

static bool all_work(const sparse_run *s) {
    return s->p->d <= ALL;
}

static int measure_at(sparse_run *s, double *theta, bool gram, hsp_error **err) {
    s->p->columns = all_work(s) ? NULL : s->columns;
    s->p->column_count = s->count;
    int status = hsp_drive_measure(s->p, &s->figure, 1, &theta, gram, &s->at, err);
    s->p->columns = NULL;
    return status;
}

/* ---- working columns ---- */

typedef struct violation {
    double size;
    int64_t column;
} violation;

static int by_size(const void *a, const void *b) {
    const violation *v = a, *w = b;
    if (v->size != w->size) return v->size > w->size ? -1 : 1;
    return v->column < w->column ? -1 : v->column > w->column;
}

static int by_column(const void *a, const void *b) {
    int64_t v = *(const int64_t *)a, w = *(const int64_t *)b;
    return v < w ? -1 : v > w;
}

/* Those with a weight, and of the others those whose slopes exceed the norm's most. */
static int choose_columns(sparse_run *s, hsp_error **err) {
    int64_t d = s->p->d, found = 0, kept = 0;
    violation *list = hsp_alloc(d, sizeof *list);
    if (!list) return hsp_fail_memory(err);
    for (int64_t j = 0; j < d; j++) {
        if (s->theta[j] != 0)
            kept++;
        else if (fabs(s->slope[j]) > s->p->rho)
            list[found++] = (violation){fabs(s->slope[j]), j};
    }
    int64_t more = kept > FIRST ? kept : FIRST;
    if (more > MOST - kept) more = MOST - kept > FIRST / 5 ? MOST - kept : FIRST / 5;
    if (more > found) more = found;
    if (found > 1) qsort(list, (size_t)found, sizeof *list, by_size);
    int64_t *columns = hsp_resize(s->columns, kept + more + 1, sizeof *columns);
    if (columns) {
        s->columns = columns;
        s->count = 0;
        for (int64_t j = 0; j < d; j++)
            if (s->theta[j] != 0) s->columns[s->count++] = j;
        for (int64_t k = 0; k < more; k++) s->columns[s->count++] = list[k].column;
        qsort(s->columns, (size_t)s->count, sizeof *s->columns, by_column);
    }
    hsp_free(list);
    return columns ? HSP_OK : hsp_fail_memory(err);
}

static int list_all(sparse_run *s, hsp_error **err) {
    s->columns = hsp_alloc(s->p->d, sizeof *s->columns);
    if (!s->columns) return hsp_fail_memory(err);
    for (int64_t j = 0; j < s->p->d; j++) s->columns[j] = j;
    s->count = s->p->d;
    return HSP_OK;
}

/* ---- the model ---- */

static int lay_out_model(sparse_run *s, hsp_error **err) {
    int64_t m = s->count, size = m + 1;
    HSP_FREE(s->of_columns, s->active);
    s->active = hsp_alloc(size, sizeof *s->active);
    s->of_columns = hsp_alloc(2 * size * size + 5 * size, sizeof *s->of_columns);
    if (!s->of_columns || !s->active) return hsp_fail_memory(err);
    double *slope = s->of_columns, *w = slope + size, penalised = s->p->intercept == HSP_INTERCEPT_PENALISED;
    for (int64_t k = 0; k < m; k++) {
        slope[k] = s->slope[s->columns[k]];
        w[k] = s->theta[s->columns[k]];
    }
    slope[m] = s->slope[s->p->d];
    w[m] = s->theta[s->p->d];
    s->model = (hsp_sparse_model){.m = m,
                               .C = s->p->C,
                               .rho = s->p->rho,
                               .H = s->at.hessian,
                               .slope = slope,
                               .w = w,
                               .ridge = 1 - s->p->rho,
                               .ridge_b = s->p->intercept == HSP_INTERCEPT_NONE ? -1 : penalised,
                               .step = w + size,
                               .pull = w + 2 * size,
                               .move = w + 3 * size,
                               .active = s->active,
                               .full = w + 4 * size,
                               .factor = w + 4 * size + size * size};
    return HSP_OK;
}

/* The step of the model with the Hessian that was just measured. */
static int find_step(sparse_run *s, hsp_error **err) {
    const hsp_outcome *o = hsp_drive_outcome(s->p, s->figure);
    double gap = isnan(o->gap) ? 1 : fmax(o->gap, s->p->drive->fit.form.rules.tol);
    int status = lay_out_model(s, err);
    if (status) return status;
    s->promise = hsp_sparse_model_minimise(&s->model, METICULOUS * fmin(gap, 0.1));
    memset(s->step, 0, (size_t)(s->p->d + 1) * sizeof *s->step);
    for (int64_t k = 0; k < s->count; k++) s->step[s->columns[k]] = s->model.step[k];
    s->step[s->p->d] = s->model.step[s->count];
    return HSP_OK;
}

/* ---- steps ---- */

static void aim(sparse_run *s, double t) {
    for (int64_t j = 0; j <= s->p->d; j++) s->trial[j] = s->theta[j] + t * s->step[j];
}

/* The share of the step with the least objective; 0: none is lower. */
static int shorten(sparse_run *s, double *best, hsp_error **err) {
    enum { STEPS = 8 };
    static const double t[STEPS] = {0.5, 0.25, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6};
    double loss[STEPS], slope[STEPS], least = s->objective;
    int status = hsp_drive_line(s->p, &s->figure, 1, &s->theta, &s->step, t, STEPS, loss, slope, err);
    *best = 0;
    for (int k = 0; !status && k < STEPS; k++) {
        aim(s, t[k]);
        double value = hsp_drive_penalty(s->p, s->trial) + s->p->C * loss[k];
        if (value < least) least = value, *best = t[k];
    }
    return status;
}

static void move_to(sparse_run *s) {
    int64_t size = s->p->d + 1;
    memcpy(s->theta, s->trial, (size_t)size * sizeof *s->theta);
    s->objective = s->at.objective;
    for (int64_t j = 0; j < size; j++) s->slope[j] = s->p->C * s->at.gradient[j];
    hsp_drive_watch(s->p, s->figure, &s->at, "prox-newton");
}

/* Measures the trial point, and shorter steps where it is not lower; false: none is. */
static int take_step(sparse_run *s, bool *moved, hsp_error **err) {
    int status = measure_at(s, s->trial, all_work(s), err);
    *moved = !status && s->at.objective <= s->objective - KEPT * s->promise + ROUNDING * fabs(s->objective);
    if (status || *moved) return status;
    double t;
    status = shorten(s, &t, err);
    if (status || t == 0) return status;
    aim(s, t);
    status = measure_at(s, s->trial, all_work(s), err);
    *moved = !status;
    return status;
}

static int run_figure(sparse_run *s, hsp_error **err) {
    const hsp_outcome *o = hsp_drive_outcome(s->p, s->figure);
    bool moved = true;
    int status = all_work(s) ? list_all(s, err) : HSP_OK;
    memcpy(s->trial, s->theta, (size_t)(s->p->d + 1) * sizeof *s->trial);
    if (!status) status = measure_at(s, s->trial, all_work(s), err);
    if (!status) move_to(s);
    while (!status && !o->stop) {
        if (!all_work(s)) {
            status = choose_columns(s, err);
            if (!status) status = measure_at(s, s->theta, true, err);
        }
        if (!status) status = find_step(s, err);
        aim(s, 1);
        if (!status) status = take_step(s, &moved, err);
        if (status) break;
        if (!moved) {
            hsp_drive_stall(s->p, s->figure);
            break;
        }
        move_to(s);
        hsp_drive_check_limits(s->p);
    }
    return status;
}

int hsp_drive_by_columns(hsp_drive_problem *p, hsp_error **err) {
    int64_t size = p->d + 1;
    int status = HSP_OK;
    for (int64_t f = 0; !status && f < p->figures; f++) {
        if (hsp_drive_outcome(p, f)->stop) continue;
        sparse_run s = {.p = p, .figure = f, .theta = p->theta + f * p->size};
        if (!HSP_ALLOC(s.trial, size) || !HSP_ALLOC(s.step, size) || !HSP_ALLOC(s.slope, size))
            status = hsp_fail_memory(err);
        else
            status = run_figure(&s, err);
        HSP_FREE(s.trial, s.step, s.slope, s.columns, s.of_columns, s.active);
    }
    return status;
}
