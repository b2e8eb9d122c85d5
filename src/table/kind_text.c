/* Texts: a feature for each n-gram of words or characters, or for each hash bucket of them (vocabulary.h). Its value is the
 * count, presence (0 or 1), or tf-idf
 *     count x (ln((1 + n) / (1 + df)) + 1)
 * scaled so that each text has Euclidean length 1, as in scikit-learn's TfidfVectorizer. */
#include "base/error.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/matrix.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "table/spelling.h"
#include "table/text_state.h"

#include <math.h>
#include <string.h>

static void clear(void *state) {
    hsp_text_state *s = state;
    hsp_vocabulary_clear(&s->v);
}

/* A fit of two classes needs about ten numbers for each bucket, used or not (weights, gradients, scales). */
static int check_memory(const hsp_table_rules *r, hsp_error **err) {
    enum { BYTES = 80 };
    double need = BYTES * ldexp(1, (int)r->hash_bits);
    if (r->hash_bits == 0 || need <= 0.9 * (double)hsp_memory_limit()) return HSP_OK;
    return hsp_fail(err, HSP_EUSAGE, "--hash-bits %lld needs at least %lld MiB, and this machine has %lld: use fewer bits",
                    (long long)r->hash_bits, (long long)(need / 1048576), (long long)(hsp_memory_limit() / 1048576));
}

static bool wants_rows(const hsp_column_cells *s) {
    (void)s;
    return true;
}

static int fail_large(const hsp_column_cells *s, int64_t bytes, hsp_error **err) {
    hsp_text remedy = {0};
    hsp_type_column(&remedy, &s->f->schema, s->j);
    int status = hsp_fail(err, HSP_EMEMORY,
                          "the different n-grams of the texts of column '%s' take %lld MiB and more: raise --max-memory, use "
                          "--ngrams 1, or --ignore %s",
                          s->name, (long long)(bytes >> 20), remedy.s ? remedy.s : s->name);
    hsp_text_free(&remedy);
    return status;
}

static int gather(const hsp_column_cells *s, const hsp_frame *rows, void **gathered, hsp_error **err) {
    hsp_gram_counter *w = *gathered;
    int status = w ? HSP_OK : check_memory(s->r, err);
    if (!status && !w) {
        status = hsp_gram_counter_new(s->j, s->name, s->r, s->threads, &w, err);
        *gathered = w;
    }
    if (!status) status = hsp_gram_counter_add(w, rows, err);
    int64_t bytes = !status && s->f->rows ? hsp_gram_counter_bytes(w) : 0;
    return !status && s->f->rows && bytes > s->f->rows->budget ? fail_large(s, bytes, err) : status;
}

static void drop_gathered(void *gathered) {
    hsp_gram_counter_free(gathered);
}

static int learn(const hsp_column_cells *from, hsp_table_column *c, hsp_error **err) {
    hsp_text_state *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(err);
    c->state = s;
    s->value = from->r->text_value;
    int status = hsp_vocabulary_learn(from->gathered, from->f->n, &s->v, err);
    if (!status) c->features = hsp_text_features(&s->v);
    return status;
}

static int64_t most(const hsp_table_column *c, int64_t length) {
    enum { LONGEST_NUMBER = 32 }; /* numbers have length 0, but are read as text */
    const hsp_vocabulary *v = &((const hsp_text_state *)c->state)->v;
    if (length < LONGEST_NUMBER) length = LONGEST_NUMBER;
    int64_t grams = hsp_tokens_grams(hsp_tokens_most(length, v->characters), v->least, v->most);
    return grams < v->count ? grams : v->count;
}

/* ---- encoding ---- */

/* An occurrence of n-gram or bucket `number`: 2 number, + 1 if it counts -1. */
typedef uint32_t gram_item;

static void sort_few(gram_item *v, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        gram_item x = v[i];
        int64_t k = i;
        for (; k > 0 && v[k - 1] > x; k--) v[k] = v[k - 1];
        v[k] = x;
    }
}

/* Radix sort by bytes, the lowest first; insertion sort if there are few. `spare` is as long as v. */
static void sort_items(gram_item *v, gram_item *spare, int64_t n) {
    enum { FEW = 48 };
    if (n <= FEW) {
        sort_few(v, n);
        return;
    }
    gram_item all = 0;
    for (int64_t i = 0; i < n; i++) all |= v[i];
    for (int shift = 0; shift < 32 && all >> shift; shift += 8) {
        int64_t start[256] = {0};
        for (int64_t i = 0; i < n; i++) start[v[i] >> shift & 255]++;
        for (int64_t b = 0, sum = 0; b < 256; b++) {
            int64_t here = start[b];
            start[b] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++) spare[start[v[i] >> shift & 255]++] = v[i];
        memcpy(v, spare, (size_t)n * sizeof *v);
    }
}

/* Finds the n-grams of a text that were seen in training; counts the unseen ones of the lowest order. */
static int64_t find_items(const hsp_vocabulary *v, const hsp_tokens *t, gram_item *found, hsp_unseen *unseen) {
    int64_t count = 0;
    for (int64_t k = v->least; k <= v->most && k <= t->count; k++) {
        for (int64_t i = 0; i + k <= t->count; i++) {
            bool negated;
            int64_t number = hsp_vocabulary_find(v, t->text + t->begin[i], hsp_tokens_length(t, i, k), &negated);
            if (number >= 0)
                found[count++] = (gram_item)number << 1 | negated;
            else if (k == v->least)
                unseen->words++;
        }
    }
    return count;
}

/* Emits sorted items as features; n-grams that cancel in their bucket emit none. */
static void emit_items(const hsp_text_state *s, const gram_item *v, int64_t n, int64_t first, hsp_emit *out) {
    int64_t from = out->count;
    double squares = 0;
    for (int64_t i = 0; i < n;) {
        gram_item number = v[i] >> 1;
        double count = 0;
        for (; i < n && v[i] >> 1 == number; i++) count += v[i] & 1 ? -1 : 1;
        if (s->value == HSP_TEXT_PRESENCE) count = (count > 0) - (count < 0);
        if (s->value == HSP_TEXT_TFIDF) count *= s->v.idf[number];
        squares += count * count;
        hsp_emit_one(out, first + (s->v.bits ? s->v.bucket[number] : number), count);
    }
    if (s->value != HSP_TEXT_TFIDF) return;
    double length = sqrt(squares);
    for (int64_t i = from; i < out->count; i++) out->value[i] /= length;
}

static int encode(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen) {
    const hsp_text_state *s = c->state;
    const hsp_vocabulary *v = &s->v;
    char spelling[32];
    int64_t length, bytes, head;
    hsp_tokens t;
    const char *text = hsp_cell_spelling(cell, spelling, &length);
    if (!text) return 0;
    if (hsp_tokens_cut(text, length, v->characters, room, &t)) return HSP_EMEMORY;
    int64_t grams = hsp_tokens_grams(t.count, v->least, v->most);
    head = (t.count + 1) * (int64_t)sizeof *t.begin;
    if (__builtin_mul_overflow(grams, 2 * (int64_t)sizeof(gram_item), &bytes) ||
        __builtin_add_overflow(bytes, head, &bytes) || hsp_reserve(&room->scratch, &room->scratch_capacity, bytes, 1))
        return HSP_EMEMORY;
    t.begin = room->scratch; /* it may have moved */
    gram_item *found = (gram_item *)(void *)((char *)room->scratch + head);
    int64_t count = find_items(v, &t, found, unseen);
    sort_items(found, found + grams, count);
    emit_items(s, found, count, c->first, out);
    return 0;
}

/* ---- names ---- */

/* The place of a bucket among those in use; -1: it is empty. */
static int64_t find_bucket(const hsp_vocabulary *v, int64_t bucket) {
    int64_t at = hsp_row_find(hsp_row_sparse(v->count, v->bucket, NULL), bucket);
    return at < v->count && (int64_t)v->bucket[at] == bucket ? at : -1;
}

/* Of millions of buckets most are empty, and a name takes more memory than everything else about them. */
static bool named(const hsp_table_column *c, int64_t k) {
    enum { FEW_BITS = 16 };
    const hsp_vocabulary *v = &((const hsp_text_state *)c->state)->v;
    return v->bits <= FEW_BITS || find_bucket(v, k) >= 0;
}

/* "Text#1234:free|-call|txt|...": the most frequent n-grams of a bucket; "-" before one that counts -1, "..." if there are
 * more. */
static void add_bucket_name(const hsp_vocabulary *v, int64_t bucket, hsp_text *t) {
    int64_t low = find_bucket(v, bucket);
    hsp_text_char(t, '#');
    hsp_text_int(t, bucket);
    if (low < 0) return;
    for (int64_t w = v->first[low]; w < v->first[low + 1]; w++) {
        hsp_text_char(t, w == v->first[low] ? ':' : '|');
        if (hsp_vocabulary_negated(v, w)) hsp_text_char(t, '-');
        hsp_text_add(t, hsp_vocabulary_word(v, w));
    }
    if (v->grams[low] > v->first[low + 1] - v->first[low]) hsp_text_add(t, "|...");
}

static void feature(const hsp_table_column *c, int64_t k, hsp_text *t) {
    const hsp_vocabulary *v = &((const hsp_text_state *)c->state)->v;
    hsp_text_add(t, c->name);
    if (v->bits) {
        add_bucket_name(v, k, t);
        return;
    }
    hsp_text_char(t, ':');
    hsp_text_add(t, hsp_vocabulary_word(v, k));
}

/* ---- in a model ---- */

static void save(const hsp_table_column *c, hsp_json *j) {
    hsp_text_state_save(c->state, j);
}

static int load(const hsp_json_loader *l, int64_t room, hsp_table_column *c) {
    hsp_text_state *s = hsp_alloc_zero(1, sizeof *s);
    if (!s) return hsp_fail_memory(l->err);
    c->state = s;
    int status = hsp_text_state_load(l, room, s);
    if (!status) c->features = hsp_text_features(&s->v);
    return status;
}

const hsp_kind hsp_kind_text = {.name = "text",
                                .help = "words and word pairs, or character n-grams",
                                .cells = "text",
                                .askable = true,
                                .reads_text = true,
                                .wants_rows = wants_rows,
                                .gather = gather,
                                .drop_gathered = drop_gathered,
                                .learn = learn,
                                .most = most,
                                .encode = encode,
                                .feature = feature,
                                .named = named,
                                .save = save,
                                .load = load,
                                .clear = clear};
