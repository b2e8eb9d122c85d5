/* Proofs that two classes are separable, or are not, and their checker. The search for a proof (src/separate) need not be
 * trusted: a verdict is what the checker accepts for the rows exactly as they were read, in rational arithmetic (exact) or
 * in floating point with a bound on the rounding error (bounded). */
#ifndef HSP_VERIFY_PROOF_PROOF_H
#define HSP_VERIFY_PROOF_PROOF_H

#include "base/json.h"
#include "data/matrix.h"
#include "halfspace.h"

typedef enum hsp_verdict { HSP_SEPARABLE, HSP_NOT_SEPARABLE, HSP_TOUCHING, HSP_UNDECIDED } hsp_verdict;
typedef enum hsp_proof_kind { HSP_PROOF_NONE, HSP_PROOF_EXACT, HSP_PROOF_BOUNDED } hsp_proof_kind;

extern const char *const hsp_verdict_names[];    /* "separable", "not-separable", "touching", "undecided" */
extern const char *const hsp_proof_kind_names[]; /* NULL, "exact", "bounded" */
extern const char *const hsp_proof_methods[];    /* all methods that a proof may name; ends with NULL */
/* How the reason of a proof "not separable" begins if it is unknown whether the hulls only touch. */
#define HSP_PROOF_OPEN "whether the hulls only touch was not settled: "

/* The question: do planes w.x + b = 0 (or w.x = 0) separate the rows x of side +1 from those of side -1? Rows of side 0 do
 * not count. All borrowed. */
typedef struct hsp_rows_by_side {
    const hsp_matrix *x;
    const int8_t *y;
    bool origin; /* planes through the origin: no intercept b */
    int threads;
} hsp_rows_by_side;

/* What is proven:
 *
 * separable: w and b, as doubles, with
 *     y_i (w.x_i + b) > 0   for all rows
 *
 * not separable: a witness, some rows and multipliers m_i >= 0 with
 *     sum m_i y_i x_i = 0   and, unless through the origin,   sum m_i y_i = 0
 * scaled so that those of the positive rows (through the origin: all) sum to 1. The doubles are approximate; the claim is
 * that an exact solution exists for these rows, near these doubles.
 *
 * touching: a witness, and a plane with
 *     y_i (w.x_i + b) >= 0  for all rows, > 0 for at least one, = 0 on the rows of the witness
 * The plane is the exact one: w minus its projection onto the span of the witness (of the differences of its rows; through
 * the origin of the rows themselves), and the b with which it contains them. w and b are that plane in doubles. */
typedef struct hsp_proof {
    hsp_verdict verdict;
    hsp_proof_kind kind; /* the checker's */
    const char *method;  /* static: what found it, e.g. "perceptron", "duplicate-rows" */
    char *reason;        /* owned. undecided: why; not separable: why it is unknown whether the hulls only touch; or NULL */
    double *w;           /* d, owned; or NULL */
    double b;
    double margin;      /* separable: a proven lower bound > 0 of min y_i (w.x_i + b) / |w|; NaN if w = 0 or no double can
                             express it. touching: 0. else NaN */
    int64_t count;      /* rows of the witness; 0: none */
    int64_t *row;       /* owned; ascending, from 0 */
    double *multiplier; /* owned; of each */
    int64_t
        column_count; /* touching: columns whose weights would diverge without a penalty, the largest first; at most 10 */
    int64_t columns[10];
    double lower, upper; /* undecided: proven bounds on the largest margin; NaN: unknown */
} hsp_proof;

void hsp_proof_clear(hsp_proof *p);

/* Kinds. Exact: every row and multiplier was decided in exact integer arithmetic. Bounded: some were decided in floating
 * point, with a bound on the rounding error. None: false, or not shown. The kind does not depend on the number of threads.
 * A pending cancel may end a check early with none. The functions that return a status return HSP_OK or HSP_EMEMORY. */

/* Checks y_i (w.x_i + b) > 0 for all rows that count; b is ignored for planes through the origin. *margin is a proven lower
 * bound of the margin, INFINITY if w = 0 or no row counts, NaN if the kind is none. Up to 2^20 stored numbers all rows are
 * summed exactly; beyond, only the rows that error bounds cannot decide. */
hsp_proof_kind hsp_proof_check_plane(const hsp_rows_by_side *q, const double *w, double b, double *margin);
/* Checks a witness: exactly if that takes less than about 10 s (some hundred rows), else by a verified solution of its
 * linear system (if that is regular), else exactly in up to about a minute. Rows ascend; multipliers are >= 0, not all 0,
 * and matter only if the rows admit several solutions. Unless found is NULL or the kind none, it receives the multipliers of
 * the solution, scaled as in hsp_proof; it may be `multiplier`. */
int hsp_proof_check_witness(const hsp_rows_by_side *q, const int64_t *row, const double *multiplier, int64_t count,
                            double *found, hsp_proof_kind *kind, hsp_error **err);
/* Checks the plane of `touching` from w and the rows of the witness. *strict: how many rows are off the plane. Unless plane
 * is NULL or the kind none, plane (d) and b become the exact plane up to a positive factor, each number correctly rounded;
 * small whole numbers if possible. */
int hsp_proof_check_touching(const hsp_rows_by_side *q, const double *w, const int64_t *row, int64_t count,
                             hsp_proof_kind *kind, int64_t *strict, double *plane, double *b, hsp_error **err);
/* Checks all claims of a proof, whatever its `kind` says. *kind is none if one is false (the margin included); *what then
 * says which (static), else it is NULL. An undecided proof has the kind none; its bounds are not checked, only that they do
 * not contradict each other. A margin of NaN claims nothing; w = 0 has none. Tolerances: multipliers must be within 1e-9 of
 * the largest from those found, or, if the rows admit several solutions, solve their equations within 1e-9; the plane of
 * `touching` must have the exact weights within 1e-9 of the largest, and scores of 0 on the witness within 1e-9 of the
 * sizes summed. */
int hsp_proof_check(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                    hsp_error **err);

/* Writes the members into the JSON object that is open in j: verdict, margin, proof, method, reason, intercept ("free" or
 * "none"), hyperplane {weights, intercept}, witness {rows (from 1), multipliers}, columns (by name), margin_bounds [lower,
 * upper]. `feature` returns the name of column j; buf (32 bytes) is its scratch. */
void hsp_proof_write(const hsp_proof *p, bool origin, const char *(*feature)(const void *ctx, int64_t j, char *buf),
                     const void *ctx, int64_t d, hsp_json *j);
/* Reads them back, except columns; n rows and d features are those of the data. HSP_EINPUT if they are not valid. */
int hsp_proof_read(const hsp_report *object, int64_t n, int64_t d, hsp_proof *out, bool *origin, hsp_error **err);

#endif
