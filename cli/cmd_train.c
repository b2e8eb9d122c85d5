/* halfspace train: fit, judge on held-out rows when asked, write, report. */
#include "arguments.h"
#include "fail.h"
#include "output.h"
#include "reading.h"
#include "train_report.h"

#include <math.h>
#include <string.h>

/* What a run of the command holds until its end. */
typedef struct training {
    const char *in, *out, *trace_path, *holdout;
    hsp_cli_watch watch;
    hsp_cli_trace trace;
    hsp_cli_source source;
    hsp_data *fit, *held; /* the parts of source.data, when some rows are held out */
    hsp_model *model;
    json_t *report, *metrics;
    double write_seconds;
    hsp_cli_undo trace_undo, model_undo;
} training;

/* ---- before the work ---------------------------------------------------------------------------------------------- */

static int check_holdout(const char *text) {
    double v = (double)NAN;
    if (!text) return 0;
    bool number = hsp_parse_number(text, strlen(text), &v) == 0;
    if (!number || !(v > 0) || v > 9e15 || (v >= 1 && v != (double)(int64_t)v))
        return hsp_cli_fail(HSP_EXIT_USAGE, "--holdout: '%s' is neither a share below 1 nor a number of rows", text);
    return 0;
}

static int check(hsp_cli_call *call, training *t) {
    t->in = call->operand[0];
    t->out = hsp_cli_value(call, "output");
    t->trace_path = hsp_cli_value(call, "trace");
    t->holdout = hsp_cli_value(call, "holdout");
    int code = check_holdout(t->holdout);
    const char *stratify = hsp_options_get(call->options, "stratify");
    if (!code && !t->holdout && stratify && strcmp(stratify, "yes") == 0)
        code = hsp_cli_fail(HSP_EXIT_USAGE, "--stratify is about the rows held out: give --holdout X too");
    if (!code) code = hsp_cli_output_claim(call, t->out);
    if (!code) code = hsp_cli_output_claim(call, t->trace_path);
    if (!code) code = hsp_cli_output_check(t->out, t->in);
    if (!code) code = hsp_cli_output_check(t->trace_path, t->in);
    if (code || !t->out || !t->trace_path) return code;
    bool both = hsp_cli_is_stdout(t->out) && hsp_cli_is_stdout(t->trace_path);
    if (both || hsp_cli_same_file(t->out, t->trace_path))
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o and --trace would both go to %s: give two names",
                            hsp_cli_output_name(t->out));
    return 0;
}

/* ---- the work ----------------------------------------------------------------------------------------------------- */

/* The library speaks of --test; the user wrote --holdout. */
static int report_holdout(hsp_error **err) {
    const char *message = hsp_error_message(*err), *at = message ? strstr(message, "--test") : NULL;
    if (!at || hsp_error_code(*err) != HSP_EUSAGE) return hsp_cli_report_error(err);
    int code = hsp_cli_fail(HSP_EXIT_USAGE, "%.*s--holdout%s", (int)(at - message), message, at + strlen("--test"));
    hsp_error_free(*err);
    *err = NULL;
    return code;
}

/* Options of their own for the split: what is held out is no option of the model. */
static int hold_out(const hsp_cli_call *call, training *t) {
    static const char *const kept[] = {"stratify", "seed", "threads", NULL};
    hsp_error *err = NULL;
    hsp_options *o = NULL;
    int status = hsp_options_new(&o, &err);
    for (int i = 0; !status && kept[i]; i++) {
        const char *value = hsp_options_get(call->options, kept[i]);
        if (value) status = hsp_options_set(o, kept[i], value, &err);
    }
    if (!status) status = hsp_options_set(o, "test", t->holdout, &err);
    if (!status) status = hsp_data_split(t->source.data, o, &t->fit, &t->held, &err);
    hsp_options_free(o);
    return status ? report_holdout(&err) : 0;
}

static int fit(const hsp_cli_call *call, training *t) {
    hsp_error *err = NULL;
    char *text = NULL;
    int status = hsp_train(t->fit ? t->fit : t->source.data, call->options, &t->watch.hooks, &t->model, &text, &err);
    hsp_cli_watch_end(&t->watch);
    if (status) return hsp_cli_report_error(&err);
    t->report = hsp_cli_json_take(text);
    if (!t->report) return HSP_EXIT_SYSTEM;
    if (!t->held) return 0;
    if (hsp_evaluate(t->model, t->held, call->options, &text, &err)) return hsp_cli_report_error(&err);
    t->metrics = hsp_cli_json_take(text);
    if (!t->metrics) return HSP_EXIT_SYSTEM;
    json_object_del(t->metrics, "assumed"); /* these belong to the file as a whole */
    json_object_del(t->metrics, "seconds");
    return 0;
}

/* Trace, then model; a trace that is new goes away again when the model cannot be written. */
static int write_files(training *t) {
    hsp_error *err = NULL;
    double began = hsp_cli_now();
    t->trace_undo = hsp_cli_undo_note(t->trace_path);
    t->model_undo = hsp_cli_undo_note(t->out);
    int code = t->trace_path ? hsp_cli_trace_write(&t->trace, t->trace_path) : 0;
    if (code) return code;
    if (t->out && hsp_model_save(t->model, t->out, &err)) {
        hsp_cli_undo_remove(&t->trace_undo);
        return hsp_cli_report_error(&err);
    }
    t->write_seconds = hsp_cli_now() - began;
    return 0;
}

/* ---- after the work ----------------------------------------------------------------------------------------------- */

/* The library's report with what only the program knows: seconds where the library has train_seconds, the rest last. */
static json_t *whole_report(const training *t) {
    json_t *whole = json_object(), *seconds = json_object();
    double train = hsp_cli_json_number(t->report, "train_seconds");
    json_object_set_new(seconds, "read", hsp_cli_json_seconds(t->source.seconds));
    json_object_set_new(seconds, "train", isfinite(train) ? hsp_cli_json_seconds(train) : json_null());
    json_object_set_new(seconds, "write", t->out ? hsp_cli_json_seconds(t->write_seconds) : json_null());
    for (void *it = json_object_iter(t->report); it; it = json_object_iter_next(t->report, it)) {
        const char *key = json_object_iter_key(it);
        if (strcmp(key, "train_seconds") == 0)
            json_object_set(whole, "seconds", seconds);
        else
            json_object_set(whole, key, json_object_iter_value(it));
    }
    if (!json_object_get(whole, "seconds")) json_object_set(whole, "seconds", seconds);
    json_object_set_new(whole, "holdout", t->metrics ? json_incref(t->metrics) : json_null());
    json_object_set_new(whole, "assumed", hsp_cli_json_text(hsp_cli_json_string(t->source.tree, "assumed")));
    json_object_set_new(whole, "model", hsp_cli_json_text(t->out));
    json_decref(seconds);
    return whole;
}

static int say(const hsp_cli_call *call, const training *t) {
    int code = HSP_EXIT_OK;
    json_t *whole = whole_report(t);
    if (call->json) hsp_cli_json_say(whole);
    if (!call->quiet && (!call->json || call->verbose))
        code = hsp_cli_print_training(call->human, t->in, t->source.tree, whole, t->model);
    if (hsp_cli_flush()) { /* main says so: the one line there is then */
        json_decref(whole);
        return HSP_EXIT_OK;
    }
    const json_t *warnings = json_object_get(whole, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text) hsp_cli_warn(call, "%s", text);
    }
    if (t->trace_path && json_is_null(json_object_get(whole, "epochs")))
        hsp_cli_note(call, "%s is solved in closed form: the trace has no epochs", hsp_cli_json_string(whole, "algorithm"));
    const char *reason = hsp_cli_json_string(whole, "stop_reason");
    bool cancelled = reason && strcmp(reason, "cancelled") == 0;
    bool missed = json_is_true(json_object_get(whole, "tolerance_missed"));
    json_decref(whole);
    if (code) return code;
    if (cancelled) {
        hsp_cli_note(call, "interrupted: the best so far was kept");
        return HSP_EXIT_INTERRUPTED;
    }
    return missed ? HSP_EXIT_NO : HSP_EXIT_OK;
}

static int run(hsp_cli_call *call) {
    training t = {0};
    int code = check(call, &t);
    if (code) return code;
    if (t.trace_path) code = hsp_cli_trace_begin(&t.trace);
    if (code) goto done;
    hsp_cli_watch_begin(&t.watch, call, t.trace_path ? &t.trace : NULL);
    code = hsp_cli_read(call, NULL, t.in, &t.watch, &t.source);
    if (!code && t.holdout) code = hold_out(call, &t);
    if (!code) code = fit(call, &t);
    if (!code) code = write_files(&t);
    if (!code) code = say(call, &t);
    if (hsp_cli_flush()) { /* main says so, with exit code 3: then nothing stays */
        hsp_cli_undo_remove(&t.trace_undo);
        hsp_cli_undo_remove(&t.model_undo);
    }
done:
    hsp_cli_trace_free(&t.trace);
    hsp_cli_source_free(&t.source);
    hsp_data_free(t.fit);
    hsp_data_free(t.held);
    hsp_model_free(t.model);
    json_decref(t.report);
    json_decref(t.metrics);
    return code;
}

const hsp_cli_command hsp_cli_train = {
    .name = "train",
    .help = "fit a classifier and report what was found",
    .operands = "DATA",
    .synopsis = "DATA [-a ALGORITHM] [-o MODEL] [options]",
    .detail = "Without -o no model is written. Ctrl-C stops the training and keeps the best model so far.",
    .takes = "train run read --stratify",
    .own = {{"output", "o", 1, "MODEL", "where to write the model"},
            {"holdout", NULL, 1, "X",
             "keep these rows out of training and judge the model on them: a share below 1, or a number "
             "of rows"},
            {"trace", NULL, 1, "FILE.csv", "write objective, loss, error and more for every epoch"}},
    .example = {"halfspace train squares.csv -o squares.hsm", "halfspace train squares.csv -a perceptron --trace trace.csv",
                "halfspace train squares.csv -a lda --holdout 0.3 --stratify",
                "halfspace train words.svm.gz --penalty l1 -C 0.1 --class-weight balanced --json",
                "halfspace train prices.csv --task regression -a ridge --lambda auto"},
    .run = run,
};
