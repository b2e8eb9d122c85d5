/* halfspace train: fit a model, evaluate it on held-out rows on request, write it, and report. */
#include "arguments.h"
#include "auto_training.h"
#include "compare_report.h"
#include "fail.h"
#include "holdout.h"
#include "json_output.h"
#include "output.h"
#include "parts_training.h"
#include "reading.h"
#include "separable_report.h"
#include "train_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files that a run may write, in this order. */
enum { TRACE, STEPS, CERTIFICATE, MODEL, FILES };
static const char *const file_options[FILES] = {"--trace", "--steps", "--certificate", "-o"};

/* The state of the command. */
typedef struct training {
    const char *in, *path[FILES];
    hsp_cli_watch watch;
    hsp_cli_course course;
    hsp_cli_trace trace;
    hsp_cli_steps steps;
    hsp_cli_source source;
    bool arriving;       /* the rows come through a pipe and are seen once: there is no source.data */
    hsp_cli_parts parts; /* instead of source.data when the data are read by parts */
    hsp_data *fit, *held; /* parts of source.data when rows are held out */
    hsp_model *model;     /* NULL after the fit: no hard margin exists */
    hsp_report *report, *metrics, *comparison; /* comparison: of -a auto; else NULL */
    double write_seconds;
    char *partial[FILES]; /* owned: names that replace `path` after an interrupt; NULL: path is as given */
} training;

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Output files must be distinct and writable, and must not replace the data. */
static int check_files(hsp_cli_call *call, const training *t) {
    int code = 0;
    for (int i = 0; i < FILES && !code; i++) code = hsp_cli_output_claim(call, file_options[i], t->path[i]);
    for (int i = 0; i < FILES && !code; i++)
        for (int k = 0; k < call->operands && !code; k++) code = hsp_cli_output_check(t->path[i], call->operand[k]);
    for (int i = FILES - 1; i > 0 && !code; i--)
        for (int k = i - 1; k >= 0 && !code; k--) {
            if (!t->path[i] || !t->path[k]) continue;
            bool both = hsp_cli_is_stdout(t->path[i]) && hsp_cli_is_stdout(t->path[k]);
            if (both || hsp_cli_same_file(t->path[i], t->path[k]))
                code = hsp_cli_fail(HSP_EXIT_USAGE, "%s and %s both name %s: give two names", file_options[i],
                                    file_options[k], hsp_cli_output_name(t->path[i]));
        }
    return code;
}

static bool is_yes(const hsp_cli_call *call, const char *flag) {
    const char *value = hsp_options_get(call->options, flag);
    return value && strcmp(value, "yes") == 0;
}

/* Groups and times matter for folds alone: those of a comparison, a calibration, or a decision rule that is chosen. */
static int check_folds(const hsp_cli_call *call) {
    static const char *const of_folds[] = {"group", "time"};
    const char *calibrate = hsp_options_get(call->options, "calibrate"), *decide = hsp_options_get(call->options, "decide");
    bool folds = hsp_cli_auto_asked(call) || strcmp(calibrate, "none") != 0 || strchr(decide, ':') != NULL;
    for (int i = 0; i < 2 && !folds; i++)
        if (hsp_options_given(call->options, of_folds[i]))
            return hsp_cli_fail(HSP_EXIT_USAGE,
                                "--%s has no effect without folds, which -a auto, --calibrate and --decide best:METRIC have: "
                                "leave it out, or use `halfspace cv`",
                                of_folds[i]);
    return 0;
}

static int check_arguments(hsp_cli_call *call, training *t) {
    t->in = call->operand[0];
    t->path[MODEL] = hsp_cli_value(call, "output");
    t->path[TRACE] = hsp_cli_value(call, "trace");
    t->path[STEPS] = hsp_cli_value(call, "steps");
    t->path[CERTIFICATE] = hsp_cli_value(call, "certificate");
    int code = hsp_cli_holdout_check(call);
    if (!code) code = hsp_cli_auto_check(call);
    if (!code && t->path[CERTIFICATE] && is_yes(call, "no-certificate"))
        code = hsp_cli_fail(HSP_EXIT_USAGE, "--certificate and --no-certificate exclude each other: give one of them");
    if (!code && t->path[STEPS]) code = hsp_cli_steps_check(call);
    if (!code && hsp_cli_value(call, "resume") && !hsp_cli_value(call, "checkpoint"))
        code = hsp_cli_fail(HSP_EXIT_USAGE, "--resume needs the file of the run that was stopped: add --checkpoint FILE");
    if (!code) code = check_folds(call);
    return code ? code : check_files(call, t);
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

static int fit(const hsp_cli_call *call, training *t) {
    const hsp_data *data = t->fit ? t->fit : t->source.data;
    hsp_error *err = NULL;
    if (t->arriving) {
        int status = hsp_train_arriving(t->in, hsp_cli_value(call, "classes"), call->options, &t->watch.hooks, &t->model,
                                        &t->report, &t->source.tree, &err);
        return status ? hsp_cli_report_error(&err) : 0;
    }
    if (t->parts.plan) return hsp_cli_parts_train(call, &t->parts, &t->watch, &t->model, &t->report);
    if (hsp_cli_auto_asked(call))
        return hsp_cli_auto_train(call, data, &t->watch.hooks, &t->model, &t->report, &t->comparison);
    return hsp_train(data, call->options, &t->watch.hooks, &t->model, &t->report, &err) ? hsp_cli_report_error(&err) : 0;
}

/* On the held-out rows by the rule of the model: --decide has done its part. */
static int evaluate_held(const hsp_cli_call *call, training *t, hsp_error **err) {
    hsp_options *o = NULL;
    int status = hsp_options_new(&o, err);
    if (!status && hsp_options_given(call->options, "threads"))
        status = hsp_options_set(o, "threads", hsp_options_get(call->options, "threads"), err);
    if (!status) status = hsp_evaluate(t->model, t->held, o, NULL, &t->metrics, err);
    hsp_options_free(o);
    return status;
}

static int train_and_evaluate(const hsp_cli_call *call, training *t) {
    hsp_error *err = NULL;
    int status;
    t->watch.warned = 0;
    int code = fit(call, t);
    hsp_cli_watch_end(&t->watch);
    if (!code && t->path[STEPS]) code = hsp_cli_steps_complete(&t->steps);
    if (code || !t->held || !t->model) return code;
    do { /* ignore an interrupt here: the model exists and must be written with its metrics */
        hsp_error_free(err);
        err = NULL;
        status = evaluate_held(call, t, &err);
    } while (status == HSP_ECANCELLED);
    return status ? hsp_cli_report_error(&err) : 0;
}

/* Writes the dual vector to its own file and removes it from the model. */
static int write_certificate(training *t) {
    hsp_error *err = NULL;
    if (hsp_certificate_write(t->model, t->fit ? t->fit : t->source.data, t->path[CERTIFICATE], &err))
        return hsp_cli_report_error(&err);
    hsp_model_drop_dual(t->model);
    return 0;
}

static int write_steps(training *t) {
    const char *solver = hsp_report_text(t->report, "solver");
    t->steps.dual = solver && strcmp(solver, "dual") == 0;
    return hsp_cli_steps_write(&t->steps, t->path[STEPS], t->model);
}

static bool is_interrupted(const training *t) {
    const char *reason = hsp_report_text(t->report, "stop_reason");
    return reason && strcmp(reason, "cancelled") == 0;
}

/* An interrupted fit must not replace a good model: unless every class is nearly fitted, it goes to MODEL.partial, and its
 * dual vector to CERTIFICATE.partial. */
static int protect_model(hsp_cli_call *call, training *t) {
    const char *model = t->path[MODEL];
    if (!is_interrupted(t) || hsp_report_number(t->report, "unfitted") == 0) return 0;
    if (!model || !hsp_cli_is_file(model)) return 0;
    for (int i = CERTIFICATE; i <= MODEL; i++) {
        if (!t->path[i] || !hsp_cli_is_file(t->path[i])) continue;
        if (asprintf(&t->partial[i], "%s.partial", t->path[i]) < 0) {
            t->partial[i] = NULL;
            return hsp_cli_fail_memory();
        }
        t->path[i] = t->partial[i];
        int code = hsp_cli_output_claim(call, file_options[i], t->path[i]);
        if (!code) code = hsp_cli_output_check(t->path[i], NULL);
        if (code) return code;
    }
    return 0;
}

static int write_files(hsp_cli_call *call, training *t) {
    hsp_error *err = NULL;
    double began = hsp_cli_now();
    int code = 0;
    for (int i = 0; i < FILES && !code; i++) code = hsp_cli_output_begin(call, t->path[i]);
    if (!code && t->path[TRACE]) code = hsp_cli_trace_write(&t->trace, t->path[TRACE], t->report);
    if (!code && t->path[STEPS]) code = write_steps(t);
    if (!code && t->model && t->path[CERTIFICATE]) code = write_certificate(t);
    if (!code && t->model && t->path[MODEL] && hsp_model_save(t->model, t->path[MODEL], &err))
        code = hsp_cli_report_error(&err);
    if (!code) code = hsp_cli_outputs_write(call);
    t->write_seconds = hsp_cli_now() - began;
    return code;
}

/* ---- report ------------------------------------------------------------------------------------------------------ */

/* Times of the steps; null for a step that did not run. */
static void add_seconds(const training *t, hsp_json *j) {
    double certify = hsp_report_number(t->report, "certify_seconds");
    bool wrote = t->model && t->path[MODEL];
    hsp_json_object(j, "seconds");
    hsp_cli_source_seconds(&t->source, j);
    hsp_cli_json_seconds(j, "train", hsp_report_number(t->report, "train_seconds"));
    if (isfinite(certify)) hsp_cli_json_seconds(j, "certify", certify);
    hsp_cli_json_seconds(j, "write", wrote ? t->write_seconds : (double)NAN);
    hsp_json_object_end(j);
}

/* The metrics on the held-out rows, without members that describe the whole file. */
static void add_holdout(const training *t, hsp_json *j) {
    if (!t->metrics) {
        hsp_json_null(j, "holdout");
        return;
    }
    hsp_json_object(j, "holdout");
    HSP_REPORT_EACH(member, t->metrics) {
        const char *name = hsp_report_name(member);
        if (strcmp(name, "assumed") != 0 && strcmp(name, "seconds") != 0) hsp_json_report(j, name, member);
    }
    hsp_json_object_end(j);
}

/* Extends the report of the library: `seconds` replaces train_seconds, other members are appended. 0 or an exit code. */
static int make_report(const hsp_cli_call *call, const training *t, hsp_report **out) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    HSP_REPORT_EACH(member, t->report) {
        const char *name = hsp_report_name(member);
        if (strcmp(name, "train_seconds") == 0)
            add_seconds(t, &j);
        else if (strcmp(name, "certify_seconds") != 0)
            hsp_json_report(&j, name, member);
    }
    if (t->parts.plan)
        hsp_cli_parts_report(call, &t->parts, &j);
    else
        hsp_json_report(&j, "memory", hsp_report_member(t->source.tree, "memory"));
    add_holdout(t, &j);
    hsp_json_string(&j, "assumed", hsp_report_text(t->source.tree, "assumed"));
    hsp_json_string(&j, "model", t->model ? t->path[MODEL] : NULL);
    if (t->path[CERTIFICATE]) hsp_json_string(&j, "certificate", t->model ? t->path[CERTIFICATE] : NULL);
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, NULL) ? hsp_cli_fail_memory() : 0;
}

/* Prints the warnings of the fit, except those printed before it started. Without a model they explain why. */
static void print_notices(const hsp_cli_call *call, const training *t, const hsp_report *whole) {
    hsp_cli_print_warnings(call, whole, t->watch.warned, !t->model);
    if (t->path[TRACE] && t->model && hsp_cli_is(whole, "epochs", HSP_REPORT_NULL))
        hsp_cli_note(call, "%s is solved in closed form: the trace is empty", hsp_report_text(whole, "algorithm"));
}

static int print_human(const hsp_cli_call *call, const training *t, const hsp_report *whole) {
    int code = t->comparison ? hsp_cli_auto_print(call, t->source.tree, t->comparison) : 0;
    if (code) return code;
    char name[64];
    const char *path = t->comparison ? NULL : t->in; /* the comparison comes after the lines about the data */
    if (t->parts.plan) path = hsp_cli_parts_name(call, &t->parts, name);
    code = hsp_cli_print_training(call->human, path, t->source.tree, whole, &t->course, call->verbose, t->model);
    if (code || t->model) return code;
    return hsp_cli_print_separable(call->human, hsp_report_member(whole, "separable"), t->fit ? t->fit : t->source.data);
}

/* The exit code of a completed fit. */
static int outcome(const hsp_cli_call *call, const training *t, const hsp_report *whole) {
    if (is_interrupted(t)) {
        if (t->partial[MODEL]) /* even with --quiet: the user looks for the model elsewhere */
            hsp_cli_fail(0, "interrupted: the model is incomplete and was written to %s: the existing file was kept",
                         t->partial[MODEL]);
        else
            hsp_cli_note(call, "interrupted: kept the best model so far");
        return HSP_EXIT_INTERRUPTED;
    }
    return !t->model || hsp_report_flag(whole, "tolerance_missed") == 1 ? HSP_EXIT_NO : HSP_EXIT_OK;
}

static int print_result(const hsp_cli_call *call, const training *t) {
    hsp_report *whole = NULL;
    int code = make_report(call, t, &whole);
    if (code) return code;
    if (call->json) hsp_cli_print_json(whole);
    if (!call->quiet && (!call->json || call->verbose)) code = print_human(call, t, whole);
    if (!hsp_cli_flush()) { /* otherwise main prints the only line, the write error */
        print_notices(call, t, whole);
        if (t->comparison) hsp_cli_warn_comparison(call, t->comparison);
        if (!code) code = outcome(call, t, whole);
    }
    hsp_report_free(whole);
    return code;
}

/* Whether the rows come through a pipe and are wanted once: one epoch, and the last weights or their average. */
static bool is_one_pass(const hsp_cli_call *call) {
    static const char *const all_rows[] = {"holdout", "steps", "certificate", "checkpoint", "trace"};
    struct stat about;
    const char *epochs = hsp_options_get(call->options, "max-epochs"), *keep = hsp_options_get(call->options, "keep");
    const char *path = call->operand[0];
    bool pipe = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &about) == 0 : stat(path, &about) == 0;
    if (call->operands > 1 || !pipe || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return false;
    for (size_t i = 0; i < sizeof all_rows / sizeof *all_rows; i++)
        if (hsp_cli_value(call, all_rows[i])) return false;
    return epochs && keep && strcmp(epochs, "1") == 0 && (strcmp(keep, "last") == 0 || strcmp(keep, "average") == 0);
}

/* Reads the data, or opens their parts. */
static int read_data(hsp_cli_call *call, training *t) {
    t->arriving = is_one_pass(call);
    if (t->arriving) return 0;
    if (hsp_cli_value(call, "classes"))
        return hsp_cli_fail(HSP_EXIT_USAGE, "--classes has an effect where rows of a pipe are seen once: add --max-epochs 1 "
                                            "and --keep last or average, or leave it out");
    int code = hsp_cli_parts_asked(call) ? hsp_cli_parts_open(call, &t->watch, &t->parts) : 0;
    if (code) return code;
    if (!t->parts.plan) return hsp_cli_read(call, NULL, t->in, &t->watch, &t->source);
    t->source.seconds = t->parts.seconds;
    t->source.check = (double)NAN;
    hsp_json j = {0};
    hsp_json_report(&j, NULL, t->parts.plan);
    return hsp_json_take(&j, &t->source.tree, NULL) ? hsp_cli_fail_memory() : 0;
}

static int train_command(hsp_cli_call *call) {
    training t = {0};
    int code = check_arguments(call, &t);
    if (code) return code;
    if (t.path[TRACE]) code = hsp_cli_trace_begin(&t.trace);
    if (!code && t.path[STEPS]) code = hsp_cli_steps_begin(&t.steps);
    if (code) goto done;
    hsp_cli_watch_begin(&t.watch, call, t.path[TRACE] ? &t.trace : NULL);
    if (t.path[STEPS]) hsp_cli_watch_steps(&t.watch, &t.steps);
    t.watch.course = &t.course;
    code = read_data(call, &t);
    if (!code && !t.parts.plan && !t.arriving) code = hsp_cli_holdout_split(call, t.source.data, &t.fit, &t.held);
    if (!code) code = train_and_evaluate(call, &t);
    if (!code) code = protect_model(call, &t);
    if (!code) code = write_files(call, &t);
    if (!code && hsp_cli_value(call, "checkpoint") && !is_interrupted(&t)) remove(hsp_cli_value(call, "checkpoint"));
    if (!code) code = print_result(call, &t);
done:
    hsp_cli_trace_free(&t.trace);
    hsp_cli_steps_free(&t.steps);
    hsp_cli_source_free(&t.source);
    hsp_cli_parts_free(&t.parts);
    hsp_data_free(t.fit);
    hsp_data_free(t.held);
    hsp_model_free(t.model);
    hsp_report_free(t.report);
    hsp_report_free(t.metrics);
    hsp_report_free(t.comparison);
    for (int i = 0; i < FILES; i++) free(t.partial[i]);
    return code;
}

const hsp_cli_command hsp_cli_train = {
    .name = "train",
    .help = "train a linear model, or a small network (mlp), for classification or regression",
    .operands = "DATA [FILE]...",
    .synopsis = "DATA... [-a ALGORITHM] [-o MODEL] [options]",
    .detail = "Without -o no model is written. An interrupt (Ctrl-C, SIGTERM) stops the training and writes the best "
              "model so far. If MODEL exists, it is replaced only if the relative gap of every class is at most ten "
              "times the tolerance; otherwise the new model goes to MODEL.partial. The model file holds what `halfspace "
              "verify` needs; with --certificate the dual vector is written to a separate file instead. With two "
              "classes, --verbose also prints the mean and the sum over the training rows of the losses zero-one, "
              "perceptron, hinge, squared-hinge, logistic and squared. --calibrate and a --decide that is chosen train "
              "--calibrate-folds more models, each within the limits on time and epochs, on a part of the rows; --group and "
              "--time are those of their folds. -a auto compares all algorithms by cross-validation, as `halfspace compare` "
              "does, and trains the best; of those that cannot be told apart from it, one with a certified optimum or in "
              "closed form is preferred to an update rule, and both to a network. Several files, a pattern in quotes, or "
              "a file larger than --max-memory are trained block by block: see docs/out-of-core.md.",
    .takes = "train run read table folds compare --repeats --stratify !strict !numeric-levels",
    .own = {{"output", "o", 1, "MODEL", "output file for the model"},
            {"holdout", NULL, 1, "X",
             "rows to hold out of training and evaluate the model on: a share below 1, or a number of rows"},
            {"trace", NULL, 1, "FILE.csv",
             "output file for the objective, loss, error, step size and more after every epoch (iterative algorithms; "
             "for closed forms only the header is written)"},
            {"steps", NULL, 1, "FILE.csv",
             "output file for every single update: its row, score, margin, loss and step size, and the weights after it "
             "(perceptron, gradient-descent, sgd, minibatch, mlp; svm and logistic with --solver dual)"},
            {"certificate", NULL, 1, "FILE.csv",
             "output file for the dual vector, with the margin and (svm) the slack and kind of each row; only for "
             "algorithms with a dual vector, which is then not stored in the model"},
            {"checkpoint", NULL, 1, "FILE",
             "file that records the training, so that it can be resumed after it was stopped at any moment; the data are "
             "read by parts; removed at the end"},
            {"classes", NULL, 1, "A,B,...",
             "all labels, where rows of a pipe are seen once (--max-epochs 1 with --keep last or average); by default those of "
             "the first 16384 rows"},
            {"resume", NULL, 0, NULL, "continue the training that wrote the file of --checkpoint, with the same bits"}},
    .example = {"halfspace train squares.csv -o squares.hsm", "halfspace train squares.csv -a perceptron --trace trace.csv",
                "halfspace train squares.csv -a perceptron --steps -",
                "halfspace train squares.csv -a lda --holdout 0.3 --stratify",
                "halfspace train words.svm.gz --penalty l1 -C 0.1 --class-weight balanced --json",
                "halfspace train patients.csv -a svm --calibrate platt --decide recall:0.95 --group clinic",
                "halfspace train prices.csv --task regression -a ridge --lambda auto",
                "halfspace train 'part-*.svm' -a logistic --max-memory 1G -o big.hsm",
                "halfspace train wdbc.csv -a auto --metric log-loss -o best.hsm"},
    .run = train_command,
};
