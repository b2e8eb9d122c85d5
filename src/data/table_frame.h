/* A table as it was read: blocks of dense rows whose cells may be words or missing. src/table learns from all rows how to
 * encode them as numbers; the frame is kept so that a subset of the rows can learn its own encoding. */
#ifndef HSP_DATA_TABLE_FRAME_H
#define HSP_DATA_TABLE_FRAME_H

#include "data/block.h"
#include "base/text.h"
#include "data/schema.h"
#include "halfspace.h"

#include <string.h>

struct hsp_frame;
/* Visits some rows of a table, which are a frame of their own for as long as it runs: 0 to go on, 1 to stop, or a negative
 * status with *err set. */
typedef int hsp_frame_visit(void *ctx, const struct hsp_frame *rows, hsp_error **err);

/* The rows of a table that need not fit in memory: every visit reads them again. */
typedef struct hsp_frame_rows {
    void *self;
    /* Visits all rows in their order: 0, or the negative status of a visit or of reading. */
    int (*each)(void *self, hsp_frame_visit *visit, void *ctx, hsp_error **err);
    int64_t budget; /* bytes that what is learnt from the rows may take */
    hsp_text *cell; /* keeps the last cell that was searched for (hsp_frame_first) */
} hsp_frame_rows;

/* Owns its arrays. */
typedef struct hsp_frame {
    hsp_schema schema; /* the columns of the file without target and weights */
    int64_t n;
    int64_t dropped;  /* rows that the reader left out */
    bool late;        /* some block has words in a column whose spellings were not kept */
    hsp_block *block; /* tables with schema.d columns; none is empty */
    int64_t blocks, block_capacity;
    int64_t *first; /* blocks + 1: the first row of each */
    int64_t first_capacity;
    const hsp_frame_rows *rows; /* borrowed: the rows are there, and there are no blocks; NULL: they are in the blocks */
    const char *file;           /* borrowed: where the rows of a visit come from, for messages; NULL: unknown */
    int64_t file_number;        /* its place among the files */
    char **slab; /* memory of the blocks' arrays */
    int64_t slabs, slab_capacity, slab_size, slab_used;
} hsp_frame;

int hsp_frame_new(hsp_frame **out, hsp_error **err);
void hsp_frame_free(hsp_frame *f); /* NULL is allowed */
/* Copies the rows of a block and frees it. */
int hsp_frame_add(hsp_frame *f, hsp_block *block, hsp_error **err);
/* The same in three steps for several threads. measure: how much memory the block needs; concurrently. reserve: appends a
 * block to the frame and sets *slot to it; one block after the other, in the order of the rows. copy: fills the slot;
 * concurrently, also with reserve. 0 or HSP_EMEMORY. A block without rows gets no slot and must not be copied. */
int hsp_frame_measure(hsp_block *block);
int hsp_frame_reserve(hsp_frame *f, const hsp_block *block, hsp_block *slot);
void hsp_frame_copy(const hsp_block *block, hsp_block *slot);
/* Visits all rows: those of a frame in memory at once. */
int hsp_frame_each(const hsp_frame *f, hsp_frame_visit *visit, void *ctx, hsp_error **err);
/* A frame of the given rows, in any order. */
int hsp_frame_take(const hsp_frame *f, const int64_t *rows, int64_t count, hsp_frame **out, hsp_error **err);
/* Removes the rows with a missing cell in a column that counts (schema.d flags); *dropped: how many. */
int hsp_frame_drop_missing(hsp_frame *f, const bool *counts, int64_t *dropped, hsp_error **err);
/* The same of a block as a reader made it; b->dropped counts them. */
void hsp_block_drop_missing(hsp_block *b, const bool *counts);

/* ---- numbers, packed or not ---- */

/* Rows are packed up to this many columns: a single cell is then found by counting a few bits. */
enum { HSP_MOST_PACKED = 256 };

static inline int64_t hsp_present_words(int64_t d) {
    return (d + 63) / 64;
}

/* The number of bits that are set. The compiler's builtin is a function call unless popcount instructions are enabled. */
static inline int64_t hsp_count_bits(uint64_t x) {
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int64_t)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The number in column j of row i; NaN: the cell is a word or missing. */
static inline double hsp_block_number(const hsp_block *b, int64_t i, int64_t j) {
    if (!b->present) return b->value[i * b->d + j];
    const uint64_t *bits = b->present + i * hsp_present_words(b->d);
    int64_t word = j / 64, at = b->row[i];
    uint64_t bit = UINT64_C(1) << (j % 64);
    if (!(bits[word] & bit)) return 0;
    for (int64_t k = 0; k < word; k++) at += hsp_count_bits(bits[k]);
    return b->value[at + hsp_count_bits(bits[word] & (bit - 1))];
}

/* Copies the d numbers of row i to `to`. */
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

/* The d numbers of row i: in place, or unpacked to scratch (HSP_MOST_PACKED numbers). */
static inline const double *hsp_block_numbers(const hsp_block *b, int64_t i, double *scratch) {
    if (!b->present) return b->value + i * b->d;
    hsp_block_copy_numbers(b, i, scratch);
    return scratch;
}

/* Whether two words of n bytes are equal; words of one block often share their text. */
static inline bool hsp_same_text(const char *a, const char *b, int64_t n) {
    return a == b || memcmp(a, b, (size_t)n) == 0;
}

/* One cell. */
typedef struct hsp_cell {
    double number;    /* NaN: a word, or missing */
    const char *text; /* the word, without a NUL; of a number how it is spelt; NULL: none, or its shortest form */
    int64_t length;
} hsp_cell;

static inline bool hsp_cell_is_number(hsp_cell c) {
    return c.number == c.number;
}

static inline bool hsp_cell_missing(hsp_cell c) {
    return c.number != c.number && !c.text;
}

/* Iterates over the cells of a row in the order of the columns. */
typedef struct hsp_cells {
    const hsp_block *block;
    int64_t row;
    const hsp_word *word, *end;
} hsp_cells;

static inline hsp_cells hsp_block_cells(const hsp_block *b, int64_t row) {
    return (hsp_cells){b, row, b->word + b->word_row[row], b->word + b->word_row[row + 1]};
}

/* Cell j; j must ascend from call to call. */
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
