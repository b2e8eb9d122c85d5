/* The algebra of iterate.h. Average: with A_k = sum of a_j for j <= k and every change of u by delta recorded as
 * q += A_{k-1} delta, the sum of a_j u_j is A_k u_k - q_k (Xu 2011, "Towards optimal one pass large scale learning with
 * averaged stochastic gradient descent"); the same holds for t. */
#include "solve/update/iterate.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/kernel.h"
#include "penalty/penalty.h"

#include <math.h>

int hsp_iterate_init(hsp_iterate *it, const hsp_design *D, const hsp_point *start, bool l1, bool averaging,
                     hsp_error **err) {
    *it = (hsp_iterate){.D = D, .a = 1, .b = start->b[0], .l1 = l1, .averaging = averaging};
    it->eager = l1 && (D->p || averaging);
    if (!HSP_ALLOC_DOUBLES(D->d, &it->u) || !HSP_ALLOC_DOUBLES(l1 && !it->eager ? D->d : -1, &it->applied) ||
        !HSP_ALLOC_DOUBLES(averaging ? D->d : -1, &it->q))
        return hsp_fail_memory(err);
    for (int64_t j = 0; j < D->d; j++) it->u[j] = start->w[j];
    if (D->p) it->pu = hsp_dot_f64(D->p, it->u, D->d);
    return HSP_OK;
}

void hsp_iterate_free(hsp_iterate *it) {
    HSP_FREE(it->u, it->applied, it->q);
}

static inline void catch_up(hsp_iterate *it, int64_t j) {
    if (it->applied[j] != it->total) {
        it->u[j] = hsp_soft(it->u[j], it->total - it->applied[j]);
        it->applied[j] = it->total;
    }
}

static void catch_up_row(hsp_iterate *it, hsp_row row) {
    for (int64_t t = 0; t < row.count; t++) catch_up(it, hsp_row_id(row, t));
}

double hsp_iterate_score(hsp_iterate *it, int64_t i, hsp_row row) {
    const hsp_design *D = it->D;
    if (it->applied) catch_up_row(it, row);
    double s = hsp_row_dot(row, it->u);
    if (D->p) s += it->t * (D->pp - D->pz[i]) - it->pu;
    return it->a * s + it->b;
}

void hsp_iterate_add(hsp_iterate *it, int64_t i, hsp_row row, double c) {
    const hsp_design *D = it->D;
    double delta = c / it->a;
    if (it->applied) catch_up_row(it, row);
    hsp_row_axpy(delta, row, it->u);
    if (D->p) {
        it->pu += delta * D->pz[i];
        it->t += delta;
    }
    if (it->averaging && !it->eager) {
        hsp_row_axpy(it->A * delta, row, it->q);
        it->qt += it->A * delta;
    }
}

/* Multiplies u by the factor a. The sum of the iterates so far moves into q and A restarts at 0: in units of the new u it
 * would grow like 1/a, and A u - q would cancel more and more digits. */
static void fold_scale(hsp_iterate *it) {
    const hsp_design *D = it->D;
    if (it->a == 1) return;
    if (it->averaging && !it->eager) {
        hsp_axpy_f64(-it->A, it->u, it->q, D->d);
        it->qt -= it->A * it->t;
        it->A = 0;
    }
    if (it->a == 0)
        for (int64_t j = 0; j < D->d; j++) it->u[j] = 0; /* also what had become infinite */
    else
        hsp_scale_f64(it->a, it->u, D->d);
    it->t *= it->a;
    it->pu *= it->a;
    it->a = 1;
}

static void catch_up_all(hsp_iterate *it) {
    if (!it->applied) return;
    for (int64_t j = 0; j < it->D->d; j++) {
        catch_up(it, j);
        it->applied[j] = 0;
    }
    it->total = 0;
}

void hsp_iterate_normalise(hsp_iterate *it) {
    const hsp_design *D = it->D;
    catch_up_all(it);
    fold_scale(it);
    if (!D->p) return;
    hsp_axpy_f64(-it->t, D->p, it->u, D->d);
    it->t = 0;
    if (it->averaging && !it->eager) {
        hsp_axpy_f64(-it->qt, D->p, it->q, D->d);
        it->qt = 0;
    }
    it->pu = hsp_dot_f64(D->p, it->u, D->d);
}

void hsp_iterate_shrink(hsp_iterate *it, double s) {
    if (s == 1) return;
    it->a *= s;
    double size = fabs(it->a);
    if (size < 1e-9 || size > 1e9) {
        catch_up_all(it); /* pending thresholds are in units of the old u */
        fold_scale(it);
    }
}

void hsp_iterate_threshold(hsp_iterate *it, double t) {
    if (it->eager) {
        hsp_iterate_normalise(it);
        for (int64_t j = 0; j < it->D->d; j++) it->u[j] = hsp_soft(it->u[j], t);
        if (it->D->p) it->pu = hsp_dot_f64(it->D->p, it->u, it->D->d);
    } else {
        it->total += t / fabs(it->a);
    }
}

void hsp_iterate_count(hsp_iterate *it) {
    if (!it->averaging) return;
    it->count += 1;
    it->sum_b += it->b;
    if (it->eager) {
        hsp_iterate_normalise(it);
        hsp_axpy_f64(1, it->u, it->q, it->D->d);
    } else {
        it->A += it->a;
    }
}

void hsp_iterate_export(hsp_iterate *it, bool average, hsp_point *out) {
    hsp_iterate_normalise(it);
    bool sum = average && it->averaging && it->count > 0;
    for (int64_t j = 0; j < it->D->d; j++) {
        if (!sum)
            out->w[j] = it->u[j];
        else
            out->w[j] = (it->eager ? it->q[j] : it->A * it->u[j] - it->q[j]) / it->count;
    }
    out->b[0] = sum ? it->sum_b / it->count : it->b;
}

void hsp_iterate_peek(const hsp_iterate *it, double *w) {
    const hsp_design *D = it->D;
    for (int64_t j = 0; j < D->d; j++) {
        double u = it->applied ? hsp_soft(it->u[j], it->total - it->applied[j]) : it->u[j];
        w[j] = it->a * (u - (D->p ? it->t * D->p[j] : 0));
    }
}
