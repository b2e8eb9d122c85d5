/* The rows are cut into chunks by their number alone, not by blocks. Chunks are counted concurrently and joined in order, so
 * that orders of appearance and sums do not depend on threads or on how the file was read. */
#include "table/profile.h"

#include "base/error.h"
#include "base/exact_sum.h"
#include "base/memory.h"
#include "base/pool.h"
#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/number_form.h"
#include "kernel/level.h"
#include "table/date.h"
#include "table/spelling.h"

#include <math.h>
#include <string.h>

enum { PER_WORD = 64 }; /* bytes of a word besides its text */
enum { MOST_CHUNKS = 32, CHUNK_ROWS = 2048, SLOTS = 2 * HSP_PROFILE_NUMBERS };

/* A hash table of the distinct numbers of a column: their places in the profile. */
typedef struct seen {
    double last; /* the last number, often equal to the next ... */
    int64_t at;  /* ... and its place; invalid if last is NaN */
    uint8_t slot[SLOTS];
    /* The last word, in the frame, and its place. */
    const char *word;
    int64_t word_length, word_at;
} seen;

/* The counts of a chunk. Owns its arrays, except text and levels. */
typedef struct tally {
    const hsp_frame *f;
    const bool *text, *levels;
    bool canonical, exact;
    int64_t from, to; /* rows */
    hsp_profile *p;   /* d */
    hsp_tally m;      /* its arrays are in `sums`, `columns` long */
    int64_t columns;  /* d, rounded up for the kernel */
    double *sums;
    double *rows; /* batch x columns: a batch of rows, NaN beyond d */
    int64_t batch;
    hsp_exact_sum *total;      /* d: exact sums, without ... ; NULL: not wanted */
    double *near, *far, *rest; /* ... d each: the sums as pairs of doubles, and what a row left of them */
    double *first;             /* d: the first number; NaN: none */
    seen *seen;                /* d */
    int64_t *active;           /* columns whose distinct numbers are still counted */
    int64_t actives;
    hsp_text spare;
    int status;
} tally;

/* ---- numbers ---- */

/* Allocates the seven arrays of m, and a batch of rows that stays in the first-level cache. */
static bool make_sums(tally *t, int64_t d) {
    enum { NEAR = 2048 }; /* numbers in the cache */
    int64_t c = (d / HSP_TALLIED + 1) * HSP_TALLIED;
    t->columns = c;
    t->batch = c < NEAR ? NEAR / c : 1;
    if (!HSP_ALLOC_ZERO(t->sums, 7 * c) || !HSP_ALLOC(t->rows, t->batch * c)) return false;
    int64_t *counts = (int64_t *)(t->sums + 4 * c);
    t->m = (hsp_tally){.least = t->sums,
                       .greatest = t->sums + c,
                       .sum = t->sums + 2 * c,
                       .last = t->sums + 3 * c,
                       .numbers = counts,
                       .part = counts + c,
                       .back = counts + 2 * c};
    for (int64_t j = 0; j < c; j++) {
        t->m.least[j] = INFINITY;
        t->m.greatest[j] = t->m.last[j] = -INFINITY;
    }
    for (int64_t k = 0; k < t->batch * c; k++) t->rows[k] = NAN;
    return true;
}

static unsigned slot_of(double v) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (unsigned)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 57);
}

/* The place of a number in the profile, added if it is new; -1: there are too many. */
static int64_t place_number(hsp_profile *p, seen *s, double v) {
    v += 0.0; /* -0 becomes 0 */
    unsigned at = slot_of(v) % SLOTS;
    while (s->slot[at]) {
        if (p->number[s->slot[at] - 1] == v) return s->slot[at] - 1;
        at = (at + 1) % SLOTS;
    }
    if (p->distinct >= HSP_PROFILE_NUMBERS) {
        p->distinct = HSP_PROFILE_NUMBERS + 1;
        return -1;
    }
    p->number[p->distinct] = v;
    p->number_count[p->distinct] = 0;
    s->slot[at] = (uint8_t)(p->distinct + 1);
    return p->distinct++;
}

static void count_distinct(tally *t, const double *v) {
    for (int64_t a = 0; a < t->actives; a++) {
        int64_t j = t->active[a];
        double x = v[j];
        seen *s = &t->seen[j];
        hsp_profile *p = &t->p[j];
        if (x == s->last) {
            p->number_count[s->at]++;
        } else if (!isnan(x)) {
            int64_t at = place_number(p, s, x);
            if (at < 0) { /* drop this column; the last active one takes its place */
                t->active[a--] = t->active[--t->actives];
                continue;
            }
            p->number_count[at]++;
            s->last = x;
            s->at = at;
        }
    }
}

/* ---- words and missing cells ---- */

/* Adds to the count of a word; its place in the profile, or HSP_EMEMORY. */
static int64_t count_word(hsp_profile *p, const char *s, int64_t n, int64_t count) {
    if (!p->dictionary && hsp_intern_new(&p->dictionary, NULL)) return HSP_EMEMORY;
    int64_t known = hsp_intern_count(p->dictionary), k = hsp_intern_add(p->dictionary, s, n, NULL);
    if (k < 0) return HSP_EMEMORY;
    if (k == known) {
        if (HSP_RESERVE(p->count, p->count_capacity, k + 1)) return HSP_EMEMORY;
        p->count[k] = 0;
        p->word_bytes += n + PER_WORD;
    }
    p->count[k] += count;
    return k;
}

/* Counts the spelling of a number. */
static void add_spelling(hsp_profile *p, const hsp_block *b, const hsp_word *w) {
    p->spelt++;
    hsp_number_form form = hsp_code_form(b->words + w->from, w->length);
    p->zeros += form == HSP_FORM_ZEROS;
    p->plus += form == HSP_FORM_PLUS;
    p->digits += form == HSP_FORM_LONG;
}

static const char *spell_word(tally *t, const char *word, int64_t *n) {
    if (t->canonical) return hsp_spell(word, n, &t->spare);
    hsp_label_trim(&word, n);
    return word;
}

static int add_word(tally *t, const hsp_block *b, const hsp_word *w, int64_t line) {
    hsp_profile *p = &t->p[w->column];
    p->words++;
    if (p->word_line == 0) p->word_line = line;
    if (w->length > p->longest) p->longest = w->length;
    if (t->text && t->text[w->column]) return 0;
    seen *last = &t->seen[w->column];
    int64_t n = w->length;
    const char *word = b->words + w->from;
    if (last->word && last->word_length == n && hsp_same_text(last->word, word, n)) {
        p->count[last->word_at]++;
        return 0;
    }
    last->word = word;
    last->word_length = n;
    const char *s = spell_word(t, word, &n);
    last->word_at = s ? count_word(p, s, n, 1) : HSP_EMEMORY;
    return last->word_at < 0 ? HSP_EMEMORY : 0;
}

/* Records the line of the first missing cell of each column. */
static void find_missing(tally *t, const hsp_block *b, int64_t i) {
    double scratch[HSP_MOST_PACKED];
    const double *number = hsp_block_numbers(b, i, scratch);
    hsp_cells cells = hsp_block_cells(b, i);
    for (int64_t j = 0; j < b->d; j++)
        if (isnan(number[j]) && t->p[j].first_missing.line == 0 && hsp_cell_missing(hsp_cells_at(&cells, j)))
            t->p[j].first_missing = (hsp_profile_place){b->line_base + b->line[i], t->f->file, t->f->file_number};
}

/* Finds the rows [*from, *to) of the next block *k that belong to the chunk. Start with *k = -1; false: no more. */
static bool next_part(const tally *t, int64_t *k, int64_t *from, int64_t *to) {
    const hsp_frame *f = t->f;
    do ++*k;
    while (*k < f->blocks && f->first[*k + 1] <= t->from);
    if (*k >= f->blocks || f->first[*k] >= t->to) return false;
    *from = t->from > f->first[*k] ? t->from - f->first[*k] : 0;
    *to = (t->to < f->first[*k + 1] ? t->to : f->first[*k + 1]) - f->first[*k];
    return true;
}

static const double LARGE = 0x1p900; /* sums of smaller numbers are finite */

/* What two doubles did not hold of a row, and numbers that are too large for them. */
static void add_rests(tally *t, const double *v, int64_t d) {
    for (int64_t j = 0; j < d; j++) {
        if (t->rest[j] != 0) hsp_exact_sum_add(&t->total[j], t->rest[j]);
        if (fabs(v[j]) > LARGE) hsp_exact_sum_add(&t->total[j], v[j]);
    }
}

/* Adds a row to the exact sums. Sums of two doubles with the error of each addition (D. Knuth, The art of computer programming
 * 2, 4.2.2) hold almost all rows exactly; their own errors are added to the exact sums. */
static void add_to_totals(tally *t, const double *restrict v, int64_t d) {
    double *restrict near = t->near, *restrict far = t->far, *restrict rest = t->rest;
    int rests = 0;
    for (int64_t j = 0; j < d; j++) {
        double x = fabs(v[j]) <= LARGE ? v[j] : 0, a = near[j], sum = a + x, b = sum - a;
        double error = (a - (sum - b)) + (x - b), c = far[j], more = c + error, e = more - c;
        near[j] = sum;
        far[j] = more;
        rest[j] = (c - (more - e)) + (error - e);
        rests |= (rest[j] != 0) | (fabs(v[j]) > LARGE);
    }
    if (rests) add_rests(t, v, d);
}

/* Counts at most a batch of rows of a block. */
static int count_batch(tally *t, const hsp_block *b, int64_t begin, int64_t end) {
    int64_t words = 0;
    for (int64_t i = begin; i < end; i++) {
        double *v = t->rows + (i - begin) * t->columns;
        hsp_block_copy_numbers(b, i, v);
        if (t->actives > 0) count_distinct(t, v);
        if (t->total) add_to_totals(t, v, b->d);
        for (int64_t k = b->word_row[i]; k < b->word_row[i + 1]; k++) {
            const hsp_word *w = &b->word[k];
            bool word = isnan(v[w->column]);
            words += word;
            if (!word)
                add_spelling(&t->p[w->column], b, w);
            else if (add_word(t, b, w, b->line_base + b->line[i]))
                return HSP_EMEMORY;
        }
    }
    int64_t numbers = hsp_level_now()->tally(end - begin, t->columns, t->rows, &t->m);
    bool missing = (end - begin) * b->d - numbers > words;
    for (int64_t i = begin; missing && i < end; i++) find_missing(t, b, i);
    return 0;
}

/* ---- chunks ---- */

/* The first number of each column. */
static void find_first(tally *t) {
    for (int64_t j = 0; j < t->f->schema.d; j++) {
        t->first[j] = NAN;
        if (t->m.numbers[j] == 0) continue;
        for (int64_t k = -1, i, end; isnan(t->first[j]) && next_part(t, &k, &i, &end);) {
            const hsp_block *b = &t->f->block[k];
            for (; i < end && isnan(t->first[j]); i++) t->first[j] = hsp_block_number(b, i, j);
        }
    }
}

static void count_chunk(void *ctx, int64_t k) {
    tally *t = (tally *)ctx + k;
    int64_t d = t->f->schema.d;
    bool made = make_sums(t, d) && HSP_ALLOC_ZERO(t->p, d + 1) && HSP_ALLOC_ZERO(t->seen, d + 1) &&
                HSP_ALLOC(t->active, d + 1) && HSP_ALLOC(t->first, d + 1) &&
                (!t->exact || (HSP_ALLOC_ZERO(t->total, d + 1) && HSP_ALLOC_ZERO(t->near, 3 * (d + 1))));
    t->status = made ? 0 : HSP_EMEMORY;
    if (t->status) return;
    t->far = t->near ? t->near + d + 1 : NULL;
    t->rest = t->near ? t->far + d + 1 : NULL;
    for (int64_t j = 0; j < d; j++) {
        if (!t->levels || t->levels[j]) t->active[t->actives++] = j;
        t->seen[j].last = NAN;
    }
    for (int64_t b = -1, i, end; !t->status && next_part(t, &b, &i, &end);)
        for (; !t->status && i < end; i += t->batch)
            t->status = count_batch(t, &t->f->block[b], i, end - i < t->batch ? end : i + t->batch);
    find_first(t);
    for (int64_t j = 0; t->total && j < d; j++) {
        hsp_exact_sum_add(&t->total[j], t->near[j]);
        hsp_exact_sum_add(&t->total[j], t->far[j]);
    }
}

/* Joins column j of the next chunk to that of this one. */
static void merge_sums(tally *t, const tally *next, int64_t j) {
    hsp_tally *m = &t->m;
    const hsp_tally *n = &next->m;
    if (n->numbers[j] == 0) return;
    if (n->least[j] < m->least[j]) m->least[j] = n->least[j];
    if (n->greatest[j] > m->greatest[j]) m->greatest[j] = n->greatest[j];
    m->sum[j] += n->sum[j];
    m->numbers[j] += n->numbers[j];
    m->part[j] |= n->part[j];
    m->back[j] |= n->back[j] | !(next->first[j] > m->last[j]);
    m->last[j] = n->last[j];
    if (isnan(t->first[j])) t->first[j] = next->first[j];
    if (t->total) hsp_exact_sum_join(&t->total[j], &next->total[j]);
}

/* Adds the words of the next chunk to the profile. */
static int merge_words(hsp_profile *p, const hsp_profile *next) {
    for (int64_t k = 0; k < hsp_profile_levels(next); k++) {
        const char *word = hsp_intern_text(next->dictionary, k);
        if (count_word(p, word, (int64_t)strlen(word), next->count[k]) < 0) return HSP_EMEMORY;
    }
    p->words += next->words;
    p->spelt += next->spelt;
    p->zeros += next->zeros;
    p->plus += next->plus;
    p->digits += next->digits;
    if (p->word_line == 0) p->word_line = next->word_line;
    if (p->first_missing.line == 0) p->first_missing = next->first_missing;
    if (next->longest > p->longest) p->longest = next->longest;
    return 0;
}

static void merge_distinct(hsp_profile *p, seen *s, const hsp_profile *next) {
    if (next->distinct > HSP_PROFILE_NUMBERS) p->distinct = HSP_PROFILE_NUMBERS + 1;
    for (int64_t k = 0; k < next->distinct && p->distinct <= HSP_PROFILE_NUMBERS; k++) {
        int64_t at = place_number(p, s, next->number[k]);
        if (at >= 0) p->number_count[at] += next->number_count[k];
    }
}

/* ---- the whole ---- */

typedef struct profile_task {
    tally *chunk;
    int64_t chunks;
    tally *whole; /* of the rows before; NULL: the chunks are all */
    int *status;  /* of each column */
} profile_task;

/* The mean of numbers whose sum overflows. */
static double mean_without_sum(const hsp_frame *f, int64_t j, int64_t numbers) {
    double mean = 0;
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++) {
            double x = hsp_block_number(&f->block[k], i, j);
            if (!isnan(x)) mean += x / (double)numbers;
        }
    return mean;
}

/* Joins column j of the chunks to the first of them, or to the rows before. */
static void merge_column(void *ctx, int64_t j) {
    const profile_task *w = ctx;
    tally *t = w->whole ? w->whole : w->chunk;
    for (int64_t k = w->whole ? 0 : 1; !w->status[j] && k < w->chunks; k++) {
        merge_sums(t, &w->chunk[k], j);
        merge_distinct(&t->p[j], &t->seen[j], &w->chunk[k].p[j]);
        w->status[j] = merge_words(&t->p[j], &w->chunk[k].p[j]);
    }
}

static double mean_of(const tally *t, int64_t j) {
    int64_t numbers = t->m.numbers[j];
    if (numbers == 0) return NAN;
    if (t->total) return hsp_exact_sum_mean(&t->total[j], numbers);
    double mean = t->m.sum[j] / (double)numbers;
    return isfinite(mean) ? mean : mean_without_sum(t->f, j, numbers);
}

static void finish_column(tally *t, int64_t j, int64_t rows) {
    hsp_profile *p = &t->p[j];
    bool any = t->m.numbers[j] > 0;
    p->cells = rows;
    p->numbers = t->m.numbers[j];
    p->missing = p->cells - p->numbers - p->words;
    p->least = any ? t->m.least[j] : NAN;
    p->greatest = any ? t->m.greatest[j] : NAN;
    p->mean = mean_of(t, j);
    p->whole = any && !t->m.part[j];
    p->ascending = any && !t->m.back[j];
    for (int64_t k = 0; k < hsp_profile_levels(p); k++) {
        const char *word = hsp_intern_text(p->dictionary, k);
        int64_t n = (int64_t)strlen(word);
        if (hsp_date_orders(word, n, NULL)) p->dates += p->count[k];
        if (hsp_blank_word(word, n)) p->blanks += p->count[k];
    }
}

static void finish_first(void *ctx, int64_t j) {
    const profile_task *w = ctx;
    tally *t = w->whole ? w->whole : w->chunk;
    if (!w->status[j]) finish_column(t, j, t->f->n);
}

/* The number of chunks depends on the table alone, and is small for wide tables to save memory. */
static int64_t count_chunks(const hsp_frame *f) {
    int64_t most = (INT64_C(64) << 20) / ((f->schema.d + 1) * (int64_t)(sizeof(hsp_profile) + sizeof(seen)));
    if (most > MOST_CHUNKS) most = MOST_CHUNKS;
    if (most > f->n / CHUNK_ROWS) most = f->n / CHUNK_ROWS;
    return most < 1 ? 1 : most;
}

static void free_tally(tally *t, int64_t d) {
    hsp_profiles_free(t->p, d);
    HSP_FREE(t->sums, t->rows, t->first, t->seen, t->active, t->total, t->near);
    hsp_text_free(&t->spare);
    *t = (tally){0};
}

/* Counts the rows of a frame in memory, chunk by chunk, and joins the chunks. */
static int count_table(profile_task *w, const tally *like, int threads, hsp_error **err) {
    const hsp_frame *f = like->f;
    w->chunks = count_chunks(f);
    if (!HSP_ALLOC_ZERO(w->chunk, w->chunks)) return hsp_fail_memory(err);
    for (int64_t k = 0; k < w->chunks; k++) {
        w->chunk[k] = *like;
        w->chunk[k].from = f->n / w->chunks * k;
        w->chunk[k].to = k + 1 < w->chunks ? f->n / w->chunks * (k + 1) : f->n;
    }
    hsp_pool_run(w->chunks, threads, count_chunk, w->chunk);
    for (int64_t k = 0; k < w->chunks; k++)
        if (w->chunk[k].status) return hsp_fail_memory(err);
    hsp_pool_run(f->schema.d, threads, merge_column, w);
    for (int64_t j = 0; j < f->schema.d; j++)
        if (w->status[j]) return hsp_fail_memory(err);
    return HSP_OK;
}

static void free_chunks(profile_task *w, int64_t d) {
    for (int64_t k = 0; w->chunk && k < w->chunks; k++) free_tally(&w->chunk[k], d);
    hsp_free(w->chunk);
    w->chunk = NULL;
    w->chunks = 0;
}

/* ---- rows that are not in memory ---- */

typedef struct profile_pass {
    profile_task w;
    tally like, whole;
    const hsp_frame *table; /* all rows */
    int threads;
    bool begun;
} profile_pass;

/* The column whose words take most. */
static int fail_words(const profile_pass *s, hsp_error **err) {
    const hsp_profile *p = s->whole.p;
    int64_t d = s->table->schema.d, most = 0;
    hsp_text name = {0};
    for (int64_t j = 1; j < d; j++)
        if (p[j].word_bytes > p[most].word_bytes) most = j;
    hsp_type_column(&name, &s->table->schema, most);
    int status =
        hsp_fail(err, HSP_EMEMORY,
                 "the different words of the table take more memory than is allowed, most of them those of column %s "
                 "(%lld and more): raise --max-memory, or use --ignore %s or --text %s",
                 name.s ? name.s : "", (long long)hsp_profile_levels(&p[most]), name.s ? name.s : "", name.s ? name.s : "");
    hsp_text_free(&name);
    return status;
}

static int count_visit(void *ctx, const hsp_frame *rows, hsp_error **err) {
    profile_pass *s = ctx;
    int64_t d = s->table->schema.d, bytes = 0;
    s->like.f = rows;
    s->w.whole = s->begun ? &s->whole : NULL;
    int status = count_table(&s->w, &s->like, s->threads, err);
    if (!status && !s->begun) {
        s->whole = s->w.chunk[0];
        s->w.chunk[0] = (tally){0};
        s->whole.f = s->table;
        s->begun = true;
    }
    free_chunks(&s->w, d);
    for (int64_t j = 0; !status && j < d; j++) bytes += s->whole.p[j].word_bytes;
    return !status && bytes > s->table->rows->budget ? fail_words(s, err) : status;
}

static int profile_rows(const hsp_profile_request *q, const tally *like, int threads, hsp_profile **out, hsp_error **err) {
    profile_pass s = {.like = *like, .table = q->f, .threads = threads};
    int64_t d = q->f->schema.d;
    int status = HSP_ALLOC_ZERO(s.w.status, d + 1) ? hsp_frame_each(q->f, count_visit, &s, err) : hsp_fail_memory(err);
    for (int64_t j = 0; !status && s.begun && j < d; j++) finish_column(&s.whole, j, q->f->n);
    if (!status && s.begun) {
        *out = s.whole.p;
        s.whole.p = NULL;
    }
    free_tally(&s.whole, d);
    hsp_free(s.w.status);
    return status;
}

/* ---- the table ---- */

int hsp_profile_table(const hsp_profile_request *q, int threads, hsp_profile **out, hsp_error **err) {
    const hsp_frame *f = q->f;
    const tally like = {.f = f, .text = q->text, .levels = q->levels, .canonical = q->canonical, .exact = q->exact};
    profile_task w = {0};
    *out = NULL;
    if (f->rows) return profile_rows(q, &like, threads, out, err);
    int status = HSP_ALLOC_ZERO(w.status, f->schema.d + 1) ? count_table(&w, &like, threads, err) : hsp_fail_memory(err);
    if (!status) hsp_pool_run(f->schema.d, threads, finish_first, &w);
    if (!status) {
        *out = w.chunk[0].p;
        w.chunk[0].p = NULL;
    }
    free_chunks(&w, f->schema.d);
    hsp_free(w.status);
    return status;
}

void hsp_profiles_free(hsp_profile *p, int64_t d) {
    for (int64_t j = 0; p && j < d; j++) {
        hsp_intern_free(p[j].dictionary);
        hsp_free(p[j].count);
    }
    hsp_free(p);
}

int64_t hsp_profile_levels(const hsp_profile *p) {
    return p->dictionary ? hsp_intern_count(p->dictionary) : 0;
}
