/* Products with the H of margin_polish.h. Each row is read once: for the intercept's part needs no look at the scores,
 * since sum_i D_i x_i.v = (sum_i D_i x_i).v. When conjugate gradients come back for more, the rows of F are copied side by
 * side first: they are few of many, and read where they are every one is a wait for memory. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/matrix.h"
#include "design/design.h"
#include "design/packed.h"
#include "kernel/kernel.h"
#include "solve/margin/polish.h"

#include <string.h>

enum { MOST_SLABS = 8, FEW_PRODUCTS = 2 };

/* Slabs of rows have sums of their own, d numbers each: these are to be little beside what the rows store. */
static int64_t slabs_for(const hsp_design *D) {
    int64_t slabs = D->x->stored / (8 * (D->d + 1));
    return slabs < 1 ? 1 : slabs > MOST_SLABS ? MOST_SLABS : slabs;
}

int hsp_polish_product_init(hsp_polish_system *y, hsp_error **err) {
    const hsp_design *D = y->m->design;
    if (D->x->dense) return HSP_OK;
    for (int64_t i = 0; i < D->n; i++) y->rows[i] = i;
    int status = hsp_packed_new(D, y->rows, D->n, &y->everywhere, err);
    if (!status) status = hsp_packed_copy_of(y->everywhere, hsp_packed_room(D), &y->together, err);
    if (status || !y->together) return status;
    y->slabs = slabs_for(D);
    y->sums = hsp_alloc(y->slabs * D->d, sizeof *y->sums);
    return y->sums ? HSP_OK : hsp_fail_memory(err);
}

void hsp_polish_product_free(hsp_polish_system *y) {
    hsp_packed_free(y->everywhere);
    hsp_packed_free(y->together);
    hsp_free(y->sums);
}

typedef struct pass {
    const hsp_polish_system *y;
    const double *v;
    double less;              /* taken from every score: the centring, and the intercept */
    double total[MOST_SLABS]; /* of what the rows were added with */
} pass;

static void multiply_slab(void *ctx, int64_t slab) {
    pass *p = ctx;
    const hsp_polish_system *y = p->y;
    const hsp_packed *P = y->together;
    int64_t d = y->m->design->d, end = (slab + 1) * y->f / y->slabs;
    double *out = y->sums + slab * d, total = 0;
    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t k = slab * y->f / y->slabs; k < end; k++) {
        hsp_packed_row r = hsp_packed_at(P, k);
        double t = y->curve[y->rows[k]] * (hsp_packed_dot(P, r, p->v) - p->less);
        hsp_packed_axpy(P, t, r, out);
        total += t;
    }
    p->total[slab] = total;
}

static double multiply_together(pass *p, double *out) {
    const hsp_polish_system *y = p->y;
    const hsp_design *D = y->m->design;
    double total = 0;
    hsp_pool_run(y->slabs, D->threads, multiply_slab, p);
    for (int64_t slab = 0; slab < y->slabs; slab++) {
        hsp_axpy_f64(1, y->sums + slab * D->d, out, D->d);
        total += p->total[slab];
    }
    return total;
}

static double multiply_where_they_are(const pass *p, double *out) {
    const hsp_polish_system *y = p->y;
    const hsp_design *D = y->m->design;
    double total = 0;
    for (int64_t k = 0; k < y->f; k++) {
        hsp_row r = hsp_design_row(D, y->rows[k], y->tile);
        double t = y->curve[y->rows[k]] * (hsp_row_dot(r, p->v) - p->less);
        hsp_row_axpy(t, r, out);
        total += t;
    }
    return total;
}

void hsp_polish_product(hsp_polish_system *y, const double *v, double *out) {
    const hsp_design *D = y->m->design;
    pass p = {.y = y, .v = v};
    if (D->p) p.less += hsp_dot_f64(D->p, v, D->d);
    if (y->stiff > 0) p.less += hsp_dot_f64(y->ones, v, D->d) / y->stiff;
    if (y->together && ++y->products == FEW_PRODUCTS) hsp_packed_take(y->everywhere, y->rows, y->f, y->together);
    memcpy(out, v, (size_t)D->d * sizeof *out);
    bool together = y->together && y->products >= FEW_PRODUCTS;
    double total = together ? multiply_together(&p, out) : multiply_where_they_are(&p, out);
    if (D->p) hsp_axpy_f64(-total, D->p, out, D->d);
}
