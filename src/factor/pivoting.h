/* The inside of QR with column pivoting, for the singular values. */
#ifndef HSP_FACTOR_PIVOTING_H
#define HSP_FACTOR_PIVOTING_H

#include <stdint.h>

/* As hsp_pivoted_qr, of numbers up to about 1; below the diagonal of A are the reflections (all but their first number, 1), and
 * tau (min(n, d) numbers). length, last: d numbers of work each. HSP_OK or HSP_ECANCELLED. */
int hsp_pivot_columns(double *A, int64_t n, int64_t d, int64_t *order, double *tau, double *length, double *last);

#endif
