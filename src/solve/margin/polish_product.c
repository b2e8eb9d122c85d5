/* Products with the H of polish.h. Each row is read once: the intercept's part needs no scores, since
 * sum_i D_i x_i.v = (sum_i D_i x_i).v. After the first products the rows of F are copied to contiguous memory: they are few of
 * many, and reading them in place means waiting for memory at each. */
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

int hsp_polish_product_init(hsp_polish_system *y, hsp_error **err) {
    const hsp_design *D = y->m->design;
    if (D->x->dense) return HSP_OK;
    for (int64_t i = 0; i < D->n; i++) y->rows[i] = i;
    int status = hsp_packed_new(D, y->rows, D->n, &y->copy.everywhere, err);
    if (!status) status = hsp_packed_copy_of(y->copy.everywhere, hsp_packed_room(D), &y->copy.together, err);
    if (status || !y->copy.together) return status;
    /* Each slab of rows has sums of d numbers: few beside the numbers that the rows store. */
    int64_t slabs = D->x->stored / (8 * (D->d + 1));
    y->copy.slabs = slabs < 1 ? 1 : slabs > MOST_SLABS ? MOST_SLABS : slabs;
    y->copy.sums = hsp_alloc(y->copy.slabs * D->d, sizeof *y->copy.sums);
    return y->copy.sums ? HSP_OK : hsp_fail_memory(err);
}

void hsp_polish_product_free(hsp_polish_system *y) {
    hsp_packed_free(y->copy.everywhere);
    hsp_packed_free(y->copy.together);
    hsp_free(y->copy.sums);
}

typedef struct product_pass {
    const hsp_polish_system *y;
    const double *v;
    double less;              /* subtracted from every score: centring, and the intercept */
    double total[MOST_SLABS]; /* sum of the rows' coefficients */
} product_pass;

static void multiply_slab(void *ctx, int64_t slab) {
    product_pass *p = ctx;
    const hsp_polish_system *y = p->y;
    const hsp_packed *P = y->copy.together;
    int64_t d = y->m->design->d, end = (slab + 1) * y->f / y->copy.slabs;
    double *out = y->copy.sums + slab * d, total = 0;
    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t k = slab * y->f / y->copy.slabs; k < end; k++) {
        hsp_packed_row r = hsp_packed_at(P, k);
        double t = y->curve[y->rows[k]] * (hsp_packed_dot(P, r, p->v) - p->less);
        hsp_packed_axpy(P, t, r, out);
        total += t;
    }
    p->total[slab] = total;
}

static double multiply_together(product_pass *p, double *out) {
    const hsp_polish_system *y = p->y;
    const hsp_design *D = y->m->design;
    double total = 0;
    hsp_pool_run(y->copy.slabs, D->threads, multiply_slab, p);
    for (int64_t slab = 0; slab < y->copy.slabs; slab++) {
        hsp_axpy_f64(1, y->copy.sums + slab * D->d, out, D->d);
        total += p->total[slab];
    }
    return total;
}

static double multiply_in_place(const product_pass *p, double *out) {
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
    product_pass p = {.y = y, .v = v};
    if (D->p) p.less += hsp_dot_f64(D->p, v, D->d);
    if (y->stiff > 0) p.less += hsp_dot_f64(y->ones, v, D->d) / y->stiff;
    if (y->copy.together && ++y->copy.products == FEW_PRODUCTS)
        hsp_packed_take(y->copy.everywhere, y->rows, y->f, y->copy.together);
    memcpy(out, v, (size_t)D->d * sizeof *out);
    bool together = y->copy.together && y->copy.products >= FEW_PRODUCTS;
    double total = together ? multiply_together(&p, out) : multiply_in_place(&p, out);
    if (D->p) hsp_axpy_f64(-total, D->p, out, D->d);
}
