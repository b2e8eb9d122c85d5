#include "base/json_read.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

bool hsp_json_whole(const hsp_json_value *v, int64_t *out) {
    if (!hsp_json_is(v, HSP_JSON_NUMBER)) return false;
    double number = hsp_json_double(v);
    if (!(number >= 0 && number <= 9007199254740992.0) || floor(number) != number) return false;
    *out = (int64_t)number;
    return true;
}

bool hsp_json_hex(const hsp_json_value *v, uint64_t *out) {
    static const char digits[] = "0123456789abcdef";
    const char *s = hsp_json_text(v);
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
    if (!hsp_json_whole(hsp_json_get(l->from, key), out) || *out > most) return hsp_json_wrong(l, key);
    return 0;
}

int hsp_json_load_string(const hsp_json_loader *l, const char *key, bool nullable, char **out) {
    const hsp_json_value *v = hsp_json_get(l->from, key);
    if (hsp_json_is(v, HSP_JSON_NULL) && nullable) return 0;
    if (!hsp_json_is(v, HSP_JSON_STRING)) return hsp_json_wrong(l, key);
    *out = hsp_strdup(hsp_json_text(v));
    return *out ? 0 : hsp_fail_memory(l->err);
}

int hsp_json_load_name(const hsp_json_loader *l, const char *key, const char *const *names, int count, int *out) {
    const char *name = hsp_json_text(hsp_json_get(l->from, key));
    for (*out = 0; name && *out < count; ++*out)
        if (strcmp(name, names[*out]) == 0) return 0;
    return hsp_json_wrong(l, key);
}

int hsp_json_load_strings(const hsp_json_loader *l, const char *key, int64_t count, char ***out) {
    const hsp_json_value *list = hsp_json_get(l->from, key);
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != count) return hsp_json_wrong(l, key);
    char **name = hsp_alloc_zero(count > 0 ? count : 1, sizeof *name);
    if (!name) return hsp_fail_memory(l->err);
    *out = name;
    for (int64_t i = 0; i < count; i++) {
        const char *s = hsp_json_text(hsp_json_item(list, i));
        if (!s) return hsp_json_wrong(l, key);
        name[i] = hsp_strdup(s);
        if (!name[i]) return hsp_fail_memory(l->err);
    }
    return 0;
}
