/* The Newton systems of polish.h. Whatever the preconditioner, conjugate gradients with products by the rows themselves
 * correct its rounding errors. */
#include "base/error.h"
#include "base/memory.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/gram.h"
#include "factor/factor.h"
#include "kernel/kernel.h"
#include "problem/margin_values.h"
#include "problem/problem.h"
#include "solve/loop/solver.h"
#include "solve/margin/polish.h"

#include <math.h>
#include <string.h>

/* By columns up to the first number of columns; by rows never below the second, and for this many rows at most. */
enum { MOST_COLUMNS = 2500, FEW_COLUMNS = 400, MOST_ROWS = 8000 };
/* Products with H in one solution: with the inverse, with the factor of another F, with the diagonal. */
enum { FEW_PRODUCTS = 6, SOME_PRODUCTS = 25, MANY_PRODUCTS = 1000 };

static bool affordable(double numbers) {
    return 8 * numbers <= 0.2 * (double)hsp_memory_limit();
}

int hsp_polish_system_init(hsp_polish_system *y, const hsp_margin *m, hsp_error **err) {
    int64_t n = m->design->n, d = m->design->d;
    y->m = m;
    y->rows = hsp_alloc(n, sizeof *y->rows);
    bool by_columns = d <= MOST_COLUMNS && affordable((double)d * (double)d);
    if (!y->rows || !HSP_ALLOC_DOUBLES(n, &y->curve, &y->factor.curve, &y->t) ||
        !HSP_ALLOC_DOUBLES(d, &y->ones, &y->factor.mean, &y->factor.scale, &y->r, &y->z, &y->s, &y->Hs, &y->tile) ||
        !HSP_ALLOC_DOUBLES(by_columns ? d * d : -1, &y->factor.A))
        return hsp_fail_memory(err);
    int status = hsp_polish_product_init(y, err);
    if (status) return status;
    int64_t capacity = d < MOST_ROWS ? d : MOST_ROWS;
    if (capacity > n) capacity = n;
    if (d <= FEW_COLUMNS || !affordable(2 * (double)capacity * (double)capacity)) return HSP_OK;
    return hsp_polish_rows_init(y, capacity, err);
}

void hsp_polish_system_free(hsp_polish_system *y) {
    hsp_polish_rows_free(y);
    hsp_polish_product_free(y);
    HSP_FREE(y->rows, y->curve, y->factor.curve, y->t, y->ones, y->factor.mean, y->factor.scale, y->r, y->z, y->s, y->Hs,
             y->tile, y->factor.A);
}

void hsp_polish_scores(const hsp_polish_system *y, const int64_t *rows, int64_t f, const double *w, double *t) {
    const hsp_design *D = y->m->design;
    double shift = D->p ? hsp_dot_f64(D->p, w, D->d) : 0;
    for (int64_t k = 0; k < f; k++) t[k] = hsp_row_dot(hsp_design_row(D, rows[k], y->tile), w) - shift;
}

void hsp_polish_adjoint(const hsp_polish_system *y, const int64_t *rows, int64_t f, const double *t, double *w) {
    const hsp_design *D = y->m->design;
    double sum = 0;
    for (int64_t k = 0; k < f; k++) {
        hsp_row_axpy(t[k], hsp_design_row(D, rows[k], y->tile), w);
        sum += t[k];
    }
    if (D->p) hsp_axpy_f64(-sum, D->p, w, D->d);
}

/* ---- the preconditioner ---- */

static void take_means(hsp_polish_system *y, double flat) {
    int64_t d = y->m->design->d;
    y->S = 0;
    for (int64_t k = 0; k < y->f; k++) y->S += y->t[k] = y->curve[y->rows[k]];
    memset(y->ones, 0, (size_t)d * sizeof *y->ones);
    hsp_polish_adjoint(y, y->rows, y->f, y->t, y->ones);
    y->stiff = y->m->intercept == HSP_INTERCEPT_NONE        ? 0
               : y->m->intercept == HSP_INTERCEPT_PENALISED ? y->S + 1
               : y->S > 0                                   ? y->S
                                                            : flat;
}

/* A <- H, scaled and factorised; the diagonal if that is not possible. */
static int set_columns(hsp_polish_system *y) {
    int64_t d = y->m->design->d;
    double *A = y->factor.A;
    bool offset = y->stiff > 0;
    int status = hsp_design_gram(y->m->design, y->curve, offset ? y->factor.mean : NULL, NULL, 1, A, NULL);
    if (status) return status;
    if (y->m->intercept == HSP_INTERCEPT_PENALISED)
        for (int64_t j = 0; j < d; j++) hsp_axpy_f64(y->S / y->stiff * y->factor.mean[j], y->factor.mean, A + j * d, d);
    for (int64_t j = 0; j < d; j++) y->factor.scale[j] = 1 / sqrt(A[j * d + j] + 1);
    hsp_matrix_scale_upper(A, d, y->factor.scale);
    if (hsp_cholesky_shifted(A, d, 0, 1e-15) > 1) y->factor.way = HSP_POLISH_DIAGONAL;
    return HSP_OK;
}

/* scale <- 1 / sqrt of the diagonal of H. */
static void set_diagonal(hsp_polish_system *y) {
    const hsp_design *D = y->m->design;
    double *squares = y->z;
    memset(squares, 0, (size_t)D->d * sizeof *squares);
    for (int64_t k = 0; k < y->f; k++) {
        hsp_row r = hsp_design_row(D, y->rows[k], y->tile);
        double c = y->curve[y->rows[k]];
        for (int64_t t = 0; t < r.count; t++) {
            double x = hsp_row_value(r, t);
            squares[hsp_row_id(r, t)] += c * x * x;
        }
    }
    for (int64_t j = 0; j < D->d; j++) {
        double p = D->p ? D->p[j] : 0, sum = y->ones[j] + y->S * p; /* of D_i z_ij */
        double h = squares[j] - 2 * p * sum + y->S * p * p;
        if (y->stiff > 0) h -= y->ones[j] * y->ones[j] / y->stiff;
        y->factor.scale[j] = 1 / sqrt(1 + fmax(h, 0));
    }
}

/* Whether a factor by rows costs no more than the products that it saves. With many more rows than columns these are few,
 * since the diagonal is then a good preconditioner. */
static bool rows_are_cheap(const hsp_polish_system *y) {
    enum {
        ROWS_A_COLUMN = 4,
        PRODUCTS = 500,
        CHEAPER = 20
    }; /* an operation of a factor is cheaper than one of a product */
    const hsp_matrix *x = y->m->design->x;
    if (x->n < ROWS_A_COLUMN * x->d) return true;
    double f = (double)y->f, mean = (double)x->stored / (double)x->n;
    return f * f * (f / 3 + mean) <= CHEAPER * PRODUCTS * f * mean;
}

/* The cheapest way for the present F. */
static hsp_polish_way choose_way(const hsp_polish_system *y) {
    int64_t d = y->m->design->d;
    bool rows = y->pool.capacity > 0 && y->f <= y->pool.capacity && (y->factor.needed || rows_are_cheap(y));
    if (y->factor.A && !(rows && 4 * y->f < 3 * d)) return HSP_POLISH_COLUMNS;
    return rows ? HSP_POLISH_ROWS : HSP_POLISH_DIAGONAL;
}

/* A new preconditioner for the present system. */
static int factorise(hsp_polish_system *y) {
    int64_t n = y->m->design->n, d = y->m->design->d;
    int status = HSP_OK;
    y->factor.way = choose_way(y);
    memcpy(y->factor.curve, y->curve, (size_t)n * sizeof *y->curve);
    for (int64_t j = 0; j < d; j++) y->factor.mean[j] = y->S > 0 ? y->ones[j] / y->S : 0;
    if (y->factor.way == HSP_POLISH_COLUMNS) status = set_columns(y);
    bool regular = true;
    if (y->factor.way == HSP_POLISH_ROWS) status = hsp_polish_rows_set(y, &regular);
    if (!regular) y->factor.way = HSP_POLISH_DIAGONAL;
    if (y->factor.way == HSP_POLISH_DIAGONAL) set_diagonal(y);
    y->factor.made = y->factor.exact = y->factor.way != HSP_POLISH_DIAGONAL;
    return status;
}

/* Whether F and D have changed little since the factor was computed. */
static bool is_current(const hsp_polish_system *y) {
    if (!y->factor.made || y->factor.way != choose_way(y)) return false;
    int64_t changed = 0, costly = y->factor.way == HSP_POLISH_COLUMNS ? y->m->design->d : y->f;
    for (int64_t i = 0; i < y->m->design->n; i++) {
        double now = y->curve[i], then = y->factor.curve[i];
        if (now != then) changed += now > 0 && then > 0 ? now > 20 * then || then > 20 * now : 1;
    }
    return costly > FEW_COLUMNS && 10 * changed <= y->f;
}

int hsp_polish_system_set(hsp_polish_system *y, double flat) {
    take_means(y, flat);
    y->copy.products = 0;
    if (!is_current(y)) return factorise(y);
    y->factor.exact = false;
    return HSP_OK;
}

/* ---- solving ---- */

static void precondition(hsp_polish_system *y, const double *r, double *z) {
    int64_t d = y->m->design->d;
    if (y->factor.way == HSP_POLISH_ROWS) {
        hsp_polish_rows_precondition(y, r, z);
        return;
    }
    for (int64_t j = 0; j < d; j++) z[j] = r[j] * y->factor.scale[j];
    if (y->factor.way == HSP_POLISH_COLUMNS) hsp_cholesky_solve(y->factor.A, d, z, 1);
    for (int64_t j = 0; j < d; j++) z[j] *= y->factor.scale[j];
}

/* Conjugate gradients from x = 0 (Hestenes and Stiefel 1952): r holds the right-hand side. True: the tolerance is reached, or
 * the budget is out. */
static bool conjugate_gradients(hsp_polish_system *y, double *x, double *square, int64_t most, hsp_budget *budget) {
    int64_t d = y->m->design->d;
    double *r = y->r, *z = y->z, *s = y->s, *Hs = y->Hs;
    memset(x, 0, (size_t)d * sizeof *x);
    precondition(y, r, z);
    memcpy(s, z, (size_t)d * sizeof *s);
    double rz = hsp_dot_f64(r, z, d), enough = y->tolerance * y->tolerance * rz;
    *square = 0;
    for (int64_t k = 0; rz > enough && k < most; k++) {
        hsp_polish_product(y, s, Hs);
        budget->steps += y->f;
        double sHs = hsp_dot_f64(s, Hs, d), step = rz / sHs;
        if (!(sHs > 0) || !isfinite(step)) break;
        hsp_axpy_f64(step, s, x, d);
        hsp_axpy_f64(-step, Hs, r, d);
        *square += step * rz;
        precondition(y, r, z);
        double next = hsp_dot_f64(r, z, d), beta = next / rz;
        rz = next;
        if (hsp_budget_out(budget)) return true;
        for (int64_t j = 0; j < d; j++) s[j] = z[j] + beta * s[j];
    }
    if (isnan(rz)) *square = NAN;
    return !(rz > enough);
}

int hsp_polish_system_solve(hsp_polish_system *y, const double *g, double gb, double *x, double *square,
                            hsp_budget *budget) {
    double back = y->stiff > 0 ? gb / y->stiff : 0;
    for (;;) {
        for (int64_t j = 0; j < y->m->design->d; j++) y->r[j] = back * y->ones[j] - g[j];
        bool other = y->factor.made && !y->factor.exact;
        int64_t most = y->factor.exact ? FEW_PRODUCTS : other ? SOME_PRODUCTS : MANY_PRODUCTS;
        bool solved = conjugate_gradients(y, x, square, most, budget);
        bool by_rows = !y->factor.made && !y->factor.needed && y->pool.capacity > 0 && y->f <= y->pool.capacity;
        if (solved || !(other || by_rows)) return HSP_OK;
        y->factor.needed |= by_rows;
        int status = factorise(y);
        if (status) return status;
    }
}
