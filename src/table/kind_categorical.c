/* One-hot encoding: a feature for each level. No level is dropped, so that a penalty treats all levels alike. Then a feature
 * for the rare levels, pooled, and one for missing cells. */
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/schema_json.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/fill.h"
#include "table/odd_cell.h"
#include "table/profile.h"
#include "table/spelling.h"
#include "table/vocabulary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct level_state {
    hsp_classes level;
    hsp_classes pooled; /* rare levels, which share a feature */
    bool missing;       /* missing cells have a feature */
    hsp_intern *index;  /* owned: the levels, then those that are pooled */
    hsp_intern *number; /* owned: of levels as they are spelt, the distinct numbers among them, in canonical spelling ... */
    int64_t *place;     /* owned: ... and the place of a level with each in the index */
    int64_t place_capacity;
} level_state;

static void set_features(hsp_table_column *c) {
    const level_state *s = c->state;
    c->features = s->level.count + (s->pooled.count > 0) + s->missing;
}

/* The number of a level is its place in the index. */
static int make_index(level_state *s, hsp_error **err) {
    int status = hsp_intern_new(&s->index, err);
    const hsp_classes *list[] = {&s->level, &s->pooled};
    for (int i = 0; i < 2; i++)
        for (int64_t k = 0; !status && k < list[i]->count; k++) {
            int64_t at = hsp_intern_add(s->index, list[i]->name[k], (int64_t)strlen(list[i]->name[k]), err);
            if (at < 0) status = (int)at;
        }
    return status;
}

/* The canonical spelling of a number (hsp_label_canonical) in `spare`, its length in *n; NULL: it is not a number, or no
 * memory (spare->failed). */
static const char *spell_number(const char *s, int64_t *n, hsp_text *spare) {
    double v;
    if (hsp_number_parse(s, s + *n, &v) != s + *n || *n == 0 || !isfinite(v)) return NULL;
    hsp_text_clear(spare);
    char *out = hsp_text_room(spare, (*n > 32 ? *n : 32) + 1);
    if (out) *n = hsp_label_canonical(s, *n, out);
    return out;
}

/* Indexes the levels that are numbers by their value. Of several the one in canonical spelling counts, else the first. */
static int index_numbers(level_state *s, hsp_error **err) {
    hsp_text spare = {0};
    int status = hsp_intern_new(&s->number, err);
    for (int64_t k = 0; !status && k < hsp_intern_count(s->index); k++) {
        const char *level = hsp_intern_text(s->index, k);
        int64_t n = (int64_t)strlen(level), known = hsp_intern_count(s->number);
        const char *spelt = spell_number(level, &n, &spare);
        if (!spelt && !spare.failed) continue;
        if (!spelt || HSP_RESERVE(s->place, s->place_capacity, known + 1)) {
            status = hsp_fail_memory(err);
            continue;
        }
        int64_t at = hsp_intern_add(s->number, spelt, n, err);
        if (at < 0) status = (int)at;
        bool shortest = at >= 0 && (int64_t)strlen(level) == n && memcmp(level, spelt, (size_t)n) == 0;
        if (at == known || shortest) s->place[at] = k;
    }
    hsp_text_free(&spare);
    return status;
}

/* ---- learning ---- */

/* The levels of a column and how often each occurs. Owns its arrays. */
typedef struct level_counts {
    hsp_intern *text;
    int64_t *count;
    int64_t capacity;
} level_counts;

static int add_level(level_counts *l, const char *s, int64_t n, int64_t count, hsp_error **err) {
    int64_t k = hsp_intern_add(l->text, s, n, err), before = k + 1;
    if (k < 0) return (int)k;
    if (before > l->capacity) {
        int64_t old = l->capacity;
        if (HSP_RESERVE(l->count, l->capacity, before)) return hsp_fail_memory(err);
        memset(l->count + old, 0, (size_t)(l->capacity - old) * sizeof *l->count);
    }
    l->count[k] += count;
    return 0;
}

static int add_number(level_counts *l, double v, int64_t count, hsp_error **err) {
    char text[32];
    return add_level(l, text, hsp_number_format(v + 0.0, text), count, err); /* -0 becomes 0 */
}

/* Adds the cell if it is a number: as it is spelt, or in its shortest form. */
static int add_number_cell(level_counts *l, hsp_cell cell, bool as_spelt, hsp_error **err) {
    const char *s = as_spelt ? cell.text : NULL;
    int64_t n = cell.length;
    if (!hsp_cell_is_number(cell)) return 0;
    if (!s) return add_number(l, cell.number, 1, err);
    hsp_label_trim(&s, &n);
    return add_level(l, s, n, 1, err);
}

/* The numbers of the column are in the profile if they are few and spelt in their shortest form. */
static bool wants_rows(const hsp_column_cells *c) {
    const hsp_profile *p = c->p;
    return p->numbers > 0 && !(p->distinct <= HSP_PROFILE_NUMBERS && (p->spelt == 0 || !c->r->as_spelt));
}

static int gather(const hsp_column_cells *c, const hsp_frame *rows, void **gathered, hsp_error **err) {
    level_counts *l = *gathered;
    int status = 0;
    if (!l) {
        l = *gathered = hsp_alloc_zero(1, sizeof *l);
        status = l ? hsp_intern_new(&l->text, err) : hsp_fail_memory(err);
    }
    for (int64_t k = 0; k < rows->blocks; k++) {
        const hsp_block *b = &rows->block[k];
        for (int64_t i = 0; !status && i < b->rows; i++) {
            hsp_cells cells = hsp_block_cells(b, i);
            status = add_number_cell(l, hsp_cells_at(&cells, c->j), c->r->as_spelt, err);
        }
    }
    return status;
}

static void drop_gathered(void *gathered) {
    level_counts *l = gathered;
    hsp_intern_free(l->text);
    HSP_FREE(l->count, l);
}

static int add_numbers(level_counts *l, const hsp_column_cells *c, hsp_error **err) {
    const hsp_profile *p = c->p;
    const level_counts *many = c->gathered;
    int status = 0;
    for (int64_t k = 0; many && !status && k < hsp_intern_count(many->text); k++) {
        const char *text = hsp_intern_text(many->text, k);
        status = add_level(l, text, (int64_t)strlen(text), many->count[k], err);
    }
    for (int64_t k = 0; !many && p->numbers > 0 && !status && k < p->distinct; k++)
        status = add_number(l, p->number[k], p->number_count[k], err);
    return status;
}

static bool is_broken(hsp_cell cell, const void *unused) {
    (void)unused;
    return cell.text && !hsp_spelt_utf8(cell.text, cell.length);
}

static int fail_broken(const hsp_column_cells *s, hsp_error **err) {
    hsp_odd_cell odd;
    hsp_odd_cell_find(s, is_broken, NULL, &odd);
    return hsp_fail_at(err, HSP_EINPUT, odd.where,
                       "column '%s' holds '%s', which is not UTF-8: convert the file, as by iconv -f LATIN1 -t UTF-8",
                       odd.column, odd.held);
}

static int count_levels(const hsp_column_cells *s, level_counts *l, hsp_error **err) {
    int status = hsp_intern_new(&l->text, err);
    for (int64_t k = 0; !status && k < hsp_profile_levels(s->p); k++) {
        const char *word = hsp_intern_text(s->p->dictionary, k);
        int64_t n = (int64_t)strlen(word);
        status = hsp_spelt_utf8(word, n) ? add_level(l, word, n, s->p->count[k], err) : fail_broken(s, err);
    }
    return status ? status : add_numbers(l, s, err);
}

/* 007 comes next to 7. */
static int by_number(const void *a, const void *b) {
    const char *u = *(char *const *)a, *v = *(char *const *)b;
    int order = hsp_label_compare(u, v, true);
    return order ? order : strcmp(u, v);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Selects the rare levels, or the others, sorted like classes. */
static int select_levels(const level_counts *l, int64_t least, bool rare, hsp_classes *out, hsp_error **err) {
    int64_t n = hsp_intern_count(l->text);
    bool numeric = true;
    for (int64_t k = 0; k < n; k++) out->count += (l->count[k] < least) == rare;
    if (!HSP_ALLOC_ZERO(out->name, out->count)) {
        out->count = 0;
        return hsp_fail_memory(err);
    }
    for (int64_t k = 0, at = 0; k < n; k++) {
        if ((l->count[k] < least) != rare) continue;
        char *name = out->name[at++] = hsp_strdup(hsp_intern_text(l->text, k));
        if (!name) return hsp_fail_memory(err);
        numeric = numeric && hsp_label_is_number(name);
    }
    if (out->count > 1) qsort(out->name, (size_t)out->count, sizeof *out->name, numeric ? by_number : by_text);
    return 0;
}

static int learn(const hsp_column_cells *from, hsp_table_column *c, hsp_error **err) {
    level_counts l = {0};
    level_state *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    c->state = s;
    c->fills = hsp_fill_allowed(from->r);
    c->as_spelt = from->r->as_spelt;
    s->missing = c->fills && from->p->missing > 0;
    int status = count_levels(from, &l, err);
    if (!status) status = select_levels(&l, from->r->min_count, false, &s->level, err);
    if (!status) status = select_levels(&l, from->r->min_count, true, &s->pooled, err);
    if (!status) status = make_index(s, err);
    if (!status && c->as_spelt) status = index_numbers(s, err);
    if (!status) set_features(c);
    hsp_intern_free(l.text);
    hsp_free(l.count);
    return status;
}

/* ---- encoding ---- */

static int64_t most(const hsp_table_column *c, int64_t length) {
    (void)c, (void)length;
    return 1;
}

/* The place of a cell's level in the index; -1: unseen; or HSP_EMEMORY. */
static int64_t find_level(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room) {
    const level_state *s = c->state;
    struct hsp_encode_memo *memo = &room->memo[room->column];
    char number[32];
    int64_t n = cell.length, k;
    if (!cell.text || (!c->as_spelt && hsp_cell_is_number(cell))) {
        n = hsp_number_format(cell.number + 0.0, number);
        k = hsp_intern_find(s->index, number, n);
        return k < 0 ? -1 : k;
    }
    if (memo->text && memo->length == n && hsp_same_text(memo->text, cell.text, n)) return memo->place;
    const char *text = cell.text;
    if (c->as_spelt)
        hsp_label_trim(&text, &n);
    else
        text = hsp_spell(text, &n, &room->text);
    if (!text) return HSP_EMEMORY;
    k = hsp_intern_find(s->index, text, n);
    *memo = (struct hsp_encode_memo){cell.text, cell.length, k < 0 ? -1 : k};
    return memo->place;
}

/* The place of the known level that is the same number as an unseen one, if it counts as that; else -1, and the level is
 * counted as unseen; or HSP_EMEMORY. */
static int64_t take_unseen(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_unseen *unseen) {
    const level_state *s = c->state;
    char shortest[32];
    int64_t n, m, like = -1;
    const char *text = hsp_cell_spelling(cell, shortest, &n);
    hsp_label_trim(&text, &n);
    m = n;
    const char *number = s->number ? spell_number(text, &m, &room->text) : NULL;
    if (room->text.failed) return HSP_EMEMORY;
    if (number) like = hsp_intern_find(s->number, number, m);
    if (like >= 0 && unseen->by_value && unseen->by_value[room->column]) return s->place[like];
    const hsp_unseen_level level = {room->column, text, like < 0 ? NULL : hsp_intern_text(s->index, s->place[like]), 1};
    unseen->levels++;
    return hsp_unseen_levels_add(&unseen->named, &level, n) ? HSP_EMEMORY : -1;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen) {
    const level_state *s = c->state;
    int64_t k = find_level(c, cell, room);
    if (k == -1) k = take_unseen(c, cell, room, unseen);
    if (k == HSP_EMEMORY) return HSP_EMEMORY;
    if (k >= 0 && k < s->level.count)
        hsp_emit_one(out, c->first + k, 1);
    else if (s->pooled.count > 0)
        hsp_emit_one(out, c->first + s->level.count, 1);
    return HSP_OK;
}

static void encode_missing(const hsp_table_column *c, hsp_emit *out) {
    const level_state *s = c->state;
    if (s->missing) hsp_emit_one(out, c->first + c->features - 1, 1);
}

/* Whether a level is spelt like "(missing)" or "(other)" and must be quoted. */
static bool needs_quotes(const level_state *s, const char *level) {
    return (s->missing && strcmp(level, "(missing)") == 0) || (s->pooled.count > 0 && strcmp(level, "(other)") == 0);
}

static void feature(const hsp_table_column *c, int64_t k, hsp_text *t) {
    const level_state *s = c->state;
    hsp_text_add(t, c->name);
    hsp_text_char(t, '=');
    if (k < s->level.count)
        hsp_text_format(t, needs_quotes(s, s->level.name[k]) ? "'%s'" : "%s", s->level.name[k]);
    else
        hsp_text_add(t, k == s->level.count && s->pooled.count > 0 ? "(other)" : "(missing)");
}

/* ---- models ---- */

static void save(const hsp_table_column *c, hsp_json *j) {
    const level_state *s = c->state;
    hsp_names_save(j, "levels", s->level.name, s->level.count);
    if (s->pooled.count > 0) hsp_names_save(j, "pooled", s->pooled.name, s->pooled.count);
    if (c->as_spelt) hsp_json_bool(j, "as_spelt", true); /* absent up to format 4 */
    hsp_json_bool(j, "missing", s->missing);
}

/* Whether a level is spelt as learning leaves it. */
static bool is_valid(const char *level, bool as_spelt, hsp_text *spare) {
    int64_t length = (int64_t)strlen(level), n = length;
    const char *spelt = level;
    if (as_spelt)
        hsp_label_trim(&spelt, &n);
    else
        spelt = hsp_spell(level, &n, spare);
    return spelt && n == length && memcmp(spelt, level, (size_t)n) == 0;
}

/* Whether the levels are valid and sorted. */
static bool are_valid(const hsp_classes *levels, bool as_spelt, hsp_text *spare) {
    bool numeric = true;
    for (int64_t k = 0; k < levels->count; k++) {
        if (!is_valid(levels->name[k], as_spelt, spare)) return false;
        numeric = numeric && hsp_label_is_number(levels->name[k]);
    }
    for (int64_t k = 1; k < levels->count; k++)
        if ((numeric ? by_number : by_text)(&levels->name[k - 1], &levels->name[k]) >= 0) return false;
    return true;
}

static int load_levels(const hsp_json_loader *l, const char *key, int64_t least, bool as_spelt, hsp_classes *out) {
    hsp_text spare = {0};
    out->count = hsp_json_count(hsp_json_get(l->from, key));
    if (out->count < least) return hsp_json_wrong(l, key);
    int status = hsp_json_load_strings(l, key, out->count, &out->name);
    if (status && !out->name) out->count = 0;
    if (!status && !are_valid(out, as_spelt, &spare))
        status = spare.failed ? hsp_fail_memory(l->err) : hsp_json_wrong(l, key);
    hsp_text_free(&spare);
    return status;
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    const hsp_json_value *missing = hsp_json_get(l->from, "missing"), *as_spelt = hsp_json_get(l->from, "as_spelt");
    level_state *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(l->err);
    c->state = s;
    if (as_spelt && !hsp_json_is(as_spelt, HSP_JSON_TRUE)) return hsp_json_wrong(l, "as_spelt");
    c->as_spelt = as_spelt != NULL;
    if (!hsp_json_is(hsp_json_get(l->from, "levels"), HSP_JSON_ARRAY)) return hsp_json_wrong(l, "levels");
    if (hsp_json_count(hsp_json_get(l->from, "levels")) > room) return hsp_json_wrong(l, "levels");
    int status = load_levels(l, "levels", 0, c->as_spelt, &s->level);
    if (!status && hsp_json_get(l->from, "pooled")) status = load_levels(l, "pooled", 1, c->as_spelt, &s->pooled);
    if (!status && (!hsp_json_is_flag(missing) || (hsp_json_is(missing, HSP_JSON_TRUE) && !c->fills)))
        status = hsp_json_wrong(l, "missing");
    if (!status) status = make_index(s, l->err);
    if (!status && hsp_intern_count(s->index) != s->level.count + s->pooled.count) status = hsp_json_wrong(l, "pooled");
    if (!status && c->as_spelt) status = index_numbers(s, l->err);
    if (status) return status;
    s->missing = hsp_json_is(missing, HSP_JSON_TRUE);
    set_features(c);
    return 0;
}

static void clear(void *state) {
    level_state *s = state;
    hsp_classes_clear(&s->level);
    hsp_classes_clear(&s->pooled);
    hsp_intern_free(s->index);
    hsp_intern_free(s->number);
    hsp_free(s->place);
}

const hsp_kind hsp_kind_categorical = {.name = "categorical",
                                       .help = "one of several levels: a feature for each",
                                       .cells = "categorical",
                                       .askable = true,
                                       .levels = true,
                                       .wants_rows = wants_rows,
                                       .gather = gather,
                                       .drop_gathered = drop_gathered,
                                       .learn = learn,
                                       .most = most,
                                       .encode = encode,
                                       .encode_missing = encode_missing,
                                       .feature = feature,
                                       .save = save,
                                       .load = load,
                                       .clear = clear};
