/* A data set in memory: matrix, schema, classes. And the builder that collects blocks into one. */
#ifndef HSP_DATA_DATA_H
#define HSP_DATA_DATA_H

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "data/block.h"
#include "data/features.h"
#include "data/matrix.h"
#include "data/schema.h"
#include "data/table_frame.h"
#include "data/unseen_levels.h"
#include "halfspace.h"

/* Class names in canonical spelling (numbers in shortest form), sorted: as numbers if all are, else as bytes. If some are codes
 * (007), all are as spelt, sorted as bytes. */
typedef struct hsp_classes {
    int64_t count;
    char **name; /* owned, each name too */
} hsp_classes;

int hsp_classes_copy(const hsp_classes *c, hsp_classes *out, hsp_error **err);
bool hsp_classes_same(const hsp_classes *a, const hsp_classes *b); /* the same names in the same order */
void hsp_classes_clear(hsp_classes *c);
/* Index of a label in any spelling ("+1" finds "1"), or -1; a binary search, so the classes must be sorted. */
int64_t hsp_classes_find(const hsp_classes *c, const char *label, int64_t length);
/* Whether some class is a code (hsp_number_is_code) that is not in canonical spelling, so that labels count as spelt. Models
 * of formats 1 to 4 have no such classes. */
bool hsp_classes_are_codes(const hsp_classes *c);
/* Sets chosen[k] for the classes that a list "LABEL,LABEL..." names, and clears it for the others. A label may contain
 * commas: the longest text that is a class is taken. NULL, or the start of the first label that is not a class. */
const char *hsp_classes_mark(const hsp_classes *c, const char *list, bool *chosen);
/* Canonical spelling of a label: finite numbers in shortest form ("+1", "1.0" -> "1"; "-0" -> "0"), other text unchanged,
 * without surrounding blanks. Writes to out (at least max(length, 32) + 1 bytes; may be `label`), ends it with a NUL and
 * returns the length. */
int64_t hsp_label_canonical(const char *label, int64_t length, char *out);
bool hsp_label_is_number(const char *label); /* a finite one */
/* Removes the blanks around a label. */
static inline void hsp_label_trim(const char **s, int64_t *n) {
    const char *from = *s, *to = from + *n;
    while (from < to && (*from == ' ' || *from == '\t' || *from == '\r' || *from == '\n')) from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r' || to[-1] == '\n')) to--;
    *s = from;
    *n = to - from;
}
/* Order of two canonical labels; numeric: all labels are numbers. */
int hsp_label_compare(const char *a, const char *b, bool numeric);

/* Columns of the model that a file lacks. */
typedef struct hsp_absent_columns {
    int64_t count;
    char *names; /* owned: the first of them (hsp_schema_name_absent), or NULL */
} hsp_absent_columns;

struct hsp_data {
    hsp_matrix x;
    hsp_schema schema;
    hsp_classes classes;
    int32_t *y; /* class of each row; NULL: no labels, or targets instead. All arrays here are owned, or lent (x.lent) */
    double *target; /* regression: the finite target of each row; else NULL (then classes.count is 0) */
    double *weight; /* of each row: finite, >= 0, not all 0 (except in a subset of rows); NULL: all 1 */
    /* Of each row, for cross-validation (data/folds.h): its group, numbered from 0, and its time. Owned, or NULL: none. */
    int32_t *group;
    double *time;
    char *assumed; /* owned: what the reader assumed, one line, or NULL */
    char *source;  /* owned: file name, "memory" or "generated" */
    double read_seconds;
    double check_seconds; /* the part of it for the checksum of a mapped file; 0: none */
    /* Of a table: its cells as they were read, and their encoding. */
    hsp_frame *frame;       /* owned; NULL: not a table */
    hsp_features *features; /* counted reference; NULL: the features are the columns */
    bool learnt_here;       /* the encoding was learnt from these rows; a subset of them must learn its own before training
                               (hsp_data_learn_again) */
    char *refusal;          /* owned: why the data cannot be trained on (missing values without a rule, columns of no kind);
                               NULL: they can. Only training and saving as features fail with it */
    bool incomplete;        /* columns that training would refuse were left out */
    char *notes;            /* owned: warnings for training, one a line, or NULL */
    char *title;            /* owned: a warning on lines above the table that were skipped, also among the notes; or NULL */
    hsp_absent_columns absent; /* read for a model */
    hsp_unseen unseen;         /* read for a model: what training had not seen. In all tables: filled missing values */
    int64_t dropped_rows;      /* rows left out for a missing value */
    int64_t whole_rows;        /* rows of the data that these are a part of; 0: these are all */
    _Atomic(double *) column_range; /* owned: d least, then d greatest values, zeros of CSR included; on first use */
};

/* ---- builder ---- */
typedef struct hsp_builder hsp_builder;

typedef struct hsp_builder_rules {
    const hsp_classes *classes; /* labels must be among these, which become the classes of the data; NULL: any label */
    const char *map_label;      /* "FROM=TO,...": replaces labels before anything else; or NULL */
    const char *target;         /* the name of the column that `classes` come from, for messages; or NULL */
    bool in_column;             /* labels are a column of a table: messages suggest another column */
    bool bare;                  /* rows without features are allowed */
    bool regression;            /* labels are targets, not classes; no map_label then */
    const char *file;           /* for errors, and the source of the data; NULL: "memory" */
} hsp_builder_rules;            /* copied by the builder, except `classes`, which must outlive it */

int hsp_builder_new(const hsp_builder_rules *rules, hsp_builder **out, hsp_error **err);
int hsp_builder_add(hsp_builder *b, const hsp_block *block, hsp_error **err);

/* The same in three steps for several threads: digests may be computed concurrently; blocks are placed one after the other,
 * in the order of their rows; blocks that are placed may be written concurrently, also with digests and placing, and each
 * must be written. A block must not change from its digest until it is written. */
typedef struct hsp_digest hsp_digest; /* what is computed of a block before it is stored; memory is reused */
int hsp_digest_new(hsp_digest **out); /* 0 or HSP_EMEMORY */
void hsp_digest_free(hsp_digest *g);  /* NULL is allowed */
/* 0 or HSP_EMEMORY; hsp_builder_place reports what is wrong with a row. */
int hsp_builder_digest(const hsp_builder *b, const hsp_block *block, hsp_digest *g);
int hsp_builder_place(hsp_builder *b, const hsp_block *block, hsp_digest *g, hsp_error **err);
void hsp_builder_write(hsp_builder *b, const hsp_block *block, const hsp_digest *g);
/* Makes the data set. Takes over the schema (d and base are final; ids outside base .. base+d-1 are an error), leaves an
 * empty one, and frees the builder, also after a failure. The layout is the smaller of dense and CSR, whatever the blocks
 * were. No rows: HSP_EINPUT "has no rows". Labels that are not among the rules' classes are counted and reported here. The
 * caller sets `assumed` and `read_seconds`. */
int hsp_builder_finish(hsp_builder *b, hsp_schema *schema, hsp_data **out, hsp_error **err);
/* Bytes of the rows that were placed. */
int64_t hsp_builder_bytes(const hsp_builder *b);
void hsp_builder_free(hsp_builder *b);

/* A new data set of the given rows; it keeps all classes, also those without rows. */
int hsp_data_take(const hsp_data *data, const int64_t *rows, int64_t count, hsp_data **out, hsp_error **err);
/* Frees labels or targets, and the classes. */
void hsp_data_drop_labels(hsp_data *data);
/* The file of the data, for errors; empty if they come from memory or a generator. */
hsp_place hsp_data_place(const hsp_data *data);
/* Rows of each class into count[classes]. */
void hsp_data_class_counts(const hsp_data *data, int64_t *count);
struct hsp_json;
/* Bytes of the parts of a data set; labels: classes of rows, targets, weights. */
typedef struct hsp_memory_parts {
    int64_t ids, values, offsets, labels, total;
} hsp_memory_parts;
hsp_memory_parts hsp_data_memory(const hsp_data *data);
void hsp_data_memory_json(const hsp_data *data, struct hsp_json *j); /* as the member "memory" */
/* The same as one line of text, added to t. 0 or HSP_EMEMORY. */
int hsp_data_plan(const hsp_data *data, hsp_text *t);
/* Refuses columns whose weights do not fit, before a fit or an inspection allocates some arrays with a number for each:
 * HSP_EMEMORY when they need more than --max-memory or, without it, 0.9 of what the machine or its control group allows, or
 * more than 2 GiB and 256 times the bytes of the data: a single feature id makes as many columns as it is large. outputs:
 * weights of each column in the result. Options may be NULL. */
int hsp_data_check_columns(const hsp_data *data, const hsp_options *o, int64_t outputs, hsp_error **err);
/* XXH3-64 of the content: labels, non-zeros, targets, weights. It does not depend on how the matrix is stored. */
uint64_t hsp_data_hash(const hsp_data *data);
/* The same of rows that come some at a time: all of them once, in their order. The data are borrowed. */
typedef struct hsp_data_hashing hsp_data_hashing;
int hsp_data_hashing_new(const hsp_data *data, hsp_data_hashing **out); /* HSP_OK or HSP_EMEMORY */
void hsp_data_hashing_free(hsp_data_hashing *h);                        /* NULL is allowed */
void hsp_data_hashing_rows(hsp_data_hashing *h, int64_t from, int64_t to);
uint64_t hsp_data_hashing_end(hsp_data_hashing *h); /* after all rows */
/* The sum, modulo 2^64, of the hashes of the single rows, by which data in parts are recognised: it does not depend on how they
 * are divided, nor on their order. Of rows: x, y, classes, target and weight. 0 or HSP_EMEMORY. */
int hsp_data_hash_rows(const hsp_data *rows, int threads, uint64_t *out);

#endif
