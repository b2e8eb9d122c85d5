/* The kinds of columns: one file a kind, one line in kind_table.c. A kind says how the cells of a column become features,
 * learnt from training rows and repeated on new ones. */
#ifndef HSP_TABLE_KIND_H
#define HSP_TABLE_KIND_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "table/date.h"
#include "table/strange.h"

typedef struct hsp_table_column hsp_table_column;
typedef struct hsp_table_rules hsp_table_rules;
typedef struct hsp_profile hsp_profile;

/* Where the features of a row go: ids ascending. There is room for `most` of the column (hsp_kind.most). */
typedef struct hsp_emit {
    uint32_t *id;
    double *value;
    int64_t count;
} hsp_emit;

static inline void hsp_emit_one(hsp_emit *out, int64_t id, double value) {
    if (value == 0) return;
    out->id[out->count] = (uint32_t)id;
    out->value[out->count++] = value;
}

/* One who encodes: scratch of a thread; {0} is an empty one. */
typedef struct hsp_encode_room {
    hsp_text text;
    int64_t column; /* of the cell at hand */
    /* By column, the word of a row before and what its kind made of it: most often it is the next as well. */
    struct hsp_encode_memo {
        const char *text; /* in the block; NULL: none */
        int64_t length, place;
    } * memo;
    int64_t memo_capacity;
    void *scratch;
    int64_t scratch_capacity;
    double *sums;
    int64_t sums_capacity;
} hsp_encode_room;

/* A column of a table as it was read: what its kind is chosen by and learns from. */
typedef struct hsp_column_cells {
    const hsp_frame *f;
    int64_t j; /* the column */
    const char *name;
    const hsp_profile *p; /* of the column */
    const hsp_table_rules *r;
    int threads;
} hsp_column_cells;

typedef struct hsp_kind {
    const char *name; /* "numeric", "categorical", ... as in options and models */
    const char *help;
    const char *cells; /* plural for the cells of such a column in messages: "numbers" */

    /* Traits: all that other files ask of a kind. A trait that is not given is false, or 0. */
    bool askable;    /* the option --NAME lists columns that are of this kind */
    bool left_out;   /* the column has no features: its cells are not read, and missing ones do not matter */
    int64_t numbers; /* numbers that a cell becomes, a feature each: they take part in --degree 2 and --rff; 0: none */
    bool as_is;      /* a cell must be a number and is its own only feature: neighbouring columns are copied together */
    bool levels;     /* a cell is one of the levels of the column; without `numbers`, each level has a feature */
    bool reads_text; /* a cell is a text of any length: `most` depends on it, a missing one is an empty one, learning takes
                        all threads, the words are not collected in the profile, and the rules for text apply */

    /* Learns from all rows: fills c->state and sets c->features, which is `numbers` before. NULL: there is nothing to
     * learn. HSP_EINPUT when the cells are not of this kind (asked for, or found): the message names line and remedy. */
    int (*learn)(const hsp_column_cells *s, hsp_table_column *c, hsp_error **err);
    /* Features that one cell can have at most, given its length in bytes. NULL: c->features. */
    int64_t (*most)(const hsp_table_column *c, int64_t length);
    /* A cell that is not missing -> features, ids from c->first on. 0; HSP_EINPUT: the cell is not of this kind, which
     * hsp_encode_block words; HSP_EMEMORY. NULL: the kind is left out. */
    int (*encode)(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_strange *strange);
    /* A missing one, when it is not an error. NULL: it has no features. */
    void (*encode_missing)(const hsp_table_column *c, hsp_emit *out);
    /* Name of feature k (from 0) of the column, added to t. NULL: there are no features. */
    void (*feature)(const hsp_table_column *c, int64_t k, hsp_text *t);
    /* Whether feature k is worth a name in memory: those are shown by number that have none. NULL: all are. */
    bool (*named)(const hsp_table_column *c, int64_t k);
    /* How cells that leave it open are to be read; the rules keep it (hsp_table_rules.date_order), so that some of the
     * rows are read as all were. NULL: no cell leaves it open. */
    hsp_date_order (*order)(const hsp_table_column *c);
    /* Members of the column's object in a model; NULL: none. Loading believes nothing, and sets features as learn does. */
    void (*save)(const hsp_table_column *c, hsp_json *j);
    int (*load)(const hsp_json_loader *l, int64_t room, hsp_table_column *c);
    void (*clear)(void *state); /* frees what the state owns, not the state; NULL: it owns nothing */
} hsp_kind;

/* Whether the features of such a column are its levels, 1 in the rows that have them. */
static inline bool hsp_kind_one_hot(const hsp_kind *k) {
    return k->levels && k->numbers == 0;
}

struct hsp_table_column {
    char *name; /* owned */
    const hsp_kind *kind;
    bool asked;              /* the kind was given, not found */
    int64_t first, features; /* its features among those of the row */
    /* Numbers (also of dates and truth values): what stands for a missing one. */
    bool fills;
    double fill;
    bool indicator; /* its last feature is 1 where the cell is missing */
    void *state;    /* of the kind: owned, freed by hsp_column_forget; NULL: none */
    char *trouble;  /* owned; lenient reading: why it is left out, its cells being of no kind, as an error says it; NULL:
                       none */
};

extern const hsp_kind *const hsp_kind_table[]; /* NULL-terminated */
extern const hsp_kind hsp_kind_numeric, hsp_kind_categorical, hsp_kind_boolean, hsp_kind_date, hsp_kind_text,
    hsp_kind_ignored;                            /* ignored: has no features (all values missing, or like an id) */
const hsp_kind *hsp_kind_find(const char *name); /* NULL: none */
void hsp_column_forget(hsp_table_column *c);     /* frees what its kind has learnt */

#endif
