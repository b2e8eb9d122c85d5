/* The model: the problem that it solves, how near it is to the optimum, and its settings. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_none(const char *name) {
    return !name || strcmp(name, "none") == 0;
}

static void write_problem(hsp_html *h, const hsp_report *t) {
    const char *loss = hsp_report_text(t, "loss"), *penalty = hsp_report_text(t, "penalty");
    char C[HSP_NUMERAL], lambda[HSP_NUMERAL], rows[HSP_NUMERAL];
    hsp_html_write(h, "<p>The model <b>%s</b> was fitted to %s training rows", hsp_report_text(t, "algorithm"),
                   hsp_html_number(hsp_report_number(t, "rows"), 15, rows));
    if (loss) hsp_html_write(h, ". It minimises the %s loss", loss);
    if (loss && !is_none(penalty))
        hsp_html_write(h, " with the %s penalty, C = %s (lambda = %s)", penalty,
                       hsp_html_number(hsp_report_number(t, "C"), 4, C),
                       hsp_html_number(hsp_report_number(t, "lambda"), 4, lambda));
    else if (loss)
        hsp_html_raw(h, " without a penalty");
    hsp_html_raw(h, ".</p>\n");
}

/* How far from the optimum the model can be at most, and why. */
static void write_certificate(hsp_html *h, const hsp_report *t) {
    double gap = hsp_report_number(t, "relative_gap"), objective = hsp_report_number(t, "objective");
    double bound = hsp_report_number(t, "dual_bound");
    char percent[HSP_NUMERAL], P[HSP_NUMERAL], D[HSP_NUMERAL];
    hsp_html_raw(h, "<p class=\"certificate\"><b>Certificate.</b> ");
    if (gap == 0) {
        hsp_html_write(h, "The model is the optimum to the last digit: its objective and the dual bound are both %s.",
                       hsp_html_number(objective, 7, P));
    } else if (isfinite(gap) && gap < 1) {
        hsp_html_write(
            h,
            "The objective is at most %s\xE2\x80\xAF%% above the optimum: it is %s, and a dual bound shows that no "
            "weights reach less than %s.",
            hsp_html_above(100 * fmax(gap, 0), 2, percent), hsp_html_number(objective, 7, P), hsp_html_number(bound, 7, D));
        if (hsp_report_flag(t, "tolerance_missed") == 1) hsp_html_raw(h, " The requested tolerance was missed.");
    } else if (isfinite(gap)) {
        hsp_html_raw(h, "None: the dual bound is not above 0, so it says nothing about the distance from the optimum.");
    } else if (isfinite(objective)) {
        hsp_html_raw(
            h, "None: no dual bound is known for this fit, so nothing is claimed about its distance from the optimum.");
    } else {
        hsp_html_raw(
            h, "None is needed: the model is computed by a formula or by a rule of updates, and minimises no objective.");
    }
    hsp_html_raw(h, "</p>\n");
}

static void write_separability(const hsp_page *p, hsp_html *h) {
    hsp_html verdict = {0};
    if (!p->regression && hsp_page_separable(&verdict, hsp_report_member(p->inspection, "separable"))) {
        hsp_html_raw(h, "<p><b>Separability of all rows.</b> ");
        hsp_html_raw_n(h, verdict.bytes.data, verdict.bytes.size);
        hsp_html_raw(h, "</p>\n");
    }
    h->failed = h->failed || verdict.failed;
    hsp_html_clear(&verdict);
}

/* ---- settings ---- */

static void write_setting(hsp_html *h, const char *name, const char *value) {
    if (value) hsp_html_write(h, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name, value);
}

static void write_number(hsp_html *h, const char *name, double v, int digits) {
    char text[HSP_NUMERAL];
    if (isfinite(v)) write_setting(h, name, hsp_html_number(v, digits, text));
}

static void write_settings(const hsp_page *p, hsp_html *h) {
    const hsp_report *t = p->trained;
    const char *positive = hsp_report_text(t, "positive"), *reason = hsp_report_text(t, "stop_reason");
    hsp_page_table_begin(h, "The fit", "model-fit");
    hsp_html_raw(h, "<tbody class=\"facts\">\n");
    if (positive) {
        hsp_html_raw(h, "<tr><th scope=\"row\">positive class</th><td>");
        hsp_html_name(h, positive);
        hsp_html_raw(h, "</td></tr>\n");
    }
    write_setting(h, "more than two classes", hsp_report_text(t, "multiclass"));
    write_setting(h, "scaling of the columns", hsp_report_text(t, "scale"));
    write_setting(h, "solver", hsp_report_text(t, "solver"));
    write_number(h, "epochs", hsp_report_number(t, "epochs"), 15);
    write_setting(h, "stopped", reason ? hsp_stop_sentence(reason) : NULL);
    write_number(h, "relative gap", hsp_report_number(t, "relative_gap"), 2);
    write_number(h, "tolerance", hsp_report_number(t, "tolerance"), 2);
    write_number(h, "features", hsp_report_number(t, "features"), 15);
    if (!is_none(hsp_report_text(t, "penalty")))
        write_number(h, "non-zero weights", hsp_report_number(t, "nonzero_weights"), 15);
    write_setting(h, "checksum", hsp_report_text(t, "checksum"));
    hsp_page_table_end(h);
}

/* Those about single columns are among the findings. */
static void write_warnings(const hsp_page *p, hsp_html *h) {
    const hsp_report *warnings = hsp_report_member(p->trained, "warnings");
    int64_t shown = 0;
    for (int64_t i = 0; i < hsp_report_count(warnings, NULL); i++) {
        const char *text = hsp_report_text_at(warnings, NULL, i);
        if (!text || strncmp(text, "column ", 7) == 0) continue;
        if (shown++ == 0) hsp_html_raw(h, "<ol class=\"findings\">\n");
        hsp_html_raw(h, "<li class=\"warning\"><span class=\"severity\">warning</span><p>");
        hsp_html_sentence(h, text);
        hsp_html_raw(h, "</p></li>\n");
    }
    if (shown > 0) hsp_html_raw(h, "</ol>\n");
}

/* The model that was written to a file. */
static void write_final(const hsp_page *p, hsp_html *h) {
    const hsp_report *t = hsp_report_member(hsp_report_member(p->final_report, "training"), "report");
    char rows[HSP_NUMERAL], percent[HSP_NUMERAL];
    if (!p->final) return;
    hsp_html_raw(h, "<p>The model in <code>");
    hsp_html_text(h, hsp_options_get(p->o, "model"));
    hsp_html_write(h, "</code> was fitted to all %s rows with the same settings",
                   hsp_html_number(hsp_report_number(t, "rows"), 15, rows));
    double gap = hsp_report_number(t, "relative_gap");
    if (isfinite(gap) && gap < 1)
        hsp_html_write(h, "; its objective is at most %s\xE2\x80\xAF%% above the optimum",
                       hsp_html_above(100 * fmax(gap, 0), 2, percent));
    hsp_html_raw(h, ". No figure on this page is its own: it has seen the rows that were held out.</p>\n");
}

static int write(hsp_page *p, hsp_error **err) {
    (void)err;
    hsp_html *h = &p->body;
    write_problem(h, p->trained);
    write_certificate(h, p->trained);
    write_separability(p, h);
    write_warnings(p, h);
    write_final(p, h);
    write_settings(p, h);
    return HSP_OK;
}

const hsp_page_section hsp_page_model = {.id = "model", .title = "The model", .write = write};
