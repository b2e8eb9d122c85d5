/* Inner loops over rows of every form and over plain vectors, in plain C: the oracle that faster ones will be
 * tested against. They cannot fail and never allocate. Every dot product adds into 16 partial sums, entry t into sum
 * t mod 16, joined by one fixed tree, so that wider instruction sets can give the same bits. */
#ifndef HSP_KERNEL_KERNEL_H
#define HSP_KERNEL_KERNEL_H

#include "kernel/form.h"

double hsp_dot_f64(const double *x, const double *w, int64_t n);

/* w += a x */
void hsp_axpy_f64(double a, const double *x, double *w, int64_t n);

void hsp_scale_f64(double a, double *w, int64_t n); /* w *= a */
double hsp_sum_f64(const double *x, int64_t n);     /* same reduction shape */

/* Rows of every form, one function each (form.h): n entries, their columns in `id`, their values in `x` and `table`. */
typedef double hsp_dot_of_form(const void *id, const void *x, const double *table, int64_t n, const double *w);
typedef void hsp_axpy_of_form(double a, const void *id, const void *x, const double *table, int64_t n, double *w);
typedef double hsp_norm2_of_coding(const void *x, const double *table, int64_t n);
/* Entries from to from + n: their columns, unless `column` is NULL, and their values. */
typedef void hsp_decode_of_form(const void *id, const void *x, const double *table, int64_t from, int64_t n,
                                uint32_t *column, double *value);
extern hsp_dot_of_form *const hsp_dots[HSP_FORMS];
extern hsp_axpy_of_form *const hsp_axpys[HSP_FORMS];
extern hsp_norm2_of_coding *const hsp_norms2[HSP_CODINGS];
extern hsp_decode_of_form *const hsp_decodes[HSP_FORMS];

#endif
