/* halfspace cv: cross-validation. */
#include "arguments.h"
#include "fail.h"
#include "output.h"
#include "reading.h"

#include <math.h>
#include <string.h>

/* ---- the numbers ---- */

static double at(const json_t *study, const char *array, size_t i) {
    const json_t *v = json_array_get(json_object_get(study, array), i);
    return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

static const char *figure_name(const json_t *study, size_t f) {
    return json_string_value(json_array_get(json_object_get(study, "figures"), f));
}

static bool known(const json_t *study, const char *figure) {
    size_t i;
    const json_t *v;
    json_array_foreach(json_object_get(study, figure), i, v) if (json_is_number(v)) return true;
    return false;
}

/* ---- for programs ---- */

static json_t *fold_object(const json_t *study, size_t k, double all) {
    double rows = at(study, "fold_rows", k);
    json_t *fold = json_pack("{s:f, s:f}", "rows", rows, "train_rows", all - rows);
    for (size_t f = 0; figure_name(study, f); f++)
        json_object_set(fold, figure_name(study, f), json_array_get(json_object_get(study, figure_name(study, f)), k));
    return fold;
}

static json_t *value_object(const json_t *study, size_t i) {
    static const char *const keys[] = {"lambda", "mean", "sd"};
    json_t *value = json_object();
    for (int a = 0; a < 3; a++) json_object_set(value, keys[a], json_array_get(json_object_get(study, keys[a]), i));
    return value;
}

static void print_json(const json_t *study, const hsp_cli_source *source, double took) {
    static const char *const from_data[] = {"rows", "features", "assumed", NULL};
    json_t *object = json_object(), *folds = json_array(), *tried = json_array();
    size_t best = (size_t)hsp_cli_json_number(study, "best");
    for (size_t k = 0; k < json_array_size(json_object_get(study, "fold_rows")); k++)
        json_array_append_new(folds, fold_object(study, k, hsp_cli_json_number(study, "rows")));
    for (size_t i = 0; i < json_array_size(json_object_get(study, "lambda")); i++)
        json_array_append_new(tried, value_object(study, i));
    json_object_set(object, "algorithm", json_array_get(json_object_get(study, "algorithm"), 0));
    json_object_set_new(object, "metric", hsp_cli_json_text(figure_name(study, 0)));
    json_object_set_new(object, "folds", folds);
    json_object_set(object, "mean", json_array_get(json_object_get(study, "mean"), best));
    json_object_set(object, "sd", json_array_get(json_object_get(study, "sd"), best));
    json_object_set_new(object, "best", value_object(study, best));
    json_object_set_new(object, "tried", tried);
    hsp_cli_json_copy(object, source->tree, from_data);
    hsp_cli_source_report(source, object, "cv", took);
    hsp_cli_json_print(object);
    json_decref(object);
}

/* ---- for people ---- */

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

static int print_folds(FILE *f, const json_t *study) {
    size_t folds = json_array_size(json_object_get(study, "fold_rows"));
    size_t shown[16]; /* figures */
    int count = 0;
    for (size_t i = 0; figure_name(study, i) && count < 16; i++)
        if (known(study, figure_name(study, i))) shown[count++] = i;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2 + count);
    hsp_cli_cell(&t, "fold");
    hsp_cli_cell(&t, "rows");
    for (int i = 0; i < count; i++) hsp_cli_cell(&t, title_of(figure_name(study, shown[i])));
    for (size_t k = 0; k < folds; k++) {
        hsp_cli_cellf(&t, "%zu", k + 1);
        hsp_cli_cellf(&t, "%lld", (long long)at(study, "fold_rows", k));
        for (int i = 0; i < count; i++) cell(&t, at(study, figure_name(study, shown[i]), k));
    }
    for (int d = 0; d < 2; d++) {
        hsp_cli_cell(&t, d ? "sd" : "mean");
        hsp_cli_cell(&t, "");
        for (int i = 0; i < count; i++) cell(&t, at(study, d ? "figure_sd" : "figure_mean", shown[i]));
    }
    return hsp_cli_table_print(&t, f, 0, "lrd");
}

static int print_lambdas(FILE *f, const json_t *study) {
    size_t count = json_array_size(json_object_get(study, "lambda")), best = (size_t)hsp_cli_json_number(study, "best");
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    hsp_cli_cell(&t, "lambda");
    hsp_cli_cell(&t, title_of(figure_name(study, 0)));
    hsp_cli_cell(&t, "sd");
    hsp_cli_cell(&t, "");
    for (size_t i = 0; i < count; i++) {
        cell(&t, at(study, "lambda", i));
        cell(&t, at(study, "mean", i));
        cell(&t, at(study, "sd", i));
        hsp_cli_cell(&t, i == best ? "best" : "");
    }
    putc('\n', f);
    return hsp_cli_table_print(&t, f, 0, "lddl");
}

static int print_human(const hsp_cli_call *call, const hsp_cli_source *source, const json_t *study) {
    FILE *f = call->human;
    char lambda[HSP_CLI_NUMBER];
    size_t folds = json_array_size(json_object_get(study, "fold_rows")), best = (size_t)hsp_cli_json_number(study, "best");
    bool varied = json_is_number(json_array_get(json_object_get(study, "lambda"), best));
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(f, source->tree);
    fprintf(f, "\n%s", json_string_value(json_array_get(json_object_get(study, "algorithm"), 0)));
    if (varied) fprintf(f, " with lambda = %s", hsp_cli_short(at(study, "lambda", best), 6, HSP_CLI_NEAREST, lambda));
    fprintf(f, ", %zu folds, each judged by a model of the others\n\n", folds);
    int code = print_folds(f, study);
    return code || !varied ? code : print_lambdas(f, study);
}

/* ---- the command ---- */

static int validate(const hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch) {
    hsp_error *err = NULL;
    hsp_study *s = NULL;
    char *text = NULL;
    double began = hsp_cli_now();
    int status = hsp_study_run("cv", NULL, source->data, call->options, &watch->hooks, &s, &err);
    hsp_cli_watch_end(watch);
    if (!status) status = hsp_study_report(s, &text, &err);
    hsp_study_free(s);
    if (status) return hsp_cli_report_error(&err);
    json_t *study = hsp_cli_json_take(text);
    if (!study) return HSP_EXIT_SYSTEM;
    if (call->json) print_json(study, source, hsp_cli_now() - began);
    int code = call->json && !call->verbose ? 0 : print_human(call, source, study);
    json_decref(study);
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
    .help = "judge a way of training by cross-validation",
    .operands = "DATA",
    .synopsis = "DATA [--folds N] [--lambdas LO:HI:N] [options]",
    .detail =
        "Cuts the rows into folds, by classes where there are such, and judges each by a model that was trained on the "
        "others: every row once, and nothing that is learnt (levels, words, means, scaling, weights) has seen it. With "
        "--lambdas, on the same folds for each lambda; the best is the one of the highest mean accuracy or, of numbers, "
        "the least mean RMSE, and of equals the greatest. No model is written: train one on all rows.",
    .takes = "cv --lambdas read table train run",
    .example = {"halfspace cv wdbc.csv --scale standard --folds 10",
                "halfspace cv titanic.csv --target Survived --missing indicator --lambdas 1e-5:1:11",
                "halfspace cv prices.csv --task regression -a ridge --json"},
    .run = cv_command,
};
