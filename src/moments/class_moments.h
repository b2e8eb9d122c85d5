/* The moments of the classes for Gaussian classifiers: masses, means and scatters, in the design's units; shrinkage and
 * inversion of the within-class covariance.
 *
 * Dense columns that lie far from 0 relative to their width are measured from a point g among their values, so that means
 * keep their digits and differences of means do not cancel. All computations are relative to g (`design` in place of the
 * rows'); results are converted back by hsp_class_offset and where the moments are stored.
 *
 * Row weights are frequencies: a row of weight 2 counts as two equal rows. So mass_k is the sum of the c_i of class k, and
 * the covariance of a class has the divisor mass_k - 1. */
#ifndef HSP_MOMENTS_CLASS_MOMENTS_H
#define HSP_MOMENTS_CLASS_MOMENTS_H

#include "data/data.h"
#include "design/design.h"
#include "halfspace.h"
#include "prepare/prepare.h"

/* Moments that were computed elsewhere, about 0, in place of rows that are not here; all borrowed. */
typedef struct hsp_given_moments {
    const double *mass, *rows; /* K */
    const double *mean;        /* K x d */
    const double *scatter;     /* K x d x d: of each class about its mean; NULL: the means alone are wanted */
    const double *within;      /* d x d: their sum, where those of the classes are not known */
} hsp_given_moments;

/* The rows whose moments are taken; all borrowed. */
typedef struct hsp_class_rows {
    const hsp_design *design;
    const hsp_prepare *prepare;
    const int32_t *y; /* n: the class */
    const double *c;  /* n: the weight; NULL: all 1 */
    const hsp_given_moments *given; /* the rows are not here; NULL: they are */
} hsp_class_rows;

typedef struct hsp_class_moments {
    int64_t K, d;
    double total;             /* of the masses */
    double *mass;             /* K; all arrays are owned */
    double *mean;             /* K x d, relative to g; zeros for a class without mass */
    int64_t *rows;            /* K: rows of positive weight */
    const hsp_design *design; /* whose rows are x' - g: the frame, or that of the rows when g is 0 */
    hsp_design *frame;        /* owned; NULL when g is 0, as are: */
    double *g;                /* d, in the units of the rows' design */
    double *shift, *factor;   /* d, of the frame */
    bool apart;               /* the scatter of each class is not known */
} hsp_class_moments;

/* Allocates; hsp_class_moments_clear also after a failure. */
int hsp_class_moments_fit(const hsp_class_rows *set, hsp_class_moments *out, hsp_error **err);
void hsp_class_moments_clear(hsp_class_moments *m);
/* w.(x' - g) + b = w.x' + the result. */
double hsp_class_offset(const hsp_class_moments *m, const double *w, double b);
/* HSP_EINPUT: column j has values too `what` (large, small) to compute with, and the remedy. */
int hsp_class_extreme(const hsp_prepare *prepare, int64_t j, const char *what, hsp_error **err);
const char *hsp_class_remedy(const hsp_prepare *prepare); /* the remedy alone */
/* Squares of larger numbers overflow; squares of numbers below its inverse lose their digits. */
#define HSP_MOMENTS_LARGE 1e140
/* HSP_EMEMORY when a few d x d matrices do not fit into memory. */
int hsp_class_moments_check_memory(int64_t columns, hsp_error **err);
/* S (d x d) = sum of c_i (x_i - mu)(x_i - mu)' over the rows of class k, each about the mean of its class; k < 0: over all
 * rows. `member` is scratch for n numbers, not needed for k < 0. */
int hsp_class_scatter(const hsp_class_rows *set, const hsp_class_moments *m, int64_t k, double *member, double *S,
                      hsp_error **err);
/* The same for each class, in `scatter` (K x d x d), and S = their sum. */
int hsp_class_scatters(const hsp_class_rows *set, const hsp_class_moments *m, double *scatter, double *S, hsp_error **err);
/* Rounding leaves a small variance in columns that are constant within each class. Such columns are found by their values:
 * their rows and columns of S become 0 and their means exact. S / divisor is a covariance. HSP_EINPUT when the squares of
 * another column are out of range. */
int hsp_class_scatter_clean(const hsp_class_rows *set, hsp_class_moments *m, double divisor, double *S, hsp_error **err);
/* Largest number of columns, and of classes, for which the model stores the covariance of each class. */
enum { HSP_MOMENTS_COLUMNS = 64, HSP_MOMENTS_CLASSES = 64 };
bool hsp_class_moments_small(const hsp_class_moments *m);

/* ---- shrinkage: S <- (1 - delta) S + delta tr(S)/d I ---- */

/* delta of the option --shrinkage: 0 for `none`, the number, or for `auto` Ledoit and Wolf's estimate from the rows about
 * their class means. scatter: that of all rows (only for `auto`). */
int hsp_shrinkage_choose(const hsp_options *o, const hsp_class_rows *set, const hsp_class_moments *m, const double *scatter,
                         double *delta, hsp_error **err);
/* Whether --shrinkage is not `none`. */
bool hsp_shrinkage_asked(const hsp_options *o);
void hsp_shrinkage_apply(double delta, double *S, int64_t d);

/* ---- priors ---- */

/* --priors: K probabilities that sum to 1, 0 for classes without mass. `empirical` are the shares of the rows' own weights,
 * without class weights. HSP_EUSAGE for a list that is malformed, incomplete, or does not sum to 1 within 1e-6. */
int hsp_priors_choose(const hsp_options *o, const hsp_classes *classes, const double *class_weight,
                      const hsp_class_moments *m, double *prior, hsp_error **err);

/* ---- the inverse of a within-class covariance ---- */

/* S = D A D with D_jj = sqrt(S_jj), so that A has the diagonal 1 whatever the units of the columns; conditioning is that of
 * A. Columns with S_jj = 0 are left out: the inverse is 0 there. */
enum { HSP_WITHIN_AT_ONCE = 12 }; /* right-hand sides */

typedef struct hsp_within {
    int64_t d, varying; /* columns; those with S_jj > 0 */
    int64_t rank;       /* directions used */
    double *A;     /* d x d: the Cholesky factor below the diagonal and A above it; or eigenvectors. All arrays are owned */
    double *scale; /* d: 1 / D_jj, or 0 */
    double *e;     /* d eigenvalues, ascending, when A holds eigenvectors; else NULL */
    double *null;  /* nullity x d: orthonormal basis of the null space of A, whose projector was added to A; or NULL */
    int64_t nullity;
    double *tile;     /* 2 HSP_WITHIN_AT_ONCE d, scratch */
    double *diagonal; /* d: that of A; in the memory of tile */
    double ridge;     /* added to it */
    double rcond;     /* estimated, of the matrix that was factorised last */
} hsp_within;

/* A reciprocal condition number of A, or an eigenvalue relative to the largest, below this means singular: it is not larger
 * than the rounding errors of the sums over the rows. */
#define HSP_WITHIN_SINGULAR 1e-12

/* Takes ownership of S (also on failure). HSP_EINPUT when it is not finite. hsp_within_clear also after a failure. */
int hsp_within_new(double *S, int64_t d, hsp_within *out, hsp_error **err);
void hsp_within_clear(hsp_within *W);
/* A + ridge I = L L'. *regular: it is far enough from singular to be used. May be called again with a larger ridge. */
int hsp_within_cholesky(hsp_within *W, double ridge, bool *regular, hsp_error **err);
/* The pseudo-inverse, without the eigenvectors of A whose eigenvalue is below HSP_WITHIN_SINGULAR times the largest. */
int hsp_within_pseudo(hsp_within *W, hsp_error **err);
/* Each of the `count` rows of B (d numbers): S^-1 b; by Cholesky with one step of iterative refinement. */
void hsp_within_solve(hsp_within *W, double *B, int64_t count);
/* Each row b becomes z with z.z' = b' S^-1 b' for any two: coordinates in which the classes have the covariance I. */
void hsp_within_whiten(hsp_within *W, double *B, int64_t count);

#endif
