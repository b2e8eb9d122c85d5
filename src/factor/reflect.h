/* Householder reflections I - tau v v', alone and as blocks. */
#ifndef HSP_FACTOR_REFLECT_H
#define HSP_FACTOR_REFLECT_H

#include "factor/add_product.h"

/* Length of n numbers, without overflow or underflow. */
double hsp_length(const double *x, int64_t n);

/* The reflection of (*alpha, x) onto (beta, 0): *alpha becomes beta, x the rest of v, whose first number is 1. Returns tau;
 * 0: x is 0 already. The numbers are at most about 1 in size. */
double hsp_reflector(double *alpha, double *x, int64_t n);

/* Up to HSP_REFLECTIONS reflections at once: rows v_0 .. v_(count-1) of V (v_step from one to the next), m numbers each,
 * and their taus. */
enum { HSP_REFLECTIONS = 64 };
typedef struct hsp_reflections {
    const double *V, *tau;
    int64_t count, m, v_step;
} hsp_reflections;

/* Every row x' of P (rows x m) becomes x' H_0 H_1 ..., or with `reversed` x' ... H_1 H_0. work: 2 rows HSP_REFLECTIONS
 * numbers. */
void hsp_reflect_rows(hsp_product_room *room, const hsp_reflections *h, bool reversed, double *P, int64_t step,
                      int64_t rows, double *work);
/* The triangle T (count x count, row-major) of H_0 H_1 ... = I - V' T V; below the diagonal 0. */
void hsp_reflections_triangle(const hsp_reflections *h, double *T);

#endif
