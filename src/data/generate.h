/* Demonstration data. A new kind is one function and one line in the table of generators.c. */
#ifndef HSP_DATA_GENERATE_H
#define HSP_DATA_GENERATE_H

#include "base/error.h"
#include "base/rng.h"

#include <stdbool.h>

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
    int (*begin)(hsp_recipe *r); /* fills `state`; 0 or HSP_EMEMORY; may be NULL */
    /* Row i: d values (csv), or values and their ascending ids from 1 (svmlight); sets the class, or r->target;
     * returns how many. */
    int64_t (*row)(hsp_recipe *r, int64_t i, double *x, uint32_t *id, int64_t *k);
} hsp_generator;

extern const hsp_generator hsp_generator_table[]; /* ends with a name of NULL */

/* NULL when there is none of that name. */
const hsp_generator *hsp_generator_find(const char *name);

#endif
