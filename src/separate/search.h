/* What the tests share: the question, what is left of it, and the way from a guess to a verdict, which is through the
 * checker. */
#ifndef HSP_SEPARATE_SEARCH_H
#define HSP_SEPARATE_SEARCH_H

#include "base/error.h"
#include "halfspace.h"
#include "separate/cone.h"
#include "separate/separate.h"
#include "verify/proof/proof.h"

/* Planes of single columns: column j with level l >= 0 has  sign_j (x_ij - t_j) y_i >= 0  for all rows that are not of a
 * lower level, and rows of level l are strictly positive for one of the columns of theirs. What is left over is the core:
 * a plane for it extends to all rows, and a witness is one for them. */
typedef struct hsp_layers {
    int32_t count;
    int32_t *level; /* d: of each column; -1: none */
    int8_t *sign;   /* d */
    double *t;      /* d */
    double *factor; /* d: what each column counts */
    int32_t *row;   /* n: level of each row; -1: in the core */
} hsp_layers;

typedef struct hsp_search {
    const hsp_rows_by_side *q;
    const hsp_separate_limits *limits;
    hsp_proof *out;
    int8_t *y;             /* n: sides of the core */
    hsp_rows_by_side core; /* q with these */
    int64_t left;          /* rows of the core */
    hsp_layers layers;
    bool settled;     /* there is nothing more to ask, as far as is known */
    bool likely;      /* not separable: floating point says that the hulls do not only touch */
    const char *open; /* static: why something was not asked, or NULL */
    int64_t rows;     /* that count */
    int64_t strict;   /* touching: rows that the plane frees */
    bool exact;       /* and it is the plane itself, not only near it */
    /* scratch */
    double *w;          /* d */
    long double *score; /* n */
} hsp_search;

int hsp_search_begin(hsp_search *s, const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out,
                     hsp_error **err);
void hsp_search_end(hsp_search *s);

/* Time is up, or a cancel is pending. */
bool hsp_search_stop(const hsp_search *s);
void hsp_search_log(const hsp_search *s, const char *format, ...) HSP_PRINTF(2, 3);

/* These ask the checker, and enter what it accepts. HSP_OK or HSP_EMEMORY.
 * A plane as it is (w copied). Then the search is settled. */
int hsp_search_enter(hsp_search *s, const double *w, double b, const char *method, bool *taken, hsp_error **err);
/* A plane of the core, w in the units of the data (copied): extended to all rows, with the b that is best for it. */
int hsp_search_plane(hsp_search *s, const double *w, const char *method, bool *taken, hsp_error **err);
/* A witness, rows ascending (copied): the verdict is then "not separable", unless something better is known, which then
 * stays as it is. */
int hsp_search_witness(hsp_search *s, const int64_t *row, const double *multiplier, int64_t count, const char *method,
                       bool *taken, hsp_error **err);
/* A plane that has no row on the wrong side, for a witness that is known already, or given: touching, unless a plane that
 * is as good is known: one that frees as many rows, and is not only near the one meant. */
typedef struct hsp_weak {
    const double *w;    /* d */
    bool core;          /* of the core: it is extended to all rows */
    int64_t expected;   /* rows that can be freed: settled with as many; -1: unknown */
    const int64_t *row; /* the witness */
    const double *multiplier;
    int64_t count;
    const char *method;
} hsp_weak;
int hsp_search_weak(hsp_search *s, const hsp_weak *k, bool *taken, hsp_error **err);
/* The plane of the layers, for the witness in the proof; complete: the rows of the core are all held. */
int hsp_search_layers_weak(hsp_search *s, bool complete, const char *method, hsp_error **err);
/* An upper bound of the margin, rounded up: half the distance of two points of the hulls, given by multipliers (n, >= 0).
 */
int hsp_search_bound(hsp_search *s, const double *m, hsp_error **err);

/* The cheap tests. Each fills what it finds in through the functions above. */
int hsp_search_one_class(hsp_search *s, hsp_error **err);
int hsp_search_duplicates(hsp_search *s, hsp_error **err);
int hsp_search_column(hsp_search *s, hsp_error **err); /* strict */
int hsp_search_perceptron(hsp_search *s, hsp_error **err);
/* Takes layer after layer off, until there is no more; what that proves by itself is entered. */
int hsp_search_layers(hsp_search *s, hsp_error **err);
/* The first layer's plane, without b: w (d). False: there is none. */
bool hsp_layers_first(const hsp_layers *l, int64_t d, double *w);
/* The best b for w (d) of the core. */
double hsp_layers_place(const hsp_search *s, const double *w);
/* w (d) and b of the core become those of all rows. */
void hsp_layers_extend(const hsp_search *s, double *w, double *b);

/* The linear program, for few columns. part: when the cone is of some rows only, takes a plane of theirs, in the units of
 * the data (d), and *found is whether there is one; NULL: all rows are there. */
int hsp_search_face(hsp_search *s, const hsp_cone *c, double *part, bool *found, hsp_error **err);
/* Many columns. */
int hsp_search_wide(hsp_search *s, const hsp_cone_frame *f, hsp_error **err);
/* All rows, few of them, without rounding. soon: only when it takes hardly any time. */
int hsp_search_rational(hsp_search *s, bool soon, hsp_error **err);

#endif
