#include "table/unseen.h"

#include "base/error.h"
#include "option/options.h"
#include "table/spelling.h"

#include <string.h>

int hsp_unseen_join(hsp_unseen *to, const hsp_unseen *part) {
    to->levels += part->levels;
    to->words += part->words;
    to->filled += part->filled;
    return hsp_unseen_levels_join(&to->named, part->named);
}

void hsp_unseen_clear(hsp_unseen *u) {
    hsp_unseen_levels_free(u->named);
    *u = (hsp_unseen){.by_value = u->by_value};
}

/* ---- the note ---- */

static const char *name_of(const hsp_schema *columns, int64_t j, char out[HSP_EXCERPT]) {
    char buf[32];
    const char *name = hsp_schema_feature(columns, j, buf);
    return hsp_excerpt(out, name, (int64_t)strlen(name));
}

/* Adds " (city 'Rome' 5 times, 'Oslo' 3, floor '1.0' 2)": the most frequent levels, each column once in a row. */
static void add_levels(const hsp_unseen *s, const hsp_schema *columns, hsp_text *t) {
    hsp_unseen_level most[HSP_UNSEEN_SHOWN];
    int64_t n = hsp_unseen_levels_most(s->named, most), shown = 0;
    char name[HSP_EXCERPT], level[HSP_EXCERPT];
    for (int64_t k = 0; k < n; k++) {
        hsp_excerpt(level, most[k].level, (int64_t)strlen(most[k].level));
        hsp_text_add(t, k ? ", " : " (");
        if (k == 0 || most[k].column != most[k - 1].column)
            hsp_text_format(t, "%s ", name_of(columns, most[k].column, name));
        hsp_text_format(t, "'%s' %lld", level, (long long)most[k].count);
        if (k == 0) hsp_text_add(t, most[k].count == 1 ? " time" : " times");
        shown += most[k].count;
    }
    if (n > 0) hsp_text_add(t, shown < s->levels ? ", ...)" : ")");
}

/* Adds what maps levels that are equal to known ones as numbers. */
static void add_mapping(const hsp_unseen *s, const hsp_schema *columns, hsp_text *t) {
    hsp_unseen_level most[HSP_UNSEEN_SHOWN];
    int64_t n = hsp_unseen_levels_most(s->named, most);
    char level[HSP_EXCERPT], like[HSP_EXCERPT];
    hsp_text list = {0};
    for (int64_t k = 0; k < n; k++) {
        bool known = !most[k].like;
        for (int64_t i = 0; i < k; i++) known = known || (most[i].like && most[i].column == most[k].column);
        if (known) continue;
        if (list.length == 0)
            hsp_text_format(t, ": '%s' equals the level '%s' as a number, use --numeric-levels ",
                            hsp_excerpt(level, most[k].level, (int64_t)strlen(most[k].level)),
                            hsp_excerpt(like, most[k].like, (int64_t)strlen(most[k].like)));
        else
            hsp_text_char(&list, ',');
        hsp_type_column(&list, columns, most[k].column);
    }
    if (list.length > 0) hsp_text_format(t, "%s", list.s);
    t->failed = t->failed || list.failed;
    hsp_text_free(&list);
}

static void add_count(hsp_text *t, int64_t count, const char *one, const char *many) {
    if (count == 0) return;
    hsp_text_format(t, "%s%lld %s", t->length ? ", " : "", (long long)count, count == 1 ? one : many);
}

/* Adds the counts that are not 0 to t, in one line. */
static void add_counts(const hsp_unseen *s, const hsp_schema *columns, int64_t absent, const char *names, hsp_text *t) {
    add_count(t, absent, "column is missing", "columns are missing");
    if (absent > 0 && names) hsp_text_format(t, " (%s)", names);
    add_count(t, s->levels, "cell holds an unseen level", "cells hold unseen levels");
    add_levels(s, columns, t);
    add_count(t, s->words, "word is unseen", "words are unseen");
    add_count(t, s->filled, "missing value filled", "missing values filled");
}

/* ---- reports ---- */

static void report_levels(const hsp_unseen *s, const hsp_schema *columns, hsp_json *j) {
    hsp_unseen_level most[HSP_UNSEEN_SHOWN];
    int64_t n = hsp_unseen_levels_most(s->named, most);
    char buf[32];
    hsp_json_array(j, "most_unseen_levels");
    for (int64_t k = 0; k < n; k++) {
        hsp_json_object(j, NULL);
        hsp_json_string(j, "column", hsp_schema_feature(columns, most[k].column, buf));
        hsp_json_string(j, "level", most[k].level);
        hsp_json_int(j, "cells", most[k].count);
        hsp_json_string(j, "same_number", most[k].like);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

void hsp_unseen_report(const hsp_unseen *s, const hsp_schema *columns, int64_t absent, const char *names, hsp_json *j) {
    hsp_text note = {0};
    add_counts(s, columns, absent, names, &note);
    add_mapping(s, columns, &note);
    hsp_json_int(j, "unseen_levels", s->levels);
    report_levels(s, columns, j);
    hsp_json_int(j, "unseen_words", s->words);
    hsp_json_int(j, "filled_cells", s->filled);
    hsp_json_int(j, "absent_columns", absent);
    hsp_json_string(j, "note", note.length ? note.s : NULL);
    if (note.failed) hsp_json_fail(j);
    hsp_text_free(&note);
}

int hsp_unseen_check(const hsp_unseen *s, const hsp_schema *columns, const hsp_options *o, const char *file,
                     hsp_error **err) {
    if (!hsp_options_flag(o, "strict") || s->levels + s->words == 0) return HSP_OK;
    hsp_text t = {0};
    hsp_unseen counts = *s;
    counts.filled = 0;
    add_counts(&counts, columns, 0, NULL, &t);
    int status = t.failed
                     ? hsp_fail_memory(err)
                     : hsp_fail_at(err, HSP_EINPUT, (hsp_place){file, 0, 0}, "%s: leave --strict out to ignore them", t.s);
    hsp_text_free(&t);
    return status;
}
