/* halfspace cv: cross-validation, the choice of options by it, and the model that was chosen. */
#include "arguments.h"
#include "cv_report.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"
#include "short_number.h"

#include <string.h>

/* The files that a run may write, in this order. */
enum { PREDICTIONS, MODEL, FILES };
static const char *const file_options[FILES] = {"--predictions", "-o"};

typedef struct cv_run {
    const char *path[FILES];
    hsp_cli_watch watch;
    hsp_cli_source source;
    hsp_model *model;
    hsp_report *report;
    double seconds;
} cv_run;

/* ---- checks ---- */

static int check_arguments(hsp_cli_call *call, cv_run *v) {
    bool refit = hsp_cli_value(call, "refit") != NULL;
    v->path[MODEL] = hsp_cli_value(call, "output");
    v->path[PREDICTIONS] = hsp_options_get(call->options, "predictions");
    if (refit && !v->path[MODEL]) return hsp_cli_fail(HSP_EXIT_USAGE, "--refit has no file for the model: add -o MODEL");
    if (!refit && hsp_options_given(call->options, "no-certificate"))
        return hsp_cli_fail(HSP_EXIT_USAGE,
                            "--no-certificate is for the model of --refit: leave it out, or add --refit -o MODEL");
    if (!refit && v->path[MODEL])
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o is the file for the model of --refit: add --refit");
    int code = 0;
    for (int i = 0; i < FILES && !code; i++) code = hsp_cli_output_claim(call, file_options[i], v->path[i]);
    for (int i = 0; i < FILES && !code; i++) code = hsp_cli_output_check(v->path[i], call->operand[0]);
    if (code || !v->path[MODEL] || !v->path[PREDICTIONS]) return code;
    bool both = hsp_cli_is_stdout(v->path[MODEL]) && hsp_cli_is_stdout(v->path[PREDICTIONS]);
    if (both || hsp_cli_same_file(v->path[MODEL], v->path[PREDICTIONS]))
        return hsp_cli_fail(HSP_EXIT_USAGE, "-o and --predictions both name %s: give two names",
                            hsp_cli_output_name(v->path[MODEL]));
    return 0;
}

/* ---- work ---- */

static int cross_validate(hsp_cli_call *call, cv_run *v) {
    hsp_error *err = NULL;
    double began = hsp_cli_now();
    int code = 0;
    for (int i = 0; i < FILES && !code; i++) code = hsp_cli_output_begin(call, v->path[i]);
    if (code) return code;
    v->watch.warned = 0;
    int status = hsp_cross_validate(v->source.data, call->options, &v->watch.hooks, v->path[MODEL] ? &v->model : NULL,
                                    &v->report, &err);
    hsp_cli_watch_end(&v->watch);
    v->seconds = hsp_cli_now() - began;
    if (!status && v->model) status = hsp_model_save(v->model, v->path[MODEL], &err);
    return status ? hsp_cli_report_error(&err) : 0;
}

/* ---- result ---- */

static void print_json(const cv_run *v) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    HSP_REPORT_EACH(member, v->report) {
        const char *name = hsp_report_name(member);
        if (strcmp(name, "seconds") != 0) hsp_json_report(&o.j, name, member);
    }
    hsp_json_string(&o.j, "model", v->model ? v->path[MODEL] : NULL);
    hsp_cli_source_report(&v->source, &o.j, "cv", v->seconds);
    hsp_cli_object_print(&o);
}

static void print_refit(FILE *f, const cv_run *v) {
    char gap[HSP_CLI_NUMBER];
    const hsp_report *refit = hsp_report_member(v->report, "refit");
    if (!v->model) return;
    fprintf(f, "\n%s: trained on all %lld rows", hsp_cli_output_name(v->path[MODEL]),
            (long long)hsp_report_number(v->report, "rows"));
    if (hsp_cli_is(refit, "relative_gap", HSP_REPORT_NUMBER))
        fprintf(f, ", relative gap %s", hsp_cli_short(hsp_report_number(refit, "relative_gap"), 2, HSP_CLI_UP, gap));
    putc('\n', f);
}

static int print_human(const hsp_cli_call *call, const cv_run *v) {
    FILE *f = call->human;
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), v->source.tree);
    if (!call->quiet) hsp_cli_print_assumed(f, v->source.tree);
    int code = hsp_cli_print_cv(f, v->report, call->verbose);
    if (!code) print_refit(f, v);
    return code;
}

static int outcome(const hsp_cli_call *call, const cv_run *v) {
    const hsp_report *refit = hsp_report_member(v->report, "refit");
    if (hsp_report_flag(v->report, "interrupted") == 1) {
        hsp_cli_note(call, "interrupted after %lld of %lld fits: the result is of the folds that are complete",
                     (long long)hsp_report_number(v->report, "fits"),
                     (long long)hsp_report_number(v->report, "planned_fits"));
        return HSP_EXIT_INTERRUPTED;
    }
    bool lacks_model = v->path[MODEL] && !v->model;
    return lacks_model || hsp_report_flag(refit, "tolerance_missed") == 1 ? HSP_EXIT_NO : HSP_EXIT_OK;
}

static int print_result(const hsp_cli_call *call, const cv_run *v) {
    int code = 0;
    if (call->json) print_json(v);
    if (!call->json || call->verbose) code = print_human(call, v);
    hsp_cli_print_warnings(call, v->report, v->watch.warned, false);
    return code ? code : outcome(call, v);
}

static int cv_command(hsp_cli_call *call) {
    cv_run v = {0};
    int code = check_arguments(call, &v);
    if (code) return code;
    hsp_cli_watch_begin(&v.watch, call, NULL);
    code = hsp_cli_read(call, NULL, call->operand[0], &v.watch, &v.source);
    if (!code) code = cross_validate(call, &v);
    if (!code) code = print_result(call, &v);
    hsp_cli_source_free(&v.source);
    hsp_model_free(v.model);
    hsp_report_free(v.report);
    return code;
}

const hsp_cli_command hsp_cli_cv = {
    .name = "cv",
    .help = "estimate accuracy, or for regression the error, by cross-validation, and choose options by it",
    .operands = "DATA",
    .synopsis = "DATA [--folds N] [--grid NAME=VALUES]... [--refit -o MODEL] [options]",
    .detail =
        "Splits the rows into folds, stratified by class, and evaluates each fold with a model trained on the others. "
        "Encoding, scaling and weights are learnt from the training folds alone. --group keeps the rows of a group in one "
        "fold; --time trains on earlier rows only. All metrics are reported, with the 95 % interval of the mean, corrected "
        "for overlapping training sets (Nadeau and Bengio); --metric decides. With --grid or --lambdas, all combinations "
        "are "
        "tried on the same folds. The best has the best mean; of equally good ones the stronger penalty is taken. The mean "
        "of "
        "the best is optimistic, since it was chosen; --nested gives an honest estimate. --refit trains the chosen "
        "combination on all rows. --max-seconds limits the total time of all fits but that one. An interrupt (Ctrl-C) "
        "prints "
        "the folds that are complete.",
    .takes = "folds cv --lambdas --repeats read table train run !strict !numeric-levels !loo",
    .own = {{"refit", NULL, 0, NULL, "training of the chosen combination on all rows; the model is written (-o)"},
            {"output", "o", 1, "MODEL", "output file for the model of --refit"}},
    .example =
        {"halfspace cv wdbc.csv --scale standard --folds 10",
         "halfspace cv wdbc.csv --grid C=0.01:100:log9 --grid scale=none,standard --metric log-loss --refit -o wdbc.hsm",
         "halfspace cv visits.csv --group patient --repeats 5",
         "halfspace cv prices.csv --task regression -a ridge --time date --lambdas 1e-5:1:11 --nested 5",
         "halfspace cv titanic.csv --target Survived --missing indicator --grid algorithm=logistic,svm,lda --json"},
    .run = cv_command,
};
