/* Inner loops over rows of every form and over vectors. They cannot fail and never allocate. Every dot product has 16 partial
 * sums, entry t in sum t mod 16, added in a fixed tree: plain C (plain.c) and wider instruction sets (dense_rows.c) give the
 * same bits. */
#ifndef HSP_KERNEL_KERNEL_H
#define HSP_KERNEL_KERNEL_H

#include "kernel/form.h"

double hsp_dot_f64(const double *x, const double *w, int64_t n);

/* w += a x */
void hsp_axpy_f64(double a, const double *x, double *w, int64_t n);

void hsp_scale_f64(double a, double *w, int64_t n); /* w *= a */
double hsp_sum_f64(const double *x, int64_t n);     /* in the same order as a dot product */
bool hsp_finite_f64(const double *x, int64_t n);    /* whether all are finite */

/* Kernels of one form (form.h): n entries, their columns in `id`, their values in `x` and `table`. */
typedef double hsp_dot_of_form(const void *id, const void *x, const double *table, int64_t n, const double *w);
typedef void hsp_axpy_of_form(double a, const void *id, const void *x, const double *table, int64_t n, double *w);
typedef double hsp_norm2_of_coding(const void *x, const double *table, int64_t n);
/* Decodes entries `from` to `from + n`: their columns, unless `column` is NULL, and their values. */
typedef void hsp_decode_of_form(const void *id, const void *x, const double *table, int64_t from, int64_t n,
                                uint32_t *column, double *value);

/* (x_t - shift_t) factor_t of n numbers of a dense row; shift may be NULL. */
typedef void hsp_transform_of_coding(const void *x, const double *table, int64_t n, const double *shift, const double *factor,
                                     double *out);

/* Scores of eight dense rows x[0] .. x[7] for up to HSP_CHAINS outputs:
 *     out[r * step + k] += sum_t w[k * w_step + t] x[r][t],
 * each one chain of additions of rounded products in the order of the columns, as if the row were summed entry by entry. */
enum { HSP_CHAINS = 8, HSP_CHAIN_ROWS = 8 };
typedef void hsp_chains_of_coding(const void *const *x, int64_t n, const double *w, int64_t w_step, int64_t outputs,
                                  double *out, int64_t step);

/* The kernels in use, by form or coding: plain ones, and for dense rows those of the level chosen at start (level.h).
 * Read-only outside level.c. */
extern hsp_dot_of_form *hsp_dots[HSP_FORMS];
extern hsp_axpy_of_form *hsp_axpys[HSP_FORMS];
extern hsp_norm2_of_coding *hsp_norms2[HSP_DENSE_CODINGS];
extern hsp_decode_of_form *hsp_decodes[HSP_FORMS];
extern hsp_transform_of_coding *hsp_transforms[HSP_DENSE_CODINGS];
extern hsp_chains_of_coding *hsp_chains[2]; /* of doubles and of floats */

/* The kernels that a level may replace, by coding: of dense rows, and norms of all rows. Ids are not read. */
typedef struct hsp_dense_rows {
    hsp_dot_of_form *dot[HSP_DENSE_CODINGS];
    hsp_axpy_of_form *axpy[HSP_DENSE_CODINGS];
    hsp_norm2_of_coding *norm2[HSP_DENSE_CODINGS];
    hsp_decode_of_form *decode[HSP_DENSE_CODINGS];
    hsp_transform_of_coding *transform[HSP_DENSE_CODINGS];
    hsp_chains_of_coding *chains[2];
} hsp_dense_rows;
extern const hsp_dense_rows hsp_dense_rows_plain;

#endif
