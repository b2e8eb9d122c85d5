/* Inner loops over the four layouts (dense and sparse; float and double), plain C: the oracle that faster ones will be
 * tested against. They cannot fail and never allocate. Every dot product adds into 16 partial sums, entry t into sum
 * t mod 16, joined by one fixed tree, so that wider instruction sets can give the same bits. */
#ifndef HSP_KERNEL_KERNEL_H
#define HSP_KERNEL_KERNEL_H

#include <stdint.h>

double hsp_dot_f32(const float *x, const double *w, int64_t n);
double hsp_dot_f64(const double *x, const double *w, int64_t n);
double hsp_sparse_dot_f32(const uint32_t *id, const float *x, const double *w, int64_t n);
double hsp_sparse_dot_f64(const uint32_t *id, const double *x, const double *w, int64_t n);

/* w += a x */
void hsp_axpy_f32(double a, const float *x, double *w, int64_t n);
void hsp_axpy_f64(double a, const double *x, double *w, int64_t n);
void hsp_sparse_axpy_f32(double a, const uint32_t *id, const float *x, double *w, int64_t n);
void hsp_sparse_axpy_f64(double a, const uint32_t *id, const double *x, double *w, int64_t n);

void hsp_scale_f64(double a, double *w, int64_t n); /* w *= a */
double hsp_sum_f64(const double *x, int64_t n);     /* same reduction shape */

#endif
