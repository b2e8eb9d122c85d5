#include "cv_report.h"
#include "json_output.h"
#include "short_number.h"
#include "text_table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_METRICS = 16, FOLDS_LISTED = 20, POINTS_LISTED = 50, DIGITS = 4 };

/* ---- names ---- */

const char *hsp_cli_metric_title(const char *metric) {
    static const char *const titles[][2] = {{"balanced_accuracy", "balanced"},
                                            {"log_loss", "log loss"},
                                            {"brier", "Brier"},
                                            {"auc", "AUC"},
                                            {"average_precision", "average precision"},
                                            {"f1", "F1"},
                                            {"mcc", "MCC"},
                                            {"rmse", "RMSE"},
                                            {"mae", "MAE"},
                                            {"r2", "R^2"}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(metric, titles[i][0]) == 0) return titles[i][1];
    return metric;
}

static void cell(hsp_cli_table *t, double v) {
    char buf[HSP_CLI_NUMBER];
    hsp_cli_cell(t, isfinite(v) ? hsp_cli_short(v, DIGITS, HSP_CLI_NEAREST, buf) : "-");
}

/* A member of a point: a number, a word, or nothing where the algorithm does not have the option. */
static void cell_value(hsp_cli_table *t, const hsp_report *value) {
    char buf[HSP_CLI_NUMBER];
    if (hsp_report_kind(value, NULL) == HSP_REPORT_NUMBER)
        hsp_cli_cell(t, hsp_cli_short(hsp_report_number(value, NULL), DIGITS, HSP_CLI_NEAREST, buf));
    else
        hsp_cli_cell(t, hsp_report_text(value, NULL));
}

/* The options of a point are the members before its mean. */
static int64_t options_of(const hsp_report *point) {
    int64_t count = 0;
    HSP_REPORT_EACH(member, point) {
        if (strcmp(hsp_report_name(member), "mean") == 0) break;
        count++;
    }
    return count;
}

/* " with C = 1, scale = none" */
static void print_options(FILE *f, const char *before, const hsp_report *point, int64_t count) {
    char buf[HSP_CLI_NUMBER];
    for (int64_t i = 0; i < count; i++) {
        const hsp_report *value = hsp_report_item(point, NULL, i);
        const char *text = hsp_report_text(value, NULL);
        if (hsp_report_kind(value, NULL) == HSP_REPORT_NUMBER)
            text = hsp_cli_short(hsp_report_number(value, NULL), 6, HSP_CLI_NEAREST, buf);
        if (!text || strcmp(hsp_report_name(value), "algorithm") == 0) continue;
        fprintf(f, "%s%s = %s", before, hsp_report_name(value), text);
        before = ", ";
    }
}

/* ---- the folds ---- */

/* The metrics of which some value is known. */
static int known_metrics(const hsp_report *report, const char **out) {
    int count = 0;
    HSP_REPORT_EACH(metric, hsp_report_member(report, "metrics")) {
        bool known = false;
        HSP_REPORT_EACH(fold, hsp_report_member(report, "folds")) {
            known = known || isfinite(hsp_report_number(fold, hsp_report_name(metric)));
        }
        if (known && count < MOST_METRICS) out[count++] = hsp_report_name(metric);
    }
    return count;
}

static void add_folds(hsp_cli_table *t, const hsp_report *report, const char *const *metric, int metrics) {
    double folds = hsp_report_number(report, "fold_count");
    int64_t k = 0;
    HSP_REPORT_EACH(fold, hsp_report_member(report, "folds")) {
        double repeat = hsp_report_number(fold, "repeat");
        if (repeat >= 1)
            hsp_cli_cellf(t, "%lld.%lld", (long long)repeat, (long long)(k - (int64_t)((repeat - 1) * folds)) + 1);
        else if (hsp_report_text(report, "leave_one_out"))
            hsp_cli_cell(t, "all");
        else
            hsp_cli_cellf(t, "%" PRId64, k + 1);
        k++;
        hsp_cli_cellf(t, "%lld", (long long)hsp_report_number(fold, "rows"));
        for (int i = 0; i < metrics; i++) cell(t, hsp_report_number(fold, metric[i]));
    }
}

static int print_folds(FILE *f, const hsp_report *report, bool all) {
    const char *metric[MOST_METRICS];
    int metrics = known_metrics(report, metric);
    int64_t folds = hsp_report_count(report, "folds");
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2 + metrics);
    hsp_cli_cell(&t, "fold");
    hsp_cli_cell(&t, "rows");
    for (int i = 0; i < metrics; i++) hsp_cli_cell(&t, hsp_cli_metric_title(metric[i]));
    if (all || folds <= FOLDS_LISTED) add_folds(&t, report, metric, metrics);
    static const char *const lines[][2] = {{"mean", "mean"}, {"sd", "sd"}};
    for (size_t l = 0; l < sizeof lines / sizeof lines[0] && folds > 1; l++) {
        hsp_cli_cell(&t, lines[l][1]);
        hsp_cli_cell(&t, "");
        for (int i = 0; i < metrics; i++)
            cell(&t, hsp_report_number(hsp_report_member(hsp_report_member(report, "metrics"), metric[i]), lines[l][0]));
    }
    return hsp_cli_table_print(&t, f, 0, "lrd");
}

/* The least and the greatest value that a metric can have: a t interval may go beyond. */
static double clip(const char *metric, double v) {
    static const char *const shares[] = {"accuracy", "balanced_accuracy", "auc", "average_precision", "f1"},
                             *const sizes[] = {"log_loss", "brier", "rmse", "mae"};
    bool share = false, size = false;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) share = share || strcmp(metric, shares[i]) == 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) size = size || strcmp(metric, sizes[i]) == 0;
    if ((share || size) && v < 0) return 0;
    if (v < -1 && strcmp(metric, "mcc") == 0) return -1;
    return v > 1 && !size ? 1 : v; /* R^2 and MCC are at most 1, too */
}

/* "accuracy 0.9: 95 % interval 0.85 to 0.95, standard error 0.01" */
static void print_estimate(FILE *f, const char *what, const hsp_report *report, const char *metric) {
    char mean[HSP_CLI_NUMBER], low[HSP_CLI_NUMBER], high[HSP_CLI_NUMBER], error[HSP_CLI_NUMBER];
    double lower = hsp_report_number_at(report, "interval", 0), upper = hsp_report_number_at(report, "interval", 1);
    fprintf(f, "%s%s %s", what, hsp_cli_metric_title(metric),
            hsp_cli_short(hsp_report_number(report, "mean"), DIGITS, HSP_CLI_NEAREST, mean));
    if (isfinite(lower))
        fprintf(f, ", 95 %% interval %s to %s, standard error %s",
                hsp_cli_short(clip(metric, lower), DIGITS, HSP_CLI_NEAREST, low),
                hsp_cli_short(clip(metric, upper), DIGITS, HSP_CLI_NEAREST, high),
                hsp_cli_short(hsp_report_number(report, "standard_error"), DIGITS, HSP_CLI_NEAREST, error));
    putc('\n', f);
}

/* ---- the grid ---- */

static bool same_options(const hsp_report *a, const hsp_report *b, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const hsp_report *u = hsp_report_item(a, NULL, i), *v = hsp_report_item(b, NULL, i);
        const char *s = hsp_report_text(u, NULL), *t = hsp_report_text(v, NULL);
        double x = hsp_report_number(u, NULL), y = hsp_report_number(v, NULL);
        if ((s || t) && !(s && t && strcmp(s, t) == 0)) return false;
        if (!s && !t && x != y && !(isnan(x) && isnan(y))) return false;
    }
    return true;
}

/* "best, one-se, chosen": what a point is. */
static const char *mark_of(const hsp_report *report, const hsp_report *point, int64_t count, char *buf, size_t size) {
    static const char *const marks[][2] = {{"best", "best"}, {"one_se", "one-se"}, {"chosen", "chosen"}};
    bool by_best = strcmp(hsp_report_text(report, "choose"), "best") == 0;
    buf[0] = '\0';
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const hsp_report *marked = hsp_report_member(report, marks[i][0]);
        if (hsp_report_kind(marked, NULL) != HSP_REPORT_OBJECT || !same_options(point, marked, count)) continue;
        if (by_best && strcmp(marks[i][0], "chosen") == 0) continue; /* it is the best */
        size_t at = strlen(buf);
        snprintf(buf + at, size - at, "%s%s", at ? ", " : "", marks[i][1]);
    }
    return buf;
}

static int print_points(FILE *f, const hsp_report *report, bool all) {
    const hsp_report *tried = hsp_report_member(report, "tried"), *first = hsp_report_item(tried, NULL, 0);
    int64_t count = options_of(first), points = hsp_report_count(tried, NULL), left = 0;
    if (count == 0) return 0;
    char buf[64];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)count + 3);
    for (int64_t i = 0; i < count; i++) hsp_cli_cell(&t, hsp_report_name(hsp_report_item(first, NULL, i)));
    hsp_cli_cell(&t, hsp_cli_metric_title(hsp_report_text(report, "metric")));
    hsp_cli_cell(&t, "sd");
    hsp_cli_cell(&t, "");
    HSP_REPORT_EACH(point, tried) {
        const char *mark = mark_of(report, point, count, buf, sizeof buf);
        if (!all && points > POINTS_LISTED && !*mark && ++left) continue;
        for (int64_t i = 0; i < count; i++) cell_value(&t, hsp_report_item(point, NULL, i));
        cell(&t, hsp_report_number(point, "mean"));
        cell(&t, hsp_report_number(point, "sd"));
        hsp_cli_cell(&t, mark);
    }
    char sides[32];
    memset(sides, 'd', sizeof sides);
    sides[count + 2] = 'l';
    sides[count + 3] = '\0';
    for (int64_t i = 0; i < count; i++)
        sides[i] = hsp_report_kind(hsp_report_item(first, NULL, i), NULL) == HSP_REPORT_TEXT ? 'l' : sides[i];
    putc('\n', f);
    int code = hsp_cli_table_print(&t, f, 0, sides);
    if (left > 0) fprintf(f, "(%" PRId64 " of %" PRId64 " combinations; --verbose lists all)\n", points - left, points);
    return code;
}

/* ---- the rest ---- */

static int print_nested(FILE *f, const hsp_report *report) {
    const hsp_report *nested = hsp_report_member(report, "nested");
    const char *metric = hsp_report_text(report, "metric");
    int64_t k = 0;
    if (hsp_report_kind(nested, NULL) != HSP_REPORT_OBJECT || hsp_report_count(nested, "folds") == 0) return 0;
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 4);
    hsp_cli_cell(&t, "outer fold");
    hsp_cli_cell(&t, "rows");
    hsp_cli_cell(&t, hsp_cli_metric_title(metric));
    hsp_cli_cell(&t, "chosen by the inner folds");
    HSP_REPORT_EACH(fold, hsp_report_member(nested, "folds")) {
        const hsp_report *chosen = hsp_report_member(fold, "chosen");
        char *text = NULL;
        size_t size = 0;
        hsp_cli_cellf(&t, "%" PRId64, ++k);
        hsp_cli_cellf(&t, "%lld", (long long)hsp_report_number(fold, "rows"));
        cell(&t, hsp_report_number(fold, metric));
        FILE *words = open_memstream(&text, &size);
        const char *algorithm = hsp_report_text(chosen, "algorithm");
        if (words && algorithm) fputs(algorithm, words);
        if (words) print_options(words, algorithm ? ", " : "", chosen, hsp_report_count(chosen, NULL));
        hsp_cli_cell_stream(&t, words, &text);
    }
    putc('\n', f);
    int code = hsp_cli_table_print(&t, f, 0, "lrdl");
    if (!code) print_estimate(f, "nested: ", nested, metric);
    return code;
}

/* "logistic with C = 1, 5-fold cross-validation of groups, 3 repeats" */
static void print_title(FILE *f, const hsp_report *report) {
    const char *division = hsp_report_text(report, "division"), *algorithm = hsp_report_text(report, "algorithm"),
               *exact = hsp_report_text(report, "leave_one_out");
    const hsp_report *chosen = hsp_report_member(report, "chosen");
    long long folds = (long long)hsp_report_number(report, "fold_count"),
              repeats = (long long)hsp_report_number(report, "repeats");
    fprintf(f, "\n%s", algorithm ? algorithm : "no algorithm");
    print_options(f, " with ", chosen, options_of(chosen));
    if (exact)
        fprintf(f, ", leave-one-out cross-validation (%s)",
                strcmp(exact, "exact") == 0 ? "in closed form" : "one fit a row");
    else
        fprintf(f, ", %lld-fold cross-validation", folds);
    if (strcmp(division, "groups") == 0) fputs(" of groups", f);
    if (strcmp(division, "time") == 0) fputs(" in time order", f);
    if (repeats > 1) fprintf(f, ", %lld repeats", repeats);
    fputs("\n\n", f);
}

int hsp_cli_print_cv(FILE *f, const hsp_report *report, bool verbose) {
    print_title(f, report);
    if (hsp_report_count(report, "folds") == 0) {
        fputs("no fold is complete\n", f);
        return 0;
    }
    int code = print_folds(f, report, verbose);
    if (!code && hsp_report_count(report, "folds") > 1) {
        putc('\n', f);
        print_estimate(f, "", report, hsp_report_text(report, "metric"));
    }
    if (!code) code = print_points(f, report, verbose);
    return code ? code : print_nested(f, report);
}
