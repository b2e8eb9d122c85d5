/* The columns of files that are no text, held against a model's as if they stood in a CSV file: the same rules for all. */
#ifndef HSP_READ_TABLE_MATCH_H
#define HSP_READ_TABLE_MATCH_H

#include "data/schema.h"
#include "halfspace.h"

/* Columns of a file, from 0, in its order. */
typedef struct hsp_table {
    int64_t columns;
    const char **name; /* of each; NULL: without names */
    int64_t target;    /* -1: none, or not known */
    int64_t weight;    /* -1: none, or not known */
    const char *file;  /* for errors */
} hsp_table;

/* For each column the model's feature that it is, from 0, or one of these. */
enum { HSP_TABLE_TARGET = -1, HSP_TABLE_SKIP = -2, HSP_TABLE_WEIGHT = -4 };

/* Which column is which feature of the model, target and weights being known: into role[columns]. */
int hsp_table_match(const hsp_table *t, const hsp_schema *known, int64_t *role, hsp_error **err);
/* The same where they are to be found, in a table without names: by the options target, weight and ignore, else as in the
 * model, else (known NULL) the target is the last column. apart: the labels stand elsewhere, no column is the target. */
int hsp_table_choose(const hsp_table *t, const hsp_options *o, const hsp_schema *known, bool apart, int64_t *role,
                     hsp_error **err);

#endif
