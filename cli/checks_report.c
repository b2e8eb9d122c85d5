#include "checks_report.h"
#include "fail.h"
#include "json_output.h"
#include "separable_report.h"
#include "short_number.h"
#include "text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

/* Groups of claims that share a line, in this order. The key is the first part of a claim's name, or the part after
 * "problems[k].". */
static const struct {
    const char *part, *title;
} parts[] = {
    {"data_hash", "data"},
    {"rows", "data"},
    {"features", "data"},
    {"nonzeros", "data"},
    {"arithmetic", "scores"},
    {"scores_hash", "scores"},
    {"class", "objective"},
    {"objective", "objective"},
    {"norm", "objective"},
    {"dual vector", "dual vector"},
    {"multipliers", "dual bound"},
    {"multipliers_hash", "dual bound"},
    {"dual_bound", "dual bound"},
    {"relative_gap", "dual bound"},
    {"residual", "dual bound"},
    {"accuracy", "accuracy"},
    {"rmse", "accuracy"},
    {"margin", "margin"},
    {"margin_width", "margin"},
    {"least_margin", "margin"},
    {"feasible", "margin"},
    {"support", "support vectors"},
    {"slack_sum", "support vectors"},
    {"slack_max", "support vectors"},
    {"alpha_sum", "support vectors"},
    {"slackness", "support vectors"},
    {"separability", "separability"},
    {"schema", "column layout"},
    {"table", "table encoding"},
    {"report", "reported figures"},
    {"certificate", "reported figures"},
    {"options", "reported figures"},
    {"calibration", "calibration"},
    {"decision rule", "decision rule"},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

typedef struct group {
    const char *title; /* borrowed from the report, or static */
    int place;         /* order of the line; claims without an entry in the table come last */
    size_t checks, wrong, missing, empty; /* empty: nothing is claimed, and nothing was found */
} group;

/* A claim without an entry in the table is its own group. */
static group group_of(const char *claim) {
    const char *part = claim;
    if (strncmp(claim, "problems[", 9) == 0 && strstr(claim, "].")) part = strstr(claim, "].") + 2;
    size_t n = strcspn(part, ".[");
    for (int i = 0; i < PARTS; i++)
        if (strlen(parts[i].part) == n && memcmp(parts[i].part, part, n) == 0)
            return (group){.title = parts[i].title, .place = i};
    return (group){.title = claim, .place = PARTS};
}

static void count(group *groups, size_t *n, const hsp_report *check) {
    const char *claim = hsp_report_text(check, "claim");
    group own = group_of(claim ? claim : "");
    size_t g = 0;
    while (g < *n && strcmp(groups[g].title, own.title) != 0) g++;
    if (g == *n) groups[(*n)++] = own;
    bool holds = hsp_report_flag(check, "holds") == 1;
    groups[g].checks++;
    groups[g].wrong += !holds;
    groups[g].empty += holds && hsp_cli_is(check, "claimed", HSP_REPORT_NULL);
    groups[g].missing += !holds && hsp_cli_is(check, "found", HSP_REPORT_NULL);
    if (own.place < groups[g].place) groups[g].place = own.place;
}

static void add_line(hsp_cli_table *t, const group *g) {
    /* Other groups compare without stating a value. */
    bool none = g->empty == g->checks && strcmp(g->title, "dual bound") == 0;
    hsp_cli_cell(t, g->title);
    if (g->wrong == 0)
        hsp_cli_cell(t, none ? "none claimed" : "holds");
    else if (g->checks == 1)
        hsp_cli_cell(t, g->missing ? "missing" : "FALSE");
    else
        hsp_cli_cellf(t, "FALSE (%zu of %zu claims)", g->wrong, g->checks);
}

static int print_groups(FILE *f, const hsp_report *checks) {
    size_t n = 0;
    group *groups = calloc((size_t)hsp_report_count(checks, NULL) + 1, sizeof *groups);
    if (!groups) return hsp_cli_fail_memory();
    HSP_REPORT_EACH(check, checks) count(groups, &n, check);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    bool other = false; /* other data: all further checks are meaningless */
    for (int place = 0; place <= PARTS && !other; place++)
        for (size_t g = 0; g < n; g++) {
            if (groups[g].place != place) continue;
            add_line(&t, &groups[g]);
            other |= place == 0 && groups[g].wrong > 0;
        }
    free(groups);
    return hsp_cli_table_print(&t, f, 0, "l");
}

/* ---- the verdict ---- */

/* Members of the report that only record the course of the fit share one phrase; --json lists them all. */
static void print_unchecked(FILE *f, const hsp_report *list) {
    bool history = false, any = false;
    for (int64_t i = 0; i < hsp_report_count(list, NULL); i++) {
        const char *text = hsp_report_text_at(list, NULL, i);
        bool member = text && (strncmp(text, "report.", 7) == 0 || strncmp(text, "options.", 8) == 0);
        history |= member;
        if (member) continue;
        fputs(any ? "; " : "not checked: ", f);
        hsp_cli_put_clean(f, text ? text : "-");
        any = true;
    }
    if (history) fputs(any ? "; the training history" : "not checked: the training history (steps, solver, warnings)", f);
    if (any || history) putc('\n', f);
}

static void print_model_verdict(FILE *f, const hsp_report *report) {
    double objective = hsp_report_number(report, "objective"), gap = hsp_report_number(report, "relative_gap");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    fputs("\nverified", f);
    if (isfinite(objective)) fprintf(f, ": objective %s", hsp_cli_short(objective, 6, HSP_CLI_NEAREST, a));
    if (isfinite(objective) && gap < 1) fprintf(f, ", at most %s %% above the optimum", hsp_cli_above(gap, b));
    putc('\n', f);
}

/* Prints the verified verdict on separability as a sentence. */
static int print_proof_verdict(FILE *f, const hsp_report *proof) {
    char *words = hsp_cli_separable_words(proof);
    if (!words) return hsp_cli_fail_memory();
    fputs("\nverified: separable: ", f);
    hsp_cli_put_clean(f, words);
    putc('\n', f);
    free(words);
    return 0;
}

int hsp_cli_print_checks(FILE *f, const hsp_report *report, const hsp_report *proof) {
    int code = print_groups(f, hsp_report_member(report, "checks"));
    if (code || hsp_report_flag(report, "verified") != 1) return code;
    print_unchecked(f, hsp_report_member(report, "unchecked"));
    if (proof) return print_proof_verdict(f, proof);
    print_model_verdict(f, report);
    return 0;
}
