/* Random Fourier features: waves cos(direction . x + phase) whose products average to exp(-gamma |x - y|^2) (A. Rahimi,
 * B. Recht, Random features for large-scale kernel machines, 2007). */
#ifndef HSP_TABLE_FOURIER_H
#define HSP_TABLE_FOURIER_H

#include "data/table_frame.h"
#include "halfspace.h"
#include "table/expand.h"

/* Numbers that the directions of all waves may have together. */
enum { HSP_FOURIER_MOST = 100000000 };

/* Directions and phases from fourier, numbers, gamma and seed: that of wave i in number j depends on (seed, i, j) alone. 0
 * or HSP_EMEMORY. */
int hsp_fourier_make(hsp_expansion *x);
/* Mean and scale of the numbers, from the rows of the frame encoded by the columns of e; the sums are taken row by row. */
int hsp_fourier_learn(const hsp_encoding *e, const hsp_frame *f, int threads, hsp_expansion *x, hsp_error **err);
/* The cosine, from operations that are exact or correctly rounded: the C library's may differ in its last bit from machine
 * to machine. Within two units of the last place of 1 for |x| < 1e6, coarser beyond; 0 of what is not finite. */
double hsp_cosine(double x);

#endif
