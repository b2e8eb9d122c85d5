/* Saving and loading what was learnt. Loading believes nothing: every count is held against what the file can hold before
 * memory is asked for, and every index against its count. */
#include "prepare/prepare_json.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ---- saving ---- */

static void save_names(hsp_json *j, const char *key, char *const *name, int64_t count) {
    hsp_json_array(j, key);
    for (int64_t i = 0; i < count; i++) hsp_json_string(j, NULL, name[i]);
    hsp_json_array_end(j);
}

static void save_schema(const hsp_schema *s, hsp_json *j) {
    hsp_json_object(j, "schema");
    hsp_json_string(j, "format", s->format);
    hsp_json_int(j, "features", s->d);
    hsp_json_int(j, "base", s->base);
    hsp_json_bool(j, "header", s->header);
    if (s->delimiter) {
        hsp_json_string(j, "delimiter", (char[]){s->delimiter, '\0'});
    } else {
        hsp_json_null(j, "delimiter");
    }
    hsp_json_int(j, "file_columns", s->file_columns);
    hsp_json_int(j, "target_column", s->target_column);
    hsp_json_string(j, "target", s->target);
    if (s->weight_column > 0) { /* members that came later are there only when they say something */
        hsp_json_int(j, "weight_column", s->weight_column);
        hsp_json_string(j, "weight", s->weight);
    }
    if (s->column) {
        hsp_json_array(j, "columns");
        for (int64_t i = 0; i < s->d; i++) hsp_json_int(j, NULL, s->column[i]);
        hsp_json_array_end(j);
    } else {
        hsp_json_null(j, "columns");
    }
    if (s->name) {
        save_names(j, "names", s->name, s->d);
    } else {
        hsp_json_null(j, "names");
    }
    hsp_json_object_end(j);
}

void hsp_prepare_save(const hsp_prepare *p, hsp_json *j) {
    save_names(j, "classes", p->classes.name, p->classes.count);
    hsp_json_string(j, "positive", p->positive >= 0 ? p->classes.name[p->positive] : NULL);
    if (p->merged) {
        save_names(j, "labels", p->source.name, p->source.count);
        hsp_json_array(j, "merged");
        for (int64_t k = 0; k < p->source.count; k++) hsp_json_int(j, NULL, p->merged[k]);
        hsp_json_array_end(j);
    }
    hsp_json_string(j, "scale", p->scale ? p->scale : "none");
    save_schema(&p->schema, j);
}

/* ---- loading ---- */

bool hsp_json_whole(const json_t *v, int64_t *out) {
    if (!json_is_number(v)) return false;
    double number = json_number_value(v);
    if (!(number >= 0 && number <= 9007199254740992.0) || floor(number) != number) return false;
    *out = (int64_t)number;
    return true;
}

/* All fields of the header come through here: what is missing or of the wrong type has one message. */
typedef struct loader {
    const json_t *from;
    const char *file;
    hsp_error **err;
} loader;

static int wrong(const loader *l, const char *key) {
    return hsp_fail_at(l->err, HSP_EINPUT, (hsp_place){.file = l->file},
                       "is damaged: '%s' of its header is not valid; make it again", key);
}

static int load_whole(const loader *l, const char *key, int64_t most, int64_t *out) {
    if (!hsp_json_whole(json_object_get(l->from, key), out) || *out > most) return wrong(l, key);
    return 0;
}

/* A string, or null where that is allowed. */
static int load_string(const loader *l, const char *key, bool nullable, char **out) {
    const json_t *v = json_object_get(l->from, key);
    if (json_is_null(v) && nullable) return 0;
    if (!json_is_string(v)) return wrong(l, key);
    *out = hsp_strdup(json_string_value(v));
    return *out ? 0 : hsp_fail_memory(l->err);
}

/* `count` names, each its own; *out is set at once and zeroed, so that a half-filled one can be cleared. */
static int load_names(const loader *l, const char *key, int64_t count, char ***out) {
    const json_t *list = json_object_get(l->from, key);
    if (!json_is_array(list) || (int64_t)json_array_size(list) != count) return wrong(l, key);
    char **name = hsp_alloc_zero(count > 0 ? count : 1, sizeof *name);
    if (!name) return hsp_fail_memory(l->err);
    *out = name;
    for (int64_t i = 0; i < count; i++) {
        const char *s = json_string_value(json_array_get(list, (size_t)i));
        if (!s) return wrong(l, key);
        name[i] = hsp_strdup(s);
        if (!name[i]) return hsp_fail_memory(l->err);
    }
    return 0;
}

static int load_columns(const loader *l, hsp_schema *s) {
    const json_t *list = json_object_get(l->from, "columns");
    if (json_is_null(list)) return 0;
    if (!json_is_array(list) || (int64_t)json_array_size(list) != s->d) return wrong(l, "columns");
    s->column = hsp_alloc(s->d > 0 ? s->d : 1, sizeof *s->column);
    if (!s->column) return hsp_fail_memory(l->err);
    for (int64_t j = 0; j < s->d; j++) {
        if (!hsp_json_whole(json_array_get(list, (size_t)j), &s->column[j]) || s->column[j] < 1 ||
            s->column[j] > s->file_columns || s->column[j] == s->target_column || s->column[j] == s->weight_column) {
            return wrong(l, "columns");
        }
    }
    return 0;
}

static int load_delimiter(const loader *l, hsp_schema *s) {
    const json_t *v = json_object_get(l->from, "delimiter");
    if (json_is_null(v)) return 0;
    const char *text = json_string_value(v);
    if (!text || strlen(text) != 1 || !strchr(",;\t ", text[0])) return wrong(l, "delimiter");
    s->delimiter = text[0];
    return 0;
}

/* Absent in models whose rows had no weights. */
static int load_weight(const loader *l, hsp_schema *s) {
    if (!json_object_get(l->from, "weight_column")) return 0;
    bool csv = strcmp(s->format, "csv") == 0;
    int64_t most = csv ? s->file_columns : (int64_t)INT32_MAX + 1;
    int status = load_whole(l, "weight_column", most, &s->weight_column);
    if (!status && (s->weight_column < 1 || (csv && s->weight_column == s->target_column)))
        status = wrong(l, "weight_column");
    return status ? status : load_string(l, "weight", true, &s->weight);
}

static int load_schema(const loader *l, int64_t room, hsp_schema *s) {
    const json_t *header = json_object_get(l->from, "header");
    int64_t base = 0;
    int status = load_string(l, "format", false, &s->format);
    if (!status) status = load_whole(l, "features", room, &s->d);
    if (!status) status = load_whole(l, "base", 1, &base);
    if (!status) status = json_is_boolean(header) ? 0 : wrong(l, "header");
    if (!status) status = load_delimiter(l, s);
    if (!status) status = load_whole(l, "file_columns", INT32_MAX, &s->file_columns);
    if (!status) status = load_whole(l, "target_column", s->file_columns, &s->target_column);
    if (!status) status = load_string(l, "target", true, &s->target);
    if (!status) status = load_weight(l, s);
    if (!status) status = load_columns(l, s);
    if (!status && !json_is_null(json_object_get(l->from, "names"))) status = load_names(l, "names", s->d, &s->name);
    if (!status && strcmp(s->format, "csv") == 0 && (!s->delimiter || !s->column)) status = wrong(l, "columns");
    s->header = json_is_true(header);
    s->base = (int)base;
    return status;
}

/* Canonical and ascending, as data made them: everything that looks a label up relies on it. `buf` holds any of them. */
static bool classes_in_order(const hsp_classes *c, char *buf) {
    bool numeric = true;
    for (int64_t k = 0; k < c->count; k++) {
        hsp_label_canonical(c->name[k], (int64_t)strlen(c->name[k]), buf);
        if (strcmp(buf, c->name[k]) != 0) return false;
        numeric = numeric && hsp_label_is_number(c->name[k]);
    }
    for (int64_t k = 1; k < c->count; k++) {
        if (hsp_label_compare(c->name[k - 1], c->name[k], numeric) >= 0) return false;
    }
    return true;
}

static int check_order(const loader *l, const char *key, const hsp_classes *c) {
    size_t longest = 32;
    for (int64_t k = 0; k < c->count; k++) {
        size_t n = strlen(c->name[k]);
        if (n > longest) longest = n;
    }
    char *buf = hsp_alloc((int64_t)longest + 1, 1);
    if (!buf) return hsp_fail_memory(l->err);
    bool ok = classes_in_order(c, buf);
    hsp_free(buf);
    return ok ? 0 : wrong(l, key);
}

/* A list of at least so many labels. */
static int load_labels(const loader *l, const char *key, int64_t least, hsp_classes *out) {
    int64_t count = (int64_t)json_array_size(json_object_get(l->from, key));
    if (count < least) return wrong(l, key);
    out->count = count;
    int status = load_names(l, key, count, &out->name);
    if (status) {
        if (!out->name) out->count = 0;
        return status;
    }
    return check_order(l, key, out);
}

static int load_positive(const loader *l, hsp_prepare *p) {
    const json_t *v = json_object_get(l->from, "positive");
    p->positive = -1;
    if (p->classes.count != 2) return json_is_null(v) ? 0 : wrong(l, "positive");
    const char *label = json_string_value(v);
    for (int64_t k = 0; label && k < 2; k++) {
        if (strcmp(p->classes.name[k], label) == 0) p->positive = k;
    }
    return p->positive >= 0 ? 0 : wrong(l, "positive");
}

/* Absent where no classes were merged. */
static int load_merged(const loader *l, hsp_prepare *p) {
    const json_t *list = json_object_get(l->from, "merged");
    if (!list && !json_object_get(l->from, "labels")) return 0;
    if (p->classes.count != 2) return wrong(l, "merged");
    int status = load_labels(l, "labels", 3, &p->source);
    if (status) return status;
    int64_t count = p->source.count, ones = 0;
    if (!json_is_array(list) || (int64_t)json_array_size(list) != count) return wrong(l, "merged");
    p->merged = hsp_alloc(count, sizeof *p->merged);
    if (!p->merged) return hsp_fail_memory(l->err);
    for (int64_t k = 0; k < count; k++) {
        int64_t class;
        if (!hsp_json_whole(json_array_get(list, (size_t)k), &class) || class > 1) return wrong(l, "merged");
        p->merged[k] = (int32_t) class;
        ones += class;
    }
    return ones > 0 && ones < count ? 0 : wrong(l, "merged");
}

/* Regression has no classes. */
static int load_classes(const loader *l, hsp_prepare *p) {
    const json_t *classes = json_object_get(l->from, "classes");
    const char *task = json_string_value(json_object_get(l->from, "task"));
    p->regression = task && strcmp(task, "regression") == 0;
    if (p->regression && (!json_is_array(classes) || json_array_size(classes) != 0)) return wrong(l, "classes");
    int status = p->regression ? 0 : load_labels(l, "classes", 2, &p->classes);
    if (!status) status = load_positive(l, p);
    return status ? status : load_merged(l, p);
}

static int load_scale(const loader *l, hsp_prepare *p) {
    static const char *const kinds[] = {"none", "standard", "maxabs", "minmax"};
    int status = load_string(l, "scale", false, &p->scale);
    if (status) return status;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(p->scale, kinds[i]) == 0) return 0;
    }
    return wrong(l, "scale");
}

int hsp_prepare_load(const json_t *header, int64_t room, const char *file, hsp_prepare *out, hsp_error **err) {
    hsp_prepare p = {0};
    loader l = {header, file, err};
    int status = load_classes(&l, &p);
    if (!status) status = load_scale(&l, &p);
    const json_t *schema = json_object_get(header, "schema");
    if (!status && !json_is_object(schema)) status = wrong(&l, "schema");
    l.from = schema;
    if (!status) status = load_schema(&l, room, &p.schema);
    if (status) hsp_prepare_clear(&p);
    *out = p;
    return status;
}
