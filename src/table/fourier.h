/* Random Fourier features cos(direction . x + phase), whose inner products approximate the kernel exp(-gamma |x - y|^2) (A.
 * Rahimi, B. Recht, Random features for large-scale kernel machines, 2007). */
#ifndef HSP_TABLE_FOURIER_H
#define HSP_TABLE_FOURIER_H

#include "data/table_frame.h"
#include "halfspace.h"
#include "table/expand.h"

/* Most numbers in all directions together. */
enum { HSP_FOURIER_MOST = 100000000 };

/* Makes directions and phases from fourier, numbers, gamma and seed; direction i of number j depends on (seed, i, j) alone.
 * 0 or HSP_EMEMORY. */
int hsp_fourier_make(hsp_expansion *x);
/* Learns mean and scale of the numbers from the rows of the frame, encoded by the columns of e, in the order of the rows. */
int hsp_fourier_learn(const hsp_encoding *e, const hsp_frame *f, int threads, hsp_expansion *x, hsp_error **err);
/* cos(x) by correctly rounded operations only, since the last bit of the C library's differs between machines. The error is
 * within 2 ulp of 1 for |x| < 1e6, larger beyond; 0 if x is not finite. */
double hsp_cosine(double x);

#endif
