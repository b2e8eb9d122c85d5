/* What was asked of the columns of a table: the options, once they are held against the names of its columns. Kept with
 * what was learnt, so that it can be learnt again from some of the rows. */
#ifndef HSP_TABLE_RULES_H
#define HSP_TABLE_RULES_H

#include "data/schema.h"
#include "halfspace.h"
#include "table/kind.h"

typedef enum hsp_missing {
    HSP_MISSING_ERROR,
    HSP_MISSING_DROP,
    HSP_MISSING_MEAN,
    HSP_MISSING_MEDIAN,
    HSP_MISSING_INDICATOR
} hsp_missing;
typedef enum hsp_text_value { HSP_TEXT_TFIDF, HSP_TEXT_COUNT, HSP_TEXT_PRESENCE } hsp_text_value;

typedef struct hsp_table_rules {
    int64_t d;             /* columns of the table */
    const hsp_kind **kind; /* d: the kind asked for; NULL: to be found */
    hsp_missing missing;
    int64_t min_count; /* levels and words that occur less often are pooled (levels) or dropped (words) */
    /* text */
    bool characters; /* n-grams of characters, not of words */
    int64_t gram_least, gram_most;
    hsp_text_value text_value;
    int64_t hash_bits; /* 0: the full vocabulary */
    /* more features out of those (expand.h) */
    int64_t crosses;
    int64_t (*cross)[2];  /* columns */
    int64_t degree;       /* 1: none */
    int64_t fourier;      /* random Fourier features; 0: none */
    double fourier_gamma; /* NaN: 1 / (numbers of a row) */
    uint64_t seed;
    /* Learnt rather than asked for, so that some of the rows are read as all were: */
    uint8_t *date_order; /* d: hsp_date_order of the columns of dates (date.h), 0: not settled; NULL: of none */
    char *file;          /* named by errors; NULL: none is. Not part of a model. */
    bool lenient; /* what only one who trains must know is no error: see hsp_encoding.refusal. Not part of a model. */
} hsp_table_rules;

/* From options categorical, numeric, date, text, missing, min-count, ngrams, text-unit, text-value, hash-bits, cross,
 * degree, rff, rff-gamma, seed. The names of columns are those of the schema, or numbers of the file's columns, from 1.
 * HSP_EUSAGE when a column is not there, is named for two kinds, or an option makes no sense. */
int hsp_table_rules_make(const hsp_options *o, const hsp_schema *columns, const char *file, hsp_table_rules *out,
                         hsp_error **err);
int hsp_table_rules_copy(const hsp_table_rules *r, hsp_table_rules *out, hsp_error **err);
void hsp_table_rules_clear(hsp_table_rules *r);
/* The first of those options that is set: then a table is read as one, whatever its first rows look like. NULL: none. */
const char *hsp_table_rules_asked(const hsp_options *o);

#endif
