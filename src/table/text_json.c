/* {"unit": "word", "ngrams": [1, 2], "value": "tf-idf", "texts": 5574, "words": ["aa", ...], "df": [1, ...]}, and with
 * hashing {..., "bits": 18, "buckets": [7, ...], "df": [...], "grams": [2, ...], "kept": [2, ...], "words": [...]}: the
 * buckets in use, the number of n-grams in each, and how many of the words are its own. */
#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/memory.h"
#include "table/gram_table.h"
#include "table/text_state.h"

#include <string.h>

/* ---- saving ---- */

static void save_counts(hsp_json *j, const char *key, const int64_t *v, int64_t n) {
    hsp_json_array(j, key);
    for (int64_t i = 0; i < n; i++) hsp_json_int(j, NULL, v[i]);
    hsp_json_array_end(j);
}

static void save_buckets(const hsp_vocabulary *v, hsp_json *j) {
    hsp_json_int(j, "bits", v->bits);
    hsp_json_array(j, "buckets");
    for (int64_t i = 0; i < v->count; i++) hsp_json_int(j, NULL, v->bucket[i]);
    hsp_json_array_end(j);
    save_counts(j, "grams", v->grams, v->count);
    hsp_json_array(j, "kept");
    for (int64_t i = 0; i < v->count; i++) hsp_json_int(j, NULL, v->first[i + 1] - v->first[i]);
    hsp_json_array_end(j);
}

void hsp_text_state_save(const hsp_text_state *s, hsp_json *j) {
    const hsp_vocabulary *v = &s->v;
    hsp_json_string(j, "unit", v->characters ? "char" : "word");
    save_counts(j, "ngrams", (const int64_t[]){v->least, v->most}, 2);
    hsp_json_string(j, "value", hsp_text_value_names[s->value]);
    hsp_json_int(j, "texts", v->texts);
    if (v->bits) save_buckets(v, j);
    hsp_json_array(j, "words");
    for (int64_t i = 0; i < v->words; i++) hsp_json_string(j, NULL, hsp_vocabulary_word(v, i));
    hsp_json_array_end(j);
    save_counts(j, "df", v->df, v->count);
}

/* ---- loading ---- */

/* `count` whole numbers from `least` to `most`. */
static int load_counts(const hsp_json_loader *l, const char *key, int64_t count, int64_t least, int64_t most,
                       int64_t **out) {
    const hsp_json_value *list = hsp_json_get(l->from, key);
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || hsp_json_count(list) != count) return hsp_json_wrong(l, key);
    int64_t *v = HSP_ALLOC(*out, count);
    if (!v) return hsp_fail_memory(l->err);
    for (int64_t i = 0; i < count; i++)
        if (!hsp_json_whole(hsp_json_item(list, i), &v[i]) || v[i] < least || v[i] > most)
            return hsp_json_wrong(l, key);
    return HSP_OK;
}

/* Reads strings that are not empty; the parser guarantees UTF-8 without NUL. */
static int load_words(const hsp_json_loader *l, int64_t room, hsp_vocabulary *v) {
    const hsp_json_value *list = hsp_json_get(l->from, "words");
    int64_t words = hsp_json_count(list), bytes = 0;
    if (!hsp_json_is(list, HSP_JSON_ARRAY) || words > room) return hsp_json_wrong(l, "words");
    for (int64_t i = 0; i < words; i++) {
        const char *word = hsp_json_text(hsp_json_item(list, i));
        size_t length = word ? strlen(word) : 0;
        if (length == 0 || length > INT32_MAX) return hsp_json_wrong(l, "words");
        bytes += (int64_t)length + 1;
    }
    if (!HSP_ALLOC(v->begin, words + 1) || !HSP_ALLOC(v->arena, bytes)) return hsp_fail_memory(l->err);
    v->words = words;
    v->begin[0] = 0;
    for (int64_t i = 0; i < words; i++) {
        const char *word = hsp_json_text(hsp_json_item(list, i));
        size_t size = strlen(word) + 1;
        memcpy(v->arena + v->begin[i], word, size);
        v->begin[i + 1] = v->begin[i] + (int64_t)size;
    }
    return HSP_OK;
}

/* N-grams that are features: sorted, without duplicates. */
static int load_features(const hsp_json_loader *l, int64_t room, hsp_vocabulary *v) {
    int status = load_words(l, room < INT32_MAX ? room : INT32_MAX, v);
    for (int64_t i = 1; !status && i < v->words; i++)
        if (strcmp(hsp_vocabulary_word(v, i - 1), hsp_vocabulary_word(v, i)) >= 0) status = hsp_json_wrong(l, "words");
    if (!status) status = load_counts(l, "df", v->words, 1, v->texts, &v->df);
    if (!status) v->count = v->words;
    return status;
}

/* Whether the words of bucket i hash to it. */
static bool words_belong(const hsp_vocabulary *v, int64_t i) {
    for (int64_t w = v->first[i]; w < v->first[i + 1]; w++) {
        uint64_t hash = hsp_gram_hash(v->arena + v->begin[w], v->begin[w + 1] - v->begin[w] - 1);
        if (hsp_hash_bucket(hash, v->bits) != v->bucket[i]) return false;
    }
    return true;
}

/* The number of words of each bucket: min(n-grams, HSP_BUCKET_WORDS); they must add up. */
static int load_kept(const hsp_json_loader *l, hsp_vocabulary *v) {
    int64_t *kept = NULL;
    int status = load_counts(l, "kept", v->count, 1, HSP_BUCKET_WORDS, &kept);
    if (!status && !HSP_ALLOC(v->first, v->count + 1)) status = hsp_fail_memory(l->err);
    if (!status) v->first[0] = 0;
    for (int64_t i = 0; !status && i < v->count; i++) {
        int64_t all = v->grams[i] < HSP_BUCKET_WORDS ? v->grams[i] : HSP_BUCKET_WORDS;
        v->first[i + 1] = v->first[i] + kept[i];
        if (kept[i] != all || v->first[i + 1] > v->words)
            status = hsp_json_wrong(l, "kept");
        else if (!words_belong(v, i))
            status = hsp_json_wrong(l, "words");
    }
    if (!status && v->first[v->count] != v->words) status = hsp_json_wrong(l, "kept");
    hsp_free(kept);
    return status;
}

static int load_buckets(const hsp_json_loader *l, int64_t room, hsp_vocabulary *v) {
    int64_t features = INT64_C(1) << v->bits, *bucket = NULL;
    if (features > room) return hsp_json_wrong(l, "bits");
    int64_t count = hsp_json_count(hsp_json_get(l->from, "buckets"));
    int status = load_counts(l, "buckets", count, 0, features - 1, &bucket);
    for (int64_t i = 1; !status && i < count; i++)
        if (bucket[i - 1] >= bucket[i]) status = hsp_json_wrong(l, "buckets");
    if (!status && !HSP_ALLOC(v->bucket, count)) status = hsp_fail_memory(l->err);
    for (int64_t i = 0; !status && i < count; i++) v->bucket[i] = (uint32_t)bucket[i];
    hsp_free(bucket);
    if (!status) status = load_counts(l, "df", count, 1, v->texts, &v->df);
    if (!status) status = load_counts(l, "grams", count, 1, INT32_MAX, &v->grams);
    if (!status) status = load_words(l, HSP_BUCKET_WORDS * features, v);
    if (status) return status;
    v->count = count;
    return load_kept(l, v);
}

/* How texts are cut. */
static int load_units(const hsp_json_loader *l, hsp_vocabulary *v) {
    const char *unit = hsp_json_text(hsp_json_get(l->from, "unit"));
    if (!unit || (strcmp(unit, "word") != 0 && strcmp(unit, "char") != 0)) return hsp_json_wrong(l, "unit");
    v->characters = unit[0] == 'c';
    int64_t *orders = NULL;
    int status = load_counts(l, "ngrams", 2, 1, HSP_GRAMS_LONGEST, &orders);
    if (!status && orders[0] > orders[1]) status = hsp_json_wrong(l, "ngrams");
    if (!status) {
        v->least = orders[0];
        v->most = orders[1];
    }
    hsp_free(orders);
    return status;
}

int hsp_text_state_load(const hsp_json_loader *l, int64_t room, hsp_text_state *out) {
    hsp_vocabulary *v = &out->v;
    int value = 0, status = load_units(l, v);
    if (!status) status = hsp_json_load_name(l, "value", hsp_text_value_names, 3, &value);
    if (!status) out->value = (hsp_text_value)value;
    if (!status) status = hsp_json_load_whole(l, "texts", INT64_C(1) << 53, &v->texts);
    if (!status && hsp_json_get(l->from, "bits")) {
        status = hsp_json_load_whole(l, "bits", HSP_HASH_BITS_MOST, &v->bits);
        if (!status && v->bits == 0) status = hsp_json_wrong(l, "bits");
    }
    if (!status) status = v->bits ? load_buckets(l, room, v) : load_features(l, room, v);
    if (!status && hsp_vocabulary_index(v)) status = hsp_fail_memory(l->err);
    return status;
}
