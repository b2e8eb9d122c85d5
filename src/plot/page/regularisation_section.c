/* The regularisation path: which features enter as the penalty falls. */
#include "plot/chart/chart_table.h"
#include "plot/draw/numeral.h"
#include "plot/page/page.h"
#include "plot/page/page_figure.h"

#include <math.h>

static bool applies(const hsp_page *p) {
    return p->regularisation != NULL;
}

/* The cross-validation along the path: which lambdas it names. */
static void write_folds(const hsp_report *s, hsp_html *h) {
    int64_t best = (int64_t)hsp_report_number(s, "best"), one_se = (int64_t)hsp_report_number(s, "one_se");
    char folds[HSP_NUMERAL], a[HSP_NUMERAL], b[HSP_NUMERAL];
    hsp_html_write(
        h,
        " Below, the %s over %s folds: it is best at lambda = %s, and within one standard error of that up to %s, "
        "where the model is simpler.",
        hsp_report_text_at(s, "metric", 0), hsp_html_number(hsp_report_number(s, "folds"), 15, folds),
        hsp_html_number(hsp_report_number_at(s, "lambda", best), 3, a),
        hsp_html_number(hsp_report_number_at(s, "lambda", one_se), 3, b));
}

static void caption(const hsp_page *p, const hsp_report *s, hsp_html *h) {
    const char *loss = hsp_report_text_at(s, "loss", 0), *penalty = hsp_report_text_at(s, "penalty", 0);
    int64_t L = hsp_report_count(s, "lambda");
    char most[HSP_NUMERAL], all[HSP_NUMERAL];
    hsp_html_write(
        h,
        "The weights that minimise the %s loss with the %s penalty, from the lambda at which all are 0 downwards; above, "
        "how many are not 0. At the right end %s of %s.",
        loss            ? loss
        : p->regression ? "squared"
                        : "logistic",
        penalty, hsp_html_number(hsp_report_number_at(s, "nonzeros", L - 1), 15, most),
        hsp_html_number(hsp_report_number(s, "all_features"), 15, all));
    if (hsp_report_text_at(s, "metric", 0)) write_folds(s, h);
}

static int write(hsp_page *p, hsp_error **err) {
    bool folds = hsp_report_text_at(p->regularisation, "metric", 0) != NULL;
    hsp_html_raw(&p->body,
                 "<p>Fits to the training rows for falling lambda, the weight of the penalty. Features that enter early "
                 "predict most on their own; the later ones add what those leave.</p>\n");
    hsp_page_figure f = {&hsp_chart_path, p->regularisation, 500, folds ? 600 : 420, "Regularisation path", caption, false};
    hsp_html_raw(&p->body, "<div class=\"figures wide\">\n");
    int status = hsp_page_figure_write(p, &f, err);
    hsp_html_raw(&p->body, "</div>\n");
    return status;
}

const hsp_page_section hsp_page_regularisation = {
    .id = "path", .title = "Regularisation path", .applies = applies, .write = write};
