/* Blocks of rows are counted concurrently; then each shard of the hashes gathers its n-grams from all of them. Counts are
 * integers and the result is sorted, so it depends neither on blocks nor on threads. */
#include "base/error.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/block.h"
#include "data/table_frame.h"
#include "table/encoding.h"
#include "table/gram_table.h"
#include "table/spelling.h"
#include "table/vocabulary.h"

#include <string.h>

enum { SHARD_BITS = 3, SHARDS = 1 << SHARD_BITS };

/* The counts of a block. */
typedef struct counter {
    hsp_encode_room room;
    hsp_gram_table grams, buckets; /* the key of a bucket is its number, as four bytes */
    int status;
    int64_t line; /* of the text that is not UTF-8; 0: none */
} counter;

typedef struct shard {
    hsp_gram_table grams, buckets;
    int status;
} shard;

struct hsp_gram_counter {
    const hsp_frame *f; /* that is counted */
    int64_t j;
    const char *column;
    const hsp_table_rules *r;
    int threads;
    hsp_vocabulary v;       /* defines the n-grams */
    counter *counter;       /* owned */
    int64_t counters, from, width; /* counter k has block from + k, of `width` */
    shard shard[SHARDS];
};

/* ---- counting ---- */

static int count_gram(counter *c, const hsp_vocabulary *v, const char *s, int64_t n, int64_t row) {
    uint64_t hash = hsp_gram_hash(s, n);
    if (hsp_gram_add(&c->grams, s, n, hash, row, 1)) return HSP_EMEMORY;
    if (!v->bits) return 0;
    uint32_t bucket = hsp_hash_bucket(hash, v->bits);
    char key[sizeof bucket];
    memcpy(key, &bucket, sizeof bucket);
    return hsp_gram_add(&c->buckets, key, sizeof key, hsp_gram_hash(key, sizeof key), row, 1);
}

static int count_text(counter *c, const hsp_vocabulary *v, hsp_cell cell, int64_t row) {
    char spelling[32];
    int64_t length;
    hsp_tokens t;
    const char *text = hsp_cell_spelling(cell, spelling, &length);
    if (!text) return 0;
    if (hsp_tokens_cut(text, length, v->characters, &c->room, &t)) return HSP_EMEMORY;
    if (!t.sound) return HSP_EINPUT;
    for (int64_t k = v->least; k <= v->most && k <= t.count; k++)
        for (int64_t i = 0; i + k <= t.count; i++)
            if (count_gram(c, v, t.text + t.begin[i], hsp_tokens_length(&t, i, k), row)) return HSP_EMEMORY;
    return 0;
}

static void count_block(void *ctx, int64_t k) {
    const hsp_gram_counter *w = ctx;
    counter *c = &w->counter[k];
    const hsp_block *b = &w->f->block[w->from + k];
    hsp_gram_table_clear(&c->grams);
    hsp_gram_table_clear(&c->buckets);
    for (int64_t i = 0; !c->status && i < b->rows; i++) {
        hsp_cells cells = hsp_block_cells(b, i);
        c->status = count_text(c, &w->v, hsp_cells_at(&cells, w->j), i);
        if (c->status == HSP_EINPUT) c->line = b->line_base + b->line[i];
    }
}

/* ---- gathering ---- */

static int gather(const hsp_gram_table *from, uint64_t shard_number, hsp_gram_table *to) {
    for (int64_t i = 0; i < from->count; i++) {
        const hsp_gram *g = &from->gram[i];
        if (g->hash >> (64 - SHARD_BITS) != shard_number) continue;
        if (hsp_gram_add(to, from->arena + g->from, g->length, g->hash, -1, g->count)) return HSP_EMEMORY;
    }
    return 0;
}

static void gather_shard(void *ctx, int64_t s) {
    hsp_gram_counter *w = ctx;
    shard *mine = &w->shard[s];
    for (int64_t k = 0; !mine->status && k < w->width; k++) {
        mine->status = gather(&w->counter[k].grams, (uint64_t)s, &mine->grams);
        if (!mine->status) mine->status = gather(&w->counter[k].buckets, (uint64_t)s, &mine->buckets);
    }
}

static int fail_bytes(const hsp_gram_counter *w, const counter *c, hsp_error **err) {
    char name[HSP_EXCERPT];
    hsp_excerpt(name, w->column, (int64_t)strlen(w->column));
    return hsp_fail_at(err, HSP_EINPUT, (hsp_place){w->f->file ? w->f->file : w->r->file, c->line, 0},
                       "column '%s' holds a text that is not UTF-8: convert the file, as by iconv -f LATIN1 -t UTF-8",
                       name);
}

int hsp_gram_counter_add(hsp_gram_counter *w, const hsp_frame *rows, hsp_error **err) {
    w->f = rows;
    for (w->from = 0; w->from < rows->blocks; w->from += w->width) {
        w->width = rows->blocks - w->from < w->counters ? rows->blocks - w->from : w->counters;
        hsp_pool_run(w->width, w->threads, count_block, w);
        for (int64_t k = 0; k < w->width; k++) {
            const counter *c = &w->counter[k];
            if (c->status == HSP_EINPUT) return fail_bytes(w, c, err);
            if (c->status) return hsp_fail_memory(err);
        }
        hsp_pool_run(SHARDS, w->threads, gather_shard, w);
        for (int64_t s = 0; s < SHARDS; s++)
            if (w->shard[s].status) return hsp_fail_memory(err);
    }
    return HSP_OK;
}

int hsp_gram_counter_new(int64_t j, const char *column, const hsp_table_rules *r, int threads, hsp_gram_counter **out,
                         hsp_error **err) {
    hsp_gram_counter *w = *out = hsp_alloc_zero(1, sizeof *w);
    if (!w) return hsp_fail_memory(err);
    *w = (hsp_gram_counter){.j = j, .column = column, .r = r, .threads = threads};
    w->v = (hsp_vocabulary){.characters = r->characters, .least = r->gram_least, .most = r->gram_most, .bits = r->hash_bits};
    /* Two blocks for each thread, so that few threads wait for the last. */
    w->counters = 2 * (int64_t)(threads > 1 ? threads : 1);
    return HSP_ALLOC_ZERO(w->counter, w->counters) ? HSP_OK : hsp_fail_memory(err);
}

int64_t hsp_gram_counter_bytes(const hsp_gram_counter *w) {
    int64_t bytes = 0;
    for (int64_t s = 0; s < SHARDS; s++) {
        const hsp_gram_table *const tables[] = {&w->shard[s].grams, &w->shard[s].buckets};
        for (int k = 0; k < 2; k++)
            bytes += tables[k]->count * (int64_t)sizeof *tables[k]->gram + tables[k]->length +
                     tables[k]->slots * (int64_t)sizeof *tables[k]->slot;
    }
    return bytes;
}

void hsp_gram_counter_free(hsp_gram_counter *w) {
    if (!w) return;
    for (int64_t k = 0; w->counter && k < w->counters; k++) {
        hsp_encode_room_free(&w->counter[k].room);
        hsp_gram_table_free(&w->counter[k].grams);
        hsp_gram_table_free(&w->counter[k].buckets);
    }
    for (int64_t s = 0; s < SHARDS; s++) {
        hsp_gram_table_free(&w->shard[s].grams);
        hsp_gram_table_free(&w->shard[s].buckets);
    }
    HSP_FREE(w->counter, w);
}

/* ---- sorting ---- */

/* Collects the entries (n-grams or buckets) of at least min_count texts. With bits, `first` is the bucket. */
static int collect(const hsp_gram_counter *w, bool buckets, int64_t min_count, hsp_gram_key **out, int64_t *count) {
    int64_t all = 0;
    for (int64_t s = 0; s < SHARDS; s++) all += buckets ? w->shard[s].buckets.count : w->shard[s].grams.count;
    hsp_gram_key *key = HSP_ALLOC(*out, all);
    *count = 0;
    if (!key || all > INT32_MAX) return HSP_EMEMORY;
    for (int64_t s = 0; s < SHARDS; s++) {
        const hsp_gram_table *t = buckets ? &w->shard[s].buckets : &w->shard[s].grams;
        for (int64_t i = 0; i < t->count; i++) {
            const hsp_gram *g = &t->gram[i];
            const char *text = t->arena + g->from;
            uint32_t bucket = hsp_hash_bucket(g->hash, w->v.bits);
            if (g->count < min_count) continue;
            if (buckets) memcpy(&bucket, text, sizeof bucket);
            uint64_t first = w->v.bits ? bucket : hsp_gram_prefix(text, g->length);
            key[(*count)++] = (hsp_gram_key){first, text, g->count, g->length};
        }
    }
    return 0;
}

/* Appends a word; make_words has allocated its memory. */
static void append_word(hsp_vocabulary *v, const hsp_gram_key *key) {
    char *to = v->arena + v->begin[v->words];
    memcpy(to, key->text, key->length);
    to[key->length] = '\0';
    v->begin[v->words + 1] = v->begin[v->words] + key->length + 1;
    v->words++;
}

static int make_words(hsp_vocabulary *v, int64_t words, int64_t bytes) {
    if (!HSP_ALLOC(v->begin, words + 1) || !HSP_ALLOC(v->arena, bytes + words)) return HSP_EMEMORY;
    v->begin[0] = 0;
    return 0;
}

static int keep_all(const hsp_gram_counter *w, int64_t min_count, int threads, hsp_vocabulary *v) {
    hsp_gram_key *key = NULL;
    int64_t count = 0, bytes = 0;
    int status = collect(w, false, min_count, &key, &count);
    if (!status) status = hsp_gram_sort(key, count, false, threads);
    for (int64_t i = 0; !status && i < count; i++) bytes += key[i].length;
    if (!status) status = make_words(v, count, bytes);
    if (!status && !HSP_ALLOC(v->df, count)) status = HSP_EMEMORY;
    for (int64_t i = 0; !status && i < count; i++) {
        append_word(v, &key[i]);
        v->df[i] = key[i].count;
    }
    if (!status) v->count = count;
    hsp_free(key);
    return status;
}

/* ---- buckets ---- */

static int make_buckets(hsp_vocabulary *v, const hsp_gram_key *bucket, int64_t count) {
    if (!HSP_ALLOC(v->df, count) || !HSP_ALLOC(v->bucket, count) || !HSP_ALLOC_ZERO(v->grams, count) ||
        !HSP_ALLOC_ZERO(v->first, count + 1))
        return HSP_EMEMORY;
    v->count = count;
    for (int64_t i = 0; i < count; i++) {
        v->bucket[i] = (uint32_t)bucket[i].first;
        v->df[i] = bucket[i].count;
    }
    return 0;
}

/* Both lists are sorted by bucket; n-grams of rare buckets are skipped. Moves the n-grams that name a bucket to the front;
 * how many. */
static int64_t choose_words(hsp_vocabulary *v, hsp_gram_key *gram, int64_t grams) {
    int64_t kept = 0;
    for (int64_t i = 0, t = 0; i < v->count; i++) {
        while (t < grams && gram[t].first < v->bucket[i]) t++;
        v->first[i] = kept;
        for (; t < grams && gram[t].first == v->bucket[i]; t++)
            if (v->grams[i]++ < HSP_BUCKET_WORDS) gram[kept++] = gram[t];
    }
    v->first[v->count] = kept;
    return kept;
}

static int keep_buckets(const hsp_gram_counter *w, int64_t min_count, int threads, hsp_vocabulary *v) {
    hsp_gram_key *bucket = NULL, *gram = NULL;
    int64_t buckets = 0, grams = 0, kept = 0, bytes = 0;
    int status = collect(w, true, min_count, &bucket, &buckets);
    if (!status) status = hsp_gram_sort(bucket, buckets, false, threads);
    if (!status) status = make_buckets(v, bucket, buckets);
    if (!status) status = collect(w, false, 1, &gram, &grams);
    if (!status) status = hsp_gram_sort(gram, grams, true, threads);
    if (!status) {
        kept = choose_words(v, gram, grams);
        for (int64_t t = 0; t < kept; t++) bytes += gram[t].length;
        status = make_words(v, kept, bytes);
    }
    for (int64_t t = 0; !status && t < kept; t++) append_word(v, &gram[t]);
    HSP_FREE(bucket, gram);
    return status;
}

int hsp_vocabulary_learn(const hsp_gram_counter *w, int64_t texts, hsp_vocabulary *out, hsp_error **err) {
    *out = w->v;
    out->texts = texts;
    int status = out->bits ? keep_buckets(w, w->r->min_count, w->threads, out) : keep_all(w, w->r->min_count, w->threads, out);
    return status || hsp_vocabulary_index(out) ? hsp_fail_memory(err) : HSP_OK;
}
