#include "separate/cone.h"

#include "kernel/kernel.h"

#include <string.h>

void hsp_cone_apply(const hsp_cone *c, const double *v, double *out) {
    hsp_design_scores(c->design, v, c->free ? v[c->d] : 0, out);
    for (int64_t i = 0; i < c->n; i++) out[i] *= c->rho[i];
}

void hsp_cone_adjoint(const hsp_cone *c, const double *r, double *scratch, double *out) {
    for (int64_t i = 0; i < c->n; i++) scratch[i] = c->rho[i] * r[i];
    hsp_design_adjoint(c->design, scratch, out);
    if (c->free) out[c->d] = hsp_sum_f64(scratch, c->n);
}

void hsp_cone_row(const hsp_cone *c, int64_t i, double *out) {
    memset(out, 0, (size_t)c->p * sizeof *out);
    hsp_row_axpy(c->rho[i], hsp_design_row(c->design, i, NULL), out);
    if (c->design->p) hsp_axpy_f64(-c->rho[i], c->design->p, out, c->d);
    if (c->free) out[c->d] = c->rho[i];
}

void hsp_cone_lift(const hsp_cone *c, const double *v, double *scratch, double *w) {
    const hsp_design *base = c->base;
    if (c->map) {
        for (int64_t i = 0; i < base->n; i++) scratch[i] = hsp_dot_f64(c->map + i * c->d, v, c->d);
        hsp_design_adjoint(base, scratch, w);
    } else {
        memcpy(w, v, (size_t)base->d * sizeof *w);
    }
    for (int64_t j = 0; base->factor && j < base->d; j++) w[j] *= base->factor[j];
}

void hsp_cone_pull(const hsp_cone *c, double *r, double sides, double *scratch, double *out) {
    const hsp_design *base = c->base;
    for (int64_t j = 0; base->factor && j < base->d; j++)
        r[j] = (r[j] - (base->shift ? base->shift[j] * sides : 0)) * base->factor[j];
    if (c->map) {
        memset(out, 0, (size_t)c->d * sizeof *out);
        hsp_design_scores(base, r, 0, scratch);
        for (int64_t i = 0; i < base->n; i++) hsp_axpy_f64(scratch[i], c->map + i * c->d, out, c->d);
    } else {
        memcpy(out, r, (size_t)base->d * sizeof *out);
    }
    if (c->free) out[c->d] = sides;
}
