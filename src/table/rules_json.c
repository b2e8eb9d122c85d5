/* {"missing": "mean", "min_count": 1, "seed": 1, "as_spelt": true}, and if there are such features {"text": {"unit": "word",
 * "ngrams": [1, 2], "value": "tf-idf", "hash_bits": 0}}, {"cross": [[0, 1]]}, {"degree": 2}, {"rff": 100, "rff_gamma":
 * null}. */
#include "table/rules_json.h"

#include "base/error.h"
#include "base/json_value.h"
#include "base/memory.h"

#include <math.h>

static const char *const unit_names[] = {"word", "char"};

enum { MOST_BITS = 28, MOST_FOURIER = 1000000 };

/* ---- saving ---- */

static void save_text(const hsp_table_rules *r, hsp_json *j) {
    hsp_json_object(j, "text");
    hsp_json_string(j, "unit", unit_names[r->characters]);
    hsp_json_array(j, "ngrams");
    hsp_json_int(j, NULL, r->gram_least);
    hsp_json_int(j, NULL, r->gram_most);
    hsp_json_array_end(j);
    hsp_json_string(j, "value", hsp_text_value_names[r->text_value]);
    hsp_json_int(j, "hash_bits", r->hash_bits);
    hsp_json_object_end(j);
}

void hsp_crosses_save(int64_t (*cross)[2], int64_t count, hsp_json *j) {
    if (count == 0) return;
    hsp_json_array(j, "cross");
    for (int64_t k = 0; k < count; k++) {
        hsp_json_array(j, NULL);
        hsp_json_int(j, NULL, cross[k][0]);
        hsp_json_int(j, NULL, cross[k][1]);
        hsp_json_array_end(j);
    }
    hsp_json_array_end(j);
}

void hsp_table_rules_save(const hsp_table_rules *r, bool text, hsp_json *j) {
    hsp_json_object(j, "rules");
    hsp_json_string(j, "missing", hsp_missing_names[r->missing]);
    hsp_json_int(j, "min_count", r->min_count);
    hsp_json_int(j, "seed", (int64_t)r->seed);
    if (r->as_spelt) hsp_json_bool(j, "as_spelt", true); /* absent up to format 4 */
    if (text) save_text(r, j);
    hsp_crosses_save(r->cross, r->crosses, j);
    if (r->degree > 1) hsp_json_int(j, "degree", r->degree);
    if (r->fourier > 0) {
        hsp_json_int(j, "rff", r->fourier);
        hsp_json_number(j, "rff_gamma", r->fourier_gamma);
    }
    hsp_json_object_end(j);
}

/* ---- loading ---- */

/* A list of two whole numbers. */
static bool whole_pair(const hsp_json_value *list, int64_t out[2]) {
    return hsp_json_is(list, HSP_JSON_ARRAY) && hsp_json_count(list) == 2 && hsp_json_whole(hsp_json_item(list, 0), &out[0]) &&
           hsp_json_whole(hsp_json_item(list, 1), &out[1]);
}

static int load_text(const hsp_json_loader *outer, hsp_table_rules *r) {
    const hsp_json_value *from = hsp_json_get(outer->from, "text");
    int unit = 0, value = 0;
    int64_t grams[2] = {1, 2};
    if (from && !hsp_json_is(from, HSP_JSON_OBJECT)) return hsp_json_wrong(outer, "text");
    if (from) {
        const hsp_json_loader l = {from, outer->file, outer->err};
        int status = hsp_json_load_name(&l, "unit", unit_names, 2, &unit);
        if (!status) status = hsp_json_load_name(&l, "value", hsp_text_value_names, 3, &value);
        if (!status) status = hsp_json_load_whole(&l, "hash_bits", MOST_BITS, &r->hash_bits);
        if (status) return status;
        if (!whole_pair(hsp_json_get(from, "ngrams"), grams) || grams[0] < 1 || grams[0] > grams[1] ||
            grams[1] > HSP_GRAMS_LONGEST)
            return hsp_json_wrong(&l, "ngrams");
    }
    r->characters = unit == 1;
    r->text_value = (hsp_text_value)value;
    r->gram_least = grams[0];
    r->gram_most = grams[1];
    return 0;
}

int hsp_crosses_load(const hsp_json_loader *l, int64_t d, int64_t (**cross)[2], int64_t *count) {
    const hsp_json_value *list = hsp_json_get(l->from, "cross");
    if (!list) return 0;
    int64_t crosses = hsp_json_count(list);
    if (crosses == 0) return hsp_json_wrong(l, "cross");
    if (!HSP_ALLOC(*cross, crosses)) return hsp_fail_memory(l->err);
    for (; *count < crosses; ++*count) {
        int64_t *pair = (*cross)[*count];
        if (!whole_pair(hsp_json_item(list, *count), pair) || pair[0] >= d || pair[1] >= d || pair[0] == pair[1])
            return hsp_json_wrong(l, "cross");
    }
    return 0;
}

static int load_fourier(const hsp_json_loader *l, hsp_table_rules *r) {
    const hsp_json_value *gamma = hsp_json_get(l->from, "rff_gamma");
    r->fourier_gamma = NAN;
    if (!hsp_json_get(l->from, "rff")) return 0;
    int status = hsp_json_load_whole(l, "rff", MOST_FOURIER, &r->fourier);
    if (!status && r->fourier == 0) status = hsp_json_wrong(l, "rff");
    if (status || hsp_json_is(gamma, HSP_JSON_NULL)) return status;
    r->fourier_gamma = hsp_json_double(gamma);
    return r->fourier_gamma > 0 && isfinite(r->fourier_gamma) ? 0 : hsp_json_wrong(l, "rff_gamma");
}

static int load_as_spelt(const hsp_json_loader *l, hsp_table_rules *r) {
    const hsp_json_value *flag = hsp_json_get(l->from, "as_spelt");
    r->as_spelt = hsp_json_is(flag, HSP_JSON_TRUE);
    return !flag || hsp_json_is(flag, HSP_JSON_TRUE) ? 0 : hsp_json_wrong(l, "as_spelt");
}

int hsp_table_rules_load(const hsp_json_loader *l, int64_t d, hsp_table_rules *out) {
    const hsp_json_value *rules = hsp_json_get(l->from, "rules");
    *out = (hsp_table_rules){.d = d};
    if (!hsp_json_is(rules, HSP_JSON_OBJECT)) return hsp_json_wrong(l, "rules");
    if (!HSP_ALLOC_ZERO(out->kind, d + 1) || !HSP_ALLOC_ZERO(out->transform, d + 1)) return hsp_fail_memory(l->err);
    const hsp_json_loader inner = {rules, l->file, l->err};
    int missing = 0;
    int64_t seed = 0;
    int status = hsp_json_load_name(&inner, "missing", hsp_missing_names, 5, &missing);
    if (!status) status = hsp_json_load_whole(&inner, "min_count", INT64_MAX, &out->min_count);
    if (!status && out->min_count < 1) status = hsp_json_wrong(&inner, "min_count");
    if (!status) status = hsp_json_load_whole(&inner, "seed", INT64_MAX, &seed);
    if (!status) status = load_as_spelt(&inner, out);
    if (!status) status = load_text(&inner, out);
    if (!status) status = hsp_crosses_load(&inner, d, &out->cross, &out->crosses);
    out->degree = 1;
    if (!status && hsp_json_get(inner.from, "degree")) {
        status = hsp_json_load_whole(&inner, "degree", 2, &out->degree);
        if (!status && out->degree != 2) status = hsp_json_wrong(&inner, "degree");
    }
    if (!status) status = load_fourier(&inner, out);
    out->missing = (hsp_missing)missing;
    out->seed = (uint64_t)seed;
    return status;
}
