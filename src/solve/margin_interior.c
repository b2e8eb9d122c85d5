/* Interior point for the program of margin.h: Mehrotra's predictor and corrector (1992). With s_i the multiplier of
 * alpha_i >= 0, xi_i that of alpha_i <= u_i (the slack of the soft margin) and z_i = u_i - alpha_i, the conditions are
 *
 *     w = sum_i alpha_i y_i x_i,   kappa b = sum_i alpha_i y_i,   y_i g_i + q_i alpha_i - 1 = s_i - xi_i,
 *     s_i alpha_i = xi_i z_i = mu k_i,   all four positive,
 *
 * with mu driven to 0. The row's own share k_i is the size of its multiplier, u_i (1 / q_i without a bound), so that all
 * that follows is the same for any C; but no less than the mean of them all: a light row whose products fell as fast as its
 * weight says would hold up every step (the barrier's parameter is the ratio of the largest k_i to the least). Newton's
 * equations, with alpha, s and xi eliminated row by row, leave a system in w and b: see margin_interior.h. */
#include "solve/margin_interior.h"

#include "base/memory.h"
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

enum { MOST_PRODUCTS = 5, PATIENCE = 4, MOST_PATIENCE = 25, MOST_STEPS = 200 };
/* How near to the boundary a step may go. */
static const double SHARE = 0.995;
/* The end of what double can do, once the gap has come down to it. */
static const double FINE = 1e-8;
/* From here on the linear systems are solved with care. */
static const double NEAR = 1e-5;
/* The share of a residual that asks for a better factor. */
static const double POOR = 1e-4, NEGLIGIBLE = 1e-6;
/* Corrections: steps of this length need none; a correction is made for a step so much longer, and must gain so much. */
static const double LONG = 0.9, LONGER = 1.3, GAIN = 0.02, LOW = 0.1;

typedef struct state {
    const hsp_margin *m;
    hsp_interior_system system;
    bool settled;               /* nothing to solve: no rows, or one class and a free intercept */
    double size;                /* of the multipliers that neither bound nor ridge hold */
    double least;               /* of the k_i */
    double total;               /* of the k_i, over both bounds */
    int corrections;            /* of a direction, at most */
    double *w, b;               /* d */
    double *alpha, *z, *s, *xi; /* n each; z and xi only where u_i is finite */
    double *scores;             /* n: X w */
    double mu, goal;            /* complementarity: now, and what the step aims at */
    double *dw, db;             /* d */
    double *cs, *cx, *step; /* n each, one block: what the linear equations aim at in s alpha and xi z; change of alpha */
    double *change;         /* n: of X w + b */
    double *e;              /* n */
    double *spare;          /* 3 n + d: a direction that may be the better one */
    /* the best point so far */
    double *best_w, *best_alpha, best_b, best_gap;
    int stale; /* steps since it got better */
    int64_t k;
} state;

static inline double ridge_of(const state *s, int64_t i) {
    return s->m->ridge ? s->m->ridge[i] : 0;
}

/* What the multiplier of a row is measured by. */
static inline double size_of(const state *s, int64_t i) {
    double u = s->m->upper[i], q = ridge_of(s, i);
    return u < INFINITY ? u : q > 0 ? 1 / q : s->size;
}

/* k_i */
static inline double share_of(const state *s, int64_t i) {
    return fmax(size_of(s, i), s->least);
}

static inline bool bounded(const state *s, int64_t i) {
    return s->m->upper[i] < INFINITY;
}

/* ---- the start ---- */

/* Rows that count, by class: whether there is something to solve. */
static bool trivial(const hsp_margin *m) {
    bool plus = false, minus = false;
    for (int64_t i = 0; i < m->design->n; i++)
        if (m->upper[i] > 0) *(m->y[i] > 0 ? &plus : &minus) = true;
    return m->intercept == HSP_INTERCEPT_FREE ? !(plus && minus) : !(plus || minus);
}

/* 1 / the mean square of the rows' distances from their mean: the size of multipliers that nothing else bounds. */
static double natural_size(state *s) {
    const hsp_design *D = s->m->design;
    double mean = 0, largest;
    for (int64_t i = 0; i < D->n; i++) s->e[i] = s->m->upper[i] > 0;
    hsp_design_norms(D, s->e, &mean, &largest);
    double about = mean;
    if (s->m->intercept == HSP_INTERCEPT_FREE) {
        double count = hsp_sum_f64(s->e, D->n);
        hsp_design_adjoint(D, s->e, s->dw);
        about -= hsp_dot_f64(s->dw, s->dw, D->d) / count / count;
    }
    if (!(about > 1e-9 * mean)) about = mean;
    return about > 0 && isfinite(1 / about) ? 1 / about : 1;
}

/* Multipliers of all rows, the same share of each row's size, so that both classes weigh the same; and of them the multiple
 * that is best for the dual: w points from the one class's centre to the other's. */
static void begin_weights(state *s) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n, d = m->design->d;
    double linear = 0, square = 0;
    for (int64_t i = 0; i < n; i++) s->alpha[i] = m->upper[i] > 0 ? size_of(s, i) / 2 : 0;
    hsp_margin_balance(m, s->alpha);
    double t = hsp_margin_combine(m, s->alpha, s->e, s->w);
    for (int64_t i = 0; i < n; i++) {
        linear += s->alpha[i];
        square += ridge_of(s, i) * s->alpha[i] * s->alpha[i];
    }
    square += hsp_dot_f64(s->w, s->w, d) + s->system.kappa * t * t;
    double best = square > 0 ? linear / square : 1;
    if (!isfinite(best)) best = 0;
    hsp_scale_f64(best, s->w, d);
    hsp_design_scores(m->design, s->w, 0, s->scores);
    s->b = hsp_margin_best_intercept(m, s->scores, s->cs);
}

/* Given w, b and mu, the third condition and the products determine alpha, s and xi of each row but for hard margins. */
static void begin_row(state *s, int64_t i, double mu) {
    double k = size_of(s, i), r = s->m->y[i] * (s->scores[i] + s->b) - 1, q = ridge_of(s, i);
    mu *= share_of(s, i) / k;
    if (bounded(s, i)) { /* r = mu (1 / a - 1 / (1 - a)) */
        double c = r / mu, a = 2 / (c + 2 + sqrt(c * c + 4));
        s->alpha[i] = k * a;
        s->z[i] = k * (1 - a);
        s->s[i] = mu / a + q * s->alpha[i];
        s->xi[i] = mu / (1 - a);
    } else {
        double a = q > 0 ? 2 * mu / (r + sqrt(r * r + 4 * mu)) : mu / fmax(r, 0.5);
        s->alpha[i] = k * a;
        s->s[i] = mu / a;
    }
}

static double mean_size(const state *s) {
    double sum = 0, count = 0;
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        sum += size_of(s, i);
        count++;
    }
    return sum / count;
}

static void begin(state *s) {
    int64_t n = s->m->design->n;
    s->size = natural_size(s);
    s->least = mean_size(s);
    begin_weights(s);
    for (int64_t i = 0; i < n; i++) {
        s->alpha[i] = s->z[i] = s->s[i] = s->xi[i] = 0;
        if (s->m->upper[i] == 0) continue;
        begin_row(s, i, 1);
        s->total += bounded(s, i) ? 2 * share_of(s, i) : share_of(s, i);
    }
}

/* How many corrections a step is worth: a Gram matrix costs as many passes over the data as a row has values, and more. */
static int corrections_for(const hsp_matrix *x) {
    return x->n > 0 && x->stored / x->n >= 100 ? 4 : 2;
}

static bool allocate(state *s) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    double **rows[] = {&s->alpha, &s->z, &s->s, &s->xi, &s->scores, &s->change, &s->e, &s->best_alpha};
    double **columns[] = {&s->w, &s->dw, &s->best_w};
    bool all = true;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) all = (*rows[k] = hsp_alloc_zero(n, sizeof(double))) && all;
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        all = (*columns[k] = hsp_alloc_zero(d, sizeof(double))) && all;
    s->cs = hsp_alloc_zero(3 * n, sizeof *s->cs);
    s->spare = hsp_alloc(3 * n + d, sizeof *s->spare);
    if (!s->cs || !s->spare) return false;
    s->cx = s->cs + n;
    s->step = s->cs + 2 * n;
    s->corrections = corrections_for(s->m->design->x);
    return all;
}

static void release(void *vs) {
    state *s = vs;
    double *all[] = {s->alpha,      s->z, s->s,  s->xi,     s->scores, s->change, s->e,
                     s->best_alpha, s->w, s->dw, s->best_w, s->cs,     s->spare};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
    hsp_interior_system_free(&s->system);
}

/* ---- where it stands ---- */

static bool finite_all(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}

/* The relative gap of w (whose scores are given) with its best b, which is returned too, and of alpha made feasible, in
 * s->e. */
static double measure(state *s, const double *w, const double *alpha, double *b) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n;
    hsp_design_scores(m->design, w, 0, s->scores);
    *b = hsp_margin_best_intercept(m, s->scores, s->cs);
    double P = hsp_margin_primal(m, w, s->scores, *b);
    for (int64_t i = 0; i < n; i++) s->e[i] = fmin(alpha[i], m->upper[i]);
    hsp_margin_balance(m, s->e);
    double t = hsp_margin_combine(m, s->e, s->change, s->dw);
    double D = hsp_margin_dual_value(m, s->e, s->dw, t), gap = fabs(P - D) / fmax(fabs(P), DBL_MIN);
    return isfinite(P) && isfinite(D) ? gap : INFINITY;
}

static void keep(state *s, const double *w, double b, double gap) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    if (!(gap < s->best_gap) || !isfinite(b) || !finite_all(w, d) || !finite_all(s->e, n)) return;
    if (gap < 0.9 * s->best_gap) s->stale = 0;
    s->best_gap = gap;
    s->best_b = b;
    for (int64_t j = 0; j < d; j++) s->best_w[j] = w[j];
    for (int64_t i = 0; i < n; i++) s->best_alpha[i] = s->e[i];
}

static int init(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    state *s = vs;
    (void)seed;
    *s = (state){.m = m, .best_gap = INFINITY};
    int status = hsp_interior_system_init(&s->system, m, err);
    if (status) return status;
    if (!allocate(s)) return hsp_fail_memory(err);
    s->best_b = hsp_margin_best_intercept(m, s->scores, s->cs);
    s->settled = trivial(m);
    if (s->settled) return HSP_OK;
    if (start) { /* steps from near the boundary are short ones: it is no more than the first point to beat */
        double b, gap = measure(s, start->w, start->alpha, &b);
        keep(s, start->w, b, gap);
    }
    begin(s);
    return HSP_OK;
}

/* ---- one step ---- */

static double complementarity(const state *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->m->design->n; i++) sum += s->s[i] * s->alpha[i] + s->xi[i] * s->z[i];
    return sum / s->total;
}

static void set_weights(state *s) {
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        double a = ridge_of(s, i) + s->s[i] / s->alpha[i];
        if (bounded(s, i)) a += s->xi[i] / s->z[i];
        s->system.W[i] = 1 / a;
    }
}

/* The right-hand side of row i's equation, once s and xi are eliminated. */
static inline double row_side(const state *s, int64_t i) {
    double side = 1 - s->m->y[i] * (s->scores[i] + s->b) - ridge_of(s, i) * s->alpha[i] + s->cs[i] / s->alpha[i];
    return bounded(s, i) ? side - s->cx[i] / s->z[i] : side;
}

/* Changes of s_i and xi_i, given that of alpha_i. */
static inline double change_of_s(const state *s, int64_t i, double step) {
    return (s->cs[i] - s->s[i] * step) / s->alpha[i] - s->s[i];
}

static inline double change_of_xi(const state *s, int64_t i, double step) {
    return (s->cx[i] + s->xi[i] * step) / s->z[i] - s->xi[i];
}

/* Solves for one direction: dw and db, and `step`, the change of alpha. */
static double solve(state *s, int most) {
    const hsp_margin *m = s->m;
    int64_t n = m->design->n;
    const double *W = s->system.W;
    for (int64_t i = 0; i < n; i++) {
        s->e[i] = s->step[i] = 0;
        if (m->upper[i] == 0) continue;
        s->step[i] = row_side(s, i);
        s->e[i] = m->y[i] * (s->alpha[i] + W[i] * s->step[i]);
    }
    double left = hsp_interior_system_solve(&s->system, s->e, s->w, s->b, most, s->dw, &s->db, s->change);
    for (int64_t i = 0; i < n; i++) s->step[i] = W[i] * (s->step[i] - m->y[i] * s->change[i]);
    return left;
}

static inline double shorter(double t, double x, double dx) {
    return x + t * dx < 0 ? -x / dx : t;
}

/* The longest step, at most 1, that keeps everything from below 0. */
static double reach(const state *s) {
    double t = 2;
    const double *step = s->step;
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        t = shorter(t, s->alpha[i], step[i]);
        t = shorter(t, s->s[i], change_of_s(s, i, step[i]));
        if (!bounded(s, i)) continue;
        t = shorter(t, s->z[i], -step[i]);
        t = shorter(t, s->xi[i], change_of_xi(s, i, step[i]));
    }
    return t;
}

/* The complementarity that a step of length t would leave. */
static double ahead(const state *s, double t) {
    double sum = 0;
    const double *step = s->step;
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        sum += (s->s[i] + t * change_of_s(s, i, step[i])) * (s->alpha[i] + t * step[i]);
        if (bounded(s, i)) sum += (s->xi[i] + t * change_of_xi(s, i, step[i])) * (s->z[i] - t * step[i]);
    }
    return sum / s->total;
}

static void move(state *s, double t) {
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        double step = s->step[i];
        double ds = change_of_s(s, i, step), dx = bounded(s, i) ? change_of_xi(s, i, step) : 0;
        s->alpha[i] = fmax(s->alpha[i] + t * step, DBL_MIN);
        s->s[i] = fmax(s->s[i] + t * ds, DBL_MIN);
        if (!bounded(s, i)) continue;
        s->z[i] = fmax(s->z[i] - t * step, DBL_MIN);
        s->xi[i] = fmax(s->xi[i] + t * dx, DBL_MIN);
    }
    hsp_axpy_f64(t, s->dw, s->w, s->m->design->d);
    s->b += t * s->db;
}

static bool sound(const state *s) {
    return finite_all(s->dw, s->m->design->d) && isfinite(s->db) && finite_all(s->step, s->m->design->n);
}

/* DONE where nothing is left to gain. */
static hsp_step judge(const state *s) {
    if (s->best_gap <= 2 * DBL_EPSILON) return HSP_STEP_DONE;
    if (s->stale >= PATIENCE && s->best_gap <= FINE) return HSP_STEP_DONE;
    bool lost = s->stale >= MOST_PATIENCE && s->best_gap < INFINITY; /* a hard margin is long in coming */
    return lost || s->k >= MOST_STEPS ? HSP_STEP_STALLED : HSP_STEP_MORE;
}

/* A step that cannot be had is the end: of what double can do, or of hope. */
static hsp_step broken(state *s) {
    s->stale = MOST_PATIENCE;
    return s->best_gap <= FINE ? HSP_STEP_DONE : s->best_gap < INFINITY ? HSP_STEP_STALLED : HSP_STEP_FAILED;
}

/* ---- the direction ---- */

/* The first direction aims at complementarity 0. What it would leave tells how much to aim at (Mehrotra's rule), and which
 * products of changes it overlooks. */
static void correct(state *s) {
    double left = ahead(s, fmin(reach(s), 1)) / s->mu;
    s->goal = s->mu * (left * left) * (left * left);
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        double k = s->goal * share_of(s, i), step = s->step[i];
        double ds = change_of_s(s, i, step), dx = bounded(s, i) ? change_of_xi(s, i, step) : 0;
        s->cs[i] = k - step * ds;
        s->cx[i] = k + step * dx;
    }
}

/* What brings a product between a tenth and ten times its goal k, at the most ten of them downwards. */
static inline double towards(double product, double k) {
    return product < LOW * k ? LOW * k - product : product > k / LOW ? fmax(k / LOW - product, -k / LOW) : 0;
}

/* Corrects the products that a somewhat longer step than t would leave too small or too large (Gondzio 1996). */
static void centre(state *s, double t) {
    for (int64_t i = 0; i < s->m->design->n; i++) {
        if (s->m->upper[i] == 0) continue;
        double k = s->goal * share_of(s, i), step = s->step[i], ds = change_of_s(s, i, step);
        double dx = bounded(s, i) ? change_of_xi(s, i, step) : 0;
        s->cs[i] += towards((s->s[i] + t * ds) * (s->alpha[i] + t * step), k);
        if (bounded(s, i)) s->cx[i] += towards((s->xi[i] + t * dx) * (s->z[i] - t * step), k);
    }
}

static double length(const state *s) {
    return fmin(SHARE * reach(s), 1);
}

static void copy(double *to, const double *from, int64_t n) {
    for (int64_t i = 0; i < n; i++) to[i] = from[i];
}

/* Corrections of a direction as long as they lengthen the step, which is t at first; the last that did not is undone. */
static double lengthen(state *s, double t, int most) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    for (int c = 0; c < s->corrections && t < LONG; c++) {
        double db = s->db;
        copy(s->spare, s->cs, 3 * n);
        copy(s->spare + 3 * n, s->dw, d);
        centre(s, fmin(1, LONGER * t + 1 - LONG));
        solve(s, most);
        double longer = sound(s) ? length(s) : 0;
        if (longer > t + GAIN) {
            t = longer;
            continue;
        }
        copy(s->cs, s->spare, 3 * n);
        copy(s->dw, s->spare + 3 * n, d);
        s->db = db;
        break;
    }
    return t;
}

static hsp_step step(void *vs, hsp_budget *budget) {
    state *s = vs;
    if (s->settled) {
        s->best_gap = 0;
        return HSP_STEP_DONE;
    }
    if (judge(s) != HSP_STEP_MORE) return judge(s);
    if (hsp_budget_out(budget)) return HSP_STEP_MORE;
    s->mu = complementarity(s);
    set_weights(s);
    if (hsp_interior_system_set(&s->system)) return HSP_STEP_MEMORY;
    for (int64_t i = 0; i < s->m->design->n; i++) s->cs[i] = s->cx[i] = 0;
    solve(s, 1);
    correct(s);
    double left = solve(s, MOST_PRODUCTS);
    if (!sound(s)) return broken(s);
    double t = lengthen(s, length(s), left <= NEGLIGIBLE ? 1 : MOST_PRODUCTS);
    move(s, t);
    if (s->best_gap < NEAR) s->system.drop = 0, s->system.enough = 1e-10;
    if (left > POOR) s->system.drop = s->system.drop > 1e-15 ? s->system.drop * 1e-3 : 0;
    s->k++;
    s->stale++;
    budget->updates++;
    budget->steps += s->m->design->n;
    double b, gap = measure(s, s->w, s->alpha, &b);
    keep(s, s->w, b, gap);
    return judge(s);
}

static void export(void *vs, hsp_margin_point *out) {
    const state *s = vs;
    for (int64_t j = 0; j < s->m->design->d; j++) out->w[j] = s->best_w[j];
    for (int64_t i = 0; i < s->m->design->n; i++) out->alpha[i] = s->best_alpha[i];
    out->b = s->best_b;
}

static double gap_of(const void *vs) {
    return ((const state *)vs)->best_gap;
}

const hsp_margin_method hsp_margin_interior = {.name = "interior",
                                               .state_size = sizeof(state),
                                               .init = init,
                                               .step = step,
                                               .export = export,
                                               .gap = gap_of,
                                               .free = release};
