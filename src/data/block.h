/* A block of rows on its way from a reader: what train collects, predict streams, and out-of-core will revisit. Features
 * are numbers, sparse (row, id, value) or dense (rows x d); the label is text as it stood in the file. Memory is reused
 * from block to block. */
#ifndef HSP_DATA_BLOCK_H
#define HSP_DATA_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A cell that holds no number. */
typedef struct hsp_word {
    int64_t from;    /* in `words` of the block */
    uint32_t length; /* bytes */
    uint32_t column; /* from 0 */
} hsp_word;

/* What the arrays of a block have room for. */
typedef struct hsp_block_capacity {
    int64_t row, label, line, column, id, value, text, weight, word_row, word, words;
} hsp_block_capacity;

/* A bit for each cell of a dense block: whether its number is not 0. */
typedef struct hsp_block_bits {
    uint64_t *bits; /* owned */
    int64_t count;  /* of those that are set; 0: they are not known */
    int64_t capacity;
} hsp_block_bits;

/* Owns its arrays, but in a frame, where they lie in the frame's memory. */
typedef struct hsp_block {
    int64_t rows;
    int64_t dropped; /* rows that were left out on the way */
    bool dense;
    int64_t d;     /* dense: numbers in a row */
    int64_t *row;  /* sparse, and packed: rows+1 offsets into id and value */
    uint32_t *id;  /* sparse: as in the file (base not taken off), ascending in a row, no duplicates */
    double *value; /* finite; sparse: zeros are dropped by the builder */
    /* Of a table, which is dense, cells may be words or missing: their value is NaN, and words are listed here. */
    bool table;
    int64_t *word_row; /* rows+1 offsets into word */
    hsp_word *word;    /* ascending by column in a row */
    char *words;       /* texts; a word that stands below its like shares its text */
    int64_t word_count, words_length;
    bool quoted; /* some words stood in quotes, so they may hold what ends a cell elsewhere */
    /* In a frame (data/table_frame.h) numbers may be packed: `value` holds those that are not 0, and here is a bit for each
     * cell, d of them from a new word on for every row. NULL: all are in `value`. */
    uint64_t *present;
    hsp_block_bits found; /* the same of a block on its way into a frame, after hsp_frame_weigh */
    bool labelled;
    char *text;        /* label texts, one after the other */
    int64_t *label;    /* rows+1 offsets into text */
    bool weighted;     /* set after hsp_block_reset by a reader that has weights */
    double *weight;    /* of each row, when `weighted`: finite, not negative */
    int64_t *line;     /* line on which each row begins, from 1 ... */
    int64_t line_base; /* ... added to it for the line of the file: the lines before the block's first */
    int64_t *column;   /* byte of that line at which the label begins, from 1; 1 when nobody said */
    hsp_block_capacity capacity;
} hsp_block; /* {0} is an empty one */

void hsp_block_reset(hsp_block *b, bool dense, int64_t d); /* no rows; memory kept */
/* Makes room for one more row with up to `values` values and `label` bytes. 0 or HSP_EMEMORY. */
int hsp_block_reserve(hsp_block *b, int64_t values, int64_t label);
/* Takes the next row: the caller has written `values` values (and ids) at hsp_block_tail, and weight[rows] when it is
 * weighted. label NULL: unlabelled. */
void hsp_block_close_row(hsp_block *b, int64_t values, const char *label, int64_t label_length, int64_t line);
/* Adds a word to the row that is to be closed next, in the next column that has one. 0 or HSP_EMEMORY. */
int hsp_block_add_word(hsp_block *b, int64_t column, const char *text, int64_t length);
/* The word of that column in the row before, if it stands where the next word will; its index, or -1. And the same word once
 * more: 0 or HSP_EMEMORY. */
int64_t hsp_block_word_above(const hsp_block *b, int64_t column);
int hsp_block_add_again(hsp_block *b, int64_t above);
int64_t hsp_block_tail(const hsp_block *b); /* index in value (and id) where the next row begins */
void hsp_block_free(hsp_block *b);

#endif
