/* Sums over the rows for every column, and the conjugate of the penalty at those sums. */
#include "base/advance.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "prepare/prepare.h"
#include "verify/claim/audit.h"
#include "verify/loss/double_double.h"

#include <string.h>

enum { CHUNK = 256 };

typedef struct combining {
    hsp_audit_fill *fill;
    const void *ctx;
    int64_t k;
} combining;

static void combine_piece(hsp_audit *u, void *ctx, int64_t piece, void *scratch) {
    const combining *q = ctx;
    (void)scratch;
    double hi[CHUNK], lo[CHUNK];
    int64_t n = u->c.n, first = n / u->cuts * piece, size = 3 * (u->c.d > 0 ? u->c.d : 1);
    int64_t end = piece + 1 == u->cuts ? n : n / u->cuts * (piece + 1);
    hsp_audit_columns to = u->v;
    to.base = u->room + piece * size;
    memset(to.base, 0, (size_t)size * sizeof *to.base);
    for (; first < end; first += CHUNK) {
        int64_t count = end - first < CHUNK ? end - first : CHUNK;
        q->fill(u, q->ctx, q->k, first, count, hi, lo);
        u->pass->combine(&u->c.data->x, first, count, hi, lo, &to);
    }
}

void hsp_audit_combine(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k) {
    combining q = {.fill = fill, .ctx = ctx, .k = k};
    hsp_audit_run(u, u->cuts, combine_piece, &q);
    hsp_audit_columns *v = &u->v;
    int64_t size = 3 * (u->c.d > 0 ? u->c.d : 1), pieces = u->cuts;
    if (hsp_advance_stopped(u->advance)) { /* some pieces were not written: return a number, though a meaningless one */
        memset(u->room, 0, (size_t)size * sizeof *u->room);
        pieces = 1;
    }
    for (int64_t piece = 1; piece < pieces; piece++) {
        hsp_audit_columns more = *v;
        more.base = u->room + piece * size;
        for (int64_t j = 0; j < v->d; j++) {
            hsp_dd s = hsp_dd_add(hsp_columns_sum(v, j), hsp_columns_sum(&more, j));
            v->base[j * v->step] = s.hi;
            v->base[j * v->step + v->offset] = s.lo;
            v->base[j * v->step + 2 * v->offset] += hsp_columns_size(&more, j);
        }
    }
}

double hsp_audit_unit(const hsp_audit *u) {
    return HSP_DD_UNIT * ((double)u->c.n + 64);
}

/* ---- no penalty: v must vanish ---- */

/* Tolerance for a sum that must vanish, relative to the sum of its terms' absolute values. */
static const double ROUNDING = 1e-9;

static void fill_weights(const hsp_audit *u, const void *ctx, int64_t k, int64_t first, int64_t count, double *hi,
                         double *lo) {
    (void)ctx;
    (void)k;
    for (int64_t i = 0; i < count; i++) {
        hi[i] = u->c.c[first + i];
        lo[i] = 0;
    }
}

/* at[j] = the centre of column j. With an intercept it is the mean, so that a column far from 0 gets no larger
 * tolerance. */
static void find_centre(hsp_audit *u, double *at) {
    const double *shift = u->c.m->prepare.shift;
    if (u->c.intercept == HSP_CLAIM_NO_INTERCEPT) {
        for (int64_t j = 0; j < u->c.d; j++) at[j] = shift ? shift[j] : 0;
        return;
    }
    double mass = 0;
    for (int64_t i = 0; i < u->c.n; i++) mass += u->c.c[i];
    hsp_audit_combine(u, fill_weights, NULL, 0);
    for (int64_t j = 0; j < u->c.d; j++) at[j] = hsp_columns_sum(&u->v, j).hi / mass;
}

/* size[j] = sum_i |a_i (x_ij - at_j)|; returns the sum of |a_i|. */
static double find_sizes(const hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k, const double *at,
                         double *size) {
    double hi[CHUNK], lo[CHUNK], all = 0;
    for (int64_t first = 0; first < u->c.n; first += CHUNK) {
        int64_t count = u->c.n - first < CHUNK ? u->c.n - first : CHUNK;
        fill(u, ctx, k, first, count, hi, lo);
        for (int64_t i = 0; i < count; i++) {
            double a = fabs(hi[i]);
            hsp_row r = hsp_matrix_row(&u->c.data->x, first + i);
            all += a;
            for (int64_t t = 0; a > 0 && t < r.count; t++) {
                int64_t j = hsp_row_id(r, t);
                size[j] += a * (fabs(hsp_row_value(r, t) - at[j]) - fabs(at[j]));
            }
        }
    }
    for (int64_t j = 0; j < u->c.d; j++) size[j] += all * fabs(at[j]);
    return all;
}

static int compute_conditioning(hsp_audit *u, const double *at, hsp_error **err) {
    if (u->conditioning) return HSP_OK;
    u->conditioning = hsp_alloc_zero(1, sizeof *u->conditioning);
    return u->conditioning ? hsp_audit_conditioning(u, at, u->conditioning, err) : hsp_fail_memory(err);
}

static int check_vanishing(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k, const double *v, hsp_pull *to,
                           hsp_error **err) {
    int64_t d = u->c.d;
    double *at = hsp_alloc(d > 0 ? d : 1, sizeof *at), *size = hsp_alloc_zero(d > 0 ? d : 1, sizeof *size);
    int status = at && size ? HSP_OK : hsp_fail_memory(err);
    if (!status) {
        find_centre(u, at);
        double all = find_sizes(u, fill, ctx, k, at, size);
        for (int64_t j = 0; j < d; j++) {
            if (!(fabs(v[j]) <= ROUNDING * size[j] + 4e-15 * all * fabs(at[j]))) to->vanishes = false;
            size[j] = hsp_audit_unit(u) * (size[j] + all * fabs(at[j])); /* the error of v */
        }
    }
    if (!status && to->vanishes) status = compute_conditioning(u, at, err);
    if (!status && to->vanishes) {
        double allowance = hsp_audit_allowance(u, u->conditioning, v, size);
        if (isfinite(allowance))
            to->error += allowance;
        else
            to->vanishes = false;
    }
    HSP_FREE(at, size);
    return status;
}

/* ---- the conjugate ---- */

/* v_j of the transformed columns, x' = (x - shift) factor. *error: a bound of its error. */
static hsp_dd transformed(const hsp_audit *u, int64_t j, hsp_dd tilt, double *error) {
    const hsp_prepare *p = &u->c.m->prepare;
    hsp_dd v = hsp_columns_sum(&u->v, j);
    double size = hsp_columns_size(&u->v, j) + fabs(v.hi);
    if (p->shift && tilt.hi != 0) {
        v = hsp_dd_subtract(v, hsp_dd_scale(tilt, p->shift[j]));
        size += fabs(tilt.hi * p->shift[j]);
    }
    *error = size * hsp_audit_unit(u) * (p->factor ? fabs(p->factor[j]) : 1);
    return p->factor ? hsp_dd_scale(v, p->factor[j]) : v;
}

static void add_column(const hsp_audit *u, int64_t k, int64_t j, hsp_dd v, double error, hsp_pull *to) {
    double rho = u->c.rho, size = fabs(v.hi) + error;
    hsp_dd rest = hsp_two_sum(1, -rho), off = hsp_dd_negative(v);
    if (u->c.penalised) off = hsp_dd_add(off, hsp_dd_multiply(rest, hsp_audit_weight(&u->c, k, j)));
    to->residual = hsp_dd_add(to->residual, hsp_dd_square(off));
    if (size > to->top) to->top = size;
    if (rho == 1 || !u->c.penalised) return;
    hsp_dd above = hsp_dd_add_double(hsp_dd_absolute(v), -rho);
    to->error += error * (size + error) / rest.hi;
    if (!(above.hi > 0)) return;
    hsp_dd cost = hsp_dd_divide(hsp_dd_square(above), hsp_dd_times_power(rest, 2));
    to->conjugate = hsp_dd_add(to->conjugate, cost);
}

/* The common case, ridge on untransformed columns: add_column without its products by 1 and with halving for its quotients
 * by 2; gives the same bits. */
static void add_plain_columns(const hsp_audit *u, int64_t k, hsp_pull *to) {
    hsp_pull_sums sums = {to->residual, to->conjugate, to->error, to->top};
    u->pass->pull(&u->v, u->c.m->w + k * u->c.d, hsp_audit_unit(u), &sums);
    to->residual = sums.residual;
    to->conjugate = sums.conjugate;
    to->error = sums.error;
    to->top = sums.top;
}

int hsp_audit_pull(hsp_audit *u, hsp_audit_fill *fill, const void *ctx, int64_t k, hsp_dd tilt, hsp_pull *to,
                   hsp_error **err) {
    bool simple = u->c.penalised && u->c.rho == 0 && !u->c.m->prepare.factor && !u->c.m->prepare.shift;
    double *plain = u->c.penalised ? NULL : hsp_alloc(u->c.d > 0 ? u->c.d : 1, sizeof *plain);
    if (!u->c.penalised && !plain) return hsp_fail_memory(err);
    if (simple) add_plain_columns(u, k, to);
    for (int64_t j = 0; j < u->c.d && !simple; j++) {
        double error, factor = u->c.m->prepare.factor ? u->c.m->prepare.factor[j] : 1;
        hsp_dd v = transformed(u, j, tilt, &error);
        if (plain) plain[j] = v.hi / factor;
        add_column(u, k, j, v, error, to);
    }
    if (u->c.intercept == HSP_CLAIM_PENALISED) {
        hsp_dd square = hsp_dd_times_power(hsp_dd_square(tilt), 0.5);
        hsp_dd off = hsp_dd_subtract(hsp_audit_intercept(&u->c, k), tilt);
        to->conjugate = hsp_dd_add(to->conjugate, square);
        to->residual = hsp_dd_add(to->residual, hsp_dd_square(off));
    }
    int status = plain ? check_vanishing(u, fill, ctx, k, plain, to, err) : HSP_OK;
    hsp_free(plain);
    return status;
}

hsp_dd hsp_audit_share(const hsp_audit *u, const hsp_pull *p) {
    if (u->c.rho != 1 || !u->c.penalised || !(p->top > 1)) return hsp_dd_of(1);
    return hsp_dd_divide(hsp_dd_of(1 - 0x1p-50), hsp_dd_of(p->top));
}

/* With pure L1 the conjugate has only the intercept's term, a square. 0 is a valid bound too, since R and the losses are
 * never negative. */
void hsp_audit_set_bound(const hsp_audit *u, hsp_dd value, double error, const hsp_pull *p, hsp_dd share,
                         hsp_figures *out) {
    out->residual = hsp_dd_root(p->residual);
    if (isnan(u->c.rho) || (!u->c.penalised && !p->vanishes)) return;
    hsp_dd cost = p->conjugate;
    if (share.hi != 1) cost = hsp_dd_multiply(cost, hsp_dd_square(share));
    error += p->error + hsp_audit_unit(u) * fabs(cost.hi);
    double bound = hsp_dd_floor(hsp_dd_add_double(hsp_dd_subtract(value, cost), -error));
    out->bounded = true;
    out->bound = bound > 0 ? bound : 0;
}
