/* Dual coordinate descent (Hsieh et al. 2008). The free intercept is an equation, sum alpha_i y_i = 0, kept by an augmented
 * Lagrangian: its multiplier is the intercept, moved after each epoch by rho times what is missing. Since the sum is 0 at
 * the optimum, any c may be taken from all rows without changing it: with c the mean of the columns the coordinates are far
 * better conditioned, and sparse rows stay sparse, for with v = sum alpha_j y_j z_j and r = sum alpha_j y_j
 *
 *     w.(z_i - c) = v.z_i - r c.z_i - v.c + r c.c.
 *
 * A design that is centred itself (x_i = z_i - p) is the same with c = p; a penalised intercept is a column of ones.
 *
 * Rows are visited in a packed copy, shuffled once, by buckets of neighbours in random order: all that belongs to a row is
 * kept by its place there, and v in the copy's order of columns. Points that go out are made of the multipliers. */
#include "base/memory.h"
#include "base/rng.h"
#include "design/packed.h"
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

/* What belongs to a row: a line of the cache, for each visit is a wait for memory. */
typedef struct item {
    double alpha;
    double y, upper, ridge;
    double norm; /* |z_i - c|^2 + rho + q_i: the curvature along a coordinate */
    double cz;   /* c.z_i */
    bool out;    /* no longer takes part */
} item;

typedef struct state {
    const hsp_margin *m;
    hsp_rng rng;
    hsp_packed *packed; /* the rows that count, shuffled */
    item *item;         /* n, by place */
    double *v, r;       /* d, in the packed order: sum alpha_i y_i z_i; sum alpha_i y_i */
    double *c;          /* d: taken from all rows; NULL: 0 */
    double cc, vc;      /* c.c and v.c */
    double b, rho;      /* the intercept of the rows less c, and its stiffness; penalised: 0 and 1 */
    double *tile;       /* d */
    int64_t rows;       /* that count */
    int64_t *order;     /* n: their places; the first `active` take part */
    int64_t active, *bucket;
    double high, low;   /* of the slopes in the last epoch: rows at a bound that slope beyond them are left out */
    double top, bottom; /* of the slopes in this epoch */
    int64_t at;         /* buckets visited in this epoch */
    int64_t epoch;      /* finished */
    int64_t next_gap;   /* epoch of the next look */
    double gap;         /* at the last */
    glance past[MOST_LOOKS];
    int64_t looks;
    int slow;           /* looks without hope, one after the other */
    bool measured;      /* what follows, and the gap, are of the present point */
    double *balanced;   /* n: feasible multipliers */
    double *w, *scores; /* d, n: of them */
    double best_b;      /* for them */
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

/* The places: what of the program belongs to each row, cz and |z_i - c|^2. Dense rows are centred before they are squared,
 * so that nothing cancels. */
static void take_rows(state *s) {
    const hsp_margin *m = s->m;
    const hsp_design *D = m->design;
    for (int64_t place = 0; place < s->rows; place++) {
        int64_t i = s->packed->origin[place];
        hsp_row row = hsp_design_row(D, i, s->tile);
        double sum = 0, cz = s->c ? hsp_row_dot(row, s->c) : 0;
        for (int64_t t = 0; t < row.count; t++) {
            double x = hsp_row_value(row, t), e = x - (s->c && D->x->dense ? s->c[t] : 0);
            sum += e * e;
        }
        if (s->c && !D->x->dense) sum += s->cc - 2 * cz;
        s->item[place] =
            (item){.y = m->y[i], .upper = m->upper[i], .ridge = m->ridge ? m->ridge[i] : 0, .norm = fmax(sum, 0), .cz = cz};
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
    double sum = 0, rows = (double)s->rows;
    for (int64_t place = 0; place < s->rows; place++) sum += s->item[place].norm;
    s->rho = m->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    if (m->intercept == HSP_INTERCEPT_FREE) {
        double weaker = fmin(strength(m, 1), strength(m, -1));
        s->rho = fmax(rows > 0 ? 0.01 * sum / rows : 0, weaker > 0 ? 3 / weaker : 0);
        if (!(s->rho > 0)) s->rho = 1;
    }
    for (int64_t place = 0; place < s->rows; place++) s->item[place].norm += s->rho + s->item[place].ridge;
}

/* Whether passes over all rows go over the packed ones: where columns are many the design's are on one thread and wait for
 * w; where they are few its threads are worth more. */
static bool wide(const state *s) {
    return s->m->design->slabs == 1;
}

/* w <- sum_i alpha_i y_i z_i, for multipliers in the order of the design; returns sum_i alpha_i y_i. */
static double combine(state *s, const double *alpha) {
    const hsp_design *D = s->m->design;
    if (!wide(s)) {
        double t = hsp_margin_combine(s->m, alpha, s->scratch, s->w);
        if (D->p) hsp_axpy_f64(t, D->p, s->w, D->d);
        return t;
    }
    for (int64_t i = 0; i < D->n; i++) s->scratch[i] = alpha[i] * s->m->y[i];
    hsp_packed_adjoint(s->packed, s->scratch, s->tile);
    hsp_packed_out(s->packed, s->tile, s->w);
    return hsp_sum_f64(s->scratch, D->n);
}

/* The present multipliers in the order of the design. */
static void gather(const state *s, double *alpha) {
    memset(alpha, 0, (size_t)s->m->design->n * sizeof *alpha);
    for (int64_t place = 0; place < s->rows; place++) alpha[s->packed->origin[place]] = s->item[place].alpha;
}

/* v, r and v.c from the multipliers, against the drift of many small steps. */
static void recompute(state *s) {
    s->measured = false;
    gather(s, s->balanced);
    s->r = combine(s, s->balanced);
    s->vc = s->c ? hsp_dot_f64(s->w, s->c, s->m->design->d) : 0;
    hsp_packed_in(s->packed, s->w, s->v);
}

static int allocate(state *s, bool centred, hsp_error **err) {
    int64_t n = s->m->design->n, d = s->m->design->d;
    double **of_rows[] = {&s->balanced, &s->scores};
    double **of_columns[] = {&s->v, &s->tile, &s->w};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        if (!(*of_rows[k] = hsp_alloc_zero(n, sizeof **of_rows[k]))) return hsp_fail_memory(err);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        if (!(*of_columns[k] = hsp_alloc_zero(d, sizeof **of_columns[k]))) return hsp_fail_memory(err);
    s->scratch = hsp_alloc(2 * n, sizeof *s->scratch);
    s->order = hsp_alloc(n, sizeof *s->order);
    s->bucket = hsp_alloc((n + BUCKET - 1) / BUCKET, sizeof *s->bucket);
    s->item = hsp_alloc(n, sizeof *s->item);
    if (centred) s->c = hsp_alloc(d, sizeof *s->c);
    if (!s->scratch || !s->order || !s->bucket || !s->item || (centred && !s->c)) return hsp_fail_memory(err);
    hsp_packed_large_pages(s->v, d * (int64_t)sizeof *s->v);
    hsp_packed_large_pages(s->tile, d * (int64_t)sizeof *s->tile);
    return HSP_OK;
}

/* The rows that count, shuffled and packed. */
static int pack(state *s, hsp_error **err) {
    const hsp_margin *m = s->m;
    for (int64_t i = 0; i < m->design->n; i++)
        if (m->upper[i] > 0) s->order[s->rows++] = i;
    hsp_rng_shuffle(&s->rng, s->order, s->rows);
    int status = hsp_packed_new(m->design, s->order, s->rows, hsp_packed_room(m->design), &s->packed, err);
    for (int64_t place = 0; place < s->rows; place++) s->order[place] = place;
    return status;
}

static void take_start(state *s, const hsp_margin_point *start) {
    for (int64_t place = 0; start && place < s->rows; place++) {
        double a = start->alpha[s->packed->origin[place]];
        s->item[place].alpha = a > 0 && a < INFINITY ? fmin(a, s->item[place].upper) : 0;
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
    status = pack(s, err);
    if (status) return status;
    take_rows(s);
    take_stiffness(s);
    take_start(s, start);
    reactivate(s);
    return HSP_OK;
}

static void release(void *vs) {
    state *s = vs;
    hsp_packed_free(s->packed);
    void *all[] = {s->item, s->v, s->c, s->tile, s->order, s->bucket, s->balanced, s->w, s->scores, s->scratch};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) hsp_free(all[k]);
}

/* ---- an epoch ---- */

static inline double margin_of(const state *s, int64_t place, const item *e) {
    double g = hsp_packed_dot(s->packed, place, s->v) + s->b + s->rho * s->r;
    if (s->c) g += s->r * (s->cc - e->cz) - s->vc;
    return e->y * g;
}

static void change(state *s, int64_t place, item *e, double to) {
    if (to < 1e-290) to = 0; /* what is nearly no number would spoil the value of the dual */
    double by = e->y * (to - e->alpha);
    hsp_packed_axpy(s->packed, by, place, s->v);
    e->alpha = to;
    s->r += by;
    s->vc += by * e->cz;
}

/* Visits the row at a place; whether its multiplier moved. */
static bool visit(state *s, int64_t place) {
    item *e = s->item + place;
    double a = e->alpha, u = e->upper;
    double slope = margin_of(s, place, e) - 1 + e->ridge * a;
    if ((a == 0 && slope > s->high) || (a == u && slope < s->low)) e->out = true;
    if ((a == 0 && slope >= 0) || (a == u && slope <= 0)) return false;
    s->top = fmax(s->top, slope);
    s->bottom = fmin(s->bottom, slope);
    if (fabs(slope) <= ROUNDING) return false;
    /* A row without curvature, which no margin depends on: to the better bound. */
    double to = e->norm > 0 ? a - slope / e->norm : slope < 0 ? u : 0;
    to = fmin(fmax(to, 0), u);
    if (to == a || to == INFINITY) return false;
    change(s, place, e, to);
    return true;
}

static inline void prefetch(const state *s, int64_t place) {
    __builtin_prefetch(s->item + place);
    hsp_packed_prefetch(s->packed, place);
}

/* All buckets of an epoch, or as many as the budget lets. */
static void visit_all(state *s, hsp_budget *budget) {
    int64_t buckets = (s->active + BUCKET - 1) / BUCKET;
    s->measured = false;
    if (s->at == 0) {
        for (int64_t k = 0; k < buckets; k++) s->bucket[k] = k;
        hsp_rng_shuffle(&s->rng, s->bucket, buckets);
        s->top = s->bottom = 0;
    }
    for (; s->at < buckets && !hsp_budget_out(budget); s->at++) {
        int64_t begin = s->bucket[s->at] * BUCKET, end = begin + BUCKET < s->active ? begin + BUCKET : s->active;
        int64_t next = s->at + 1 < buckets ? s->bucket[s->at + 1] * BUCKET : begin;
        for (int64_t k = begin; k < end; k++) {
            int64_t ahead = k + AHEAD < end ? k + AHEAD : next + (k + AHEAD - end);
            if (ahead < s->active) prefetch(s, s->order[ahead]);
            budget->updates += visit(s, s->order[k]);
        }
        budget->steps += end - begin;
    }
}

/* Rows that were left out go behind those that take part; both keep their order. */
static void compact(state *s) {
    int64_t kept = 0, gone = 0, *aside = (int64_t *)s->scratch;
    for (int64_t k = 0; k < s->active; k++) {
        int64_t place = s->order[k];
        if (s->item[place].out)
            aside[gone++] = place;
        else
            s->order[kept++] = place;
        s->item[place].out = false;
    }
    memcpy(s->order + kept, aside, (size_t)gone * sizeof *aside);
    s->active = kept;
}

/* ---- looks ---- */

/* Xw, of the rows that count. */
static void score(state *s) {
    const hsp_design *D = s->m->design;
    if (!wide(s)) {
        hsp_design_scores(D, s->w, 0, s->scores);
        return;
    }
    hsp_packed_in(s->packed, s->w, s->tile);
    hsp_packed_scores(s->packed, s->tile, D->p ? -hsp_dot_f64(D->p, s->w, D->d) : 0, s->scores);
}

/* The gap of the present point; w, b and the balanced multipliers are left in the state. */
static double gap_now(state *s) {
    const hsp_margin *m = s->m;
    const hsp_design *D = m->design;
    gather(s, s->balanced);
    hsp_margin_balance(m, s->balanced);
    double t = combine(s, s->balanced);
    if (D->p) hsp_axpy_f64(-t, D->p, s->w, D->d);
    double dual = hsp_margin_dual_value(m, s->balanced, s->w, t);
    score(s);
    s->best_b = hsp_margin_best_intercept(m, s->scores, s->scratch);
    double primal = hsp_margin_primal(m, s->w, s->scores, s->best_b);
    if (primal == dual) return 0;
    double gap = isfinite(primal) && isfinite(dual) && primal != 0 ? (primal - dual) / fabs(primal) : INFINITY;
    return gap >= -1e-9 ? fmax(gap, 0) : INFINITY; /* below 0 by a hair is rounding */
}

/* Once for each point: who looks and who exports ask for the same. */
static void measure(state *s) {
    if (!s->measured) s->gap = gap_now(s);
    s->measured = true;
}

/* Roughly what the finish takes from here, in epochs: so many Newton steps, each a few passes over the rows and a
 * factorisation, by columns or by rows. A number in a pass costs a nanosecond, 20 in a factorisation do. */
static double finish_in_epochs(const state *s) {
    enum { NEWTON_STEPS = 100 };
    const hsp_margin *m = s->m;
    double inside = 0, d = (double)m->design->d, stored = 1 + (double)m->design->x->stored;
    for (const item *e = s->item; e < s->item + s->rows; e++) inside += e->alpha > 0 && e->alpha < e->upper;
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
    measure(s);
    s->next_gap = s->epoch < 3 ? s->epoch + 1 : s->epoch == 3 ? 5 : s->epoch == 5 ? 8 : s->epoch * 13 / 10;
    if (s->looks < MOST_LOOKS) s->past[s->looks++] = (glance){s->epoch, s->gap};
    return hopeless(s) ? HSP_STEP_STALLED : HSP_STEP_MORE;
}

/* ---- the method ---- */

static hsp_step step(void *vs, hsp_budget *budget) {
    state *s = vs;
    if (hsp_polish_lonely(s->m)) {
        for (int64_t place = 0; place < s->rows; place++) s->item[place].alpha = 0;
        s->measured = false;
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
    measure(s);
    out->b = s->best_b;
    memcpy(out->w, s->w, (size_t)s->m->design->d * sizeof *out->w);
    memcpy(out->alpha, s->balanced, (size_t)s->m->design->n * sizeof *out->alpha);
}

static double gap(const void *vs) {
    return ((const state *)vs)->gap;
}

const hsp_margin_method hsp_margin_dual = {
    .name = "dual", .state_size = sizeof(state), .init = init, .step = step, .export = export, .gap = gap, .free = release};
