/* The result in a few lines: how well the model does, how near it is to its optimum, and what the data checks found. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The share of the most frequent class among the held-out rows. */
static double largest_share(const hsp_page *p) {
    const hsp_report *support = hsp_report_member(hsp_report_member(p->metrics, "per_class"), "support");
    double most = 0, sum = 0;
    for (int64_t k = 0; k < hsp_report_count(support, NULL); k++) {
        double rows = hsp_report_number_at(support, NULL, k);
        sum += rows;
        most = rows > most ? rows : most;
    }
    return most / sum;
}

static void write_rows(const hsp_page *p, hsp_html *h) {
    char held[HSP_NUMERAL], fit[HSP_NUMERAL];
    hsp_html_write(h, "the %s rows held out of training (%s rows)",
                   hsp_html_number((double)hsp_data_rows(p->part.held), 15, held),
                   hsp_html_number((double)hsp_data_rows(p->part.fit), 15, fit));
}

static void write_classification(const hsp_page *p, hsp_html *h) {
    const char *target = hsp_report_text(p->source, "target");
    char accuracy[HSP_NUMERAL], most[HSP_NUMERAL];
    hsp_html_write(h, "<p class=\"lede\">The <b>%s</b> model predicts ", hsp_report_text(p->trained, "algorithm"));
    if (target)
        hsp_html_quoted(h, target);
    else
        hsp_html_raw(h, "the class");
    hsp_html_write(h, " with <b>%s accuracy</b> on ",
                   hsp_html_percent(hsp_report_number(p->metrics, "accuracy"), accuracy));
    write_rows(p, h);
    hsp_html_write(h, ". Always predicting the most frequent class would be right for %s of them.</p>\n",
                   hsp_html_percent(largest_share(p), most));
}

static void write_regression(const hsp_page *p, hsp_html *h) {
    const char *target = hsp_report_text(p->source, "target");
    char rmse[HSP_NUMERAL], r2[HSP_NUMERAL];
    hsp_html_write(h, "<p class=\"lede\">The <b>%s</b> model predicts ", hsp_report_text(p->trained, "algorithm"));
    if (target)
        hsp_html_quoted(h, target);
    else
        hsp_html_raw(h, "the target");
    hsp_html_write(h, " with a <b>root mean squared error of %s</b> on ",
                   hsp_html_number(hsp_report_number(p->metrics, "rmse"), 4, rmse));
    write_rows(p, h);
    hsp_html_write(h, ". It explains %s of the variance of the target there.</p>\n",
                   hsp_html_percent(hsp_report_number(p->metrics, "r2"), r2));
}

typedef struct tile {
    const char *member, *title;
    bool share; /* as a percentage */
} tile;

static void write_tile(hsp_html *h, const char *title, const char *value) {
    hsp_html_write(h, "<div><dt>%s</dt><dd>%s</dd></div>\n", title, value);
}

static void write_tiles(const hsp_page *p, hsp_html *h) {
    static const tile classes[] = {{"accuracy", "accuracy", true},
                                   {"balanced_accuracy", "balanced accuracy", true},
                                   {"auc", "AUC", false},
                                   {"log_loss", "log loss", false},
                                   {NULL, NULL, false}};
    static const tile numbers[] = {
        {"rmse", "RMSE", false}, {"mae", "MAE", false}, {"r2", "R\xC2\xB2", false}, {NULL, NULL, false}};
    char value[HSP_NUMERAL];
    hsp_html_raw(h, "<dl class=\"tiles\">\n");
    for (const tile *t = p->regression ? numbers : classes; t->member; t++) {
        double v = hsp_report_number(p->metrics, t->member);
        if (isfinite(v))
            write_tile(h, t->title,
                       t->share        ? hsp_html_percent(v, value)
                       : p->regression ? hsp_html_number(v, 4, value)
                                       : hsp_html_figure(v, value));
    }
    double gap = hsp_report_number(p->trained, "relative_gap");
    if (isfinite(gap) && gap < 1) {
        size_t n = strlen(hsp_html_above(fmax(100 * gap, 0.001), 2, value));
        snprintf(value + n, sizeof value - n, "\xE2\x80\xAF%%");
        write_tile(h, "objective above optimum, at most", value);
    }
    hsp_html_raw(h, "</dl>\n");
}

static double count_severity(const hsp_page *p, const char *severity) {
    double count = 0;
    HSP_REPORT_EACH(finding, hsp_report_member(p->inspection, "findings")) {
        const char *s = hsp_report_text(finding, "severity");
        count += s && strcmp(s, severity) == 0;
    }
    return count;
}

static void write_checks(const hsp_page *p, hsp_html *h) {
    static const char *const severities[] = {"error", "warning", "note"};
    char n[HSP_NUMERAL];
    bool any = false;
    hsp_html_raw(h, "<p>The data checks found ");
    for (int k = 0; k < 3; k++) {
        double count = count_severity(p, severities[k]);
        if (count == 0) continue;
        hsp_html_write(h, "%s%s %s%s", any ? ", " : "", hsp_html_number(count, 15, n), severities[k],
                       count == 1 ? "" : "s");
        any = true;
    }
    hsp_html_raw(h, any ? " (<a href=\"#findings\">read them</a>). " : "nothing to object to. ");
    hsp_page_separable(h, hsp_report_member(p->inspection, "separable"));
    hsp_html_raw(h, "</p>\n");
}

static int write(hsp_page *p, hsp_error **err) {
    (void)err;
    if (p->regression)
        write_regression(p, &p->body);
    else
        write_classification(p, &p->body);
    write_tiles(p, &p->body);
    write_checks(p, &p->body);
    return HSP_OK;
}

const hsp_page_section hsp_page_summary = {.id = "summary", .title = "Summary", .unlisted = true, .write = write};
