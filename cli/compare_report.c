#include "compare_report.h"
#include "cv_report.h"
#include "fail.h"
#include "json_output.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void cell(hsp_cli_table *t, double v, int digits) {
    char buf[HSP_CLI_NUMBER];
    hsp_cli_cell(t, isfinite(v) ? hsp_cli_short(v, digits, HSP_CLI_NEAREST, buf) : "-");
}

/* "C = 0.1", or "C = 0.1 to 10" where the folds chose different values. */
static void cell_chosen(hsp_cli_table *t, const hsp_report *row) {
    const hsp_report *chosen = hsp_report_member(row, "chosen");
    const char *option = hsp_report_text(chosen, "option");
    char least[HSP_CLI_NUMBER], most[HSP_CLI_NUMBER];
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    if (!option) {
        hsp_cli_cell(t, "");
        return;
    }
    for (int64_t k = 0; k < hsp_report_count(chosen, "values"); k++) {
        double v = hsp_report_number_at(chosen, "values", k);
        if (v < lo) lo = v;
        if (v > hi) hi = v;
    }
    hsp_cli_short(lo, 3, HSP_CLI_NEAREST, least);
    hsp_cli_short(hi, 3, HSP_CLI_NEAREST, most);
    if (lo == hi)
        hsp_cli_cellf(t, "%s = %s", option, least);
    else
        hsp_cli_cellf(t, "%s = %s to %s", option, least, most);
}

static void cell_interval(hsp_cli_table *t, const hsp_report *row, bool best) {
    double lo = hsp_report_number_at(row, "interval", 0), hi = hsp_report_number_at(row, "interval", 1);
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    if (best || !isfinite(lo))
        hsp_cli_cell(t, best ? "" : "-");
    else
        hsp_cli_cellf(t, "%s to %s", hsp_cli_short(lo, 3, HSP_CLI_NEAREST, a), hsp_cli_short(hi, 3, HSP_CLI_NEAREST, b));
}

static bool failed(const hsp_report *row) {
    return hsp_report_text(row, "error") != NULL;
}

static int print_ranked(FILE *f, const hsp_report *report) {
    static const char *const titles[] = {"sd", "difference", "95 % interval", "gap", "chosen", "seconds"};
    hsp_cli_table t;
    bool best = true;
    hsp_cli_table_begin(&t, 8);
    hsp_cli_cell(&t, "algorithm");
    hsp_cli_cell(&t, hsp_cli_metric_title(hsp_report_text(report, "metric")));
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) hsp_cli_cell(&t, titles[i]);
    HSP_REPORT_EACH(row, hsp_report_member(report, "results")) {
        if (failed(row)) continue;
        hsp_cli_cell(&t, hsp_report_text(row, "algorithm"));
        cell(&t, hsp_report_number(row, "mean"), 4);
        cell(&t, hsp_report_number(row, "sd"), 3);
        if (best)
            hsp_cli_cell(&t, "best");
        else
            cell(&t, hsp_report_number(row, "difference"), 3);
        cell_interval(&t, row, best);
        cell(&t, hsp_report_number(row, "relative_gap"), 2);
        cell_chosen(&t, row);
        cell(&t, hsp_report_number(row, "seconds"), 3);
        best = false;
    }
    return hsp_cli_table_print(&t, f, 0, "ldddldld");
}

static int print_failed(FILE *f, const hsp_report *report) {
    hsp_cli_table t;
    bool some = false;
    hsp_cli_table_begin(&t, 2);
    HSP_REPORT_EACH(row, hsp_report_member(report, "results")) {
        if (!failed(row)) continue;
        some = true;
        hsp_cli_cell(&t, hsp_report_text(row, "algorithm"));
        hsp_cli_cell(&t, hsp_report_text(row, "error"));
    }
    if (some) fputs("\nwithout a result:\n", f);
    return hsp_cli_table_print(&t, f, 2, "l");
}

int hsp_cli_print_comparison(FILE *f, const hsp_report *report) {
    const hsp_report *folds = hsp_report_member(report, "folds");
    double repeats = hsp_report_number(folds, "repeats");
    fprintf(f, "%lld-fold cross-validation", (long long)hsp_report_number(folds, "count"));
    if (repeats > 1) fprintf(f, ", repeated %lld times", (long long)repeats);
    fprintf(f, "%s, best first\n\n", hsp_report_flag(folds, "by_time") == 1 ? " in the order of time" : "");
    int code = print_ranked(f, report);
    if (!code) code = print_failed(f, report);
    if (!code) fprintf(f, "\n%s\n", hsp_report_text(report, "summary"));
    return code;
}

void hsp_cli_warn_comparison(const hsp_cli_call *call, const hsp_report *report) {
    HSP_REPORT_EACH(row, hsp_report_member(report, "results")) {
        double missed = hsp_report_number(row, "missed");
        if (missed > 0 && !failed(row))
            hsp_cli_warn(call, "%s: %lld of %" PRId64 " fits missed the tolerance", hsp_report_text(row, "algorithm"),
                         (long long)missed, hsp_report_count(row, "folds"));
    }
}
