/* Cells of new rows that training had not seen, and levels that a model does not have: how often each occurs. */
#ifndef HSP_DATA_UNSEEN_LEVELS_H
#define HSP_DATA_UNSEEN_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hsp_unseen_levels hsp_unseen_levels;

enum { HSP_UNSEEN_SHOWN = 10 }; /* the most frequent ones, which are reported */

/* Borrowed from the counts. */
typedef struct hsp_unseen_level {
    int64_t column; /* of the table, from 0 */
    const char *level;
    const char *like; /* the level of the model that is the same number; NULL: none */
    int64_t count;
} hsp_unseen_level;

/* Adds `count` cells with that level to *u, which is made on first use. Of very many different levels (100,000) only the
 * first are counted, so that memory is bounded. 0 or HSP_EMEMORY. */
int hsp_unseen_levels_add(hsp_unseen_levels **u, const hsp_unseen_level *level, int64_t length);
/* Adds all counts of `part`, which may be NULL. If parts are added in the order of the rows, the sum does not depend on how
 * rows are divided. 0 or HSP_EMEMORY. */
int hsp_unseen_levels_join(hsp_unseen_levels **u, const hsp_unseen_levels *part);
/* The most frequent ones, in descending order, ties by column and text; returns how many. u may be NULL. */
int64_t hsp_unseen_levels_most(const hsp_unseen_levels *u, hsp_unseen_level out[HSP_UNSEEN_SHOWN]);
void hsp_unseen_levels_free(hsp_unseen_levels *u); /* NULL is allowed */

/* Sums over rows. */
typedef struct hsp_unseen {
    int64_t levels;           /* cells with a level that the model does not have */
    int64_t words;            /* words of texts that the model does not have */
    int64_t filled;           /* missing cells that were filled */
    hsp_unseen_levels *named; /* owned: the levels, by name; NULL: none */
    const bool *by_value;     /* borrowed while rows are encoded: columns whose unseen levels count as the known level that is
                                 the same number, by --numeric-levels; NULL: none */
} hsp_unseen;

/* Moves the counts to *to; by_value stays. */
void hsp_unseen_move(hsp_unseen *from, hsp_unseen *to);

#endif
