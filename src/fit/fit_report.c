/* The JSON report of a fit, and the options in force. */
#include "fit/fit_report.h"

#include "base/json.h"
#include "fit/fit_certify.h"
#include "loss/loss.h"
#include "loss/loss_sums.h"
#include "option/options.h"
#include "problem/problem.h"
#include "solve/loop/run.h"
#include "solve/loop/solver.h"
#include "solve/loop/stop.h"

#include <math.h>
#include <string.h>

bool hsp_fit_converged(const hsp_fit *f) {
    for (int64_t k = 0; f->notes.solved && k < f->out.problems; k++)
        if (!f->out.results[k].outcome.converged) return false;
    return true;
}

/* An interrupt precedes the reasons of the other problems: it is why the fit as a whole is incomplete. */
hsp_stop hsp_fit_stop(const hsp_fit *f) {
    if (f->notes.interrupted) return HSP_STOP_CANCELLED;
    if (!f->notes.solved) return HSP_STOP_CLOSED_FORM;
    const hsp_outcome *shown = NULL;
    for (int64_t k = 0; k < f->out.problems; k++) {
        const hsp_outcome *o = &f->out.results[k].outcome;
        if (!o->converged && (!shown || (o->stop == HSP_STOP_CANCELLED && shown->stop != HSP_STOP_CANCELLED))) shown = o;
    }
    return shown ? shown->stop : f->out.results[0].outcome.stop;
}

int64_t hsp_fit_unfitted(const hsp_fit *f) {
    static const double NEAR = 10; /* times the tolerance */
    int64_t unfitted = 0;
    if (hsp_fit_stop(f) != HSP_STOP_CANCELLED) return -1;
    if (!f->notes.solved) return 1; /* without its calibration */
    for (int64_t k = 0; k < f->out.problems; k++) {
        const hsp_outcome *o = &f->out.results[k].outcome;
        unfitted += !o->converged && !(o->gap <= NEAR * f->form.rules.tol);
    }
    return unfitted > 0 || !f->notes.interrupted ? unfitted : 1;
}

hsp_certificate hsp_fit_certificate(const hsp_fit *f) {
    hsp_certificate c = {.objective = NAN, .dual_bound = NAN, .relative_gap = NAN, .tolerance = NAN};
    if (!f->notes.solved) return c;
    c.objective = c.dual_bound = 0;
    for (int64_t k = 0; k < f->out.problems; k++) {
        c.objective += f->out.results[k].outcome.end.objective;
        c.dual_bound += f->out.results[k].outcome.dual_bound;
    }
    c.relative_gap = hsp_relative_gap(c.objective, c.dual_bound);
    if (!isnan(c.relative_gap) || f->form.rules.tol_given || f->form.certified) c.tolerance = f->form.rules.tol;
    return c;
}

/* P / (C sum c) = lambda R + weighted mean loss. Hard margins have no loss, so no mean of it. */
static double mean_objective(const hsp_fit *f, double objective) {
    if (!f->form.loss || !f->form.penalty) return NAN;
    if (f->form.penalty->penalises) return objective * f->form.lambda;
    double sum = f->rows.c ? 0 : (double)f->job.design->n; /* one row after the other, as verify adds them */
    for (int64_t i = 0; f->rows.c && i < f->job.design->n; i++) sum += f->rows.c[i];
    return objective / sum;
}

/* ---- JSON ---- */

static void write_warnings(hsp_json *j, const hsp_text *warnings) {
    hsp_json_array(j, "warnings");
    const char *s = warnings->s;
    while (s && *s) {
        size_t n = strcspn(s, "\n");
        hsp_text line = {0};
        hsp_text_add_n(&line, s, (int64_t)n);
        if (line.failed) hsp_json_fail(j);
        hsp_json_string(j, NULL, line.s);
        hsp_text_free(&line);
        s += n + (s[n] == '\n');
    }
    hsp_json_array_end(j);
}

static void write_perceptron(hsp_json *j, const hsp_fit *f, const hsp_fit_result *r) {
    if (!f->notes.iterative || !hsp_fit_counts_mistakes(f)) {
        hsp_json_null(j, "perceptron");
        return;
    }
    hsp_json_object(j, "perceptron");
    hsp_json_int(j, "updates", r->outcome.updates);
    hsp_json_bool(j, "converged", r->outcome.converged);
    hsp_json_number(j, "margin", r->margin);
    hsp_json_number(j, "geometric_margin", r->geometric);
    hsp_json_number(j, "R", r->radius);
    hsp_json_number(j, "bound", r->bound);
    hsp_json_object_end(j);
}

/* Closed forms have no epochs. */
static void write_count(hsp_json *j, const hsp_fit *f, const char *name, int64_t count) {
    if (f->notes.iterative)
        hsp_json_int(j, name, count);
    else
        hsp_json_null(j, name);
}

/* The methods that ran, each with the epoch and gap at which it started. */
static void write_stages(hsp_json *j, const hsp_outcome *o) {
    hsp_json_array(j, "stages");
    for (const hsp_stage *s = o->stages; s < o->stages + o->stage_count; s++) {
        hsp_json_object(j, NULL);
        hsp_json_string(j, "method", s->method);
        hsp_json_int(j, "epoch", s->epochs);
        hsp_json_number(j, "relative_gap", s->gap);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

static void write_problems(hsp_json *j, const hsp_fit *f) {
    if (!f->notes.solved || f->out.problems == 1) {
        hsp_json_null(j, "problems");
        return;
    }
    hsp_json_array(j, "problems");
    for (int64_t k = 0; k < f->out.problems; k++) {
        const hsp_fit_result *r = &f->out.results[k];
        hsp_json_object(j, NULL);
        hsp_json_string(j, "class", r->label);
        hsp_json_number(j, "objective", r->outcome.end.objective);
        hsp_json_number(j, "dual_bound", r->outcome.dual_bound);
        hsp_json_number(j, "relative_gap", r->outcome.gap);
        hsp_json_bool(j, "converged", r->outcome.converged);
        hsp_json_string(j, "stop_reason", hsp_stop_name(r->outcome.stop));
        write_count(j, f, "epochs", r->outcome.epochs);
        write_count(j, f, "updates", r->outcome.updates);
        hsp_json_number(j, "error", r->outcome.end.error);
        write_stages(j, &r->outcome);
        write_perceptron(j, f, r);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

/* Whether the fit follows a schedule of step sizes. Other solvers, such as Newton's method, determine their own. */
static bool takes_steps(const hsp_fit *f) {
    const hsp_solver *s = f->form.solver;
    bool steps = s ? s->counts_mistakes || s->searches || s->samples : !isnan(f->form.rules.rate);
    return f->notes.iterative && hsp_classifier_takes(f->job.classifier, "learning-rate") && steps;
}

static const char *schedule_name(const hsp_fit *f) {
    static const char *const names[] = {"constant", "harmonic", "decay", "power", "pegasos", "line-search"};
    return takes_steps(f) ? names[f->form.rules.schedule] : NULL;
}

/* NaN for Pegasos, whose steps are 1/(lambda (k + 1)). */
static double learning_rate(const hsp_fit *f) {
    return takes_steps(f) && f->form.rules.schedule != HSP_SCHEDULE_PEGASOS ? f->form.rules.rate : NAN;
}

static const char *solver_name(const hsp_fit *f) {
    return f->notes.method ? f->notes.method : f->form.solver ? f->form.solver->name : NULL;
}

static void write_method(hsp_json *j, const hsp_fit *f) {
    bool descent = takes_steps(f) && !hsp_fit_counts_mistakes(f);
    hsp_json_string(j, "algorithm", f->job.classifier->name);
    hsp_json_string(j, "task", f->rows.target ? "regression" : "classification");
    hsp_json_string(j, "loss", f->form.loss ? f->form.loss->name : NULL);
    if (f->form.loss && f->form.loss->option) hsp_json_number(j, f->form.loss->option, f->form.loss->parameter);
    hsp_json_string(j, "penalty", f->form.penalty ? f->form.penalty->name : NULL);
    hsp_json_number(j, "C", f->form.C);
    hsp_json_number(j, "lambda", f->form.lambda);
    hsp_json_string(j, "multiclass", f->out.outputs > 1 ? f->form.multiclass : NULL);
    hsp_json_string(j, "solver", solver_name(f));
    bool named = f->form.solver ? !f->notes.method : f->notes.iterative;
    bool automatic = named && hsp_options_is(f->job.options, "solver", "auto");
    hsp_json_bool(j, "solver_chosen", automatic);
    hsp_json_string(j, "schedule", descent ? schedule_name(f) : NULL);
    hsp_json_number(j, "learning_rate", learning_rate(f));
    hsp_json_number(j, "decay", descent && hsp_schedule_decays(f->form.rules.schedule) ? f->form.rules.decay : NAN);
    hsp_json_string(j, "scale", f->job.prepare->scale);
}

static const char *positive_name(const hsp_fit *f) {
    int64_t positive = f->job.prepare->positive;
    return positive >= 0 ? f->job.prepare->classes.name[positive] : NULL;
}

static void write_classes(hsp_json *j, const hsp_fit *f, const double *class_weight) {
    if (f->rows.target) {
        hsp_json_null(j, "classes");
        hsp_json_null(j, "class_weight");
        return;
    }
    hsp_json_array(j, "classes");
    for (int64_t k = 0; k < f->job.prepare->classes.count; k++) hsp_json_string(j, NULL, f->job.prepare->classes.name[k]);
    hsp_json_array_end(j);
    if (class_weight)
        hsp_json_numbers(j, "class_weight", class_weight, f->job.prepare->classes.count);
    else
        hsp_json_null(j, "class_weight");
}

static void write_data(hsp_json *j, const hsp_fit *f, const double *class_weight) {
    hsp_json_int(j, "rows", f->job.data->x.n);
    hsp_json_int(j, "features", f->job.data->x.d);
    hsp_json_int(j, "nonzeros", f->job.data->x.nonzeros);
    write_classes(j, f, class_weight);
    hsp_json_string(j, "positive", positive_name(f));
    hsp_json_bool(j, "weighted", f->job.data->weight != NULL);
}

static void write_outcome(hsp_json *j, const hsp_fit *f) {
    hsp_certificate c = hsp_fit_certificate(f);
    bool aimed = f->notes.solved && (f->form.rules.tol_given || f->form.certified);
    bool missed = aimed && !(f->notes.settled ? hsp_fit_converged(f) : c.relative_gap <= f->form.rules.tol);
    double before = 0;
    for (int64_t k = 0; f->notes.solved && k < f->out.problems; k++) before += f->out.results[k].outcome.start.objective;
    hsp_json_number(j, "objective_start", f->notes.solved ? before : NAN);
    hsp_json_number(j, "objective", c.objective);
    hsp_json_number(j, "mean_objective", mean_objective(f, c.objective));
    hsp_json_number(j, "dual_bound", c.dual_bound);
    hsp_json_number(j, "relative_gap", c.relative_gap);
    hsp_json_number(j, "tolerance", c.tolerance);
    hsp_json_bool(j, "tolerance_missed", missed);
    hsp_json_bool(j, "converged", hsp_fit_converged(f));
    hsp_json_string(j, "stop_reason", hsp_stop_name(hsp_fit_stop(f)));
    if (f->notes.unfitted >= 0) hsp_json_int(j, "unfitted", f->notes.unfitted);
    int64_t epochs = 0, updates = 0, steps = 0;
    for (int64_t k = 0; f->notes.iterative && k < f->out.problems; k++) {
        epochs += f->out.results[k].outcome.epochs;
        updates += f->out.results[k].outcome.updates;
        steps += f->out.results[k].outcome.steps;
    }
    const char *names[] = {"epochs", "updates", "steps"};
    int64_t counts[] = {epochs, updates, steps};
    for (int i = 0; i < 3; i++) write_count(j, f, names[i], counts[i]);
}

static int64_t nonzero_weights(const hsp_model *m) {
    int64_t count = 0;
    for (int64_t j = 0; m->w && j < m->outputs * m->prepare.schema.d; j++) count += m->w[j] != 0;
    return count;
}

/* Writes the margin and the support vectors of one problem, except what the report has elsewhere. */
static void write_margin(hsp_json *j, const char *key, const hsp_report *problem, bool named) {
    static const char *const members[] = {"margin",    "margin_width", "least_margin", "support",
                                          "slack_sum", "slack_max",    "alpha_sum",    "slackness"};
    hsp_json_object(j, key);
    if (named) hsp_json_report(j, "class", hsp_report_member(problem, "class"));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        hsp_json_report(j, members[i], hsp_report_member(problem, members[i]));
    hsp_json_object_end(j);
}

static void write_margins(hsp_json *j, const hsp_fit *f, const hsp_model *m) {
    const hsp_report *problems = hsp_report_member(m->claims, "problems");
    if (f->out.outputs == 1) {
        write_margin(j, "svm", hsp_report_item(problems, NULL, 0), false);
    } else {
        hsp_json_array(j, "svm");
        HSP_REPORT_EACH(problem, problems) write_margin(j, NULL, problem, true);
        hsp_json_array_end(j);
    }
}

static void write_losses(hsp_json *j, const hsp_fit *f, const hsp_model *m, const hsp_training_figures *figures) {
    if (m && !f->rows.target && m->outputs == 1)
        hsp_loss_sums_report(&figures->losses, figures->mass, j);
    else
        hsp_json_null(j, "losses");
}

int hsp_fit_report(const hsp_fit *f, const hsp_model *m, const hsp_training_figures *figures, double seconds,
                   hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    write_method(&j, f);
    write_data(&j, f, m ? m->class_weight : f->rows.class_weight);
    write_outcome(&j, f);
    if (f->notes.iterative && f->out.problems == 1) write_stages(&j, &f->out.results[0].outcome);
    hsp_json_number(&j, "train_seconds", seconds);
    hsp_json_number(&j, "certify_seconds", isnan(seconds) ? NAN : f->notes.certify_seconds);
    hsp_json_number(&j, "train_accuracy", figures->accuracy);
    if (f->rows.target) {
        hsp_json_number(&j, "train_mse", figures->mse);
        hsp_json_number(&j, "train_rmse", figures->rmse);
        hsp_json_number(&j, "train_r2", figures->r2);
    }
    if (!isnan(seconds)) write_losses(&j, f, m, figures);
    if (m && m->w)
        hsp_json_int(&j, "nonzero_weights", nonzero_weights(m));
    else
        hsp_json_null(&j, "nonzero_weights");
    if (f->notes.details_name) hsp_json_report(&j, f->notes.details_name, f->notes.details);
    if (f->notes.calibration) hsp_json_report(&j, "calibration", f->notes.calibration);
    if (f->notes.decision_rule) hsp_json_report(&j, "decision_rule", f->notes.decision_rule);
    if (m && f->notes.margins)
        write_margins(&j, f, m);
    else if (f->notes.margins)
        hsp_json_null(&j, "svm");
    hsp_fit_write_separable(f, &j);
    if (f->out.outputs == 1)
        write_perceptron(&j, f, &f->out.results[0]);
    else
        hsp_json_null(&j, "perceptron");
    write_problems(&j, f);
    if (f->notes.warnings.failed) hsp_json_fail(&j);
    write_warnings(&j, &f->notes.warnings);
    char hex[17];
    if (m) hsp_hex(hsp_model_checksum(m), hex);
    hsp_json_string(&j, "checksum", m ? hex : NULL);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* A loss and its parameter that the user did not set and no figure depends on. Models of closed forms leave them out. */
static bool is_left_out(const hsp_fit *f, const hsp_option *o) {
    const hsp_loss *loss = f->form.loss;
    bool calibrates = !hsp_options_is(f->job.options, "calibrate", "none"),
         decides = !hsp_options_is(f->job.options, "decide", "auto");
    if (strcmp(o->name, "calibrate") == 0) return !calibrates;
    if (strcmp(o->name, "calibrate-folds") == 0) return !calibrates && !decides;
    if (strcmp(o->name, "decide") == 0) return !decides;
    if (strcmp(o->name, "loss") == 0) return !hsp_options_text(f->job.options, "loss");
    if (strcmp(o->name, "delta") == 0) return !loss || !loss->option;
    return false;
}

/* Writes one option as JSON: numbers as numbers, and `auto` as the value that was chosen. */
static void write_option(hsp_json *j, const hsp_fit *f, const hsp_option *o) {
    const struct {
        const char *name;
        double value;
    } decided[] = {{"C", f->form.C},
                   {"lambda", f->form.lambda},
                   {"delta", f->form.loss ? f->form.loss->parameter : NAN},
                   {"learning-rate", learning_rate(f)},
                   {"decay", takes_steps(f) ? f->form.rules.decay : NAN},
                   {"tol", f->form.rules.tol}};
    for (size_t i = 0; i < sizeof decided / sizeof *decided; i++)
        if (strcmp(o->name, decided[i].name) == 0) {
            hsp_json_number(j, o->name, decided[i].value);
            return;
        }
    if (strcmp(o->name, "schedule") == 0)
        hsp_json_string(j, o->name, schedule_name(f));
    else if (strcmp(o->name, "penalty") == 0 && f->form.penalty) /* --lambda 0 is none */
        hsp_json_string(j, o->name, f->form.penalty->name);
    else if (strcmp(o->name, "positive") == 0)
        hsp_json_string(j, o->name, positive_name(f));
    else if (strcmp(o->name, "solver") == 0)
        hsp_json_string(j, o->name, solver_name(f));
    else if (o->type == HSP_OPTION_INT || o->type == HSP_OPTION_REAL)
        hsp_json_number(j, o->name, hsp_options_real(f->job.options, o->name, NAN));
    else
        hsp_json_string(j, o->name, hsp_options_text(f->job.options, o->name));
}

int hsp_fit_options(const hsp_fit *f, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    for (int64_t i = 0; i < hsp_option_table_size; i++) {
        const hsp_option *option = &hsp_option_table[i];
        if (is_left_out(f, option)) continue;
        if (hsp_classifier_takes(f->job.classifier, option->name) || strcmp(option->name, "seed") == 0)
            write_option(&j, f, option);
    }
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}
