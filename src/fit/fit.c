/* Reads the rules from the options and solves one problem for each output. */
#include "fit/fit.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/pool.h"
#include "fit/class_weight.h"
#include "fit/fit_classes.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "fit/fit_update.h"
#include "fit/fit_warm.h"
#include "option/options.h"
#include "problem/point.h"
#include "solve/loop/run_update.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <stdarg.h>

int hsp_fit_threads(const hsp_fit *f) {
    enum { SMALL = 1 << 15 }; /* values times outputs: a pass takes about as long as a thread takes to wake up */
    int64_t outputs = f->out.outputs > 1 ? f->out.outputs : 1, asked = hsp_options_int(f->job.options, "threads", 0);
    if (asked == 0 && f->job.data->x.stored <= SMALL / outputs) return 1;
    return hsp_pool_threads(asked);
}

void hsp_fit_rules(hsp_fit *f) {
    const hsp_options *o = f->job.options;
    f->form.rules = (hsp_rules){.schedule = (hsp_schedule)hsp_options_choice(o, "schedule"),
                                .rate = hsp_options_real(o, "learning-rate", NAN),
                                .decay = hsp_options_real(o, "decay", NAN),
                                .batch = hsp_options_int(o, "batch", 1),
                                .order = (hsp_ordering)hsp_options_choice(o, "order"),
                                .start = (hsp_start)hsp_options_choice(o, "init"),
                                .update_on = (hsp_update_on)hsp_options_choice(o, "update-on"),
                                .keep = (hsp_keep)hsp_options_choice(o, "keep"),
                                .seed = (uint64_t)hsp_options_int(o, "seed", 1),
                                .max_epochs = hsp_options_int(o, "max-epochs", -1),
                                .max_updates = hsp_options_int(o, "max-updates", -1),
                                .max_steps = hsp_options_int(o, "max-steps", -1),
                                .max_seconds = hsp_options_real(o, "max-seconds", -1),
                                .tol = hsp_options_real(o, "tol", 1e-4),
                                .epochs_given = hsp_options_is_set(o, "max-epochs"),
                                .tol_given = hsp_options_is_set(o, "tol")};
    if (f->form.rules.batch > f->rows.count) f->form.rules.batch = f->rows.count;
}

static int64_t class_of_output(const hsp_fit *f, int64_t k) {
    return f->out.outputs == 1 ? f->job.prepare->positive : k;
}

void hsp_fit_targets(const hsp_fit *f, int64_t k, double *y) {
    int64_t plus = class_of_output(f, k);
    const hsp_fit_rows *rows = &f->rows;
    for (int64_t i = 0; i < f->job.design->n; i++) y[i] = rows->target ? rows->target[i] : rows->y[i] == plus ? 1 : -1;
}

void hsp_fit_log(const hsp_fit *f, const char *format, ...) {
    const hsp_hooks *hooks = f->job.hooks;
    if (!hooks || hooks->size < offsetof(hsp_hooks, log) + sizeof hooks->log || !hooks->log) return;
    hsp_text line = {0};
    va_list arguments;
    va_start(arguments, format);
    hsp_text_vformat(&line, format, arguments);
    va_end(arguments);
    if (line.s && !line.failed) hooks->log(hooks->user, 1, line.s);
    hsp_text_free(&line);
}

int hsp_fit_pose_over(const hsp_fit *f, hsp_design *design, int64_t outputs, hsp_problem **p, hsp_error **err) {
    hsp_problem_spec spec = {.loss = f->form.loss,
                             .penalty = f->form.penalty,
                             .intercept = (hsp_intercept)hsp_options_choice(f->job.options, "intercept"),
                             .kink = (hsp_kink)hsp_options_choice(f->job.options, "kink"),
                             .C = hsp_options_real(f->job.options, "C", NAN),
                             .lambda = hsp_options_real(f->job.options, "lambda", NAN),
                             .l1_ratio = hsp_options_real(f->job.options, "l1-ratio", 0.5),
                             .c = f->rows.c,
                             .outputs = outputs,
                             .regression = f->rows.target != NULL};
    int status = hsp_problem_new(design, &spec, p, err);
    if (status) return status;
    if ((*p)->penalty->penalises && !(isfinite((*p)->lambda) && (*p)->lambda > 0 && isfinite((*p)->C) && (*p)->C > 0))
        return hsp_fail(err, HSP_EUSAGE, "-C or --lambda is out of range for %lld rows: choose a value nearer to 1",
                        (long long)design->n);
    return HSP_OK;
}

int hsp_fit_pose(hsp_fit *f, int64_t outputs, hsp_problem **p, hsp_error **err) {
    int status = hsp_fit_pose_over(f, f->job.design, outputs, p, err);
    if (status) return status;
    f->form.C = f->form.penalty->penalises ? (*p)->C : NAN;
    f->form.lambda = f->form.penalty->penalises ? (*p)->lambda : NAN;
    return HSP_OK;
}

/* The largest row weight divided by the smallest positive one. */
static double weight_ratio(const hsp_fit *f) {
    double least = INFINITY, most = 0;
    for (int64_t i = 0; f->rows.c && i < f->job.design->n; i++) {
        if (f->rows.c[i] > most) most = f->rows.c[i];
        if (f->rows.c[i] > 0 && f->rows.c[i] < least) least = f->rows.c[i];
    }
    return f->rows.c ? most / least : 1;
}

/* The perceptron's figures at the point that was kept. Novikoff's theorem bounds the updates from a start at zero by
 *     (R / gamma)^2
 * Row weights c scale the updates, which weakens the bound to
 *     (R / gamma)^2 (max c / min c)^2 */
static void novikoff(const hsp_fit *f, hsp_problem *p, double radius, const hsp_point *point, hsp_fit_result *r) {
    bool offset = p->intercept != HSP_INTERCEPT_NONE;
    hsp_evaluation e = hsp_problem_evaluate(p, point->w, point->b);
    double least = INFINITY;
    for (int64_t i = 0; i < f->job.design->n; i++) {
        double m = p->y[i] * p->scores[i];
        if (m < least && (!f->rows.c || f->rows.c[i] > 0)) least = m;
    }
    double norm = sqrt(e.norm * e.norm + (offset ? point->b[0] * point->b[0] : 0));
    r->margin = norm > 0 ? least / norm : NAN;
    r->geometric = e.norm > 0 ? least / e.norm : NAN;
    r->radius = radius;
    bool bounded = r->margin > 0 && f->form.rules.start == HSP_START_ZERO && r->outcome.converged;
    double root = weight_ratio(f) * r->radius / r->margin;
    r->bound = bounded ? root * root : NAN;
}

/* R: the norm of the longest row, including the constant 1 of the intercept. */
static double longest_row(const hsp_fit *f, const hsp_problem *p) {
    double mean, largest;
    hsp_design_norms(f->job.design, f->rows.c, &mean, &largest);
    return sqrt(largest + (p->intercept != HSP_INTERCEPT_NONE ? 1 : 0));
}

hsp_fit_result hsp_fit_not_run(const hsp_fit *f, int64_t k) {
    hsp_evaluation unknown = {NAN, NAN, NAN, NAN};
    return (hsp_fit_result){
        .label = f->rows.y ? f->job.prepare->classes.name[class_of_output(f, k)] : NULL,
        .outcome = {.stop = HSP_STOP_CANCELLED, .start = unknown, .end = unknown, .dual_bound = NAN, .gap = NAN},
        .margin = NAN,
        .geometric = NAN,
        .radius = NAN,
        .bound = NAN};
}

/* Sets targets, starting point and multipliers of output k. */
static int prepare_output(const hsp_fit *f, hsp_problem *p, int64_t k, hsp_point *point, hsp_error **err) {
    int64_t d = f->job.design->d;
    *point = (hsp_point){.outputs = 1, .d = d, .w = f->out.w + k * d, .b = f->out.b + k};
    hsp_fit_targets(f, k, p->y);
    hsp_run_start(p, &f->form.rules, k, point);
    hsp_fit_path_begin(f, p, k, point);
    hsp_fit_warm_weights(f, p, &k, point);
    int status = hsp_fit_dual_begin(f, p, point, err);
    if (!status) hsp_fit_warm_multipliers(f, p, &k, point);
    return status;
}

/* Refines the point of output k after its run and stores what the fit keeps of it. */
static int keep_output(hsp_fit *f, hsp_problem *p, int64_t k, hsp_point *point, double radius, hsp_error **err) {
    hsp_fit_result *r = &f->out.results[k];
    int status = hsp_fit_path_finish(f, p, point, &r->outcome, err);
    if (!status && f->form.refine) status = f->form.refine(f, p, point, &r->outcome, err);
    if (!status) status = hsp_fit_dual_keep(f, p, point, k, err);
    if (status || !f->form.solver->counts_mistakes || f->job.update) return status;
    r->outcome.converged = r->outcome.converged && r->outcome.end.error == 0;
    novikoff(f, p, radius, point, r);
    return HSP_OK;
}

/* The smallest gap that a batch aims at unless the user sets a tolerance: a batch gains nothing from a smaller one. */
static const double NEAR_ENOUGH = 1e-6;

/* One pass over new rows; the average of its weights goes to that of all passes. */
static int update_output(hsp_fit *f, const hsp_rules *rules, int64_t output, const hsp_run_task *run, hsp_error **err) {
    hsp_counters *counters = &f->out.counters[output];
    hsp_running_average *all = f->job.average;
    hsp_point *average = NULL;
    int64_t before = counters->steps;
    if (all) {
        all->outputs = f->out.outputs;
        all->columns = run->point->d;
    }
    int status = all ? hsp_point_new(1, run->point->d, &average, err) : HSP_OK;
    if (!status)
        status = hsp_run_update(f->form.solver, run->p, rules, run->place, run->hooks, counters, run->point, average, run->out,
                                err);
    if (!status && all) status = hsp_running_average_add(all, output, average, (double)(counters->steps - before), err);
    hsp_point_free(average);
    return status;
}

int hsp_fit_solve_outputs(hsp_fit *f, const hsp_fit_task *t, hsp_error **err) {
    hsp_point point[HSP_MOST_BATCH] = {{0}};
    hsp_run_task run[HSP_MOST_BATCH];
    const hsp_solver *solver = f->form.solver;
    hsp_rules rules = f->form.rules;
    rules.seed += (uint64_t)t->output[0] << 32; /* each problem or batch draws its own random numbers */
    rules.max_seconds = t->seconds;
    int status = HSP_OK;
    for (int64_t k = 0; !status && k < t->count; k++) {
        hsp_fit_result *r = &f->out.results[t->output[k]];
        status = prepare_output(f, t->problem[k], t->output[k], point + k, err);
        run[k] = (hsp_run_task){.p = t->problem[k],
                                .place = {.problem = t->output[k], .problems = f->out.outputs, .label = r->label},
                                .hooks = t->hooks[k],
                                .point = point + k,
                                .out = &r->outcome};
    }
    if (!status && t->count == 1) {
        status = f->out.counters
                     ? update_output(f, &rules, t->output[0], run, err)
                     : hsp_run(solver, run->p, &rules, run->place, run->hooks, run->point, run->out, err);
    } else if (!status) {
        if (solver->together != solver && !rules.next) rules.next = solver;
        if (!rules.tol_given) rules.tol = fmax(rules.tol, NEAR_ENOUGH);
        status = hsp_run_together(solver->together, run, t->count, &rules, err);
    }
    for (int64_t k = 0; !status && k < t->count; k++)
        status = keep_output(f, t->problem[k], t->output[k], point + k, t->radius, err);
    for (int64_t k = 0; k < t->count; k++) hsp_free(point[k].alpha);
    return status;
}

int hsp_fit_solve(hsp_fit *f, hsp_error **err) {
    hsp_problem *p = NULL;
    int status = hsp_fit_pose(f, 1, &p, err);
    if (!status) status = hsp_fit_take_start(f, err);
    f->notes.solved = f->notes.iterative = true;
    if (f->out.outputs > 1) f->form.multiclass = "ovr";
    for (int64_t k = 0; k < f->out.outputs; k++) f->out.results[k] = hsp_fit_not_run(f, k);
    bool bounded = f->form.solver->counts_mistakes && !f->job.update;
    double radius = !status && bounded ? longest_row(f, p) : NAN, most = f->form.rules.max_seconds;
    if (!status && f->job.update && !f->form.solver->on.resume)
        status = hsp_fail(err, HSP_EUSAGE, "the solver '%s' has no update rule: leave --solver out", f->form.solver->name);
    if (!status && f->out.outputs > 1) {
        status = hsp_fit_solve_classes(f, p, radius, err);
    } else if (!status && !hsp_fit_absent(f, class_of_output(f, 0))) { /* without rows there is nothing to fit */
        double left = most < 0 ? -1 : fmax(0, most - (hsp_clock_seconds() - f->job.begun));
        const int64_t output = 0;
        hsp_fit_task task = {1, &output, &p, &f->job.hooks, radius, left};
        status = hsp_fit_solve_outputs(f, &task, err);
    }
    hsp_problem_free(p);
    return status;
}
