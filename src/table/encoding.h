/* How the columns of a table become features: learnt from the training rows, kept in the model, repeated on new rows.
 *
 *     frame -> profile (what the columns hold) -> kinds -> learn (levels, words, means)
 *           -> encode (block by block) -> builder
 */
#ifndef HSP_TABLE_ENCODING_H
#define HSP_TABLE_ENCODING_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/block.h"
#include "data/data.h"
#include "data/features.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "table/kind.h"
#include "table/rules.h"

typedef struct hsp_expansion hsp_expansion; /* expand.h */

/* Columns next to each other that are encoded in one go: numbers, a feature each; or one column of any kind. */
typedef struct hsp_column_run {
    int64_t from, to; /* columns */
    bool numbers;
} hsp_column_run;

typedef struct hsp_encoding {
    hsp_features features; /* first: data and models share it */
    hsp_schema raw;        /* the columns of the table, by which new rows are read */
    hsp_table_rules rules;
    hsp_table_column *column; /* raw.d */
    int64_t base;             /* features of the columns */
    hsp_expansion *expansion; /* more, made of those; NULL: none */
    int64_t d;                /* features in all */
    char *note;               /* warnings of learning, one a line ("column 'Name' ..."); NULL: none */
    /* Of lenient reading: the error for one who would train, which is none for others; NULL: there is none. Columns of no
     * kind are left out, missing cells without a rule are filled with means (`unasked`). Not part of a model. */
    char *refusal;
    bool unasked;
    bool incomplete;     /* columns of no kind were met, or none is left */
    hsp_column_run *run; /* follows from the columns */
    int64_t runs;
    int64_t most; /* features of a row at most, texts and expansions apart */
} hsp_encoding;

/* Learns from all rows of a frame. When the rules are lenient, columns may be left out, even all of them. */
int hsp_encoding_learn(const hsp_frame *f, const hsp_table_rules *r, int threads, hsp_encoding **out, hsp_error **err);
/* The encoding that data hold as their features; NULL of NULL, and of features that are not an encoding. */
hsp_encoding *hsp_encoding_of(hsp_features *f);
static inline void hsp_encoding_release(hsp_encoding *e) {
    if (e) hsp_features_release(&e->features);
}
/* The first column that is read as text; NULL: none is. */
const hsp_table_column *hsp_encoding_text(const hsp_encoding *e);
/* Whether there is nothing to it: numbers as they stand, none missing, none added. */
bool hsp_encoding_plain(const hsp_encoding *e);
/* The schema of the encoded data: d names, the raw one's target, weights and format; `column` is NULL. */
int hsp_encoding_schema(const hsp_encoding *e, hsp_schema *out, hsp_error **err);
/* "3 numeric, 2 categorical (Sex 2, Embarked 3), 1 text (Name 1520 words) -> 1528 features", added to t. */
void hsp_encoding_describe(const hsp_encoding *e, hsp_text *t);

/* The rows of a raw block as a sparse block with ids from 0; labels, weights, lines come along. Many threads at once, each
 * with a room and a block of its own. 0, HSP_EMEMORY, or HSP_EINPUT when a cell cannot be encoded: the rows before it are
 * in `out`, and err, which may be NULL, says what is wrong (file names it). */
int hsp_encode_block(const hsp_encoding *e, const hsp_block *raw, const char *file, hsp_encode_room *room, hsp_block *out,
                     hsp_strange *strange, hsp_error **err);
void hsp_encode_room_free(hsp_encode_room *room);
/* All rows of a frame, into data with the encoding's schema; classes: as in hsp_builder_rules. The data holds neither the
 * frame nor the encoding yet. */
int hsp_encode_frame(const hsp_encoding *e, const hsp_frame *f, const hsp_builder_rules *rules, int threads, hsp_data **out,
                     hsp_strange *strange, hsp_error **err);

/* The same without labels and weights: the features alone. */
int hsp_encode_cells(const hsp_encoding *e, const hsp_frame *f, const char *file, int threads, hsp_data **out,
                     hsp_strange *strange, hsp_error **err);

/* For those who make encodings: an empty one for the columns of a schema, which it copies, and its names; and what follows
 * from the columns once they are known: their first features, base, runs. HSP_EINPUT: there are too many features. */
int hsp_encoding_new(const hsp_schema *raw, hsp_encoding **out, hsp_error **err);
int hsp_encoding_lay_out(hsp_encoding *e, hsp_error **err);
/* Keeps in the rules the order in which the cells of each column are read (hsp_kind.order). */
int hsp_encoding_keep_orders(hsp_encoding *e, hsp_error **err);

/* The member "table" of a model. */
void hsp_encoding_save(const hsp_encoding *e, hsp_json *j);
/* The member "table" of what a model tells of itself: the rules, the columns by name with what each has learnt, and what
 * was made of them; null when e is NULL. */
void hsp_encoding_report(const hsp_encoding *e, hsp_json *j);
/* NULL in *out when the model has none. `room` bounds every count. */
int hsp_encoding_load(const hsp_json_loader *l, int64_t room, hsp_encoding **out);

#endif
