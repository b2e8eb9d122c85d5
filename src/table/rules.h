/* What the options ask of the columns of a table, with names resolved to columns. The encoding keeps it, so that a subset of
 * the rows can learn its own. */
#ifndef HSP_TABLE_RULES_H
#define HSP_TABLE_RULES_H

#include "data/schema.h"
#include "halfspace.h"
#include "table/date.h"
#include "table/kind.h"
#include "table/transform.h"

typedef enum hsp_missing {
    HSP_MISSING_ERROR,
    HSP_MISSING_DROP,
    HSP_MISSING_MEAN,
    HSP_MISSING_MEDIAN,
    HSP_MISSING_INDICATOR
} hsp_missing;
typedef enum hsp_text_value { HSP_TEXT_TFIDF, HSP_TEXT_COUNT, HSP_TEXT_PRESENCE } hsp_text_value;
extern const char *const hsp_missing_names[];    /* of hsp_missing, in options and models */
extern const char *const hsp_text_value_names[]; /* of hsp_text_value, likewise */

enum { HSP_GRAMS_LONGEST = 20 }; /* longest n-gram; more would make the n-grams of a text the square of its length */

/* Owns its arrays. */
typedef struct hsp_table_rules {
    int64_t d;             /* columns of the table */
    const hsp_kind **kind; /* d: the kind asked for; NULL: to be chosen */
    hsp_missing missing;
    hsp_transform_rule *transform; /* d: of columns by name */
    hsp_transform_rule every;      /* of all other numeric columns */
    int64_t min_count;             /* rarer levels are pooled, rarer words dropped */
    /* text */
    bool characters; /* n-grams of characters, not of words */
    int64_t gram_least, gram_most;
    hsp_text_value text_value;
    int64_t hash_bits;         /* 0: the full vocabulary */
    hsp_date_order date_asked; /* by --date-order; 0: found in the cells */
    /* expansion (expand.h) */
    int64_t crosses;
    int64_t (*cross)[2];  /* columns */
    int64_t degree;       /* 1: none */
    int64_t fourier;      /* random Fourier features; 0: none */
    double fourier_gamma; /* NaN: 1 / (numbers of a row) */
    uint64_t seed;
    bool as_spelt;       /* levels are compared as they are spelt; models up to format 4 compare numbers by value */
    uint8_t *date_order; /* d: hsp_date_order of date columns, 0: unknown; NULL: none. Learnt, not asked for, so that a
                            subset of the rows is read in the same way */
    char *file;          /* for errors, or NULL. Not part of a model */
    bool lenient;        /* errors that concern only training are stored in hsp_encoding.refusal. Not part of a model */
} hsp_table_rules;

/* From the options categorical, numeric, date, text, transform, missing, min-count, ngrams, text-unit, text-value, hash-bits,
 * cross, degree, rff, rff-gamma, seed. Columns are named as in the schema, or by their number in the file, from 1.
 * HSP_EUSAGE: a column does not exist or is named for two kinds, or an option is not valid. */
int hsp_table_rules_make(const hsp_options *o, const hsp_schema *columns, const char *file, hsp_table_rules *out,
                         hsp_error **err);
int hsp_table_rules_copy(const hsp_table_rules *r, hsp_table_rules *out, hsp_error **err);
void hsp_table_rules_clear(hsp_table_rules *r);
/* Sets marked[j] (columns->d flags) for the columns that an option names. HSP_EUSAGE: one does not exist. */
int hsp_table_rules_mark(const hsp_options *o, const char *option, const hsp_schema *columns, const char *file,
                         bool *marked, hsp_error **err);
/* The transform of column j, if it is numeric; NULL: none. */
const hsp_transform_rule *hsp_table_rules_transform(const hsp_table_rules *r, int64_t j);
/* The first of those options that is set, which makes a file a table whatever its first rows look like. NULL: none. */
const char *hsp_table_rules_asked(const hsp_options *o);

#endif
