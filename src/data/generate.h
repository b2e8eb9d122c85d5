/* Demonstration data, made row after row: nothing here holds more than a block of them. A new kind is one function and one
 * line in the table of generators.c. */
#ifndef HSP_DATA_GENERATE_H
#define HSP_DATA_GENERATE_H

#include "base/rng.h"
#include "data/block.h"
#include "halfspace.h"

/* What one data set is made of. */
typedef struct hsp_recipe {
    int64_t n, d, classes;
    double noise;
    hsp_rng rng;
    double *state; /* what `begin` made, freed by the driver; or NULL */
    double target; /* regression: of the row that was made last */
} hsp_recipe;

typedef struct hsp_generator {
    const char *name;   /* as in `halfspace generate KIND` */
    const char *help;   /* one sentence, lower case, no full stop */
    const char *format; /* "csv": dense rows, with names; "svmlight": sparse rows */
    int64_t features;   /* default */
    bool any_features;  /* whether the options `features` and `classes` apply */
    bool any_classes;
    bool regression;             /* rows have numbers to predict instead of classes */
    double noise;                /* default */
    int64_t most;                /* values in a row at most; 0: as many as features */
    bool as_made;                /* values are written as they are made; else they are rounded to six decimals */
    int (*begin)(hsp_recipe *r); /* fills `state`; 0 or HSP_EMEMORY; may be NULL */
    /* Row i: d values (csv), or values and their ascending ids from 1 (svmlight); sets the class, or r->target;
     * returns how many. */
    int64_t (*row)(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k);
} hsp_generator;

extern const hsp_generator hsp_generator_table[]; /* ends with a name of NULL */

/* NULL when there is none of that name. */
const hsp_generator *hsp_generator_find(const char *name);

/* A data set on its way, and what is to tell of the rows made so far. */
typedef struct hsp_generation {
    const hsp_generator *kind;
    hsp_recipe recipe;
    int64_t made;                   /* rows */
    int64_t nonzeros;               /* values that are not zero */
    int64_t *rows_of;               /* rows of each class, in the order of the generator; NULL for regression */
    double least, greatest, target; /* of the targets; target: their mean */
} hsp_generation;                   /* {0} can be ended */

/* Options: rows, noise, features, classes, seed. End it also after a failure. */
int hsp_generation_begin(hsp_generation *g, const char *kind, const hsp_options *o, hsp_error **err);
/* The next rows into the block, their labels as text: 1, or 0 when all are made, or HSP_EMEMORY. Which rows come does not
 * depend on how many a block takes. */
int hsp_generation_next(hsp_generation *g, hsp_block *block);
/* The label of class k as it is written (32 bytes, no NUL); its length. */
int hsp_generation_label(const hsp_generation *g, int64_t k, char *text);
/* All rows that are left, as a data set; columns and names as if they came from a file. */
int hsp_generation_collect(hsp_generation *g, hsp_data **out, hsp_error **err);
void hsp_generation_end(hsp_generation *g);

#endif
