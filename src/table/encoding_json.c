/* Saving and loading an encoding. Files are not trusted: every kind checks its counts against the number of the model's
 * weights, and in the end the features must add up. */
#include "base/json.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "data/schema.h"
#include "data/schema_json.h"
#include "table/expand.h"
#include "table/fill.h"
#include "table/rules_json.h"

#include <string.h>

/* ---- saving ---- */

void hsp_encoding_save(const hsp_encoding *e, hsp_json *j) {
    hsp_json_object(j, "table");
    hsp_json_int(j, "features", e->d);
    hsp_schema_save(&e->raw, j);
    hsp_table_rules_save(&e->rules, hsp_encoding_text(e) != NULL, j);
    hsp_json_array(j, "columns");
    for (int64_t k = 0; k < e->raw.d; k++) {
        const hsp_table_column *c = &e->column[k];
        hsp_json_object(j, NULL);
        hsp_json_string(j, "kind", c->kind->name);
        hsp_json_bool(j, "asked", c->asked);
        if (c->kind->save) c->kind->save(c, j);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
    if (e->expansion) hsp_expansion_save(e->expansion, j);
    hsp_json_object_end(j);
}

/* ---- reporting ---- */

static void report_column(const hsp_table_column *c, hsp_json *j) {
    hsp_json_object(j, NULL);
    hsp_json_string(j, "name", c->name);
    hsp_json_string(j, "kind", c->kind->name);
    hsp_json_bool(j, "asked", c->asked);
    hsp_json_int(j, "features", c->features);
    hsp_json_bool(j, "fills", c->fills);
    if (c->kind->save) c->kind->save(c, j);
    hsp_json_object_end(j);
}

void hsp_encoding_report(const hsp_encoding *e, hsp_json *j) {
    if (!e) {
        hsp_json_null(j, "table");
        return;
    }
    hsp_json_object(j, "table");
    hsp_json_string(j, "missing_values", e->raw.missing);
    hsp_table_rules_save(&e->rules, hsp_encoding_text(e) != NULL, j);
    hsp_json_array(j, "columns");
    for (int64_t k = 0; k < e->raw.d; k++) report_column(&e->column[k], j);
    hsp_json_array_end(j);
    hsp_json_array(j, "crosses");
    for (int64_t t = 0; t < e->rules.crosses; t++) {
        hsp_json_array(j, NULL);
        for (int k = 0; k < 2; k++) hsp_json_string(j, NULL, e->column[e->rules.cross[t][k]].name);
        hsp_json_array_end(j);
    }
    hsp_json_array_end(j);
    hsp_json_int(j, "column_features", e->base);
    if (e->expansion) hsp_expansion_save(e->expansion, j);
    hsp_json_object_end(j);
}

/* ---- loading ---- */

static int load_column(const hsp_json_loader *l, const hsp_json_value *from, int64_t room, hsp_encoding *e, int64_t j) {
    hsp_table_column *c = &e->column[j];
    const hsp_json_loader inner = {from, l->file, l->err};
    const char *name = hsp_json_text(hsp_json_get(from, "kind"));
    const hsp_json_value *asked = hsp_json_get(from, "asked");
    const hsp_kind *kind = name ? hsp_kind_find(name) : NULL;
    if (!hsp_json_is(from, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "columns");
    if (!kind) return hsp_json_wrong(l, "kind");
    if (!hsp_json_is_flag(asked)) return hsp_json_wrong(l, "asked");
    c->kind = kind;
    c->asked = hsp_json_is(asked, HSP_JSON_TRUE);
    c->fills = hsp_fill_allowed(&e->rules);
    c->features = kind->numbers;
    if (c->asked) e->rules.kind[j] = kind;
    int status = kind->load ? kind->load(&inner, room, c) : HSP_OK;
    if (!status && c->transform) e->rules.transform[j] = c->transform->rule;
    if (!status && (c->features < 0 || c->features > room)) status = hsp_json_wrong(l, "columns");
    return status;
}

static int load_members(const hsp_json_loader *l, const hsp_json_value *columns, int64_t room, hsp_encoding *e) {
    int64_t d = 0, left = room;
    int status = hsp_table_rules_load(l, e->raw.d, &e->rules);
    for (int64_t j = 0; !status && j < e->raw.d; j++) {
        status = load_column(l, hsp_json_item(columns, j), left, e, j);
        left -= status ? 0 : e->column[j].features;
    }
    if (!status) status = hsp_encoding_keep_orders(e, l->err);
    if (!status) status = hsp_encoding_lay_out(e, l->err);
    if (!status) status = hsp_expansion_load(l, room, e);
    if (!status) status = hsp_encoding_lay_out(e, l->err);
    if (!status) status = hsp_json_load_whole(l, "features", room, &d);
    return status || d == e->d ? status : hsp_json_wrong(l, "features");
}

int hsp_encoding_load(const hsp_json_loader *l, int64_t room, hsp_encoding **out) {
    const hsp_json_value *table = hsp_json_get(l->from, "table"), *columns = hsp_json_get(table, "columns");
    *out = NULL;
    if (!table) return HSP_OK;
    if (!hsp_json_is(table, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "table");
    if (!hsp_json_is(columns, HSP_JSON_ARRAY)) return hsp_json_wrong(l, "columns");
    const hsp_json_loader inner = {table, l->file, l->err};
    int64_t count = hsp_json_count(columns);
    hsp_schema raw;
    hsp_encoding *e = NULL;
    int status = hsp_schema_load(&inner, count, &raw);
    if (!status && (raw.d != count || (strcmp(raw.format, "csv") == 0 && !raw.column)))
        status = hsp_json_wrong(l, "columns");
    if (!status) status = hsp_encoding_new(&raw, &e, l->err);
    if (!status) status = load_members(&inner, columns, room, e);
    hsp_schema_clear(&raw);
    if (status)
        hsp_encoding_release(e);
    else
        *out = e;
    return status;
}
