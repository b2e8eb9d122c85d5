/* Solves one problem of all outputs together: softmax. */
#include "base/clock.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"

#include <math.h>

int hsp_fit_solve_joint(hsp_fit *f, hsp_error **err) {
    hsp_problem *p = NULL;
    hsp_fit_result *r = &f->out.results[0];
    int status = hsp_fit_pose(f, f->out.outputs, &p, err);
    *r = (hsp_fit_result){.margin = NAN, .radius = NAN, .bound = NAN};
    f->notes.solved = f->notes.iterative = true;
    f->out.problems = 1;
    if (!status) {
        for (int64_t i = 0; i < f->job.design->n; i++) p->y[i] = f->rows.y[i];
        hsp_point point = {.outputs = f->out.outputs, .d = f->job.design->d, .w = f->out.w, .b = f->out.b};
        hsp_run_start(p, &f->form.rules, 0, &point);
        hsp_rules rules = f->form.rules;
        if (rules.max_seconds >= 0) rules.max_seconds = fmax(0, rules.max_seconds - (hsp_clock_seconds() - f->job.begun));
        hsp_run_place place = {.problem = 0, .problems = 1, .label = NULL};
        status = hsp_fit_dual_begin(f, p, &point, err);
        if (!status) status = hsp_run(f->form.solver, p, &rules, place, f->job.hooks, &point, &r->outcome, err);
        if (!status) status = hsp_fit_dual_keep(f, p, &point, 0, err);
        hsp_free(point.alpha);
    }
    hsp_problem_free(p);
    return status;
}
