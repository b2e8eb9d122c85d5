/* The kinds of columns: one file a kind, one line in kind_table.c. A kind defines how the cells of a column are encoded as
 * features; it learns from training rows and applies the same to new ones. */
#ifndef HSP_TABLE_KIND_H
#define HSP_TABLE_KIND_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "halfspace.h"
#include "table/date.h"
#include "table/unseen.h"

typedef struct hsp_table_column hsp_table_column;
typedef struct hsp_table_rules hsp_table_rules;
typedef struct hsp_profile hsp_profile;
typedef struct hsp_transform hsp_transform; /* transform.h */

/* Receives the features of a row, ids ascending. It has space for `most` features of each column (hsp_kind.most). */
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

/* Scratch memory of a thread that encodes; {0} is an empty one. Owns its arrays. */
typedef struct hsp_encode_room {
    hsp_text text;
    int64_t column; /* of the present cell */
    /* The last word of each column and its place: most often the next word is the same. */
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

/* A column of a table as it was read, from which its kind is chosen and learns. */
typedef struct hsp_column_cells {
    const hsp_frame *f;
    int64_t j; /* the column */
    const char *name;
    const hsp_profile *p; /* of the column */
    const hsp_table_rules *r;
    int threads;
    void *gathered; /* what the kind gathered from all rows; NULL: nothing */
} hsp_column_cells;

typedef struct hsp_kind {
    const char *name; /* "numeric", "categorical", ... as in options and models */
    const char *help;
    const char *cells; /* plural for the cells of such a column in messages: "numbers" */

    /* Traits, by which other files treat a kind. The default is false or 0. */
    bool askable;    /* the option --NAME lists columns of this kind */
    bool left_out;   /* the column has no features; its cells are not read */
    int64_t numbers; /* numeric features of a cell, which take part in --degree 2 and --rff; 0: none */
    bool as_is;      /* a cell must be a number, its only feature: neighbouring columns are copied together */
    bool levels;     /* a cell is one of the levels of the column; without `numbers`, each level has a feature */
    bool reads_text; /* a cell is a text of any length: `most` depends on it, a missing one is empty, learning uses all
                        threads, the profile does not collect its words, and the rules for text apply */

    /* What learning needs of the rows beside the profile. wants_rows: whether it needs any; NULL: never. gather: adds some
     * rows, which follow those added before, to *gathered, NULL at first; only kinds that read texts use threads. */
    bool (*wants_rows)(const hsp_column_cells *s);
    int (*gather)(const hsp_column_cells *s, const hsp_frame *rows, void **gathered, hsp_error **err);
    void (*drop_gathered)(void *gathered); /* frees it */
    /* Learns from all rows: fills c->state and sets c->features, which is `numbers` before. NULL: there is nothing to
     * learn. HSP_EINPUT: the cells are not of this kind; the message names line and remedy. */
    int (*learn)(const hsp_column_cells *s, hsp_table_column *c, hsp_error **err);
    /* Most features of one cell, given its length in bytes. NULL: c->features. */
    int64_t (*most)(const hsp_table_column *c, int64_t length);
    /* Encodes a cell that is not missing, ids from c->first on. 0; HSP_EINPUT: the cell is not of this kind (the caller
     * makes the message); HSP_EMEMORY. NULL: the kind is left out. */
    int (*encode)(const hsp_table_column *c, hsp_cell cell, hsp_encode_room *room, hsp_emit *out, hsp_unseen *unseen);
    /* Encodes a missing cell, if that is not an error. NULL: it has no features. */
    void (*encode_missing)(const hsp_table_column *c, hsp_emit *out);
    /* Adds the name of feature k (from 0) of the column to t. NULL: there are no features. */
    void (*feature)(const hsp_table_column *c, int64_t k, hsp_text *t);
    /* Whether feature k gets a name; others are shown by number. NULL: all do. */
    bool (*named)(const hsp_table_column *c, int64_t k);
    /* The order of ambiguous dates; the rules store it (hsp_table_rules.date_order), so that a subset of the rows is read
     * in the same way. NULL: cells are never ambiguous. */
    hsp_date_order (*order)(const hsp_table_column *c);
    /* Members of the column's object in a model; NULL: none. Loading trusts nothing and sets features as learn does; `most`
     * bounds every count. */
    void (*save)(const hsp_table_column *c, hsp_json *j);
    int (*load)(const hsp_json_loader *l, int64_t most, hsp_table_column *c);
    void (*clear)(void *state); /* frees what the state owns, not the state itself; NULL: it owns nothing */
} hsp_kind;

/* Whether the features of such a column are one-hot: one for each level. */
static inline bool hsp_kind_one_hot(const hsp_kind *k) {
    return k->levels && k->numbers == 0;
}

struct hsp_table_column {
    char *name; /* owned */
    const hsp_kind *kind;
    bool asked;               /* an option gave the kind */
    int64_t first, features;  /* its features among those of the row */
    bool fills;               /* missing cells are filled ... */
    double fill;              /* ... with this number (transformed, except into intervals) or date */
    bool indicator;           /* its last feature is 1 if the cell is missing */
    bool as_spelt;            /* its levels are compared as they are spelt */
    void *state;              /* of the kind: owned, freed by hsp_column_forget; NULL: none */
    hsp_transform *transform; /* of a numeric column: owned, freed likewise; NULL: the numbers as they are */
    char *trouble;            /* owned; lenient rules: the error for which it is left out; NULL: none */
};

extern const hsp_kind *const hsp_kind_table[]; /* NULL-terminated */
extern const hsp_kind hsp_kind_numeric, hsp_kind_categorical, hsp_kind_boolean, hsp_kind_date, hsp_kind_text,
    hsp_kind_ignored;                            /* ignored: no features (all values missing, or like an id) */
const hsp_kind *hsp_kind_find(const char *name); /* NULL: none */
void hsp_column_forget(hsp_table_column *c);     /* frees the state of its kind, and the transform */

#endif
