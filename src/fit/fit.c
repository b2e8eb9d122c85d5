/* From options to rules, and from rules to one solved problem for each output. */
#include "fit/fit.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "fit/class_weight.h"
#include "fit/fit_classes.h"
#include "fit/fit_report.h"
#include "fit/fit_solve.h"
#include "option/options.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

/* Position of a choice option's value among its choices: the enums of solver.h are in the order of the option table. */
static int choice(const hsp_options *o, const char *name) {
    const char *value = hsp_options_text(o, name), *list = hsp_option_find(name)->choices;
    if (!value) return 0;
    size_t n = strlen(value);
    for (int i = 0; list; i++) {
        size_t length = strcspn(list, "|");
        if (length == n && strncmp(list, value, n) == 0) return i;
        list = list[length] ? list + length + 1 : NULL;
    }
    return 0;
}

void hsp_fit_rules(hsp_fit *f) {
    const hsp_options *o = f->job.options;
    f->form.rules = (hsp_rules){.schedule = (hsp_schedule)choice(o, "schedule"),
                           .rate = hsp_options_real(o, "learning-rate", NAN),
                           .decay = hsp_options_real(o, "decay", NAN),
                           .batch = hsp_options_int(o, "batch", 1),
                           .order = (hsp_ordering)choice(o, "order"),
                           .start = (hsp_start)choice(o, "init"),
                           .update_on = (hsp_update_on)choice(o, "update-on"),
                           .keep = (hsp_keep)choice(o, "keep"),
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

void hsp_fit_say(const hsp_fit *f, const char *format, ...) {
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
                             .intercept = (hsp_intercept)choice(f->job.options, "intercept"),
                             .kink = (hsp_kink)choice(f->job.options, "kink"),
                             .C = hsp_options_real(f->job.options, "C", NAN),
                             .lambda = hsp_options_real(f->job.options, "lambda", NAN),
                             .l1_ratio = hsp_options_real(f->job.options, "l1-ratio", 0.5),
                             .c = f->rows.c,
                             .outputs = outputs,
                             .regression = f->rows.target != NULL};
    int status = hsp_problem_new(design, &spec, p, err);
    if (status) return status;
    if ((*p)->penalty->penalises && !(isfinite((*p)->lambda) && (*p)->lambda > 0 && isfinite((*p)->C) && (*p)->C > 0))
        return hsp_fail(err, HSP_EUSAGE, "C or lambda is out of range for %lld rows: choose one nearer to 1",
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

/* The largest weight of a row over the smallest above 0. */
static double weight_ratio(const hsp_fit *f) {
    double least = INFINITY, most = 0;
    for (int64_t i = 0; f->rows.c && i < f->job.design->n; i++) {
        if (f->rows.c[i] > most) most = f->rows.c[i];
        if (f->rows.c[i] > 0 && f->rows.c[i] < least) least = f->rows.c[i];
    }
    return f->rows.c ? most / least : 1;
}

/* The perceptron's figures at the point that was kept. Novikoff: from a start at zero, at most (R / gamma)^2 updates; steps
 * of unequal weight c stretch his inequalities to (R / gamma)^2 (max c / min c)^2. */
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
    r->radius = radius;
    bool bounded = r->margin > 0 && f->form.rules.start == HSP_START_ZERO && r->outcome.converged;
    double root = weight_ratio(f) * r->radius / r->margin;
    r->bound = bounded ? root * root : NAN;
}

/* R: the longest row, with the constant 1 of the offset. */
static double longest_row(const hsp_fit *f, const hsp_problem *p) {
    double mean, largest;
    hsp_design_norms(f->job.design, f->rows.c, &mean, &largest);
    return sqrt(largest + (p->intercept != HSP_INTERCEPT_NONE ? 1 : 0));
}

hsp_fit_result hsp_fit_not_run(const hsp_fit *f, int64_t k) {
    hsp_evaluation unknown = {NAN, NAN, NAN, NAN};
    return (hsp_fit_result){
        .label = f->rows.y ? f->job.prepare->classes.name[class_of_output(f, k)] : NULL,
        .outcome = {.stop = "cancelled", .start = unknown, .end = unknown, .dual_bound = NAN, .gap = NAN},
        .margin = NAN,
        .radius = NAN,
        .bound = NAN};
}

/* A run that went on where lanes left off: its counts and stages follow theirs. */
static void follow(hsp_outcome *o, const hsp_outcome *before) {
    o->epochs += before->epochs;
    o->updates += before->updates;
    o->steps += before->steps;
    o->seconds += before->seconds;
    o->start = before->start;
    int more =
        o->stage_count + before->stage_count <= HSP_MOST_STAGES ? o->stage_count : HSP_MOST_STAGES - before->stage_count;
    hsp_stage own[HSP_MOST_STAGES];
    memcpy(own, o->stages, sizeof own);
    memcpy(o->stages, before->stages, sizeof own);
    for (int t = 0; t < more; t++) {
        o->stages[before->stage_count + t] = own[t];
        o->stages[before->stage_count + t].epochs += before->epochs;
        o->stages[before->stage_count + t].seconds += before->seconds;
    }
    if (more > 0) o->stages[before->stage_count].gap = before->gap;
    o->stage_count = before->stage_count + more;
}

/* From the point that lanes have reached, where dual coordinate descent does not get on: by the solver that is to take
 * over. Their bound stays where the run finds none that is better. */
static int run_on(hsp_fit *f, hsp_problem *p, hsp_rules *rules, hsp_run_place place, const hsp_hooks *hooks,
                  hsp_point *point, hsp_outcome *o, hsp_error **err) {
    size_t bytes = (size_t)p->design->n * sizeof *point->alpha;
    hsp_outcome before = *o;
    double *alpha = hsp_alloc(p->design->n, sizeof *alpha);
    if (!alpha) return hsp_fail_memory(err);
    memcpy(alpha, point->alpha, bytes);
    if (rules->max_epochs >= 0) rules->max_epochs -= before.epochs;
    const hsp_solver *spare = before.stop ? f->form.rules.spare[0] : NULL; /* lanes came to the end of their epochs */
    const hsp_solver *solver = f->form.rules.next ? f->form.rules.next : spare ? spare : f->form.solver;
    int status = hsp_run(solver, p, rules, place, hooks, point, o, err);
    if (!status) {
        follow(o, &before);
        if (before.dual_bound <= o->end.objective && !(o->dual_bound >= before.dual_bound)) {
            memcpy(point->alpha, alpha, bytes);
            o->dual_bound = before.dual_bound;
            o->gap = hsp_relative_gap(o->end.objective, o->dual_bound);
        }
    }
    hsp_free(alpha);
    return status;
}

int hsp_fit_solve_output(hsp_fit *f, hsp_problem *p, const hsp_fit_task *t, hsp_error **err) {
    int64_t d = f->job.design->d, k = t->output;
    hsp_fit_result *r = &f->out.results[k];
    hsp_point own = {.outputs = 1, .d = d, .w = f->out.w + k * d, .b = f->out.b + k}, *point = t->begun ? t->begun : &own;
    hsp_rules rules = f->form.rules;
    rules.seed += (uint64_t)k << 32; /* each problem its own draws */
    rules.max_seconds = t->seconds;
    hsp_run_place place = {.problem = k, .problems = f->out.outputs, .label = r->label};
    int status = HSP_OK;
    hsp_fit_targets(f, k, p->y);
    if (t->begun) {
        status = run_on(f, p, &rules, place, t->hooks, point, &r->outcome, err);
    } else {
        hsp_run_start(p, &f->form.rules, k, point);
        hsp_fit_path_begin(f, p, k, point);
        status = hsp_fit_dual_begin(f, p, point, err);
        if (!status) status = hsp_run(f->form.solver, p, &rules, place, t->hooks, point, &r->outcome, err);
        if (!status) status = hsp_fit_path_settle(f, p, point, &r->outcome, err);
    }
    if (!status && f->form.refine) status = f->form.refine(f, p, point, &r->outcome, err);
    if (!status) status = hsp_fit_dual_keep(f, p, point, k, err);
    hsp_free(own.alpha);
    if (status) return status;
    if (f->form.solver->counts_mistakes) {
        r->outcome.converged = r->outcome.converged && r->outcome.end.error == 0;
        novikoff(f, p, t->radius, point, r);
    }
    return HSP_OK;
}

int hsp_fit_solve(hsp_fit *f, hsp_error **err) {
    hsp_problem *p = NULL;
    int status = hsp_fit_pose(f, 1, &p, err);
    f->notes.solved = f->notes.iterative = true;
    if (f->out.outputs > 1) f->form.multiclass = "ovr";
    for (int64_t k = 0; k < f->out.outputs; k++) f->out.results[k] = hsp_fit_not_run(f, k);
    double radius = !status && f->form.solver->counts_mistakes ? longest_row(f, p) : NAN, most = f->form.rules.max_seconds;
    if (!status && f->out.outputs > 1) {
        status = hsp_fit_solve_classes(f, p, radius, err);
    } else if (!status && !hsp_fit_absent(f, class_of_output(f, 0))) { /* else there is nothing to learn */
        double left = most < 0 ? -1 : fmax(0, most - (hsp_clock_seconds() - f->job.begun));
        hsp_fit_task task = {.output = 0, .radius = radius, .seconds = left, .hooks = f->job.hooks};
        status = hsp_fit_solve_output(f, p, &task, err);
    }
    hsp_problem_free(p);
    return status;
}
