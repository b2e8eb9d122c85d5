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
#include "halfspace.h"

/* Class names in canonical spelling (a number in shortest form), sorted: as numbers when all are, else as bytes. */
typedef struct hsp_classes {
    int64_t count;
    char **name; /* each allocated by itself */
} hsp_classes;

int hsp_classes_copy(const hsp_classes *c, hsp_classes *out, hsp_error **err);
bool hsp_classes_same(const hsp_classes *a, const hsp_classes *b); /* the same names in the same order */
void hsp_classes_clear(hsp_classes *c);
/* Index of a label in any spelling ("+1" finds "1"), or -1; by halving, so the classes must be in order. */
int64_t hsp_classes_find(const hsp_classes *c, const char *label, int64_t length);
/* Sets chosen[k] for the classes that a list "LABEL,LABEL..." names, and clears it for the others. A label may hold commas:
 * the longest that is a class counts. NULL, or where the first label begins that is no class. */
const char *hsp_classes_mark(const hsp_classes *c, const char *list, bool *chosen);
/* Canonical spelling of a label: finite numbers in shortest form ("+1", "1.0" -> "1"; "-0" -> "0"), other text as it is,
 * less surrounding blanks. Writes to out (capacity at least max(length, 32) + 1; may be `label`), ends it with a NUL and
 * returns the length. */
int64_t hsp_label_canonical(const char *label, int64_t length, char *out);
bool hsp_label_is_number(const char *label); /* a finite one */
/* Order of two canonical labels, given whether all labels are numbers. */
int hsp_label_compare(const char *a, const char *b, bool numeric);

struct hsp_data {
    hsp_matrix x;
    hsp_schema schema;
    hsp_classes classes;
    int32_t *y;     /* class of each row, or NULL when the rows have no labels, or targets instead */
    double *target; /* regression: the finite number to predict of each row; else NULL (and classes.count is 0) */
    double *weight; /* of each row, finite, not negative, not all 0 (but in a part of the rows); NULL: all 1 */
    char *assumed;  /* what the reader assumed, one line, or NULL */
    char *source;   /* file name, or "memory" or "generated" */
    double read_seconds;
    double check_seconds; /* of that, a first look at all bytes of a mapped file, counted apart; 0: there was none */
    /* Of a table: its cells as they were read, and how they became these features. `learnt_here`: from these very rows; a
     * part of them must learn anew before it trains (hsp_data_learn_again). */
    hsp_frame *frame;       /* owned; NULL: not a table */
    hsp_features *features; /* held; NULL: the features are the columns */
    bool learnt_here;
    /* The error for one who would learn: of missing values nobody said what to do, or columns are left out as their cells
     * are of no kind. NULL: none. Who copies or looks is not stopped by it. */
    char *refusal;
    bool unsettled;                                    /* columns are left out that training would refuse, or all are */
    char *notes;                                       /* warnings for one who learns from them, one a line, or NULL */
    int64_t absent_columns;                            /* read for a model: its columns that are not there ... */
    char *absent_names;                                /* ... and the first of them (hsp_schema_name_absent), or NULL */
    int64_t unseen_levels, unseen_words, filled_cells; /* read for a model: what its training had not, or was filled */
    int64_t dropped_rows;                              /* rows that were left out for a missing value */
    _Atomic(double *) column_range; /* d least, then d greatest values, zeros of CSR count; made on first demand */
};

/* ---- builder ---- */
typedef struct hsp_builder hsp_builder;

typedef struct hsp_builder_rules {
    const hsp_classes *classes; /* labels must be among these (NULL: any); then the classes of the data are these */
    const char *map_label;      /* "FROM=TO,..." or NULL: labels are replaced before anything else */
    bool in_column;             /* labels stand in a column of a table, which could be another */
    bool bare;                  /* the rows may have no features at all */
    bool regression;            /* labels are numbers to predict: they become targets, not classes; no map_label then */
    const char *file;           /* for errors, and the source of the data; NULL: "memory" */
} hsp_builder_rules;            /* kept by the builder as a copy, but for `classes`, which must outlive it */

int hsp_builder_new(const hsp_builder_rules *rules, hsp_builder **out, hsp_error **err);
int hsp_builder_add(hsp_builder *b, const hsp_block *block, hsp_error **err);

/* The same in three steps, so that threads can share the work: digests of several blocks may be made at once; blocks are
 * placed one by one, in the order of their rows; those that are placed may be written at once, also while others are made
 * and placed, and each must be written. A block stays as it is from its digest until it is written. */
typedef struct hsp_digest hsp_digest; /* what is to know of a block before it is stored; memory is reused */
int hsp_digest_new(hsp_digest **out); /* 0 or HSP_EMEMORY */
void hsp_digest_free(hsp_digest *g);  /* NULL is allowed */
/* 0 or HSP_EMEMORY; what is wrong with a row is told by place. */
int hsp_builder_digest(const hsp_builder *b, const hsp_block *block, hsp_digest *g);
int hsp_builder_place(hsp_builder *b, const hsp_block *block, hsp_digest *g, hsp_error **err);
void hsp_builder_write(hsp_builder *b, const hsp_block *block, const hsp_digest *g);
/* Takes the schema over (d final, base known; ids outside base .. base+d-1 are an error) and leaves an empty one, ends the
 * builder; both in any case. The layout is the smaller of dense and CSR, whichever the blocks were. With no rows:
 * HSP_EINPUT "has no rows". Labels that are not among the rules' classes are counted and reported here.
 * `assumed` and `read_seconds` of the data are the caller's to fill; `source` is filled. */
int hsp_builder_finish(hsp_builder *b, hsp_schema *schema, hsp_data **out, hsp_error **err);
void hsp_builder_free(hsp_builder *b);

/* A new data set of the given rows; classes are kept as they are, also those left without rows. */
int hsp_data_take(const hsp_data *data, const int64_t *rows, int64_t count, hsp_data **out, hsp_error **err);
/* The file that the data came from, for errors; nowhere for data that came from none. */
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
/* The same in one line for people, into t. 0 or HSP_EMEMORY. */
int hsp_data_plan(const hsp_data *data, hsp_text *t);
/* XXH3-64 of the content, row by row: canonical label, then (column, value) of every non-zero; the same for any storage.
 * Targets and weights count when there are any. */
uint64_t hsp_data_hash(const hsp_data *data);

#endif
