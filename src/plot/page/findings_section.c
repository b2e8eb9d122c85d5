/* What hsp_inspect found, each with its remedy. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <string.h>

enum { SHOWN = 60 };

/* The three severities have classes of the style sheet; there are no others. */
static const char *severity_of(const hsp_report *finding) {
    const char *severity = hsp_report_text(finding, "severity");
    return severity && strcmp(severity, "error") == 0     ? "error"
           : severity && strcmp(severity, "warning") == 0 ? "warning"
                                                          : "note";
}

static void write_finding(hsp_html *h, const hsp_report *finding) {
    const char *severity = severity_of(finding), *fix = hsp_report_text(finding, "fix");
    hsp_html_write(h, "<li class=\"%s\"><span class=\"severity\">%s</span><p>", severity, severity);
    hsp_html_sentence(h, hsp_report_text(finding, "text"));
    hsp_html_raw(h, "</p>");
    if (fix && *fix) {
        hsp_html_raw(h, "<p class=\"remedy\">Remedy: <code>");
        hsp_html_text(h, fix);
        hsp_html_raw(h, "</code></p>");
    }
    hsp_html_raw(h, "</li>\n");
}

static void write_skipped(const hsp_page *p, hsp_html *h) {
    const hsp_report *skipped = hsp_report_member(p->inspection, "not_looked_for");
    int64_t n = hsp_report_count(skipped, NULL);
    if (n < 1) return;
    hsp_html_raw(h, "<p class=\"quiet\">Not checked:</p>\n<ul class=\"quiet\">\n");
    for (int64_t i = 0; i < n; i++) {
        hsp_html_raw(h, "<li>");
        hsp_html_sentence(h, hsp_report_text_at(skipped, NULL, i));
        hsp_html_raw(h, "</li>\n");
    }
    hsp_html_raw(h, "</ul>\n");
}

static int write(hsp_page *p, hsp_error **err) {
    (void)err;
    hsp_html *h = &p->body;
    const hsp_report *findings = hsp_report_member(p->inspection, "findings");
    int64_t n = hsp_report_count(findings, NULL), shown = 0;
    char more[HSP_NUMERAL];
    if (n == 0) {
        hsp_html_raw(h, "<p>The checks of all rows found nothing to object to.</p>\n");
    } else {
        hsp_html_raw(h, "<p>From checks of all rows, worst first. A remedy is an option of the commands at the end of this "
                        "page.</p>\n<ol class=\"findings\">\n");
        HSP_REPORT_EACH(finding, findings) {
            if (shown++ == SHOWN) break;
            write_finding(h, finding);
        }
        hsp_html_raw(h, "</ol>\n");
        if (n > SHOWN)
            hsp_html_write(h, "<p class=\"quiet\">and %s more</p>\n", hsp_html_number((double)(n - SHOWN), 15, more));
    }
    write_skipped(p, h);
    return HSP_OK;
}

const hsp_page_section hsp_page_findings = {.id = "findings", .title = "Findings", .write = write};
