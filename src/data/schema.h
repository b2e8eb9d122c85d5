/* What the columns of a file are: names, which one is the target, where each feature stands. Found by a reader, stored in
 * the model, used again to read new rows. */
#ifndef HSP_DATA_SCHEMA_H
#define HSP_DATA_SCHEMA_H

#include "base/error.h"
#include "base/text.h"
#include "halfspace.h"

typedef struct hsp_schema {
    char *format; /* "csv", "svmlight", "memory" */
    int64_t d;    /* features; for svmlight known only when all rows are read */
    char **name;  /* d feature names, each allocated by itself, or NULL (svmlight, memory without names); single ones may be
                     NULL */
    /* CSV only; zero otherwise. Columns of the file are counted from 1. */
    bool header;
    char delimiter;        /* ',' ';' '\t' ' ' */
    int64_t file_columns;  /* columns of the file */
    int64_t target_column; /* 0: the file has no target */
    char *target;          /* its name, or NULL without a header */
    int64_t weight_column; /* 0: none. Of svmlight: the id of the feature that holds the weights, plus 1 */
    char *weight;          /* its name, or NULL */
    int64_t *column;       /* file column of each of the d features, or NULL; 0: it has none (of a table) */
    bool *unused;          /* of each of the d: nothing comes of it, so it need not be there; NULL: all are used */
    bool *spelt;           /* of each of the d: cells are words whatever they look like, as 007 is; NULL: none */
    char *missing;         /* spellings of missing cells besides the usual ones, with commas between; NULL: none */
    bool unquoted;         /* quotes are plain characters: found out, or asked for */
    bool table;            /* cells may be words, or missing: the d columns are yet to become features (src/table) */
    /* svmlight only. */
    int base; /* 0 or 1: the id of the first feature */
} hsp_schema;

int hsp_schema_copy(const hsp_schema *s, hsp_schema *out, hsp_error **err);
void hsp_schema_clear(hsp_schema *s); /* frees the members, zeroes the struct */
/* Whether all of it is the same: then new rows are read alike. */
bool hsp_schema_same(const hsp_schema *a, const hsp_schema *b);
/* Whether the rows came from svmlight, where columns are ids; s may be NULL. */
bool hsp_schema_is_svmlight(const hsp_schema *s);
/* HSP_EINPUT, "has a feature 'a' where the model has 'b'", at the first place where both have a name and these differ;
 * what: "feature" or "column". */
int hsp_schema_check_names(const hsp_schema *s, const hsp_schema *known, const char *what, hsp_place where,
                           hsp_error **err);
/* Of a table that was read for a model: columns that something comes of, and that the file does not have. */
int64_t hsp_schema_absent(const hsp_schema *s);
/* The first few of them: "'age', 'city'", added to t; nothing when there are none. */
void hsp_schema_name_absent(const hsp_schema *s, hsp_text *t);
/* Name of feature j for people: its name, else its number as the file has it (base + j for svmlight, file column for CSV
 * as "xN", "x1".. from memory). Written to buf (at least 32 bytes) unless it is borrowed from the schema. */
const char *hsp_schema_feature(const hsp_schema *s, int64_t j, char *buf);

#endif
