#include "select/path_columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "data/matrix.h"
#include "design/columns.h"
#include "design/design.h"
#include "loss/loss.h"

#include <math.h>
#include <stdlib.h>

static const double ALIKE = 1e-9, SAME = 1e-13; /* relative: of projections, and of the numbers of two columns */
enum { MOST_NEIGHBOURS = 64, AT_ONCE = 128 };

/* ---- light columns ---- */

/* Marks columns out that cannot have a weight. With multipliers y_i r_i in [0, high]
 *     v_j = C sum_i c_i r_i x_ij
 * is between C high times the sums of the negative and of the positive numbers c_i y_i x_ij, and |v_j| < rho leaves no weight.
 * Beside a free intercept sum_i c_i r_i = 0, so centring does not change v. */
static int leave_light(const hsp_problem *p, bool *in, hsp_error **err) {
    const hsp_design *D = p->design;
    const hsp_loss *loss = p->loss;
    bool bounded = loss->dual_low == 0 && isfinite(loss->dual_high);
    if (!bounded || D->x->dense || (D->p && p->intercept != HSP_INTERCEPT_FREE)) return HSP_OK;
    double *c = hsp_alloc(D->n, sizeof *c), *up = hsp_alloc(2 * D->d, sizeof *up), *down = up ? up + D->d : NULL;
    if (c && up) {
        for (int64_t i = 0; i < D->n; i++) c[i] = p->y[i] * (p->c ? p->c[i] : 1);
        hsp_design_sides(D, c, up, down);
        double least = p->rho / (p->C * loss->dual_high) * (1 - 1e-6);
        for (int64_t j = 0; j < D->d; j++) in[j] = !(fmax(up[j], -down[j]) < least);
    }
    int status = c && up ? HSP_OK : hsp_fail_memory(err);
    HSP_FREE(c, up);
    return status;
}

/* ---- columns like an earlier one ---- */

/* The projections of a column on two random vectors, which sum to 0 beside a free intercept. Those of equal and opposite
 * columns have equal sizes. */
typedef struct twin {
    double size[2];
    int64_t column;
    bool opposite; /* the signs differ */
} twin;

static int by_size(const void *a, const void *b) {
    const twin *u = a, *v = b;
    if (u->size[0] != v->size[0]) return u->size[0] < v->size[0] ? -1 : 1;
    return (u->column > v->column) - (u->column < v->column);
}

static void project(const hsp_problem *p, double *r, double *g[2]) {
    int64_t n = p->design->n;
    hsp_rng rng = hsp_rng_new(1, 4711);
    for (int v = 0; v < 2; v++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++) r[i] = hsp_rng_uniform(&rng) - 0.5;
        for (int64_t i = 0; p->intercept == HSP_INTERCEPT_FREE && i < n; i++) mean += r[i] / (double)n;
        for (int64_t i = 0; i < n; i++) r[i] -= mean;
        hsp_design_adjoint(p->design, r, g[v]);
    }
}

static bool alike(double a, double b) {
    return fabs(a - b) <= ALIKE * b;
}

/* A column as it is compared. */
typedef struct whole_column {
    double *x;    /* n; owned */
    double size;  /* the largest |x_i| */
    int64_t most; /* the row that is farthest from row 0 */
} whole_column;

/* Column a, but for `most`. */
static void take_column(const hsp_columns *C, int64_t a, whole_column *out) {
    hsp_row r = hsp_column(C, a);
    double p = hsp_column_p(C, a), factor = hsp_column_factor(C, a);
    out->size = r.count < C->n ? fabs(p) : 0;
    for (int64_t i = 0; i < C->n; i++) out->x[i] = 0 - p;
    for (int64_t t = 0; t < r.count; t++) {
        double v = factor * hsp_row_value(r, t) - p;
        out->x[r.id ? hsp_row_id(r, t) : t] = v;
        if (fabs(v) > out->size) out->size = fabs(v);
    }
}

static void find_farthest(whole_column *u, int64_t n) {
    u->most = 0;
    for (int64_t i = 0; i < n; i++)
        if (fabs(u->x[i] - u->x[0]) > fabs(u->x[u->most] - u->x[0])) u->most = i;
}

/* Whether u and v differ by nothing but their sign and, beside a free intercept, a constant. */
static bool are_same(const hsp_problem *p, const whole_column *a, const whole_column *b) {
    int64_t n = p->design->n, most = a->most;
    double size = a->size > b->size ? a->size : b->size;
    const double *u = a->x, *v = b->x;
    bool free_b = p->intercept == HSP_INTERCEPT_FREE;
    double sign = free_b ? ((u[most] - u[0]) * (v[most] - v[0]) < 0 ? -1 : 1) : u[most] * v[most] < 0 ? -1 : 1;
    double shift = free_b ? v[0] - sign * u[0] : 0;
    bool same = true;
    for (int64_t i = 0; i < n && same; i += AT_ONCE)
        for (int64_t k = i; k < i + AT_ONCE && k < n; k++) same &= fabs(v[k] - sign * u[k] - shift) <= SAME * size;
    return same;
}

/* Pairs of candidates: column `second` may be like `first`. */
typedef struct twin_pairs {
    int64_t count, capacity;
    int64_t (*pair)[2];
} twin_pairs;

static int add_pair(twin_pairs *P, int64_t u, int64_t v, hsp_error **err) {
    if (HSP_RESERVE(P->pair, P->capacity, P->count + 1)) return hsp_fail_memory(err);
    P->pair[P->count][0] = u < v ? u : v;
    P->pair[P->count++][1] = u < v ? v : u;
    return HSP_OK;
}

/* Sorted by size, columns that are alike are neighbours. */
static int find_pairs(const hsp_problem *p, const bool *in, twin_pairs *P, hsp_error **err) {
    int64_t n = p->design->n, d = p->design->d, count = 0;
    twin *list = hsp_alloc(d, sizeof *list);
    double *g[2] = {NULL}, *r = hsp_alloc(n, sizeof *r);
    bool room = list && r && HSP_ALLOC_DOUBLES(d, &g[0], &g[1]);
    if (room) project(p, r, g);
    for (int64_t j = 0; room && j < d; j++)
        if (in[j] && g[0][j] != 0)
            list[count++] = (twin){{fabs(g[0][j]), fabs(g[1][j])}, j, (g[0][j] < 0) != (g[1][j] < 0)};
    if (room) qsort(list, (size_t)count, sizeof *list, by_size);
    int status = room ? HSP_OK : hsp_fail_memory(err);
    for (int64_t a = 0; a < count; a++)
        for (int64_t b = a + 1; !status && b < count && b <= a + MOST_NEIGHBOURS; b++) {
            if (!alike(list[a].size[0], list[b].size[0])) break;
            if (list[a].opposite == list[b].opposite && alike(list[a].size[1], list[b].size[1]))
                status = add_pair(P, list[a].column, list[b].column, err);
        }
    HSP_FREE(list, r, g[0], g[1]);
    return status;
}

static int by_place(const void *a, const void *b) {
    const int64_t *u = a, *v = b;
    return u[0] != v[0] ? (u[0] > v[0]) - (u[0] < v[0]) : (u[1] > v[1]) - (u[1] < v[1]);
}

/* The columns of the pairs, side by side. */
static int take_columns(const hsp_problem *p, const twin_pairs *P, hsp_narrow *N, hsp_error **err) {
    int64_t d = p->design->d, count = 0, *column = hsp_alloc(2 * P->count, sizeof *column);
    bool *named = hsp_alloc_zero(d, sizeof *named);
    int status = column && named ? hsp_narrow_new(p->design, N, err) : hsp_fail_memory(err);
    for (int64_t k = 0; !status && k < 2 * P->count; k++) named[P->pair[k / 2][k % 2]] = true;
    for (int64_t j = 0; !status && j < d; j++)
        if (named[j]) column[count++] = j;
    if (!status) status = hsp_narrow_choose(N, column, count, err);
    HSP_FREE(column, named);
    return status;
}

/* Compares the pairs number by number; the second of a pair that is the same goes out. */
static int leave_twins(const hsp_problem *p, bool *in, hsp_error **err) {
    hsp_narrow N = {0};
    hsp_columns *C = NULL;
    twin_pairs P = {0};
    int64_t taken = -1;
    whole_column u = {0}, v = {0};
    int64_t n = p->design->n;
    int status = find_pairs(p, in, &P, err);
    if (!status && P.count > 0) {
        status = take_columns(p, &P, &N, err);
        if (!status) status = hsp_columns_new(N.design, false, &C, err);
        if (!status && !HSP_ALLOC_DOUBLES(n, &u.x, &v.x)) status = hsp_fail_memory(err);
        qsort(P.pair, (size_t)P.count, sizeof *P.pair, by_place);
    }
    for (int64_t k = 0; !status && k < P.count; k++) {
        if (!in[P.pair[k][0]] || !in[P.pair[k][1]]) continue;
        if (P.pair[k][0] != taken) {
            take_column(C, N.place[P.pair[k][0]], &u);
            find_farthest(&u, n);
        }
        taken = P.pair[k][0];
        take_column(C, N.place[P.pair[k][1]], &v);
        if (are_same(p, &u, &v)) in[P.pair[k][1]] = false;
    }
    hsp_columns_free(C);
    hsp_narrow_clear(&N);
    HSP_FREE(P.pair, u.x, v.x);
    return status;
}

/* ---- both ---- */

int hsp_path_columns(const hsp_problem *p, hsp_narrow *out, hsp_error **err) {
    int64_t d = p->design->d, count = 0;
    bool *in = hsp_alloc(d, sizeof *in);
    int64_t *column = hsp_alloc(d, sizeof *column);
    *out = (hsp_narrow){0};
    int status = in && column ? HSP_OK : hsp_fail_memory(err);
    for (int64_t j = 0; !status && j < d; j++) in[j] = true;
    if (!status) status = leave_light(p, in, err);
    if (!status && p->rho == 1) status = leave_twins(p, in, err);
    for (int64_t j = 0; !status && j < d; j++)
        if (in[j]) column[count++] = j;
    if (!status && count < d && count > 0) {
        status = hsp_narrow_new(p->design, out, err);
        if (!status) status = hsp_narrow_choose(out, column, count, err);
    }
    HSP_FREE(in, column);
    return status;
}
