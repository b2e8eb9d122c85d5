#include "drive/descent.h"

#include "base/error.h"
#include "base/memory.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "loss/loss.h"
#include "option/choices.h"
#include "part/request.h"
#include "solve/loop/run.h"

#include <math.h>
#include <string.h>

/* A step is accepted when it achieves this share of what its slope promises. */
static const double KEPT = 1e-4;
/* Objectives that differ by less than this share are equal: rounding. */
static const double ROUNDING = 1e-14;

int hsp_descent_new(hsp_drive_problem *p, bool gram, hsp_descent *out, hsp_error **err) {
    int64_t F = p->figures, each = 4 * p->size, m = p->d + 1;
    *out = (hsp_descent){.p = p, .method = gram ? "newton" : "newton-cg"};
    hsp_descent *s = out;
    if (!HSP_ALLOC_ZERO(s->climb, F) || !HSP_ALLOC_ZERO(s->memory, F * each) || !HSP_ALLOC(s->which, F) ||
        !HSP_ALLOC(s->at, F) || !HSP_ALLOC(s->way, F) || !HSP_ALLOC(s->measure, F) || (gram && !HSP_ALLOC(s->matrix, m * m)) ||
        (!gram && !HSP_ALLOC_ZERO(s->cg, 4 * F * p->size)))
        return hsp_fail_memory(err);
    if (!gram && hsp_precondition_new(p, &s->precondition, err)) return HSP_EMEMORY;
    for (int64_t f = 0; f < F; f++) {
        hsp_climb *c = &s->climb[f];
        c->theta = p->theta + f * p->size;
        c->trial = s->memory + f * each;
        c->step = c->trial + p->size;
        c->gradient = c->step + p->size;
        c->moved = c->gradient + p->size;
        c->fresh = true;
        memcpy(c->trial, c->theta, (size_t)p->size * sizeof *c->trial);
    }
    return HSP_OK;
}

void hsp_descent_clear(hsp_descent *s) {
    hsp_precondition_clear(&s->precondition);
    HSP_FREE(s->climb, s->memory, s->which, s->at, s->way, s->measure, s->matrix, s->cg);
}

/* ---- directions ---- */

/* The system of the packed Hessian H of the losses: C H + ridge, without coordinates that are fixed. */
static int64_t fill_matrix(const hsp_descent *s, const double *H, double shift) {
    const hsp_drive_problem *p = s->p;
    int64_t m = p->intercept == HSP_INTERCEPT_NONE ? p->d : p->d + 1;
    for (int64_t j = 0; j < m; j++, H += j)
        for (int64_t k = 0; k <= j; k++)
            s->matrix[j * m + k] = s->matrix[k * m + j] = p->C * H[k] + (j == k ? hsp_drive_ridge(p, j) + shift : 0);
    return m;
}

static double largest_diagonal(const hsp_drive_problem *p, const double *H) {
    double most = 1;
    for (int64_t j = 0, at = 0; j <= p->d; j++, at += j + 1) most = fmax(most, p->C * H[at]);
    return most;
}

/* step = - (C H + ridge)^-1 gradient; a matrix that is singular by rounding gets a larger diagonal. */
static bool solve_step(hsp_descent *s, hsp_climb *c, const double *H) {
    double top = largest_diagonal(s->p, H);
    for (double shift = 0; shift <= top; shift = shift == 0 ? 1e-14 * top : 100 * shift) {
        int64_t m = fill_matrix(s, H, shift);
        if (hsp_cholesky(s->matrix, m)) continue;
        for (int64_t j = 0; j < s->p->size; j++) c->step[j] = j < m ? -c->gradient[j] : 0;
        hsp_cholesky_solve(s->matrix, m, c->step, 1);
        return true;
    }
    return false;
}

/* ---- rounds ---- */

static void set_gradient(const hsp_drive_problem *p, hsp_climb *c, const double *of_losses) {
    for (int64_t j = 0; j < p->size; j++) c->gradient[j] = hsp_drive_ridge(p, j) < 0 ? 0 : p->C * of_losses[j];
    hsp_drive_add_penalty(p, c->theta, c->gradient);
}

/* Whether the point that was measured is taken. */
static bool accept(const hsp_climb *c, const hsp_measure *m) {
    if (c->fresh) return true;
    return m->smooth <= c->smooth + KEPT * -c->fall + ROUNDING * fabs(c->smooth) && isfinite(m->smooth);
}

static void move_to(hsp_descent *s, int64_t f, const hsp_measure *m) {
    hsp_drive_problem *p = s->p;
    hsp_climb *c = &s->climb[f];
    memcpy(c->theta, c->trial, (size_t)p->size * sizeof *c->theta);
    c->smooth = m->smooth;
    c->shortened = 0;
    c->fresh = false;
    set_gradient(p, c, m->gradient);
    hsp_drive_watch(p, f, m, s->method);
    if (hsp_drive_outcome(p, f)->stop || !s->matrix) return;
    if (!solve_step(s, c, m->hessian)) hsp_drive_stall(p, f);
}

/* trial = theta + t step. */
static void aim(const hsp_descent *s, hsp_climb *c, double t) {
    for (int64_t j = 0; j < s->p->size; j++) c->trial[j] = c->theta[j] + t * c->step[j];
}

/* The length of the step, from the losses at some lengths: the one with the least objective. 0: none is lower. */
static double best_length(const hsp_descent *s, const hsp_climb *c, const double *t, const double *loss, int64_t steps) {
    const hsp_drive_problem *p = s->p;
    double best = 0, least = c->smooth;
    for (int64_t k = 0; k < steps; k++) {
        aim(s, (hsp_climb *)(uintptr_t)c, t[k]);
        double value = hsp_drive_penalty(p, c->trial) + p->C * loss[k];
        if (value < least) least = value, best = t[k];
    }
    return best;
}

/* One round for all steps that were too long. */
static int shorten(hsp_descent *s, const int64_t *which, int64_t count, hsp_error **err) {
    enum { STEPS = HSP_LINE_STEPS };
    static const double t[STEPS] = {0.5, 0.25, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6};
    double *loss = hsp_alloc(2 * count * STEPS, sizeof *loss);
    if (!loss) return hsp_fail_memory(err);
    for (int64_t k = 0; k < count; k++) {
        s->at[k] = s->climb[which[k]].theta;
        s->way[k] = s->climb[which[k]].step;
    }
    int status = hsp_drive_line(s->p, which, count, s->at, s->way, t, STEPS, loss, loss + count * STEPS, err);
    for (int64_t k = 0; !status && k < count; k++) {
        hsp_climb *c = &s->climb[which[k]];
        double length = best_length(s, c, t, loss + k * STEPS, STEPS);
        if (length == 0 || c->shortened++ > 2) {
            hsp_drive_stall(s->p, which[k]);
            continue;
        }
        aim(s, c, length);
        c->fresh = true; /* it is known to be lower */
    }
    hsp_free(loss);
    return status;
}

/* Losses that are straight somewhere need majorants until the optimum is near. */
static bool far_off(const hsp_descent *s, int64_t count) {
    static const double NEAR = 0.05;
    unsigned traits = s->p->loss->traits;
    if (!(traits & HSP_LOSS_PIECEWISE) || (traits & HSP_LOSS_NUMBERS)) return false;
    for (int64_t k = 0; k < count; k++) {
        const hsp_outcome *o = hsp_drive_outcome(s->p, s->which[k]);
        if (o->stage_count == 0 || !(o->gap < NEAR)) return true;
    }
    return false;
}

/* Measures the trial points of all that run. Points that are accepted have a step then, unless it needs products. */
static int measure_trials(hsp_descent *s, int64_t *moved, int64_t *failed, int64_t *long_ones, hsp_error **err) {
    int64_t count = hsp_drive_running(s->p, s->which);
    for (int64_t k = 0; k < count; k++) s->at[k] = s->climb[s->which[k]].trial;
    s->p->majorant = far_off(s, count);
    for (int64_t k = 0; s->predicts && k < count; k++) {
        hsp_climb *c = &s->climb[s->which[k]];
        s->way[k] = c->moved;
        for (int64_t j = 0; j < s->p->size; j++) c->moved[j] = c->trial[j] - c->theta[j];
    }
    int status = s->predicts ? hsp_drive_measure_step(s->p, s->which, count, s->at, s->way, s->before, s->matrix != NULL,
                                                      s->measure, err)
                             : hsp_drive_measure(s->p, s->which, count, s->at, s->matrix != NULL, s->measure, err);
    *moved = *failed = 0;
    for (int64_t k = 0; !status && k < count; k++) {
        int64_t f = s->which[k];
        if (accept(&s->climb[f], &s->measure[k])) {
            move_to(s, f, &s->measure[k]);
            ++*moved;
        } else {
            long_ones[(*failed)++] = f;
        }
    }
    return status;
}

/* Steps that were computed are tried whole. One that does not descend, by rounding, ends its problem. */
static void try_steps(hsp_descent *s, int64_t count) {
    for (int64_t k = 0; k < count; k++) {
        hsp_climb *c = &s->climb[s->which[k]];
        c->fall = -hsp_dot_f64(c->gradient, c->step, s->p->size);
        if (!(c->fall > 0)) hsp_drive_stall(s->p, s->which[k]);
        aim(s, c, 1);
    }
}

int hsp_descent_run(hsp_descent *s, bool (*centred)(hsp_descent *s, void *ctx), void *ctx, hsp_error **err) {
    int64_t moved, failed, count, *long_ones = hsp_alloc(s->p->figures, sizeof *long_ones);
    int status = long_ones ? HSP_OK : hsp_fail_memory(err);
    while (!status && hsp_drive_running(s->p, s->which) > 0) {
        status = measure_trials(s, &moved, &failed, long_ones, err);
        if (!status && failed > 0) status = shorten(s, long_ones, failed, err);
        if (status) break;
        /* The new points alone get new steps; the others have one that was shortened. */
        count = 0;
        for (int64_t k = 0, all = hsp_drive_running(s->p, s->which); k < all; k++)
            if (!s->climb[s->which[k]].fresh) s->which[count++] = s->which[k];
        if (!s->matrix && count > 0) status = hsp_descent_by_products(s, count, err);
        try_steps(s, count);
        s->before = s->p->loss->parameter;
        if (!status && centred && failed == 0 && centred(s, ctx))
            for (int64_t f = 0; f < s->p->figures; f++) s->climb[f].fresh = true;
        hsp_drive_check_limits(s->p);
    }
    hsp_free(long_ones);
    return status;
}
