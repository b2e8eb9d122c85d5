/* The encoding of tables that need not fit in memory: learnt from the rows of all files, which are read again for each pass
 * over them, with the results of a table in memory; then applied to pieces of the files. */
#ifndef HSP_SPOOL_TABLE_PLAN_H
#define HSP_SPOOL_TABLE_PLAN_H

#include "data/block.h"
#include "halfspace.h"
#include "table/blank_words.h"
#include "table/encoding.h"
#include "table/kind.h"

typedef struct hsp_table_plan {
    hsp_encoding *encoding;  /* counted reference; NULL: not learnt yet */
    hsp_blank_column *blank; /* owned: of each column, whether blank words are missing values */
    bool *counts;            /* owned: rows with a missing cell in these columns are left out; NULL: none are */
    bool plain;              /* the features are the columns: a model needs no encoding */
} hsp_table_plan;

/* Reads all files several times. HSP_EINPUT as when a table in memory is trained on; HSP_EMEMORY: words or numbers that the
 * encoding is learnt from take more than the memory allowed. */
int hsp_table_plan_make(const char *const *paths, int64_t count, const hsp_options *o, hsp_table_plan **out, hsp_error **err);
/* For an encoding that was loaded, which it takes a reference to; blank: the columns, `blanks` of them, below raw.d. */
int hsp_table_plan_of(hsp_encoding *e, const int64_t *blank, int64_t blanks, bool plain, hsp_table_plan **out, hsp_error **err);
void hsp_table_plan_free(hsp_table_plan *p); /* NULL is allowed */

/* Makes blank words missing, and leaves out rows with missing cells, as the plan says. */
void hsp_table_plan_clean(const hsp_table_plan *p, hsp_block *raw);

/* A piece as it is encoded; memory is reused. */
typedef struct hsp_table_piece {
    hsp_block rows; /* its line_base is that of the raw block when it was encoded */
    int64_t filled; /* missing cells */
    hsp_encode_room room;
    int status;
} hsp_table_piece;

/* Cleans the rows of a raw block and encodes them; hsp_table_piece_fail says what was wrong. */
void hsp_table_piece_encode(const hsp_table_plan *p, hsp_block *raw, hsp_table_piece *piece);
/* After the raw block has its place in the file: passes its line on, and reports a failure. */
int hsp_table_piece_place(const hsp_table_plan *p, const hsp_block *raw, const char *file, hsp_table_piece *piece,
                          hsp_error **err);
void hsp_table_piece_free(hsp_table_piece *piece);

#endif
