/* Transforms of numeric columns (--transform): one entry a transform in transform_table.c. What a transform learns from the
 * training rows is stored in the model and applied to new rows. All but bins map a number to a number, never decreasing; bins
 * give each interval an indicator. */
#ifndef HSP_TABLE_TRANSFORM_H
#define HSP_TABLE_TRANSFORM_H

#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "table/kind.h"

enum {
    HSP_RANK_STEPS = 255, /* the numbers at ranks 0/255 .. 255/255 are knots, ... */
    HSP_RANK_KNOTS = 384, /* ... and the two neighbours of those that fill two or more of these steps: at most 256 + 128 */
    HSP_BINS_MOST = 1000
};

typedef struct hsp_transform_kind hsp_transform_kind;

/* What an option asks of a column. */
typedef struct hsp_transform_rule {
    bool asked;                     /* there is a rule; without a kind: the number as it is */
    const hsp_transform_kind *kind; /* NULL: none */
    double argument[2];             /* of the kind: bins N, clip LO and HI */
} hsp_transform_rule;

struct hsp_transform {
    hsp_transform_rule rule;
    int64_t knots;
    double *knot; /* owned: ascending. bins: where intervals begin, except the first; rank: values ... */
    double *rank; /* owned: ... and their ranks from 0 to 1, ascending. NULL for other kinds */
};

struct hsp_transform_kind {
    const char *name;   /* as in options and models */
    const char *form;   /* for messages: as it is typed, with the bounds of its arguments */
    int arguments;      /* numbers after the name */
    const char *domain; /* the numbers it is defined for, in messages; NULL: all */
    bool intervals;     /* its features are indicators of intervals */
    int64_t most;       /* of `knots`, in a model */
    /* Whether the arguments are valid. NULL: there are none. */
    bool (*valid)(const double *argument);
    /* Learns the knots from all n numbers of a column, ascending. 0 or HSP_EMEMORY. NULL: there is nothing to learn. */
    int (*learn)(hsp_transform *t, const double *sorted, int64_t n);
    /* The value of a finite number; NaN: it is not in the domain. Of intervals: the number of the interval. */
    double (*apply)(const hsp_transform *t, double x);
};

extern const hsp_transform_kind *const hsp_transform_table[]; /* NULL-terminated */
extern const hsp_transform_kind hsp_transform_log1p, hsp_transform_sqrt, hsp_transform_clip, hsp_transform_rank,
    hsp_transform_bins;

/* The rule of "log1p", "bins:10", "none" ...: false if it is none of them. */
bool hsp_transform_parse(const char *s, int64_t n, hsp_transform_rule *out);
/* All forms, added to t: "log1p, sqrt, ... or none". */
void hsp_transform_list(hsp_text *t);
/* The rule as it is typed, added to t: "clip:0:10". */
void hsp_transform_type(const hsp_transform_rule *r, hsp_text *t);

/* Learns from the n numbers v of a column, which are sorted by this. All must be in the domain. */
int hsp_transform_learn(const hsp_transform_rule *r, double *v, int64_t n, hsp_transform **out);
void hsp_transform_free(hsp_transform *t); /* NULL is allowed */
static inline double hsp_transform_apply(const hsp_transform *t, double x) {
    return t->rule.kind->apply(t, x);
}
/* Number of features: 1, or that of the intervals. */
static inline int64_t hsp_transform_features(const hsp_transform *t) {
    return t->rule.kind->intervals ? t->knots + 1 : 1;
}
/* Appends the name of feature k of the column called `name`: "log1p(income)", "age in [20, 30)". */
void hsp_transform_name(const hsp_transform *t, const char *name, int64_t k, hsp_text *text);
/* The numeric features of a column, which come first: those of its kind, but none of intervals. */
int64_t hsp_column_numbers(const hsp_table_column *c);

/* The member "transform" of a column's object; none if t is NULL. Loading sets *out to NULL if there is none. */
void hsp_transform_save(const hsp_transform *t, hsp_json *j);
int hsp_transform_load(const hsp_json_loader *l, hsp_transform **out);

#endif
