#include "table/encoding.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/unseen_levels.h"
#include "option/options.h"
#include "table/choose_kind.h"
#include "table/expand.h"
#include "table/spelling.h"

#include <string.h>

/* ---- the object ---- */

static void free_encoding(hsp_features *features) {
    hsp_encoding *e = hsp_encoding_of(features);
    for (int64_t j = 0; e->column && j < e->raw.d; j++) {
        hsp_table_column *c = &e->column[j];
        if (c->kind) hsp_column_forget(c);
        HSP_FREE(c->name, c->trouble);
    }
    hsp_expansion_free(e->expansion);
    HSP_FREE(e->column, e->run, e->note, e->refusal);
    hsp_table_rules_clear(&e->rules);
    hsp_schema_clear(&e->raw);
    hsp_free(e);
}

static const hsp_schema *columns_of(hsp_features *features) {
    return &hsp_encoding_of(features)->raw;
}

static int encode_cells(hsp_features *features, const hsp_frame *f, const char *file, int threads, hsp_data **out,
                        hsp_error **err) {
    hsp_unseen unseen = {0};
    int status = hsp_encode_cells(hsp_encoding_of(features), f, file, threads, out, &unseen, err);
    if (status) {
        hsp_unseen_clear(&unseen);
        return status;
    }
    (*out)->features = hsp_features_hold(features);
    hsp_unseen_move(&unseen, &(*out)->unseen);
    return HSP_OK;
}

static int learn_again(hsp_features *features, const hsp_frame *f, int threads, hsp_features **out, hsp_error **err) {
    const hsp_encoding *before = hsp_encoding_of(features);
    hsp_encoding *e = NULL;
    hsp_table_rules rules = {0};
    int status = hsp_table_rules_copy(&before->rules, &rules, err);
    rules.lenient = false;
    for (int64_t j = 0; !status && j < rules.d; j++) rules.kind[j] = before->column[j].kind; /* those of the whole table */
    if (!status) status = hsp_encoding_learn(f, &rules, threads, &e, err);
    *out = status ? NULL : &e->features;
    hsp_table_rules_clear(&rules);
    return status;
}

static const hsp_features_type encoding_type = {columns_of, encode_cells, learn_again, free_encoding};

hsp_encoding *hsp_encoding_of(hsp_features *f) {
    return f && f->type == &encoding_type ? (hsp_encoding *)(void *)f : NULL; /* it is the first member */
}

int hsp_encoding_new(const hsp_schema *raw, hsp_encoding **out, hsp_error **err) {
    char buf[32];
    *out = NULL;
    hsp_encoding *e = hsp_alloc_zero(1, sizeof *e);
    if (!e) return hsp_fail_memory(err);
    e->features = hsp_features_new(&encoding_type);
    int status = hsp_schema_copy(raw, &e->raw, err);
    e->raw.table = true;
    if (!status && (!HSP_ALLOC_ZERO(e->column, e->raw.d + 1) || !HSP_ALLOC(e->run, e->raw.d + 1)))
        status = hsp_fail_memory(err);
    for (int64_t j = 0; !status && j < e->raw.d; j++) {
        if (hsp_copy_string(&e->column[j].name, hsp_schema_feature(&e->raw, j, buf))) status = hsp_fail_memory(err);
    }
    if (status)
        hsp_encoding_release(e);
    else
        *out = e;
    return status;
}

/* Marks how new rows are read: levels as they are spelt, and in numeric columns words like None as missing. */
static int mark_reading(hsp_encoding *e) {
    for (int64_t j = 0; j < e->raw.d; j++) {
        const hsp_table_column *c = &e->column[j];
        bool numeric = e->rules.as_spelt && c->kind->as_is;
        if (c->as_spelt && !e->raw.spelt && !HSP_ALLOC_ZERO(e->raw.spelt, e->raw.d)) return HSP_EMEMORY;
        if (numeric && !e->raw.numeric && !HSP_ALLOC_ZERO(e->raw.numeric, e->raw.d)) return HSP_EMEMORY;
        if (c->as_spelt) e->raw.spelt[j] = true;
        if (e->raw.numeric) e->raw.numeric[j] = numeric;
    }
    return 0;
}

int hsp_encoding_lay_out(hsp_encoding *e, hsp_error **err) {
    e->base = e->runs = e->most = 0;
    if (!e->raw.unused && !HSP_ALLOC(e->raw.unused, e->raw.d)) return hsp_fail_memory(err);
    if (mark_reading(e)) return hsp_fail_memory(err);
    for (int64_t j = 0; j < e->raw.d; j++) {
        hsp_table_column *c = &e->column[j];
        c->first = e->base;
        e->base += c->features;
        e->raw.unused[j] = c->kind->left_out;
        if (e->base > INT32_MAX)
            return hsp_fail_at(err, HSP_EINPUT, (hsp_place){e->rules.file, 0, 0},
                               "more than 2147483647 features: ignore some columns, or pool rare levels with --min-count");
        bool numbers = c->kind->as_is && c->features == 1 && !c->transform;
        if (!c->kind->reads_text) e->most += c->kind->most ? c->kind->most(c, 0) : c->features;
        if (numbers && e->runs > 0 && e->run[e->runs - 1].numbers && e->run[e->runs - 1].to == j)
            e->run[e->runs - 1].to = j + 1;
        else if (!c->kind->left_out)
            e->run[e->runs++] = (hsp_column_run){j, j + 1, numbers};
    }
    e->d = e->base + (e->expansion ? e->expansion->features : 0);
    return HSP_OK;
}

int hsp_encoding_keep_orders(hsp_encoding *e, hsp_error **err) {
    for (int64_t j = 0; j < e->raw.d; j++) {
        const hsp_table_column *c = &e->column[j];
        if (!c->kind->order) continue;
        if (!e->rules.date_order && !HSP_ALLOC_ZERO(e->rules.date_order, e->raw.d)) return hsp_fail_memory(err);
        e->rules.date_order[j] = (uint8_t)c->kind->order(c);
    }
    return HSP_OK;
}

/* ---- description ---- */

const hsp_table_column *hsp_encoding_text(const hsp_encoding *e) {
    for (int64_t j = 0; j < e->raw.d; j++)
        if (e->column[j].kind->reads_text) return &e->column[j];
    return NULL;
}

bool hsp_encoding_plain(const hsp_encoding *e) {
    if (e->rules.missing != HSP_MISSING_ERROR || e->expansion) return false;
    for (int64_t j = 0; j < e->raw.d; j++)
        if (!e->column[j].kind->as_is || e->column[j].indicator || e->column[j].transform) return false;
    return true;
}

static int name_features(const hsp_encoding *e, hsp_schema *s, hsp_error **err) {
    hsp_text t = {0};
    int status = HSP_OK;
    for (int64_t j = 0; j < e->raw.d && !status; j++) {
        const hsp_table_column *c = &e->column[j];
        for (int64_t k = 0; k < c->features && !status; k++) {
            if (c->kind->named && !c->kind->named(c, k)) continue;
            c->kind->feature(c, k, &t);
            status = hsp_text_take(&t, &s->name[c->first + k], err);
        }
    }
    for (int64_t k = e->base; k < e->d && !status; k++) {
        hsp_expansion_feature(e, k - e->base, &t);
        status = hsp_text_take(&t, &s->name[k], err);
    }
    return status;
}

int hsp_encoding_schema(const hsp_encoding *e, hsp_schema *out, hsp_error **err) {
    hsp_schema rest = e->raw; /* without the columns */
    rest.name = NULL;
    rest.column = NULL;
    rest.unused = rest.spelt = rest.numeric = NULL;
    rest.sign = NULL;
    rest.missing = NULL;
    int status = hsp_schema_copy(&rest, out, err);
    if (status) return status;
    out->table = false;
    out->base = 0;
    out->d = e->d;
    out->name = hsp_alloc_zero(e->d + 1, sizeof *out->name);
    status = out->name ? name_features(e, out, err) : hsp_fail_memory(err);
    if (status) hsp_schema_clear(out);
    return status;
}

/* What the features of a text column are. */
static const char *text_unit(const hsp_table_rules *r) {
    bool single = r->gram_least == 1 && r->gram_most == 1;
    return r->hash_bits > 0 ? " hash bucket" : !single ? " n-gram" : r->characters ? " character" : " word";
}

/* "(Sex 2, Embarked 3)": the columns of a kind with the number of their features. */
static void list_columns(const hsp_encoding *e, const hsp_kind *kind, hsp_text *t) {
    enum { SHOWN = 6 };
    int64_t shown = 0;
    for (int64_t j = 0; j < e->raw.d; j++) {
        const hsp_table_column *c = &e->column[j];
        char name[HSP_EXCERPT];
        if (c->kind != kind) continue;
        hsp_text_add(t, shown == 0 ? " (" : ", ");
        if (shown++ == SHOWN) {
            hsp_text_add(t, "...");
            break;
        }
        hsp_text_add(t, hsp_excerpt(name, c->name, (int64_t)strlen(c->name)));
        if (!kind->left_out) hsp_text_format(t, " %lld", (long long)c->features);
        if (kind->reads_text) hsp_text_format(t, "%s%s", text_unit(&e->rules), c->features == 1 ? "" : "s");
    }
    hsp_text_char(t, ')');
}

void hsp_encoding_describe(const hsp_encoding *e, hsp_text *t) {
    bool any = false;
    for (const hsp_kind *const *k = hsp_kind_table; *k; k++) {
        int64_t count = 0, transformed = 0;
        for (int64_t j = 0; j < e->raw.d; j++) {
            count += e->column[j].kind == *k;
            transformed += e->column[j].kind == *k && e->column[j].transform;
        }
        if (count == 0) continue;
        hsp_text_format(t, "%s%lld %s", any ? ", " : "", (long long)count, (*k)->name);
        if (transformed > 0) hsp_text_format(t, " (%lld transformed)", (long long)transformed);
        if ((*k)->numbers == 0) list_columns(e, *k, t);
        any = true;
    }
    hsp_text_format(t, " -> %lld feature%s", (long long)e->d, e->d == 1 ? "" : "s");
}

/* ---- new rows ---- */

int hsp_unseen_by_value(const hsp_options *o, const hsp_encoding *e, const char *file, bool **out, hsp_error **err) {
    *out = NULL;
    if (!hsp_options_text(o, "numeric-levels")) return HSP_OK;
    if (!HSP_ALLOC_ZERO(*out, e->raw.d + 1)) return hsp_fail_memory(err);
    int status = hsp_table_rules_mark(o, "numeric-levels", &e->raw, file, *out, err);
    for (int64_t j = 0; !status && j < e->raw.d; j++) {
        char name[HSP_EXCERPT];
        if (!(*out)[j] || hsp_kind_one_hot(e->column[j].kind)) continue;
        status =
            hsp_fail(err, HSP_EUSAGE, "--numeric-levels: column '%s' is %s in the model: name a categorical column",
                     hsp_excerpt(name, e->column[j].name, (int64_t)strlen(e->column[j].name)), e->column[j].kind->name);
    }
    if (status) {
        hsp_free(*out);
        *out = NULL;
    }
    return status;
}
