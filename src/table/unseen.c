#include "table/unseen.h"

#include "base/error.h"
#include "option/options.h"

static void add_count(hsp_text *t, int64_t count, const char *one, const char *many) {
    if (count == 0) return;
    hsp_text_format(t, "%s%lld %s", t->length ? ", " : "", (long long)count, count == 1 ? one : many);
}

/* Adds the counts that are not 0 to t, in one line. */
static void add_counts(const hsp_unseen *s, int64_t absent, const char *names, hsp_text *t) {
    add_count(t, absent, "column is not there", "columns are not there");
    if (absent > 0 && names) hsp_text_format(t, " (%s)", names);
    add_count(t, s->levels, "cell holds a level that the model does not have",
              "cells hold levels that the model does not have");
    add_count(t, s->words, "word is not in the model", "words are not in the model");
    add_count(t, s->filled, "missing value was filled", "missing values were filled");
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
    int status = t.failed ? hsp_fail_memory(err)
                          : hsp_fail_at(err, HSP_EINPUT, (hsp_place){file, 0, 0},
                                        "%s: leave --strict out to go on without them", t.s);
    hsp_text_free(&t);
    return status;
}
