/* Byte strings with the number of texts that contain each, counted while a vocabulary is learnt. */
#ifndef HSP_TABLE_GRAM_TABLE_H
#define HSP_TABLE_GRAM_TABLE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_gram {
    uint64_t hash;
    int64_t from;  /* in the arena */
    int64_t count; /* texts */
    int64_t last;  /* the last text that was counted */
    uint32_t length;
} hsp_gram;

/* Owns its arrays. */
typedef struct hsp_gram_table {
    hsp_gram *gram; /* in the order of appearance */
    int64_t count, capacity;
    char *arena;
    int64_t length, arena_capacity;
    uint32_t *slot; /* a power of two of them: index in `gram`, UINT32_MAX: free */
    int64_t slots;
} hsp_gram_table; /* {0} is an empty one */

uint64_t hsp_gram_hash(const char *s, int64_t n); /* XXH3: the same on every machine */

/* Adds `times` to the count of the n bytes at s, unless `text` (from 0; -1: none) was counted last. 0 or HSP_EMEMORY, also
 * for more than 2^31 strings. */
int hsp_gram_add(hsp_gram_table *t, const char *s, int64_t n, uint64_t hash, int64_t text, int64_t times);
void hsp_gram_table_clear(hsp_gram_table *t); /* removes all, keeps the memory */
void hsp_gram_table_free(hsp_gram_table *t);

/* An entry for sorting. */
typedef struct hsp_gram_key {
    uint64_t first; /* compared first */
    const char *text;
    int64_t count;
    uint32_t length;
} hsp_gram_key;

/* The first eight bytes as a number: most comparisons need no more. */
uint64_t hsp_gram_prefix(const char *s, int64_t n);
/* Sorts by `first`, then (frequent) by descending count, then by bytes. 0 or HSP_EMEMORY. */
int hsp_gram_sort(hsp_gram_key *key, int64_t n, bool frequent, int threads);

#endif
