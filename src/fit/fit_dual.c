/* The multipliers that prove a run's bounds, kept for the model. */
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "fit/fit_classes.h"
#include "loss/loss.h"
#include "problem/point.h"
#include "problem/problem.h"

static bool wanted(const hsp_fit *f, const hsp_problem *p) {
    return hsp_problem_has_dual(p) || (f->solver->proposes && (p->loss->traits & HSP_LOSS_DUAL));
}

int hsp_fit_dual_begin(const hsp_fit *f, const hsp_problem *p, hsp_point *point, hsp_error **err) {
    return wanted(f, p) ? hsp_point_add_alpha(point, p->design->n, err) : HSP_OK;
}

int hsp_fit_dual_room(hsp_fit *f, const hsp_problem *p, hsp_error **err) {
    if (f->dual || !wanted(f, p)) return HSP_OK;
    f->dual = hsp_alloc_zero(p->design->n * f->outputs, sizeof *f->dual);
    return f->dual ? HSP_OK : hsp_fail_memory(err);
}

int hsp_fit_dual_keep(hsp_fit *f, const hsp_problem *p, hsp_point *point, int64_t first, hsp_error **err) {
    int64_t n = p->design->n;
    if (!point->alpha) return HSP_OK;
    if (!f->dual) f->dual = hsp_alloc_zero(n * f->outputs, sizeof *f->dual);
    if (!f->dual) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        double weight = p->C * (p->c ? p->c[i] : 1);
        for (int64_t k = 0; k < p->outputs; k++)
            f->dual[i * f->outputs + first + k] = weight * point->alpha[i * p->outputs + k];
    }
    return HSP_OK;
}
