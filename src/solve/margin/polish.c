/* The finish: see polish.h. The solution of an inner problem becomes the next centre, with a larger radius if few steps were
 * needed; a problem that takes too many Newton steps is replaced by one with a smaller radius. The method ends when the
 * optimality conditions hold up to rounding for the multipliers themselves: w is their combination, rows with
 * 0 < alpha_i < u_i are on the margin, those at 0 beyond it, those at u_i within. */
#include "solve/margin/polish.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { MOST_INNER = 15, FEW_INNER = 6, PATIENCE = 25, LESS_PATIENCE = 8, MOST_REPEATS = 4 };
/* A gap within the rounding errors of two objectives; above it a few more centres try to improve optimal multipliers. */
static const double ENOUGH = 1e-13;
/* With a larger gap the method never ends. */
static const double SMALL = 1e-10;

typedef struct polish_state {
    const hsp_margin *m;
    hsp_polish_inner in;
    hsp_polish_exact exact;
    double *balanced; /* n; all arrays are owned */
    double *v;        /* d: their combination */
    hsp_margin_point best;
    double *best_scores; /* n: X best.w */
    double gap;          /* of best */
    double best_P, best_D;
    bool even;   /* best.alpha is balanced */
    double dual; /* the highest dual objective */
    double mark; /* gap and dual objective at the last progress, ... */
    double mark_dual;
    int64_t since;   /* ... and the centres tried since */
    int inner;       /* Newton steps for this centre */
    double smallest; /* radius below which the method stalls */
    int repeats;     /* centres since optimal multipliers had the gap that follows */
    double repeated_gap;
    double last_excess; /* of the previous centre */
    bool smaller;       /* the radius shrinks */
    bool optimal;       /* the multipliers of best are */
    bool begun;
} polish_state;

/* ---- the point ---- */

static void keep_best(polish_state *s, double P, double D, const double *w, double b, const double *scores) {
    s->gap = hsp_margin_gap(P, D);
    s->best_P = P;
    s->best_D = D;
    double all = hsp_sum_f64(s->exact.alpha, s->m->design->n);
    s->even = fabs(hsp_sum_f64(s->balanced, s->m->design->n) - all) <= 1e-13 * all;
    memcpy(s->best_scores, scores, (size_t)s->m->design->n * sizeof *scores);
    memcpy(s->best.w, w, (size_t)s->m->design->d * sizeof *w);
    memcpy(s->best.alpha, s->exact.alpha, (size_t)s->m->design->n * sizeof *w);
    s->best.b = b;
}

/* The primal objective at w with the better of *b and the best intercept, which becomes *b. */
static double primal(polish_state *s, const double *w, const double *scores, double *b) {
    double other = hsp_margin_best_intercept(s->m, scores, s->exact.scratch);
    double P = hsp_margin_primal(s->m, w, scores, other), Q = hsp_margin_primal(s->m, w, scores, *b);
    if (P <= Q) *b = other;
    return fmin(P, Q);
}

static void scale_weights(hsp_polish_inner *in, double by, double *b) {
    hsp_scale_f64(by, in->w, in->m->design->d);
    hsp_scale_f64(by, in->scores, in->m->design->n);
    *b *= by;
}

/* The primal objective at the inner problem's weights. With a large C, rows that miss the margin by rounding alone cost much,
 * and a hard margin must not be violated: weights longer by as little avoid both. */
static double inner_primal(polish_state *s, double *b) {
    const hsp_margin *m = s->m;
    hsp_polish_inner *in = &s->in;
    double P = primal(s, in->w, in->scores, b), missing = 0;
    bool hard = false;
    for (int64_t i = 0; i < m->design->n; i++) {
        double slack = 1 - m->y[i] * (in->scores[i] + *b);
        hard = hard || m->upper[i] == INFINITY;
        if (slack > missing && m->upper[i] > 0 && s->exact.alpha[i] < m->upper[i]) missing = slack;
    }
    if (m->ridge || !(missing > 0 && missing < (hard ? 0.5 : 1e-6))) return P;
    double by = hard ? 1 / (1 - missing) : 1 / (1 - 2 * missing), longer = *b;
    scale_weights(in, by, &longer);
    double Q = hsp_margin_primal(m, in->w, in->scores, longer);
    if (hard || Q < P) {
        in->b = *b = longer;
        return Q;
    }
    scale_weights(in, 1 / by, &longer);
    return P;
}

/* The gap of the multipliers in `exact` with the weights of the inner problem and with their own combination. Keeps the best;
 * among gaps within rounding, that of optimal multipliers. */
static void measure(polish_state *s, bool optimal) {
    const hsp_margin *m = s->m;
    hsp_polish_exact *x = &s->exact;
    memcpy(s->balanced, x->alpha, (size_t)m->design->n * sizeof *x->alpha);
    hsp_margin_balance(m, s->balanced);
    double t = hsp_margin_combine(m, s->balanced, x->scratch, s->v);
    double dual = hsp_margin_dual_value(m, s->balanced, s->v, t), b = s->in.b, own = x->b;
    s->dual = fmax(s->dual, dual);
    hsp_design_scores(m->design, s->in.w, 0, s->in.scores);
    double P = inner_primal(s, &b), own_P = primal(s, x->v, x->scores, &own);
    double gap = hsp_margin_gap(P, dual), own_gap = hsp_margin_gap(own_P, dual);
    double least = fmin(gap, own_gap), most = s->gap;
    if (optimal && !s->optimal) most = fmax(2 * s->gap, 10 * ENOUGH);
    if (!optimal && s->optimal) most = s->gap <= 10 * ENOUGH ? -INFINITY : s->gap / 2;
    if (!(least < most)) return;
    s->optimal = optimal;
    if (own_gap <= gap + (optimal ? ENOUGH : 0))
        keep_best(s, own_P, dual, x->v, own, x->scores);
    else
        keep_best(s, P, dual, s->in.w, b, s->in.scores);
}

/* ---- the method ---- */

/* The first radius, without a good start: the mean size of the boxes, so that the result does not depend on the scales of the
 * columns; without boxes, a multiple of the multiplier that changes the margin of its own row by 1. */
static double first_radius(const polish_state *s) {
    const hsp_margin *m = s->m;
    double mean, largest, sum = 0, count = 0;
    hsp_design_norms(m->design, NULL, &mean, &largest);
    double most = mean > 0 ? 1e3 / mean : 1;
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->upper[i] == 0) continue;
        double size = fmin(m->upper[i], m->ridge && m->ridge[i] > 0 ? 1 / m->ridge[i] : INFINITY);
        sum += size < INFINITY ? size : most;
        count++;
    }
    return count > 0 ? sum / count : 1;
}

static int init(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    (void)seed;
    polish_state *s = vs;
    int64_t n = m->design->n, d = m->design->d;
    *s = (polish_state){.m = m, .gap = INFINITY, .mark = INFINITY, .repeated_gap = INFINITY, .last_excess = INFINITY};
    if (!HSP_ALLOC_DOUBLES(n, &s->balanced, &s->best.alpha, &s->best_scores) || !HSP_ALLOC_DOUBLES(d, &s->v, &s->best.w))
        return hsp_fail_memory(err);
    int status = hsp_polish_exact_init(&s->exact, m, err);
    if (!status) status = hsp_polish_inner_init(&s->in, m, err);
    if (status || !start) return status;
    for (int64_t i = 0; i < n; i++) {
        double a = start->alpha[i];
        s->in.centre[i] = s->in.a[i] = a > 0 && a < INFINITY ? fmin(a, m->upper[i]) : 0;
    }
    if (!isfinite(start->b) || !hsp_finite_f64(start->w, d)) return HSP_OK;
    memcpy(s->in.w, start->w, (size_t)d * sizeof *s->in.w);
    s->in.b = m->intercept == HSP_INTERCEPT_NONE ? 0 : start->b;
    return HSP_OK;
}

static void release(void *vs) {
    polish_state *s = vs;
    hsp_polish_inner_free(&s->in);
    hsp_polish_exact_free(&s->exact);
    HSP_FREE(s->balanced, s->v, s->best.w, s->best.alpha, s->best_scores);
}

/* Measures the start; its gap decides the first radius. */
static void measure_start(polish_state *s) {
    double sum = 0, count = 0;
    s->begun = true;
    hsp_polish_exact_take(&s->exact, s->in.centre, s->in.b);
    measure(s, false);
    s->mark = s->gap;
    for (int64_t i = 0; i < s->m->design->n; i++) {
        sum += s->in.centre[i];
        count += s->in.centre[i] > 0;
    }
    double typical = count > 0 ? sum / count : 0;
    bool near = s->gap <= 1e-2 && typical > 0 && !s->m->loose;
    s->in.sigma = near ? 1e3 * typical : first_radius(s);
    s->smallest = 1e-15 * s->in.sigma;
}

/* Counts a centre, and decides whether to continue. */
static hsp_step count_centre(polish_state *s) {
    s->inner = 0;
    if (s->gap < s->mark / 2 || s->dual > 1.2 * s->mark_dual) {
        s->mark = s->gap;
        s->mark_dual = s->dual;
        s->since = 0;
    } else {
        s->since++;
    }
    int patience = s->gap <= 10 * ENOUGH ? LESS_PATIENCE : PATIENCE;
    if (s->since <= patience && s->in.sigma >= s->smallest) return HSP_STEP_MORE;
    return s->optimal && s->gap <= SMALL ? HSP_STEP_DONE : HSP_STEP_STALLED;
}

/* The next centre: the multipliers of the inner problem's solution, or the refined ones. */
static void recentre(polish_state *s, bool refined) {
    hsp_polish_inner *in = &s->in;
    int64_t n = s->m->design->n, d = s->m->design->d;
    memcpy(in->centre, refined ? s->exact.alpha : in->a, (size_t)n * sizeof *in->a);
    if (!refined) return;
    memcpy(in->w, s->exact.v, (size_t)d * sizeof *in->w);
    memcpy(in->scores, s->exact.scores, (size_t)n * sizeof *in->scores);
    in->b = s->exact.b;
}

/* After optimal multipliers a few more centres are tried as long as they reduce the gap. The gap must be small, too: with
 * columns of very different scales the allowed rounding error is so large that optimality means little. */
static bool is_over(polish_state *s) {
    if (s->gap > SMALL) return false;
    s->repeats = s->gap < s->repeated_gap / 1.5 ? 1 : s->repeats + 1;
    if (s->repeats == 1) s->repeated_gap = s->gap;
    return s->repeats == MOST_REPEATS || s->gap <= ENOUGH;
}

/* The radius of the next centre. A larger one converges faster, but the last digits of the multipliers may need a smaller
 * one, which loses less to rounding: near the end the direction is reversed whenever they do not improve. */
static void next_radius(polish_state *s, double excess) {
    bool close = s->gap <= 10 * ENOUGH || (s->gap <= 1e-9 && s->since > 1);
    if (close && !(excess < s->last_excess / 2)) s->smaller = !s->smaller;
    s->last_excess = excess;
    if (!close) s->smaller = false;
    if (!close && s->inner > FEW_INNER) return;
    s->in.sigma *= s->smaller ? 1.0 / 16 : 4;
    s->in.fresh = true;
}

static hsp_step accept_solution(polish_state *s, hsp_budget *budget) {
    hsp_polish_inner *in = &s->in;
    hsp_polish_exact_take(&s->exact, in->a, in->b);
    measure(s, false);
    budget->steps += 4 * s->m->design->n;
    bool refined = false;
    double excess = INFINITY;
    if (s->gap <= 1e-6) {
        double before = hsp_polish_exact_excess(&s->exact);
        excess = hsp_polish_exact_refine(&s->exact, &in->system, before, budget);
        refined = excess < before;
        if (refined || excess <= 1) measure(s, excess <= 1);
        if (s->optimal && is_over(s)) return HSP_STEP_DONE;
    }
    recentre(s, refined);
    next_radius(s, excess);
    return count_centre(s);
}

/* One class: only the intercept matters. */
static hsp_step finish_one_class(polish_state *s) {
    memset(s->in.w, 0, (size_t)s->m->design->d * sizeof *s->in.w);
    memset(s->in.a, 0, (size_t)s->m->design->n * sizeof *s->in.a);
    hsp_polish_exact_take(&s->exact, s->in.a, 0);
    double b = hsp_margin_best_intercept(s->m, s->exact.scores, s->exact.scratch);
    double P = hsp_margin_primal(s->m, s->in.w, s->exact.scores, b);
    memset(s->balanced, 0, (size_t)s->m->design->n * sizeof *s->balanced);
    keep_best(s, P, P, s->in.w, b, s->exact.scores);
    return HSP_STEP_DONE;
}

static hsp_step step(void *vs, hsp_budget *budget) {
    polish_state *s = vs;
    if (hsp_polish_one_class(s->m)) return finish_one_class(s);
    if (!s->begun) measure_start(s);
    while (s->inner < MOST_INNER) {
        if (hsp_budget_out(budget)) return HSP_STEP_MORE;
        s->inner++;
        switch (hsp_polish_newton(&s->in, budget)) {
        case HSP_POLISH_MOVED:
            break;
        case HSP_POLISH_SOLVED:
            return accept_solution(s, budget);
        case HSP_POLISH_FAILED:
            return HSP_STEP_FAILED;
        case HSP_POLISH_MEMORY:
            return HSP_STEP_MEMORY;
        }
    }
    s->in.sigma /= 4;
    s->in.fresh = true;
    return count_centre(s);
}

static void export(void *vs, hsp_margin_point *out) {
    const polish_state *s = vs;
    hsp_margin_point_copy(out, &s->best, s->m);
}

static double gap(const void *vs) {
    return ((const polish_state *)vs)->gap;
}

static bool give_measured(const void *vs, hsp_margin_measured *out) {
    const polish_state *s = vs;
    *out = (hsp_margin_measured){.primal = s->best_P, .dual = s->best_D, .scores = s->best_scores};
    return isfinite(s->gap) && s->even;
}

const hsp_margin_method hsp_margin_polish = {.name = "proximal-point",
                                             .state_size = sizeof(polish_state),
                                             .init = init,
                                             .step = step,
                                             .export = export,
                                             .gap = gap,
                                             .measured = give_measured,
                                             .free = release};
