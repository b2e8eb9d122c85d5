/* halfspace compare: all algorithms on the same folds. */
#include "arguments.h"
#include "compare_report.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "reading.h"
#include "text_table.h"

#include <string.h>

/* ---- the result ---- */

static void print_json(const hsp_report *report, const hsp_cli_source *source, double took) {
    static const char *const from_data[] = {"assumed", NULL};
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    hsp_json_members(&o.j, report);
    hsp_cli_json_copy(&o.j, source->tree, from_data);
    hsp_cli_source_report(source, &o.j, "compare", took);
    hsp_cli_object_print(&o);
}

static int print_human(const hsp_cli_call *call, const hsp_cli_source *source, const hsp_report *report) {
    FILE *f = call->human;
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(f, source->tree);
    putc('\n', f);
    return hsp_cli_print_comparison(f, report);
}

static int compare(const hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch) {
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    double began = hsp_cli_now();
    int status = hsp_compare(source->data, call->options, &watch->hooks, NULL, &report, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    if (call->json) print_json(report, source, hsp_cli_now() - began);
    int code = call->json && !call->verbose ? 0 : print_human(call, source, report);
    hsp_cli_warn_comparison(call, report);
    if (!code && hsp_report_flag(report, "interrupted") == 1) {
        hsp_cli_note(call, "interrupted: only what was finished was compared");
        code = HSP_EXIT_INTERRUPTED;
    }
    hsp_report_free(report);
    return code;
}

/* ---- the table of settings ---- */

static int print_task(const hsp_report *table, const char *task) {
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 3);
    printf("%s\n", task);
    HSP_REPORT_EACH(row, table) {
        const char *option = hsp_report_text(row, "option");
        if (strcmp(hsp_report_text(row, "task"), task) != 0) continue;
        hsp_cli_cell(&t, hsp_report_text(row, "name"));
        hsp_cli_cell(&t, hsp_report_text(row, "settings"));
        if (option)
            hsp_cli_cellf(&t, "%s%s: %s", option[1] ? "--" : "-", option, hsp_report_text(row, "chosen"));
        else
            hsp_cli_cell(&t, "");
    }
    return hsp_cli_table_print(&t, stdout, 2, "l");
}

static int list_settings(const hsp_cli_call *call) {
    hsp_error *err = NULL;
    hsp_report *table = NULL;
    if (call->operands > 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "--list prints the settings and needs no %s: leave one of them out",
                            call->operand[0]);
    if (hsp_contenders_report(&table, &err)) return hsp_cli_report_error(&err);
    int code = 0;
    if (call->json) {
        hsp_cli_object o;
        hsp_cli_object_begin(&o);
        hsp_json_report(&o.j, "contenders", table);
        hsp_cli_object_print(&o);
    } else {
        code = print_task(table, "classification");
        putchar('\n');
        if (!code) code = print_task(table, "regression");
    }
    hsp_report_free(table);
    return code;
}

/* ---- the command ---- */

static int compare_command(hsp_cli_call *call) {
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    if (hsp_cli_value(call, "list")) return list_settings(call);
    if (call->operands == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "missing argument DATA: usage: halfspace compare %s", call->command->synopsis);
    call->own_algorithms = true;
    hsp_cli_watch_begin(&watch, call, NULL);
    int code = hsp_cli_read(call, NULL, call->operand[0], &watch, &source);
    if (!code) code = compare(call, &source, &watch);
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_compare = {
    .name = "compare",
    .help = "compare all algorithms by cross-validation on the same folds",
    .operands = "[DATA]",
    .synopsis = "DATA [--metric NAME] [--folds N] [--only NAME,...] [options]",
    .detail =
        "Fits every algorithm with the settings of --list to the same folds, and ranks them by the mean of a metric. "
        "`difference` is the mean of an algorithm minus that of the best; its 95 % interval is corrected for the overlap of "
        "the training sets (Nadeau and Bengio 2003). Algorithms whose interval contains 0 cannot be told apart from the "
        "best. C and lambda are chosen within each training set, so the test folds take no part in it. `majority` predicts "
        "the most frequent class, or for regression the mean. An algorithm that fails or runs out of time is listed with the "
        "reason. An interrupt (Ctrl-C) prints what is finished. To train the best, use `halfspace train -a auto`.",
    .takes = "folds compare --repeats read table --positive --class-weight --scale --max-seconds !strict !numeric-levels",
    .own = {{"list", NULL, 0, NULL, "print the settings of every algorithm and stop; needs no DATA"}},
    .example = {"halfspace compare wdbc.csv",
                "halfspace compare titanic.csv --target Survived --missing indicator --metric log-loss",
                "halfspace compare prices.csv --task regression --only majority,ridge,lasso --repeats 5 --json",
                "halfspace compare --list"},
    .run = compare_command,
};
