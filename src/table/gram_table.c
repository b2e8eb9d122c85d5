#include "table/gram_table.h"

#include "base/memory.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- counting ---- */

uint64_t hsp_gram_hash(const char *s, int64_t n) {
    return XXH3_64bits(s, (size_t)n);
}

/* Doubles the slots, which are at most two thirds full. */
static int grow_slots(hsp_gram_table *t) {
    enum { FIRST_SLOTS = 1024 };
    int64_t slots = t->slots ? 2 * t->slots : FIRST_SLOTS;
    uint32_t *larger = hsp_alloc(slots, sizeof *larger);
    if (!larger) return HSP_EMEMORY;
    memset(larger, 0xff, (size_t)slots * sizeof *larger);
    uint64_t mask = (uint64_t)slots - 1;
    for (int64_t i = 0; i < t->count; i++) {
        uint64_t at = t->gram[i].hash & mask;
        while (larger[at] != UINT32_MAX) at = (at + 1) & mask;
        larger[at] = (uint32_t)i;
    }
    hsp_free(t->slot);
    t->slot = larger;
    t->slots = slots;
    return 0;
}

int hsp_gram_add(hsp_gram_table *t, const char *s, int64_t n, uint64_t hash, int64_t text, int64_t times) {
    if (3 * (t->count + 1) > 2 * t->slots && grow_slots(t)) return HSP_EMEMORY;
    uint64_t mask = (uint64_t)t->slots - 1, at = hash & mask;
    for (; t->slot[at] != UINT32_MAX; at = (at + 1) & mask) {
        hsp_gram *g = &t->gram[t->slot[at]];
        if (g->hash != hash || (int64_t)g->length != n || memcmp(t->arena + g->from, s, (size_t)n) != 0) continue;
        if (text < 0 || g->last != text) g->count += times;
        g->last = text;
        return 0;
    }
    const hsp_gram gram = {.hash = hash, .count = times, .last = text, .length = (uint32_t)n};
    if (t->count >= INT32_MAX || n > UINT32_MAX || HSP_RESERVE(t->gram, t->capacity, t->count + 1) ||
        HSP_RESERVE(t->arena, t->arena_capacity, t->length + n))
        return HSP_EMEMORY;
    t->slot[at] = (uint32_t)t->count;
    t->gram[t->count] = gram;
    t->gram[t->count++].from = t->length;
    memcpy(t->arena + t->length, s, (size_t)n);
    t->length += n;
    return 0;
}

void hsp_gram_table_clear(hsp_gram_table *t) {
    t->count = t->length = 0;
    if (t->slot) memset(t->slot, 0xff, (size_t)t->slots * sizeof *t->slot);
}

void hsp_gram_table_free(hsp_gram_table *t) {
    HSP_FREE(t->gram, t->arena, t->slot);
    *t = (hsp_gram_table){0};
}

/* ---- sorting ---- */

uint64_t hsp_gram_prefix(const char *s, int64_t n) {
    uint64_t prefix = 0;
    for (int64_t i = 0; i < 8; i++) prefix = prefix << 8 | (i < n ? (unsigned char)s[i] : 0);
    return prefix;
}

static int by_bytes(const void *left, const void *right) {
    const hsp_gram_key *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order ? order : a->length < b->length ? -1 : a->length > b->length;
}

static int by_count(const void *left, const void *right) {
    const hsp_gram_key *a = left, *b = right;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return by_bytes(left, right);
}

/* Merge sort by several threads: runs are sorted, then merged in pairs from one array into the other. No two keys are equal,
 * so the result is unique. */
typedef struct sorting {
    hsp_gram_key *from, *to;
    int64_t n, run; /* keys; keys of a run */
    int (*compare)(const void *a, const void *b);
} sorting;

static int64_t at_most(int64_t a, int64_t n) {
    return a < n ? a : n;
}

static void sort_run(void *ctx, int64_t i) {
    const sorting *s = ctx;
    int64_t begin = at_most(i * s->run, s->n), end = at_most(begin + s->run, s->n);
    qsort(s->from + begin, (size_t)(end - begin), sizeof *s->from, s->compare);
}

static void merge_runs(void *ctx, int64_t i) {
    const sorting *s = ctx;
    int64_t a = at_most(2 * i * s->run, s->n), middle = at_most(a + s->run, s->n), b = middle,
            end = at_most(middle + s->run, s->n), out = a;
    while (a < middle && b < end) s->to[out++] = s->compare(s->from + a, s->from + b) <= 0 ? s->from[a++] : s->from[b++];
    if (a < middle) memcpy(s->to + out, s->from + a, (size_t)(middle - a) * sizeof *s->to);
    out += middle - a;
    if (b < end) memcpy(s->to + out, s->from + b, (size_t)(end - b) * sizeof *s->to);
}

int hsp_gram_sort(hsp_gram_key *key, int64_t n, bool frequent, int threads) {
    enum { RUNS = 16, FEW = 4096 };
    sorting s = {.from = key, .n = n, .run = n, .compare = frequent ? by_count : by_bytes};
    if (n < FEW) {
        if (n > 1) qsort(key, (size_t)n, sizeof *key, s.compare);
        return 0;
    }
    hsp_gram_key *spare = hsp_alloc(n, sizeof *spare);
    if (!spare) return HSP_EMEMORY;
    s.to = spare;
    s.run = (n + RUNS - 1) / RUNS;
    hsp_pool_run(RUNS, threads, sort_run, &s);
    for (int64_t runs = RUNS; runs > 1; runs /= 2) { /* four times, so that the result is in `key` */
        hsp_pool_run(runs / 2, threads, merge_runs, &s);
        hsp_gram_key *swap = s.from;
        s.from = s.to;
        s.to = swap;
        s.run *= 2;
    }
    hsp_free(spare);
    return 0;
}
