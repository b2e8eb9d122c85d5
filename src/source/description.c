#include "source/description.h"

#include "base/error.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/digest_codes.h"
#include "data/matrix.h"
#include "data/schema_json.h"
#include "kernel/form.h"
#include "option/options.h"
#include "spool/table_plan.h"
#include "table/blank_words.h"
#include "table/encoding.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define NAME "description of a part"
enum { VERSION = 1 };
static const double MOST = 9007199254740992.0;

/* ---- writing ---- */

/* Options of reading, and threads. */
static bool is_kept(const hsp_option *p, const hsp_options *o) {
    bool reads = strcmp(p->group, "read") == 0 || strcmp(p->group, "table") == 0 || strcmp(p->name, "threads") == 0;
    return reads && hsp_options_is_set(o, p->name);
}

static void add_options(hsp_json *j, const hsp_options *o) {
    hsp_json_object(j, "options");
    for (int64_t i = 0; i < hsp_option_table_size; i++)
        if (is_kept(&hsp_option_table[i], o))
            hsp_json_string(j, hsp_option_table[i].name, hsp_options_text(o, hsp_option_table[i].name));
    hsp_json_object_end(j);
}

static void add_shape(hsp_json *j, const hsp_shape *s) {
    char digits[17];
    hsp_json_object(j, "shape");
    hsp_json_int(j, "rows", s->n);
    hsp_json_int(j, "features", s->d);
    hsp_json_int(j, "base", s->base);
    hsp_json_bool(j, "dense", s->dense);
    hsp_json_int(j, "id_bytes", (int64_t)hsp_ids_size(s->ids));
    hsp_json_int(j, "coding", (int64_t)s->coding);
    hsp_json_bool(j, "single", s->dtype == HSP_FLOAT32);
    hsp_json_bool(j, "labelled", s->labelled);
    hsp_json_bool(j, "regression", s->regression);
    hsp_json_bool(j, "weighted", s->weighted);
    hsp_json_array(j, "codes");
    for (int k = 0; k < s->codes.count; k++) {
        hsp_hex(s->codes.value[k], digits);
        hsp_json_string(j, NULL, digits);
    }
    hsp_json_array_end(j);
    hsp_json_array(j, "table");
    for (int k = 0; s->table && k < HSP_TABLE; k++) {
        uint64_t bits;
        memcpy(&bits, &s->table[k], sizeof bits);
        hsp_hex(bits, digits);
        hsp_json_string(j, NULL, digits);
    }
    hsp_json_array_end(j);
    hsp_json_object_end(j);
}

static void add_ranges(hsp_json *j, const hsp_description *d) {
    hsp_json_array(j, "files");
    for (int64_t k = 0; k < d->ranges; k++) {
        const hsp_part_range *r = &d->range[k];
        hsp_json_object(j, NULL);
        hsp_json_string(j, "path", r->path);
        hsp_json_int(j, "bytes", r->bytes);
        hsp_json_bool(j, "whole", r->whole);
        hsp_json_int(j, "from", r->from);
        hsp_json_int(j, "to", r->to == INT64_MAX ? 0 : r->to); /* 0: the end of the file */
        hsp_json_int(j, "line", r->line);
        hsp_json_int(j, "rows", r->rows);
        hsp_json_int(j, "nonzeros", r->nonzeros);
        hsp_json_object_end(j);
    }
    hsp_json_array_end(j);
}

static void add_table(hsp_json *j, const hsp_table_plan *t) {
    hsp_encoding_save(t->encoding, j);
    hsp_json_bool(j, "plain", t->plain);
    hsp_json_array(j, "blank");
    for (int64_t k = 0; k < t->encoding->raw.d; k++)
        if (hsp_blank_column_is(&t->blank[k])) hsp_json_int(j, NULL, k);
    hsp_json_array_end(j);
}

int hsp_description_write(const hsp_description *d, char **out, hsp_error **err) {
    hsp_text t = {0};
    hsp_json j = {.out = &t};
    char folder[PATH_MAX];
    hsp_json_object(&j, NULL);
    hsp_json_int(&j, "halfspace_part", VERSION);
    hsp_json_string(&j, "folder", getcwd(folder, sizeof folder));
    hsp_json_bool(&j, "stored", d->stored);
    hsp_json_int(&j, "first_block", d->first_block);
    hsp_json_int(&j, "blocks", d->blocks);
    hsp_json_int(&j, "rows", d->rows);
    hsp_json_int(&j, "features", d->features);
    add_options(&j, d->options);
    add_ranges(&j, d);
    if (!d->stored) {
        hsp_json_string(&j, "assumed", d->assumed);
        add_shape(&j, &d->shape);
        hsp_names_save(&j, "classes", d->shape.classes.name, d->shape.classes.count);
        if (d->table) add_table(&j, d->table);
        if (!d->table || d->table->plain) hsp_schema_save(&d->schema, &j);
    }
    hsp_json_object_end(&j);
    return hsp_text_take(&t, out, err);
}

/* ---- reading ---- */

static int load_flag(const hsp_json_loader *l, const char *key, bool *out) {
    const hsp_json_value *v = hsp_json_get(l->from, key);
    *out = hsp_json_is(v, HSP_JSON_TRUE);
    return hsp_json_is_flag(v) ? 0 : hsp_json_wrong(l, key);
}

static int load_options(const hsp_json_loader *l, hsp_description *d) {
    const hsp_json_value *list = hsp_json_get(l->from, "options");
    if (!hsp_json_is(list, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "options");
    int status = hsp_options_new(&d->options, l->err);
    HSP_JSON_EACH(value, list) {
        const char *name = value->key;
        const hsp_option *p = hsp_option_find(name);
        if (status == 0 && (!p || !hsp_json_is(value, HSP_JSON_STRING))) status = hsp_json_wrong(l, "options");
        if (status == 0) status = hsp_options_set(d->options, name, hsp_json_text(value), l->err);
    }
    return status;
}

/* The hexadecimal bits of doubles. */
static int64_t load_bits(const hsp_json_value *list, uint64_t *out, int64_t most) {
    int64_t n = hsp_json_is(list, HSP_JSON_ARRAY) ? hsp_json_count(list) : -1;
    if (n > most) return -1;
    for (int64_t i = 0; i < n; i++)
        if (!hsp_json_hex(hsp_json_item(list, i), &out[i])) return -1;
    return n;
}

static int load_codes(const hsp_json_loader *l, hsp_shape *s) {
    uint64_t bits[HSP_TABLE];
    int64_t n = load_bits(hsp_json_get(l->from, "codes"), bits, HSP_CODES_MOST);
    if (n < 0) return hsp_json_wrong(l, "codes");
    hsp_codes_reset(&s->codes);
    for (int64_t k = 0; k < n; k++)
        if (hsp_codes_add(&s->codes, bits[k]) != (int)k) return hsp_json_wrong(l, "codes");
    n = load_bits(hsp_json_get(l->from, "table"), bits, HSP_TABLE);
    bool needs = s->coding == HSP_CODING_CODE8 || s->coding == HSP_CODING_ONE;
    if (n != (needs ? HSP_TABLE : 0)) return hsp_json_wrong(l, "table");
    if (needs && !HSP_ALLOC(s->table, HSP_TABLE)) return hsp_fail_memory(l->err);
    if (needs) memcpy(s->table, bits, sizeof bits);
    return 0;
}

static int load_shape(const hsp_json_loader *outer, hsp_shape *s) {
    const hsp_json_loader l = {hsp_json_get(outer->from, "shape"), outer->file, outer->err};
    int64_t base = 0, id = 0, coding = 0;
    bool single = false;
    int status = hsp_json_load_whole(&l, "rows", (int64_t)MOST, &s->n);
    if (!status) status = hsp_json_load_whole(&l, "features", INT32_MAX, &s->d);
    if (!status) status = hsp_json_load_whole(&l, "base", 1, &base);
    if (!status) status = load_flag(&l, "dense", &s->dense);
    if (!status) status = hsp_json_load_whole(&l, "id_bytes", 4, &id);
    if (!status) status = hsp_json_load_whole(&l, "coding", HSP_CODING_ONE, &coding);
    if (!status) status = load_flag(&l, "single", &single);
    if (!status) status = load_flag(&l, "labelled", &s->labelled);
    if (!status) status = load_flag(&l, "regression", &s->regression);
    if (!status) status = load_flag(&l, "weighted", &s->weighted);
    if (status) return status;
    if (id != 2 && id != 4) return hsp_json_wrong(&l, "id_bytes");
    if ((s->dense && coding == HSP_CODING_ONE) || s->d < 1) return hsp_json_wrong(&l, s->d < 1 ? "features" : "coding");
    s->base = (int)base;
    s->ids = hsp_ids_of_size((size_t)id);
    s->coding = (hsp_coding)coding;
    s->dtype = single ? HSP_FLOAT32 : HSP_FLOAT64;
    return load_codes(&l, s);
}

/* A relative path is that of the folder where the plan was made. */
static int load_path(const hsp_json_loader *l, const char *folder, char **out) {
    char *path = NULL;
    hsp_text t = {0};
    char here[PATH_MAX];
    int status = hsp_json_load_string(l, "path", false, &path);
    bool moved = !status && path[0] != '/' && folder && (!getcwd(here, sizeof here) || strcmp(here, folder) != 0);
    if (status || !moved) {
        *out = path;
        return status;
    }
    hsp_text_format(&t, "%s/%s", folder, path);
    hsp_free(path);
    return hsp_text_take(&t, out, l->err);
}

static int load_range(const hsp_json_loader *l, const char *folder, const hsp_description *d, hsp_part_range *r) {
    int status = load_path(l, folder, &r->path);
    if (!status) status = hsp_json_load_whole(l, "bytes", (int64_t)MOST, &r->bytes);
    if (!status) status = load_flag(l, "whole", &r->whole);
    if (!status) status = hsp_json_load_whole(l, "from", (int64_t)MOST, &r->from);
    if (!status) status = hsp_json_load_whole(l, "to", (int64_t)MOST, &r->to);
    if (!status) status = hsp_json_load_whole(l, "line", (int64_t)MOST, &r->line);
    if (!status) status = hsp_json_load_whole(l, "rows", (int64_t)MOST, &r->rows);
    if (!status) status = hsp_json_load_whole(l, "nonzeros", (int64_t)MOST, &r->nonzeros);
    if (status) return status;
    if (r->to == 0) r->to = INT64_MAX;
    int64_t all;
    if (r->to < r->from || r->rows < 1) return hsp_json_wrong(l, r->rows < 1 ? "rows" : "to");
    if (d->stored && r->to - r->from != r->rows) return hsp_json_wrong(l, "rows");
    if (!d->stored && (__builtin_mul_overflow(r->rows, 8 * (d->shape.d + 1), &all) || r->nonzeros > all))
        return hsp_json_wrong(l, "rows");
    return 0;
}

static int load_ranges(const hsp_json_loader *l, hsp_description *d) {
    const hsp_json_value *list = hsp_json_get(l->from, "files");
    const char *folder = hsp_json_text(hsp_json_get(l->from, "folder"));
    int64_t count = hsp_json_is(list, HSP_JSON_ARRAY) ? hsp_json_count(list) : 0, blocks = 0, rows = 0;
    if (count < 1) return hsp_json_wrong(l, "files");
    if (!HSP_ALLOC_ZERO(d->range, count)) return hsp_fail_memory(l->err);
    for (int64_t k = 0; k < count; k++) {
        const hsp_json_loader one = {hsp_json_item(list, k), l->file, l->err};
        d->ranges = k + 1;
        int status = load_range(&one, folder, d, &d->range[k]);
        if (status) return status;
        rows += d->range[k].rows;
        blocks += (d->range[k].rows + HSP_PART_ROWS - 1) / HSP_PART_ROWS;
        if (rows > (int64_t)MOST) return hsp_json_wrong(l, "rows");
    }
    return blocks == d->blocks && rows == d->rows ? 0 : hsp_json_wrong(l, "blocks");
}

static int load_plan(const hsp_json_loader *l, hsp_encoding *e, hsp_description *d) {
    const hsp_json_value *list = hsp_json_get(l->from, "blank");
    int64_t count = hsp_json_is(list, HSP_JSON_ARRAY) ? hsp_json_count(list) : -1;
    bool plain = false;
    int status = load_flag(l, "plain", &plain);
    if (status) return status;
    if (count < 0 || count > e->raw.d) return hsp_json_wrong(l, "blank");
    int64_t *blank = hsp_alloc(count + 1, sizeof *blank);
    if (!blank) return hsp_fail_memory(l->err);
    for (int64_t k = 0; !status && k < count; k++)
        if (!hsp_json_integer(hsp_json_item(list, k), &blank[k]) || blank[k] < 0 || blank[k] >= e->raw.d)
            status = hsp_json_wrong(l, "blank");
    if (!status) status = hsp_table_plan_of(e, blank, count, plain, &d->table, l->err);
    hsp_free(blank);
    return status;
}

/* The encoding of tables, which has their columns. */
static int load_table(const hsp_json_loader *l, hsp_description *d) {
    hsp_encoding *e = NULL;
    int status = hsp_encoding_load(l, INT32_MAX, &e);
    if (!status && e) status = load_plan(l, e, d);
    if (!status && e && d->table->plain != hsp_encoding_plain(e)) status = d->table->plain ? hsp_json_wrong(l, "plain") : 0;
    if (!status && e && e->d != d->shape.d) status = hsp_json_wrong(l, "features");
    if (!status && (!e || d->table->plain)) status = hsp_schema_load(l, INT32_MAX, &d->schema);
    if (!status && e && !d->table->plain) status = hsp_encoding_schema(e, &d->schema, l->err);
    hsp_encoding_release(e);
    return status;
}

static int load(const hsp_json_loader *l, hsp_description *d) {
    int64_t version;
    int status = hsp_json_load_whole(l, "halfspace_part", VERSION, &version);
    if (!status) status = load_flag(l, "stored", &d->stored);
    if (!status) status = hsp_json_load_whole(l, "first_block", (int64_t)MOST, &d->first_block);
    if (!status) status = hsp_json_load_whole(l, "blocks", (int64_t)MOST, &d->blocks);
    if (!status) status = hsp_json_load_whole(l, "rows", (int64_t)MOST, &d->rows);
    if (!status) status = hsp_json_load_whole(l, "features", INT32_MAX, &d->features);
    if (!status) status = load_options(l, d);
    if (!status && !d->stored) status = load_shape(l, &d->shape);
    if (!status && !d->stored) status = hsp_classes_load(l, "classes", 0, &d->shape.classes);
    if (!status && !d->stored) status = load_table(l, d);
    if (!status && !d->stored) status = hsp_json_load_string(l, "assumed", true, &d->assumed);
    if (!status && !d->stored && d->schema.d != d->shape.d) status = hsp_json_wrong(l, "features");
    return status ? status : load_ranges(l, d);
}

int hsp_description_read(const char *text, hsp_description *out, hsp_error **err) {
    hsp_json_value *json = NULL;
    *out = (hsp_description){0};
    int status = hsp_json_parse(text, (int64_t)strlen(text), &json, NULL);
    if (status == HSP_EMEMORY) return hsp_fail_memory(err);
    if (status < 0) return hsp_fail(err, HSP_EINPUT, "not the description of a part: make one with hsp_part_plan");
    const hsp_json_loader l = {json, NAME, err};
    status = load(&l, out);
    hsp_free(json);
    return status;
}

void hsp_description_clear(hsp_description *d) {
    for (int64_t k = 0; k < d->ranges; k++) hsp_free(d->range[k].path);
    hsp_schema_clear(&d->schema);
    hsp_shape_clear(&d->shape);
    hsp_options_free(d->options);
    hsp_table_plan_free(d->table);
    HSP_FREE(d->range, d->assumed);
    *d = (hsp_description){0};
}
