/* The model in the working set. Its columns are packed as floats, each entry times the root of its row's curvature, in
 * units of the column's size: the model is as good with that rounding, and its loops touch half the memory. With q_i =
 * root_i sum_j z_ij delta_j kept up to date, the slope of the model in weight j is
 *
 *     g_j + ridge delta_j + sum_i root_i z_ij q_i + V_j o - p_j T      (o and T as in prox_newton_columns.c).
 *
 * Coordinate descent finds which weights are zero. Where columns depend on each other its tail is long: then it takes turns
 * with conjugate gradients in the weights that are not zero, and an exact search along the way that they find. */
#include "base/pool.h"
#include "design/columns.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/prox/active_set.h"
#include "solve/prox/prox_newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FEW_SWEEPS = 2, MOST_TURNS = 40, MOST_GRADIENTS = 40, MOST_DESCENTS = 12, MEMBERS_AT_ONCE = 64 };
static const double CONSTANT = 1e-13; /* a curvature below this share of the column's is rounding */

static bool adjusts(const hsp_active *s) {
    return s->p->intercept != HSP_INTERCEPT_NONE || s->columns->p;
}

/* sum_i h_i x_ij, where that counts: with a free intercept p has no effect, and is left out. */
static double centred_V(const hsp_active *s, int64_t a) {
    if (s->p->intercept == HSP_INTERCEPT_FREE || !s->columns->p) return s->V[a];
    return s->V[a] - s->columns->p[s->set[a]] * s->S;
}

/* ---- packing ---- */

static void pack_block(void *ctx, int64_t block) {
    hsp_active *s = ctx;
    const hsp_columns *C = s->columns;
    int64_t end = (block + 1) * MEMBERS_AT_ONCE < s->set_count ? (block + 1) * MEMBERS_AT_ONCE : s->set_count;
    for (int64_t a = block * MEMBERS_AT_ONCE; a < end; a++) {
        int64_t j = s->set[a];
        hsp_column_sums sums;
        double mean = hsp_column_p(C, j), p = s->p->intercept == HSP_INTERCEPT_FREE ? 0 : mean;
        s->length[a] = hsp_column_pack(C, j, s->pairs, s->unit[j], s->id + s->from[a], s->value + s->from[a], &sums);
        s->V[a] = sums.first;
        s->gw[j] = sums.dot - mean * s->pull + s->ridge * s->w[j];
        double whole = sums.second - 2 * p * sums.first + p * p * s->S, V = centred_V(s, a), rest = whole - V * s->M * V;
        s->curvature[a] = (rest > CONSTANT * whole ? rest : 0) + s->ridge;
        double noise = 2e-14 * sqrt(s->S * fmax(whole + mean * mean * s->S, 0)); /* see hsp_prox_threshold */
        s->limit[a] = s->t - (noise < s->t / 8 ? noise : s->t / 8);
    }
}

double hsp_active_pack(hsp_active *s) {
    double top = fabs(s->gb);
    int64_t sum = 0;
    for (int64_t a = 0; a < s->set_count; a++) {
        s->from[a] = sum;
        sum += hsp_column_count(s->columns, s->set[a]);
    }
    s->visited += (double)sum;
    for (int64_t i = 0; i < s->n; i++) {
        s->pairs[2 * i] = s->slopes[i];
        s->pairs[2 * i + 1] = s->root[i];
    }
    hsp_pool_run((s->set_count + MEMBERS_AT_ONCE - 1) / MEMBERS_AT_ONCE, s->p->design->threads, pack_block, s);
    for (int64_t a = 0; a < s->set_count; a++) {
        double v = hsp_l1_violation(s->w[s->set[a]], s->gw[s->set[a]], s->t);
        if (v > top) top = v;
    }
    return top;
}

/* ---- one weight ---- */

static double packed_dot(const hsp_active *s, int64_t a, const double *restrict q) {
    const uint32_t *restrict id = s->id + s->from[a];
    const float *restrict x = s->value + s->from[a];
    int64_t n = s->length[a], t = 0;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; t + 4 <= n; t += 4) {
        s0 += (double)x[t] * q[id[t]];
        s1 += (double)x[t + 1] * q[id[t + 1]];
        s2 += (double)x[t + 2] * q[id[t + 2]];
        s3 += (double)x[t + 3] * q[id[t + 3]];
    }
    for (; t < n; t++) s0 += (double)x[t] * q[id[t]];
    return (s0 + s1) + (s2 + s3);
}

static void packed_axpy(const hsp_active *s, double by, int64_t a, double *restrict q) {
    const uint32_t *restrict id = s->id + s->from[a];
    const float *restrict x = s->value + s->from[a];
    for (int64_t t = 0, n = s->length[a]; t < n; t++) q[id[t]] += by * (double)x[t];
}

/* From packed units to the column's. */
static double stretch(const hsp_active *s, int64_t a) {
    double unit = s->unit[s->set[a]];
    return unit > 0 ? 1 / unit : 0;
}

static double slope(const hsp_active *s, int64_t a) {
    int64_t j = s->set[a];
    double g = s->gw[j] + s->ridge * (s->u[j] - s->w[j]) + stretch(s, a) * packed_dot(s, a, s->q);
    return g + s->V[a] * s->offset - hsp_column_p(s->columns, j) * s->total;
}

/* How o and T follow when weight a moves by 1. */
static void pulled(const hsp_active *s, int64_t a, double *offset, double *total) {
    double V = centred_V(s, a), MV = s->M * V;
    bool free_b = s->p->intercept == HSP_INTERCEPT_FREE;
    *offset = -MV - (free_b ? 0 : hsp_column_p(s->columns, s->set[a]));
    *total = free_b ? 0 : V - s->S * MV; /* free: T stays -gb */
}

static void move(hsp_active *s, int64_t a, double to) {
    int64_t j = s->set[a];
    double by = to - s->u[j], offset, total;
    s->u[j] = to;
    packed_axpy(s, by * stretch(s, a), a, s->q);
    if (!adjusts(s)) return;
    pulled(s, a, &offset, &total);
    s->offset += by * offset;
    s->total += by * total;
}

/* Over the members in order[0 .. count); the largest violation met. */
static double sweep(hsp_active *s, int64_t count) {
    double top = 0, visited = 0;
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b], j = s->set[a];
        double g = slope(s, a), curvature = s->curvature[a], t = s->limit[a];
        double violated = hsp_l1_violation(s->u[j], g, t);
        visited += (double)s->length[a];
        if (violated > top) top = violated;
        if (violated == 0) continue;
        double to = curvature > 0 ? hsp_l1_minimum(s->u[j], g, curvature, t) : fabs(g) <= t ? 0 : s->u[j];
        if (to == s->u[j] || !isfinite(to)) continue;
        visited += (double)s->length[a];
        move(s, a, to);
    }
    s->visited += visited;
    return top;
}

static int64_t order_all(hsp_active *s) {
    for (int64_t a = 0; a < s->set_count; a++) s->order[a] = a;
    return s->set_count;
}

static int64_t order_nonzero(hsp_active *s) {
    int64_t count = 0;
    for (int64_t a = 0; a < s->set_count; a++)
        if (s->u[s->set[a]] != 0) s->order[count++] = a;
    return count;
}

/* Those that conjugate gradients can move. */
static int64_t order_curved(hsp_active *s) {
    int64_t count = 0;
    for (int64_t a = 0; a < s->set_count; a++)
        if (s->u[s->set[a]] != 0 && s->curvature[a] > 0 && s->unit[s->set[a]] > 0) s->order[count++] = a;
    return count;
}

/* ---- conjugate gradients in the weights that are not zero ---- */

/* sum_j z_ij aim_j root_i, and sum_i root_i z_ij rows_i into product: by the packed columns, or by the rows of the design,
 * where these are so many that vectors over columns stay in the cache and vectors over rows do not. */
static void there_by_columns(hsp_active *s, int64_t count, double *rows) {
    memset(rows, 0, (size_t)s->n * sizeof *rows);
    for (int64_t b = 0; b < count; b++) {
        packed_axpy(s, s->aim[b] * stretch(s, s->order[b]), s->order[b], rows);
        s->visited += 2 * (double)s->length[s->order[b]];
    }
}

static void back_by_columns(hsp_active *s, int64_t count, const double *rows) {
    for (int64_t b = 0; b < count; b++) s->product[b] = stretch(s, s->order[b]) * packed_dot(s, s->order[b], rows);
}

static void there_by_rows(hsp_active *s, int64_t count, double *rows) {
    const hsp_design *D = s->p->design;
    double shift = 0;
    memset(s->wide, 0, (size_t)D->d * sizeof *s->wide);
    for (int64_t b = 0; b < count; b++) {
        int64_t j = s->set[s->order[b]], origin = hsp_column_origin(s->columns, j);
        s->wide[origin] = s->aim[b];
        if (D->p) shift += D->p[origin] * s->aim[b];
    }
    hsp_design_scores(D, s->wide, shift, rows);
    for (int64_t i = 0; i < s->n; i++) rows[i] *= s->root[i];
    s->visited += 0.7 * (double)s->columns->stored;
}

static void back_by_rows(hsp_active *s, int64_t count, const double *rows) {
    const hsp_design *D = s->p->design;
    double *y = s->next; /* free while a model is solved */
    for (int64_t i = 0; i < s->n; i++) y[i] = s->root[i] * rows[i];
    double sum = D->p ? hsp_sum_f64(y, s->n) : 0;
    hsp_design_adjoint(D, y, s->wide);
    for (int64_t b = 0; b < count; b++) {
        int64_t origin = hsp_column_origin(s->columns, s->set[s->order[b]]);
        s->product[b] = s->wide[origin] + (D->p ? D->p[origin] * sum : 0);
    }
}

static bool by_rows(const hsp_active *s, int64_t count) {
    double stored = 0;
    for (int64_t b = 0; s->wide && b < count; b++) stored += (double)s->length[s->order[b]];
    return s->wide && stored > 0.4 * (double)s->columns->stored;
}

/* rows = root Z aim, product = (the model's Hessian, a trace stiffer) aim; aim'product. */
static double multiply(hsp_active *s, int64_t count, bool rowwise, double *rows) {
    double offset = 0, total = 0, sum = 0;
    for (int64_t b = 0; b < count; b++) {
        double by, more;
        pulled(s, s->order[b], &by, &more);
        offset += s->aim[b] * by;
        total += s->aim[b] * more;
    }
    (rowwise ? there_by_rows : there_by_columns)(s, count, rows);
    (rowwise ? back_by_rows : back_by_columns)(s, count, rows);
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b];
        s->product[b] += (s->ridge + HSP_ACTIVE_STIFFNESS * s->curvature[a]) * s->aim[b] + s->V[a] * offset -
                         hsp_column_p(s->columns, s->set[a]) * total;
        sum += s->aim[b] * s->product[b];
    }
    return sum;
}

static double side(const hsp_active *s, int64_t a) {
    double u = s->u[s->set[a]];
    return u > 0 ? s->limit[a] : u < 0 ? -s->limit[a] : 0;
}

static double inner(const double *x, const double *y, int64_t count) {
    double sum = 0;
    for (int64_t b = 0; b < count; b++) sum += x[b] * y[b];
    return sum;
}

static void precondition(hsp_active *s, int64_t count) {
    if (s->factor.count > 0) {
        hsp_active_precondition(s, count, s->rest, s->sloped);
        return;
    }
    for (int64_t b = 0; b < count; b++) s->sloped[b] = s->rest[b] / s->curvature[s->order[b]];
}

/* Leaves the step, and root X step in `way`. Returns the slope along the step. */
static double gradients(hsp_active *s, int64_t count, double tol, double most) {
    double slant = 0, worst = 0, *rows = s->trial, *sum = s->way, end = s->visited + most;
    bool rowwise = by_rows(s, count);
    memset(sum, 0, (size_t)s->n * sizeof *sum);
    for (int64_t b = 0; b < count; b++) {
        s->step[b] = 0;
        s->tilt[b] = slope(s, s->order[b]);
        s->rest[b] = -(s->tilt[b] + side(s, s->order[b]));
        if (fabs(s->rest[b]) > worst) worst = fabs(s->rest[b]);
    }
    tol = fmax(tol, worst / 10);
    precondition(s, count);
    memcpy(s->aim, s->sloped, (size_t)count * sizeof *s->aim);
    double before = inner(s->rest, s->sloped, count);
    for (int k = 0; k < MOST_GRADIENTS && before > 0 && s->visited < end; k++) {
        double bend = multiply(s, count, rowwise, rows), top = 0;
        if (!(bend > 0) || !isfinite(bend)) break;
        double far = before / bend;
        slant -= far * before; /* the slope along the step: all aims are conjugate */
        for (int64_t b = 0; b < count; b++) {
            s->step[b] += far * s->aim[b];
            s->rest[b] -= far * s->product[b];
            if (fabs(s->rest[b]) > top) top = fabs(s->rest[b]);
        }
        hsp_axpy_f64(far, rows, sum, s->n);
        if (top <= tol) break;
        precondition(s, count);
        double now = inner(s->rest, s->sloped, count);
        for (int64_t b = 0; b < count; b++) s->aim[b] = s->sloped[b] + now / before * s->aim[b];
        before = now;
    }
    return slant;
}

/* The model's change when the members in the order move by what `product` says, which takes the scores to `rows` (root X
 * times it). */
static double gain(const hsp_active *s, int64_t count, const double *rows) {
    double linear = 0, offset = 0, total = 0, first = 0, shift = 0, square = 0;
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b], j = s->set[a];
        double D = s->product[b], by, more;
        if (D == 0) continue;
        pulled(s, a, &by, &more);
        linear += s->tilt[b] * D + s->limit[a] * (fabs(s->u[j] + D) - fabs(s->u[j]));
        offset += by * D;
        total += more * D;
        first += s->V[a] * D;
        shift += hsp_column_p(s->columns, j) * D;
        square += D * D;
    }
    return linear + (hsp_dot_f64(rows, rows, s->n) + s->ridge * square + first * offset - shift * total) / 2;
}

static void take(hsp_active *s, int64_t count, const double *rows) {
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b];
        double by, more;
        pulled(s, a, &by, &more);
        s->offset += s->product[b] * by;
        s->total += s->product[b] * more;
        s->u[s->set[a]] += s->product[b];
    }
    hsp_axpy_f64(1, rows, s->q, s->n);
}

/* A share of the step, with weights that would pass zero left there: of two equal columns, one with a positive and one with
 * a negative weight would be worth nothing, and send the next step to infinity. Into product, the scores' move into `rows`;
 * the model's change. */
static double stop_at_zero(hsp_active *s, int64_t count, double share, double *rows, int64_t *stopped) {
    *stopped = 0;
    for (int64_t i = 0; i < s->n; i++) rows[i] = share * s->way[i];
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b];
        double u = s->u[s->set[a]], to = u + share * s->step[b];
        s->product[b] = share * s->step[b];
        if (u * to > 0) continue;
        s->product[b] = -u;
        packed_axpy(s, -to * stretch(s, a), a, rows);
        s->visited += (double)s->length[a];
        ++*stopped;
    }
    return gain(s, count, rows);
}

/* How much of the step lowers the model, past zeros as long as it falls; the slope along it is `slant`, minus its bend.
 * *first is how much there is to the first zero. */
static double far_along(const hsp_active *s, int64_t count, double slant, double *first) {
    double at = 0, bend = -slant;
    *first = 0;
    for (;;) {
        int64_t next = -1;
        double cross = INFINITY;
        for (int64_t b = 0; b < count; b++) {
            double u = s->u[s->set[s->order[b]]], x = -u / s->step[b];
            if (u * s->step[b] < 0 && x > at && x < cross) {
                cross = x;
                next = b;
            }
        }
        double lowest = -slant / bend;
        if (lowest <= cross) return lowest > at ? lowest : at;
        at = cross;
        slant += 2 * s->limit[s->order[next]] * fabs(s->step[next]);
        if (*first == 0) *first = at;
        if (slant + bend * at >= 0) return at;
    }
}

/* One such step: the whole of it when that is good for something, else as far as the model falls. How many came to zero, or
 * -1: there was no step. The Hessian is factorised when doing without has cost as much. */
static int64_t descend(hsp_active *s, int64_t count, double tol, double most) {
    double *rows = s->trial;
    if (s->owed > hsp_active_factor_cost(s, count)) {
        hsp_active_factorise(s, count);
        s->owed = 0;
    }
    double begun = s->visited, slant = gradients(s, count, tol, most);
    s->owed += s->visited - begun;
    if (!(slant < 0) || !isfinite(slant)) return -1;
    int64_t stopped;
    double fall = stop_at_zero(s, count, 1, rows, &stopped);
    if (!(fall <= slant / 8)) { /* it is slant / 2 when none is stopped */
        double first, far = far_along(s, count, slant, &first), other = stop_at_zero(s, count, far, rows, &stopped);
        if (!(other <= fall)) other = stop_at_zero(s, count, fall < 0 ? 1 : first * (1 + 4 * DBL_EPSILON), rows, &stopped);
        fall = other;
    }
    if (!(fall < 0)) return -1;
    take(s, count, rows);
    return stopped;
}

/* ---- the model ---- */

/* to_b and way. */
static void follow(hsp_active *s) {
    double shift = 0;
    for (int64_t j = 0; j < s->m; j++) s->step[j] = 0;
    for (int64_t a = 0; a < s->set_count; a++) {
        int64_t j = s->set[a];
        s->step[j] = s->u[j] - s->w[j];
        shift += hsp_column_p(s->columns, j) * s->step[j];
    }
    hsp_active_score(s, s->step, s->way);
    if (s->p->intercept == HSP_INTERCEPT_NONE) s->offset = -shift;
    s->to_b = s->b + s->offset + shift;
    for (int64_t i = 0; i < s->n; i++) s->way[i] += s->offset;
}

/* Steps by conjugate gradients, until none brings a weight to zero any more. */
static void descents(hsp_active *s, double tol, double most) {
    for (int k = 0; k < MOST_DESCENTS; k++) {
        int64_t count = order_curved(s);
        if (count == 0 || descend(s, count, tol / 3, most) <= 0) return;
    }
}

/* Whether the last models settled which weights are zero, and conjugate gradients cost little: then these come first. */
static bool settled(hsp_active *s) {
    return s->apt && hsp_active_arrived(s) && s->wide && 10 * order_nonzero(s) > 9 * s->set_count;
}

void hsp_active_solve(hsp_active *s, double tol, hsp_budget *budget) {
    memset(s->q, 0, (size_t)s->n * sizeof *s->q);
    for (int64_t a = 0; a < s->set_count; a++) s->u[s->set[a]] = s->w[s->set[a]];
    s->offset = -s->M * s->gb;
    s->total = s->p->intercept == HSP_INTERCEPT_FREE ? -s->gb : s->S * s->offset;
    double packed = 1, begun = s->visited, cheap = s->wide ? 4 : 16;
    for (int64_t a = 0; a < s->set_count; a++) packed += (double)s->length[a];
    double most = s->patience * packed;
    s->tired = false;
    if (settled(s)) descents(s, tol, most);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        if (sweep(s, order_all(s)) <= tol || hsp_budget_look(budget)) break;
        double left = INFINITY;
        for (int k = 0; k < (s->wide ? 1 : FEW_SWEEPS) && left > tol / 3; k++) left = sweep(s, order_nonzero(s));
        double worked = s->visited - begun;
        s->tired = worked > most;
        if (s->tired || turn + 1 == MOST_TURNS) break;
        if (left > tol / 3 && (worked > cheap * packed || s->factor.count > 0)) descents(s, tol, most - worked);
    }
    follow(s);
}
