/* Files are not trusted: every count is checked against the size of the file before memory is allocated, and every index
 * against its count. */
#include "data/schema_json.h"

#include "base/error.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/number_sign.h"

#include <string.h>

/* ---- saving ---- */

void hsp_names_save(hsp_json *j, const char *key, char *const *name, int64_t count) {
    hsp_json_array(j, key);
    for (int64_t i = 0; i < count; i++) hsp_json_string(j, NULL, name[i]);
    hsp_json_array_end(j);
}

/* Writes a character unless it is 0. */
static void save_character(hsp_json *j, const char *key, char c) {
    if (c) hsp_json_string(j, key, (char[]){c, '\0'});
}

/* Members that stand only where they are needed. */
static void save_rules(const hsp_schema *s, hsp_json *j) {
    save_character(j, "comment", s->rules.comment);
    if (s->rules.skip_lines > 0) hsp_json_int(j, "skip_lines", s->rules.skip_lines);
    save_character(j, "decimal", s->rules.marks.decimal);
    save_character(j, "thousands", s->rules.marks.thousands);
    if (s->rules.numeric_target) hsp_json_bool(j, "numeric_target", true);
    if (s->rules.target_sign) hsp_json_string(j, "target_sign", hsp_number_sign[s->rules.target_sign]);
    if (!s->sign) return;
    hsp_json_array(j, "signs");
    for (int64_t i = 0; i < s->d; i++) hsp_json_string(j, NULL, hsp_number_sign[s->sign[i]]);
    hsp_json_array_end(j);
}

void hsp_schema_save(const hsp_schema *s, hsp_json *j) {
    hsp_json_object(j, "schema");
    hsp_json_string(j, "format", s->format);
    hsp_json_int(j, "features", s->d);
    hsp_json_int(j, "base", s->base);
    hsp_json_bool(j, "header", s->header);
    hsp_json_string(j, "delimiter", s->delimiter ? (char[]){s->delimiter, '\0'} : NULL);
    hsp_json_int(j, "file_columns", s->file_columns);
    hsp_json_int(j, "target_column", s->target_column);
    hsp_json_string(j, "target", s->target);
    if (s->weight_column > 0) { /* members that older versions lack are written only if needed */
        hsp_json_int(j, "weight_column", s->weight_column);
        hsp_json_string(j, "weight", s->weight);
    }
    if (s->missing) hsp_json_string(j, "missing_values", s->missing);
    if (s->unquoted) hsp_json_bool(j, "unquoted", true);
    save_rules(s, j);
    if (s->spelt) {
        hsp_json_array(j, "spelt");
        for (int64_t i = 0; i < s->d; i++)
            if (s->spelt[i]) hsp_json_int(j, NULL, i);
        hsp_json_array_end(j);
    }
    if (s->column) {
        hsp_json_array(j, "columns");
        for (int64_t i = 0; i < s->d; i++) hsp_json_int(j, NULL, s->column[i]);
        hsp_json_array_end(j);
    } else {
        hsp_json_null(j, "columns");
    }
    if (s->name) {
        char buf[32];
        hsp_json_array(j, "names");
        for (int64_t i = 0; i < s->d; i++) hsp_json_string(j, NULL, hsp_schema_feature(s, i, buf));
        hsp_json_array_end(j);
    } else {
        hsp_json_null(j, "names");
    }
    hsp_json_object_end(j);
}

/* ---- columns ---- */

static int load_columns(const hsp_json_loader *l, hsp_schema *s) {
    const hsp_json_value *list = hsp_json_get(l->from, "columns");
    if (hsp_json_is(list, HSP_JSON_NULL)) return 0;
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != s->d) return hsp_json_wrong(l, "columns");
    if (!HSP_ALLOC(s->column, s->d > 0 ? s->d : 1)) return hsp_fail_memory(l->err);
    for (int64_t j = 0; j < s->d; j++) {
        if (!hsp_json_whole(hsp_json_item(list, j), &s->column[j]) || s->column[j] < 1 ||
            s->column[j] > s->file_columns || s->column[j] == s->target_column || s->column[j] == s->weight_column) {
            return hsp_json_wrong(l, "columns");
        }
    }
    return 0;
}

static int load_spelt(const hsp_json_loader *l, hsp_schema *s) {
    const hsp_json_value *list = hsp_json_get(l->from, "spelt");
    if (!list || s->d < 1) return 0;
    if (!hsp_json_is(list, HSP_JSON_ARRAY)) return hsp_json_wrong(l, "spelt");
    if (!HSP_ALLOC_ZERO(s->spelt, s->d)) return hsp_fail_memory(l->err);
    HSP_JSON_EACH(v, list) {
        int64_t j;
        if (!hsp_json_whole(v, &j) || j < 0 || j >= s->d) return hsp_json_wrong(l, "spelt");
        s->spelt[j] = true;
    }
    return 0;
}

static int load_delimiter(const hsp_json_loader *l, hsp_schema *s) {
    const hsp_json_value *v = hsp_json_get(l->from, "delimiter");
    if (hsp_json_is(v, HSP_JSON_NULL)) return 0;
    const char *text = hsp_json_text(v);
    bool letter = text && ((text[0] >= '0' && text[0] <= '9') || ((text[0] | 0x20) >= 'a' && (text[0] | 0x20) <= 'z'));
    if (!text || strlen(text) != 1 || letter || (unsigned char)text[0] >= 0x80 || strchr("\"'.+-\n\r", text[0]))
        return hsp_json_wrong(l, "delimiter");
    s->delimiter = text[0];
    return 0;
}

/* One printable character of ASCII, among these unless NULL; an absent member leaves 0. */
static int load_character(const hsp_json_loader *l, const char *key, const char *among, char *out) {
    const hsp_json_value *v = hsp_json_get(l->from, key);
    const char *text = hsp_json_text(v);
    if (!v) return 0;
    if (!text || strlen(text) != 1) return hsp_json_wrong(l, key);
    if (among ? !strchr(among, text[0]) : text[0] <= ' ' || text[0] == 0x7f) return hsp_json_wrong(l, key);
    *out = text[0];
    return 0;
}

/* The sign that a text names; 0: null, or not known. */
static int find_sign(const hsp_json_value *v) {
    const char *text = hsp_json_text(v);
    for (int k = 1; text && hsp_number_sign[k]; k++)
        if (strcmp(text, hsp_number_sign[k]) == 0) return k;
    return 0;
}

static int load_signs(const hsp_json_loader *l, hsp_schema *s) {
    const hsp_json_value *list = hsp_json_get(l->from, "signs"), *target = hsp_json_get(l->from, "target_sign");
    s->rules.target_sign = (uint8_t)find_sign(target);
    if (target && !s->rules.target_sign) return hsp_json_wrong(l, "target_sign");
    if (!list) return 0;
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != s->d) return hsp_json_wrong(l, "signs");
    if (!HSP_ALLOC_ZERO(s->sign, s->d + 1)) return hsp_fail_memory(l->err);
    for (int64_t j = 0; j < s->d; j++) {
        const hsp_json_value *v = hsp_json_item(list, j);
        s->sign[j] = (uint8_t)find_sign(v);
        if (!s->sign[j] && !hsp_json_is(v, HSP_JSON_NULL)) return hsp_json_wrong(l, "signs");
    }
    return 0;
}

static int load_rules(const hsp_json_loader *l, hsp_schema *s) {
    int status = load_character(l, "comment", NULL, &s->rules.comment);
    if (!status) status = load_character(l, "decimal", ".,", &s->rules.marks.decimal);
    if (!status) status = load_character(l, "thousands", ".,'_ ", &s->rules.marks.thousands);
    if (!status) status = load_signs(l, s);
    s->rules.numeric_target = hsp_json_is(hsp_json_get(l->from, "numeric_target"), HSP_JSON_TRUE);
    if (!status && hsp_json_get(l->from, "skip_lines"))
        status = hsp_json_load_whole(l, "skip_lines", INT64_MAX, &s->rules.skip_lines);
    return status;
}

/* Absent in models whose rows had no weights. */
static int load_weight(const hsp_json_loader *l, hsp_schema *s) {
    if (!hsp_json_get(l->from, "weight_column")) return 0;
    bool csv = strcmp(s->format, "csv") == 0;
    int64_t most = csv ? s->file_columns : (int64_t)INT32_MAX + 1;
    int status = hsp_json_load_whole(l, "weight_column", most, &s->weight_column);
    if (!status && (s->weight_column < 1 || (csv && s->weight_column == s->target_column)))
        status = hsp_json_wrong(l, "weight_column");
    return status ? status : hsp_json_load_string(l, "weight", true, &s->weight);
}

static int load_members(const hsp_json_loader *l, int64_t most, hsp_schema *s) {
    const hsp_json_value *header = hsp_json_get(l->from, "header");
    int64_t base = 0;
    int status = hsp_json_load_string(l, "format", false, &s->format);
    if (!status) status = hsp_json_load_whole(l, "features", most, &s->d);
    if (!status) status = hsp_json_load_whole(l, "base", 1, &base);
    if (!status) status = hsp_json_is_flag(header) ? 0 : hsp_json_wrong(l, "header");
    if (!status) status = load_delimiter(l, s);
    if (!status) status = hsp_json_load_whole(l, "file_columns", INT32_MAX, &s->file_columns);
    if (!status) status = hsp_json_load_whole(l, "target_column", s->file_columns, &s->target_column);
    if (!status) status = hsp_json_load_string(l, "target", true, &s->target);
    if (!status) status = load_weight(l, s);
    if (!status && hsp_json_get(l->from, "missing_values"))
        status = hsp_json_load_string(l, "missing_values", false, &s->missing);
    if (!status) status = load_rules(l, s);
    if (!status) status = load_columns(l, s);
    if (!status) status = load_spelt(l, s);
    if (!status && !hsp_json_is(hsp_json_get(l->from, "names"), HSP_JSON_NULL))
        status = hsp_json_load_strings(l, "names", s->d, &s->name);
    /* Encoded features of a table have names, but no file columns. */
    if (!status && strcmp(s->format, "csv") == 0 && (!s->delimiter || (!s->column && !s->name)))
        status = hsp_json_wrong(l, "columns");
    s->header = hsp_json_is(header, HSP_JSON_TRUE);
    s->unquoted = hsp_json_is(hsp_json_get(l->from, "unquoted"), HSP_JSON_TRUE);
    s->base = (int)base;
    return status;
}

int hsp_schema_load(const hsp_json_loader *l, int64_t most, hsp_schema *out) {
    const hsp_json_value *schema = hsp_json_get(l->from, "schema");
    *out = (hsp_schema){0};
    if (!hsp_json_is(schema, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "schema");
    const hsp_json_loader inner = {schema, l->file, l->err};
    return load_members(&inner, most, out);
}

/* ---- classes ---- */

/* Whether the labels are canonical, or codes, and sorted, as looking them up requires. buf: scratch for the longest. */
static bool classes_in_order(const hsp_classes *c, char *buf) {
    bool codes = hsp_classes_are_codes(c), numeric = !codes;
    for (int64_t k = 0; k < c->count; k++) {
        const char *s = c->name[k];
        int64_t n = (int64_t)strlen(s);
        hsp_label_trim(&s, &n);
        if (!codes) hsp_label_canonical(c->name[k], (int64_t)strlen(c->name[k]), buf);
        if (codes ? s[n] != '\0' || s != c->name[k] : strcmp(buf, c->name[k]) != 0) return false;
        numeric = numeric && hsp_label_is_number(c->name[k]);
    }
    for (int64_t k = 1; k < c->count; k++) {
        if (hsp_label_compare(c->name[k - 1], c->name[k], numeric) >= 0) return false;
    }
    return true;
}

int hsp_classes_load(const hsp_json_loader *l, const char *key, int64_t least, hsp_classes *out) {
    int64_t count = hsp_json_count(hsp_json_get(l->from, key));
    if (count < least) return hsp_json_wrong(l, key);
    out->count = count;
    int status = hsp_json_load_strings(l, key, count, &out->name);
    if (status) {
        if (!out->name) out->count = 0;
        return status;
    }
    size_t longest = 32;
    for (int64_t k = 0; k < out->count; k++) {
        size_t n = strlen(out->name[k]);
        if (n > longest) longest = n;
    }
    char *buf = hsp_alloc((int64_t)longest + 1, 1);
    if (!buf) return hsp_fail_memory(l->err);
    bool ok = classes_in_order(out, buf);
    hsp_free(buf);
    return ok ? 0 : hsp_json_wrong(l, key);
}
