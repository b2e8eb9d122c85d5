#include "reading.h"
#include "fail.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int hsp_cli_describe(const hsp_data *data, json_t **tree) {
    hsp_error *err = NULL;
    char *text = NULL;
    if (hsp_data_report(data, &text, &err)) return hsp_cli_report_error(&err);
    *tree = hsp_cli_json_take(text);
    return *tree ? 0 : HSP_EXIT_SYSTEM;
}

int hsp_cli_load(const hsp_cli_call *call, const char *path, const char *with, hsp_model **out) {
    hsp_error *err = NULL;
    if (strcmp(path, "-") == 0 && strcmp(with, "-") == 0)
        return hsp_cli_fail(HSP_EXIT_USAGE, "<stdin> cannot be both the model and the data: name a file for one of them");
    if (hsp_model_load(path, out, &err)) return hsp_cli_report_error(&err);
    const char *cache = hsp_options_get(call->options, "cache");
    if (cache && strcmp(cache, "yes") == 0)
        hsp_cli_warn(
            call,
            "no cache of %s: a model reads its own columns: make a file with `halfspace convert`, or leave --cache out",
            hsp_cli_input_name(with));
    return 0;
}

int hsp_cli_read(const hsp_cli_call *call, const hsp_model *m, const char *path, hsp_cli_watch *watch,
                 hsp_cli_source *out) {
    hsp_error *err = NULL;
    double began = hsp_cli_now();
    *out = (hsp_cli_source){0};
    int status = m ? hsp_data_read_for(m, path, call->options, &watch->hooks, &out->data, &err)
                   : hsp_data_read(path, call->options, &watch->hooks, &out->data, &err);
    hsp_cli_watch_end(watch);
    if (status) return hsp_cli_report_error(&err);
    out->seconds = hsp_cli_now() - began;
    int code = hsp_cli_describe(out->data, &out->tree);
    out->check = code ? (double)NAN : hsp_cli_json_number(json_object_get(out->tree, "seconds"), "check");
    if (isfinite(out->check)) out->seconds -= out->check;
    return code;
}

void hsp_cli_source_seconds(const hsp_cli_source *s, json_t *seconds) {
    json_object_set_new(seconds, "read", hsp_cli_json_seconds(s->seconds));
    if (isfinite(s->check)) json_object_set_new(seconds, "check", hsp_cli_json_seconds(s->check));
}

void hsp_cli_source_report(const hsp_cli_source *s, json_t *report, const char *step, double took) {
    json_t *seconds = json_object();
    hsp_cli_source_seconds(s, seconds);
    json_object_set_new(seconds, step, hsp_cli_json_seconds(took));
    json_object_set_new(report, "seconds", seconds);
}

void hsp_cli_source_free(hsp_cli_source *s) {
    hsp_data_free(s->data);
    json_decref(s->tree);
    *s = (hsp_cli_source){0};
}

static void put_count(FILE *f, double count, const char *one, const char *many) {
    char buf[HSP_CLI_NUMBER];
    fprintf(f, "%s %s", hsp_cli_short(count, 15, HSP_CLI_NEAREST, buf), count == 1 ? one : many);
}

/* More classes than these are counted, not listed. */
enum { CLASSES_LISTED = 10 };

/* Allocated; NULL when memory runs out. */
static char *sentence_of(const json_t *tree) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    json_t *classes = json_object_get(tree, "classes");
    put_count(f, hsp_cli_json_number(tree, "rows"), "row", "rows");
    double features = hsp_cli_json_number(tree, "features");
    if (features > 0) { /* a table that is only copied may have none */
        fputs(", ", f);
        put_count(f, features, "feature", "features");
    }
    size_t n = json_object_size(classes);
    if (n > 0) {
        fputs(", ", f);
        put_count(f, (double)n, "class", "classes");
    }
    const char *between = ": ";
    for (void *it = n <= CLASSES_LISTED ? json_object_iter(classes) : NULL; it; it = json_object_iter_next(classes, it)) {
        char buf[HSP_CLI_NUMBER], name[HSP_CLI_NAME];
        double count = json_number_value(json_object_iter_value(it));
        fprintf(f, "%s%s (%s)", between, hsp_cli_cut(json_object_iter_key(it), name),
                hsp_cli_short(count, 15, HSP_CLI_NEAREST, buf));
        between = ", ";
    }
    const json_t *targets = json_object_get(tree, "targets");
    if (json_is_object(targets)) {
        char least[HSP_CLI_NUMBER], greatest[HSP_CLI_NUMBER];
        fprintf(f, ", target %s to %s", hsp_cli_short(hsp_cli_json_number(targets, "min"), 6, HSP_CLI_NEAREST, least),
                hsp_cli_short(hsp_cli_json_number(targets, "max"), 6, HSP_CLI_NEAREST, greatest));
    }
    if (fclose(f)) {
        free(text);
        return NULL;
    }
    return text;
}

void hsp_cli_print_data(FILE *f, const char *name, const json_t *tree) {
    char *sentence = sentence_of(tree);
    hsp_cli_put_clean(f, name);
    fputs(": ", f);
    hsp_cli_put_clean(f, sentence ? sentence : "out of memory");
    putc('\n', f);
    free(sentence);
}

void hsp_cli_print_assumed(FILE *f, const json_t *tree) {
    const char *assumed = hsp_cli_json_string(tree, "assumed");
    if (!assumed) return;
    fputs("assumed: ", f);
    hsp_cli_put_clean(f, assumed);
    putc('\n', f);
}

void hsp_cli_json_copy(json_t *to, const json_t *from, const char *const *keys) {
    for (; *keys; keys++) {
        json_t *value = json_object_get(from, *keys);
        if (value) json_object_set(to, *keys, value);
    }
}

void hsp_cli_print_warnings(const hsp_cli_call *call, const json_t *report, size_t first, bool as_notes) {
    const json_t *warnings = json_object_get(report, "warnings");
    for (size_t i = first; i < json_array_size(warnings); i++) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text && as_notes) hsp_cli_note(call, "%s", text);
        if (text && !as_notes) hsp_cli_warn(call, "%s", text);
    }
}

void hsp_cli_note_unseen(const hsp_cli_call *call, const json_t *report) {
    char count[HSP_CLI_NUMBER];
    double values = hsp_cli_json_number(report, "unseen_values");
    const char *note = hsp_cli_json_string(report, "note");
    if (note) hsp_cli_warn(call, "%s", note);
    if (!(values > 0)) return;
    hsp_cli_warn(call, "%s value%s of features that the model has never seen: ignored",
                 hsp_cli_short(values, 15, HSP_CLI_NEAREST, count), values == 1 ? "" : "s");
}
