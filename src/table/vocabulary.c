#include "table/vocabulary.h"

#include "base/memory.h"
#include "base/number.h"
#include "kernel/level.h"
#include "table/gram_table.h"

#include <string.h>

void hsp_vocabulary_clear(hsp_vocabulary *v) {
    HSP_FREE(v->df, v->idf, v->arena, v->begin, v->bucket, v->first, v->grams, v->slot);
    *v = (hsp_vocabulary){0};
}

const char *hsp_cell_spelling(hsp_cell cell, char spelling[32], int64_t *length) {
    *length = cell.length;
    if (cell.text || hsp_cell_missing(cell)) return cell.text;
    *length = hsp_number_format(cell.number, spelling);
    return spelling;
}

/* ---- look-up ---- */

/* Hashes a bucket: those in use may be close together. */
static uint64_t hash_bucket(uint32_t bucket) {
    return bucket * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static void put_slot(hsp_vocabulary *v, uint64_t at, uint32_t tag, int64_t number) {
    uint64_t mask = (uint64_t)v->slots - 1;
    while (v->slot[at & mask].number >= 0) at++;
    v->slot[at & mask] = (hsp_vocabulary_slot){tag, (int32_t)number};
}

int hsp_vocabulary_index(hsp_vocabulary *v) {
    v->slots = 16;
    while (2 * v->slots < 3 * v->count) v->slots *= 2;
    if (!HSP_ALLOC(v->slot, v->slots) || !HSP_ALLOC(v->idf, v->count)) return HSP_EMEMORY;
    for (int64_t i = 0; i < v->slots; i++) v->slot[i] = (hsp_vocabulary_slot){0, -1};
    for (int64_t i = 0; i < v->count; i++) {
        if (v->bits) {
            put_slot(v, hash_bucket(v->bucket[i]), v->bucket[i], i);
        } else {
            uint64_t hash = hsp_gram_hash(v->arena + v->begin[i], v->begin[i + 1] - v->begin[i] - 1);
            put_slot(v, hash, (uint32_t)(hash >> 32), i);
        }
        /* The kernels' logarithm has the same bits on every machine. */
        v->idf[i] = (double)(v->texts - v->df[i]) / (double)(1 + v->df[i]);
    }
    hsp_level_now()->log1ps(v->count, v->idf, v->idf);
    for (int64_t i = 0; i < v->count; i++) v->idf[i] += 1;
    return 0;
}

static int64_t find_bucket(const hsp_vocabulary *v, uint32_t bucket) {
    uint64_t mask = (uint64_t)v->slots - 1;
    for (uint64_t at = hash_bucket(bucket);; at++) {
        const hsp_vocabulary_slot *slot = &v->slot[at & mask];
        if (slot->number < 0 || slot->tag == bucket) return slot->number;
    }
}

int64_t hsp_vocabulary_find(const hsp_vocabulary *v, const char *s, int64_t n, bool *negative) {
    uint64_t hash = hsp_gram_hash(s, n), mask = (uint64_t)v->slots - 1;
    *negative = v->bits && hsp_hash_negated(hash);
    if (v->bits) return find_bucket(v, hsp_hash_bucket(hash, v->bits));
    for (uint64_t at = hash;; at++) {
        const hsp_vocabulary_slot *slot = &v->slot[at & mask];
        if (slot->number < 0) return -1;
        if (slot->tag != (uint32_t)(hash >> 32)) continue;
        const int64_t *begin = v->begin + slot->number;
        if (begin[1] - begin[0] - 1 == n && memcmp(v->arena + begin[0], s, (size_t)n) == 0) return slot->number;
    }
}

bool hsp_vocabulary_negated(const hsp_vocabulary *v, int64_t word) {
    return hsp_hash_negated(hsp_gram_hash(v->arena + v->begin[word], v->begin[word + 1] - v->begin[word] - 1));
}
