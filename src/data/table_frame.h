/* A table as it was read: blocks of dense rows whose cells may be words, or missing. What becomes numbers only after all
 * rows were seen is kept so (src/table learns how), and can be learnt again from some of the rows. */
#ifndef HSP_DATA_TABLE_FRAME_H
#define HSP_DATA_TABLE_FRAME_H

#include "data/block.h"
#include "data/schema.h"
#include "halfspace.h"

#include <string.h>

typedef struct hsp_frame {
    hsp_schema schema; /* the columns as the file has them, target and weights apart */
    int64_t n;
    int64_t dropped;  /* rows that the reader has left out */
    hsp_block *block; /* each `table`, with schema.d columns; none is empty */
    int64_t blocks, block_capacity;
    int64_t *first; /* blocks + 1: row of the frame at which each begins */
    int64_t first_capacity;
    /* What the blocks point to. */
    char **slab;
    int64_t slabs, slab_capacity, slab_size, slab_used;
} hsp_frame;

int hsp_frame_new(hsp_frame **out, hsp_error **err);
void hsp_frame_free(hsp_frame *f); /* NULL is allowed */
/* Takes the rows of a block over, and leaves an empty one. */
int hsp_frame_add(hsp_frame *f, hsp_block *block, hsp_error **err);
/* The same in three steps, so that threads can share the work: how much room it needs; room for the block, the last of the
 * frame, one after the other in the order of the rows; then the copy, also while others are given room. 0 or HSP_EMEMORY; a
 * block without rows gets no room, and must not be copied. */
int hsp_frame_weigh(hsp_block *block);
int hsp_frame_reserve(hsp_frame *f, const hsp_block *block, hsp_block *room);
void hsp_frame_copy(const hsp_block *block, hsp_block *room);
/* A frame of the given rows, ascending or not. */
int hsp_frame_take(const hsp_frame *f, const int64_t *rows, int64_t count, hsp_frame **out, hsp_error **err);
/* Leaves the rows with a missing cell out, in place; how many went. */
int hsp_frame_drop_missing(hsp_frame *f, const bool *counts, int64_t *dropped, hsp_error **err);

/* ---- numbers, packed or not ---- */

/* Rows are packed up to this many columns: within, a single cell is found by counting a few bits. */
enum { HSP_MOST_PACKED = 256 };

static inline int64_t hsp_present_words(int64_t d) {
    return (d + 63) / 64;
}

/* Bits that are set. By hand: without an instruction that not every machine has, the compiler calls a function. */
static inline int64_t hsp_count_bits(uint64_t x) {
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The number in column j of row i; NaN: there is none. */
static inline double hsp_block_number(const hsp_block *b, int64_t i, int64_t j) {
    if (!b->present) return b->value[i * b->d + j];
    const uint64_t *bits = b->present + i * hsp_present_words(b->d);
    int64_t word = j / 64, at = b->row[i];
    uint64_t bit = UINT64_C(1) << (j % 64);
    if (!(bits[word] & bit)) return 0;
    for (int64_t k = 0; k < word; k++) at += hsp_count_bits(bits[k]);
    return b->value[at + hsp_count_bits(bits[word] & (bit - 1))];
}

/* The d numbers of row i into `to`. */
static inline void hsp_block_copy_numbers(const hsp_block *b, int64_t i, double *to) {
    if (!b->present) {
        memcpy(to, b->value + i * b->d, (size_t)b->d * sizeof *to);
        return;
    }
    const uint64_t *bits = b->present + i * hsp_present_words(b->d);
    const double *v = b->value + b->row[i];
    memset(to, 0, (size_t)b->d * sizeof *to);
    for (int64_t j = 0; j < b->d; j += 64)
        for (uint64_t left = *bits++; left; left &= left - 1) to[j + __builtin_ctzll(left)] = *v++;
}

/* The d numbers of row i: where they stand, or unpacked into room (HSP_MOST_PACKED). */
static inline const double *hsp_block_numbers(const hsp_block *b, int64_t i, double *room) {
    if (!b->present) return b->value + i * b->d;
    hsp_block_copy_numbers(b, i, room);
    return room;
}

/* Whether two words of n bytes are the same: those of one block often share their text. */
static inline bool hsp_same_text(const char *a, const char *b, int64_t n) {
    return a == b || memcmp(a, b, (size_t)n) == 0;
}

/* One cell. */
typedef struct hsp_cell {
    double number;    /* NaN: it holds a word, or nothing */
    const char *text; /* the word, not ended; NULL: none */
    int64_t length;
} hsp_cell;

static inline bool hsp_cell_missing(hsp_cell c) {
    return c.number != c.number && !c.text;
}

/* The cells of a row, from the first column on: words are found on the way. */
typedef struct hsp_cells {
    const hsp_block *block;
    int64_t row;
    const hsp_word *word, *end;
} hsp_cells;

static inline hsp_cells hsp_block_cells(const hsp_block *b, int64_t row) {
    return (hsp_cells){b, row, b->word + b->word_row[row], b->word + b->word_row[row + 1]};
}

/* Cell j; columns must be asked for in ascending order, each at most once. */
static inline hsp_cell hsp_cells_at(hsp_cells *c, int64_t j) {
    while (c->word < c->end && (int64_t)c->word->column < j) c->word++;
    hsp_cell cell = {hsp_block_number(c->block, c->row, j), NULL, 0};
    if (c->word < c->end && (int64_t)c->word->column == j) {
        cell.text = c->block->words + c->word->from;
        cell.length = c->word->length;
        c->word++;
    }
    return cell;
}

#endif
