/* What was read, and what reading assumed. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLASSES = 30, COLUMNS = 60, LEVELS = 3 };

static void write_fact(hsp_html *h, const char *name, const char *value) {
    hsp_html_write(h, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, value);
}

static void write_count(hsp_html *h, const char *name, double v) {
    char n[HSP_NUMERAL];
    if (isfinite(v)) write_fact(h, name, hsp_html_number(v, 15, n));
}

static void write_facts(const hsp_page *p, hsp_html *h) {
    const char *target = hsp_report_text(p->source, "target"), *format = hsp_report_text(p->source, "format");
    const hsp_report *targets = hsp_report_member(p->source, "targets");
    char n[HSP_NUMERAL], m[HSP_NUMERAL];
    hsp_page_table_begin(h, "What was read", "data-facts");
    hsp_html_raw(h, "<tbody class=\"facts\">\n<tr><th scope=\"row\">data</th><td>");
    hsp_html_name(h, hsp_page_name(p));
    if (format) hsp_html_write(h, " (%s)", format);
    hsp_html_raw(h, "</td></tr>\n");
    write_count(h, "rows", hsp_report_number(p->source, "rows"));
    write_count(h, "features", hsp_report_number(p->source, "features"));
    hsp_html_raw(h, "<tr><th scope=\"row\">to predict</th><td>");
    hsp_html_name(h, target ? target : "the label");
    if (hsp_report_kind(targets, NULL) == HSP_REPORT_OBJECT)
        hsp_html_write(h, ", from %s to %s", hsp_html_number(hsp_report_number(targets, "min"), 5, n),
                       hsp_html_number(hsp_report_number(targets, "max"), 5, m));
    hsp_html_raw(h, "</td></tr>\n");
    write_count(h, "missing values", hsp_report_number(p->inspection, "missing"));
    write_count(h, "held-out rows", (double)hsp_data_rows(p->part.held));
    const char *assumed = hsp_report_text(p->source, "assumed");
    if (assumed) {
        hsp_html_raw(h, "<tr><th scope=\"row\">assumed</th><td>");
        hsp_html_text(h, assumed);
        hsp_html_raw(h, "</td></tr>\n");
    }
    hsp_page_table_end(h);
}

/* ---- classes ---- */

static void write_bar(hsp_html *h, double share) {
    char style[96];
    long long tenths = llround(1000 * fmin(fmax(share, 0), 1));
    snprintf(style, sizeof style, "<td class=\"bar\"><span style=\"width:%lld.%lld%%\"></span></td>", tenths / 10,
             tenths % 10);
    hsp_html_raw(h, style);
}

static void write_classes(const hsp_page *p, hsp_html *h) {
    const hsp_report *classes = hsp_report_member(p->inspection, "classes"),
                     *balance = hsp_report_member(p->inspection, "class_balance");
    char n[HSP_NUMERAL], share[HSP_NUMERAL];
    int64_t shown = 0, all = hsp_report_count(classes, NULL);
    if (all < 1) return;
    hsp_page_table_begin(h, "Classes", "data-classes");
    hsp_html_raw(h, "<thead><tr><th scope=\"col\">class</th><th scope=\"col\" class=\"n\">rows</th><th scope=\"col\" "
                    "class=\"n\">share</th><td class=\"bar\"></td></tr></thead>\n<tbody>\n");
    const hsp_report *part = hsp_report_next(balance, NULL);
    HSP_REPORT_EACH(class, classes) {
        if (shown++ == CLASSES) break;
        double v = hsp_report_number(part, NULL);
        hsp_html_raw(h, "<tr><th scope=\"row\">");
        hsp_html_name(h, hsp_report_name(class));
        hsp_html_write(h, "</th><td class=\"n\">%s</td><td class=\"n\">%s</td>",
                       hsp_html_number(hsp_report_number(class, NULL), 15, n), hsp_html_percent(v, share));
        write_bar(h, v);
        hsp_html_raw(h, "</tr>\n");
        part = hsp_report_next(balance, part);
    }
    hsp_page_table_end(h);
    if (all > CLASSES)
        hsp_html_write(h, "<p class=\"quiet\">and %s more classes</p>\n", hsp_html_number((double)(all - CLASSES), 15, n));
}

/* ---- columns ---- */

static void write_levels(hsp_html *h, const hsp_report *column) {
    const hsp_report *levels = hsp_report_member(column, "levels");
    char n[HSP_NUMERAL];
    int64_t all = hsp_report_count(levels, NULL), shown = all < LEVELS ? all : LEVELS;
    for (int64_t i = 0; i < shown; i++) {
        const hsp_report *level = hsp_report_item(levels, NULL, i);
        hsp_html_raw(h, i ? ", " : "");
        hsp_html_name(h, hsp_report_text(level, "level"));
        hsp_html_write(h, " (%s)", hsp_html_number(hsp_report_number(level, "rows"), 15, n));
    }
    if ((double)shown < hsp_report_number(column, "distinct")) hsp_html_raw(h, ", \xE2\x80\xA6");
}

static void write_values(hsp_html *h, const hsp_report *column) {
    char a[HSP_NUMERAL], b[HSP_NUMERAL], c[HSP_NUMERAL];
    double least = hsp_report_number(column, "min"), greatest = hsp_report_number(column, "max");
    double features = hsp_report_number(column, "features");
    if (isfinite(least) && least == greatest)
        hsp_html_write(h, "always %s", hsp_html_number(least, 5, a));
    else if (isfinite(least))
        hsp_html_write(h, "%s to %s, mean %s", hsp_html_number(least, 5, a), hsp_html_number(greatest, 5, b),
                       hsp_html_number(hsp_report_number(column, "mean"), 4, c));
    else if (hsp_report_count(column, "levels") > 0)
        write_levels(h, column);
    else if (features > 0)
        hsp_html_write(h, "%s feature%s", hsp_html_number(features, 15, a), features == 1 ? "" : "s");
    else
        hsp_html_raw(h, "not used");
}

static void write_columns(const hsp_page *p, hsp_html *h) {
    const hsp_report *columns = hsp_report_member(p->inspection, "columns");
    int64_t all = hsp_report_count(columns, NULL), shown = 0;
    char n[HSP_NUMERAL], m[HSP_NUMERAL];
    if (all < 1) return;
    hsp_page_table_begin(h, "Columns", "data-columns");
    hsp_html_raw(
        h, "<thead><tr><th scope=\"col\">column</th><th scope=\"col\">kind</th><th scope=\"col\" class=\"n\">missing</th>"
           "<th scope=\"col\" class=\"n\">distinct</th><th scope=\"col\" "
           "class=\"values\">values</th></tr></thead>\n<tbody>\n");
    HSP_REPORT_EACH(column, columns) {
        if (shown++ == COLUMNS) break;
        hsp_html_raw(h, "<tr><th scope=\"row\">");
        hsp_html_name(h, hsp_report_text(column, "name"));
        hsp_html_write(h, "</th><td>%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"values\">",
                       hsp_report_text(column, "kind"), hsp_html_number(hsp_report_number(column, "missing"), 15, n),
                       hsp_html_number(hsp_report_number(column, "distinct"), 15, m));
        write_values(h, column);
        hsp_html_raw(h, "</td></tr>\n");
    }
    hsp_page_table_end(h);
    if (all > COLUMNS)
        hsp_html_write(h, "<p class=\"quiet\">and %s more columns</p>\n", hsp_html_number((double)(all - COLUMNS), 15, n));
}

static int write(hsp_page *p, hsp_error **err) {
    (void)err;
    hsp_html_raw(&p->body, "<div class=\"pair\">\n");
    write_facts(p, &p->body);
    write_classes(p, &p->body);
    hsp_html_raw(&p->body, "</div>\n");
    write_columns(p, &p->body);
    return HSP_OK;
}

const hsp_page_section hsp_page_data = {.id = "data", .title = "The data", .write = write};
