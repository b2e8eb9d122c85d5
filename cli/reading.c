#include "reading.h"
#include "arguments.h"
#include "fail.h"
#include "json_output.h"
#include "output.h"
#include "short_number.h"
#include "text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hsp_cli_describe(const hsp_data *data, hsp_report **tree) {
    hsp_error *err = NULL;
    return hsp_data_report(data, tree, &err) ? hsp_cli_report_error(&err) : 0;
}

static bool is_field(const hsp_model *m, const char *name, const char *value) {
    const char *text = hsp_model_field(m, name);
    return text && strcmp(text, value) == 0;
}

void hsp_cli_warn_interrupted(const hsp_cli_call *call, const char *path, const hsp_model *m) {
    if (!is_field(m, "stop_reason", "cancelled") || is_field(m, "converged", "yes")) return;
    const char *unfitted = hsp_model_field(m, "unfitted"), *gap = hsp_model_field(m, "relative_gap");
    char detail[96] = "";
    if (unfitted && strcmp(unfitted, "0") != 0 && hsp_model_outputs(m) > 1 && is_field(m, "multiclass", "ovr"))
        snprintf(detail, sizeof detail, ", %s of %lld classes are not fitted", unfitted, (long long)hsp_model_outputs(m));
    else if (gap)
        snprintf(detail, sizeof detail, " at a relative gap of %s", gap);
    hsp_cli_warn(call, "%s: its training was interrupted%s: train the model again", hsp_cli_input_name(path), detail);
}

int hsp_cli_load(const hsp_cli_call *call, const char *path, const char *with, hsp_model **out) {
    hsp_error *err = NULL;
    if (strcmp(path, "-") == 0 && strcmp(with, "-") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "model and data cannot both be stdin: give a file name for one of them");
    const char *cache = hsp_options_get(call->options, "cache");
    if (cache && strcmp(cache, "yes") == 0)
        return hsp_cli_fail(
            HSP_EXIT_USAGE,
            "--cache cannot be used for %s with a model: convert it with `halfspace convert`, or leave --cache out",
            hsp_cli_input_name(with));
    if (hsp_model_load(path, out, &err)) return hsp_cli_report_error(&err);
    hsp_cli_warn_interrupted(call, path, *out);
    return 0;
}

/* Adds text to the line on what was assumed. 0, or an exit code after printing an error. */
static int add_assumption(hsp_report **tree, const char *text) {
    hsp_error *err = NULL;
    hsp_report *whole = NULL;
    hsp_json j = {0};
    hsp_json_object(&j, NULL);
    HSP_REPORT_EACH(member, *tree) {
        const char *name = hsp_report_name(member);
        const char *assumed = strcmp(name, "assumed") == 0 ? hsp_report_text(*tree, name) : NULL;
        char *line = NULL;
        if (assumed && asprintf(&line, "%s%s", assumed, text) < 0) hsp_json_fail(&j);
        if (assumed)
            hsp_json_string(&j, name, line);
        else
            hsp_json_report(&j, name, member);
        free(line);
    }
    hsp_json_object_end(&j);
    if (hsp_json_take(&j, &whole, &err)) return hsp_cli_report_error(&err);
    hsp_report_free(*tree);
    *tree = whole;
    return 0;
}

/* Whether the command trains on numeric targets and leaves the choice of the algorithm to the library. */
static bool assumes_ridge(const hsp_cli_call *call, const hsp_report *tree) {
    hsp_cli_option option;
    return !call->own_algorithms && hsp_cli_is(hsp_report_member(tree, "targets"), NULL, HSP_REPORT_OBJECT) &&
           hsp_cli_find_option(call->command, "algorithm", strlen("algorithm"), false, &option) && option.library &&
           !hsp_options_given(call->options, "algorithm");
}

int hsp_cli_predicts_numbers(const char *algorithm, hsp_error **err) {
    hsp_report *table = NULL;
    bool found = false;
    int status = algorithm ? hsp_list("algorithms", &table, err) : 0;
    if (status || !algorithm) return status;
    for (int64_t i = 0; !found && i < hsp_report_count(table, NULL); i++) {
        const hsp_report *entry = hsp_report_item(table, NULL, i);
        if (strcmp(hsp_report_text(entry, "name"), algorithm) != 0) continue;
        found = strcmp(hsp_report_text(entry, "predicts"), "numbers") == 0;
    }
    hsp_report_free(table);
    return found;
}

/* An algorithm that predicts only numbers needs a numeric target: then --task regression is the default. */
static int imply_task(const hsp_cli_call *call, hsp_error **err) {
    if (hsp_options_given(call->options, "task")) return 0;
    int status = hsp_cli_predicts_numbers(hsp_options_get(call->options, "algorithm"), err);
    if (status <= 0) return status;
    return hsp_options_set(call->options, "task", "regression", err);
}

int hsp_cli_read(const hsp_cli_call *call, const hsp_model *m, const char *path, hsp_cli_watch *watch,
                 hsp_cli_source *out) {
    hsp_error *err = NULL;
    double began = hsp_cli_now();
    *out = (hsp_cli_source){0};
    if (!m && imply_task(call, &err)) return hsp_cli_report_error(&err);
    int status = m ? hsp_data_read_for(m, path, call->options, &watch->hooks, &out->data, &err)
                   : hsp_data_read(path, call->options, &watch->hooks, &out->data, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    out->seconds = hsp_cli_now() - began;
    int code = hsp_cli_describe(out->data, &out->tree);
    out->check = code ? (double)NAN : hsp_report_number(hsp_report_member(out->tree, "seconds"), "check");
    if (isfinite(out->check)) out->seconds -= out->check;
    if (!code && !m && assumes_ridge(call, out->tree))
        code = add_assumption(&out->tree, ", algorithm ridge (default for regression)");
    return code;
}

void hsp_cli_source_seconds(const hsp_cli_source *s, hsp_json *j) {
    hsp_cli_json_seconds(j, "read", s->seconds);
    if (isfinite(s->check)) hsp_cli_json_seconds(j, "check", s->check);
}

void hsp_cli_source_report(const hsp_cli_source *s, hsp_json *j, const char *step, double took) {
    hsp_json_object(j, "seconds");
    hsp_cli_source_seconds(s, j);
    hsp_cli_json_seconds(j, step, took);
    hsp_json_object_end(j);
}

void hsp_cli_source_print(const hsp_cli_source *s, const hsp_report *report) {
    hsp_cli_object o;
    hsp_cli_object_begin(&o);
    HSP_REPORT_EACH(member, report) {
        const char *name = hsp_report_name(member);
        if (strcmp(name, "seconds") != 0) {
            hsp_json_report(&o.j, name, member);
            continue;
        }
        hsp_json_object(&o.j, name);
        if (s) hsp_cli_source_seconds(s, &o.j);
        HSP_REPORT_EACH(step, member) {
            bool known = s && strcmp(hsp_report_name(step), "read") == 0;
            if (!known) hsp_cli_json_seconds(&o.j, hsp_report_name(step), hsp_report_number(step, NULL));
        }
        hsp_json_object_end(&o.j);
    }
    hsp_cli_object_print(&o);
}

void hsp_cli_source_free(hsp_cli_source *s) {
    hsp_data_free(s->data);
    hsp_report_free(s->tree);
    *s = (hsp_cli_source){0};
}

static void put_count(FILE *f, double count, const char *one, const char *many) {
    char buf[HSP_CLI_NUMBER];
    fprintf(f, "%s %s", hsp_cli_short(count, 15, HSP_CLI_NEAREST, buf), count == 1 ? one : many);
}

/* With more classes, only their number is printed. */
enum { CLASSES_LISTED = 10 };

/* Returns allocated text; NULL when memory runs out. */
static char *sentence_of(const hsp_report *tree) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    const hsp_report *classes = hsp_report_member(tree, "classes");
    put_count(f, hsp_report_number(tree, "rows"), "row", "rows");
    double features = hsp_report_number(tree, "features");
    if (features > 0) { /* a table that is only copied may have no features */
        fputs(", ", f);
        put_count(f, features, "feature", "features");
    }
    int64_t n = hsp_report_count(classes, NULL);
    if (n > 0) {
        fputs(", ", f);
        put_count(f, (double)n, "class", "classes");
    }
    const char *between = ": ";
    HSP_REPORT_EACH(class, n <= CLASSES_LISTED ? classes : NULL) {
        char buf[HSP_CLI_NUMBER], name[HSP_CLI_NAME];
        fprintf(f, "%s%s (%s)", between, hsp_cli_cut(hsp_report_name(class), name),
                hsp_cli_short(hsp_report_number(class, NULL), 15, HSP_CLI_NEAREST, buf));
        between = ", ";
    }
    const hsp_report *targets = hsp_report_member(tree, "targets");
    if (hsp_cli_is(targets, NULL, HSP_REPORT_OBJECT)) {
        char least[HSP_CLI_NUMBER], greatest[HSP_CLI_NUMBER];
        fprintf(f, ", target %s to %s", hsp_cli_short(hsp_report_number(targets, "min"), 6, HSP_CLI_NEAREST, least),
                hsp_cli_short(hsp_report_number(targets, "max"), 6, HSP_CLI_NEAREST, greatest));
    }
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

void hsp_cli_print_data(FILE *f, const char *name, const hsp_report *tree) {
    char *sentence = sentence_of(tree);
    hsp_cli_put_clean(f, name);
    fputs(": ", f);
    hsp_cli_put_clean(f, sentence ? sentence : "out of memory");
    putc('\n', f);
    free(sentence);
}

void hsp_cli_print_assumed(FILE *f, const hsp_report *tree) {
    const char *assumed = hsp_report_text(tree, "assumed");
    if (!assumed) return;
    fputs("assumed: ", f);
    hsp_cli_put_clean(f, assumed);
    putc('\n', f);
}

void hsp_cli_print_warnings(const hsp_cli_call *call, const hsp_report *report, int64_t first, bool as_notes) {
    for (int64_t i = first; i < hsp_report_count(report, "warnings"); i++) {
        const char *text = hsp_report_text_at(report, "warnings", i);
        if (text && as_notes) hsp_cli_note(call, "%s", text);
        if (text && !as_notes) hsp_cli_warn(call, "%s", text);
    }
}

void hsp_cli_note_unseen(const hsp_cli_call *call, const hsp_report *report) {
    char count[HSP_CLI_NUMBER];
    double values = hsp_report_number(report, "unseen_values");
    const char *note = hsp_report_text(report, "note");
    if (note) hsp_cli_warn(call, "%s", note);
    if (!(values > 0)) return;
    hsp_cli_warn(call, "ignored %s value%s of features that are not in the model",
                 hsp_cli_short(values, 15, HSP_CLI_NEAREST, count), values == 1 ? "" : "s");
}
