/* Scores of rows, rounded with an error bound or exact, and the blocks of rows that threads share. For the checkers of
 * planes. */
#ifndef HSP_VERIFY_PROOF_PROOF_ROWS_H
#define HSP_VERIFY_PROOF_PROOF_ROWS_H

#include "data/matrix.h"
#include "verify/proof/exact.h"
#include "verify/proof/proof.h"

enum {
    HSP_ROWS_BLOCKS = 256,       /* most blocks, whatever the number of threads */
    HSP_ROWS_ALL_EXACT = 1 << 20 /* up to this many stored numbers all sums are exact */
};

/* w.x + b and a bound on its error, which is infinite near overflow. The bound holds if hsp_exact_ieee(). */
double hsp_rows_score(hsp_row x, const double *w, double b, double *error);
/* s += sign w.x, with sign 1 or -1 and finite w. */
void hsp_rows_exact(hsp_exact *s, hsp_row x, const double *w, double sign);
/* Block k has the rows from begin(k) to begin(k + 1) - 1. */
int64_t hsp_rows_blocks(const hsp_matrix *x);
int64_t hsp_rows_begin(const hsp_matrix *x, int64_t block);
bool hsp_rows_finite(const double *v, int64_t n);

#endif
