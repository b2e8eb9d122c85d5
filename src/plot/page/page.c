/* hsp_plot_page: gathers what there is to report, writes it section by section, and puts head and style sheet around it. */
#include "plot/page/page.h"

#include "halfspace_plot.h"
#include "plot/draw/picture_bytes.h"

#include <stdio.h>
#include <string.h>

/* ---- the frame of the page ---- */

static const char *title_of(const hsp_page *p) {
    const char *title = hsp_options_get(p->o, "title");
    return title && *title ? title : hsp_page_name(p);
}

/* The date of the model: today's, or that of SOURCE_DATE_EPOCH; without the time of day. */
static void write_date(const hsp_page *p, hsp_html *h) {
    const char *when = hsp_report_text(hsp_report_member(p->model_report, "training"), "when");
    char day[16] = "";
    if (when) snprintf(day, sizeof day, "%.10s", when);
    hsp_html_write(h, "<time datetime=\"%s\">%s</time>", day, day);
}

static void write_head(const hsp_page *p, hsp_html *h) {
    /* The policy forbids scripts and every load from elsewhere, should a name ever get past the escaping. */
    hsp_html_raw(h, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                    "img-src data:; base-uri 'none'; form-action 'none'\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<meta name=\"color-scheme\" content=\"light dark\">\n"
                    "<meta name=\"robots\" content=\"noindex\">\n");
    hsp_html_write(h, "<meta name=\"generator\" content=\"halfspace %s\">\n<title>%s</title>\n<style>\n", hsp_version(),
                   title_of(p));
    hsp_html_raw(h, hsp_page_style);
    hsp_html_raw(h, ":root{");
    hsp_page_colours_write(h, &p->colours, false);
    hsp_html_raw(h, "}\n@media screen and (prefers-color-scheme:dark){:root{");
    hsp_page_colours_write(h, &p->colours, true);
    hsp_html_raw(h, "}}\n</style>\n</head>\n");
}

static bool applies(const hsp_page *p, const hsp_page_section *s) {
    return !s->applies || s->applies(p);
}

static void write_contents(const hsp_page *p, hsp_html *h) {
    hsp_html_raw(h, "<nav aria-label=\"Sections\"><ul>");
    for (const hsp_page_section *const *s = hsp_page_table; *s; s++)
        if (applies(p, *s) && !(*s)->unlisted) hsp_html_write(h, "<li><a href=\"#%s\">%s</a></li>", (*s)->id, (*s)->title);
    hsp_html_raw(h, "</ul></nav>\n");
}

static void write_header(const hsp_page *p, hsp_html *h) {
    hsp_html_raw(h,
                 "<body>\n<a class=\"skip\" href=\"#summary\">Skip to the summary</a>\n<header>\n<p class=\"kind\">Report "
                 "\xC2\xB7 ");
    write_date(p, h);
    hsp_html_raw(h, "</p>\n<h1>");
    hsp_html_name(h, title_of(p));
    hsp_html_raw(h, "</h1>\n");
    write_contents(p, h);
    hsp_html_raw(h, "</header>\n<main>\n");
}

static void write_footer(hsp_html *h) {
    hsp_html_write(
        h,
        "</main>\n<footer><p>Written by halfspace %s. The page is complete in itself: it loads nothing and runs no "
        "script. The same data, options and version give the same figures, for any number of threads.</p></footer>\n"
        "</body>\n</html>\n",
        hsp_version());
}

static int write_sections(hsp_page *p, hsp_error **err) {
    int status = HSP_OK;
    for (const hsp_page_section *const *s = hsp_page_table; *s && status == HSP_OK; s++) {
        if (!applies(p, *s)) continue;
        hsp_html_write(&p->body, "<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", (*s)->id, (*s)->id,
                       (*s)->title);
        status = (*s)->write(p, err);
        hsp_html_raw(&p->body, "</section>\n");
        if (status == HSP_OK && (hsp_cancel_consume() || p->watch.stopped))
            status = hsp_fail(err, HSP_ECANCELLED, "interrupted before the report was complete: no file was written");
    }
    return status;
}

/* ---- the report of the call ---- */

static int64_t count_findings(const hsp_page *p, const char *severity) {
    int64_t count = 0;
    HSP_REPORT_EACH(finding, hsp_report_member(p->inspection, "findings")) {
        const char *s = hsp_report_text(finding, "severity");
        count += s && strcmp(s, severity) == 0;
    }
    return count;
}

static void add_findings(const hsp_page *p, hsp_json *j) {
    hsp_json_object(j, "findings");
    hsp_json_int(j, "errors", count_findings(p, "error"));
    hsp_json_int(j, "warnings", count_findings(p, "warning"));
    hsp_json_int(j, "notes", count_findings(p, "note"));
    hsp_json_object_end(j);
}

static void add_metrics(const hsp_page *p, hsp_json *j) {
    hsp_json_object(j, "holdout");
    HSP_REPORT_EACH(member, p->metrics) {
        const char *name = hsp_report_name(member);
        if (strcmp(name, "assumed") != 0 && strcmp(name, "seconds") != 0) hsp_json_report(j, name, member);
    }
    hsp_json_object_end(j);
}

/* The comparison without what varies between runs, such as seconds. */
static void add_comparison(const hsp_page *p, hsp_json *j) {
    static const char *const kept[] = {"algorithm", "mean", "sd", "difference", "interval", "relative_gap", "error"};
    if (!p->comparison) {
        hsp_json_null(j, "comparison");
        return;
    }
    hsp_json_object(j, "comparison");
    hsp_json_string(j, "metric", hsp_report_text(p->comparison, "metric"));
    hsp_json_array(j, "results");
    HSP_REPORT_EACH(result, hsp_report_member(p->comparison, "results")) {
        hsp_json_object(j, NULL);
        for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
            hsp_json_report(j, kept[i], hsp_report_member(result, kept[i]));
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
    hsp_json_string(j, "reason", hsp_report_text(hsp_report_member(p->comparison, "choice"), "reason"));
    hsp_json_object_end(j);
}

static int make_report(const hsp_page *p, int64_t bytes, hsp_report **out, hsp_error **err) {
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "rows", hsp_data_rows(p->data));
    hsp_json_int(&j, "features", hsp_data_features(p->data));
    hsp_json_string(&j, "task", hsp_report_text(p->trained, "task"));
    hsp_json_string(&j, "algorithm", hsp_report_text(p->trained, "algorithm"));
    add_findings(p, &j);
    hsp_json_string(&j, "separable", hsp_report_text(hsp_report_member(p->inspection, "separable"), "verdict"));
    hsp_json_int(&j, "training_rows", hsp_data_rows(p->part.fit));
    hsp_json_number(&j, "relative_gap", hsp_report_number(p->trained, "relative_gap"));
    add_comparison(p, &j);
    add_metrics(p, &j);
    hsp_json_int(&j, "figures", p->figures);
    hsp_json_int(&j, "bytes", bytes);
    hsp_json_string(&j, "model", hsp_options_get(p->o, "model"));
    hsp_json_object_end(&j);
    return hsp_json_take(&j, out, err);
}

/* ---- the call ---- */

static int check_path(const char *path, hsp_error **err) {
    if (!path || !*path) return hsp_fail(err, HSP_EUSAGE, "no output file: add -o FILE.html");
    if (strcmp(path, "-") == 0 || hsp_path_ends_in(path, ".html") || hsp_path_ends_in(path, ".htm")) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "unknown file extension of '%.200s': a report is an HTML page, give -o FILE.html",
                    path);
}

static int check_data(const hsp_page *p, hsp_error **err) {
    hsp_array labels = {.size = sizeof labels};
    if (p->data && hsp_data_array(p->data, "targets", &labels, NULL) == HSP_OK && labels.data) return HSP_OK;
    if (p->data && hsp_data_array(p->data, "labels", &labels, NULL) == HSP_OK && labels.data) return HSP_OK;
    return hsp_fail(err, HSP_EINPUT, "the data have no column to predict: name one with --target");
}

/* The model first: a page that names it is not left without it. */
static int write_files(const hsp_page *p, const hsp_html *whole, hsp_error **err) {
    const char *model = hsp_options_get(p->o, "model");
    int status = model && p->final ? hsp_model_save(p->final, model, err) : HSP_OK;
    if (status != HSP_OK) return status;
    return hsp_write_file(p->path, whole->bytes.data, (size_t)whole->bytes.size, err);
}

static int write_page(hsp_page *p, hsp_report **report, hsp_error **err) {
    hsp_html whole = {0};
    int status = write_sections(p, err);
    if (status == HSP_OK) {
        write_head(p, &whole);
        write_header(p, &whole);
        hsp_html_raw_n(&whole, p->body.bytes.data, p->body.bytes.size);
        write_footer(&whole);
        if (whole.failed || p->body.failed) status = HSP_EMEMORY;
    }
    if (status == HSP_OK) status = make_report(p, whole.bytes.size, report, err);
    if (status == HSP_OK) status = write_files(p, &whole, err);
    hsp_html_clear(&whole);
    return status;
}

int hsp_plot_page(const hsp_data *data, const hsp_options *o, const hsp_hooks *hooks, const char *path, hsp_report **report,
                  hsp_error **err) {
    hsp_page p = {.data = data, .o = o, .watch.given = hooks, .path = path};
    hsp_report *made = NULL;
    if (report) *report = NULL;
    int status = check_path(path, err);
    if (status == HSP_OK) status = check_data(&p, err);
    if (status == HSP_OK && !o) status = hsp_options_new(&p.own, err);
    if (!o) p.o = p.own;
    if (status == HSP_OK) status = hsp_page_gather(&p, err);
    if (status == HSP_OK) status = write_page(&p, &made, err);
    if (status == HSP_OK && report) {
        *report = made;
        made = NULL;
    }
    hsp_report_free(made);
    hsp_page_clear(&p);
    return status == HSP_EMEMORY ? hsp_plot_fail_memory(err) : status;
}
