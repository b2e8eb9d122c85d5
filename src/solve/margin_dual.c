/* Dual coordinate descent (Hsieh et al. 2008). The free intercept is an equation, sum alpha_i y_i = 0, kept by an augmented
 * Lagrangian: its multiplier is the intercept, moved after each epoch by rho times what is missing. Since the sum is 0 at
 * the optimum, any c may be taken from all rows without changing it: with c the mean of the columns the coordinates are far
 * better conditioned, and sparse rows stay sparse, for with v = sum alpha_j y_j z_j and r = sum alpha_j y_j
 *
 *     w.(z_i - c) = v.z_i - r c.z_i - v.c + r c.c.
 *
 * A design that is centred itself (x_i = z_i - p) is the same with c = p; a penalised intercept is a column of ones. */
#include "base/memory.h"
#include "base/rng.h"
#include "kernel/kernel.h"
#include "solve/margin_polish.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BUCKET = 8, AHEAD = 4, REACTIVATE = 20, RECOMPUTE = 50 };
/* Slopes of the dual below this are rounding. */
static const double ROUNDING = 1e-14;
/* It stops when, at the pace of the later half of the run, HAND_OVER, from where the finish is quick, is more than FAR
 * epochs away and costs more than the whole way by the finish alone: few columns with a large C, or of unlike scales. */
enum { EARLY = 40, FAR = 300, MOST_LOOKS = 256 };
static const double HAND_OVER = 1e-6;

typedef struct glance {
    int64_t epoch;
    double gap;
} glance;

typedef struct state {
    const hsp_margin *m;
    hsp_rng rng;
    double *alpha;  /* n */
    double *v, r;   /* d: sum alpha_i y_i z_i; sum alpha_i y_i */
    double *c;      /* d: taken from all rows; NULL: 0 */
    double *cz;     /* n: c.z_i */
    double cc, vc;  /* c.c and v.c */
    double *norm;   /* n: |z_i - c|^2 + rho + q_i: the curvature along a coordinate */
    double b, rho;  /* the intercept of the rows less c, and its stiffness; penalised: 0 and 1 */
    double *tile;   /* d */
    int64_t rows;   /* that count */
    int64_t *order; /* n: them, shuffled; the first `active` take part */
    int64_t active, *bucket;
    bool *out;          /* n, by place in the order: no longer takes part */
    double high, low;   /* of the slopes in the last epoch: rows at a bound that slope beyond them are left out */
    double top, bottom; /* of the slopes in this epoch */
    int64_t at;         /* buckets visited in this epoch */
    int64_t epoch;      /* finished */
    int64_t next_gap;   /* epoch of the next look */
    double gap;         /* at the last */
    glance past[MOST_LOOKS];
    int64_t looks;
    int slow;           /* looks without hope, one after the other */
    double *balanced;   /* n */
    double *w, *scores; /* d, n */
    double *scratch;    /* 2 n */
} state;

/* ---- making ---- */

/* c <- the mean of the z_i, for a free intercept; the design's own p otherwise. */
static void take_centre(state *s) {
    const hsp_design *D = s->m->design;
    if (s->m->intercept == HSP_INTERCEPT_FREE) {
        double rows = 0;
        for (int64_t i = 0; i < D->n; i++) rows += s->m->upper[i] > 0;
        for (int64_t i = 0; i < D->n; i++) s->scratch[i] = s->m->upper[i] > 0 ? 1 / rows : 0;
        hsp_design_adjoint(D, s->scratch, s->c); /* of the x_i */
        if (D->p && rows > 0) hsp_axpy_f64(1, D->p, s->c, D->d);
    } else {
        memcpy(s->c, D->p, (size_t)D->d * sizeof *s->c);
    }
    s->cc = hsp_dot_f64(s->c, s->c, D->d);
}

/* cz and |z_i - c|^2 of all rows. Dense rows are centred before they are squared, so that nothing cancels. */
static void take_norms(state *s) {
    const hsp_design *D = s->m->design;
    for (int64_t i = 0; i < D->n; i++) {
        hsp_row row = hsp_design_row(D, i, s->tile);
        double sum = 0;
        for (int64_t t = 0; t < row.count; t++) {
            double x = hsp_row_value(row, t), e = x - (s->c && !row.id ? s->c[t] : 0);
            sum += e * e;
        }
        if (s->c) s->cz[i] = hsp_row_dot(row, s->c);
        if (s->c && row.id) sum += s->cc - 2 * s->cz[i];
        s->norm[i] = fmax(sum, 0);
    }
}

/* How much the rows of a class can pull. */
static double strength(const hsp_margin *m, double y) {
    double sum = 0;
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->y[i] != y || m->upper[i] == 0) continue;
        double q = m->ridge ? m->ridge[i] : 0;
        sum += fmin(m->upper[i], q > 0 ? 1 / (2 * q) : INFINITY);
    }
    return sum;
}

static void take_stiffness(state *s) {
    const hsp_margin *m = s->m;
    double sum = 0, rows = 0;
    for (int64_t i = 0; i < m->design->n; i++) {
        if (m->upper[i] == 0) continue;
        sum += s->norm[i];
        rows++;
    }
    s->rho = m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    if (m->intercept == HSP_INTERCEPT_FREE) {
        double weaker = fmin(strength(m, 1), strength(m, -1));
        s->rho = fmax(rows > 0 ? 0.01 * sum / rows : 0, weaker > 0 ? 3 / weaker : 0);
        if (!(s->rho > 0)) s->rho = 1;
    }
    for (int64_t i = 0; i < m->design->n; i++) s->norm[i] += s->rho + (m->ridge ? m->ridge[i] : 0);
}

/* v, r and v.c from the multipliers, against the drift of many small steps. */
static void recompute(state *s) {
    const hsp_design *D = s->m->design;
    s->r = hsp_margin_combine(s->m, s->alpha, s->scratch, s->v);
    if (D->p) hsp_axpy_f64(s->r, D->p, s->v, D->d);
    s->vc = s->c ? hsp_dot_f64(s->v, s->c, D->d) : 0;
}

static int allocate(state *s, bool centred, hsp_error **err) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    double **of_rows[] = {&s->alpha, &s->norm, &s->balanced, &s->scores};
    double **of_columns[] = {&s->v, &s->tile, &s->w};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        if (!(*of_rows[k] = hsp_alloc_zero(n, sizeof **of_rows[k]))) return hsp_fail_memory(err);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        if (!(*of_columns[k] = hsp_alloc_zero(d, sizeof **of_columns[k]))) return hsp_fail_memory(err);
    s->scratch = hsp_alloc(2 * n, sizeof *s->scratch);
    s->order = hsp_alloc(n, sizeof *s->order);
    s->bucket = hsp_alloc((n + BUCKET - 1) / BUCKET, sizeof *s->bucket);
    s->out = hsp_alloc_zero(n, sizeof *s->out);
    if (!s->scratch || !s->order || !s->bucket || !s->out) return hsp_fail_memory(err);
    if (!centred) return HSP_OK;
    s->c = hsp_alloc(d, sizeof *s->c);
    s->cz = hsp_alloc(n, sizeof *s->cz);
    return s->c && s->cz ? HSP_OK : hsp_fail_memory(err);
}

static void take_start(state *s, const hsp_margin_point *start) {
    for (int64_t i = 0; start && i < s->m->design->n; i++) {
        double a = start->alpha[i];
        s->alpha[i] = a > 0 && a < INFINITY ? fmin(a, s->m->upper[i]) : 0;
    }
    recompute(s);
    if (!start || s->m->intercept != HSP_INTERCEPT_FREE) return;
    const hsp_design *D = s->m->design; /* of the rows as they are here, without c */
    double own = hsp_dot_f64(start->w, s->c, D->d) - (D->p ? hsp_dot_f64(start->w, D->p, D->d) : 0);
    s->b = start->b + own;
}

static void reactivate(state *s) {
    s->active = s->rows;
    s->high = INFINITY;
    s->low = -INFINITY;
}

static int init(void *vs, const hsp_margin *m, const hsp_margin_point *start, uint64_t seed, hsp_error **err) {
    state *s = vs;
    *s = (state){.m = m, .rng = hsp_rng_new(seed, 70), .gap = INFINITY, .next_gap = 1};
    int status = allocate(s, m->intercept == HSP_INTERCEPT_FREE || m->design->p, err);
    if (status) return status;
    if (s->c) take_centre(s);
    take_norms(s);
    take_stiffness(s);
    take_start(s, start);
    for (int64_t i = 0; i < m->design->n; i++)
        if (m->upper[i] > 0) s->order[s->rows++] = i;
    hsp_rng_shuffle(&s->rng, s->order, s->rows);
    reactivate(s);
    return HSP_OK;
}

static void release(void *vs) {
    state *s = vs;
    void *all[] = {s->alpha,  s->v,   s->c,        s->cz, s->norm,   s->tile,   s->order,
                   s->bucket, s->out, s->balanced, s->w,  s->scores, s->scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
}

/* ---- an epoch ---- */

static inline double margin_of(const state *s, int64_t i, hsp_row row) {
    double g = hsp_row_dot(row, s->v) + s->b + s->rho * s->r;
    if (s->c) g += s->r * (s->cc - s->cz[i]) - s->vc;
    return s->m->y[i] * g;
}

static void change(state *s, int64_t i, hsp_row row, double to) {
    if (to < 1e-290) to = 0; /* what is nearly no number would spoil the value of the dual */
    double by = s->m->y[i] * (to - s->alpha[i]);
    hsp_row_axpy(by, row, s->v);
    s->alpha[i] = to;
    s->r += by;
    if (s->c) s->vc += by * s->cz[i];
}

/* Visits the row at a place of the order; whether its multiplier moved. */
static bool visit(state *s, int64_t place) {
    int64_t i = s->order[place];
    hsp_row row = hsp_design_row(s->m->design, i, s->tile);
    double a = s->alpha[i], u = s->m->upper[i];
    double slope = margin_of(s, i, row) - 1 + (s->m->ridge ? s->m->ridge[i] * a : 0);
    if ((a == 0 && slope > s->high) || (a == u && slope < s->low)) s->out[place] = true;
    if ((a == 0 && slope >= 0) || (a == u && slope <= 0)) return false;
    s->top = fmax(s->top, slope);
    s->bottom = fmin(s->bottom, slope);
    if (fabs(slope) <= ROUNDING) return false;
    /* A row without curvature, which no margin depends on: to the better bound. */
    double to = s->norm[i] > 0 ? a - slope / s->norm[i] : slope < 0 ? u : 0;
    to = fmin(fmax(to, 0), u);
    if (to == a || to == INFINITY) return false;
    change(s, i, row, to);
    return true;
}

/* All buckets of an epoch, or as many as the budget lets. */
static void visit_all(state *s, hsp_budget *budget) {
    int64_t buckets = (s->active + BUCKET - 1) / BUCKET;
    if (s->at == 0) {
        for (int64_t k = 0; k < buckets; k++) s->bucket[k] = k;
        hsp_rng_shuffle(&s->rng, s->bucket, buckets);
        s->top = s->bottom = 0;
    }
    for (; s->at < buckets && !hsp_budget_out(budget); s->at++) {
        int64_t begin = s->bucket[s->at] * BUCKET, end = begin + BUCKET < s->active ? begin + BUCKET : s->active;
        int64_t next = s->at + 1 < buckets ? s->bucket[s->at + 1] * BUCKET : begin;
        for (int64_t place = begin; place < end; place++) {
            int64_t ahead = place + AHEAD < end ? place + AHEAD : next + (place + AHEAD - end);
            if (ahead < s->active) hsp_design_prefetch(s->m->design, s->order[ahead]);
            budget->updates += visit(s, place);
        }
        budget->steps += end - begin;
    }
}

/* Rows that were left out go behind those that take part; both keep their order. */
static void compact(state *s) {
    int64_t kept = 0, gone = 0, *aside = (int64_t *)s->scratch;
    for (int64_t place = 0; place < s->active; place++) {
        int64_t i = s->order[place];
        if (s->out[place])
            aside[gone++] = i;
        else
            s->order[kept++] = i;
        s->out[place] = false;
    }
    memcpy(s->order + kept, aside, (size_t)gone * sizeof *aside);
    s->active = kept;
}

/* ---- looks ---- */

/* The gap of the present point; w, b and the balanced multipliers are left in the state and in *b. */
static double measure(state *s, double *b) {
    const hsp_margin *m = s->m;
    memcpy(s->balanced, s->alpha, (size_t)m->design->n * sizeof *s->alpha);
    hsp_margin_balance(m, s->balanced);
    double t = hsp_margin_combine(m, s->balanced, s->scratch, s->w);
    double D = hsp_margin_dual_value(m, s->balanced, s->w, t);
    hsp_design_scores(m->design, s->w, 0, s->scores);
    *b = hsp_margin_best_intercept(m, s->scores, s->scratch);
    double P = hsp_margin_primal(m, s->w, s->scores, *b);
    if (P == D) return 0;
    double gap = isfinite(P) && isfinite(D) && P != 0 ? (P - D) / fabs(P) : INFINITY;
    return gap >= -1e-9 ? fmax(gap, 0) : INFINITY; /* below 0 by a hair is rounding */
}

/* Roughly what the finish takes from here, in epochs: so many Newton steps, each a few passes over the rows and a
 * factorisation, by columns or by rows. A number in a pass costs a nanosecond, 20 in a factorisation do. */
static double finish_in_epochs(const state *s) {
    enum { NEWTON_STEPS = 100 };
    const hsp_margin *m = s->m;
    double inside = 0, d = (double)m->design->d, stored = 1 + (double)m->design->x->stored;
    for (int64_t i = 0; i < m->design->n; i++) inside += s->alpha[i] > 0 && s->alpha[i] < m->upper[i];
    double by_rows = inside * inside * inside / 60, by_columns = d * d * (inside + d / 3) / 20;
    return NEWTON_STEPS * (4 * stored + fmin(by_rows, by_columns)) / (3 * stored);
}

/* Looked at twice. */
static bool hopeless(state *s) {
    int64_t half = s->looks - 1;
    while (half > 0 && 2 * s->past[half].epoch > s->epoch) half--;
    if (s->epoch < EARLY || s->gap <= HAND_OVER) return false;
    double pace = log(s->past[half].gap / s->gap) / (double)(s->epoch - s->past[half].epoch);
    double far = fmax(FAR, finish_in_epochs(s));
    s->slow = pace * far > log(s->gap / HAND_OVER) ? 0 : s->slow + 1;
    return s->slow > 1;
}

static hsp_step look(state *s) {
    double b;
    s->gap = measure(s, &b);
    s->next_gap = s->epoch < 3 ? s->epoch + 1 : s->epoch == 3 ? 5 : s->epoch == 5 ? 8 : s->epoch * 13 / 10;
    if (s->looks < MOST_LOOKS) s->past[s->looks++] = (glance){s->epoch, s->gap};
    return hopeless(s) ? HSP_STEP_STALLED : HSP_STEP_MORE;
}

/* ---- the method ---- */

static hsp_step step(void *vs, hsp_budget *budget) {
    state *s = vs;
    if (hsp_polish_lonely(s->m)) {
        memset(s->alpha, 0, (size_t)s->m->design->n * sizeof *s->alpha);
        s->gap = 0;
        return HSP_STEP_DONE;
    }
    visit_all(s, budget);
    if (s->at * BUCKET < s->active) return HSP_STEP_MORE; /* the budget is out */
    bool all = s->active == s->rows, quiet = s->top - s->bottom <= 10 * ROUNDING;
    compact(s);
    s->at = 0;
    s->epoch++;
    s->high = s->top > 0 ? s->top : INFINITY;
    s->low = s->bottom < 0 ? s->bottom : -INFINITY;
    double missing = s->m->intercept == HSP_INTERCEPT_FREE ? s->rho * s->r : 0;
    s->b += missing;
    if (!isfinite(s->top) || !isfinite(s->bottom) || !isfinite(s->r)) return HSP_STEP_FAILED;
    if (s->epoch % RECOMPUTE == 0) recompute(s);
    bool done = quiet && all && fabs(missing) <= 10 * ROUNDING;
    if (quiet || s->epoch % REACTIVATE == 0) reactivate(s);
    hsp_step result = s->epoch >= s->next_gap || done ? look(s) : HSP_STEP_MORE;
    return done ? HSP_STEP_DONE : result;
}

static void export(void *vs, hsp_margin_point *out) {
    state *s = vs;
    s->gap = measure(s, &out->b);
    memcpy(out->w, s->w, (size_t)s->m->design->d * sizeof *out->w);
    memcpy(out->alpha, s->balanced, (size_t)s->m->design->n * sizeof *out->alpha);
}

static double gap(const void *vs) {
    return ((const state *)vs)->gap;
}

const hsp_margin_method hsp_margin_dual = {
    .name = "dual", .state_size = sizeof(state), .init = init, .step = step, .export = export, .gap = gap, .free = release};
