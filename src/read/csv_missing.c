/* --missing-values: cells that count as missing, in all columns (56) or in one (age=56). */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "option/column_list.h"
#include "option/options.h"
#include "read/csv.h"
#include "read/table_match.h"

#include <math.h>
#include <string.h>

/* A spelling of missing values. */
struct hsp_csv_spelling {
    int64_t feature; /* -1: all */
    char *text;      /* owned */
    int64_t length;
    double number; /* NaN: it is a word */
};

void hsp_csv_missing_clear(hsp_csv_missing *m) {
    for (int64_t k = 0; k < m->count; k++) hsp_free(m->blank[k].text);
    hsp_free(m->blank);
    *m = (hsp_csv_missing){0};
}

bool hsp_csv_missing_names(const hsp_csv_missing *m, int64_t feature) {
    for (int64_t k = 0; k < m->count; k++)
        if (m->blank[k].feature < 0 || m->blank[k].feature == feature) return true;
    return false;
}

/* Words are equal but for case, numbers by value: -99.0 is -99. */
bool hsp_csv_missing_has(const hsp_csv_missing *m, int64_t feature, const char *s, int64_t n) {
    double v;
    for (int64_t k = 0; k < m->count; k++) {
        const hsp_csv_spelling *b = &m->blank[k];
        if (b->feature >= 0 && b->feature != feature) continue;
        if (b->length == n && hsp_text_same_letters(b->text, s, n)) return true;
        if (!isnan(b->number) && hsp_csv_is_number(s, n, &v) && v == b->number) return true;
    }
    return false;
}

bool hsp_csv_missing_has_number(const hsp_csv_missing *m, int64_t feature, double v) {
    for (int64_t k = 0; k < m->count; k++) {
        const hsp_csv_spelling *b = &m->blank[k];
        if ((b->feature < 0 || b->feature == feature) && v == b->number) return true;
    }
    return false;
}

static int add_blank(hsp_csv_missing *m, int64_t feature, const char *s, int64_t n) {
    if (HSP_RESERVE(m->blank, m->capacity, m->count + 1)) return HSP_EMEMORY;
    hsp_csv_spelling *b = &m->blank[m->count];
    *b = (hsp_csv_spelling){.feature = feature, .text = hsp_strndup(s, (size_t)n), .length = n, .number = NAN};
    if (!b->text) return HSP_EMEMORY;
    double v;
    if (hsp_csv_is_number(s, n, &v)) b->number = v;
    m->count++;
    return 0;
}

static int fail_feature(const hsp_column_entry *e, int64_t role, hsp_error **err) {
    char name[HSP_EXCERPT];
    hsp_excerpt(name, e->name, e->name_length);
    return hsp_fail(err, HSP_EUSAGE, "--missing-values: column '%s' %s: name a feature column", name,
                    role == HSP_ROLE_TARGET   ? "holds the target"
                    : role == HSP_ROLE_WEIGHT ? "holds the weights"
                                              : "is ignored");
}

/* The feature that an entry names; -1: all; below: a status. Entries of a model that name no column are whole values, as they
 * were up to format 4. */
static int find_feature(const hsp_csv_request *q, const hsp_csv_layout *l, const hsp_column_entry *e, bool model,
                        int64_t *feature, hsp_error **err) {
    *feature = -1;
    if (!e->value) return 0;
    int64_t c = hsp_csv_find_column(q, "missing-values", e->name, e->name_length, model ? NULL : err);
    if (c < 0) return model ? 0 : (int)c;
    if (l->role[c] < 0) return model ? 0 : fail_feature(e, l->role[c], err);
    if (e->value_length == 0)
        return hsp_fail(err, HSP_EUSAGE, "--missing-values: no value after '%.*s': write COLUMN=VALUE",
                        (int)(e->spelt_length < 200 ? e->spelt_length : 200), e->spelt);
    *feature = l->role[c];
    return 0;
}

/* Adds an entry to the list that the model stores: by name, as columns may move. */
static void add_stored(const hsp_csv_request *q, const hsp_column_entry *e, int64_t column, hsp_text *stored) {
    if (stored->length > 0) hsp_text_char(stored, ',');
    if (column < 0) {
        hsp_text_add_n(stored, e->spelt, e->spelt_length);
        return;
    }
    const char *name = q->header ? hsp_csv_cells_at(q->first, column) : NULL;
    if (name)
        hsp_column_list_quote(stored, name, (int64_t)strlen(name));
    else
        hsp_text_int(stored, column + 1);
    hsp_text_char(stored, '=');
    hsp_column_list_quote(stored, e->value, e->value_length);
}

static int add_list(const hsp_csv_request *q, const hsp_csv_layout *l, const char *text, bool model, hsp_csv_missing *m,
                    hsp_text *stored, hsp_error **err) {
    hsp_column_list list = {.option = "missing-values", .next = text, .between = '='};
    hsp_column_entry e;
    int status;
    while ((status = hsp_column_list_next(&list, &e, err)) > 0) {
        int64_t feature, column = -1;
        if ((status = find_feature(q, l, &e, model, &feature, err)) < 0) break;
        bool whole = feature < 0;
        const char *s = whole ? (e.value ? e.spelt : e.name) : e.value;
        if (add_blank(m, feature, s, whole ? (e.value ? e.spelt_length : e.name_length) : e.value_length)) {
            status = hsp_fail_memory(err);
            break;
        }
        for (int64_t c = 0; !whole && c < l->columns; c++)
            if (l->role[c] == feature) column = c;
        add_stored(q, &e, column, stored);
    }
    hsp_column_list_free(&list);
    return status;
}

int hsp_csv_missing_make(const hsp_csv_request *q, const hsp_csv_layout *l, hsp_csv_missing *out, char **stored,
                         hsp_error **err) {
    hsp_text list = {0};
    const char *model = q->known ? q->known->missing : NULL, *asked = hsp_options_text(q->o, "missing-values");
    int status = model ? add_list(q, l, model, true, out, &list, err) : 0;
    if (status == 0 && asked) status = add_list(q, l, asked, false, out, &list, err);
    if (status == 0 && list.failed) status = hsp_fail_memory(err);
    hsp_free(*stored);
    *stored = NULL;
    if (status == 0 && list.length > 0) status = hsp_text_take(&list, stored, err);
    hsp_text_free(&list);
    return status;
}
