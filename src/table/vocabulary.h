/* The n-grams of a text column: learnt from all rows, looked up in new ones. Each n-gram is a feature, or all that share the
 * low bits of their hash are one (Weinberger et al., Feature hashing for large scale multitask learning, 2009): a bucket, in
 * which half of them count -1, so that collisions cancel on average. */
#ifndef HSP_TABLE_VOCABULARY_H
#define HSP_TABLE_VOCABULARY_H

#include "data/table_frame.h"
#include "halfspace.h"
#include "table/rules.h"
#include "table/tokens.h"

enum {
    HSP_BUCKET_WORDS = 3, /* n-grams in the name of a bucket */
    HSP_HASH_BITS_MOST = 28
};

typedef struct hsp_vocabulary_slot {
    uint32_t tag;   /* high half of the hash; of a bucket, its number */
    int32_t number; /* -1: free */
} hsp_vocabulary_slot;

/* Owns its arrays. */
typedef struct hsp_vocabulary {
    bool characters;     /* units are characters, not words */
    int64_t least, most; /* units of an n-gram */
    int64_t bits;        /* 0: each n-gram is a feature; else there are 2^bits buckets */
    int64_t texts;       /* training rows, also those without text */
    int64_t count;       /* n-grams, sorted by bytes; or the buckets in use, ascending */
    int64_t *df;         /* count: document frequency, 1 .. texts */
    double *idf;         /* count: ln((1 + texts) / (1 + df)) + 1 */
    /* The n-grams; of a bucket, the HSP_BUCKET_WORDS most frequent. */
    int64_t words; /* `count` if they are features */
    char *arena;
    int64_t *begin;   /* words + 1: where each begins in the arena; each ends with a NUL */
    uint32_t *bucket; /* count: with bits, the numbers of the buckets in use */
    int64_t *first;   /* count + 1: the first word of each bucket */
    int64_t *grams;   /* count: distinct n-grams of the bucket */
    hsp_vocabulary_slot *slot;
    int64_t slots; /* a power of two */
} hsp_vocabulary;  /* {0} is an empty one */

/* Counts the n-grams of column j, whose name is for errors and is borrowed as the rules are. Rows are added in any number of
 * frames; HSP_EINPUT: a text is not UTF-8. */
typedef struct hsp_gram_counter hsp_gram_counter;
int hsp_gram_counter_new(int64_t j, const char *column, const hsp_table_rules *r, int threads, hsp_gram_counter **out,
                         hsp_error **err);
int hsp_gram_counter_add(hsp_gram_counter *w, const hsp_frame *rows, hsp_error **err);
/* Bytes of the n-grams that were counted. */
int64_t hsp_gram_counter_bytes(const hsp_gram_counter *w);
void hsp_gram_counter_free(hsp_gram_counter *w); /* NULL is allowed */
/* Makes the vocabulary of so many texts that were counted. Clear *out also after a failure. */
int hsp_vocabulary_learn(const hsp_gram_counter *w, int64_t texts, hsp_vocabulary *out, hsp_error **err);
/* Fills idf and the slots from the rest. 0 or HSP_EMEMORY. */
int hsp_vocabulary_index(hsp_vocabulary *v);
void hsp_vocabulary_clear(hsp_vocabulary *v);

/* The number, below count, of the n-gram at s or of its bucket; -1: unseen in training. *negated: it counts -1. */
int64_t hsp_vocabulary_find(const hsp_vocabulary *v, const char *s, int64_t n, bool *negated);
/* Whether n-gram `word` of a bucket counts -1 in it. */
bool hsp_vocabulary_negated(const hsp_vocabulary *v, int64_t word);

static inline const char *hsp_vocabulary_word(const hsp_vocabulary *v, int64_t word) {
    return v->arena + v->begin[word];
}

/* The bucket of an n-gram with this hash, and whether it counts -1 there. */
static inline uint32_t hsp_hash_bucket(uint64_t hash, int64_t bits) {
    return (uint32_t)(hash & ((UINT64_C(1) << bits) - 1));
}

static inline bool hsp_hash_negated(uint64_t hash) {
    return hash >> 63;
}

/* The text of a cell, without a NUL; a number is written to `spelling` in shortest form. NULL: the cell is missing. */
const char *hsp_cell_spelling(hsp_cell cell, char spelling[32], int64_t *length);

#endif
