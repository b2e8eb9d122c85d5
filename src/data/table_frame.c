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

/* ---- blocks ---- */

enum { LEAST_SLAB = 1 << 16, MOST_SLAB = 1 << 22, ALIGNED = 16 };

static int64_t aligned(int64_t count, size_t size) {
    return (count * (int64_t)size + ALIGNED - 1) / ALIGNED * ALIGNED;
}

/* ---- packing ---- */

int hsp_frame_weigh(hsp_block *b) {
    int64_t words = hsp_present_words(b->d), count = 0;
    b->found.count = 0;
    if (b->d > HSP_MOST_PACKED) return 0;
    if (hsp_reserve((void **)&b->found.bits, &b->found.capacity, b->rows * words + 1, sizeof *b->found.bits))
        return HSP_EMEMORY;
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

/* Worth it when a good part of the cells are 0: new memory is dearer than the counting of bits. */
static bool packs(const hsp_block *b) {
    return b->found.count > 0 && 10 * b->found.count < 7 * b->rows * b->d;
}

static void pack(const hsp_block *b, hsp_block *room) {
    int64_t words = hsp_present_words(b->d), at = 0;
    memcpy(room->present, b->found.bits, (size_t)(b->rows * words) * sizeof *b->found.bits);
    for (int64_t i = 0; i < b->rows; i++) {
        const double *v = b->value + i * b->d;
        room->row[i] = at;
        for (int64_t k = 0; k < words; k++)
            for (uint64_t left = b->found.bits[i * words + k]; left; left &= left - 1)
                room->value[at++] = v[64 * k + __builtin_ctzll(left)];
    }
    room->row[b->rows] = at;
}

/* Bytes of the numbers. */
static int64_t number_bytes(const hsp_block *b) {
    if (!packs(b)) return aligned(b->rows * b->d, sizeof *b->value);
    return aligned(b->found.count, sizeof *b->value) + aligned(b->rows + 1, sizeof *b->row) +
           aligned(b->rows * hsp_present_words(b->d), sizeof *b->present);
}

/* Bytes of a block's arrays. */
static int64_t bytes_of(const hsp_block *b) {
    int64_t n = b->rows;
    return number_bytes(b) + 2 * aligned(n + 1, sizeof *b->label) + 2 * aligned(n, sizeof *b->line) +
           aligned(b->label[n], 1) + (b->weighted ? aligned(n, sizeof *b->weight) : 0) +
           aligned(b->word_count, sizeof *b->word) + aligned(b->words_length, 1);
}

/* Makes a slab with so many bytes left: twice as large as the last, within reason. 0 or HSP_EMEMORY. */
static int make_room(hsp_frame *f, int64_t bytes) {
    if (f->slabs > 0 && f->slab_size - f->slab_used >= bytes) return 0;
    int64_t size = f->slab_size < LEAST_SLAB / 2 ? LEAST_SLAB : 2 * f->slab_size;
    size = size > MOST_SLAB ? MOST_SLAB : size;
    if (size < bytes) size = bytes;
    if (hsp_reserve((void **)&f->slab, &f->slab_capacity, f->slabs + 1, sizeof *f->slab)) return HSP_EMEMORY;
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

int hsp_frame_reserve(hsp_frame *f, const hsp_block *block, hsp_block *room) {
    int64_t n = block->rows;
    f->dropped += block->dropped;
    if (n == 0) return 0;
    if (hsp_reserve((void **)&f->block, &f->block_capacity, f->blocks + 1, sizeof *f->block) ||
        hsp_reserve((void **)&f->first, &f->first_capacity, f->blocks + 2, sizeof *f->first) ||
        make_room(f, bytes_of(block)))
        return HSP_EMEMORY;
    *room = (hsp_block){.rows = n,
                        .dense = true,
                        .d = block->d,
                        .table = true,
                        .word_count = block->word_count,
                        .words_length = block->words_length,
                        .labelled = block->labelled,
                        .weighted = block->weighted,
                        .line_base = block->line_base};
    room->value = carve(f, packs(block) ? block->found.count : n * block->d, sizeof *room->value);
    if (packs(block)) {
        room->row = carve(f, n + 1, sizeof *room->row);
        room->present = carve(f, n * hsp_present_words(block->d), sizeof *room->present);
    }
    room->label = carve(f, n + 1, sizeof *room->label);
    room->word_row = carve(f, n + 1, sizeof *room->word_row);
    room->line = carve(f, n, sizeof *room->line);
    room->column = carve(f, n, sizeof *room->column);
    room->text = carve(f, block->label[n], 1);
    if (block->weighted) room->weight = carve(f, n, sizeof *room->weight);
    room->word = carve(f, block->word_count, sizeof *room->word);
    room->words = carve(f, block->words_length, 1);
    f->block[f->blocks] = *room;
    f->first[f->blocks++] = f->n;
    f->n += n;
    f->first[f->blocks] = f->n;
    return 0;
}

static void copy(void *to, const void *from, int64_t count, size_t size) {
    if (count > 0) memcpy(to, from, (size_t)count * size);
}

void hsp_frame_copy(const hsp_block *block, hsp_block *room) {
    int64_t n = block->rows;
    hsp_memory_expect(room->value, bytes_of(block));
    if (room->present)
        pack(block, room);
    else
        copy(room->value, block->value, n * block->d, sizeof *room->value);
    copy(room->label, block->label, n + 1, sizeof *room->label);
    copy(room->word_row, block->word_row, n + 1, sizeof *room->word_row);
    copy(room->line, block->line, n, sizeof *room->line);
    copy(room->column, block->column, n, sizeof *room->column);
    copy(room->text, block->text, block->label[n], 1);
    if (block->weighted) copy(room->weight, block->weight, n, sizeof *room->weight);
    copy(room->word, block->word, block->word_count, sizeof *room->word);
    copy(room->words, block->words, block->words_length, 1);
}

int hsp_frame_add(hsp_frame *f, hsp_block *block, hsp_error **err) {
    hsp_block room;
    if (block->rows > 0) {
        if (hsp_frame_weigh(block) || hsp_frame_reserve(f, block, &room)) return hsp_fail_memory(err);
        hsp_frame_copy(block, &room);
    }
    hsp_block_free(block);
    return HSP_OK;
}

/* ---- some of the rows ---- */

/* Adds row i of one block to another. */
static int copy_row(const hsp_block *from, int64_t i, hsp_block *to) {
    int64_t d = from->d, begin = from->label[i], length = from->label[i + 1] - begin;
    if (hsp_block_reserve(to, d, length)) return HSP_EMEMORY;
    double room[HSP_MOST_PACKED];
    memcpy(to->value + hsp_block_tail(to), hsp_block_numbers(from, i, room), (size_t)d * sizeof *to->value);
    for (int64_t t = from->word_row[i]; t < from->word_row[i + 1]; t++) {
        const hsp_word *w = &from->word[t];
        if (hsp_block_add_word(to, w->column, from->words + w->from, w->length)) return HSP_EMEMORY;
    }
    if (to->weighted) to->weight[to->rows] = from->weight[i];
    hsp_block_close_row(to, d, from->labelled ? from->text + begin : NULL, length, from->line_base + from->line[i]);
    to->column[to->rows - 1] = from->column[i];
    return 0;
}

static void begin_block(hsp_block *b, const hsp_block *like) {
    hsp_block_reset(b, true, like->d);
    b->table = true;
    b->weighted = like->weighted;
}

/* The block of a row. */
static int64_t block_of(const hsp_frame *f, int64_t row) {
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
        if (!(rows[t] >= f->first[k] && rows[t] < f->first[k + 1])) k = block_of(f, rows[t]);
        if (part.rows == 0) begin_block(&part, &f->block[k]);
        if (copy_row(&f->block[k], rows[t] - f->first[k], &part)) status = hsp_fail_memory(err);
        if (!status && (part.rows == ROWS_OF_A_BLOCK || t + 1 == count)) status = hsp_frame_add(taken, &part, err);
    }
    hsp_block_free(&part);
    if (status)
        hsp_frame_free(taken);
    else
        *out = taken;
    return status;
}

/* Whether a cell of the row that counts is missing. */
static bool lacks(const hsp_block *b, int64_t i, const bool *counts) {
    double room[HSP_MOST_PACKED];
    const double *number = hsp_block_numbers(b, i, room);
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
            if (!lacks(&f->block[k], i, counts)) rows[kept++] = f->first[k] + i;
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
