/* A table as it was read: blocks of dense rows whose cells may be words, or missing. What becomes numbers only after all
 * rows were seen is kept so (src/table learns how), and can be learnt again from some of the rows. */
#ifndef HSP_DATA_TABLE_FRAME_H
#define HSP_DATA_TABLE_FRAME_H

#include "data/block.h"
#include "data/schema.h"

typedef struct hsp_frame {
    hsp_schema schema; /* the columns as the file has them, target and weights apart */
    int64_t n;
    hsp_block *block; /* each `table`, with schema.d columns; none is empty */
    int64_t blocks, block_capacity;
    int64_t *first; /* blocks + 1: row of the frame at which each begins */
    int64_t first_capacity;
    /* What the blocks point to: few and large, since new memory is dear. */
    char **slab;
    int64_t slabs, slab_capacity, slab_size, slab_used;
} hsp_frame;

int hsp_frame_new(hsp_frame **out, hsp_error **err);
void hsp_frame_free(hsp_frame *f); /* NULL is allowed */
/* Takes the rows of a block over, and leaves an empty one. */
int hsp_frame_add(hsp_frame *f, hsp_block *block, hsp_error **err);
/* The same in two steps, so that threads can share the work: room for the block, the last of the frame, one after the other
 * in the order of the rows; then the copy, also while others are given room. 0 or HSP_EMEMORY; a block without rows gets no
 * room, and must not be copied. */
int hsp_frame_reserve(hsp_frame *f, const hsp_block *block, hsp_block *room);
void hsp_frame_copy(const hsp_block *block, hsp_block *room);
/* A frame of the given rows, ascending or not. */
int hsp_frame_take(const hsp_frame *f, const int64_t *rows, int64_t count, hsp_frame **out, hsp_error **err);
/* Leaves the rows with a missing cell out, in place; how many went. */
int hsp_frame_drop_missing(hsp_frame *f, const bool *counts, int64_t *dropped, hsp_error **err);

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
    const double *value;
    const hsp_word *word, *end;
} hsp_cells;

static inline hsp_cells hsp_block_cells(const hsp_block *b, int64_t row) {
    return (hsp_cells){b, b->value + row * b->d, b->word + b->word_row[row], b->word + b->word_row[row + 1]};
}

/* Cell j; columns must be asked for in ascending order, each at most once. */
static inline hsp_cell hsp_cells_at(hsp_cells *c, int64_t j) {
    while (c->word < c->end && (int64_t)c->word->column < j) c->word++;
    hsp_cell cell = {c->value[j], NULL, 0};
    if (c->word < c->end && (int64_t)c->word->column == j) {
        cell.text = c->block->words + c->word->from;
        cell.length = c->word->length;
        c->word++;
    }
    return cell;
}

#endif
