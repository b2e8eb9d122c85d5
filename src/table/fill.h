/* What stands for a missing cell of a column of numbers, dates or truth values, and the feature that says where. */
#ifndef HSP_TABLE_FILL_H
#define HSP_TABLE_FILL_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "table/profile.h"
#include "table/rules.h"

#include <stdbool.h>
#include <stdint.h>

/* Learns the fill from the numbers that the cells are worth: their mean, or their median. v is put in another order.
 * `features` are those of a cell; one more tells where cells are missing, when that is asked for and some are. */
void hsp_fill_learn(hsp_table_column *c, const hsp_table_rules *r, const hsp_profile *p, int64_t features, double *v,
                    int64_t n);
/* The same with the fill known. */
void hsp_fill_set(hsp_table_column *c, const hsp_table_rules *r, const hsp_profile *p, int64_t features, double fill);
bool hsp_fill_allowed(const hsp_table_rules *r); /* whether missing cells are filled */
/* The middle one, or the mean of the two in the middle; 0 of none. v is put in another order. */
double hsp_fill_median(double *v, int64_t n);

/* Name of the feature that tells of missing cells, and its value in a row. */
void hsp_fill_feature(const hsp_table_column *c, hsp_text *t);
static inline void hsp_fill_indicate(const hsp_table_column *c, hsp_emit *out) {
    if (c->indicator) hsp_emit_one(out, c->first + c->features - 1, 1);
}

/* Of the kinds with one number a cell: hsp_kind.most, encode_missing, feature and free. */
int64_t hsp_fill_most(const hsp_table_column *c, int64_t length);
void hsp_fill_missing(const hsp_table_column *c, hsp_emit *out);
void hsp_fill_name(const hsp_table_column *c, int64_t k, hsp_text *t);
void hsp_fill_free(hsp_table_column *c);

/* Members "fill" and "indicator" of the column's object. */
void hsp_fill_save(const hsp_table_column *c, hsp_json *j);
int hsp_fill_load(const hsp_json_loader *l, int64_t features, hsp_table_column *c);

#endif
