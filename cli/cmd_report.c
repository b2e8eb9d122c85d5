/* halfspace report: one HTML page about a data set and the models that predict it. */
#include "arguments.h"
#include "fail.h"
#include "holdout.h"
#include "interrupt.h"
#include "json_output.h"
#include "output.h"
#include "plot_library.h"
#include "reading.h"
#include "short_number.h"

#include <string.h>

typedef struct report_job {
    hsp_cli_call *call;
    hsp_cli_plot_library library;
    const char *in, *out, *model;
    hsp_cli_source source;
    hsp_cli_watch watch;
    hsp_hooks hooks;    /* those of `watch`, and a request to stop */
    hsp_report *report; /* from the library */
    double seconds;
} report_job;

/* The share that the program calls --holdout is the library's `test`. */
static int pass_holdout(const hsp_cli_call *call) {
    const char *holdout = hsp_cli_value(call, "holdout");
    hsp_error *err = NULL;
    int code = hsp_cli_holdout_check(call);
    if (code || !holdout) return code;
    return hsp_options_set(call->options, "test", holdout, &err) ? hsp_cli_report_error(&err) : 0;
}

static int check_files(const report_job *j) {
    if (!j->out) return hsp_cli_fail(HSP_EXIT_USAGE, "no output file: add -o FILE.html");
    if (j->model && hsp_cli_is_stdout(j->model))
        return hsp_cli_fail(HSP_EXIT_USAGE, "--model cannot go to stdout: give the name of a file");
    if (j->model && hsp_cli_same_file(j->model, j->out))
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o and --model both name %s: give two names", j->out);
    int code = hsp_cli_output_claim(j->call, "-o", j->out);
    if (!code && j->model) code = hsp_cli_output_claim(j->call, "--model", j->model);
    if (!code) code = hsp_cli_output_check(j->out, j->in);
    return code ? code : hsp_cli_output_check(j->model, j->in);
}

/* ---- output ---- */

static void print_json(const report_job *j) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_members(&o.j, j->report);
    hsp_json_string(&o.j, "assumed", hsp_report_text(j->source.tree, "assumed"));
    hsp_cli_source_report(&j->source, &o.j, "report", j->seconds);
    hsp_json_string(&o.j, "output", j->out);
    hsp_cli_object_print(&o);
}

/* "accuracy 0.871 on 300 held-out rows", or "RMSE 1.2 ...". */
static void print_quality(FILE *f, const hsp_report *report) {
    const hsp_report *holdout = hsp_report_member(report, "holdout");
    const char *task = hsp_report_text(report, "task");
    bool numbers = task && strcmp(task, "regression") == 0;
    char value[HSP_CLI_NUMBER], rows[HSP_CLI_NUMBER];
    double v = hsp_report_number(holdout, numbers ? "rmse" : "accuracy"), n = hsp_report_number(holdout, "rows");
    fprintf(f, "%s: %s %s on %s held-out row%s\n", hsp_report_text(report, "algorithm"), numbers ? "RMSE" : "accuracy",
            hsp_cli_short(v, 4, HSP_CLI_NEAREST, value), hsp_cli_short(n, 15, HSP_CLI_NEAREST, rows), n == 1 ? "" : "s");
}

static void print_lines(const report_job *j) {
    static const char *const severities[][2] = {{"errors", "error"}, {"warnings", "warning"}, {"notes", "note"}};
    const hsp_report *findings = hsp_report_member(j->report, "findings");
    FILE *f = j->call->human;
    char figures[HSP_CLI_NUMBER], n[HSP_CLI_NUMBER];
    bool any = false;
    hsp_cli_put_clean(f, hsp_cli_output_name(j->out));
    fputs(": report on ", f);
    hsp_cli_put_clean(f, hsp_cli_input_name(j->in));
    fprintf(f, ", %s figures", hsp_cli_short(hsp_report_number(j->report, "figures"), 15, HSP_CLI_NEAREST, figures));
    for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
        double count = hsp_report_number(findings, severities[i][0]);
        if (!(count > 0)) continue;
        fprintf(f, "%s%s %s%s", any ? ", " : "; findings: ", hsp_cli_short(count, 15, HSP_CLI_NEAREST, n), severities[i][1],
                count == 1 ? "" : "s");
        any = true;
    }
    putc('\n', f);
    print_quality(f, j->report);
    if (j->model) {
        fputs("model ", f);
        hsp_cli_put_clean(f, j->model);
        fputs(", fitted to all rows\n", f);
    }
    hsp_cli_print_assumed(f, j->source.tree);
}

/* ---- the command ---- */

/* A report makes many calls. One that is nearly done when the signal comes ends as usual: the next must not begin. */
static int stop_or_show(void *user, const hsp_progress *p) {
    report_job *j = user;
    if (hsp_cli_interrupted()) return 1;
    return j->watch.hooks.progress(j->watch.hooks.user, p);
}

static void pass_log(void *user, int level, const char *line) {
    report_job *j = user;
    if (j->watch.hooks.log) j->watch.hooks.log(j->watch.hooks.user, level, line);
}

static int write_report(report_job *j) {
    hsp_error *err = NULL;
    if (!j->call->verbose) j->watch.hooks.log = NULL; /* warnings are on the page, each once */
    int code = hsp_cli_read(j->call, NULL, j->in, &j->watch, &j->source);
    if (!code) code = hsp_cli_output_begin(j->call, j->model);
    if (!code) code = hsp_cli_output_begin(j->call, j->out);
    if (code) return code;
    j->hooks = (hsp_hooks){.size = sizeof j->hooks, .user = j, .progress = stop_or_show, .log = pass_log};
    double began = hsp_cli_now();
    int status = j->library.page(j->source.data, j->call->options, &j->hooks, j->out, &j->report, &err);
    j->seconds = hsp_cli_now() - began;
    hsp_cli_watch_end(&j->watch);
    if (status) return hsp_cli_report_error(&err);
    if (j->call->json) print_json(j);
    if (!j->call->quiet && (!j->call->json || j->call->verbose)) print_lines(j);
    return 0;
}

static int report_command(hsp_cli_call *call) {
    report_job j = {.call = call,
                    .in = call->operand[0],
                    .out = hsp_cli_value(call, "output"),
                    .model = hsp_options_get(call->options, "model")};
    int code = pass_holdout(call);
    if (!code) code = check_files(&j);
    if (!code) code = hsp_cli_plot_library_open(j.out, &j.library);
    if (!code) {
        hsp_cli_watch_begin(&j.watch, call, NULL);
        code = write_report(&j);
    }
    hsp_cli_source_free(&j.source);
    hsp_report_free(j.report);
    return code;
}

const hsp_cli_command hsp_cli_report = {
    .name = "report",
    .help = "write an HTML page: data, problems, the best model and its certificate, metrics and charts",
    .operands = "DATA",
    .synopsis = "DATA -o FILE.html [options]",
    .detail =
        "The page is one file that needs no network, no script and no other file, for screens and for paper. The rows are "
        "split once, in equal proportions of the classes: algorithms are compared and the model is trained on one part, "
        "and all metrics and charts are of the rows held out. With -a the comparison is left out. --model also writes a "
        "model fitted to all rows. --max-seconds bounds the whole report. With SOURCE_DATE_EPOCH in the environment the "
        "page has that date and no times, so that the same input gives the same bytes.",
    .takes = "page --title folds compare --repeats read table train run !strict !numeric-levels !no-certificate !loo",
    .own = {{"output", "o", 1, "FILE.html", "output file: .html (- for stdout)"},
            {"holdout", NULL, 1, "X",
             "rows to hold out for metrics and charts: a share below 1, or a number of rows (default: 0.3)"}},
    .example = {"halfspace report squares.csv -o squares.html",
                "halfspace report titanic.csv --target Survived --missing indicator -o titanic.html --model titanic.hsm",
                "halfspace report prices.csv --task regression -a ridge --holdout 0.2 -o prices.html"},
    .run = report_command,
};
