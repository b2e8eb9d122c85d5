/* What to do next: commands with the names of these files, ready to paste. */
#include "plot/page/page.h"
#include "plot/page/shell_words.h"

#include <math.h>
#include <string.h>

/* ---- commands ---- */

static bool is_among(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return true;
    return false;
}

/* The options of these groups that were given or chosen. Flags have no value. penalty false: without C and lambda. */
static void add_given(const hsp_page *p, hsp_html *line, const char *const *groups, bool penalty) {
    for (int64_t i = 0; i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name"), *type = hsp_option_field(i, "type");
        const char *value = hsp_options_get(p->training, name);
        if (!hsp_options_given(p->training, name) || !value || !is_among(hsp_option_field(i, "group"), groups)) continue;
        if (strcmp(name, "algorithm") == 0 || strcmp(name, "max-seconds") == 0 || strcmp(name, "ignore") == 0) continue;
        if (!penalty && (strcmp(name, "C") == 0 || strcmp(name, "lambda") == 0)) continue;
        if (type && strcmp(type, "flag") == 0) {
            if (strcmp(value, "yes") == 0) hsp_shell_option(line, name, NULL);
        } else {
            hsp_shell_option(line, name, value);
        }
    }
}

/* A name as an entry of a list: quoted as in CSV if it has a comma or a quote. */
static void add_entry(hsp_html *list, const char *name) {
    bool quoted = strpbrk(name, ",\"") != NULL;
    if (list->bytes.size > 0) hsp_html_raw(list, ",");
    if (quoted) hsp_html_raw(list, "\"");
    for (const char *s = name; *s; s++) {
        if (*s == '"') hsp_html_raw(list, "\"");
        hsp_html_raw_n(list, s, 1);
    }
    if (quoted) hsp_html_raw(list, "\"");
}

/* The columns to ignore: those that were named, and those of groups and times, which are no features either. */
static void add_ignored(const hsp_page *p, hsp_html *line, bool sides) {
    static const char *const columns[] = {"group", "time"};
    hsp_html list = {0};
    const char *given = hsp_options_get(p->o, "ignore");
    if (given && *given) hsp_html_raw(&list, given);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && sides; i++) {
        const char *name = hsp_options_get(p->o, columns[i]);
        if (name && *name) add_entry(&list, name);
    }
    hsp_html_raw_n(&list, "", 1);
    if (!list.failed && list.bytes.size > 1) hsp_shell_option(line, "ignore", (const char *)list.bytes.data);
    line->failed = line->failed || list.failed;
    hsp_html_clear(&list);
}

static const char *const reading[] = {"read", NULL}, *const training[] = {"read", "table", "train", "run", NULL};

/* Reading options that the model itself brings along. */
static void add_reading(const hsp_page *p, hsp_html *line) {
    add_given(p, line, reading, true);
    add_ignored(p, line, true);
}

static const char *model_file(const hsp_page *p) {
    const char *model = hsp_options_get(p->o, "model");
    return model ? model : "model.hsm";
}

static hsp_html begin_command(const char *command) {
    hsp_html line = {0};
    hsp_html_raw(&line, "halfspace ");
    hsp_html_raw(&line, command);
    return line;
}

static void write_train(const hsp_page *p, hsp_html *h) {
    hsp_html line = begin_command("train");
    hsp_shell_file(&line, hsp_page_file(p));
    hsp_html_raw(&line, " -a");
    hsp_shell_word(&line, hsp_report_text(p->trained, "algorithm"));
    add_given(p, &line, training, true);
    add_ignored(p, &line, true);
    hsp_html_raw(&line, " -o");
    hsp_shell_file(&line, model_file(p));
    hsp_page_command(h, &line);
}

/* A command of the model and the file, or another file of data in its place. */
static void write_with_model(const hsp_page *p, hsp_html *h, const char *command, const char *file, const char *rest) {
    hsp_html line = begin_command(command);
    hsp_shell_file(&line, model_file(p));
    hsp_shell_file(&line, file ? file : hsp_page_file(p));
    if (!file) add_reading(p, &line);
    hsp_html_raw(&line, rest);
    hsp_page_command(h, &line);
}

/* cv: with groups and times, and without C and lambda, of which it tries several. */
static void write_with_data(const hsp_page *p, hsp_html *h, const char *command, bool cv, const char *rest) {
    hsp_html line = begin_command(command);
    hsp_shell_file(&line, hsp_page_file(p));
    hsp_html_raw(&line, " -a");
    hsp_shell_word(&line, hsp_report_text(p->trained, "algorithm"));
    add_given(p, &line, training, !cv);
    add_ignored(p, &line, !cv);
    if (cv && hsp_options_given(p->o, "group")) hsp_shell_option(&line, "group", hsp_options_get(p->o, "group"));
    if (cv && hsp_options_given(p->o, "time")) hsp_shell_option(&line, "time", hsp_options_get(p->o, "time"));
    hsp_html_raw(&line, rest);
    hsp_page_command(h, &line);
}

/* The options that were given for this page, without what the comparison chose. */
static void add_typed(const hsp_page *p, hsp_html *line) {
    for (int64_t i = 0; i < hsp_option_count(); i++) {
        const char *name = hsp_option_field(i, "name"), *type = hsp_option_field(i, "type");
        const char *value = hsp_options_get(p->o, name);
        if (!hsp_options_given(p->o, name) || !value || strcmp(name, "threads") == 0) continue;
        if (type && strcmp(type, "flag") == 0)
            hsp_shell_option(line, name, NULL);
        else
            hsp_shell_option(line, strcmp(name, "test") == 0 ? "holdout" : name, value);
    }
}

static bool has_remedy(const hsp_report *finding) {
    const char *fix = hsp_report_text(finding, "fix"), *severity = hsp_report_text(finding, "severity");
    return fix && strncmp(fix, "--", 2) == 0 && severity && strcmp(severity, "note") != 0;
}

/* This page again, with the remedies of the findings that are more than notes. */
static void write_remedies(const hsp_page *p, hsp_html *h) {
    hsp_html line = begin_command("report");
    int64_t remedies = 0;
    hsp_shell_file(&line, hsp_page_file(p));
    add_typed(p, &line);
    HSP_REPORT_EACH(finding, hsp_report_member(p->inspection, "findings")) {
        if (!has_remedy(finding)) continue;
        hsp_html_raw(&line, " "); /* a remedy is quoted for the shell already */
        hsp_html_raw(&line, hsp_report_text(finding, "fix"));
        remedies++;
    }
    hsp_html_raw(&line, " -o");
    hsp_shell_file(&line, strcmp(p->path, "-") == 0 ? "report.html" : p->path);
    if (remedies > 0) {
        hsp_html_raw(h, "<li><p>Apply the remedies that you agree with, and compare the results:</p>\n");
        hsp_page_command(h, &line);
        hsp_html_raw(h, "</li>\n");
    }
    h->failed = h->failed || line.failed;
    hsp_html_clear(&line);
}

static int write(hsp_page *p, hsp_error **err) {
    hsp_html *h = &p->body;
    (void)err;
    hsp_html_raw(h, "<ol class=\"steps\">\n");
    write_remedies(p, h);
    hsp_html_raw(h, p->final ? "<li><p>The model of all rows is written. This command fits it again:</p>\n"
                             : "<li><p>Fit the model to keep, to all rows:</p>\n");
    write_train(p, h);
    hsp_html_raw(
        h, "</li>\n<li><p>Recompute what it claims about its rows, by code that shares nothing with the training:</p>\n");
    write_with_model(p, h, "verify", NULL, "");
    hsp_html_raw(h, "</li>\n<li><p>Predict new rows with it:</p>\n");
    write_with_model(p, h, "predict", "new.csv", " -o predictions.csv");
    if (isfinite(hsp_report_number(p->trained, "lambda"))) {
        hsp_html_raw(h, "</li>\n<li><p>See how much the strength of the penalty matters:</p>\n");
        write_with_data(p, h, "cv", true, " --lambdas 1e-6:1:13");
    }
    hsp_html_raw(h, "</li>\n<li><p>See whether more rows would help:</p>\n");
    write_with_data(p, h, "plot learning-curve", false, " -o learning-curve.svg");
    hsp_html_raw(h, "</li>\n</ol>\n");
    return HSP_OK;
}

const hsp_page_section hsp_page_next = {.id = "next", .title = "What to do next", .write = write};
