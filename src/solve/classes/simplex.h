/* Projection onto a simplex: the exact solution of one row's part of the dual of crammer-singer. */
#ifndef HSP_SOLVE_CLASSES_SIMPLEX_H
#define HSP_SOLVE_CLASSES_SIMPLEX_H

#include <stdint.h>

/* v (K numbers) <- the nearest u with u_k >= 0 and sum_k u_k = total > 0. */
void hsp_simplex_project(double *v, int64_t K, double total);

#endif
