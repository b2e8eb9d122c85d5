#include "base/json_read.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

int hsp_json_parse(const char *text, size_t size, size_t flags, json_t **out, json_error_t *why) {
    *out = json_loadb(text, size, flags, why);
    if (!*out) *out = json_loadb(text, size, flags, why);
    if (*out) return HSP_OK;
    void *memory = hsp_alloc((int64_t)size, 1);
    bool short_of = !memory || (why && json_error_code(why) == json_error_out_of_memory);
    hsp_free(memory);
    return short_of ? HSP_EMEMORY : HSP_EINPUT;
}

bool hsp_json_whole(const json_t *v, int64_t *out) {
    if (!json_is_number(v)) return false;
    double number = json_number_value(v);
    if (!(number >= 0 && number <= 9007199254740992.0) || floor(number) != number) return false;
    *out = (int64_t)number;
    return true;
}

bool hsp_json_hex(const json_t *v, uint64_t *out) {
    static const char digits[] = "0123456789abcdef";
    const char *s = json_string_value(v);
    if (!s || strlen(s) != 16) return false;
    uint64_t sum = 0;
    for (; *s; s++) {
        const char *digit = strchr(digits, *s);
        if (!digit) return false;
        sum = sum << 4 | (uint64_t)(digit - digits);
    }
    *out = sum;
    return true;
}

int hsp_json_wrong(const hsp_json_loader *l, const char *key) {
    return hsp_fail_at(l->err, HSP_EINPUT, (hsp_place){.file = l->file},
                       "damaged file, invalid '%s' in its header: recreate it", key);
}

int hsp_json_load_whole(const hsp_json_loader *l, const char *key, int64_t most, int64_t *out) {
    if (!hsp_json_whole(json_object_get(l->from, key), out) || *out > most) return hsp_json_wrong(l, key);
    return 0;
}

int hsp_json_load_string(const hsp_json_loader *l, const char *key, bool nullable, char **out) {
    const json_t *v = json_object_get(l->from, key);
    if (json_is_null(v) && nullable) return 0;
    if (!json_is_string(v)) return hsp_json_wrong(l, key);
    *out = hsp_strdup(json_string_value(v));
    return *out ? 0 : hsp_fail_memory(l->err);
}

int hsp_json_load_name(const hsp_json_loader *l, const char *key, const char *const *names, int count, int *out) {
    const char *name = json_string_value(json_object_get(l->from, key));
    for (*out = 0; name && *out < count; ++*out)
        if (strcmp(name, names[*out]) == 0) return 0;
    return hsp_json_wrong(l, key);
}

int hsp_json_load_strings(const hsp_json_loader *l, const char *key, int64_t count, char ***out) {
    const json_t *list = json_object_get(l->from, key);
    if (!json_is_array(list) || (int64_t)json_array_size(list) != count) return hsp_json_wrong(l, key);
    char **name = hsp_alloc_zero(count > 0 ? count : 1, sizeof *name);
    if (!name) return hsp_fail_memory(l->err);
    *out = name;
    for (int64_t i = 0; i < count; i++) {
        const char *s = json_string_value(json_array_get(list, (size_t)i));
        if (!s) return hsp_json_wrong(l, key);
        name[i] = hsp_strdup(s);
        if (!name[i]) return hsp_fail_memory(l->err);
    }
    return 0;
}
