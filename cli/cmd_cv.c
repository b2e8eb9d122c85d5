/* halfspace cv: cross-validation. */
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the numbers ---- */

static const char *figure_name(const hsp_report *study, int64_t f) {
    return hsp_report_text_at(study, "figures", f);
}

static bool is_known(const hsp_report *study, const char *figure) {
    for (int64_t k = 0; k < hsp_report_count(study, figure); k++)
        if (isfinite(hsp_report_number_at(study, figure, k))) return true;
    return false;
}

/* ---- JSON ---- */

static void add_fold(hsp_json *j, const hsp_report *study, int64_t k) {
    double rows = hsp_report_number_at(study, "fold_rows", k);
    hsp_json_object(j, NULL);
    hsp_json_number(j, "rows", rows);
    hsp_json_number(j, "train_rows", hsp_report_number(study, "rows") - rows);
    for (int64_t f = 0; figure_name(study, f); f++)
        hsp_json_number(j, figure_name(study, f), hsp_report_number_at(study, figure_name(study, f), k));
    hsp_json_object_end(j);
}

static void add_value(hsp_json *j, const char *name, const hsp_report *study, int64_t i) {
    static const char *const keys[] = {"lambda", "mean", "sd"};
    hsp_json_object(j, name);
    for (int a = 0; a < 3; a++) hsp_json_number(j, keys[a], hsp_report_number_at(study, keys[a], i));
}

/* A number of a matrix; NaN if there is no such matrix. */
static double cell_of(const hsp_report *study, const char *name, int64_t row, int64_t column) {
    hsp_array a = {.size = sizeof a};
    if (hsp_report_array(study, name, &a, NULL) || row >= a.shape[0] || column >= a.shape[1]) return (double)NAN;
    return ((const double *)a.data)[row * a.shape[1] + column];
}

/* A value that was tried, with its figures by fold and on average. */
static void add_tried(hsp_json *j, const hsp_report *study, int64_t i) {
    add_value(j, NULL, study, i);
    int64_t folds = hsp_report_count(study, "fold_rows"), figures = hsp_report_count(study, "figures");
    hsp_json_array(j, "folds");
    for (int64_t k = 0; k < folds; k++) hsp_json_number(j, NULL, cell_of(study, "tried_folds", i, k));
    hsp_json_array_end(j);
    hsp_json_object(j, "metrics");
    for (int64_t f = 0; f < figures; f++) hsp_json_number(j, figure_name(study, f), cell_of(study, "tried_means", i, f));
    hsp_json_object_end(j);
    hsp_json_object_end(j);
}

static void print_json(const hsp_report *study, const hsp_cli_source *source, double took) {
    static const char *const from_data[] = {"rows", "features", "assumed", NULL};
    int64_t best = (int64_t)hsp_report_number(study, "best");
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_string(&o.j, "algorithm", hsp_report_text_at(study, "algorithm", 0));
    hsp_json_string(&o.j, "metric", figure_name(study, 0));
    hsp_json_array(&o.j, "folds");
    for (int64_t k = 0; k < hsp_report_count(study, "fold_rows"); k++) add_fold(&o.j, study, k);
    hsp_json_array_end(&o.j);
    hsp_json_number(&o.j, "mean", hsp_report_number_at(study, "mean", best));
    hsp_json_number(&o.j, "sd", hsp_report_number_at(study, "sd", best));
    add_value(&o.j, "best", study, best);
    hsp_json_object_end(&o.j);
    hsp_json_array(&o.j, "tried");
    for (int64_t i = 0; i < hsp_report_count(study, "lambda"); i++) add_tried(&o.j, study, i);
    hsp_json_array_end(&o.j);
    hsp_cli_json_copy(&o.j, source->tree, from_data);
    hsp_cli_source_report(source, &o.j, "cv", took);
    hsp_cli_object_print(&o);
}

/* ---- text ---- */

static const char *title_of(const char *figure) {
    static const char *const titles[][2] = {{"balanced_accuracy", "balanced"},
                                            {"log_loss", "log loss"},
                                            {"brier", "Brier"},
                                            {"auc", "AUC"},
                                            {"rmse", "RMSE"},
                                            {"mae", "MAE"},
                                            {"average_precision", "average precision"},
                                            {"r2", "R^2"}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(figure, titles[i][0]) == 0) return titles[i][1];
    return figure;
}

static void cell(hsp_cli_table *t, double v) {
    char buf[HSP_CLI_NUMBER];
    hsp_cli_cell(t, isfinite(v) ? hsp_cli_short(v, 4, HSP_CLI_NEAREST, buf) : "-");
}

static int print_folds(FILE *f, const hsp_report *study) {
    int64_t folds = hsp_report_count(study, "fold_rows");
    int64_t shown[16]; /* figures */
    int count = 0;
    for (int64_t i = 0; figure_name(study, i) && count < 16; i++)
        if (is_known(study, figure_name(study, i))) shown[count++] = i;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2 + count);
    hsp_cli_cell(&t, "fold");
    hsp_cli_cell(&t, "rows");
    for (int i = 0; i < count; i++) hsp_cli_cell(&t, title_of(figure_name(study, shown[i])));
    for (int64_t k = 0; k < folds; k++) {
        hsp_cli_cellf(&t, "%" PRId64, k + 1);
        hsp_cli_cellf(&t, "%lld", (long long)hsp_report_number_at(study, "fold_rows", k));
        for (int i = 0; i < count; i++) cell(&t, hsp_report_number_at(study, figure_name(study, shown[i]), k));
    }
    for (int d = 0; d < 2; d++) {
        hsp_cli_cell(&t, d ? "sd" : "mean");
        hsp_cli_cell(&t, "");
        for (int i = 0; i < count; i++) cell(&t, hsp_report_number_at(study, d ? "figure_sd" : "figure_mean", shown[i]));
    }
    return hsp_cli_table_print(&t, f, 0, "lrd");
}

static int print_lambdas(FILE *f, const hsp_report *study) {
    int64_t count = hsp_report_count(study, "lambda"), best = (int64_t)hsp_report_number(study, "best");
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    hsp_cli_cell(&t, "lambda");
    hsp_cli_cell(&t, title_of(figure_name(study, 0)));
    hsp_cli_cell(&t, "sd");
    hsp_cli_cell(&t, "");
    for (int64_t i = 0; i < count; i++) {
        cell(&t, hsp_report_number_at(study, "lambda", i));
        cell(&t, hsp_report_number_at(study, "mean", i));
        cell(&t, hsp_report_number_at(study, "sd", i));
        hsp_cli_cell(&t, i == best ? "best" : "");
    }
    putc('\n', f);
    return hsp_cli_table_print(&t, f, 0, "lddl");
}

static int print_human(const hsp_cli_call *call, const hsp_cli_source *source, const hsp_report *study) {
    FILE *f = call->human;
    char lambda[HSP_CLI_NUMBER];
    int64_t folds = hsp_report_count(study, "fold_rows"), best = (int64_t)hsp_report_number(study, "best");
    bool varied = isfinite(hsp_report_number_at(study, "lambda", best));
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(f, source->tree);
    fprintf(f, "\n%s", hsp_report_text_at(study, "algorithm", 0));
    if (varied)
        fprintf(f, " with lambda = %s",
                hsp_cli_short(hsp_report_number_at(study, "lambda", best), 6, HSP_CLI_NEAREST, lambda));
    fprintf(f, ", %" PRId64 "-fold cross-validation\n\n", folds);
    int code = print_folds(f, study);
    return code || !varied ? code : print_lambdas(f, study);
}

/* ---- the command ---- */

static void warn_unfinished(const hsp_cli_call *call, const hsp_report *study) {
    double late = hsp_report_number(study, "unfinished"),
           fits = hsp_report_number(study, "folds") * (double)hsp_report_count(study, "lambda");
    if (late > 0)
        hsp_cli_warn(call, "--max-seconds stopped %lld of %lld fits before they converged: use a larger limit",
                     (long long)late, (long long)fits);
    double missed = hsp_report_number(study, "missed");
    if (missed > 0)
        hsp_cli_warn(call, "%lld of %lld fits missed the tolerance: use a larger --max-epochs or --tol", (long long)missed,
                     (long long)fits);
}

static int validate(const hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch) {
    hsp_error *err = NULL;
    hsp_report *study = NULL;
    double began = hsp_cli_now();
    int status = hsp_study_run("cv", NULL, source->data, call->options, &watch->hooks, &study, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    if (call->json) print_json(study, source, hsp_cli_now() - began);
    int code = call->json && !call->verbose ? 0 : print_human(call, source, study);
    warn_unfinished(call, study);
    hsp_report_free(study);
    return code;
}

static int cv_command(hsp_cli_call *call) {
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    hsp_cli_watch_begin(&watch, call, NULL);
    int code = hsp_cli_read(call, NULL, call->operand[0], &watch, &source);
    if (!code) code = validate(call, &source, &watch);
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_cv = {
    .name = "cv",
    .help = "estimate accuracy, or for regression the error, by cross-validation",
    .operands = "DATA",
    .synopsis = "DATA [--folds N] [--lambdas LO:HI[:N]] [options]",
    .detail =
        "Splits the rows into folds (stratified by class) and evaluates each fold with a model trained on the others. "
        "Encoding, scaling and weights are learnt from the training folds alone. With --lambdas, all values of lambda "
        "are tried on the same folds; the best has the highest mean accuracy or, for regression, the lowest mean RMSE; "
        "of equally good values the largest lambda is taken. --max-seconds limits the total time of all fits. No model "
        "is written: use `halfspace train` on all rows.",
    .takes = "cv --lambdas read table train run !strict !numeric-levels !no-certificate !loo",
    .example = {"halfspace cv wdbc.csv --scale standard --folds 10",
                "halfspace cv titanic.csv --target Survived --missing indicator --lambdas 1e-5:1:11",
                "halfspace cv prices.csv --task regression -a ridge --json"},
    .run = cv_command,
};
