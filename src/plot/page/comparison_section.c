/* The comparison of algorithms by cross-validation on the training part. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool applies(const hsp_page *p) {
    return hsp_report_count(p->comparison, "results") > 0;
}

/* The title of a metric: "log loss" for log-loss, and abbreviations in capitals. */
static void write_metric(hsp_html *h, const char *metric) {
    static const char *const abbreviations[] = {"auc", "mcc", "f1", "rmse", "mae", "r2", NULL};
    char words[64];
    bool capitals = false;
    snprintf(words, sizeof words, "%s", metric ? metric : "metric");
    for (const char *const *a = abbreviations; *a; a++) capitals = capitals || strcmp(words, *a) == 0;
    for (char *s = words; *s; s++) {
        if (*s == '_' || *s == '-') *s = ' ';
        if (capitals && *s >= 'a' && *s <= 'z') *s = (char)(*s - 'a' + 'A');
    }
    hsp_html_text(h, words);
}

static bool is_chosen(const hsp_page *p, const hsp_report *result) {
    const char *a = hsp_report_text(result, "algorithm"), *b = hsp_report_text(p->trained, "algorithm");
    return a && b && strcmp(a, b) == 0;
}

static void write_failure(const hsp_page *p, hsp_html *h, const hsp_report *result) {
    hsp_html_write(h, "<td colspan=\"%s\" class=\"quiet\">", p->dated ? "5" : "6");
    hsp_html_sentence(h, hsp_report_text(result, "error"));
    hsp_html_raw(h, "</td>");
}

/* Decimals for four digits of the best mean; the same in all rows. */
static int choose_places(const hsp_page *p) {
    double best = fabs(hsp_report_number(hsp_report_item(p->comparison, "results", 0), "mean"));
    int places = best > 0 && isfinite(best) ? 3 - (int)floor(log10(best)) : 4;
    return places < 0 ? 0 : places > 6 ? 6 : places;
}

static void write_difference(hsp_html *h, const hsp_report *result, int places) {
    double low = hsp_report_number_at(result, "interval", 0), high = hsp_report_number_at(result, "interval", 1);
    char difference[HSP_NUMERAL], lo[HSP_NUMERAL], hi[HSP_NUMERAL];
    double v = hsp_report_number(result, "difference");
    bool best = v == 0 && low == 0 && high == 0;
    hsp_html_write(h, "<td class=\"n\">%s</td><td class=\"n quiet\">",
                   best ? "\xE2\x80\x93" : hsp_html_fixed(v, places, difference));
    if (!best && isfinite(low) && isfinite(high))
        hsp_html_write(h, "%s to %s", hsp_html_fixed(low, places, lo), hsp_html_fixed(high, places, hi));
    hsp_html_raw(h, "</td>");
}

static void write_figures(const hsp_page *p, hsp_html *h, const hsp_report *result, int places) {
    char mean[HSP_NUMERAL], sd[HSP_NUMERAL], gap[HSP_NUMERAL], seconds[HSP_NUMERAL];
    hsp_html_write(h, "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
                   hsp_html_fixed(hsp_report_number(result, "mean"), places, mean),
                   hsp_html_fixed(hsp_report_number(result, "sd"), places, sd));
    write_difference(h, result, places);
    hsp_html_write(h, "<td class=\"n\">%s</td>", hsp_html_number(hsp_report_number(result, "relative_gap"), 1, gap));
    if (!p->dated)
        hsp_html_write(h, "<td class=\"n\">%s</td>", hsp_html_fixed(hsp_report_number(result, "seconds"), 2, seconds));
}

static void write_table(const hsp_page *p, hsp_html *h) {
    int places = choose_places(p);
    hsp_page_table_begin(h, "Algorithms, the best first", "comparison-table");
    hsp_html_raw(h, "<thead><tr><th scope=\"col\">algorithm</th><th scope=\"col\" class=\"n\">");
    write_metric(h, hsp_report_text(p->comparison, "metric"));
    hsp_html_raw(h, "</th><th scope=\"col\" class=\"n\">sd</th><th scope=\"col\" class=\"n\">difference</th><th "
                    "scope=\"col\" class=\"n\">95\xE2\x80\xAF% interval</th><th scope=\"col\" class=\"n\">gap</th>");
    if (!p->dated) hsp_html_raw(h, "<th scope=\"col\" class=\"n\">seconds</th>");
    hsp_html_raw(h, "</tr></thead>\n<tbody>\n");
    HSP_REPORT_EACH(result, hsp_report_member(p->comparison, "results")) {
        hsp_html_raw(h, is_chosen(p, result) ? "<tr class=\"chosen\"><th scope=\"row\">" : "<tr><th scope=\"row\">");
        hsp_html_name(h, hsp_report_text(result, "algorithm"));
        hsp_html_raw(h, "</th>");
        if (hsp_report_text(result, "error"))
            write_failure(p, h, result);
        else
            write_figures(p, h, result, places);
        hsp_html_raw(h, "</tr>\n");
    }
    hsp_page_table_end(h);
}

static int write(hsp_page *p, hsp_error **err) {
    hsp_html *h = &p->body;
    const char *summary = hsp_report_text(p->comparison, "summary"),
               *reason = hsp_report_text(hsp_report_member(p->comparison, "choice"), "reason");
    (void)err;
    hsp_html_raw(
        h, "<p>All algorithms were cross-validated on the same folds of the training rows; the held-out rows took no "
           "part. The difference is this minus the best, with an interval that allows for the overlap of the training "
           "sets (Nadeau and Bengio). Where it contains 0, the data do not tell the two apart.</p>\n");
    if (reason || summary) {
        hsp_html_raw(h, "<p>");
        hsp_html_text(h, reason ? reason : summary); /* it may begin with a name */
        hsp_html_raw(h, "</p>\n");
    }
    write_table(p, h);
    return HSP_OK;
}

const hsp_page_section hsp_page_comparison = {
    .id = "comparison", .title = "Comparison of algorithms", .applies = applies, .write = write};
