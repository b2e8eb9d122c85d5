/* Features made of those of the columns: products of two columns (--cross a:b), squares and products of numbers (--degree
 * 2), random Fourier features (--rff N; Rahimi and Recht 2007). */
#ifndef HSP_TABLE_EXPAND_H
#define HSP_TABLE_EXPAND_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "data/table_frame.h"
#include "halfspace.h"
#include "table/encoding.h"

/* Owns its arrays. */
struct hsp_expansion {
    int64_t first, features;
    int64_t crosses, degree; /* as in the rules */
    int64_t (*cross)[2];     /* crosses: columns */
    int64_t numbers;         /* features of numeric, boolean and date columns, without indicators */
    uint32_t *number;        /* numbers: their ids */
    int64_t fourier;         /* random Fourier features */
    double gamma;            /* of the kernel exp(-gamma |x - y|^2) over the standardised numbers */
    uint64_t seed;
    double *mean, *scale; /* numbers: from the training rows; scale is 1/sd, 0 for a constant */
    double *direction;    /* fourier x numbers: derived from the seed */
    double *phase;        /* fourier */
};

/* Learns from the rows, encoded by the columns of e (whose expansion is still NULL). *out is NULL if the rules ask for none.
 * HSP_EUSAGE: there would be more than HSP_EXPAND_MOST features. */
enum { HSP_EXPAND_MOST = 10000000 };
int hsp_expansion_learn(const hsp_encoding *e, const hsp_frame *f, int threads, hsp_expansion **out, hsp_error **err);
void hsp_expansion_free(hsp_expansion *x); /* NULL is allowed */
/* The most features that the expansion adds to a row of `count` features. */
int64_t hsp_expansion_most(const hsp_encoding *e, int64_t count);
/* Appends them to the row. 0 or HSP_EMEMORY. */
int hsp_expand_row(const hsp_encoding *e, hsp_encode_room *room, hsp_emit *row);
void hsp_expansion_feature(const hsp_encoding *e, int64_t k, hsp_text *t); /* name of feature k, from 0 */
/* The member "expansion" of the table's object; absent if x is NULL. Loading needs the columns and the base of e, and sets
 * e->expansion, or NULL if there is none. */
void hsp_expansion_save(const hsp_expansion *x, hsp_json *j);
int hsp_expansion_load(const hsp_json_loader *l, int64_t room, hsp_encoding *e);

/* Steps of learning and of loading. Fills `number` by the columns of e: 0 or HSP_EMEMORY. */
int hsp_expansion_numbers(const hsp_encoding *e, hsp_expansion *x);
/* The number of features of x; -1: too many. *cross: the first cross that is too large, else x->crosses. */
int64_t hsp_expansion_features(const hsp_encoding *e, const hsp_expansion *x, int64_t *cross);

#endif
