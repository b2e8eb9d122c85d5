/* How well the model does on the rows that were held out: metrics, the confusion matrix, and curves. */
#include "plot/chart/chart_table.h"
#include "plot/draw/numeral.h"
#include "plot/page/page.h"
#include "plot/page/page_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES = 40, MATRIX = 20, SHADES = 10 };

/* ---- metrics ---- */

typedef struct metric {
    const char *member, *title, *meaning;
    bool share; /* as a percentage */
} metric;

static const metric class_metrics[] = {
    {"accuracy", "accuracy", "share of rows classified correctly", true},
    {"balanced_accuracy", "balanced accuracy", "mean over the classes of the share found", true},
    {"auc", "AUC", "area under the ROC curve: 0.5 is chance, 1 perfect", false},
    {"average_precision", "average precision", "area under the precision-recall curve", false},
    {"log_loss", "log loss", "mean of \xE2\x88\x92log p(true class): 0 is perfect", false},
    {"brier", "Brier score", "mean squared error of the probabilities: 0 is perfect", false},
    {NULL, NULL, NULL, false}};
static const metric number_metrics[] = {
    {"rmse", "RMSE", "root mean squared error, in units of the target", false},
    {"mae", "MAE", "mean absolute error, in units of the target", false},
    {"max_error", "largest error", "in units of the target", false},
    {"r2", "R\xC2\xB2", "share of the variance explained: 1 is perfect, 0 no better than the mean", false},
    {NULL, NULL, NULL, false}};

static void write_metrics(const hsp_page *p, hsp_html *h) {
    char value[HSP_NUMERAL];
    hsp_page_table_begin(h, "Metrics", "quality-metrics");
    hsp_html_raw(h, "<thead><tr><th scope=\"col\">metric</th><th scope=\"col\" class=\"n\">held-out rows</th><th "
                    "scope=\"col\">meaning</th></tr></thead>\n<tbody>\n");
    for (const metric *m = p->regression ? number_metrics : class_metrics; m->member; m++) {
        double v = hsp_report_number(p->metrics, m->member);
        if (!isfinite(v)) continue;
        hsp_html_write(h, "<tr><th scope=\"row\">%s</th><td class=\"n\">%s</td><td class=\"quiet\">%s</td></tr>\n",
                       m->title,
                       m->share        ? hsp_html_percent(v, value)
                       : p->regression ? hsp_html_number(v, 5, value)
                                       : hsp_html_figure(v, value),
                       m->meaning);
    }
    hsp_page_table_end(h);
}

static void write_share(hsp_html *h, const hsp_report *list, int64_t k) {
    char value[HSP_NUMERAL];
    hsp_html_write(h, "<td class=\"n\">%s</td>", hsp_html_percent(hsp_report_number_at(list, NULL, k), value));
}

static void write_class_metrics(const hsp_page *p, hsp_html *h) {
    const hsp_report *each = hsp_report_member(p->metrics, "per_class"),
                     *classes = hsp_report_member(p->metrics, "classes");
    int64_t K = hsp_report_count(classes, NULL);
    char value[HSP_NUMERAL];
    hsp_page_table_begin(h, "Each class", "quality-classes");
    hsp_html_raw(h,
                 "<thead><tr><th scope=\"col\">class</th><th scope=\"col\" class=\"n\">precision</th><th scope=\"col\" "
                 "class=\"n\">recall</th><th scope=\"col\" class=\"n\">F1</th><th scope=\"col\" class=\"n\">rows</th></tr>"
                 "</thead>\n<tbody>\n");
    for (int64_t k = 0; k < K && k < CLASSES; k++) {
        hsp_html_raw(h, "<tr><th scope=\"row\">");
        hsp_html_name(h, hsp_report_text_at(classes, NULL, k));
        hsp_html_raw(h, "</th>");
        write_share(h, hsp_report_member(each, "precision"), k);
        write_share(h, hsp_report_member(each, "recall"), k);
        write_share(h, hsp_report_member(each, "f1"), k);
        hsp_html_write(h, "<td class=\"n\">%s</td></tr>\n",
                       hsp_html_number(hsp_report_number_at(each, "support", k), 15, value));
    }
    hsp_page_table_end(h);
    if (K > CLASSES)
        hsp_html_write(h, "<p class=\"quiet\">and %s more classes</p>\n",
                       hsp_html_number((double)(K - CLASSES), 15, value));
}

/* ---- the confusion matrix ---- */

static void write_matrix_row(hsp_html *h, const double *count, int64_t K) {
    char n[HSP_NUMERAL], tag[64];
    double sum = 0;
    for (int64_t l = 0; l < K; l++) sum += count[l];
    for (int64_t l = 0; l < K; l++) {
        int shade = sum > 0 ? (int)ceil(SHADES * count[l] / sum) : 0; /* by the share of the cell in its row */
        snprintf(tag, sizeof tag, "<td class=\"n s%d\">", shade < 0 ? 0 : shade > SHADES ? SHADES : shade);
        hsp_html_raw(h, tag);
        hsp_html_write(h, "%s</td>", hsp_html_number(count[l], 6, n));
    }
}

static void write_matrix(const hsp_page *p, hsp_html *h) {
    const hsp_report *classes = hsp_report_member(p->metrics, "classes");
    hsp_array counts = {.size = sizeof counts};
    int64_t K = hsp_report_count(classes, NULL);
    if (K > MATRIX || hsp_report_array(p->metrics, "confusion", &counts, NULL) || counts.shape[0] != K ||
        counts.shape[1] != K)
        return;
    hsp_page_table_begin(h, "Confusion matrix", "quality-confusion");
    hsp_html_raw(h, "<thead><tr><th scope=\"col\">true \xE2\x86\x93 predicted \xE2\x86\x92</th>");
    for (int64_t k = 0; k < K; k++) {
        hsp_html_raw(h, "<th scope=\"col\" class=\"n\">");
        hsp_html_name(h, hsp_report_text_at(classes, NULL, k));
        hsp_html_raw(h, "</th>");
    }
    hsp_html_raw(h, "</tr></thead>\n<tbody class=\"matrix\">\n");
    for (int64_t k = 0; k < K; k++) {
        hsp_html_raw(h, "<tr><th scope=\"row\">");
        hsp_html_name(h, hsp_report_text_at(classes, NULL, k));
        hsp_html_raw(h, "</th>");
        write_matrix_row(h, (const double *)counts.data + k * K, K);
        hsp_html_raw(h, "</tr>\n");
    }
    hsp_page_table_end(h);
}

/* ---- curves ---- */

static bool is_binary(const hsp_page *p) {
    return hsp_model_outputs(p->model) == 1;
}

/* The names of the positive and of the other class, as the caption has them. */
static void write_class(const hsp_page *p, hsp_html *h, bool positive) {
    int64_t k = hsp_model_positive(p->model);
    hsp_html_quoted(h, hsp_model_class_name(p->model, positive ? k : 1 - k));
}

static void caption_roc(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char area[HSP_NUMERAL], found[HSP_NUMERAL], wrong[HSP_NUMERAL];
    if (!is_binary(p)) {
        hsp_html_write(h,
                       "Each class against the rest, by its lead over the best other class; mean area under the curve %s.",
                       hsp_html_figure(hsp_report_number(p->metrics, "lead_auc"), area));
        return;
    }
    hsp_html_write(h, "Area under the curve %s. At the threshold of the model (ring) it finds %s of ",
                   hsp_html_figure(hsp_report_number_at(s, "auc", 0), area),
                   hsp_html_percent(hsp_report_number_at(s, "model_tpr", 0), found));
    write_class(p, h, true);
    hsp_html_write(h, " and misclassifies %s of ", hsp_html_percent(hsp_report_number_at(s, "model_fpr", 0), wrong));
    write_class(p, h, false);
    hsp_html_raw(h, ".");
}

static void caption_pr(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char area[HSP_NUMERAL], found[HSP_NUMERAL], precision[HSP_NUMERAL], rate[HSP_NUMERAL];
    if (!is_binary(p)) {
        hsp_html_write(h, "Each class against the rest; mean average precision %s.",
                       hsp_html_figure(hsp_report_number(p->metrics, "lead_average_precision"), area));
        return;
    }
    hsp_html_write(h, "Average precision %s. At the threshold of the model (ring) it finds %s of ",
                   hsp_html_figure(hsp_report_number_at(s, "average_precision", 0), area),
                   hsp_html_percent(hsp_report_number_at(s, "model_recall", 0), found));
    write_class(p, h, true);
    hsp_html_write(h, ", and %s of its positive predictions are right. Guessing has a precision of %s.",
                   hsp_html_percent(hsp_report_number_at(s, "model_precision", 0), precision),
                   hsp_html_percent(hsp_report_number_at(s, "base_rate", 0), rate));
}

static void caption_calibration(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char error[HSP_NUMERAL], brier[HSP_NUMERAL];
    hsp_html_raw(h, "Observed frequency of ");
    if (is_binary(p))
        write_class(p, h, true);
    else
        hsp_html_raw(h, "each class");
    hsp_html_write(
        h, " against its predicted probability, in bins of equally many rows with 95\xE2\x80\xAF%% intervals; below, "
           "how often each probability is predicted.");
    if (is_binary(p))
        hsp_html_write(h, " The mean distance from the diagonal is %s,",
                       hsp_html_figure(hsp_report_number_at(s, "ece", 0), error));
    hsp_html_write(h, " %s %s.", is_binary(p) ? "the Brier score" : "The Brier score is",
                   hsp_html_figure(hsp_report_number(s, "brier"), brier));
}

static void caption_scores(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char share[HSP_NUMERAL];
    (void)p;
    hsp_html_write(h, "The scores of the rows of each class, and the threshold between them: %s are on the right side.",
                   hsp_html_percent(hsp_report_number(s, "correct") / hsp_report_number(s, "mass"), share));
}

static void caption_confusion(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char share[HSP_NUMERAL];
    (void)p;
    hsp_html_write(
        h,
        "True classes down, predicted ones across; a cell is as dark as its share of its row. %s of the rows are on "
        "the diagonal.",
        hsp_html_percent(hsp_report_number(s, "correct") / hsp_report_number(s, "mass"), share));
}

static void caption_predicted(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char r2[HSP_NUMERAL];
    (void)p;
    hsp_html_raw(h, "The targets of the held-out rows against the predictions; on the dashed line both are equal.");
    if (isfinite(hsp_report_number(s, "r2")))
        hsp_html_write(h, " R\xC2\xB2 is %s.", hsp_html_figure(hsp_report_number(s, "r2"), r2));
}

static void caption_residuals(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    char rmse[HSP_NUMERAL], mae[HSP_NUMERAL];
    (void)p;
    hsp_html_write(
        h,
        "What the predictions miss: the mean size is %s, the root mean square %s. A curve or a funnel in the cloud "
        "means that a transform of a column or of the target would help.",
        hsp_html_number(hsp_report_number(s, "mae"), 4, mae), hsp_html_number(hsp_report_number(s, "rmse"), 4, rmse));
}

/* Runs the study of the chart on the held-out rows and draws it. */
static int add_figure(hsp_page *p, hsp_page_figure f, hsp_error **err) {
    hsp_report *study = NULL;
    int status = hsp_study_run(f.chart->study, p->model, hsp_page_held(p), p->plain, &p->watch.hooks, &study, err);
    f.study = study;
    if (status == HSP_OK) status = hsp_page_figure_write(p, &f, err);
    hsp_report_free(study);
    return status;
}

static int write_curves(hsp_page *p, hsp_error **err) {
    const double side = 420, low = 400;
    bool many = !is_binary(p), ranked = isfinite(hsp_report_number(p->metrics, "auc"));
    int status = HSP_OK;
    hsp_html_raw(&p->body, "<div class=\"figures\">\n");
    if (ranked)
        status = add_figure(p, (hsp_page_figure){&hsp_chart_roc, NULL, side, low, "ROC curve", caption_roc, many}, err);
    if (ranked && status == HSP_OK)
        status =
            add_figure(p, (hsp_page_figure){&hsp_chart_pr, NULL, side, low, "Precision and recall", caption_pr, many}, err);
    if (status == HSP_OK && isfinite(hsp_report_number(p->metrics, "brier")))
        status = add_figure(
            p, (hsp_page_figure){&hsp_chart_calibration, NULL, side, low, "Calibration", caption_calibration, many}, err);
    if (status == HSP_OK && !many)
        status = add_figure(p, (hsp_page_figure){&hsp_chart_scores, NULL, side, low, "Scores", caption_scores, true}, err);
    if (status == HSP_OK && hsp_model_classes(p->model) > MATRIX)
        status = add_figure(
            p, (hsp_page_figure){&hsp_chart_confusion, NULL, side, side, "Confusion matrix", caption_confusion, false},
            err);
    hsp_html_raw(&p->body, "</div>\n");
    return status;
}

static int write_clouds(hsp_page *p, hsp_error **err) {
    const double side = 420, low = 400;
    hsp_html_raw(&p->body, "<div class=\"figures\">\n");
    int status = add_figure(
        p, (hsp_page_figure){&hsp_chart_predicted, NULL, side, low, "Targets and predictions", caption_predicted, false},
        err);
    if (status == HSP_OK)
        status = add_figure(
            p, (hsp_page_figure){&hsp_chart_residuals, NULL, side, low, "Residuals", caption_residuals, false}, err);
    hsp_html_raw(&p->body, "</div>\n");
    return status;
}

/* How the rows were chosen that were held out. */
static const char *split_words(const hsp_page *p) {
    if (p->apart && strcmp(p->apart, "groups") == 0) return ", whole groups of them,";
    if (p->apart) return ", the latest ones,";
    return p->regression ? "" : ", in equal proportions of the classes,";
}

static int write(hsp_page *p, hsp_error **err) {
    hsp_html *h = &p->body;
    char held[HSP_NUMERAL];
    hsp_html_write(h,
                   "<p>All figures here are of the %s rows that were held out%s before anything was chosen or fitted. They "
                   "estimate how the model does on new rows of the same kind.</p>\n",
                   hsp_html_number((double)hsp_data_rows(p->part.held), 15, held), split_words(p));
    write_metrics(p, h);
    if (p->regression) return write_clouds(p, err);
    hsp_html_raw(h, "<div class=\"pair\">\n");
    write_matrix(p, h);
    write_class_metrics(p, h);
    hsp_html_raw(h, "</div>\n");
    return write_curves(p, err);
}

const hsp_page_section hsp_page_quality = {.id = "quality", .title = "On held-out rows", .write = write};
