/* What the tests of separability share: the question, the rows that are left, and the functions that submit a candidate to
 * the checker and enter it into the proof. */
#ifndef HSP_SEPARATE_SEARCH_H
#define HSP_SEPARATE_SEARCH_H

#include "base/error.h"
#include "halfspace.h"
#include "separate/cone.h"
#include "separate/separate.h"
#include "verify/proof/proof.h"

/* Layers of single columns. Column j of level l >= 0 has
 *     sign_j (x_ij - t_j) y_i >= 0
 * for all rows that are not of a lower level, and rows of level l are strictly positive for one of its columns. The rows
 * without a level are the core: a plane of the core extends to all rows, and a witness of the core is one for all rows.
 * Owns its arrays. */
typedef struct hsp_layers {
    int32_t count;
    int32_t *level; /* d: of each column; -1: none */
    int8_t *sign;   /* d */
    double *t;      /* d */
    double *factor; /* d: scale of each column */
    int32_t *row;   /* n: level of each row; -1: in the core */
} hsp_layers;

typedef struct hsp_search {
    const hsp_rows_by_side *q;
    const hsp_separate_limits *limits;
    hsp_proof *out;
    int8_t *y;             /* n, owned: sides of the core */
    hsp_rows_by_side core; /* q with these sides */
    int64_t left;          /* rows of the core */
    hsp_layers layers;
    bool decided;            /* no question is left, as far as is known */
    bool likely_overlap;     /* not separable: in floating point the hulls do more than touch */
    const char *open_reason; /* static: why a question was left open, or NULL */
    int64_t rows;            /* that count */
    int64_t strict;          /* touching: rows off the plane */
    bool exact;              /* touching: w and b are the exact plane */
    double *w;               /* d, owned: scratch */
    long double *score;      /* n, owned: scratch */
} hsp_search;

/* A row and what it is ordered by; for qsort: the largest key first, then the first row. */
typedef struct hsp_ranked_row {
    double key;
    int64_t row;
} hsp_ranked_row;
int hsp_by_rank(const void *a, const void *b);

int hsp_search_begin(hsp_search *s, const hsp_rows_by_side *q, const hsp_separate_limits *limits, hsp_proof *out,
                     hsp_error **err);
void hsp_search_end(hsp_search *s);

/* Whether time is up or a cancel is pending. */
bool hsp_search_stop(const hsp_search *s);
void hsp_search_log(const hsp_search *s, const char *format, ...) HSP_PRINTF(2, 3);

/* The following submit a candidate (copied) to the checker and enter it into the proof if it is accepted. HSP_OK or
 * HSP_EMEMORY. */

/* A plane (w, b); the search is then decided. */
int hsp_search_enter(hsp_search *s, const double *w, double b, const char *method, bool *accepted, hsp_error **err);
/* A plane of the core, w in the units of the data: extended to all rows, with b in the middle between the classes. */
int hsp_search_plane(hsp_search *s, const double *w, const char *method, bool *accepted, hsp_error **err);
/* A witness, rows ascending: the verdict becomes "not separable", unless it is "touching" already. */
int hsp_search_witness(hsp_search *s, const int64_t *row, const double *multiplier, int64_t count, const char *method,
                       bool *accepted, hsp_error **err);
/* A plane through a witness without rows on the wrong side: the verdict becomes "touching". A plane that is known already is
 * replaced only by one with more rows off it, or as many and exact doubles. */
typedef struct hsp_weak {
    const double *w;    /* d */
    bool core;          /* w is a plane of the core: it is extended to all rows */
    int64_t expected;   /* most rows that can be off the plane: with as many the search is decided; -1: unknown */
    const int64_t *row; /* the witness */
    const double *multiplier;
    int64_t count;
    const char *method;
} hsp_weak;
int hsp_search_weak(hsp_search *s, const hsp_weak *k, bool *accepted, hsp_error **err);
/* The plane of the layers, for the witness in the proof; complete: all rows of the core are held. */
int hsp_search_layers_weak(hsp_search *s, bool complete, const char *method, hsp_error **err);
/* Enters an upper bound of the margin, rounded up: half the distance of two points of the hulls, given by multipliers
 * m >= 0 (n). */
int hsp_search_bound(hsp_search *s, const double *m, hsp_error **err);

/* The cheap tests. */
int hsp_search_one_class(hsp_search *s, hsp_error **err);
int hsp_search_duplicates(hsp_search *s, hsp_error **err);
int hsp_search_column(hsp_search *s, hsp_error **err); /* strict */
int hsp_search_perceptron(hsp_search *s, hsp_error **err);
/* Peels off layers until no column separates the core. */
int hsp_search_layers(hsp_search *s, hsp_error **err);
/* The b in the middle between the classes of the core, for w (d). */
double hsp_layers_place(const hsp_search *s, const double *w);
/* Extends the plane w (d), b of the core to all rows. */
void hsp_layers_extend(const hsp_search *s, double *w, double *b);

/* The linear program, for few columns. part NULL: the cone has all rows of the core. Else it has some of them; part (d)
 * receives a plane of theirs in the units of the data, and *found is whether there is one. */
int hsp_search_face(hsp_search *s, const hsp_cone *c, double *part, bool *found, hsp_error **err);
/* For many columns. */
int hsp_search_wide(hsp_search *s, const hsp_cone_frame *f, hsp_error **err);
/* For few rows, without rounding. soon: only if that takes a fraction of a second. */
int hsp_search_rational(hsp_search *s, bool soon, hsp_error **err);

#endif
