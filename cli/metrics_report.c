#include "metrics_report.h"
#include "spark.h"

#include <math.h>
#include <string.h>

const char *hsp_cli_accuracy(double accuracy, double rows, bool weighted, const char *of, char *buf) {
    char share[HSP_CLI_NUMBER], right[HSP_CLI_NUMBER], all[HSP_CLI_NUMBER];
    if (weighted) {
        snprintf(buf, 4 * HSP_CLI_NUMBER, "%s (by weight, %s %s)", hsp_cli_share(accuracy, share),
                 hsp_cli_short(rows, 15, HSP_CLI_NEAREST, all), of);
        return buf;
    }
    snprintf(buf, 4 * HSP_CLI_NUMBER, "%s (%s of %s %s)", hsp_cli_share(accuracy, share),
             hsp_cli_short((double)(int64_t)(accuracy * rows + 0.5), 15, HSP_CLI_NEAREST, right),
             hsp_cli_short(rows, 15, HSP_CLI_NEAREST, all), of);
    return buf;
}

const char *hsp_cli_fit_quality(double r2, double rmse, double rows, const char *of, char *buf) {
    char share[HSP_CLI_NUMBER], size[HSP_CLI_NUMBER], all[HSP_CLI_NUMBER];
    snprintf(buf, 4 * HSP_CLI_NUMBER, "%s (RMSE %s, %s %s)", hsp_cli_share(r2, share),
             hsp_cli_short(rmse, 4, HSP_CLI_NEAREST, size), hsp_cli_short(rows, 15, HSP_CLI_NEAREST, all), of);
    return buf;
}

/* Regression: figures alone, in the units of the target. */
static int print_residuals(FILE *f, const json_t *metrics) {
    static const struct {
        const char *key, *title;
    } figures[] = {{"r2", "R^2"}, {"rmse", "RMSE"}, {"mae", "mean absolute error"}, {"max_error", "largest error"}};
    char buf[HSP_CLI_NUMBER];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        double v = hsp_cli_json_number(metrics, figures[i].key);
        hsp_cli_cell(&t, figures[i].title);
        hsp_cli_cell(&t, i == 0 ? isfinite(v) ? hsp_cli_share(v, buf) : "none: all targets are equal"
                                : hsp_cli_short(v, 6, HSP_CLI_NEAREST, buf));
    }
    return hsp_cli_table_print(&t, f, 0, "l");
}

static int print_figures(FILE *f, const json_t *metrics) {
    static const struct {
        const char *key, *title;
    } figures[] = {{"balanced_accuracy", "balanced accuracy"},
                   {"auc", "AUC"},
                   {"average_precision", "average precision"},
                   {"log_loss", "log loss"},
                   {"brier", "Brier score"}};
    char buf[4 * HSP_CLI_NUMBER];
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 2);
    hsp_cli_cell(&t, "accuracy");
    hsp_cli_cell(&t, hsp_cli_accuracy(hsp_cli_json_number(metrics, "accuracy"), hsp_cli_json_number(metrics, "rows"),
                                      json_is_number(json_object_get(metrics, "weight")), "rows", buf));
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        double v = hsp_cli_json_number(metrics, figures[i].key);
        if (!isfinite(v)) continue;
        hsp_cli_cell(&t, figures[i].title);
        hsp_cli_cell(&t, hsp_cli_share(v, buf));
    }
    return hsp_cli_table_print(&t, f, 0, "l");
}

/* A cell of the confusion matrix; drawn: with a shade for its share of the row. */
static void confusion_cell(hsp_cli_table *t, double v, double all, bool weighted, bool drawn) {
    char buf[HSP_CLI_NUMBER];
    hsp_cli_short(v, weighted ? 6 : 15, HSP_CLI_NEAREST, buf);
    if (drawn)
        hsp_cli_cellf(t, "%s %s", buf, hsp_cli_shade(all > 0 ? v / all : 0));
    else
        hsp_cli_cell(t, buf);
}

/* Whether the shaded cells fit on a line of a terminal. */
static bool fits_shaded(const json_t *classes, const json_t *confusion) {
    enum { WIDTH = 80, SHADE = 2, BETWEEN = 2 };
    size_t n = json_array_size(classes), longest = 0, i, j;
    double most = 1;
    const json_t *name, *row, *cell;
    json_array_foreach(classes, i, name) {
        size_t length = strlen(json_string_value(name));
        longest = length > longest ? length : longest;
    }
    json_array_foreach(confusion, i, row) json_array_foreach(row, j, cell) most = fmax(most, json_number_value(cell));
    size_t wide = (size_t)floor(log10(most)) + 1 + SHADE;
    return BETWEEN + longest + n * (BETWEEN + (wide > longest ? wide : longest)) <= WIDTH;
}

static int print_confusion(FILE *f, const json_t *classes, const json_t *confusion, bool weighted) {
    size_t n = json_array_size(classes);
    bool drawn = !weighted && hsp_cli_draws(f) && fits_shaded(classes, confusion);
    hsp_cli_table t;
    hsp_cli_table_begin(&t, (int)n + 1);
    hsp_cli_cell(&t, "");
    for (size_t j = 0; j < n; j++) hsp_cli_cell_name(&t, json_string_value(json_array_get(classes, j)));
    for (size_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(confusion, i);
        hsp_cli_cell_name(&t, json_string_value(json_array_get(classes, i)));
        double all = 0;
        for (size_t j = 0; j < n; j++) all += json_number_value(json_array_get(row, j));
        for (size_t j = 0; j < n; j++) confusion_cell(&t, json_number_value(json_array_get(row, j)), all, weighted, drawn);
    }
    fprintf(f, "\nconfusion%s: a row for each true class, a column for each prediction\n", weighted ? " by weight" : "");
    return hsp_cli_table_print(&t, f, 2, weighted ? "rd" : "r");
}

static double class_figure(const json_t *per_class, const char *key, size_t k) {
    const json_t *figure = json_array_get(json_object_get(per_class, key), k);
    return json_is_number(figure) ? json_number_value(figure) : (double)NAN;
}

static int print_classes(FILE *f, const json_t *classes, const json_t *per_class) {
    enum { BAR = 10 };
    static const char *const keys[] = {"precision", "recall", "f1", "support"};
    int bars = hsp_cli_draws(f) ? 2 : 0; /* of precision and recall */
    hsp_cli_table t;
    hsp_cli_table_begin(&t, 5 + bars);
    hsp_cli_cell(&t, "class");
    for (int j = 0; j < 4 + bars; j++) hsp_cli_cell(&t, keys[j % 4]);
    for (size_t i = 0; i < json_array_size(classes); i++) {
        hsp_cli_cell_name(&t, json_string_value(json_array_get(classes, i)));
        for (int j = 0; j < 4; j++) {
            char buf[HSP_CLI_NUMBER];
            hsp_cli_cell(&t, hsp_cli_share(class_figure(per_class, keys[j], i), buf));
        }
        for (int j = 0; j < bars; j++) {
            char bar[HSP_CLI_SPARK_BYTES];
            hsp_cli_cell(&t, hsp_cli_share_bar(class_figure(per_class, keys[j], i), BAR, bar));
        }
    }
    putc('\n', f);
    return hsp_cli_table_print(&t, f, 2, bars ? "rddddl" : "rd");
}

int hsp_cli_print_metrics(FILE *f, const json_t *metrics) {
    const json_t *classes = json_object_get(metrics, "classes");
    bool weighted = json_is_number(json_object_get(metrics, "weight"));
    if (!classes) return print_residuals(f, metrics);
    int code = print_figures(f, metrics);
    const json_t *confusion = json_object_get(metrics, "confusion");
    if (!code && json_is_array(confusion)) code = print_confusion(f, classes, confusion, weighted);
    if (!code) code = print_classes(f, classes, json_object_get(metrics, "per_class"));
    return code;
}
