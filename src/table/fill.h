/* Filling of missing cells in numeric, date and boolean columns, and the indicator feature of missing cells. */
#ifndef HSP_TABLE_FILL_H
#define HSP_TABLE_FILL_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "table/profile.h"
#include "table/rules.h"

/* Sets the fill to the mean or the median of the values v (reordered). The features are the numbers of the kind, and an
 * indicator if the rules ask for it and cells are missing. */
void hsp_fill_learn(const hsp_column_cells *s, double *v, int64_t n, hsp_table_column *c);
/* The same of values that occur several times each; v is reordered. */
typedef struct hsp_weighted {
    double v;
    int64_t count;
} hsp_weighted;
void hsp_fill_learn_weighted(const hsp_column_cells *s, hsp_weighted *v, int64_t n, hsp_table_column *c);
/* The same with a given fill. */
void hsp_fill_set(const hsp_column_cells *s, double fill, hsp_table_column *c);
bool hsp_fill_allowed(const hsp_table_rules *r); /* whether missing cells are filled */
/* The median; 0 if n is 0. v is reordered. */
double hsp_fill_median(double *v, int64_t n);

/* Name of the indicator of missing cells, and its value in a row with a missing cell. */
void hsp_fill_feature(const hsp_table_column *c, hsp_text *t);
static inline void hsp_fill_indicate(const hsp_table_column *c, hsp_emit *out) {
    if (c->indicator) hsp_emit_one(out, c->first + c->features - 1, 1);
}

/* Functions for kinds with one number a cell: hsp_kind.encode_missing, feature, save and load. */
void hsp_fill_missing(const hsp_table_column *c, hsp_emit *out);
void hsp_fill_name(const hsp_table_column *c, int64_t k, hsp_text *t);
/* Members "fill" and "indicator" of the column's object: also those of dates. */
void hsp_fill_save(const hsp_table_column *c, hsp_json *j);
int hsp_fill_load(const hsp_json_loader *l, int64_t room, hsp_table_column *c);

#endif
