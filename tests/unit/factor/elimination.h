/* Linear systems by Gaussian elimination, for tests that check results by plain arithmetic. */
#ifndef TESTS_ELIMINATION_H
#define TESTS_ELIMINATION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A x = b with row pivoting; A (n x n) and b are overwritten, x is where b was. False, and x is unusable, when a pivot is
 * not above `least`. */
__attribute__((unused)) static bool eliminate(double *A, double *b, int64_t n, double least) {
    for (int64_t p = 0; p < n; p++) {
        int64_t best = p;
        for (int64_t i = p + 1; i < n; i++)
            if (fabs(A[i * n + p]) > fabs(A[best * n + p])) best = i;
        if (!(fabs(A[best * n + p]) > least)) return false;
        for (int64_t j = 0; j < n; j++) {
            double t = A[p * n + j];
            A[p * n + j] = A[best * n + j];
            A[best * n + j] = t;
        }
        double t = b[p];
        b[p] = b[best];
        b[best] = t;
        for (int64_t i = p + 1; i < n; i++) {
            double f = A[i * n + p] / A[p * n + p];
            for (int64_t j = p; j < n; j++) A[i * n + j] -= f * A[p * n + j];
            b[i] -= f * b[p];
        }
    }
    for (int64_t p = n - 1; p >= 0; p--) {
        for (int64_t j = p + 1; j < n; j++) b[p] -= A[p * n + j] * b[j];
        b[p] /= A[p * n + p];
    }
    return true;
}

#endif
