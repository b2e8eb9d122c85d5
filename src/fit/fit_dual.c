/* Stores the multipliers that prove a run's bounds, for the model. */
#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "fit/fit_classes.h"
#include "fit/fit_solve.h"
#include "loss/loss.h"
#include "problem/multipliers.h"
#include "problem/point.h"
#include "problem/problem.h"

static bool wants_multipliers(const hsp_fit *f, const hsp_problem *p) {
    if (f->job.update) return false;
    return hsp_problem_has_dual(p) || (f->form.solver->proposes && (p->loss->traits & HSP_LOSS_DUAL));
}

int hsp_fit_dual_begin(const hsp_fit *f, const hsp_problem *p, hsp_point *point, hsp_error **err) {
    return wants_multipliers(f, p) ? hsp_point_add_alpha(point, p->design->n, err) : HSP_OK;
}

int hsp_fit_dual_room(hsp_fit *f, const hsp_problem *p, hsp_error **err) {
    if (f->out.dual || !wants_multipliers(f, p)) return HSP_OK;
    f->out.dual = hsp_alloc_zero(p->design->n * f->out.outputs, sizeof *f->out.dual);
    return f->out.dual ? HSP_OK : hsp_fail_memory(err);
}

int hsp_fit_dual_keep(hsp_fit *f, const hsp_problem *p, hsp_point *point, int64_t first, hsp_error **err) {
    int64_t n = p->design->n;
    if (!point->alpha) return HSP_OK;
    if (!f->out.dual) f->out.dual = hsp_alloc_zero(n * f->out.outputs, sizeof *f->out.dual);
    if (!f->out.dual) return hsp_fail_memory(err);
    for (int64_t i = 0; i < n; i++) {
        double weight = hsp_row_weight(p, i);
        for (int64_t k = 0; k < p->outputs; k++)
            f->out.dual[i * f->out.outputs + first + k] = hsp_beta_of_r(weight, point->alpha[i * p->outputs + k]);
    }
    return HSP_OK;
}
