/* A block of rows from a reader: train collects them, predict streams them. Features are numbers, sparse (row, id, value) or
 * dense (rows x d); the label is the text in the file. Memory is reused from block to block. */
#ifndef HSP_DATA_BLOCK_H
#define HSP_DATA_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* A cell whose text is not a number, or a number that is not spelt in its shortest form. */
typedef struct hsp_word {
    int64_t from;    /* in `words` of the block */
    uint32_t length; /* bytes */
    uint32_t column; /* from 0 */
} hsp_word;

/* What a reader met among the words. */
typedef struct hsp_words_met {
    bool quoted; /* some were quoted, so they may contain delimiters */
    bool late;   /* some, or codes, are in a column whose spellings are not kept */
} hsp_words_met;

/* Capacities of the arrays of a block. */
typedef struct hsp_block_capacity {
    int64_t row, label, line, column, id, value, text, weight, word_row, word, words;
} hsp_block_capacity;

/* A bit for each cell of a dense block: whether its number is not 0. */
typedef struct hsp_block_bits {
    uint64_t *bits; /* owned */
    int64_t count;  /* bits that are set; 0: unknown */
    int64_t capacity;
} hsp_block_bits;

/* Owns its arrays, except in a frame, whose memory they are in. */
typedef struct hsp_block {
    int64_t rows;
    int64_t dropped; /* rows that the reader left out */
    bool dense;
    int64_t d;     /* dense: numbers in a row */
    int64_t *row;  /* sparse, and packed: rows+1 offsets into id and value */
    uint32_t *id;  /* sparse: as in the file (base not subtracted), ascending in a row, no duplicates */
    double *value; /* finite; sparse: zeros are dropped by the builder */
    /* A table is dense. Its cells may be words or missing: then their value is NaN, and words are listed here, as are numbers
     * that may turn out to be levels and are not spelt in their shortest form. */
    bool table;
    int64_t *word_row; /* rows+1 offsets into word */
    hsp_word *word;    /* ascending by column in a row */
    char *words;       /* texts; a word equal to that of the row above shares its text */
    int64_t word_count, words_length;
    hsp_words_met met;
    /* In a frame (data/table_frame.h) numbers may be packed: `value` has those that are not 0, and `present` a bit for each
     * cell, every row in 64-bit words of its own. NULL: all are in `value`. */
    uint64_t *present;
    hsp_block_bits found; /* the same for a block that is added to a frame, set by hsp_frame_measure */
    bool labelled;
    char *text;        /* label texts, one after the other */
    int64_t *label;    /* rows+1 offsets into text */
    bool weighted;     /* set after hsp_block_reset by a reader that has weights */
    double *weight;    /* of each row, if `weighted`: finite, >= 0 */
    int64_t *line;     /* line on which each row begins, from 1 in the block */
    int64_t line_base; /* lines of the file before the block */
    int64_t *column;   /* byte of that line at which the label begins, from 1; 1 if unknown */
    hsp_block_capacity capacity;
} hsp_block; /* {0} is an empty one */

void hsp_block_reset(hsp_block *b, bool dense, int64_t d); /* removes the rows, keeps the memory */
/* Reserves memory for one more row with up to `values` values and `label` bytes. 0 or HSP_EMEMORY. */
int hsp_block_reserve(hsp_block *b, int64_t values, int64_t label);
/* Completes the next row: the caller has written `values` values (and ids) at hsp_block_tail, and weight[rows] if it is
 * weighted. label NULL: unlabelled. */
void hsp_block_close_row(hsp_block *b, int64_t values, const char *label, int64_t label_length, int64_t line);
/* Adds a word to the row that will be completed next; columns must ascend. 0 or HSP_EMEMORY. */
int hsp_block_add_word(hsp_block *b, int64_t column, const char *text, int64_t length);
/* The index of the word of that column in the row above, if it has as many words before it as this row so far; else -1. */
int64_t hsp_block_word_above(const hsp_block *b, int64_t column);
/* Adds the word of index `above` again. 0 or HSP_EMEMORY. */
int hsp_block_add_again(hsp_block *b, int64_t above);
int64_t hsp_block_tail(const hsp_block *b); /* index in value (and id) where the next row begins */
void hsp_block_free(hsp_block *b);

#endif
