/* What several sections write. */
#include "plot/draw/numeral.h"
#include "plot/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

/* NULL for rows that are in no file of their own. */
static const char *file_of(const hsp_page *p) {
    const char *source = hsp_report_text(p->source, "source");
    bool none = !source || !*source || strcmp(source, "memory") == 0 || strcmp(source, "generated") == 0 ||
                strcmp(source, "<stdin>") == 0 || strcmp(source, "-") == 0;
    return none ? NULL : source;
}

const char *hsp_page_name(const hsp_page *p) {
    const char *file = file_of(p), *slash = file ? strrchr(file, '/') : NULL;
    return !file ? "Data" : slash && slash[1] ? slash + 1 : file;
}

/* In reports U+FFFD stands for bytes that are not UTF-8, so such a file cannot be named. */
const char *hsp_page_file(const hsp_page *p) {
    const char *file = file_of(p);
    return file && !strstr(file, "\xEF\xBF\xBD") ? file : "DATA";
}

/* ---- separability ---- */

static bool has_verdict(const hsp_report *s, const char *verdict) {
    const char *v = hsp_report_text(s, "verdict");
    return v && strcmp(v, verdict) == 0;
}

static const char *proof_words(const hsp_report *s) {
    const char *proof = hsp_report_text(s, "proof");
    if (!proof) return "not proven";
    return strcmp(proof, "exact") == 0 ? "proven in exact arithmetic" : "proven with bounds on the rounding errors";
}

static void write_one_verdict(hsp_html *h, const hsp_report *s) {
    char margin[HSP_NUMERAL];
    if (has_verdict(s, "separable") && isfinite(hsp_report_number(s, "margin")))
        hsp_html_write(h, "A hyperplane separates the classes with margin %s (%s).",
                       hsp_html_number(hsp_report_number(s, "margin"), 4, margin), proof_words(s));
    else if (has_verdict(s, "separable"))
        hsp_html_write(h, "A hyperplane separates the classes (%s).", proof_words(s));
    else if (has_verdict(s, "not-separable"))
        hsp_html_write(h, "No hyperplane separates the classes: their convex hulls intersect (%s).", proof_words(s));
    else if (has_verdict(s, "touching"))
        hsp_html_write(
            h, "A hyperplane has no row on the wrong side, but some rows lie on it: quasi-complete separation (%s).",
            proof_words(s));
    else
        hsp_html_raw(h, "Whether a hyperplane separates the classes was not decided within the time limit.");
}

static void write_verdicts(hsp_html *h, const hsp_report *problems, double untested) {
    char part[HSP_NUMERAL], whole[HSP_NUMERAL], open[HSP_NUMERAL];
    double yes = 0, undecided = untested > 0 ? untested : 0, n = (double)hsp_report_count(problems, NULL) + undecided;
    HSP_REPORT_EACH(problem, problems) {
        yes += has_verdict(problem, "separable");
        undecided += has_verdict(problem, "undecided");
    }
    hsp_html_write(h, "A hyperplane separates %s of the %s classes from the rest", hsp_html_number(yes, 15, part),
                   hsp_html_number(n, 15, whole));
    if (undecided > 0) hsp_html_write(h, "; %s undecided", hsp_html_number(undecided, 15, open));
    hsp_html_raw(h, ".");
}

bool hsp_page_separable(hsp_html *h, const hsp_report *separable) {
    const hsp_report *problems = hsp_report_member(separable, "problems");
    if (hsp_report_kind(separable, NULL) != HSP_REPORT_OBJECT || hsp_report_text(separable, "note")) return false;
    if (hsp_report_count(problems, NULL) > 0)
        write_verdicts(h, problems, hsp_report_number(separable, "untested_classes"));
    else
        write_one_verdict(h, separable);
    return true;
}

/* ---- blocks ---- */

void hsp_page_table_begin(hsp_html *h, const char *caption, const char *id) {
    hsp_html_write(h,
                   "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n<table>\n<caption "
                   "id=\"%s\">%s</caption>\n",
                   id, id, caption);
}

void hsp_page_table_end(hsp_html *h) {
    hsp_html_raw(h, "</tbody>\n</table>\n</div>\n");
}

void hsp_page_command(hsp_html *h, hsp_html *line) {
    hsp_html_raw(h, "<pre><code>");
    hsp_html_raw_n(line, "", 1); /* the final NUL */
    if (!line->failed) hsp_html_text(h, (const char *)line->bytes.data);
    h->failed = h->failed || line->failed;
    hsp_html_raw(h, "</code></pre>\n");
    hsp_html_clear(line);
}
