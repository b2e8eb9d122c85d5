/* The proof that two classes are separable, or that they are not, and its checker. The search for a proof is elsewhere
 * (separate) and need not be trusted: a verdict is what the checker here accepts, in rational arithmetic (exact) or in
 * floating point with a bound on the rounding (bounded), for the rows exactly as they were read. */
#ifndef HSP_VERIFY_PROOF_PROOF_H
#define HSP_VERIFY_PROOF_PROOF_H

#include "base/json.h"
#include "data/matrix.h"
#include "halfspace.h"

typedef enum hsp_verdict { HSP_SEPARABLE, HSP_NOT_SEPARABLE, HSP_TOUCHING, HSP_UNDECIDED } hsp_verdict;
typedef enum hsp_proof_kind { HSP_PROOF_NONE, HSP_PROOF_EXACT, HSP_PROOF_BOUNDED } hsp_proof_kind;

extern const char *const hsp_verdict_names[];    /* "separable", "not-separable", "touching", "undecided" */
extern const char *const hsp_proof_kind_names[]; /* NULL, "exact", "bounded" */
extern const char *const hsp_proof_methods[];    /* all that a proof may name; ends with NULL */
/* How the reason of a proof "not separable" begins, when it is open whether the hulls only touch. */
#define HSP_PROOF_OPEN "whether the hulls only touch was not settled: "

/* What is asked: rows x, each -1, +1, or 0 for a row that does not count; planes w.x + b = 0, or w.x = 0. */
typedef struct hsp_rows_by_side {
    const hsp_matrix *x;
    const int8_t *y;
    bool origin; /* no b: planes through the origin */
    int threads;
} hsp_rows_by_side;

/* separable: w and b with y_i (w.x_i + b) > 0 for all rows, as doubles.
 * not separable: rows and their multipliers m_i >= 0 with  sum m_i y_i x_i = 0  and, unless through the origin,
 *   sum m_i y_i = 0; scaled so that the positive rows' sum to 1 (through the origin: all). The doubles are approximate; the
 *   claim is that exact ones exist for just these rows, near these.
 * touching: both a witness, and a plane with y_i (w.x_i + b) >= 0 for all rows, > 0 for at least one and = 0 on the rows
 *   of the witness. The plane meant is the exact one: w less its part in the span of the witness (of the differences of its
 *   rows; through the origin of the rows themselves), and b so that it contains them. w and b are that plane in doubles. */
typedef struct hsp_proof {
    hsp_verdict verdict;
    hsp_proof_kind kind; /* as the checker found it */
    const char *method;  /* static: what found it, e.g. "perceptron", "duplicate-rows" */
    char *reason;        /* undecided: why; not separable: why it is open whether the hulls only touch, NULL when it is not;
                            else NULL. Allocated */
    double *w;           /* d, or NULL */
    double b;
    double margin;        /* separable: min y_i (w.x_i + b) / |w| is at least this, proven, and > 0; NaN where w = 0 or no
                             double can say it; touching: 0; else NaN */
    int64_t count;        /* rows of the witness; 0: none */
    int64_t *row;         /* ascending, from 0 */
    double *multiplier;   /* of each */
    int64_t column_count; /* touching: columns whose weights would run off, the largest first; at most 10 */
    int64_t columns[10];
    double lower, upper; /* undecided: proven bounds on the largest margin (of rows as they are), NaN where unknown */
} hsp_proof;

void hsp_proof_clear(hsp_proof *p);

/* Kinds. Exact: every row (and every multiplier) was decided in exact arithmetic, on integers. Bounded: some of it in
 * floating point, with a bound on the rounding that leaves no doubt. None: it is false, or could not be shown. The same
 * for any number of threads. A pending cancel may end a check early: none. */

/* Checks y_i (w.x_i + b) > 0 for all rows that count: *kind is how it was shown; *margin a lower bound of the margin
 * (rounded down, with proof; INFINITY when w = 0 or no row counts; NaN when kind is none). Up to 2^20 stored numbers all
 * rows are summed exactly; beyond, error bounds come first and exact sums decide the rows too near to 0 for them. Through
 * the origin b does not count. HSP_OK or HSP_EMEMORY. */
int hsp_proof_check_plane(const hsp_rows_by_side *q, const double *w, double b, hsp_proof_kind *kind, double *margin,
                          hsp_error **err);
/* Checks a witness: exactly when that takes less than about 10 s (some hundred rows), else by a verified solution of its
 * linear system (only when that is regular), else exactly in up to about a minute. Rows ascend; multipliers are not
 * negative, not all 0: they matter only where the rows leave a choice. */
int hsp_proof_check_witness(const hsp_rows_by_side *q, const int64_t *row, const double *multiplier, int64_t count,
                            hsp_proof_kind *kind, hsp_error **err);
/* The same, and the multipliers become those that were found, correctly scaled: what a proof should say. */
int hsp_proof_refine_witness(const hsp_rows_by_side *q, const int64_t *row, double *multiplier, int64_t count,
                             hsp_proof_kind *kind, hsp_error **err);
/* Checks the plane of `touching`: see above. w and the witness's rows. *strict: how many rows have > 0. */
int hsp_proof_check_touching(const hsp_rows_by_side *q, const double *w, const int64_t *row, int64_t count,
                             hsp_proof_kind *kind, int64_t *strict, hsp_error **err);
/* The same, and the plane meant in doubles, but for the scale: plane (d) and b, each correctly rounded; whole numbers when
 * they are small. Untouched when kind is none. */
int hsp_proof_project_touching(const hsp_rows_by_side *q, const double *w, const int64_t *row, int64_t count,
                               hsp_proof_kind *kind, int64_t *strict, double *plane, double *b, hsp_error **err);
/* All of a proof again, whatever its `kind` says: HSP_PROOF_NONE when anything in it does not hold (margin included);
 * *what then says what, in a few words (static); it is NULL when all holds. An undecided one proves nothing (its kind is
 * none) and holds, if it claims nothing but bounds that can be, which are not checked. A margin of NaN claims nothing; w =
 * 0 has none. Multipliers must be those found to within 1e-9 of the largest; where the rows leave a choice it is enough
 * that they solve their equations to within 1e-9. The plane of `touching` must be the one meant, to within 1e-9 of its
 * largest weight, and the scores of the witness 0 to within 1e-9 of what is summed. */
int hsp_proof_check(const hsp_rows_by_side *q, const hsp_proof *p, hsp_proof_kind *kind, const char **what,
                    hsp_error **err);

/* The members of a JSON object (already begun): verdict, margin, proof, method, reason, intercept ("free", "none"),
 * hyperplane {weights, intercept}, witness {rows (from 1), multipliers}, columns (by name), margin_bounds [lower, upper].
 * `feature` names column j into buf (32 bytes) or returns its name. */
void hsp_proof_write(const hsp_proof *p, bool origin, const char *(*feature)(const void *ctx, int64_t j, char *buf),
                     const void *ctx, int64_t d, hsp_json *j);
struct json_t;
/* The same read back (columns are not); HSP_EINPUT with what is wrong. d: features of the data, n: rows. */
int hsp_proof_read(const struct json_t *object, int64_t n, int64_t d, hsp_proof *out, bool *origin, hsp_error **err);

#endif
