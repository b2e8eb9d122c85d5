/* Measurements of ascent.h where only scores are wanted (lean): no weights are computed. With the scores g = X w of the rows
 * that count,
 *
 *     |w|^2 = sum_i alpha_i y_i g_i,
 *
 * and the primal is evaluated at t (w, b) for the best t where the loss has a kink: with a large C, rows that miss the margin
 * by little cost much, and weights longer by as little avoid that. */
#include "data/matrix.h"
#include "design/design.h"
#include "design/packed.h"
#include "kernel/kernel.h"
#include "kernel/level.h"
#include "kernel/total.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/dual/ascent.h"
#include "solve/dual/vectors.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, PARTS = 8 /* partial sums */ };
_Static_assert((int)PARTS == (int)HSP_LANES, "each lane has its own sum");

/* ---- the dual ---- */

/* Sums over the places `from` to `to` - 1 of a lane: of the terms of the dual, and of the squares of the rows' own weights. */
static void add_duals(hsp_ascent *s, int k, int64_t from, int64_t to, hsp_total *own, hsp_total *dual) {
    double a[BLOCK], q[BLOCK], e[BLOCK], square = 0, value = 0;
    for (int64_t place = from; place < to; place++) {
        hsp_ascent_item item = hsp_ascent_at(&s->set.all, place, s->width);
        a[place - from] = item.alpha[k];
        q[place - from] = s->entropy ? item.upper[k] : item.ridge[k];
        s->lane[k].figures.bounded |= item.upper[k] > 0 && item.alpha[k] >= item.upper[k];
        if (s->entropy) square += item.ridge[k] * item.alpha[k] * item.alpha[k];
    }
    int64_t count = to - from;
    if (s->entropy) {
        for (int64_t t = 0; t < count; t++) {
            double share = q[t] > 0 ? a[t] / q[t] : 0;
            a[t] = share < 1 ? share : 1;
            e[t] = 1;
        }
        hsp_level_now()->entropy(e, a, count, e);
        for (int64_t t = 0; t < count; t++) value += q[t] * e[t];
    } else {
        for (int64_t t = 0; t < count; t++) value += a[t] > 0 ? a[t] - q[t] * a[t] * a[t] / 2 : 0;
    }
    hsp_total_add(own, square);
    hsp_total_add(dual, value);
}

/* |v|^2 of each lane. */
static void take_squares(const hsp_ascent *s, double *square) {
    double sums[PARTS] = {0};
    int64_t size = s->design->d * s->width;
    for (int64_t e = 0; e < size; e++) sums[e % PARTS] += s->v[e] * s->v[e];
    if (s->width == PARTS) {
        memcpy(square, sums, sizeof sums);
        return;
    }
    square[0] = 0;
    for (int k = 0; k < PARTS; k++) square[0] += sums[k];
}

/* |w|^2 and the dual value of each running lane. */
static void measure_duals(hsp_ascent *s, double *square, double *dual) {
    hsp_total owns[HSP_LANES] = {{0}}, duals[HSP_LANES] = {{0}};
    take_squares(s, square);
    for (int k = 0; k < s->count; k++) s->lane[k].figures.bounded = false;
    for (int64_t from = 0; from < s->set.rows; from += BLOCK) {
        int64_t to = from + BLOCK < s->set.rows ? from + BLOCK : s->set.rows;
        for (int k = 0; k < s->count; k++)
            if (hsp_ascent_live(s, k)) add_duals(s, k, from, to, owns + k, duals + k);
    }
    for (int k = 0; k < s->count; k++) {
        square[k] += hsp_total_of(owns[k]);
        dual[k] = hsp_total_of(duals[k]) - square[k] / 2;
        if (s->intercept == HSP_INTERCEPT_PENALISED) dual[k] -= s->moving.r[k] * s->moving.r[k] / 2;
    }
}

/* ---- the primal ---- */

/* The losses at t (g + b), and their derivatives: in b, the second in b, and in t with the sign changed. */
typedef struct lean_sums {
    double loss, slope, curve, pull;
} lean_sums;

typedef struct lean_parts {
    double loss[PARTS], slope[PARTS], curve[PARTS], pull[PARTS];
} lean_parts;

/* Eight rows of a box: with the slack s = 1 - t m, m = y (g + b), and a = clip(s / q, 0, u), the loss is a (s - q a / 2). */
HSP_ASCENT_INLINE void add_eight_boxes(const double *y, const double *u, const double *q, const double *g, double b,
                                       double t, lean_parts *out) {
    const vec zero = {0};
#pragma GCC unroll 2
    for (int k = 0; k < PARTS; k += WIDE) {
        vec side = LOAD(y), most = LOAD(u), ridge = zero, margin = side * (LOAD(g) + b), s = 1 - t * margin;
        if (q) ridge = LOAD(q);
        s = LARGER(s, zero);
        mask inside = s < most * ridge;
        vec inverse = PICK(inside, 1 / ridge, zero), a = PICK(inside, s * inverse, PICK(s > zero, most, zero));
        STORE(out->loss, LOAD(out->loss) + a * (s - ridge * a / 2));
        STORE(out->slope, LOAD(out->slope) - a * side);
        STORE(out->curve, LOAD(out->curve) + PICK(s > zero, inverse, zero));
        STORE(out->pull, LOAD(out->pull) + a * margin);
    }
}

HSP_ASCENT_INLINE void add_boxes(const hsp_margin *m, const double *scores, double b, double t, lean_sums *out) {
    const double *y = m->y, *u = m->upper, *q = m->ridge;
    lean_parts parts = {{0}, {0}, {0}, {0}};
    int64_t n = m->design->n, i = 0;
    for (; i + PARTS <= n; i += PARTS) add_eight_boxes(y + i, u + i, q ? q + i : NULL, scores + i, b, t, &parts);
    if (i < n) {
        double rest[4][PARTS] = {{0}};
        for (int64_t k = 0; i + k < n; k++) {
            rest[0][k] = y[i + k];
            rest[1][k] = u[i + k];
            rest[2][k] = q ? q[i + k] : 0;
            rest[3][k] = scores[i + k];
        }
        add_eight_boxes(rest[0], rest[1], rest[2], rest[3], b, t, &parts);
    }
    for (int k = 0; k < PARTS; k++) {
        out->loss += parts.loss[k];
        out->slope += t * parts.slope[k];
        out->curve += t * t * parts.curve[k];
        out->pull += parts.pull[k];
    }
}

static void add_boxes_any(const hsp_margin *m, const double *scores, double b, double t, lean_sums *out) {
    add_boxes(m, scores, b, t, out);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void add_boxes_avx2(const hsp_margin *m, const double *scores, double b, double t,
                                                           lean_sums *out) {
    add_boxes(m, scores, b, t, out);
}
#endif

static void add_all_boxes(const hsp_margin *m, const double *scores, double b, double t, lean_sums *out) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        add_boxes_avx2(m, scores, b, t, out);
        return;
    }
#endif
    add_boxes_any(m, scores, b, t, out);
}

/* Rows of the logistic loss, t = 1. */
static void add_logistic(const hsp_margin *m, const double *scores, double b, int64_t from, int64_t count, lean_sums *out) {
    const double *u = m->upper + from;
    double g[BLOCK], value[BLOCK], slope[BLOCK], curve[BLOCK], sums[3][PARTS] = {{0}};
    for (int64_t e = 0; e < count; e++) g[e] = scores[from + e] + b;
    hsp_level_now()->logistic(m->y + from, g, count, value, slope, curve);
    for (int64_t e = 0; e < count; e++) {
        sums[0][e % PARTS] += u[e] * value[e];
        sums[1][e % PARTS] += u[e] * slope[e];
        sums[2][e % PARTS] += u[e] * curve[e];
    }
    for (int k = 0; k < PARTS; k++) {
        out->loss += sums[0][k];
        out->slope += sums[1][k];
        out->curve += sums[2][k];
    }
}

static lean_sums sums_at(const hsp_ascent *s, const hsp_margin *m, const double *scores, double b, double t) {
    lean_sums out = {0};
    if (!s->entropy) add_all_boxes(m, scores, b, t, &out);
    for (int64_t from = 0; s->entropy && from < m->design->n; from += BLOCK)
        add_logistic(m, scores, b, from, m->design->n - from < BLOCK ? m->design->n - from : BLOCK, &out);
    return out;
}

/* A primal point: weights with these scores and this square. */
typedef struct primal_point {
    const double *scores;
    double square, b, P;
    lean_sums sums; /* at b */
} primal_point;

static double square_of_b(const hsp_ascent *s, double b) {
    return s->intercept == HSP_INTERCEPT_PENALISED ? b * b : 0;
}

static void evaluate_at(const hsp_ascent *s, const hsp_ascent_lane *lane, double b, primal_point *p) {
    p->b = b;
    p->sums = sums_at(s, lane->m, p->scores, b, 1);
    p->P = p->square / 2 + square_of_b(s, b) / 2 + p->sums.loss;
}

static bool is_near(const hsp_ascent *s, const hsp_ascent_lane *lane, double P) {
    return hsp_margin_gap(P, lane->figures.best.dual) <= s->aim;
}

/* ---- smooth losses ---- */

/* Newton's method from the intercept of the augmented Lagrangian until a better one would hardly reduce the gap. */
static void find_smooth_intercept(const hsp_ascent *s, const hsp_ascent_lane *lane, primal_point *at) {
    double one = s->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0;
    for (int k = 0; k < 8 && s->intercept != HSP_INTERCEPT_NONE; k++) {
        double slope = at->sums.slope + one * at->b, curve = at->sums.curve + one, step = curve > 0 ? slope / curve : 0;
        if (!(fabs(slope * step) / 2 > 0.01 * (at->P - lane->figures.best.dual))) return;
        if (!(fabs(slope * step) > 1e-15 * fabs(at->P))) return;
        primal_point next = *at;
        evaluate_at(s, lane, at->b - step, &next);
        if (!(next.P < at->P)) return;
        *at = next;
    }
}

/* ---- hinges ---- */

/* A better intercept: by steps of growing size until the slope changes its sign, then by interpolation, as long as there is
 * more than a small part of the gap to gain. */
static void find_kinked_intercept(const hsp_ascent *s, const hsp_ascent_lane *lane, primal_point *at) {
    enum { MOST = 6 };
    double one = s->intercept == HSP_INTERCEPT_PENALISED ? 1 : 0, first = at->sums.slope + one * at->b;
    double step = first > 0 ? -0.01 : 0.01, D = lane->figures.best.dual;
    primal_point low = *at, high = *at, best = *at, last = *at;
    double low_slope = first, high_slope = first;
    bool bracket = false;
    for (int k = 0; k < MOST && s->intercept != HSP_INTERCEPT_NONE && first != 0; k++) {
        double part = k % 3 == 2 ? 0.5 : -low_slope / (high_slope - low_slope);
        if (bracket && fmin(-low_slope, high_slope) * (high.b - low.b) <= 0.05 * (best.P - D)) break;
        primal_point next = *at;
        evaluate_at(s, lane, bracket ? low.b + (high.b - low.b) * part : last.b + step, &next);
        double slope = next.sums.slope + one * next.b;
        if (!isfinite(next.P)) break;
        if (!bracket && (slope > 0) != (first > 0)) {
            bracket = true;
            low = slope > 0 ? last : next, high = slope > 0 ? next : last;
            low_slope = slope > 0 ? first : slope, high_slope = slope > 0 ? slope : first;
        } else if (bracket) {
            *(slope > 0 ? &high : &low) = next;
            *(slope > 0 ? &high_slope : &low_slope) = slope;
        } else {
            first = slope;
            step *= 4;
        }
        last = next;
        if (next.P < best.P) best = next;
    }
    *at = best;
}

/* The t that minimises the objective at t (w, b): the zero of t |(w, b)|^2 - pull(t), which increases. The point becomes that,
 * but for its scores; returns t. */
static double stretch(const hsp_ascent *s, const hsp_ascent_lane *lane, primal_point *at) {
    double low = 0.5, high = 2, t = 1, best = 1, square = at->square + square_of_b(s, at->b);
    lean_sums sums = at->sums;
    for (int k = 0; k < 6; k++) {
        double slope = t * square - sums.pull;
        *(slope > 0 ? &high : &low) = t;
        if (fabs(slope) * (high - low) <= 0.05 * (at->P - lane->figures.best.dual)) break;
        double next = square > 0 ? sums.pull / square : 1; /* exact if no other margin crosses 1 */
        t = next > low && next < high && k % 2 == 0 ? next : (low + high) / 2;
        sums = sums_at(s, lane->m, at->scores, at->b, t);
        double Q = t * t * square / 2 + sums.loss;
        if (!(Q < at->P)) continue;
        at->P = Q;
        best = t;
        if (is_near(s, lane, Q)) break;
    }
    at->square *= best * best;
    at->b *= best;
    return best;
}

/* ---- the best point ---- */

/* The best intercept for the scores of `at`, beginning at b (`search`: else b itself), and the best stretch, as far as they
 * matter. */
static double improve_point(const hsp_ascent *s, const hsp_ascent_lane *lane, double b, bool search, primal_point *at) {
    evaluate_at(s, lane, s->intercept == HSP_INTERCEPT_NONE ? 0 : b, at);
    if (hsp_ascent_smooth(s)) {
        find_smooth_intercept(s, lane, at);
        return 1;
    }
    if (search && !is_near(s, lane, at->P)) find_kinked_intercept(s, lane, at);
    return is_near(s, lane, at->P) ? 1 : stretch(s, lane, at);
}

/* Between the best point so far and the present one: rows that miss the margin by little in the one seldom do in the other, so
 * the objective is often lower there. It combines the same share of the multipliers. */
static void mix_points(const hsp_ascent *s, hsp_ascent_lane *lane, double product, double square) {
    hsp_ascent_figures *f = &lane->figures;
    int64_t n = lane->m->design->n;
    for (int64_t i = 0; i < n; i++) f->best.trial[i] = (f->best.scores[i] + f->scores[i]) / 2;
    primal_point mixed = {.scores = f->best.trial, .square = (f->best.square + 2 * product + square) / 4};
    double t = improve_point(s, lane, f->best_b, false, &mixed);
    if (!(mixed.P < f->best.primal)) return;
    f->best.primal = mixed.P;
    f->best.square = mixed.square;
    f->best.b = mixed.b;
    for (int64_t i = 0; i < n; i++) f->best.scores[i] = t * f->best.trial[i];
    for (int64_t place = 0; place < s->set.rows; place++) {
        double *a = f->best.alpha + s->set.all.x->origin[place];
        *a = t * (*a + hsp_ascent_at(&s->set.all, place, s->width).alpha[lane - s->lane]) / 2;
    }
}

/* w of the best point times w of the present one. */
static double product_with_best(const hsp_ascent *s, const hsp_ascent_lane *lane) {
    const hsp_ascent_figures *f = &lane->figures;
    double parts[PARTS] = {0}, sum = 0;
    for (int64_t i = 0; i < lane->m->design->n; i++) parts[i % PARTS] += f->best.alpha[i] * lane->m->y[i] * f->scores[i];
    for (int k = 0; k < PARTS; k++) sum += parts[k];
    (void)s;
    return sum;
}

static void keep_best(const hsp_ascent *s, hsp_ascent_lane *lane, const primal_point *at, double t) {
    hsp_ascent_figures *f = &lane->figures;
    f->best.primal = at->P;
    f->best.square = at->square;
    f->best.b = at->b;
    for (int64_t i = 0; i < lane->m->design->n; i++) f->best.scores[i] = t * f->scores[i];
    if (hsp_ascent_smooth(s)) return; /* never mixed */
    for (int64_t i = 0; i < lane->m->design->n; i++) f->best.alpha[i] = 0;
    for (int64_t place = 0; place < s->set.rows; place++)
        f->best.alpha[s->set.all.x->origin[place]] = t * hsp_ascent_at(&s->set.all, place, s->width).alpha[lane - s->lane];
}

static void measure_primal(const hsp_ascent *s, hsp_ascent_lane *lane, double b, bool search, double square) {
    hsp_ascent_figures *f = &lane->figures;
    primal_point at = {.scores = f->scores, .square = square};
    double t = improve_point(s, lane, b, search, &at);
    f->primal = at.P;
    f->best_b = at.b / t;
    bool known = f->best.primal < INFINITY;
    if (!hsp_ascent_smooth(s) && known && !is_near(s, lane, fmin(at.P, f->best.primal)))
        mix_points(s, lane, product_with_best(s, lane), square);
    if (at.P < f->best.primal) keep_best(s, lane, &at, t);
}

/* ---- scores ---- */

/* v.z of each lane, added to g. */
static inline void add_scores(const hsp_ascent *s, hsp_gather *gather, hsp_packed_row row, double *g) {
    const hsp_packed *x = s->set.all.x;
    if (s->width == 1)
        g[0] += hsp_packed_dot(x, row, s->v);
    else if (row.count > 0)
        gather(row.count, row.id, row.value, x->design->x->table, s->v, HSP_LANES, g);
}

static bool counts_somewhere(const hsp_ascent *s, int64_t i) {
    for (int k = 0; k < s->count; k++)
        if (s->lane[k].m->upper[i] > 0) return true;
    return false;
}

/* X w of each lane, in one pass over all rows. */
static void take_scores(hsp_ascent *s) {
    const hsp_design *D = s->design;
    const hsp_packed *x = s->set.all.x;
    hsp_gather *gather = s->width > 1 ? hsp_level_now()->gather[hsp_ascent_form(x)] : NULL;
    for (int64_t place = 0; place < s->set.rows; place++) {
        int64_t i = x->origin[place];
        double g[HSP_LANES] = {0};
        add_scores(s, gather, hsp_packed_at(x, place), g);
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        for (int k = 0; k < s->count; k++)
            s->lane[k].figures.scores[i] = s->entropy ? g[k] + e.ridge[k] * e.alpha[k] * e.y[k] : g[k];
    }
    for (int64_t i = 0; s->set.rows < D->n && i < D->n; i++) {
        if (counts_somewhere(s, i)) continue;
        hsp_row r = hsp_design_row(D, i, NULL);
        double g[HSP_LANES] = {0};
        add_scores(s, gather, (hsp_packed_row){r.id, r.value, r.count}, g);
        for (int k = 0; k < s->count; k++) s->lane[k].figures.scores[i] = g[k];
    }
}

/* ---- repair ---- */

/* With a large C, rows that miss the margin by little cost much. The multipliers of rows that miss it and are not at their
 * bounds are raised until they reach it, one row after the other, which lets other rows miss it by less. Primal points need no
 * multipliers that sum to 0, so the intercept stays. s->repair (rows x width) gets the changes, to undo them. */

/* Whether a row misses the margin in some lane, by the scores of the last measurement. */
static bool misses(const hsp_ascent *s, const bool *wanted, int64_t i, hsp_ascent_item e) {
    bool any = false;
    for (int k = 0; k < s->count; k++) {
        const hsp_ascent_figures *f = &s->lane[k].figures;
        double margin = e.y[k] * (f->scores[i] + f->best_b) + e.ridge[k] * e.alpha[k];
        any |= wanted[k] && e.alpha[k] < e.upper[k] && margin < 1;
    }
    return any;
}

static void raise_row(hsp_ascent *s, const bool *wanted, hsp_gather *gather, int64_t place) {
    hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
    double *own = s->repair + place * s->width, g[HSP_LANES] = {0}, step[HSP_LANES] = {0};
    bool moved = false;
    add_scores(s, gather, hsp_packed_at(s->set.all.x, place), g);
    for (int k = 0; k < s->count; k++) {
        double slope = e.y[k] * (g[k] + s->lane[k].figures.best_b) - 1 + e.ridge[k] * e.alpha[k];
        double curve = *e.norm + 2 * *e.cz - s->cc + e.ridge[k], room = e.upper[k] - e.alpha[k];
        if (!wanted[k] || !(slope < 0) || !(curve > 0) || !(room > 0)) continue;
        double by = -slope / curve < room ? -slope / curve : room;
        e.alpha[k] += by;
        own[k] += by;
        step[k] = by * e.y[k];
        moved = true;
    }
    if (moved) hsp_ascent_add_row(s, &s->set.all, place, step);
}

/* The active rows, or all that the last measurement has found to miss the margin. */
static void raise_rows(hsp_ascent *s, const bool *wanted, bool active) {
    const hsp_ascent_set *set = &s->set;
    hsp_gather *gather = s->width > 1 ? hsp_level_now()->gather[hsp_ascent_form(set->all.x)] : NULL;
    for (int64_t t = 0; t < (active ? set->active : set->rows); t++) {
        int64_t place = !active ? t : set->now == &set->part ? set->part.home[set->order[t]] : set->order[t];
        if (active || misses(s, wanted, set->all.x->origin[place], hsp_ascent_at(&set->all, place, s->width)))
            raise_row(s, wanted, gather, place);
    }
}

static void undo_raising(hsp_ascent *s) {
    for (int64_t place = 0; place < s->set.rows; place++) {
        hsp_ascent_item e = hsp_ascent_at(&s->set.all, place, s->width);
        const double *own = s->repair + place * s->width;
        double step[HSP_LANES] = {0};
        bool moved = false;
        for (int k = 0; k < s->count; k++) {
            if (own[k] == 0) continue;
            e.alpha[k] -= own[k];
            step[k] = -own[k] * e.y[k];
            moved = true;
        }
        if (moved) hsp_ascent_add_row(s, &s->set.all, place, step);
    }
}

/* The primal of the wanted lanes, with `own` from the intercept of the augmented Lagrangian. Returns whether a lane has still
 * to be improved. */
static bool measure_primals(hsp_ascent *s, bool *wanted, const double *square, bool own) {
    bool any = false;
    take_scores(s);
    for (int k = 0; k < s->count; k++) {
        hsp_ascent_figures *f = &s->lane[k].figures;
        if (!wanted[k]) continue;
        measure_primal(s, s->lane + k, own ? f->own_b : f->best_b, own, square[k]);
        f->gap = hsp_margin_gap(f->best.primal, f->best.dual);
        any |= wanted[k] = f->gap > s->aim;
    }
    return any;
}

/* After repairs, until the gap is within the aim. `active`: nothing was measured yet. */
static void measure_repaired(hsp_ascent *s, bool *wanted, bool active) {
    double square[HSP_LANES];
    memset(s->repair, 0, (size_t)(s->set.rows * s->width) * sizeof *s->repair);
    for (int round = 0; round < 2; round++) {
        raise_rows(s, wanted, active && round == 0);
        take_squares(s, square);
        if (!measure_primals(s, wanted, square, false)) break;
    }
    undo_raising(s);
}

void hsp_ascent_measure_duals(hsp_ascent *s) {
    double square[HSP_LANES], dual[HSP_LANES];
    measure_duals(s, square, dual);
    for (int k = 0; k < s->count; k++) s->lane[k].figures.dual = dual[k];
}

void hsp_ascent_measure_lean(hsp_ascent *s) {
    static const double CLOSE = 0.05; /* gaps from which a repair is worth its cost */
    double square[HSP_LANES], dual[HSP_LANES];
    bool wanted[HSP_LANES], hard = !hsp_ascent_smooth(s), any = false;
    measure_duals(s, square, dual);
    for (int k = 0; k < s->count; k++) {
        hsp_ascent_figures *f = &s->lane[k].figures;
        wanted[k] = hsp_ascent_live(s, k);
        if (!wanted[k]) continue;
        f->square = square[k];
        f->dual = dual[k];
        f->best.dual = fmax(f->best.dual, dual[k]);
        f->best_b = f->own_b = hsp_ascent_intercept(s, k);
        hard = hard && !f->bounded;
    }
    if (!hard) any = measure_primals(s, wanted, square, true);
    for (int k = 0; k < s->count; k++) wanted[k] = wanted[k] && (hard || s->lane[k].figures.gap <= CLOSE);
    if (hard || (any && !hsp_ascent_smooth(s))) measure_repaired(s, wanted, hard);
}

void hsp_ascent_weights(const hsp_ascent *s, int k, double *w) {
    const hsp_design *D = s->design;
    for (int64_t j = 0; j < D->d; j++) w[j] = s->v[j * s->width + k];
    if (D->p) hsp_axpy_f64(-s->moving.r[k], D->p, w, D->d);
}
