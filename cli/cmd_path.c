/* halfspace path: the optima for a sequence of lambda. */
#include "arguments.h"
#include "fail.h"
#include "interrupt.h"
#include "json_output.h"
#include "output.h"
#include "path_csv.h"
#include "reading.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_LINES = 16 };

/* ---- text ---- */

static double at(const hsp_report *r, const char *name, int64_t i) {
    return hsp_report_number_at(r, name, i);
}

/* The metric in words: "log loss". Borrowed until the next call. */
static const char *metric_in_words(const hsp_report *r) {
    static char words[64]; /* the program prints on one thread */
    snprintf(words, sizeof words, "%s", hsp_report_text(r, "metric"));
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
    return words;
}

static bool has_folds(const hsp_report *r) {
    return hsp_report_text(r, "metric") != NULL;
}

static int64_t index_of(const hsp_report *r, const char *name) {
    return has_folds(r) ? (int64_t)hsp_report_number(r, name) : -1;
}

/* Lines at equal distances, the last one, and those that cross-validation names. */
static bool is_shown(const hsp_report *r, int64_t i, int64_t count) {
    int64_t step = (count + MOST_LINES - 1) / MOST_LINES;
    return i % step == 0 || i == count - 1 || i == index_of(r, "best") || i == index_of(r, "one_se");
}

static void add_line(hsp_cli_table *t, const hsp_report *r, int64_t i) {
    char gap[HSP_CLI_NUMBER];
    bool best = i == index_of(r, "best"), one_se = i == index_of(r, "one_se");
    hsp_cli_cell_number(t, at(r, "lambdas", i));
    hsp_cli_cellf(t, "%" PRId64, (int64_t)at(r, "nonzeros", i));
    hsp_cli_cell_number(t, at(r, "objectives", i));
    hsp_cli_cell(t, hsp_cli_short(fmax(at(r, "relative_gaps", i), 0), 2, HSP_CLI_UP, gap));
    if (!has_folds(r)) return;
    hsp_cli_cell_number(t, at(r, "mean", i));
    hsp_cli_cell_number(t, at(r, "sd", i));
    hsp_cli_cell(t, best && one_se ? "best, 1-SE" : best ? "best" : one_se ? "1-SE" : "");
}

static int print_lines(FILE *f, const hsp_report *r) {
    int64_t count = hsp_report_count(r, "lambdas");
    bool folds = has_folds(r);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, folds ? 7 : 4);
    hsp_cli_cell(&t, "lambda");
    hsp_cli_cell(&t, "non-zero");
    hsp_cli_cell(&t, "objective");
    hsp_cli_cell(&t, "gap");
    if (folds) {
        hsp_cli_cell(&t, metric_in_words(r));
        hsp_cli_cell(&t, "sd");
        hsp_cli_cell(&t, "");
    }
    for (int64_t i = 0; i < count; i++)
        if (is_shown(r, i, count)) add_line(&t, r, i);
    return hsp_cli_table_print(&t, f, 0, folds ? "drddddl" : "drdd");
}

static void print_summary(FILE *f, const hsp_report *r) {
    int64_t count = hsp_report_count(r, "lambdas");
    char gap[HSP_CLI_NUMBER], from[HSP_CLI_NUMBER], to[HSP_CLI_NUMBER];
    double worst = 0;
    for (int64_t i = 0; i < count; i++) worst = at(r, "relative_gaps", i) <= worst ? worst : at(r, "relative_gaps", i);
    fprintf(f, "\n%s loss, %s penalty: %" PRId64 " value%s of lambda", hsp_report_text(r, "loss"),
            hsp_report_text(r, "penalty"), count, count == 1 ? "" : "s");
    if (count > 1)
        fprintf(f, " from %s to %s", hsp_cli_short(at(r, "lambdas", 0), 4, HSP_CLI_NEAREST, from),
                hsp_cli_short(at(r, "lambdas", count - 1), 4, HSP_CLI_NEAREST, to));
    fprintf(f, ", each within a relative gap of %s\n\n", hsp_cli_short(worst, 2, HSP_CLI_UP, gap));
}

static void print_choice(FILE *f, const hsp_report *r) {
    static const char *const names[] = {"best", "one_se"};
    char lambda[HSP_CLI_NUMBER], mean[HSP_CLI_NUMBER];
    for (int k = 0; has_folds(r) && k < 2; k++) {
        int64_t i = index_of(r, names[k]);
        fprintf(f, "%s%s: lambda = %s, %" PRId64 " non-zero weights, %s %s\n", k ? "" : "\n",
                k ? "within one standard error of it (1-SE)" : "best",
                hsp_cli_short(at(r, "lambdas", i), 6, HSP_CLI_NEAREST, lambda), (int64_t)at(r, "nonzeros", i),
                metric_in_words(r), hsp_cli_short(at(r, "mean", i), 4, HSP_CLI_NEAREST, mean));
    }
}

static int print_human(const hsp_cli_call *call, const hsp_cli_source *source, const hsp_report *r) {
    FILE *f = call->human;
    hsp_cli_print_data(f, hsp_cli_input_name(call->operand[0]), source->tree);
    if (!call->quiet) hsp_cli_print_assumed(f, source->tree);
    print_summary(f, r);
    int code = print_lines(f, r);
    print_choice(f, r);
    return code;
}

/* ---- the command ---- */

/* What the result is worth: 0, 1 where a gap missed the tolerance, or the code of an interrupt. */
static int code_of_result(const hsp_cli_call *call, const hsp_report *r) {
    int64_t count = hsp_report_count(r, "lambdas"), missing = (int64_t)hsp_report_number(r, "unfinished"), missed = 0;
    double tol = hsp_report_number(r, "tolerance"), best = has_folds(r) ? hsp_report_number(r, "best") : 0;
    for (int64_t i = 0; i < count; i++) missed += !(at(r, "relative_gaps", i) <= tol);
    if (has_folds(r) && count > 1 && best == (double)(count - 1))
        hsp_cli_warn(call, "the best lambda is the smallest: give smaller values with --lambdas LO:HI");
    if (missed > 0)
        hsp_cli_warn(call, "%" PRId64 " of %" PRId64 " fits missed the tolerance: use a larger --tol", missed, count);
    if (hsp_report_flag(r, "interrupted") == 1) {
        hsp_cli_note(call, missing > 0 ? "interrupted: the path ends at the last lambda that was finished"
                                       : "interrupted: the path is complete, but not its cross-validation");
        return hsp_cli_interrupt_code();
    }
    if (missing > 0)
        hsp_cli_warn(call,
                     "--max-seconds ended the path after %" PRId64 " of %" PRId64 " values of lambda: use a larger limit",
                     count, count + missing);
    return missed > 0 ? HSP_EXIT_NO : 0;
}

static int write_csv(hsp_cli_call *call, const char *path, const hsp_report *report) {
    if (!path) return 0;
    int code = hsp_cli_output_begin(call, path);
    if (!code) code = hsp_cli_path_csv(path, report);
    return code ? code : hsp_cli_outputs_write(call);
}

static int follow(hsp_cli_call *call, const hsp_cli_source *source, hsp_cli_watch *watch, const char *path) {
    hsp_error *err = NULL;
    hsp_report *report = NULL;
    int status = hsp_path(source->data, call->options, &watch->hooks, &report, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    int code = write_csv(call, path, report);
    if (!code && call->json) hsp_cli_source_print(source, report);
    if (!code && (!call->json || call->verbose) && !(path && call->quiet)) code = print_human(call, source, report);
    if (!code) code = code_of_result(call, report);
    hsp_report_free(report);
    return code;
}

static int path_command(hsp_cli_call *call) {
    const char *path = hsp_cli_value(call, "output");
    hsp_cli_watch watch;
    hsp_cli_source source = {0};
    int code = hsp_cli_output_claim(call, "-o", path);
    if (!code) code = hsp_cli_output_check(path, call->operand[0]);
    if (code) return code;
    call->own_algorithms = true; /* without -a, loss and penalty say what is fitted */
    hsp_cli_watch_begin(&watch, call, NULL);
    code = hsp_cli_read(call, NULL, call->operand[0], &watch, &source);
    if (!code) code = follow(call, &source, &watch, path);
    hsp_cli_source_free(&source);
    return code;
}

const hsp_cli_command hsp_cli_path = {
    .name = "path",
    .help = "fit a regularisation path: the weights for a sequence of lambda",
    .operands = "DATA",
    .synopsis = "DATA [--penalty l1|elastic|l2] [--loss NAME] [--folds N] [-o FILE.csv] [options]",
    .detail =
        "Minimises lambda R(w) + mean loss for 100 values of lambda, from the smallest at which all weights are 0 (l1 and "
        "elastic; for l2 one at which the penalty dominates) down to a ten-thousandth of it, or to a hundredth if there "
        "are fewer "
        "rows than features. Each fit is warm-started from the one before and ends when its relative duality gap is at "
        "most "
        "--tol. With --folds the path is cross-validated on the same values of lambda: the best, and the largest lambda "
        "within "
        "one standard error of it (1-SE). -a NAME stands for a loss and a penalty: logistic (l1), svm (hinge, l2), ridge, "
        "lasso, "
        "elastic-net. More than two classes: choose one with --positive. `halfspace plot path` draws the path.",
    .takes = "read table !strict !numeric-levels path folds !group !time --lambdas --algorithm --loss --delta --penalty "
             "--l1-ratio --intercept --scale --scale-all --positive --class-weight --tol --max-seconds",
    .own = {{"output", "o", 1, "FILE.csv",
             "output file: a line for each lambda, with a column for each feature that has a weight anywhere"}},
    .example = {"halfspace path wdbc.csv --scale standard", "halfspace path words.svm.gz --folds 5 -o path.csv",
                "halfspace path prices.csv -a lasso --steps 50 --json",
                "halfspace path wdbc.csv --penalty elastic --l1-ratio 0.9 --lambdas 1e-4:0.1:30"},
    .run = path_command,
};
