/* Regression by an iterative solver, to a certified gap. */
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "solve/loop/solver.h"

int hsp_fit_regression(hsp_fit *f, hsp_error **err) {
    int status = hsp_fit_choose(f, err);
    if (!status) status = hsp_fit_choose_solver(f, 1, err);
    if (status) return status;
    f->form.rules.keep = HSP_KEEP_BEST;
    f->form.certified = true;
    hsp_recentred about = {0};
    status = hsp_fit_recentre(f, &about, err);
    if (!status) status = hsp_fit_solve(f, err);
    hsp_fit_restore(f, &about);
    return status;
}
