#include "solve/prox/prox_path.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "design/columns.h"
#include "loss/loss.h"
#include "solve/prox/column_model.h"
#include "solve/prox/prox_newton.h"
#include "solve/prox/reduced.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 2000 };

struct hsp_prox_path {
    hsp_problem *p; /* borrowed */
    hsp_rules rules;
    hsp_prox solver;
    bool begun;
};

void hsp_prox_path_pose(hsp_problem *p, double lambda) {
    p->lambda = lambda;
    p->C = 1 / (lambda * p->sum_c);
    p->scale = p->C * p->sum_c;
}

bool hsp_prox_path_suits(const hsp_problem *p) {
    unsigned needs = HSP_LOSS_SMOOTH | HSP_LOSS_CURVED | HSP_LOSS_SLOPE;
    if ((p->loss->traits & needs) != needs || !hsp_problem_has_dual(p)) return false;
    return p->rho > 0 || hsp_prox_wants_matrix(p);
}

bool hsp_prox_path_rows(const hsp_prox_path *path, const double **scores, const double **multipliers) {
    const hsp_prox *s = &path->solver;
    *scores = s->p->scores;
    *multipliers = s->at.alpha;
    return s->at.ready && !isnan(s->at.measured.bound);
}

int hsp_prox_path_new(hsp_problem *p, const hsp_rules *rules, hsp_prox_path **out, hsp_error **err) {
    *out = NULL;
    hsp_prox_path *path = hsp_alloc_zero(1, sizeof *path);
    double *zero = hsp_alloc_zero(p->design->d + 1, sizeof *zero);
    int status = path && zero ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        path->p = p;
        path->rules = *rules;
        hsp_prox_way way = hsp_reduced_suits(p, true) ? HSP_PROX_REDUCED : HSP_PROX_AUTO;
        status = hsp_prox_open(&path->solver, p, &path->rules, way, zero, zero + p->design->d, err);
    }
    hsp_free(zero);
    if (status) {
        hsp_prox_path_free(path);
        return status;
    }
    *out = path;
    return HSP_OK;
}

void hsp_prox_path_free(hsp_prox_path *path) {
    if (!path) return;
    hsp_prox_close(&path->solver);
    hsp_free(path);
}

/* ---- a run ---- */

/* The figures at the solver's point, where it has not measured them itself. */
static void measure(hsp_prox_path *path, hsp_path_end *end) {
    hsp_prox *s = &path->solver;
    hsp_problem *p = path->p;
    double D = end->bound;
    if (s->at.ready) {
        end->at = s->at.measured.at;
        if (!(s->at.measured.bound <= D)) D = isnan(s->at.measured.bound) ? D : s->at.measured.bound;
    }
    if (!s->at.ready || isnan(s->at.measured.bound)) {
        double *w = hsp_alloc(p->design->d, sizeof *w), b;
        if (w) {
            hsp_prox_path_point(path, w, &b);
            end->at = hsp_problem_evaluate(p, w, &b);
            double other = hsp_problem_dual_bound(p, w, &b);
            if (!(other <= D)) D = isnan(other) ? D : other;
        }
        s->at.ready = false; /* its scratch was overwritten */
        hsp_free(w);
    }
    end->bound = D > end->at.objective && D - end->at.objective <= 1e-12 * fabs(end->at.objective) ? end->at.objective : D;
    end->gap = hsp_relative_gap(end->at.objective, end->bound);
}

static hsp_stop reason(const hsp_prox_path *path, const hsp_path_end *end, hsp_step step, double deadline) {
    if (end->gap <= path->rules.tol) return HSP_STOP_GAP;
    if (!isfinite(end->at.objective) || step == HSP_STEP_FAILED) return HSP_STOP_DIVERGED;
    if (hsp_cancel_pending()) return HSP_STOP_CANCELLED;
    if (hsp_clock_seconds() >= deadline) return HSP_STOP_MAX_SECONDS;
    if (step == HSP_STEP_DONE || step == HSP_STEP_STALLED || end->steps >= MOST_STEPS) return HSP_STOP_NO_PROGRESS;
    return HSP_STOP_NONE;
}

int hsp_prox_path_solve(hsp_prox_path *path, double lambda, double deadline, hsp_path_end *end, hsp_error **err) {
    hsp_budget budget = {.max_updates = INT64_MAX, .max_steps = INT64_MAX, .deadline = deadline};
    *end = (hsp_path_end){.bound = NAN, .gap = NAN};
    hsp_prox_path_pose(path->p, lambda);
    hsp_prox_relax(&path->solver);
    if (path->begun && path->solver.at.ready && !path->solver.reduced) {
        measure(path, end);
        end->stop = reason(path, end, HSP_STEP_MORE, deadline);
    }
    path->begun = true;
    while (!end->stop) {
        hsp_step step = hsp_prox_step(&path->solver, &budget);
        if (step == HSP_STEP_MEMORY) return hsp_fail_memory(err);
        end->steps++;
        if (step == HSP_STEP_QUIET && end->steps < MOST_STEPS && !budget.out) continue;
        measure(path, end);
        end->stop = reason(path, end, step, deadline);
    }
    return HSP_OK;
}

void hsp_prox_path_start(hsp_prox_path *path, const double *w, double b, const double *scores) {
    hsp_prox *s = &path->solver;
    if (!path->begun) return;
    for (int64_t j = 0; j < s->d; j++) s->at.w[j] = w[s->columns ? hsp_column_origin(s->columns->columns, j) : j];
    s->at.b[0] = b;
    if (s->reduced && s->at.ready)
        hsp_reduced_start(s, scores);
    else
        s->at.ready = false;
}

void hsp_prox_path_point(const hsp_prox_path *path, double *w, double *b) {
    const hsp_prox *s = &path->solver;
    memset(w, 0, (size_t)path->p->design->d * sizeof *w);
    for (int64_t j = 0; j < s->d; j++) w[s->columns ? hsp_column_origin(s->columns->columns, j) : j] = s->at.w[j];
    *b = s->at.b[0];
}
