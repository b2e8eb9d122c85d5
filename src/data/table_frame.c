#include "data/table_frame.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/level.h"

#include <math.h>

int hsp_frame_new(hsp_frame **out, hsp_error **err) {
    *out = hsp_alloc_zero(1, sizeof **out);
    return *out ? HSP_OK : hsp_fail_memory(err);
}

void hsp_frame_free(hsp_frame *f) {
    if (!f) return;
    for (int64_t k = 0; k < f->slabs; k++) hsp_free(f->slab[k]);
    HSP_FREE(f->slab, f->block, f->first);
    hsp_schema_clear(&f->schema);
    hsp_free(f);
}

int hsp_frame_each(const hsp_frame *f, hsp_frame_visit *visit, void *ctx, hsp_error **err) {
    if (f->rows) return f->rows->each(f->rows->self, visit, ctx, err);
    int status = visit(ctx, f, err);
    return status < 0 ? status : HSP_OK;
}

/* ---- blocks ---- */

enum { LEAST_SLAB = 1 << 16, MOST_SLAB = 1 << 22, ALIGNED = 16 };

static int64_t aligned(int64_t count, size_t size) {
    return (count * (int64_t)size + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* ---- packing ---- */

int hsp_frame_measure(hsp_block *b) {
    int64_t words = hsp_present_words(b->d), count = 0;
    b->found.count = 0;
    if (b->d > HSP_MOST_PACKED) return 0;
    if (HSP_RESERVE(b->found.bits, b->found.capacity, b->rows * words + 1)) return HSP_EMEMORY;
    uint64_t (*present)(const double *, int64_t) = hsp_level_now()->present;
    uint64_t *bits = b->found.bits;
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->d; j += 64) {
            *bits = present(b->value + i * b->d + j, b->d - j < 64 ? b->d - j : 64);
            count += hsp_count_bits(*bits++);
        }
    b->found.count = count;
    return 0;
}

/* Packing pays if 30 % of the cells are 0: new memory costs more than counting bits. */
static bool is_packed(const hsp_block *b) {
    return b->found.count > 0 && 10 * b->found.count < 7 * b->rows * b->d;
}

static void pack_numbers(const hsp_block *b, hsp_block *slot) {
    int64_t words = hsp_present_words(b->d), at = 0;
    memcpy(slot->present, b->found.bits, (size_t)(b->rows * words) * sizeof *b->found.bits);
    for (int64_t i = 0; i < b->rows; i++) {
        const double *v = b->value + i * b->d;
        slot->row[i] = at;
        for (int64_t k = 0; k < words; k++)
            for (uint64_t left = b->found.bits[i * words + k]; left; left &= left - 1)
                slot->value[at++] = v[64 * k + __builtin_ctzll(left)];
    }
    slot->row[b->rows] = at;
}

/* Bytes of the numbers. */
static int64_t number_bytes(const hsp_block *b) {
    if (!is_packed(b)) return aligned(b->rows * b->d, sizeof *b->value);
    return aligned(b->found.count, sizeof *b->value) + aligned(b->rows + 1, sizeof *b->row) +
           aligned(b->rows * hsp_present_words(b->d), sizeof *b->present);
}

/* Bytes of a block's arrays. */
static int64_t block_bytes(const hsp_block *b) {
    int64_t n = b->rows;
    return number_bytes(b) + 2 * aligned(n + 1, sizeof *b->label) + 2 * aligned(n, sizeof *b->line) +
           aligned(b->label[n], 1) + (b->weighted ? aligned(n, sizeof *b->weight) : 0) +
           aligned(b->word_count, sizeof *b->word) + aligned(b->words_length, 1);
}

/* Adds a slab, twice as large as the last within limits, unless the last has that many bytes left. 0 or HSP_EMEMORY. */
static int reserve_slab(hsp_frame *f, int64_t bytes) {
    if (f->slabs > 0 && f->slab_size - f->slab_used >= bytes) return 0;
    int64_t size = f->slab_size < LEAST_SLAB / 2 ? LEAST_SLAB : 2 * f->slab_size;
    size = size > MOST_SLAB ? MOST_SLAB : size;
    if (size < bytes) size = bytes;
    if (HSP_RESERVE(f->slab, f->slab_capacity, f->slabs + 1)) return HSP_EMEMORY;
    char *slab = hsp_alloc(size, 1);
    if (!slab) return HSP_EMEMORY;
    f->slab[f->slabs++] = slab;
    f->slab_size = size;
    f->slab_used = 0;
    return 0;
}

static void *carve(hsp_frame *f, int64_t count, size_t size) {
    char *at = f->slab[f->slabs - 1] + f->slab_used;
    f->slab_used += aligned(count, size);
    return at;
}

int hsp_frame_reserve(hsp_frame *f, const hsp_block *block, hsp_block *slot) {
    int64_t n = block->rows;
    f->dropped += block->dropped;
    f->late = f->late || block->met.late;
    if (n == 0) return 0;
    if (HSP_RESERVE(f->block, f->block_capacity, f->blocks + 1) ||
        HSP_RESERVE(f->first, f->first_capacity, f->blocks + 2) || reserve_slab(f, block_bytes(block)))
        return HSP_EMEMORY;
    *slot = (hsp_block){.rows = n,
                        .dense = true,
                        .d = block->d,
                        .table = true,
                        .word_count = block->word_count,
                        .words_length = block->words_length,
                        .labelled = block->labelled,
                        .weighted = block->weighted,
                        .line_base = block->line_base};
    slot->value = carve(f, is_packed(block) ? block->found.count : n * block->d, sizeof *slot->value);
    if (is_packed(block)) {
        slot->row = carve(f, n + 1, sizeof *slot->row);
        slot->present = carve(f, n * hsp_present_words(block->d), sizeof *slot->present);
    }
    slot->label = carve(f, n + 1, sizeof *slot->label);
    slot->word_row = carve(f, n + 1, sizeof *slot->word_row);
    slot->line = carve(f, n, sizeof *slot->line);
    slot->column = carve(f, n, sizeof *slot->column);
    slot->text = carve(f, block->label[n], 1);
    if (block->weighted) slot->weight = carve(f, n, sizeof *slot->weight);
    slot->word = carve(f, block->word_count, sizeof *slot->word);
    slot->words = carve(f, block->words_length, 1);
    f->block[f->blocks] = *slot;
    f->first[f->blocks++] = f->n;
    f->n += n;
    f->first[f->blocks] = f->n;
    return 0;
}

static void copy(void *to, const void *from, int64_t count, size_t size) {
    if (count > 0) memcpy(to, from, (size_t)count * size);
}

void hsp_frame_copy(const hsp_block *block, hsp_block *slot) {
    int64_t n = block->rows;
    hsp_memory_expect(slot->value, block_bytes(block));
    if (slot->present)
        pack_numbers(block, slot);
    else
        copy(slot->value, block->value, n * block->d, sizeof *slot->value);
    copy(slot->label, block->label, n + 1, sizeof *slot->label);
    copy(slot->word_row, block->word_row, n + 1, sizeof *slot->word_row);
    copy(slot->line, block->line, n, sizeof *slot->line);
    copy(slot->column, block->column, n, sizeof *slot->column);
    copy(slot->text, block->text, block->label[n], 1);
    if (block->weighted) copy(slot->weight, block->weight, n, sizeof *slot->weight);
    copy(slot->word, block->word, block->word_count, sizeof *slot->word);
    copy(slot->words, block->words, block->words_length, 1);
}

int hsp_frame_add(hsp_frame *f, hsp_block *block, hsp_error **err) {
    hsp_block slot;
    if (block->rows > 0) {
        if (hsp_frame_measure(block) || hsp_frame_reserve(f, block, &slot)) return hsp_fail_memory(err);
        hsp_frame_copy(block, &slot);
    }
    hsp_block_free(block);
    return HSP_OK;
}

/* ---- a subset of the rows ---- */

/* Appends row i of one block to another. */
static int copy_row(const hsp_block *from, int64_t i, hsp_block *to) {
    int64_t d = from->d, begin = from->label[i], length = from->label[i + 1] - begin;
    if (hsp_block_reserve(to, d, length)) return HSP_EMEMORY;
    hsp_block_copy_numbers(from, i, to->value + hsp_block_tail(to));
    for (int64_t t = from->word_row[i]; t < from->word_row[i + 1]; t++) {
        const hsp_word *w = &from->word[t];
        if (hsp_block_add_word(to, w->column, from->words + w->from, w->length)) return HSP_EMEMORY;
    }
    if (to->weighted) to->weight[to->rows] = from->weight[i];
    hsp_block_close_row(to, d, from->labelled ? from->text + begin : NULL, length, from->line_base + from->line[i]);
    to->column[to->rows - 1] = from->column[i];
    return 0;
}

static int64_t find_block(const hsp_frame *f, int64_t row) {
    int64_t low = 0, high = f->blocks - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (f->first[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

int hsp_frame_take(const hsp_frame *f, const int64_t *rows, int64_t count, hsp_frame **out, hsp_error **err) {
    enum { ROWS_OF_A_BLOCK = 8192 };
    hsp_block part = {0};
    hsp_frame *taken = NULL;
    *out = NULL;
    int status = hsp_frame_new(&taken, err);
    if (!status) status = hsp_schema_copy(&f->schema, &taken->schema, err);
    for (int64_t t = 0, k = 0; !status && t < count; t++) {
        if (!(rows[t] >= f->first[k] && rows[t] < f->first[k + 1])) k = find_block(f, rows[t]);
        const hsp_block *from = &f->block[k];
        if (part.rows == 0) {
            hsp_block_reset(&part, true, from->d);
            part.table = true;
            part.weighted = from->weighted;
        }
        if (copy_row(from, rows[t] - f->first[k], &part)) status = hsp_fail_memory(err);
        if (!status && (part.rows == ROWS_OF_A_BLOCK || t + 1 == count)) status = hsp_frame_add(taken, &part, err);
    }
    hsp_block_free(&part);
    if (status)
        hsp_frame_free(taken);
    else
        *out = taken;
    return status;
}

/* Whether row i has a missing cell in one of the columns that count. */
static bool has_missing(const hsp_block *b, int64_t i, const bool *counts) {
    double scratch[HSP_MOST_PACKED];
    const double *number = hsp_block_numbers(b, i, scratch);
    hsp_cells cells = hsp_block_cells(b, i);
    for (int64_t j = 0; j < b->d; j++) {
        if (!isnan(number[j]) || !counts[j]) continue;
        if (hsp_cell_missing(hsp_cells_at(&cells, j))) return true;
    }
    return false;
}

int hsp_frame_drop_missing(hsp_frame *f, const bool *counts, int64_t *dropped, hsp_error **err) {
    *dropped = 0;
    int64_t *rows = hsp_alloc(f->n > 0 ? f->n : 1, sizeof *rows), kept = 0;
    if (!rows) return hsp_fail_memory(err);
    for (int64_t k = 0; k < f->blocks; k++)
        for (int64_t i = 0; i < f->block[k].rows; i++)
            if (!has_missing(&f->block[k], i, counts)) rows[kept++] = f->first[k] + i;
    int status = HSP_OK;
    if (kept < f->n) {
        hsp_frame *rest = NULL;
        status = hsp_frame_take(f, rows, kept, &rest, err);
        if (!status) {
            *dropped = f->n - kept;
            hsp_frame swap = *f;
            *f = *rest;
            *rest = swap;
            hsp_frame_free(rest);
        }
    }
    hsp_free(rows);
    return status;
}

/* Moves row i of a block to place `to`, where words from `word` and label bytes from `text` on are free. */
static void move_row(hsp_block *b, int64_t i, int64_t to, int64_t *word, int64_t *text) {
    int64_t words = b->word_row[i + 1] - b->word_row[i], bytes = b->label[i + 1] - b->label[i];
    if (to < i) {
        memcpy(b->value + to * b->d, b->value + i * b->d, (size_t)b->d * sizeof *b->value);
        memmove(b->word + *word, b->word + b->word_row[i], (size_t)words * sizeof *b->word);
        if (bytes > 0) memmove(b->text + *text, b->text + b->label[i], (size_t)bytes);
        b->line[to] = b->line[i];
        b->column[to] = b->column[i];
        if (b->weighted) b->weight[to] = b->weight[i];
    }
    *word += words;
    *text += bytes;
}

void hsp_block_drop_missing(hsp_block *b, const bool *counts) {
    int64_t kept = 0, word = 0, text = 0;
    for (int64_t i = 0; i < b->rows; i++) {
        if (has_missing(b, i, counts)) continue;
        move_row(b, i, kept++, &word, &text);
        b->word_row[kept] = word; /* at most that of row i, which is not needed again */
        b->label[kept] = text;
    }
    b->dropped += b->rows - kept;
    b->rows = kept;
    b->word_count = word;
    b->found.count = 0;
}
