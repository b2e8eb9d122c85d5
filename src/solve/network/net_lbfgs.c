/* lbfgs: a quasi-Newton method with a limited memory of steps, and a line search for the strong Wolfe conditions. J. Nocedal,
 * S. Wright, Numerical optimization, 2nd ed. 2006, algorithms 7.4, 3.5 and 3.6. An epoch is an iteration; every evaluation
 * of the line search is a pass over the rows. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "network/network.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/network/trainer.h"

#include <math.h>
#include <string.h>

enum { MEMORY = 10, MOST_EVALUATIONS = 30 };
static const double ENOUGH = 1e-4, CURVATURE = 0.9; /* c1 and c2 of the conditions */
static const double NO_GRADIENT = 1e-10;            /* relative to theta */

typedef struct net_lbfgs {
    hsp_net_objective *o;
    int64_t size;
    double *theta;                  /* the start of the line; owned, as all that follow */
    double *gradient, *direction;   /* at the present point; p */
    double *step, *change;          /* MEMORY x size: s_k and y_k, in a ring */
    double rho[MEMORY], alpha[MEMORY];
    int64_t kept, newest; /* pairs in memory, and the index of the newest */
    hsp_evaluation at;
    bool begun;
    int64_t iterations;
} net_lbfgs;

/* A point of the line theta + t p. */
typedef struct line_point {
    double t, value, slope;
} line_point;

static int init(void *state, hsp_net_objective *o, const hsp_rules *rules, hsp_error **err) {
    net_lbfgs *s = state;
    (void)rules;
    *s = (net_lbfgs){.o = o, .size = hsp_network_parameters(o->net)};
    bool whole = HSP_ALLOC_DOUBLES(s->size, &s->theta, &s->gradient, &s->direction) &&
                 HSP_ALLOC_DOUBLES(s->size * MEMORY, &s->step, &s->change);
    return whole ? HSP_OK : hsp_fail_memory(err);
}

static void clear(void *state) {
    net_lbfgs *s = state;
    HSP_FREE(s->theta, s->gradient, s->direction, s->step, s->change);
}

static double value_of(const net_lbfgs *s) {
    return s->at.objective / s->o->scale;
}

/* Moves to theta + t p and evaluates. */
static line_point try(net_lbfgs *s, double t, hsp_budget *budget) {
    double *theta = s->o->net->theta;
    for (int64_t i = 0; i < s->size; i++) theta[i] = s->theta[i] + t * s->direction[i];
    s->at = hsp_net_evaluate(s->o, NULL, s->o->e->n, s->gradient);
    budget->steps += s->o->e->n;
    return (line_point){t, value_of(s), hsp_dot_f64(s->gradient, s->direction, s->size)};
}

/* The minimum of the cubic through two points with their slopes, kept away from the ends of the interval. */
static double interpolate(line_point a, line_point b) {
    double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t), root = d1 * d1 - a.slope * b.slope;
    double low = fmin(a.t, b.t), high = fmax(a.t, b.t), near = 0.1 * (high - low), t = (low + high) / 2;
    if (root >= 0) {
        double d2 = (b.t > a.t ? 1 : -1) * sqrt(root);
        t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2));
    }
    if (!isfinite(t)) return (low + high) / 2;
    return fmin(fmax(t, low + near), high - near);
}

static bool is_out(const hsp_budget *budget) {
    return hsp_cancel_pending() || hsp_clock_seconds() >= budget->deadline || budget->steps >= budget->max_steps;
}

/* Finds a point of the line that satisfies both conditions; the best that falls, when none is found. False: none falls. */
static bool search_line(net_lbfgs *s, line_point start, double t, hsp_budget *budget) {
    line_point low = start, high = {.t = INFINITY}, best = start, now = start;
    bool bracketed = false;
    for (int k = 0; k < MOST_EVALUATIONS && !(k > 0 && is_out(budget)); k++) {
        now = try(s, t, budget);
        bool fits = now.value <= start.value + ENOUGH * now.t * start.slope, finite = isfinite(now.value);
        if (finite && now.value < best.value) best = now;
        if (fits && fabs(now.slope) <= -CURVATURE * start.slope) return true;
        if (!finite || !fits || (bracketed && now.value >= low.value)) {
            high = now;
            bracketed = true;
        } else {
            if (now.slope * ((bracketed ? high.t : INFINITY) - low.t) >= 0) high = low, bracketed = true;
            low = now;
        }
        if (bracketed && fabs(high.t - low.t) <= 1e-14 * fmax(fabs(low.t), 1e-300)) break;
        t = !bracketed ? 4 * now.t : isfinite(high.value) ? interpolate(low, high) : (low.t + high.t) / 2;
    }
    if (!(best.value < start.value)) {
        try(s, 0, budget);
        return false;
    }
    if (best.t != now.t) try(s, best.t, budget);
    return true;
}

/* p = -H g by the two loops over the pairs. */
static void set_direction(net_lbfgs *s) {
    double *p = s->direction;
    for (int64_t i = 0; i < s->size; i++) p[i] = -s->gradient[i];
    for (int64_t q = 0; q < s->kept; q++) {
        int64_t k = (s->newest + MEMORY - q) % MEMORY;
        s->alpha[k] = s->rho[k] * hsp_dot_f64(s->step + k * s->size, p, s->size);
        hsp_axpy_f64(-s->alpha[k], s->change + k * s->size, p, s->size);
    }
    if (s->kept > 0) {
        const double *y = s->change + s->newest * s->size;
        hsp_scale_f64(1 / (s->rho[s->newest] * hsp_dot_f64(y, y, s->size)), p, s->size);
    }
    for (int64_t q = s->kept - 1; q >= 0; q--) {
        int64_t k = (s->newest + MEMORY - q) % MEMORY;
        double beta = s->rho[k] * hsp_dot_f64(s->change + k * s->size, p, s->size);
        hsp_axpy_f64(s->alpha[k] - beta, s->step + k * s->size, p, s->size);
    }
}

/* Stores the pair of the last step. before: the gradient at its start, in the place of the new y. */
static void remember(net_lbfgs *s, int64_t place) {
    double *step = s->step + place * s->size, *change = s->change + place * s->size;
    const double *theta = s->o->net->theta;
    for (int64_t i = 0; i < s->size; i++) {
        step[i] = theta[i] - s->theta[i];
        change[i] = s->gradient[i] - change[i];
    }
    double curvature = hsp_dot_f64(step, change, s->size);
    if (!(curvature > 1e-12 * hsp_dot_f64(change, change, s->size))) return;
    s->rho[place] = 1 / curvature;
    s->newest = place;
    if (s->kept < MEMORY) s->kept++;
}

static bool is_flat(const net_lbfgs *s) {
    double g = sqrt(hsp_dot_f64(s->gradient, s->gradient, s->size));
    return g <= NO_GRADIENT * fmax(1, sqrt(hsp_dot_f64(s->o->net->theta, s->o->net->theta, s->size)));
}

static hsp_step step(void *state, hsp_budget *budget, hsp_evaluation *at) {
    net_lbfgs *s = state;
    if (!s->begun) {
        s->at = hsp_net_evaluate(s->o, NULL, s->o->e->n, s->gradient);
        s->begun = true;
    }
    *at = s->at;
    if (!isfinite(s->at.objective)) return HSP_STEP_FAILED;
    if (is_flat(s)) return HSP_STEP_DONE;
    set_direction(s);
    double slope = hsp_dot_f64(s->gradient, s->direction, s->size);
    if (!(slope < 0)) { /* rounding: forget the pairs */
        s->kept = 0;
        set_direction(s);
        slope = hsp_dot_f64(s->gradient, s->direction, s->size);
    }
    memcpy(s->theta, s->o->net->theta, (size_t)s->size * sizeof *s->theta);
    int64_t place = s->kept == 0 ? 0 : (s->newest + 1) % MEMORY;
    memcpy(s->change + place * s->size, s->gradient, (size_t)s->size * sizeof *s->gradient);
    double before = s->at.mean_loss, first = s->kept > 0 ? 1 : fmin(1, 1 / sqrt(-slope));
    bool fallen = search_line(s, (line_point){0, value_of(s), slope}, first, budget);
    *at = s->at;
    if (!fallen && s->kept == 0) return HSP_STEP_STALLED;
    if (!fallen) {
        s->kept = 0; /* the next step is along the gradient */
        return HSP_STEP_MORE;
    }
    remember(s, place);
    budget->updates++;
    hsp_net_change change = {NULL, s->o->e->n, NAN, before, s->iterations, s->iterations + 1};
    hsp_net_observe(s->o->observer, s->o->net, budget, &change);
    s->iterations++;
    return HSP_STEP_MORE;
}

const hsp_trainer hsp_trainer_lbfgs = {.name = "lbfgs",
                                       .help = "mlp: quasi-Newton steps on all rows, with a line search",
                                       .max_epochs = 1000,
                                       .tol = 1e-6,
                                       .state_size = sizeof(net_lbfgs),
                                       .init = init,
                                       .step = step,
                                       .free = clear};
