/* The columns of a file: names, the target, the column of each feature. A reader finds it, the model stores it, and new rows
 * are read by it. */
#ifndef HSP_DATA_SCHEMA_H
#define HSP_DATA_SCHEMA_H

#include "base/error.h"
#include "base/number_marks.h"
#include "base/text.h"
#include "halfspace.h"

/* How the text of a CSV file is read, besides its delimiter and quotes. */
typedef struct hsp_csv_rules {
    char comment;       /* lines that begin with it are skipped; 0: none */
    int64_t skip_lines; /* skipped before the first record */
    hsp_number_marks marks;
    bool numeric_target; /* the target is a number with these marks */
    uint8_t target_sign; /* dropped from the target of regression (hsp_number_sign); 0: none */
} hsp_csv_rules;

/* Owns its strings and arrays. */
typedef struct hsp_schema {
    char *format; /* "csv", "svmlight", "memory" */
    int64_t d;    /* features; of svmlight known only after the last row */
    char **name;  /* d feature names, some of which may be NULL; or NULL (svmlight, memory without names) */
    /* CSV only; zero otherwise. Columns of the file are counted from 1. */
    bool header;
    char delimiter;        /* of cells */
    int64_t file_columns;  /* columns of the file */
    int64_t target_column; /* 0: the file has no target */
    char *target;          /* its name, or NULL without a header */
    int64_t weight_column; /* 0: none. svmlight: the id of the feature with the weights, plus 1 */
    char *weight;          /* its name, or NULL */
    int64_t *column;       /* file column of each of the d features, or NULL; 0: the file lacks it (of a table) */
    bool *unused;          /* of each of the d: no feature depends on it, so the file may lack it; NULL: all are used */
    bool *spelt;           /* of each of the d: cells are text even if they look like numbers (007); NULL: none */
    bool *numeric;         /* of each of the d: a number is expected, so that words like None are missing; NULL: unknown */
    uint8_t *sign;         /* of each of the d: dropped from its cells (hsp_number_sign), 0: none; NULL: none */
    char *missing;         /* spellings of missing cells besides the usual ones, separated by commas; NULL: none */
    hsp_csv_rules rules;
    bool unquoted; /* quotes are plain characters, as detected or asked for */
    bool table;    /* cells may be words or missing: the d columns are not encoded yet (src/table) */
    /* svmlight only. */
    int base; /* 0 or 1: the id of the first feature */
} hsp_schema;

int hsp_schema_copy(const hsp_schema *s, hsp_schema *out, hsp_error **err);
void hsp_schema_clear(hsp_schema *s); /* frees the members, zeroes the struct */
/* Whether both are equal, so that rows are read the same way. */
bool hsp_schema_same(const hsp_schema *a, const hsp_schema *b);
/* Whether the rows came from svmlight, where columns are ids; s may be NULL. */
bool hsp_schema_is_svmlight(const hsp_schema *s);
/* HSP_EINPUT "has a feature 'a' where the model has 'b'" for the first column whose names differ; what: "feature" or
 * "column". */
int hsp_schema_check_names(const hsp_schema *s, const hsp_schema *known, const char *what, hsp_place where,
                           hsp_error **err);
/* Of a table read for a model: the number of columns that are used and that the file lacks. */
int64_t hsp_schema_absent(const hsp_schema *s);
/* Adds the first few of their names to t: "'age', 'city'". */
void hsp_schema_name_absent(const hsp_schema *s, hsp_text *t);
/* Name of feature j: borrowed from the schema, or else written to buf (at least 32 bytes): base + j for svmlight, "xN" with
 * the file column for CSV, "x1".. from memory. */
const char *hsp_schema_feature(const hsp_schema *s, int64_t j, char *buf);

#endif
