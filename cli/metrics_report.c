#include "metrics_report.h"
#include "json_output.h"
#include "short_number.h"
#include "spark.h"
#include "text_table.h"

#include <math.h>
#include <string.h>

const char *hsp_cli_accuracy(double accuracy, double rows, bool weighted, const char *of, char *buf) {
    char share[HSP_CLI_NUMBER], right[HSP_CLI_NUMBER], all[HSP_CLI_NUMBER];
    if (weighted) {
        snprintf(buf, 4 * HSP_CLI_NUMBER, "%s (weighted, %s %s)", hsp_cli_share(accuracy, share),
                 hsp_cli_short(rows, 15, HSP_CLI_NEAREST, all), of);
        return buf;
    }
    snprintf(buf, 4 * HSP_CLI_NUMBER, "%s (%s of %s %s)", hsp_cli_share(accuracy, share),
             hsp_cli_short((double)(int64_t)(accuracy * rows + 0.5), 15, HSP_CLI_NEAREST, right),
             hsp_cli_short(rows, 15, HSP_CLI_NEAREST, all), of);
    return buf;
}

const char *hsp_cli_fit_quality(double r2, double mse, double rows, const char *of, char *buf) {
    char share[HSP_CLI_NUMBER], size[HSP_CLI_NUMBER], square[HSP_CLI_NUMBER], all[HSP_CLI_NUMBER];
    snprintf(buf, 5 * HSP_CLI_NUMBER, "%s (MSE %s, RMSE %s, %s %s)", hsp_cli_share(r2, share),
             hsp_cli_short(mse, 4, HSP_CLI_NEAREST, square), hsp_cli_short(sqrt(mse), 4, HSP_CLI_NEAREST, size),
             hsp_cli_short(rows, 15, HSP_CLI_NEAREST, all), of);
    return buf;
}

/* Regression: metrics in the units of the target. */
static int print_residuals(FILE *f, const hsp_report *metrics) {
    static const struct {
        const char *key, *title;
    } figures[] = {
        {"r2", "R^2"}, {"mse", "MSE"}, {"rmse", "RMSE"}, {"mae", "mean absolute error"}, {"max_error", "largest error"}};
    char buf[HSP_CLI_NUMBER];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        double v = hsp_report_number(metrics, figures[i].key);
        hsp_cli_cell(&t, figures[i].title);
        hsp_cli_cell(&t, i == 0 ? isfinite(v) ? hsp_cli_share(v, buf) : "undefined: all targets are equal"
                                : hsp_cli_short(v, 6, HSP_CLI_NEAREST, buf));
    }
    return hsp_cli_table_print(&t, f, 0, "l");
}

/* The decision rule, where the model or --decide has one. */
static void add_rule(hsp_cli_table *t, const hsp_report *metrics) {
    const char *rule = hsp_report_text(metrics, "decision");
    if (!rule || !strstr(rule, " above ") || strcmp(rule, "score above 0") == 0) return;
    hsp_cli_cell(t, "decision");
    hsp_cli_cell(t, rule);
}

static int print_figures(FILE *f, const hsp_report *metrics) {
    static const struct {
        const char *key, *title;
    } figures[] = {{"balanced_accuracy", "balanced accuracy"},
                   {"auc", "AUC"},
                   {"average_precision", "average precision"},
                   {"lead_auc", "AUC by lead"},
                   {"lead_average_precision", "average precision by lead"},
                   {"log_loss", "log loss"},
                   {"brier", "Brier score"},
                   {"calibration_error", "calibration error"}};
    char buf[4 * HSP_CLI_NUMBER];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "accuracy");
    hsp_cli_cell(&t, hsp_cli_accuracy(hsp_report_number(metrics, "accuracy"), hsp_report_number(metrics, "rows"),
                                      hsp_cli_is(metrics, "weight", HSP_REPORT_NUMBER), "rows", buf));
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        double v = hsp_report_number(metrics, figures[i].key);
        if (!isfinite(v)) continue;
        hsp_cli_cell(&t, figures[i].title);
        hsp_cli_cell(&t, hsp_cli_share(v, buf));
    }
    add_rule(&t, metrics);
    return hsp_cli_table_print(&t, f, 0, "l");
}

int hsp_cli_print_losses(FILE *f, const hsp_report *metrics, const char *of) {
    const hsp_report *losses = hsp_report_member(metrics, "losses");
    if (!hsp_cli_is(losses, NULL, HSP_REPORT_OBJECT)) return 0;
    fprintf(f, "\nlosses of y g over the %s\n", of);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 3);
    hsp_cli_cell(&t, "");
    hsp_cli_cell(&t, "mean");
    hsp_cli_cell(&t, "sum");
    HSP_REPORT_EACH(loss, losses) {
        char name[32];
        snprintf(name, sizeof name, "%s", hsp_report_name(loss));
        for (char *s = name; (s = strchr(s, '_')); s++) *s = '-'; /* as --loss names them */
        hsp_cli_cell(&t, name);
        hsp_cli_cell_number(&t, hsp_report_number(loss, "mean"));
        hsp_cli_cell_number(&t, hsp_report_number(loss, "sum"));
    }
    return hsp_cli_table_print(&t, f, 2, "ld");
}

/* Adds a cell of the confusion matrix; drawn: with a shade for its share of the row. */
static void confusion_cell(hsp_cli_table *t, double v, double all, bool weighted, bool drawn) {
    char buf[HSP_CLI_NUMBER];
    hsp_cli_short(v, weighted ? 6 : 15, HSP_CLI_NEAREST, buf);
    if (drawn)
        hsp_cli_cellf(t, "%s %s", buf, hsp_cli_shade(all > 0 ? v / all : 0));
    else
        hsp_cli_cell(t, buf);
}

/* Whether the shaded cells fit on a line of a terminal. */
static bool fits_shaded(const hsp_report *classes, const double *confusion, int64_t n) {
    enum { WIDTH = 80, SHADE = 2, BETWEEN = 2 };
    int64_t longest = 0;
    double most = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t length = (int64_t)strlen(hsp_report_text_at(classes, NULL, k));
        longest = length > longest ? length : longest;
    }
    for (int64_t i = 0; i < n * n; i++) most = fmax(most, confusion[i]);
    int64_t wide = (int64_t)floor(log10(most)) + 1 + SHADE;
    return BETWEEN + longest + n * (BETWEEN + (wide > longest ? wide : longest)) <= WIDTH;
}

static int print_confusion(FILE *f, const hsp_report *classes, const double *confusion, bool weighted) {
    int64_t n = hsp_report_count(classes, NULL);
    bool drawn = !weighted && hsp_cli_draws(f) && fits_shaded(classes, confusion, n);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)n + 1);
    hsp_cli_cell(&t, "");
    for (int64_t j = 0; j < n; j++) hsp_cli_cell_name(&t, hsp_report_text_at(classes, NULL, j));
    for (int64_t i = 0; i < n; i++) {
        const double *row = confusion + i * n;
        hsp_cli_cell_name(&t, hsp_report_text_at(classes, NULL, i));
        double all = 0;
        for (int64_t j = 0; j < n; j++) all += row[j];
        for (int64_t j = 0; j < n; j++) confusion_cell(&t, row[j], all, weighted, drawn);
    }
    fprintf(f, "\nconfusion matrix%s: rows are true classes, columns are predictions\n", weighted ? ", weighted" : "");
    return hsp_cli_table_print(&t, f, 2, weighted ? "rd" : "r");
}

static int print_classes(FILE *f, const hsp_report *classes, const hsp_report *per_class) {
    enum { BAR = 10 };
    static const char *const keys[] = {"precision", "recall", "f1", "support"};
    int bars = hsp_cli_draws(f) ? 2 : 0; /* columns with bars, for precision and recall */
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 5 + bars);
    hsp_cli_cell(&t, "class");
    for (int j = 0; j < 4 + bars; j++) hsp_cli_cell(&t, keys[j % 4]);
    for (int64_t i = 0; i < hsp_report_count(classes, NULL); i++) {
        hsp_cli_cell_name(&t, hsp_report_text_at(classes, NULL, i));
        for (int j = 0; j < 4; j++) {
            char buf[HSP_CLI_NUMBER];
            hsp_cli_cell(&t, hsp_cli_share(hsp_report_number_at(per_class, keys[j], i), buf));
        }
        for (int j = 0; j < bars; j++) {
            char bar[HSP_CLI_SPARK_BYTES];
            hsp_cli_cell(&t, hsp_cli_share_bar(hsp_report_number_at(per_class, keys[j], i), BAR, bar));
        }
    }
    putc('\n', f);
    return hsp_cli_table_print(&t, f, 2, bars ? "rddddl" : "rd");
}

/* The columns on which the metric depends most. */
static int print_importance(FILE *f, const hsp_report *metrics) {
    enum { SHOWN = 20 };
    const hsp_report *importance = hsp_report_member(metrics, "importance"), *list;
    if (!hsp_cli_is(importance, NULL, HSP_REPORT_OBJECT)) return 0;
    list = hsp_report_member(importance, "columns");
    const char *key = hsp_report_text(importance, "metric");
    double rows = hsp_report_number(importance, "rows"), repeats = hsp_report_number(importance, "repeats");
    char a[HSP_CLI_NUMBER], b[HSP_CLI_NUMBER];
    fprintf(f, "\npermutation importance: increase of the %s when a column is shuffled, %s time%s",
            strcmp(key, "log_loss") == 0 ? "log loss"
            : strcmp(key, "rmse") == 0   ? "RMSE"
                                         : key,
            hsp_cli_short(repeats, 15, HSP_CLI_NEAREST, a), repeats == 1 ? "" : "s");
    if (rows < hsp_report_number(metrics, "rows"))
        fprintf(f, ", on a sample of %s rows", hsp_cli_short(rows, 15, HSP_CLI_NEAREST, a));
    int64_t measured = hsp_report_count(list, NULL);
    double all = hsp_report_number(importance, "columns_in_all");
    if (measured > SHOWN || (double)measured < all)
        fprintf(f, "; the %d largest of %s columns%s", measured > SHOWN ? SHOWN : (int)measured,
                hsp_cli_short(all, 15, HSP_CLI_NEAREST, b),
                (double)measured < all ? ", those of small weights not measured" : "");
    putc('\n', f);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 3);
    hsp_cli_cell(&t, "");
    hsp_cli_cell(&t, "mean");
    hsp_cli_cell(&t, "sd");
    for (int64_t i = 0; i < measured && i < SHOWN; i++) {
        const hsp_report *column = hsp_report_item(list, NULL, i);
        hsp_cli_cell_name(&t, hsp_report_text(column, "column"));
        hsp_cli_cell_number(&t, hsp_report_number(column, "mean"));
        hsp_cli_cell_number(&t, hsp_report_number(column, "sd"));
    }
    return hsp_cli_table_print(&t, f, 2, "ld");
}

int hsp_cli_print_metrics(FILE *f, const hsp_report *metrics, bool verbose) {
    const hsp_report *classes = hsp_report_member(metrics, "classes");
    bool weighted = hsp_cli_is(metrics, "weight", HSP_REPORT_NUMBER);
    int code = classes ? print_figures(f, metrics) : print_residuals(f, metrics);
    if (!classes) return code ? code : print_importance(f, metrics);
    if (!code && verbose) code = hsp_cli_print_losses(f, metrics, "rows");
    hsp_array confusion = {.size = sizeof confusion};
    if (!code && hsp_report_array(metrics, "confusion", &confusion, NULL) == 0)
        code = print_confusion(f, classes, confusion.data, weighted);
    if (!code) code = print_classes(f, classes, hsp_report_member(metrics, "per_class"));
    return code ? code : print_importance(f, metrics);
}
