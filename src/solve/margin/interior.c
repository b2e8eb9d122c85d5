/* Interior point for the program of margin.h: Mehrotra's predictor and corrector (1992) with Gondzio's corrections (1996).
 * Newton's equations, with alpha, s and xi eliminated row by row, leave a system in w and b: see margin_interior.h. A step
 * makes one weighted Gram matrix, one walk over the data for all that depends on the new point, and two products for each
 * direction, one for the first. */
#include "solve/margin/interior.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/gram.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PRODUCTS = 5, PATIENCE = 4, MOST_PATIENCE = 25, MOST_STEPS = 200 };
/* How near to the boundary a step may go. */
static const double SHARE = 0.995;
/* The end of what double can do, once the gap has come down to it. */
static const double FINE = 1e-8;
/* The share of a residual that asks for products with the data, and for a better matrix. */
static const double POOR = 1e-3;
/* A step shorter than this says that the matrix was too poor for its direction, which is then made again with products. */
static const double SHORT = 1e-2;
/* Corrections: steps of this length need none; a correction is made for a step so much longer, and must gain so much. */
static const double LONG = 0.9, LONGER = 1.3, GAIN = 0.02;

typedef struct interior_state {
    const hsp_margin *m;
    hsp_interior_rows rows;
    hsp_interior_system system;
    hsp_interior_sums sums; /* of the present point */
    bool settled;           /* nothing to solve: no rows, or one class and a free intercept */
    int corrections;        /* of a direction, at most */
    double *w;              /* d */
    double *combined;       /* HSP_OF x d: X' of the columns of R */
    double *expected;       /* d: of w - v, after a step that kept to its equations */
    double *balanced;       /* d: v of alpha made feasible */
    double *scratch;        /* 2 n */
    double mu, square;      /* complementarity; r' M^-1 r of the last direction */
    bool careful;           /* products with the data are needed */
    /* the best point so far */
    hsp_margin_point best;
    double *best_scores;
    double best_gap, best_P, best_D;
    int stale; /* steps since it got better */
    int64_t k;
} interior_state;

/* ---- making ---- */

/* Rows that count, by class: whether there is something to solve. */
static bool trivial(const hsp_margin *m) {
    bool plus = false, minus = false;
    for (int64_t i = 0; i < m->design->n; i++)
        if (m->upper[i] > 0) *(m->y[i] > 0 ? &plus : &minus) = true;
    return m->intercept == HSP_INTERCEPT_FREE ? !(plus && minus) : !(plus || minus);
}

/* How many corrections a step is worth: a Gram matrix costs as many passes over the data as a row has values, and more. */
static int corrections_for(const hsp_matrix *x) {
    return x->n > 0 && x->stored / x->n >= 100 ? 4 : 2;
}

static bool allocate(interior_state *s) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    s->w = hsp_alloc_zero(d, sizeof *s->w);
    s->combined = hsp_alloc_zero(HSP_OF * d, sizeof *s->combined);
    s->expected = hsp_alloc_zero(d, sizeof *s->expected);
    s->balanced = hsp_alloc_zero(d, sizeof *s->balanced);
    s->scratch = hsp_alloc(2 * n, sizeof *s->scratch);
    s->best.w = hsp_alloc_zero(d, sizeof *s->best.w);
    s->best.alpha = hsp_alloc_zero(n, sizeof *s->best.alpha);
    s->best_scores = hsp_alloc_zero(n, sizeof *s->best_scores);
    s->corrections = corrections_for(s->m->design->x);
    return s->w && s->combined && s->expected && s->balanced && s->scratch && s->best.w && s->best.alpha && s->best_scores;
}

static void release(void *vs) {
    interior_state *s = vs;
    HSP_FREE(s->w, s->combined, s->expected, s->balanced, s->scratch, s->best.w, s->best.alpha, s->best_scores);
    hsp_interior_rows_free(&s->rows);
    hsp_interior_system_free(&s->system);
}

/* ---- where it stands ---- */

static double *combined(const interior_state *s, hsp_interior_of of) {
    return s->combined + of * s->m->design->d;
}

/* The dual's value of the present multipliers made feasible. */
static double dual_value(interior_state *s, double plus, double minus) {
    int64_t d = s->m->design->d;
    const double *v = combined(s, HSP_OF_ALPHA), *up = combined(s, HSP_OF_PLUS);
    for (int64_t j = 0; j < d; j++) s->balanced[j] = v[j] - (1 - plus) * up[j] - (1 - minus) * (v[j] - up[j]);
    double t = s->m->intercept == HSP_INTERCEPT_PENALISED ? s->sums.plus - s->sums.minus : 0;
    double bent = plus * plus * s->sums.ridge_plus + minus * minus * s->sums.ridge_minus;
    return plus * s->sums.plus + minus * s->sums.minus - (bent + hsp_dot_f64(s->balanced, s->balanced, d) + t * t) / 2;
}

/* Measures the present point with the best of intercepts, and keeps it when it is the best yet. */
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

/* All that depends on the point reached, in one walk. HSP_OK or HSP_EMEMORY. */
static int advance_rows(interior_state *s, double t) {
    const hsp_design *D = s->m->design;
    s->sums = hsp_interior_rows_move(&s->rows, t);
    s->mu = s->sums.products / s->rows.total;
    return hsp_design_adjoint_many(D, s->rows.R, HSP_OF, s->combined, NULL);
}

/* ---- the start ---- */

/* Multipliers of all rows, the same share of each row's size, so that both classes weigh the same; and of them the multiple
 * that is best for the dual: w points from the one class's centre to the other's. */
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

/* Steps from near the boundary are short ones: a start is no more than the first point to beat. */
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
    s->settled = trivial(m);
    if (s->settled) return HSP_OK;
    if (start) take_start(s, start);
    start_weights(s);
    hsp_interior_rows_begin(&s->rows, 1);
    return advance_rows(s, 0) ? hsp_fail_memory(err) : HSP_OK;
}

/* ---- one step ---- */

/* DONE where nothing is left to gain. */
static hsp_step progress_of(const interior_state *s) {
    if (s->best_gap <= 2 * DBL_EPSILON) return HSP_STEP_DONE;
    if (s->stale >= PATIENCE && s->best_gap <= FINE) return HSP_STEP_DONE;
    bool lost = s->stale >= MOST_PATIENCE && s->best_gap < INFINITY; /* a hard margin is long in coming */
    return lost || s->k >= MOST_STEPS ? HSP_STEP_STALLED : HSP_STEP_MORE;
}

/* A step that cannot be had is the end: of what double can do, or of hope. */
static hsp_step give_up_step(interior_state *s) {
    s->stale = MOST_PATIENCE;
    return s->best_gap <= FINE ? HSP_STEP_DONE : s->best_gap < INFINITY ? HSP_STEP_STALLED : HSP_STEP_FAILED;
}

/* dw, the change of the scores and db of a direction, from its right-hand side. */
static double solve(interior_state *s, struct hsp_interior_way *way, int most) {
    double left = hsp_interior_system_solve(&s->system, way->r, way->rb, most, way->dw);
    hsp_design_scores(s->m->design, way->dw, 0, way->change);
    way->db = hsp_interior_system_intercept(&s->system, way->change, way->rb);
    return left;
}

/* The first direction aims at complementarity 0: where it would lead, as a share of what there is. `most` products with the
 * data. */
static double predict(interior_state *s, int most) {
    struct hsp_interior_way *way = &s->rows.now;
    const double *v = combined(s, HSP_OF_ALPHA), *side = combined(s, HSP_OF_SIDE);
    for (int64_t j = 0; j < s->m->design->d; j++) way->r[j] = v[j] + side[j] - s->w[j];
    way->rb = s->sums.plus - s->sums.minus + s->sums.side - s->system.kappa * s->rows.b;
    solve(s, way, most);
    hsp_interior_sums sums = hsp_interior_rows_predict(&s->rows);
    double t = fmin(1 / sums.shortest, 1);
    return 1 - t - t * t * sums.second / s->sums.products;
}

/* to's right-hand side: from's, and that of the products that the rows have in e now. */
static void add_side(interior_state *s, const struct hsp_interior_way *from, struct hsp_interior_way *to, double sum) {
    hsp_design_adjoint(s->m->design, s->rows.e, s->expected);
    for (int64_t j = 0; j < s->m->design->d; j++) to->r[j] = from->r[j] + s->expected[j];
    to->rb = from->rb + sum;
}

static double length(hsp_interior_sums sums) {
    return sums.broken == 0 ? fmin(SHARE / sums.shortest, 1) : 0;
}

/* Corrections of a direction as long as they lengthen the step, which is t at first. */
static double lengthen(interior_state *s, double goal, double t, int most) {
    hsp_interior_rows *r = &s->rows;
    for (int c = 0; c < s->corrections && t < LONG; c++) {
        hsp_interior_sums sums = hsp_interior_rows_centre(r, goal, fmin(1, LONGER * t + 1 - LONG));
        add_side(s, &r->now, &r->other, sums.e);
        solve(s, &r->other, most);
        double longer = length(hsp_interior_rows_aim(r, &r->other));
        if (!(longer > t + GAIN)) break;
        t = longer;
        struct hsp_interior_way way = r->now;
        r->now = r->other;
        r->other = way;
    }
    return t;
}

/* Whether the step kept to its equations: by what is left of w - v, which ought to have shrunk like everything linear.
 * Where products with the data saw to that, by what they had to do. */
static void check(interior_state *s, double left) {
    const double *v = combined(s, HSP_OF_ALPHA);
    for (int64_t j = 0; j < s->m->design->d; j++) s->expected[j] -= s->w[j] - v[j];
    if (!s->careful) left = sqrt(fmax(hsp_interior_system_norm2(&s->system, s->expected), 0) / s->square);
    if (!(left <= POOR)) s->system.drop = s->system.drop > 1e-15 ? s->system.drop * 1e-3 : 0;
    s->careful = !(left <= POOR);
}

/* Goes t along the direction. */
static int move(interior_state *s, double t) {
    int64_t d = s->m->design->d;
    const double *v = combined(s, HSP_OF_ALPHA);
    for (int64_t j = 0; j < d; j++) s->expected[j] = (1 - t) * (s->w[j] - v[j]);
    hsp_axpy_f64(t, s->rows.now.dw, s->w, d);
    return advance_rows(s, t);
}

/* Products with the data for a direction. */
static int products_of(const interior_state *s) {
    return s->careful ? MOST_PRODUCTS : 0;
}

/* Makes the direction at hand, its first guess by `first` products with the data; how far it goes. */
static double aim(interior_state *s, int first, double *goal, double *left) {
    double ahead = predict(s, first);
    *goal = s->mu * (ahead * ahead) * (ahead * ahead);
    add_side(s, &s->rows.now, &s->rows.now, hsp_interior_rows_correct(&s->rows, *goal).e);
    *left = solve(s, &s->rows.now, products_of(s));
    return length(hsp_interior_rows_aim(&s->rows, &s->rows.now));
}

static hsp_step step(void *vs, hsp_budget *budget) {
    interior_state *s = vs;
    if (s->settled) {
        s->best_P = s->best_D = hsp_margin_primal(s->m, s->best.w, s->best_scores, s->best.b);
        s->best_gap = 0;
        return HSP_STEP_DONE;
    }
    if (progress_of(s) != HSP_STEP_MORE) return progress_of(s);
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    s->system.S = s->sums.weights;
    if (hsp_interior_system_set(&s->system, s->sums.heaviest)) return HSP_STEP_MEMORY;
    double goal, left, t = aim(s, 0, &goal, &left);
    if (t < SHORT && !s->careful) {
        s->careful = true;
        t = aim(s, MOST_PRODUCTS, &goal, &left);
    }
    if (t == 0 || !hsp_finite_f64(s->rows.now.dw, s->m->design->d)) return give_up_step(s);
    s->square = hsp_interior_system_norm2(&s->system, s->rows.now.r);
    t = lengthen(s, goal, t, products_of(s));
    if (move(s, t)) return HSP_STEP_MEMORY;
    s->k++;
    s->stale++;
    budget->updates++;
    budget->steps += s->m->design->n;
    measure(s);
    check(s, left);
    return progress_of(s);
}

static void export(void *vs, hsp_margin_point *out) {
    const interior_state *s = vs;
    memcpy(out->w, s->best.w, (size_t)s->m->design->d * sizeof *out->w);
    memcpy(out->alpha, s->best.alpha, (size_t)s->m->design->n * sizeof *out->alpha);
    out->b = s->best.b;
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
