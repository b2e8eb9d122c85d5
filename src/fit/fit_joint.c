/* Solves one problem of all outputs together: softmax, crammer-singer. */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "fit/class_weight.h"
#include "fit/fit.h"
#include "fit/fit_solve.h"
#include "fit/fit_warm.h"
#include "loss/loss.h"
#include "option/options.h"
#include "problem/point.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"

#include <math.h>

/* The outputs of the problem. A class without rows has no place in it if the loss has a kink and its intercept is free: any
 * intercept below all scores is optimal. With softmax such a class has a probability that tends to 0. */
typedef struct joint_outputs {
    int64_t *class; /* owned, K: the class of each output */
    int64_t *of;    /* owned, K: the output of each class; -1: none */
    int64_t count;
} joint_outputs;

static int list_outputs(const hsp_fit *f, joint_outputs *o, hsp_error **err) {
    bool skips = !(f->form.loss->traits & HSP_LOSS_SMOOTH) && hsp_options_is(f->job.options, "intercept", "free");
    o->class = hsp_alloc(f->out.outputs, sizeof *o->class);
    o->of = hsp_alloc(f->out.outputs, sizeof *o->of);
    if (!o->class || !o->of) return hsp_fail_memory(err);
    for (int64_t k = 0; k < f->out.outputs; k++) {
        bool absent = skips && hsp_fit_absent(f, k);
        o->of[k] = absent ? -1 : o->count;
        if (!absent) o->class[o->count++] = k;
    }
    return HSP_OK;
}

/* Moves the solution to the classes, from the last one on, since both share an array. */
static void spread_solution(hsp_fit *f, const joint_outputs *o) {
    int64_t d = f->job.design->d;
    for (int64_t k = f->out.outputs - 1; k >= 0; k--) {
        int64_t from = o->of[k];
        for (int64_t j = 0; j < d; j++) f->out.w[k * d + j] = from >= 0 ? f->out.w[from * d + j] : 0;
        f->out.b[k] = from >= 0 ? f->out.b[from] : -1e300; /* never predicted */
    }
}

/* Likewise the multipliers of each row, which are 0 for a class without rows. */
static void spread_multipliers(hsp_fit *f, const joint_outputs *o) {
    int64_t K = f->out.outputs;
    for (int64_t i = 0; f->out.dual && i < f->job.design->n; i++)
        for (int64_t k = K - 1; k >= 0; k--) f->out.dual[i * K + k] = o->of[k] >= 0 ? f->out.dual[i * K + o->of[k]] : 0;
}

static int run_joint(hsp_fit *f, hsp_problem *p, const joint_outputs *o, hsp_error **err) {
    hsp_fit_result *r = &f->out.results[0];
    for (int64_t i = 0; i < f->job.design->n; i++) {
        int64_t output = o->of[f->rows.y[i]];
        p->y[i] = output >= 0 ? (double)output : 0; /* a row of an absent class has no weight */
    }
    hsp_point point = {.outputs = o->count, .d = f->job.design->d, .w = f->out.w, .b = f->out.b};
    hsp_run_start(p, &f->form.rules, 0, &point);
    hsp_fit_warm_weights(f, p, o->class, &point);
    hsp_rules rules = f->form.rules;
    if (rules.max_seconds >= 0) rules.max_seconds = fmax(0, rules.max_seconds - (hsp_clock_seconds() - f->job.begun));
    hsp_run_place place = {.problem = 0, .problems = 1, .label = NULL};
    int status = hsp_fit_dual_begin(f, p, &point, err);
    if (!status) hsp_fit_warm_multipliers(f, p, o->class, &point);
    if (!status) status = hsp_run(f->form.solver, p, &rules, place, f->job.hooks, &point, &r->outcome, err);
    if (!status) status = hsp_fit_dual_keep(f, p, &point, 0, err);
    hsp_free(point.alpha);
    return status;
}

int hsp_fit_solve_joint(hsp_fit *f, hsp_error **err) {
    hsp_problem *p = NULL;
    joint_outputs o = {0};
    int status = list_outputs(f, &o, err);
    if (!status) status = hsp_fit_pose(f, o.count, &p, err);
    f->out.results[0] = (hsp_fit_result){.margin = NAN, .geometric = NAN, .radius = NAN, .bound = NAN};
    f->notes.solved = f->notes.iterative = true;
    f->out.problems = 1;
    if (!status) status = run_joint(f, p, &o, err);
    if (!status && o.count < f->out.outputs) {
        spread_solution(f, &o);
        spread_multipliers(f, &o);
    }
    hsp_problem_free(p);
    HSP_FREE(o.class, o.of);
    return status;
}
