/* A reference optimum for the tests, by a method unlike every solver of the library: Newton steps with a dense Cholesky
 * factorisation on
 *     |w|^2/2 + C sum_i softplus(beta (shift - m_i)) / beta,    m_i = y_i (w.x_i + b),  b free,
 * which is the logistic objective for beta = 1, shift = 0, and tends to the hinge objective for shift = 1 as beta grows.
 * Its own dual value certifies it. */
#ifndef HSP_TESTS_REFERENCE_H
#define HSP_TESTS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct reference {
    double primal; /* objective of the point found */
    double dual;   /* lower bound of the optimum */
} reference;

/* x: n x d, row-major; y: -1 or +1. Returns false when out of memory or when a factorisation fails. */
bool reference_solve(const double *x, const double *y, int64_t n, int64_t d, double C, bool hinge, reference *out);

#endif
