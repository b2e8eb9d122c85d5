/* The encoding of a table's columns as features: learnt from the training rows, stored in the model, applied to new rows.
 *
 *     frame -> profile (statistics of the columns) -> kinds -> learn (levels, words, means)
 *           -> encode (block by block) -> builder
 */
#ifndef HSP_TABLE_ENCODING_H
#define HSP_TABLE_ENCODING_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/bad_rows.h"
#include "data/block.h"
#include "data/data.h"
#include "data/features.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "halfspace.h"
#include "table/kind.h"
#include "table/rules.h"

typedef struct hsp_expansion hsp_expansion; /* expand.h */

/* Neighbouring columns that are encoded together: numbers, a feature each; or one column of any kind. */
typedef struct hsp_column_run {
    int64_t from, to; /* columns */
    bool numbers;
} hsp_column_run;

typedef struct hsp_encoding {
    hsp_features features; /* must be first: the reference count */
    hsp_schema raw;        /* the columns of the table, by which new rows are read */
    hsp_table_rules rules;
    hsp_table_column *column; /* raw.d, owned */
    int64_t base;             /* features of the columns */
    hsp_expansion *expansion; /* owned: features made of those; NULL: none */
    int64_t d;                /* all features */
    char *note;               /* owned: warnings, one a line ("column 'Name' ..."); NULL: none */
    /* Of lenient rules, which leave out columns of no kind and fill missing cells without a rule by means; not part of a
     * model: */
    char *refusal;       /* owned: the error with which training fails; NULL: none */
    bool unasked;        /* missing cells were filled without a rule */
    bool incomplete;     /* columns of no kind were left out, or no column is left */
    hsp_column_run *run; /* owned: derived from the columns */
    int64_t runs;
    int64_t most; /* most features of a row, without texts and expansions */
} hsp_encoding;

/* Learns from all rows of a frame. With lenient rules columns may be left out, even all of them. */
int hsp_encoding_learn(const hsp_frame *f, const hsp_table_rules *r, int threads, hsp_encoding **out, hsp_error **err);
/* The encoding behind the features of data; NULL if f is NULL or not an encoding. */
hsp_encoding *hsp_encoding_of(hsp_features *f);
static inline void hsp_encoding_release(hsp_encoding *e) {
    if (e) hsp_features_release(&e->features);
}
/* The first text column; NULL: none. */
const hsp_table_column *hsp_encoding_text(const hsp_encoding *e);
/* Whether the features are the columns: numbers, none missing, none added. */
bool hsp_encoding_plain(const hsp_encoding *e);
/* Marks the features that are quantities: numbers, the parts of dates, and products with one of these. The others are on one
 * scale whatever the units of the table: indicators (levels, truth values, missing cells) and their products, words of texts,
 * random Fourier features. quantity: d. */
void hsp_encoding_mark_quantities(const hsp_encoding *e, bool *quantity);
/* The schema of the encoded data: d names; target, weights and format of the table; `column` is NULL. */
int hsp_encoding_schema(const hsp_encoding *e, hsp_schema *out, hsp_error **err);
/* "3 numeric, 2 categorical (Sex 2, Embarked 3), 1 text (Name 1520 words) -> 1528 features", added to t. */
void hsp_encoding_describe(const hsp_encoding *e, hsp_text *t);

/* Encodes a raw block as a sparse one with ids from 0, with labels, weights and lines. Threads may encode blocks
 * concurrently, each with its own room and `out`. 0, HSP_EMEMORY, or HSP_EINPUT if a cell cannot be encoded: the rows before
 * it are in `out`, and err, which may be NULL, names the file and the cell. */
int hsp_encode_block(const hsp_encoding *e, const hsp_block *raw, const char *file, hsp_encode_room *room, hsp_block *out,
                     hsp_unseen *unseen, hsp_error **err);
/* The same, but leaves out rows with cells that cannot be encoded and adds them to `bad`. 0 or HSP_EMEMORY. */
int hsp_encode_good_rows(const hsp_encoding *e, const hsp_block *raw, hsp_encode_room *room, hsp_block *out,
                         hsp_unseen *unseen, hsp_bad_rows *bad);
void hsp_encode_room_free(hsp_encode_room *room);
/* The columns that --numeric-levels names, for hsp_unseen.by_value: *out has a flag for each column, or is NULL if the option
 * is not set; the caller frees it. HSP_EUSAGE: one does not exist, or is not categorical. */
int hsp_unseen_by_value(const hsp_options *o, const hsp_encoding *e, const char *file, bool **out, hsp_error **err);
/* Encodes all rows of a frame as data with the encoding's schema. The data have neither the frame nor a reference to the
 * encoding yet. */
int hsp_encode_frame(const hsp_encoding *e, const hsp_frame *f, const hsp_builder_rules *rules, int threads, hsp_data **out,
                     hsp_unseen *unseen, hsp_error **err);

/* The same without labels and weights: the features alone. */
int hsp_encode_cells(const hsp_encoding *e, const hsp_frame *f, const char *file, int threads, hsp_data **out,
                     hsp_unseen *unseen, hsp_error **err);

/* For learning and loading: an empty encoding for the columns of a schema (copied). */
int hsp_encoding_new(const hsp_schema *raw, hsp_encoding **out, hsp_error **err);
/* Derives the first feature of each column, base, runs and d from the columns. HSP_EINPUT: too many features. */
int hsp_encoding_lay_out(hsp_encoding *e, hsp_error **err);
/* Stores the order of dates of each column (hsp_kind.order) in the rules. */
int hsp_encoding_keep_orders(hsp_encoding *e, hsp_error **err);

/* The member "table" of a model. */
void hsp_encoding_save(const hsp_encoding *e, hsp_json *j);
/* The member "table" of a model's report: the rules, the columns by name with what each has learnt, the expansion; null if
 * e is NULL. */
void hsp_encoding_report(const hsp_encoding *e, hsp_json *j);
/* *out is NULL if the model has none. `most` bounds every count. */
int hsp_encoding_load(const hsp_json_loader *l, int64_t most, hsp_encoding **out);

#endif
