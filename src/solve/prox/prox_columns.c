/* The model by columns. With z = x + p the columns as they are stored (columns.h) and o = beta - sum_j p_j delta_j, the
 * scores move by q_i = sum_j z_ij delta_j + o. Kept up to date at every move of a weight, at the cost of its column:
 *
 *     U_i = H_i sum_j z_ij delta_j,    o,    T = sum_i H_i q_i,
 *
 * so that the slope of the model in weight (k, j) is  g + ridge delta + sum_i z_ij U_ik + V.o - p_j T_k  with V = sum_i
 * z_ij H_i e_k, which is why the intercepts cost nothing. Sweeps over the working set take turns with sweeps over its
 * weights that are not zero. When these have cost as much as the Hessian in the latter would, it is formed, and solved
 * (coordinate.h). */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/columns.h"
#include "design/design.h"
#include "kernel/kernel.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/prox/prox_newton.h"

#include <math.h>
#include <string.h>

enum { LEAST_ROOM = 512, MOST_SMALL = 3000, INNER_SWEEPS = 10, SMALL_SWEEPS = 5000 };
static const double CONSTANT = 1e-13; /* a curvature below this share of the column's is rounding */

int hsp_prox_columns_init(hsp_prox *s, hsp_error **err) {
    int64_t d = s->d, K = s->K, m = s->m, nK = s->n * K;
    int status = hsp_columns_new(s->p->design, s->p->intercept == HSP_INTERCEPT_FREE, &s->columns, err);
    if (status) return status;
    s->most_small = m < MOST_SMALL ? m : MOST_SMALL;
    s->set = hsp_alloc(m, sizeof *s->set);
    s->order = hsp_alloc(m, sizeof *s->order);
    s->V = hsp_alloc(m * K, sizeof *s->V);
    s->curvature = hsp_alloc(m, sizeof *s->curvature);
    s->limit = hsp_alloc(m, sizeof *s->limit);
    s->U = hsp_alloc(nK, sizeof *s->U);
    s->offset = hsp_alloc_zero(3 * K, sizeof *s->offset);
    s->place = hsp_alloc(d, sizeof *s->place);
    s->member = hsp_alloc(s->most_small, sizeof *s->member);
    s->values = hsp_alloc(s->most_small, sizeof *s->values);
    s->spots = hsp_alloc(s->most_small, sizeof *s->spots);
    if (!s->set || !s->order || !s->V || !s->curvature || !s->limit || !s->U || !s->offset || !s->place || !s->member ||
        !s->values || !s->spots)
        return hsp_fail_memory(err);
    s->total = s->offset + K;
    s->MV = s->offset + 2 * K;
    return hsp_quadratic_init(&s->quadratic, s->most_small, err);
}

void hsp_prox_columns_free(hsp_prox *s) {
    hsp_columns_free(s->columns);
    void *const all[] = {s->set,    s->order, s->V,      s->curvature, s->limit, s->U,
                         s->offset, s->place, s->member, s->values,    s->spots};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) hsp_free(all[a]);
}

/* ---- the working set ---- */

/* The violation that at most `room` of the weights in order[0 .. count) exceed. */
static double threshold(const hsp_prox *s, int64_t count, int64_t room, double top) {
    double low = 0, high = top;
    if (count <= room) return 0;
    for (int t = 0; t < 60; t++) {
        double middle = (low + high) / 2;
        int64_t above = 0;
        for (int64_t a = 0; a < count; a++) above += fabs(s->gw[s->order[a]]) - s->t > middle;
        if (above > room)
            low = middle;
        else
            high = middle;
        if (above <= room && above >= room - room / 8) break;
    }
    return high;
}

void hsp_prox_columns_choose(hsp_prox *s) {
    int64_t count = 0, held = 0;
    double top = 0;
    for (int64_t x = 0; x < s->m; x++) {
        double over = fabs(s->gw[x]) - s->t;
        held += s->w[x] != 0;
        if (s->w[x] != 0 || !(over > 0)) continue;
        s->order[count++] = x;
        if (over > top) top = over;
    }
    int64_t room = held > count / 8 ? held : count / 8;
    if (room < LEAST_ROOM) room = LEAST_ROOM;
    if (s->t == 0) room = s->m;
    s->cut = count > room;
    double least = threshold(s, count, room, top);
    s->set_count = 0;
    for (int64_t j = 0; j < s->d; j++)
        for (int64_t k = 0; k < s->K; k++) {
            int64_t x = k * s->d + j;
            if (s->w[x] != 0 || fabs(s->gw[x]) - s->t > least) s->set[s->set_count++] = x;
        }
    s->visited = 0;
}

/* ---- one weight ---- */

/* sum_i z_ij r_ik */
static double column_dot(hsp_prox *s, int64_t j, int64_t k, const double *r) {
    const hsp_columns *C = s->columns;
    s->visited += (double)hsp_column_count(C, j);
    if (s->K == 1) return hsp_column_dot(C, j, r);
    hsp_row c = hsp_column(C, j);
    double sum = 0;
    for (int64_t t = 0; t < c.count; t++) sum += hsp_row_value(c, t) * r[hsp_row_id(c, t) * s->K + k];
    return hsp_column_factor(C, j) * sum;
}

static bool adjusts(const hsp_prox *s) {
    return s->p->intercept != HSP_INTERCEPT_NONE || s->columns->p;
}

/* V - p_j S e_k: that of the column x = z - p. With a free intercept p has no effect, and is left out. */
static double centred_V(const hsp_prox *s, int64_t a, int64_t j, int64_t k, int64_t l) {
    double V = s->V[a * s->K + l];
    if (s->p->intercept == HSP_INTERCEPT_FREE || !s->columns->p) return V;
    return V - s->columns->p[j] * s->S[k * s->K + l];
}

/* V and the curvature of member a. */
static void describe(hsp_prox *s, int64_t a) {
    const hsp_columns *C = s->columns;
    int64_t K = s->K, k = s->set[a] / s->d, j = s->set[a] % s->d;
    double *V = s->V + a * K, square = 0;
    if (K == 1) {
        hsp_column_moments(C, j, s->h, V, &square);
    } else {
        hsp_row c = hsp_column(C, j);
        double f = hsp_column_factor(C, j);
        for (int64_t l = 0; l < K; l++) V[l] = 0;
        for (int64_t t = 0; t < c.count; t++) {
            int64_t i = hsp_row_id(c, t);
            const double *P = s->h + i * K;
            double z = f * hsp_row_value(c, t), v = z * s->c[i] * P[k], e = z * s->c[i] * s->more[i] / (double)K;
            for (int64_t l = 0; l < K; l++) V[l] -= v * P[l] + e;
            V[k] += v + e * (double)K;
            square += z * (v * (1 - P[k]) + e * (double)(K - 1));
        }
    }
    double p = s->p->intercept == HSP_INTERCEPT_FREE ? 0 : hsp_column_p(C, j);
    double whole = square - 2 * p * V[k] + p * p * s->S[k * K + k], rest = whole;
    for (int64_t l = 0; l < K; l++)
        for (int64_t o = 0; o < K; o++) rest -= centred_V(s, a, j, k, l) * s->M[l * K + o] * centred_V(s, a, j, k, o);
    s->curvature[a] = (rest > CONSTANT * whole ? rest : 0) + s->ridge;
    double mean = hsp_column_p(C, j); /* counts here even if it has no effect: sums over x know nothing of that */
    s->limit[a] = hsp_prox_threshold(s, s->S[k * K + k], whole + mean * mean * s->S[k * K + k]);
    s->visited += (double)hsp_column_count(C, j);
}

static double slope(hsp_prox *s, int64_t a) {
    int64_t x = s->set[a], k = s->K == 1 ? 0 : x / s->d, j = s->K == 1 ? x : x % s->d;
    double g = s->gw[x] + s->ridge * (s->u[x] - s->w[x]) + column_dot(s, j, k, s->U);
    if (!adjusts(s)) return g;
    for (int64_t l = 0; l < s->K; l++) g += s->V[a * s->K + l] * s->offset[l];
    return g - hsp_column_p(s->columns, j) * s->total[k];
}

/* U when weight (k, j) moves. */
static void add_column(hsp_prox *s, int64_t j, int64_t k, double by) {
    const hsp_columns *C = s->columns;
    int64_t K = s->K;
    s->visited += (double)hsp_column_count(C, j);
    if (K == 1) {
        hsp_column_weighted_axpy(C, by, j, s->h, s->U);
        return;
    }
    hsp_row c = hsp_column(C, j);
    by *= hsp_column_factor(C, j);
    for (int64_t t = 0; t < c.count; t++) {
        int64_t i = hsp_row_id(c, t);
        const double *P = s->h + i * K;
        double z = by * hsp_row_value(c, t) * s->c[i], v = z * P[k], e = z * s->more[i] / (double)K, *U = s->U + i * K;
        for (int64_t l = 0; l < K; l++) U[l] -= v * P[l] + e;
        U[k] += v + e * (double)K;
    }
}

/* Moves the weight of member a. Where T is not given by the condition on beta it is summed up. */
static void move(hsp_prox *s, int64_t a, double to) {
    int64_t x = s->set[a], k = s->K == 1 ? 0 : x / s->d, j = s->K == 1 ? x : x % s->d, K = s->K;
    double by = to - s->u[x], p = hsp_column_p(s->columns, j);
    s->u[x] = to;
    add_column(s, j, k, by);
    if (!adjusts(s)) return;
    bool free_b = s->p->intercept == HSP_INTERCEPT_FREE;
    for (int64_t l = 0; l < K; l++) {
        s->MV[l] = 0;
        for (int64_t o = 0; o < K; o++) s->MV[l] += s->M[l * K + o] * centred_V(s, a, j, k, o);
        s->offset[l] -= by * s->MV[l];
    }
    if (free_b) return; /* T stays -gb */
    s->offset[k] -= by * p;
    for (int64_t l = 0; l < K; l++) s->total[l] += by * (centred_V(s, a, j, k, l) - hsp_dot_f64(s->S + l * K, s->MV, K));
}

/* ---- sweeps ---- */

/* Over the members in order[0 .. count); the largest violation met. */
static double sweep(hsp_prox *s, int64_t count) {
    double top = 0;
    for (int64_t b = 0; b < count; b++) {
        int64_t a = s->order[b], x = s->set[a];
        double g = slope(s, a), curvature = s->curvature[a], t = s->limit[a];
        double violated = hsp_l1_violation(s->u[x], g, t);
        if (violated > top) top = violated;
        if (violated == 0) continue;
        double to = curvature > 0 ? hsp_l1_minimum(s->u[x], g, curvature, t) : fabs(g) <= t ? 0 : s->u[x];
        if (to != s->u[x] && isfinite(to)) move(s, a, to);
    }
    return top;
}

static int64_t order_all(hsp_prox *s) {
    for (int64_t a = 0; a < s->set_count; a++) s->order[a] = a;
    return s->set_count;
}

static int64_t order_nonzero(hsp_prox *s) {
    int64_t count = 0;
    for (int64_t a = 0; a < s->set_count; a++)
        if (s->u[s->set[a]] != 0 || s->t == 0) s->order[count++] = a;
    return count;
}

/* ---- the Hessian in the weights that are not zero ---- */

/* What it would cost, in numbers visited. */
static double small_cost(const hsp_prox *s, int64_t count) {
    double stored = 0;
    for (int64_t b = 0; b < count; b++) stored += (double)hsp_column_count(s->columns, s->set[s->order[b]] % s->d);
    double in_row = stored / (double)s->n;
    return (double)s->columns->stored + in_row * stored + (double)count * (double)count * (double)count / 30;
}

/* The variables that row i has: their values z, and where they are. */
static int64_t gather(hsp_prox *s, int64_t i, int64_t count) {
    const hsp_design *D = s->p->design;
    hsp_row row = hsp_design_row(D, i, NULL);
    int64_t found = 0;
    for (int64_t t = 0; row.id && t < row.count; t++) {
        int64_t j = hsp_row_id(row, t);
        if (s->place[j] < 0) continue;
        for (int64_t v = s->place[j]; v < count && s->set[s->member[v]] % s->d == j; v++) {
            s->values[found] = hsp_row_value(row, t);
            s->spots[found++] = v;
        }
    }
    for (int64_t v = 0; !row.id && v < count; v++) {
        int64_t j = s->set[s->member[v]] % s->d;
        s->values[found] = hsp_row_value(row, j) + hsp_column_p(s->columns, j);
        s->spots[found++] = v;
    }
    return found;
}

static void add_rows(hsp_prox *s, int64_t count) {
    double *A = s->quadratic.A;
    memset(A, 0, (size_t)(count * count) * sizeof *A);
    for (int64_t i = 0; i < s->n; i++) {
        if (s->K == 1 && s->h[i] == 0) continue;
        int64_t found = gather(s, i, count);
        for (int64_t a = 0; a < found; a++) {
            double *row = A + s->spots[a] * count;
            if (s->K == 1) {
                double hv = s->h[i] * s->values[a];
                for (int64_t b = a; b < found; b++) row[s->spots[b]] += hv * s->values[b];
            } else {
                int64_t k = s->set[s->member[s->spots[a]]] / s->d;
                for (int64_t b = a; b < found; b++)
                    row[s->spots[b]] +=
                        s->values[a] * s->values[b] * hsp_prox_hessian(s, i, k, s->set[s->member[s->spots[b]]] / s->d);
            }
        }
    }
    s->visited += (double)s->columns->stored;
}

/* From sums over z to those over x, and without the intercepts. */
static void eliminate(hsp_prox *s, int64_t count) {
    double *A = s->quadratic.A;
    int64_t K = s->K, d = s->d;
    bool shifts = s->columns->p && s->p->intercept != HSP_INTERCEPT_FREE;
    for (int64_t v = 0; v < count; v++) {
        int64_t a = s->member[v], ka = s->set[a] / d, ja = s->set[a] % d;
        for (int64_t l = 0; l < K; l++) {
            s->MV[l] = 0;
            for (int64_t o = 0; o < K; o++) s->MV[l] += s->M[l * K + o] * centred_V(s, a, ja, ka, o);
        }
        for (int64_t y = v; y < count; y++) {
            int64_t b = s->member[y], kb = s->set[b] / d, jb = s->set[b] % d;
            double entry = A[v * count + y];
            if (shifts) {
                double pa = s->columns->p[ja], pb = s->columns->p[jb];
                entry += pa * pb * s->S[ka * K + kb] - pb * s->V[a * K + kb] - pa * s->V[b * K + ka];
            }
            for (int64_t l = 0; l < K; l++) entry -= s->MV[l] * centred_V(s, b, jb, kb, l);
            A[v * count + y] = A[y * count + v] = entry;
        }
        A[v * count + v] = s->curvature[a];
        for (int64_t y = s->place[ja]; K > 1 && y < count && s->set[s->member[y]] % d == ja; y++)
            A[v * count + y] += HSP_PROX_STIFFNESS * s->curvature[s->member[s->place[ja]]];
    }
}

/* Minimises the model in the members order[0 .. count), the others held. */
static void solve_small(hsp_prox *s, int64_t count, double tol, hsp_budget *budget) {
    hsp_quadratic *Q = &s->quadratic;
    for (int64_t j = 0; j < s->d; j++) s->place[j] = -1;
    for (int64_t v = count - 1; v >= 0; v--) {
        s->member[v] = s->order[v];
        s->place[s->set[s->order[v]] % s->d] = v;
    }
    add_rows(s, count);
    eliminate(s, count);
    Q->m = count;
    Q->first = 1; /* sweeps have had their turn */
    for (int64_t v = 0; v < count; v++) {
        Q->u[v] = s->u[s->set[s->member[v]]];
        Q->r[v] = slope(s, s->member[v]);
        Q->t[v] = s->limit[s->member[v]];
    }
    hsp_quadratic_descend(Q, tol, SMALL_SWEEPS, budget);
    for (int64_t v = 0; v < count; v++)
        if (Q->u[v] != s->u[s->set[s->member[v]]]) move(s, s->member[v], Q->u[v]);
}

/* ---- the model ---- */

static void begin(hsp_prox *s) {
    int64_t K = s->K;
    memset(s->U, 0, (size_t)(s->n * K) * sizeof *s->U);
    for (int64_t a = 0; a < s->set_count; a++) {
        describe(s, a);
        s->u[s->set[a]] = s->w[s->set[a]];
    }
    for (int64_t k = 0; k < K; k++) s->offset[k] = -hsp_dot_f64(s->M + k * K, s->gb, K);
    for (int64_t k = 0; k < K; k++)
        s->total[k] = s->p->intercept == HSP_INTERCEPT_FREE ? -s->gb[k] : hsp_dot_f64(s->S + k * K, s->offset, K);
}

/* to_b and q. */
static void follow(hsp_prox *s) {
    int64_t K = s->K;
    for (int64_t k = 0; k < K; k++) s->to_b[k] = 0; /* first sum_j p_j delta_j */
    memset(s->q, 0, (size_t)(s->n * K) * sizeof *s->q);
    for (int64_t a = 0; a < s->set_count; a++) {
        int64_t x = s->set[a], k = x / s->d, j = x % s->d;
        double D = s->u[x] - s->w[x];
        if (D == 0) continue;
        s->to_b[k] += hsp_column_p(s->columns, j) * D;
        if (K == 1) {
            hsp_column_axpy(s->columns, D, j, s->q);
            continue;
        }
        hsp_row c = hsp_column(s->columns, j);
        D *= hsp_column_factor(s->columns, j);
        for (int64_t t = 0; t < c.count; t++) s->q[hsp_row_id(c, t) * K + k] += D * hsp_row_value(c, t);
    }
    for (int64_t k = 0; k < K; k++) {
        if (s->p->intercept == HSP_INTERCEPT_NONE) s->offset[k] = -s->to_b[k];
        s->to_b[k] += s->offset[k] + s->b[k];
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = 0; k < K; k++) s->q[i * K + k] += s->offset[k];
}

void hsp_prox_columns_solve(hsp_prox *s, double tol, hsp_budget *budget) {
    int64_t sweeps = 0, inner = 0;
    begin(s);
    double spent = s->visited;
    s->tired = false;
    while (sweep(s, order_all(s)) > tol && !hsp_budget_look(budget)) {
        if (sweeps > s->patience) {
            s->tired = true;
            break;
        }
        for (inner = 0; inner < INNER_SWEEPS; inner++, sweeps++) {
            int64_t count = order_nonzero(s);
            if (count <= s->most_small && s->visited - spent > small_cost(s, count)) {
                solve_small(s, count, tol / 10, budget);
                spent = s->visited;
                break;
            }
            if (sweep(s, count) <= tol / 3) break;
        }
        sweeps++;
    }
    follow(s);
}

double hsp_prox_columns_gradient(hsp_prox *s) {
    const hsp_problem *p = s->p;
    double top = 0;
    for (int64_t k = 0; k < s->K; k++) { /* sum_i of the slopes, for p */
        s->MV[k] = 0;
        for (int64_t i = 0; s->columns->p && i < s->n; i++) s->MV[k] += p->slopes[i * s->K + k];
        if (fabs(s->gb[k]) > top) top = fabs(s->gb[k]);
    }
    for (int64_t a = 0; a < s->set_count; a++) {
        int64_t x = s->set[a], k = x / s->d, j = x % s->d;
        s->gw[x] = column_dot(s, j, k, p->slopes) - hsp_column_p(s->columns, j) * s->MV[k] + s->ridge * s->w[x];
        double violated = hsp_l1_violation(s->w[x], s->gw[x], s->t);
        if (violated > top) top = violated;
    }
    return top;
}
