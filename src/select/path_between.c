#include "select/path_between.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "penalty/penalty.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <string.h>

static const double FARTHEST = 4; /* times the distance of two points: how far beyond them a start may be */

int hsp_path_anchor_new(const hsp_problem *p, hsp_path_anchor *out, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d;
    *out = (hsp_path_anchor){0};
    bool room = HSP_ALLOC(out->w, d) && HSP_ALLOC(out->scores, n) && HSP_ALLOC(out->r, n);
    return room ? HSP_OK : hsp_fail_memory(err);
}

void hsp_path_anchor_clear(hsp_path_anchor *a) {
    HSP_FREE(a->w, a->scores, a->r);
    *a = (hsp_path_anchor){0};
}

void hsp_path_anchor_set(hsp_path_anchor *a, const hsp_prox_path *path, const hsp_problem *p, const hsp_path_end *end) {
    const double *scores, *r;
    size_t size = (size_t)p->design->n * sizeof *a->scores;
    hsp_prox_path_point(path, a->w, &a->b);
    a->lambda = p->lambda;
    a->end = *end;
    a->known = hsp_prox_path_rows(path, &scores, &r) && end->stop == HSP_STOP_GAP;
    if (!a->known) return;
    memcpy(a->scores, scores, size);
    memcpy(a->r, r, size);
}

static void mix(double x, const double *a, const double *b, int64_t n, double *out) {
    for (int64_t i = 0; i < n; i++) out[i] = (1 - x) * a[i] + x * b[i];
}

/* sum_i c_i v_i */
static double weighted_sum(const hsp_problem *p, const double *v) {
    return p->c ? hsp_dot_f64(p->c, v, p->design->n) : hsp_sum_f64(v, p->design->n);
}

/* P at a point with these scores; leaves the losses. */
static double objective(const hsp_problem *p, const double *w, const double *scores) {
    p->loss->batch(p->loss, p->y, scores, p->design->n, 1, p->kink, p->values, NULL);
    return hsp_penalty_value(w, p->design->d, p->rho) + p->C * weighted_sum(p, p->values);
}

bool hsp_path_beyond(const hsp_path_anchor *a, const hsp_path_anchor *b, const hsp_problem *p, hsp_path_anchor *out) {
    int64_t n = p->design->n, d = p->design->d;
    double x = (a->lambda - p->lambda) / (a->lambda - b->lambda);
    if (!a->known || !b->known || !(x > 1)) return false;
    x = fmin(x, 1 + FARTHEST);
    mix(x, a->scores, b->scores, n, out->scores);
    mix(x, a->w, b->w, d, out->w);
    out->b = (1 - x) * a->b + x * b->b;
    double from = hsp_penalty_value(b->w, d, p->rho) + p->C * p->sum_c * b->end.at.mean_loss;
    return objective(p, out->w, out->scores) < from;
}

bool hsp_path_between(const hsp_path_anchor *a, const hsp_path_anchor *b, const hsp_problem *p, double tol,
                      hsp_path_anchor *out) {
    int64_t n = p->design->n, d = p->design->d;
    double lambda = p->lambda, x = (a->lambda - lambda) / (a->lambda - b->lambda), *values = p->values;
    out->known = false;
    if (p->rho != 1 || !a->known || !b->known || !(x > 0 && x < 1)) return false;
    mix(x, a->scores, b->scores, n, out->scores);
    mix(x, a->r, b->r, n, out->r);
    mix(x, a->w, b->w, d, out->w);
    out->b = (1 - x) * a->b + x * b->b;
    double P = objective(p, out->w, out->scores), loss = weighted_sum(p, values);
    p->loss->duals(p->loss, p->y, out->r, n, values);
    /* Rounding of x may leave r outside by as much. */
    double D = p->C * weighted_sum(p, values) * (1 - 1e-12);
    out->lambda = lambda;
    out->end = (hsp_path_end){.at = {.objective = P, .mean_loss = loss / p->sum_c, .error = NAN, .norm = NAN},
                              .bound = D,
                              .gap = hsp_relative_gap(P, D),
                              .stop = HSP_STOP_GAP};
    out->known = true;
    return out->end.gap <= tol && out->end.gap >= 0;
}
