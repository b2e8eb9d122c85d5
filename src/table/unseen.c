#include "table/unseen.h"

#include "base/error.h"
#include "option/options.h"

static void add_count(hsp_text *t, int64_t count, const char *one, const char *many) {
    if (count == 0) return;
    hsp_text_format(t, "%s%lld %s", t->length ? ", " : "", (long long)count, count == 1 ? one : many);
}

/* Adds the counts that are not 0 to t, in one line. */
static void add_counts(const hsp_unseen *s, int64_t absent, const char *names, hsp_text *t) {
    add_count(t, absent, "column is missing", "columns are missing");
    if (absent > 0 && names) hsp_text_format(t, " (%s)", names);
    add_count(t, s->levels, "cell holds an unseen level", "cells hold unseen levels");
    add_count(t, s->words, "word is unseen", "words are unseen");
    add_count(t, s->filled, "missing value filled", "missing values filled");
}

void hsp_unseen_report(const hsp_unseen *s, int64_t absent, const char *names, hsp_json *j) {
    hsp_text note = {0};
    add_counts(s, absent, names, &note);
    hsp_json_int(j, "unseen_levels", s->levels);
    hsp_json_int(j, "unseen_words", s->words);
    hsp_json_int(j, "filled_cells", s->filled);
    hsp_json_int(j, "absent_columns", absent);
    hsp_json_string(j, "note", note.length ? note.s : NULL);
    if (note.failed) hsp_json_fail(j);
    hsp_text_free(&note);
}

int hsp_unseen_check(const hsp_unseen *s, const hsp_options *o, const char *file, hsp_error **err) {
    if (!hsp_options_flag(o, "strict") || s->levels + s->words == 0) return HSP_OK;
    hsp_text t = {0};
    add_counts(&(hsp_unseen){.levels = s->levels, .words = s->words}, 0, NULL, &t);
    int status = t.failed
                     ? hsp_fail_memory(err)
                     : hsp_fail_at(err, HSP_EINPUT, (hsp_place){file, 0, 0}, "%s: leave --strict out to ignore them", t.s);
    hsp_text_free(&t);
    return status;
}
