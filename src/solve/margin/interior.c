/* Interior point for the program of margin.h: Mehrotra's predictor and corrector (1992) with Gondzio's corrections (1996).
 * Newton's equations, with alpha, s and xi eliminated row by row, leave a system in w and b: see interior.h. A step costs one
 * weighted Gram matrix, one pass over the data for everything that depends on the new point, and two products for each
 * direction, one for the first. */
#include "solve/margin/interior.h"

#include "base/error.h"
#include "base/memory.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PRODUCTS = 5, PATIENCE = 4, MOST_PATIENCE = 25, MOST_STEPS = 200 };
/* The share of the step to the boundary. */
static const double SHARE = 0.995;
/* Below this gap a lack of progress means that the limit of double precision is reached. */
static const double FINE = 1e-8;
/* A relative residual above this needs products with the data, and a better matrix. */
static const double POOR = 1e-3;
/* A step shorter than this means that the matrix was too inaccurate: the direction is computed again with products. */
static const double SHORT = 1e-2;
/* Corrections: steps of this length need none; a correction is for a step longer by this factor, and must gain this much. */
static const double LONG = 0.9, LONGER = 1.3, GAIN = 0.02;

typedef struct interior_state {
    const hsp_margin *m;
    hsp_interior_rows rows;
    hsp_interior_system system;
    hsp_interior_sums sums; /* of the present point */
    bool trivial;           /* nothing to solve: no rows, or one class and a free intercept */
    int corrections;        /* of a direction, at most */
    double *w;              /* d; all arrays are owned */
    double *combined;       /* HSP_OF x d: X' of the columns of R */
    double *expected;       /* d: of w - v, after a step that kept to its equations */
    double *balanced;       /* d: v of alpha made feasible */
    double *scratch;        /* 2 n */
    double mu, square;      /* complementarity; r' M^-1 r of the last direction */
    bool inaccurate;        /* the matrix is: products with the data are needed */
    /* the best point so far */
    hsp_margin_point best;
    double *best_scores;
    double best_gap, best_P, best_D;
    int stale; /* steps since it got better */
    int64_t k;
} interior_state;

/* ---- making ---- */

static bool is_trivial(const hsp_margin *m) {
    bool plus = false, minus = false;
    for (int64_t i = 0; i < m->design->n; i++)
        if (m->upper[i] > 0) *(m->y[i] > 0 ? &plus : &minus) = true;
    return m->intercept == HSP_INTERCEPT_FREE ? !(plus && minus) : !(plus || minus);
}

static bool allocate(interior_state *s) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    return HSP_ALLOC_DOUBLES(d, &s->w, &s->expected, &s->balanced, &s->best.w) &&
           HSP_ALLOC_DOUBLES(n, &s->best.alpha, &s->best_scores) && HSP_ALLOC_DOUBLES(HSP_OF * d, &s->combined) &&
           HSP_ALLOC_DOUBLES(2 * n, &s->scratch);
}

static void release(void *vs) {
    interior_state *s = vs;
    HSP_FREE(s->w, s->combined, s->expected, s->balanced, s->scratch, s->best.w, s->best.alpha, s->best_scores);
    hsp_interior_rows_free(&s->rows);
    hsp_interior_system_free(&s->system);
}

/* ---- the present point ---- */

static double *combined(const interior_state *s, hsp_interior_of of) {
    return s->combined + of * s->m->design->d;
}

/* The dual objective of the present multipliers, made feasible by factors for the two classes. */
static double dual_value(interior_state *s, double plus, double minus) {
    int64_t d = s->m->design->d;
    const double *v = combined(s, HSP_OF_ALPHA), *up = combined(s, HSP_OF_PLUS);
    for (int64_t j = 0; j < d; j++) s->balanced[j] = v[j] - (1 - plus) * up[j] - (1 - minus) * (v[j] - up[j]);
    double t = s->m->intercept == HSP_INTERCEPT_PENALISED ? s->sums.plus - s->sums.minus : 0;
    double ridge = plus * plus * s->sums.ridge_plus + minus * minus * s->sums.ridge_minus;
    return plus * s->sums.plus + minus * s->sums.minus - (ridge + hsp_dot_f64(s->balanced, s->balanced, d) + t * t) / 2;
}

/* Measures the present point with the best intercept, and keeps it if it is the best so far. */
static void measure(interior_state *s) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n, d = m->design->d;
    double plus = 1, minus = 1, b = hsp_margin_best_intercept(m, s->rows.scores, s->scratch);
    if (m->intercept == HSP_INTERCEPT_FREE) hsp_margin_factors(s->sums.plus, s->sums.minus, &plus, &minus);
    double P = hsp_margin_primal(m, s->w, s->rows.scores, b), D = dual_value(s, plus, minus);
    double gap = hsp_margin_distance(P, D);
    if (!(gap < s->best_gap) || !isfinite(b) || !hsp_finite_f64(s->w, d)) return;
    if (gap < 0.9 * s->best_gap) s->stale = 0;
    s->best_gap = gap;
    s->best_P = P;
    s->best_D = D;
    s->best.b = b;
    memcpy(s->best.w, s->w, (size_t)d * sizeof *s->w);
    memcpy(s->best_scores, s->rows.scores, (size_t)n * sizeof *s->best_scores);
    for (int64_t i = 0; i < n; i++) {
        double a = s->rows.alpha[i] * (m->y[i] > 0 ? plus : minus), u = m->upper[i];
        s->best.alpha[i] = a < u ? a : u;
    }
}

/* Moves the rows, and computes everything that depends on the new point in one pass. HSP_OK or HSP_EMEMORY. */
static int advance_rows(interior_state *s, double t) {
    const hsp_design *D = s->m->design;
    s->sums = hsp_interior_rows_move(&s->rows, t);
    s->mu = s->sums.products / s->rows.total;
    return hsp_design_adjoint_many(D, s->rows.R, HSP_OF, s->combined, NULL);
}

/* ---- the start ---- */

/* Multipliers in proportion to each row's size, with the same sum for both classes, times the factor that is best for the
 * dual: w points from one class's centre to the other's. */
static void start_weights(interior_state *s) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n, d = m->design->d;
    hsp_interior_rows *r = &s->rows;
    double linear = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        double u = m->upper[i], q = m->ridge ? m->ridge[i] : 0;
        r->alpha[i] = u == 0 ? 0 : (u < INFINITY ? u : q > 0 ? 1 / q : r->size) / 2;
    }
    hsp_margin_balance(m, r->alpha);
    double t = hsp_margin_combine(m, r->alpha, r->e, s->w);
    for (int64_t i = 0; i < n; i++) {
        linear += r->alpha[i];
        square += (m->ridge ? m->ridge[i] : 0) * r->alpha[i] * r->alpha[i];
    }
    square += hsp_dot_f64(s->w, s->w, d) + s->system.kappa * t * t;
    double best = square > 0 ? linear / square : 1;
    if (!isfinite(best)) best = 0;
    hsp_scale_f64(best, s->w, d);
    hsp_design_scores(m->design, s->w, 0, r->scores);
    r->b = hsp_margin_best_intercept(m, r->scores, s->scratch);
}

/* Steps from near the boundary are short, so the given start is only the first best point. */
static void take_start(interior_state *s, const hsp_margin_point *start) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n, d = m->design->d;
    hsp_design_scores(m->design, start->w, 0, s->best_scores);
    double b = hsp_margin_best_intercept(m, s->best_scores, s->scratch);
    double P = hsp_margin_primal(m, start->w, s->best_scores, b);
    for (int64_t i = 0; i < n; i++) s->best.alpha[i] = fmin(start->alpha[i], m->upper[i]);
    hsp_margin_balance(m, s->best.alpha);
    double t = hsp_margin_combine(m, s->best.alpha, s->scratch, s->balanced);
    double D = hsp_margin_dual_value(m, s->best.alpha, s->balanced, t), gap = hsp_margin_distance(P, D);
    if (isfinite(P) && isfinite(D) && isfinite(b) && hsp_finite_f64(start->w, d) && hsp_finite_f64(s->best.alpha, n)) {
        memcpy(s->best.w, start->w, (size_t)d * sizeof *s->w);
        s->best.b = b, s->best_gap = gap, s->best_P = P, s->best_D = D;
    } else {
        memset(s->best.alpha, 0, (size_t)n * sizeof *s->best.alpha);
        memset(s->best_scores, 0, (size_t)n * sizeof *s->best_scores);
    }
}

static int init(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    interior_state *s = vs;
    (void)seed;
    *s = (interior_state){.m = m, .best_gap = INFINITY};
    int status = hsp_interior_system_init(&s->system, m, err);
    if (!status) status = hsp_interior_rows_init(&s->rows, m, err);
    if (status) return status;
    if (!allocate(s)) return hsp_fail_memory(err);
    s->system.W = s->rows.W;
    s->system.XW = combined(s, HSP_OF_WEIGHTS);
    s->best.b = hsp_margin_best_intercept(m, s->best_scores, s->scratch);
    /* A Gram matrix costs at least as many passes over the data as a row has values. */
    s->corrections = m->design->n > 0 && m->design->x->stored / m->design->n >= 100 ? 4 : 2;
    s->trivial = is_trivial(m);
    if (s->trivial) return HSP_OK;
    if (start) take_start(s, start);
    start_weights(s);
    hsp_interior_rows_begin(&s->rows, 1);
    return advance_rows(s, 0) ? hsp_fail_memory(err) : HSP_OK;
}

/* ---- one step ---- */

static hsp_step progress_of(const interior_state *s) {
    if (s->best_gap <= 2 * DBL_EPSILON) return HSP_STEP_DONE;
    if (s->stale >= PATIENCE && s->best_gap <= FINE) return HSP_STEP_DONE;
    bool stalled = s->stale >= MOST_PATIENCE && s->best_gap < INFINITY; /* a hard margin may take many steps */
    return stalled || s->k >= MOST_STEPS ? HSP_STEP_STALLED : HSP_STEP_MORE;
}

/* No step is possible: the limit of double precision is reached, or the method has failed. */
static hsp_step give_up_step(interior_state *s) {
    s->stale = MOST_PATIENCE;
    return s->best_gap <= FINE ? HSP_STEP_DONE : s->best_gap < INFINITY ? HSP_STEP_STALLED : HSP_STEP_FAILED;
}

/* dw, the change of the scores and db of a direction, from its right-hand sides. */
static double solve(interior_state *s, struct hsp_interior_direction *dir, int most) {
    double left = hsp_interior_system_solve(&s->system, dir->r, dir->rb, most, dir->dw);
    hsp_design_scores(s->m->design, dir->dw, 0, dir->change);
    dir->db = hsp_interior_system_intercept(&s->system, dir->change, dir->rb);
    return left;
}

/* The predictor, with at most `most` products with the data. Returns the complementarity that it would reach, as a share of
 * the present one. */
static double predict(interior_state *s, int most) {
    struct hsp_interior_direction *dir = &s->rows.now;
    const double *v = combined(s, HSP_OF_ALPHA), *side = combined(s, HSP_OF_SIDE);
    for (int64_t j = 0; j < s->m->design->d; j++) dir->r[j] = v[j] + side[j] - s->w[j];
    dir->rb = s->sums.plus - s->sums.minus + s->sums.side - s->system.kappa * s->rows.b;
    solve(s, dir, most);
    hsp_interior_sums sums = hsp_interior_rows_predict(&s->rows);
    double t = fmin(1 / sums.shortest, 1);
    return 1 - t - t * t * sums.second / s->sums.products;
}

/* The right-hand sides of `to`: those of `from` plus what the rows have in e. */
static void add_side(interior_state *s, const struct hsp_interior_direction *from, struct hsp_interior_direction *to,
                     double sum) {
    hsp_design_adjoint(s->m->design, s->rows.e, s->expected);
    for (int64_t j = 0; j < s->m->design->d; j++) to->r[j] = from->r[j] + s->expected[j];
    to->rb = from->rb + sum;
}

static double length(hsp_interior_sums sums) {
    return sums.broken == 0 ? fmin(SHARE / sums.shortest, 1) : 0;
}

/* Corrects the direction as long as that lengthens the step, at first t. */
static double lengthen(interior_state *s, double goal, double t, int most) {
    hsp_interior_rows *r = &s->rows;
    for (int c = 0; c < s->corrections && t < LONG; c++) {
        hsp_interior_sums sums = hsp_interior_rows_centre(r, goal, fmin(1, LONGER * t + 1 - LONG));
        add_side(s, &r->now, &r->other, sums.e);
        solve(s, &r->other, most);
        double longer = length(hsp_interior_rows_aim(r, &r->other));
        if (!(longer > t + GAIN)) break;
        t = longer;
        struct hsp_interior_direction dir = r->now;
        r->now = r->other;
        r->other = dir;
    }
    return t;
}

/* Checks whether the step satisfied its equations: w - v should have shrunk by the factor 1 - t. Where products with the data
 * made sure of that, by the residual that they found. */
static void check_accuracy(interior_state *s, double left) {
    const double *v = combined(s, HSP_OF_ALPHA);
    for (int64_t j = 0; j < s->m->design->d; j++) s->expected[j] -= s->w[j] - v[j];
    if (!s->inaccurate) left = sqrt(fmax(hsp_interior_system_norm2(&s->system, s->expected), 0) / s->square);
    if (!(left <= POOR)) s->system.drop = s->system.drop > 1e-15 ? s->system.drop * 1e-3 : 0;
    s->inaccurate = !(left <= POOR);
}

/* Products with the data for a direction. */
static int products_of(const interior_state *s) {
    return s->inaccurate ? MOST_PRODUCTS : 0;
}

/* Computes the direction, its predictor with `first` products with the data; returns the step length. */
static double aim(interior_state *s, int first, double *goal, double *left) {
    double ahead = predict(s, first);
    *goal = s->mu * (ahead * ahead) * (ahead * ahead);
    add_side(s, &s->rows.now, &s->rows.now, hsp_interior_rows_correct(&s->rows, *goal).e);
    *left = solve(s, &s->rows.now, products_of(s));
    return length(hsp_interior_rows_aim(&s->rows, &s->rows.now));
}

static hsp_step step(void *vs, hsp_budget *budget) {
    interior_state *s = vs;
    if (s->trivial) {
        s->best_P = s->best_D = hsp_margin_primal(s->m, s->best.w, s->best_scores, s->best.b);
        s->best_gap = 0;
        return HSP_STEP_DONE;
    }
    if (progress_of(s) != HSP_STEP_MORE) return progress_of(s);
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    s->system.S = s->sums.weights;
    if (hsp_interior_system_set(&s->system, s->sums.heaviest)) return HSP_STEP_MEMORY;
    double goal, left, t = aim(s, 0, &goal, &left);
    if (t < SHORT && !s->inaccurate) {
        s->inaccurate = true;
        t = aim(s, MOST_PRODUCTS, &goal, &left);
    }
    if (t == 0 || !hsp_finite_f64(s->rows.now.dw, s->m->design->d)) return give_up_step(s);
    s->square = hsp_interior_system_norm2(&s->system, s->rows.now.r);
    t = lengthen(s, goal, t, products_of(s));
    int64_t d = s->m->design->d;
    const double *v = combined(s, HSP_OF_ALPHA);
    for (int64_t j = 0; j < d; j++) s->expected[j] = (1 - t) * (s->w[j] - v[j]);
    hsp_axpy_f64(t, s->rows.now.dw, s->w, d);
    if (advance_rows(s, t)) return HSP_STEP_MEMORY;
    s->k++;
    s->stale++;
    budget->updates++;
    budget->steps += s->m->design->n;
    measure(s);
    check_accuracy(s, left);
    return progress_of(s);
}

static void export(void *vs, hsp_margin_point *out) {
    const interior_state *s = vs;
    hsp_margin_point_copy(out, &s->best, s->m);
}

static double gap_of(const void *vs) {
    return ((const interior_state *)vs)->best_gap;
}

static bool give_measured(const void *vs, hsp_margin_measured *out) {
    const interior_state *s = vs;
    *out = (hsp_margin_measured){.primal = s->best_P, .dual = s->best_D, .scores = s->best_scores};
    return isfinite(s->best_gap);
}

const hsp_margin_method hsp_margin_interior = {.name = "interior-point",
                                               .state_size = sizeof(interior_state),
                                               .init = init,
                                               .step = step,
                                               .export = export,
                                               .gap = gap_of,
                                               .measured = give_measured,
                                               .free = release};
