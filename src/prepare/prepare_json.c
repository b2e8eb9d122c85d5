/* Saving and loading. Files are not trusted: every count is checked against the size of the file before memory is
 * allocated, and every index against its count. */
#include "prepare/prepare_json.h"

#include "base/error.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "data/schema_json.h"
#include "table/encoding.h"

#include <string.h>

/* Which features of a table were scaled. Files do not state "all", which was the only way before. */
static const char *const scaled_names[] = {"numeric", "all"};

/* ---- saving ---- */

void hsp_prepare_save(const hsp_prepare *p, hsp_json *j) {
    hsp_names_save(j, "classes", p->classes.name, p->classes.count);
    hsp_json_string(j, "positive", p->positive >= 0 ? p->classes.name[p->positive] : NULL);
    if (p->merged) {
        hsp_names_save(j, "labels", p->source.name, p->source.count);
        hsp_json_array(j, "merged");
        for (int64_t k = 0; k < p->source.count; k++) hsp_json_int(j, NULL, p->merged[k]);
        hsp_json_array_end(j);
    }
    hsp_json_string(j, "scale", p->scale ? p->scale : "none");
    if (p->encoding && p->factor && !p->scale_all) hsp_json_string(j, "scaled", scaled_names[0]);
    if (p->encoding) /* it implies the features */
        hsp_encoding_save(p->encoding, j);
    else
        hsp_schema_save(&p->schema, j);
}

/* ---- loading ---- */

static int load_positive(const hsp_json_loader *l, hsp_prepare *p) {
    const hsp_json_value *v = hsp_json_get(l->from, "positive");
    p->positive = -1;
    if (p->classes.count != 2) return hsp_json_is(v, HSP_JSON_NULL) ? 0 : hsp_json_wrong(l, "positive");
    const char *label = hsp_json_text(v);
    for (int64_t k = 0; label && k < 2; k++) {
        if (strcmp(p->classes.name[k], label) == 0) p->positive = k;
    }
    return p->positive >= 0 ? 0 : hsp_json_wrong(l, "positive");
}

/* The members are absent if no classes were merged. */
static int load_merged(const hsp_json_loader *l, hsp_prepare *p) {
    const hsp_json_value *list = hsp_json_get(l->from, "merged");
    if (!list && !hsp_json_get(l->from, "labels")) return 0;
    if (p->classes.count != 2) return hsp_json_wrong(l, "merged");
    int status = hsp_classes_load(l, "labels", 3, &p->source);
    if (status) return status;
    int64_t count = p->source.count, ones = 0;
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != count) return hsp_json_wrong(l, "merged");
    if (!HSP_ALLOC(p->merged, count)) return hsp_fail_memory(l->err);
    for (int64_t k = 0; k < count; k++) {
        int64_t class;
        if (!hsp_json_whole(hsp_json_item(list, k), &class) || class > 1) return hsp_json_wrong(l, "merged");
        p->merged[k] = (int32_t) class;
        ones += class;
    }
    return ones > 0 && ones < count ? 0 : hsp_json_wrong(l, "merged");
}

/* Regression has no classes. */
static int load_classes(const hsp_json_loader *l, hsp_prepare *p) {
    const hsp_json_value *classes = hsp_json_get(l->from, "classes");
    const char *task = hsp_json_text(hsp_json_get(l->from, "task"));
    p->regression = task && strcmp(task, "regression") == 0;
    if (p->regression && (!hsp_json_is(classes, HSP_JSON_ARRAY) || hsp_json_count(classes) != 0))
        return hsp_json_wrong(l, "classes");
    int status = p->regression ? 0 : hsp_classes_load(l, "classes", 2, &p->classes);
    if (!status) status = load_positive(l, p);
    return status ? status : load_merged(l, p);
}

int hsp_prepare_load(const hsp_json_value *header, int64_t most, const char *file, hsp_prepare *out, hsp_error **err) {
    static const char *const kinds[] = {"none", "standard", "maxabs", "minmax"};
    int kind, all = 1; /* models without the member scaled all features */
    hsp_prepare p = {0};
    const hsp_json_loader l = {header, file, err};
    int status = load_classes(&l, &p);
    if (!status) status = hsp_json_load_name(&l, "scale", kinds, 4, &kind);
    if (!status) status = hsp_json_load_string(&l, "scale", false, &p.scale);
    if (!status && hsp_json_get(header, "scaled")) status = hsp_json_load_name(&l, "scaled", scaled_names, 2, &all);
    if (!status) status = hsp_encoding_load(&l, most, &p.encoding);
    p.scale_all = all || !p.encoding;
    if (!status)
        status = p.encoding ? hsp_encoding_schema(p.encoding, &p.schema, err) : hsp_schema_load(&l, most, &p.schema);
    if (status) hsp_prepare_clear(&p);
    *out = p;
    return status;
}
