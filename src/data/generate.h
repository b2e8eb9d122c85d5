/* Synthetic data, generated in blocks of rows. A new generator is one function and one line in the table of generators.c. */
#ifndef HSP_DATA_GENERATE_H
#define HSP_DATA_GENERATE_H

#include "base/rng.h"
#include "data/block.h"
#include "halfspace.h"

/* The parameters and state of one data set. */
typedef struct hsp_recipe {
    int64_t n, d, classes;
    double noise;
    hsp_rng rng;
    double *state; /* owned: made by `begin`; or NULL */
    double target; /* regression: of the last row */
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
    int64_t most;                /* most values in a row; 0: one for each feature */
    bool as_made;                /* values are not rounded; else to six decimals */
    int (*begin)(hsp_recipe *r); /* fills `state`; 0 or HSP_EMEMORY; may be NULL */
    /* Row i: d values (csv), or values and their ascending ids from 1 (svmlight); sets the class, or r->target;
     * returns how many. */
    int64_t (*row)(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k);
} hsp_generator;

extern const hsp_generator hsp_generator_table[]; /* ends with a name of NULL */

/* NULL: there is no generator of that name. */
const hsp_generator *hsp_generator_find(const char *name);

/* A data set in progress, with statistics of the rows so far. */
typedef struct hsp_generation {
    const hsp_generator *kind;
    hsp_recipe recipe;
    int64_t made; /* rows */
    int64_t nonzeros;
    int64_t *rows_of;               /* owned: rows of each class, in the order of the generator; NULL for regression */
    double least, greatest, target; /* of the targets; target: their mean */
} hsp_generation;                   /* {0} can be ended */

/* Options: rows, noise, features, classes, seed. Call hsp_generation_end also after a failure. */
int hsp_generation_begin(hsp_generation *g, const char *kind, const hsp_options *o, hsp_error **err);
/* Generates the next rows into the block. 1; 0: all rows are done; or HSP_EMEMORY. The rows do not depend on the size of
 * blocks. */
int hsp_generation_next(hsp_generation *g, hsp_block *block);
/* The label of class k as it is written (32 bytes, no NUL); its length. */
int hsp_generation_label(const hsp_generation *g, int64_t k, char *text);
/* All remaining rows as a data set; columns and names are as if read from a file. */
int hsp_generation_collect(hsp_generation *g, hsp_data **out, hsp_error **err);
void hsp_generation_end(hsp_generation *g);

#endif
