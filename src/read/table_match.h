/* The roles of the columns of binary files, by the rules of CSV files. */
#ifndef HSP_READ_TABLE_MATCH_H
#define HSP_READ_TABLE_MATCH_H

#include "data/schema.h"
#include "halfspace.h"

/* The columns of a file, from 0, in its order. */
typedef struct hsp_table {
    int64_t columns;
    const char **name;      /* of each; NULL: no names */
    int64_t target, weight; /* -1: none, or unknown */
    const char *file;       /* for errors */
} hsp_table;

/* The role of a column: the feature that it holds, from 0, or one of these. FREE: not yet assigned. */
enum {
    HSP_ROLE_TIME = -6,
    HSP_ROLE_GROUP = -5,
    HSP_ROLE_WEIGHT = -4,
    HSP_ROLE_FREE = -3,
    HSP_ROLE_SKIP = -2,
    HSP_ROLE_TARGET = -1
};

/* Matches the columns to the model's features, target and weights being known. Fills role[columns]. */
int hsp_table_match(const hsp_table *t, const hsp_schema *known, int64_t *role, hsp_error **err);
/* The same for a file without names whose target and weights are unknown: by the options target, weight and ignore, else as
 * in the model, else (known NULL) the target is the last column. apart: labels are in another file, no column is the target. */
int hsp_table_choose(const hsp_table *t, const hsp_options *o, const hsp_schema *known, bool apart, int64_t *role,
                     hsp_error **err);

#endif
